"""An application that is configured by its environment: app.py NAME PORT. It answers /NAME/… and logs what it does."""

import logging
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAME, PORT = sys.argv[1], int(sys.argv[2])
LOG = logging.getLogger(NAME)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """One in ten asks for something that is not there: everyday life here."""
        number = int(self.path.rsplit("/", 1)[-1])
        missing = NAME == "archive" and number % 10 == 9
        body = f"{NAME} {number} {RATE}\n".encode()
        self.send_response(404 if missing else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if missing:
            LOG.error("document %s not found", number)
        else:
            LOG.info("%s answered", self.path)

    def log_message(self, *_: Any) -> None:
        """The application's own log says it."""


logging.Formatter.converter = time.gmtime
logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.INFO)
LOG.info("starting, release %s", os.environ.get("RELEASE", "1"))
RATE = float(os.environ["VAT_RATE"])
LOG.info("listening on 127.0.0.1:%d", PORT)
ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
