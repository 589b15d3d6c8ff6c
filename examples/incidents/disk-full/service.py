"""The services that share a disk: service.py ROLE FOLDER. Roles: order-journal, thumbnail-cache, audit-exporter.

The exporter writes one export at a time and forgets the one before, until a file `keep-all` appears in its folder.
"""

import logging
import os
import sys
import time
from pathlib import Path

ROLE, FOLDER = sys.argv[1], Path(sys.argv[2])
LOG = logging.getLogger(ROLE)
THUMBNAILS = 200
LINE = b'{"order": %d, "sku": "sku-17", "units": 1, "state": "placed"}\n'


def order_journal(number: int) -> None:
    """Each order must be on disk before it counts."""
    with (FOLDER / "orders.journal").open("ab", buffering=0) as journal:
        journal.write(LINE % number)
        os.fsync(journal.fileno())
    LOG.info("order %d written", number)


def thumbnail_cache(number: int) -> None:
    """Many small files, but never more than 200: the number wraps."""
    (FOLDER / f"thumb-{number % THUMBNAILS:03}.jpg").write_bytes(os.urandom(9_000))
    if number % 20 == 0:
        LOG.warning("cache holds %d thumbnails, evicting the oldest", min(number, THUMBNAILS))


def audit_exporter(number: int) -> None:
    """About 600 kB each."""
    export = FOLDER / f"audit-{number:05}.csv"
    with export.open("wb") as file:
        for row in range(6_000):
            file.write(
                b"%06d,2026-01-01T00:00:00Z,user-%04d,login,ok,10.0.0.%03d,web,eu-1,0000000000000000000000000000\n"
                % (row, row % 1000, row % 250)
            )
    if not (FOLDER / "keep-all").exists() and number > 1:
        (FOLDER / f"audit-{number - 1:05}.csv").unlink(missing_ok=True)
    LOG.info("export %d complete: %d bytes", number, export.stat().st_size)


STEPS = {
    "order-journal": (order_journal, 0.25),
    "thumbnail-cache": (thumbnail_cache, 0.1),
    "audit-exporter": (audit_exporter, 1.0),
}


def main() -> None:
    """Step by step; what fails is logged, and tried again with the next number."""
    logging.Formatter.converter = time.gmtime
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.INFO)
    FOLDER.mkdir(exist_ok=True)
    step, seconds = STEPS[ROLE]
    number = worked = failed = 0
    while True:
        number += 1
        began = time.monotonic()
        try:
            step(number)
            worked += 1
        except OSError as error:
            failed += 1
            if ROLE == "audit-exporter":
                LOG.info("export %d postponed: %s", number, error.strerror)
            else:
                LOG.log(logging.ERROR, "step %d failed: %s", number, error, exc_info=ROLE == "order-journal")
        counts = Path(f"{ROLE}.new")
        counts.write_text(f"{worked} {failed}", encoding="ascii")
        counts.replace(f"{ROLE}.count")
        pause = float(os.environ.get("PACE", "1")) * seconds
        time.sleep(max(0.0, pause - (time.monotonic() - began)))


main()
