"""A certificate authority of our own: `openssl ca`, because it takes the exact moment at which a certificate ends."""

import subprocess
from datetime import datetime, timedelta
from pathlib import Path

_CONFIG = """
[ca]
default_ca = ours
[ours]
new_certs_dir = {folder}
database = {folder}/index.txt
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
copy_extensions = copy
[any]
commonName = supplied
organizationName = optional
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:true
"""
_NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


class Authority:
    """Keys and certificates below `folder`; `root` is what clients trust."""

    def __init__(self, openssl: str, folder: Path, now: datetime) -> None:
        self._openssl, self._folder = openssl, folder
        folder.mkdir()
        (folder / "index.txt").touch()
        (folder / "ca.cnf").write_text(_CONFIG.format(folder=folder), encoding="utf-8")
        self.root = folder / "trusted.pem"
        self._request("trusted", "/O=Shop/CN=Shop internal CA")
        self._sign(
            "trusted", now - timedelta(days=300), now + timedelta(days=3000), "-selfsign", "-extensions", "authority"
        )

    def issue(self, name: str, start: datetime, end: datetime) -> None:
        """NAME.pem and NAME.key for NAME.shop.internal, valid from `start` to `end`."""
        host = f"{name}.shop.internal"
        self._request(name, f"/O=Shop/CN={host}", "-addext", f"subjectAltName=DNS:{host}")
        self._sign(name, start, end, "-cert", str(self.root))

    def _request(self, name: str, subject: str, *more: str) -> None:
        out = ("-keyout", f"{name}.key", "-out", f"{name}.csr")
        self._run("req", "-new", *_NEW_KEY, "-config", "ca.cnf", "-subj", subject, *out, *more)

    def _sign(self, name: str, start: datetime, end: datetime, *more: str) -> None:
        dates = [f"{at:%Y%m%d%H%M%SZ}" for at in (start, end)]
        files = ("-keyfile", "trusted.key", "-in", f"{name}.csr", "-out", f"{name}.pem", "-notext")
        self._run("ca", "-batch", "-config", "ca.cnf", *files, "-startdate", dates[0], "-enddate", dates[1], *more)

    def _run(self, *arguments: str) -> None:
        subprocess.run([self._openssl, *arguments], cwd=self._folder, check=True, capture_output=True)
