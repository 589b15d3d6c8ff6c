"""Keeps services alive: supervisor.py LOGS (ROLE CGROUP PORT)… Each runs in its cgroup; whoever ends is started again."""

import logging
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

LOG = logging.getLogger("supervisor")
JOIN = 'echo $$ > "$0/cgroup.procs" && exec "$@"'  # the shell joins the cgroup, then becomes the service
STOPPING = threading.Event()


def keep(logs: Path, role: str, cgroup: str, port: str) -> None:
    """One service, started again one second after it ended."""
    while not STOPPING.is_set():
        with (logs / f"{role}.log").open("ab") as log:
            command = ["/bin/sh", "-c", JOIN, cgroup, sys.executable, "worker.py", role, port]
            process = subprocess.Popen(command, stdout=log, stderr=log)
        LOG.info("started %s, pid %d", role, process.pid)
        while process.poll() is None and not STOPPING.wait(0.05):
            pass
        if process.poll() is None:
            process.terminate()
            process.wait()
            return
        status = process.returncode if process.returncode >= 0 else 128 - process.returncode
        LOG.warning("%s (pid %d) ended with exit status %d, starting it again in 1 s", role, process.pid, status)
        STOPPING.wait(1.0)


signal.signal(signal.SIGTERM, lambda *_: STOPPING.set())
logging.Formatter.converter = time.gmtime
logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.INFO)
folder, services = Path(sys.argv[1]), sys.argv[2:]
threads = [
    threading.Thread(target=keep, args=(folder, *services[index : index + 3])) for index in range(0, len(services), 3)
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
