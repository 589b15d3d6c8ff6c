"""A service in a memory cgroup: worker.py ROLE PORT. Roles: thumbnailer, search-indexer. GET /N works on item N."""

import logging
import os
import resource
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ROLE, PORT = sys.argv[1], int(sys.argv[2])
LOG = logging.getLogger(ROLE)
DECODED: dict[str, bytes] = {}  # the thumbnailer's pictures, by address; nothing ever leaves
INDEX = os.urandom(60_000_000) if ROLE == "search-indexer" else b""  # large, and level
ONE_AT_A_TIME = threading.Lock()


def thumbnail(path: str) -> str:
    """Decode a picture and keep it: 900 kB each."""
    if path not in DECODED:
        DECODED[path] = os.urandom(900_000)
    return f"thumbnail of {path} made, {len(DECODED)} pictures decoded"


def look_up(path: str) -> str:
    """Search the index, which takes a moment."""
    if path.endswith("5"):
        resident_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        LOG.warning("resident memory is %d MB, above the recommended 64 MB", resident_mb)
    return f"{path} looked up: {INDEX.count(path.encode())} hits"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        with ONE_AT_A_TIME:
            said = thumbnail(self.path) if ROLE == "thumbnailer" else look_up(self.path)
        LOG.info(said)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: Any) -> None:
        """The service's own log says it."""


logging.Formatter.converter = time.gmtime
logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.INFO)
LOG.info("ready on 127.0.0.1:%d", PORT)
ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
