"""Record an incident from a real nginx: one of the applications behind it dies, and its callers get 502.

    python examples/incidents/nginx-dead-upstream/record.py [-o DIR] [--quick]

A private nginx on loopback (Debian's `nginx` package) before two small applications (app.py). The one that lives is the
louder one: slow queries and missing products all day long, and a scanner asks the proxy for pages nobody has.
"""

import argparse
import shutil
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from processes import fetch, free_port, program, running, shell
from stage import Alert, Stage, Told, main

HERE = Path(__file__).resolve().parent
CONFIG = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/logs/nginx/error.log warn;
events {{ worker_connections 64; }}
http {{
  access_log {folder}/logs/nginx/access.log;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  upstream catalog {{ server 127.0.0.1:{catalog}; }}
  upstream payments {{ server 127.0.0.1:{payments}; }}
  server {{
    listen 127.0.0.1:{proxy};
    location /catalog/ {{ proxy_pass http://catalog; }}
    location /payments/ {{ proxy_pass http://payments; proxy_read_timeout 2s; }}
    location / {{ root {folder}/html; }}
  }}
}}
"""
SCANNED = ("/wp-login.php", "/.env", "/favicon.ico")


class Story:
    """What happens: everybody is well, one application is gone, the proxy has nobody to ask."""

    def __init__(self, stage: Stage, ports: dict[str, int]) -> None:
        self.stage, self.ports = stage, ports
        self.log = {"web-shop": stage.log("web-shop", "json", "http")}
        stage.count("nginx", requests_total=0, errors_total=0, duration_ms_total=0)

    def commands(self) -> tuple[str, ...]:
        """What an on-call person runs, with the ports of this recording."""
        proxy, catalog, payments = (self.ports[name] for name in ("proxy", "catalog", "payments"))
        return (
            f"ss -ltn '( sport = :{proxy} or sport = :{catalog} or sport = :{payments} )'",
            f"curl -sI http://127.0.0.1:{proxy}/catalog/1",
            f"curl -sI http://127.0.0.1:{proxy}/payments/1",
            f"curl -sSI http://127.0.0.1:{catalog}/catalog/1",
            f"curl -sSI http://127.0.0.1:{payments}/payments/1",
            f"pgrep -af 'app.py (catalog {catalog}|payments {payments})'",
            f"nginx -t -c {self.stage.folder}/nginx.conf",
            f"grep -A1 upstream {self.stage.folder}/nginx.conf",
        )

    def _watched(self) -> dict[str, dict[str, float]]:
        """Whether each target can be reached, as a probe sees it."""
        up = {name: fetch(self.ports[name], f"/{name}/0", 1.0)[0] == 200 for name in ("catalog", "payments")}
        return {name: {"up": float(is_up)} for name, is_up in up.items()}

    def shop(self, service: str, seconds: float) -> None:
        """A customer's requests through the proxy."""
        for number in self.stage.every(seconds):
            status, _, took_ms = fetch(self.ports["proxy"], f"/{service}/{number}")
            self.stage.request("nginx", status < 500 and status > 0, took_ms)
            level = "ERROR" if status >= 500 or status == 0 else "INFO"
            self.log["web-shop"].write(level, f"GET /{service}/{number} answered {status}")

    def scan(self) -> None:
        """Noise that was there all along."""
        for number in self.stage.every(2.5):
            fetch(self.ports["proxy"], SCANNED[number % len(SCANNED)])

    def play(self) -> None:
        """The whole story, in real time."""
        folder = self.stage.folder
        shutil.copy(HERE / "app.py", folder)
        applications = {
            name: running(
                [sys.executable, "app.py", name, str(self.ports[name])],
                self.stage.logs / f"{name}.log",
                folder,
                self.ports[name],
            )
            for name in ("catalog", "payments")
        }
        shoppers = [partial(self.shop, "catalog", 0.2), partial(self.shop, "payments", 0.5)]
        with applications["catalog"], applications["payments"] as payments:
            watched = partial(self.stage.sample, self._watched)
            with self.stage.playing(*shoppers, self.scan, watched):
                self.stage.wait(26, 2.2)
                payments.kill()  # as the kernel or a careless hand would: without a last word
                payments.wait(timeout=5)
                self.stage.alerted.wait(timeout=20)
                self.stage.wait(12, 0.2)
                self.stage.record(self.commands(), shell)
                self.stage.wait(8, 1.2)


TOLD = Told(
    name="nginx-dead-upstream",
    title="Customers cannot pay: the shop answers 502 on some pages",
    context="The proxy runs and its configuration has not changed. Browsing works.",
    services=("catalog", "payments", "nginx", "web-shop"),
    alert=Alert("ProxyErrors", "nginx", "nginx answers 5xx to more than 5 % of requests", after_errors=2),
    calls=(("web-shop", "nginx"), ("nginx", "catalog"), ("nginx", "payments")),
    answer={
        "task": "component",
        "component": ["payments"],
        "label": "upstream-unreachable",
        "category": "dependency_failure",
        "keywords": [["payments"], ["refused", "down", "not listening", "unreachable", "no longer listens", "nothing"]],
        "forbidden": ["slow query", "wp-login", "favicon", "not found"],
        "notes": "a real nginx; the application behind one location was killed by record.py",
    },
)


def play(stage: Stage, _: argparse.Namespace) -> None:
    """Play the story behind a proxy of its own."""
    nginx = program("nginx", "nginx")
    program("curl", "curl")
    ports = {"proxy": free_port(8080), "catalog": free_port(9001), "payments": free_port(9002)}
    config = stage.folder / "nginx.conf"
    (stage.logs / "nginx").mkdir(parents=True)
    (stage.folder / "html").mkdir()
    stage.folder.chmod(0o755)  # nginx reads pages as a user of its own
    config.write_text(CONFIG.format(folder=stage.folder, **ports))
    error_log = stage.logs / "nginx" / "error.log"
    with running([nginx, "-p", stage.folder, "-e", error_log, "-c", config], error_log, stage.folder, ports["proxy"]):
        Story(stage, ports).play()


if __name__ == "__main__":
    main(TOLD, play, HERE)
