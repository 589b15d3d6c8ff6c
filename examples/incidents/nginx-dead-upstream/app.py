"""A small HTTP application behind the proxy: app.py NAME PORT. It answers /NAME/… and logs what it does."""

import logging
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAME, PORT = sys.argv[1], int(sys.argv[2])
LOG = logging.getLogger(NAME)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """One in twelve asks for something that is not there, one in nine is slow: both are everyday life here."""
        began = time.monotonic()
        number = int(self.path.rsplit("/", 1)[-1]) if self.path.rsplit("/", 1)[-1].isdigit() else 0
        if NAME == "catalog" and number % 9 == 8:
            time.sleep(0.12)
            LOG.warning("slow query: 120 ms for product %s", number)
        status = 404 if NAME == "catalog" and number % 12 == 11 else 200
        if status == 404:
            LOG.error("product %s not found", number)
        else:
            LOG.info("%s %s in %.2f ms", self.command, self.path, (time.monotonic() - began) * 1000)
        body = f"{NAME} {number}\n".encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815 - the name is the library's

    def log_message(self, *_: Any) -> None:
        """The application's own log says it."""


logging.Formatter.converter = time.gmtime
logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.INFO)
LOG.info("listening on 127.0.0.1:%d", PORT)
ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
