"""An application with a limit on open files: app.py NAME PORT LIMIT. /NAME/N reads a file, and may forget to close it."""

import logging
import resource
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO, Any

NAME, PORT, LIMIT = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
LOG = logging.getLogger(NAME)
HELD: list[IO[str]] = []


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Reads a template. Where the path ends in /held it keeps the file open, as code without `with` does."""
        number, _, held = self.path.removeprefix(f"/{NAME}/").partition("/")
        try:
            file = Path("template.txt").open(encoding="utf-8")  # noqa: SIM115 - that is the fault
            text, status = file.read(), 200
            if held:
                HELD.append(file)
            else:
                file.close()
            LOG.info("%s %s rendered", NAME, number)
        except OSError as error:
            text, status = str(error), 500
            LOG.log(logging.ERROR, "%s %s not rendered: %s", NAME, number, error)
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """The application's own log says it."""


resource.setrlimit(resource.RLIMIT_NOFILE, (LIMIT, LIMIT))
logging.Formatter.converter = time.gmtime
logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.INFO)
LOG.info("listening on 127.0.0.1:%d", PORT)
ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
