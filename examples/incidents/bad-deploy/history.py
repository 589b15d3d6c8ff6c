"""Two services and how their code came about: each commit is a set of replacements in the files of the one before.

The second release of `pricing` brings three commits, of which one takes the default away from a look-up.
"""

from collections.abc import Mapping
from dataclasses import dataclass

SERVER = '''"""{title}."""

import json
import logging
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from {package}.{module} import answer

LOG = logging.getLogger("{service}")


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        began = time.monotonic()
        try:
            status, body = 200, json.dumps(answer(self.path))
            LOG.info("GET %s 200 in %.2f ms", self.path, (time.monotonic() - began) * 1000)
        except LookupError as error:
            status, body = 404, json.dumps({{"error": str(error)}})
            LOG.warning("GET %s 404: %s", self.path, error)
        except Exception:
            status, body = 500, json.dumps({{"error": "internal"}})
            LOG.exception("GET %s 500", self.path)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    logging.Formatter.converter = time.gmtime
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.INFO)
    LOG.info("version %s ready", sys.argv[2])
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
'''
QUOTE = '''"""What an order costs: /quote/SKU/UNITS/COUPON."""

PRICES = {f"sku-{n}": 100 + 7 * n for n in range(50)}
COUPONS = {"SPRING": 10, "STAFF": 25}


def answer(path):
    """A quote in cents."""
    _, _, sku, units, coupon = path.split("/")
    price = PRICES[sku] * int(units)
    percent = COUPONS.get(coupon, 0)
    return {"sku": sku, "cents": price - price * percent // 100}
'''
ITEMS = '''"""What is for sale: /item/SKU."""

ITEMS = {f"sku-{n}": f"Item {n}" for n in range(45)}


def answer(path):
    """An item's name."""
    sku = path.split("/")[2]
    return {"sku": sku, "name": ITEMS[sku]}
'''
TABLE = '''"""Coupons and what they take off, in percent."""

TABLE = {"SPRING": {"percent": 10, "name": "Spring sale"}, "STAFF": {"percent": 25, "name": "Staff"}}


def find(code):
    """The coupon with this code."""
    return TABLE.get(code.upper())
'''


@dataclass(frozen=True)
class Change:
    """One commit: minutes before the recording, and what it replaces, file by file (an empty text: all of it)."""

    minutes: int
    author: str
    message: str
    edits: Mapping[str, tuple[tuple[str, str], ...]]
    role: str = ""  # "old" and "new" are what is deployed of pricing, "other" of catalog; "guilty" is the cause


CHANGES = (
    Change(
        2900,
        "ines",
        "Quotes for orders, names of items",
        {
            "pricing/__init__.py": (("", ""),),
            "pricing/server.py": (
                ("", SERVER.format(title="Prices", package="pricing", module="quote", service="pricing")),
            ),
            "pricing/quote.py": (("", QUOTE),),
            "catalog/__init__.py": (("", ""),),
            "catalog/server.py": (
                ("", SERVER.format(title="Catalog", package="catalog", module="items", service="catalog")),
            ),
            "catalog/items.py": (("", ITEMS),),
        },
    ),
    Change(
        1500,
        "tomas",
        "Answer 404 with the item that was asked for",
        {
            "catalog/items.py": (
                ("    return {", '    if sku not in ITEMS:\n        raise LookupError(f"no item {sku}")\n    return {'),
            )
        },
    ),
    Change(
        1390,
        "ines",
        "Quotes name their currency",
        {
            "pricing/quote.py": (
                (
                    '"cents": price - price * percent // 100}',
                    '"cents": price - price * percent // 100, "currency": "EUR"}',
                ),
            )
        },
        role="old",
    ),
    Change(
        190,
        "jo",
        "Coupons: one table with names, one place that reads it",
        {
            "pricing/coupons.py": (("", TABLE),),
            "pricing/quote.py": (
                ('COUPONS = {"SPRING": 10, "STAFF": 25}\n', ""),
                ("PRICES = {", "from pricing import coupons\n\nPRICES = {"),
                ("    percent = COUPONS.get(coupon, 0)\n", '    percent = coupons.find(coupon)["percent"]\n'),
            ),
        },
        role="guilty",
    ),
    Change(
        120,
        "ines",
        "Raise prices of sku-40 and up by 5 %",
        {
            "pricing/quote.py": (
                (
                    "def answer",
                    'PRICES |= {f"sku-{n}": (100 + 7 * n) * 105 // 100 for n in range(40, 50)}\n\n\ndef answer',
                ),
            )
        },
    ),
    Change(
        80,
        "tomas",
        "Retire three items: their timeouts and errors filled the log",
        {"catalog/items.py": (("range(45)", "range(42)"),)},
        role="other",
    ),
    Change(
        35,
        "sam",
        "Handle exceptions of quotes with one line less in the log",
        {
            "pricing/server.py": (
                ('LOG.info("GET %s 200 in %.2f ms", self.path,', 'LOG.info("%s 200 in %.2f ms", self.path,'),
            )
        },
        role="new",
    ),
)


def edited(text: str, edits: tuple[tuple[str, str], ...]) -> str:
    """A file's next text. An edit that does not apply is an error of this file: `ValueError`."""
    for old, new in edits:
        if old and old not in text:
            raise ValueError(f"nothing to replace: {old!r}")
        text = text.replace(old, new, 1) if old else new
    return text
