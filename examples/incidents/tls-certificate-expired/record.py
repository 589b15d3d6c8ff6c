"""Record an incident from real TLS: the certificate of one service ends while its callers are at work.

    python examples/incidents/tls-certificate-expired/record.py [-o DIR] [--quick]

Two services speak TLS with certificates of a private authority (Debian's `openssl` package); one of the certificates ends
during the recording. The other service is slow, and a health checker knocks without speaking TLS: both are innocent.
"""

import argparse
import shutil
import socket
import ssl
import sys
import time
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from authority import Authority
from processes import free_port, program, running, shell
from recording import utc_now
from stage import Alert, Stage, Told, main

HERE = Path(__file__).resolve().parent
SERVERS = ("ledger", "fraud-check")


class Story:
    """What happens: everybody is well, a certificate ends, its service's callers refuse to go on."""

    def __init__(self, stage: Stage, ports: dict[str, int], authority: Authority) -> None:
        self.stage, self.ports = stage, ports
        self.trust = ssl.create_default_context(cafile=str(authority.root))
        self.log = stage.log("payments-api", "python", "client")
        self.failures: dict[str, int] = dict.fromkeys(SERVERS, 0)
        stage.count("payments-api", requests_total=0, errors_total=0, duration_ms_total=0)

    def commands(self) -> tuple[str, ...]:
        """What an on-call person runs, with the ports of this recording."""
        dates = [
            f"openssl x509 -in {self.stage.folder}/tls/{name}.pem -noout -subject -startdate -enddate"
            for name in SERVERS
        ]
        connections = [
            f"openssl s_client -connect 127.0.0.1:{self.ports[name]} -servername {name}.shop.internal "
            f"-CAfile {self.stage.folder}/tls/trusted.pem -brief </dev/null"
            for name in SERVERS
        ]
        ports = " or ".join(f"sport = :{self.ports[name]}" for name in SERVERS)
        return ("date -u", *dates, *connections, f"ss -ltn '( {ports} )'")

    def ask(self, server: str, question: str) -> None:
        """One request over a connection of its own. Raises `OSError`, of which a failed verification is one."""
        with (
            socket.create_connection(("127.0.0.1", self.ports[server]), timeout=3) as plain,
            self.trust.wrap_socket(plain, server_hostname=f"{server}.shop.internal") as connection,
        ):
            connection.sendall(question.encode() + b"\n")
            connection.recv(64)

    def pay(self, server: str, seconds: float) -> None:
        """The caller. It says what the library told it."""
        for number in self.stage.every(seconds):
            began, error = time.monotonic(), ""
            try:
                self.ask(server, f"payment-{number}")
            except OSError as raised:
                error = str(raised)
            self.stage.request("payments-api", not error, (time.monotonic() - began) * 1000)
            if error:
                self.failures[server] += 1
                self.log.write("ERROR", f"payment-{number}: call to {server} failed: {error}")
            else:
                self.log.write("INFO", f"payment-{number}: {server} answered")

    def knock(self) -> None:
        """A health check of old that speaks no TLS: noise all along, in both logs."""
        for number in self.stage.every(1.7):
            with (
                suppress(OSError),
                socket.create_connection(("127.0.0.1", self.ports[SERVERS[number % 2]]), 1) as plain,
            ):
                plain.sendall(b"PING\r\n")

    def _watched(self) -> dict[str, dict[str, float]]:
        return {name: {"callers_failed_total": float(self.failures[name])} for name in SERVERS}

    def play(self) -> None:
        """The whole story, in real time."""
        watched = partial(self.stage.sample, self._watched)
        with self.stage.playing(
            partial(self.pay, "ledger", 0.5), partial(self.pay, "fraud-check", 0.4), self.knock, watched
        ):
            self.stage.alerted.wait(timeout=60)
            self.stage.wait(14, 0.2)
            self.stage.record(self.commands(), shell)
            self.stage.wait(8, 1.1)


TOLD = Told(
    name="tls-certificate-expired",
    title="Payments fail: payments-api reports errors since a moment ago",
    context="Nothing was deployed today. All processes run.",
    services=("payments-api", *SERVERS),
    alert=Alert("PaymentErrors", "payments-api", "payments-api fails more than 5 % of its payments", after_errors=2),
    calls=tuple(("payments-api", name) for name in SERVERS),
    answer={
        "task": "component",
        "component": ["ledger"],
        "label": "tls-certificate-expired",
        "category": "configuration",
        "keywords": [["ledger"], ["certificate"], ["expired", "ended", "not valid after"]],
        "forbidden": ["fraud-check", "wrong version number", "http request"],
        "notes": "real TLS; the certificate was made by record.py to end in the middle",
    },
)


def play(stage: Stage, _: argparse.Namespace) -> None:
    """Play the story between two services of its own."""
    now = utc_now()
    authority = Authority(program("openssl", "openssl"), stage.folder / "tls", now)
    authority.issue("ledger", now - timedelta(days=90), now + timedelta(seconds=stage.lasts(30, 4)))
    authority.issue("fraud-check", now - timedelta(days=80), now + timedelta(days=10))
    shutil.copy(HERE / "service.py", stage.folder)
    ports = {"ledger": free_port(9443), "fraud-check": free_port(9444)}
    ledger, fraud_check = (
        running([sys.executable, "service.py", name, str(port), "tls"], stage.logs / f"{name}.log", stage.folder, port)
        for name, port in ports.items()
    )
    with ledger, fraud_check:
        Story(stage, ports, authority).play()


if __name__ == "__main__":
    main(TOLD, play, HERE)
