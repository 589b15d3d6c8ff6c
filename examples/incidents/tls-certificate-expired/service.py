"""A service that speaks TLS: service.py NAME PORT FOLDER. One line in, one line out; FOLDER holds NAME.pem and NAME.key."""

import logging
import socketserver
import ssl
import sys
import time
from pathlib import Path

NAME, PORT, FOLDER = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
LOG = logging.getLogger(NAME)
CONTEXT = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
CONTEXT.load_cert_chain(FOLDER / f"{NAME}.pem", FOLDER / f"{NAME}.key")


class Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        """One request. A handshake that fails is logged as the library words it."""
        try:
            with CONTEXT.wrap_socket(self.request, server_side=True) as connection:
                asked = connection.recv(1024).decode().strip()
                if NAME == "fraud-check" and asked.endswith("7"):
                    time.sleep(0.2)
                    LOG.warning("score for %s took 200 ms, over its target of 100 ms", asked)
                else:
                    LOG.info("served %s", asked)
                connection.sendall(b"ok\n")
        except OSError as error:  # SSLError is one
            LOG.warning("connection from %s dropped: %s", self.client_address[0], error)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads = True, True


logging.Formatter.converter = time.gmtime
logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.INFO)
LOG.info("listening with TLS on 127.0.0.1:%d as %s.shop.internal", PORT, NAME)
Server(("127.0.0.1", PORT), Handler).serve_forever()
