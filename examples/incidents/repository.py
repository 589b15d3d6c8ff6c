"""A git repository made for one recording: commits with authors and dates, told as `changes/commits.json` tells them."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from recording import iso


@dataclass(slots=True)
class Repository:
    """A work tree in `folder`; `commits` grows with each commit."""

    git: str
    folder: Path
    env: Mapping[str, str]
    commits: list[dict[str, Any]] = field(default_factory=list)

    def create(self) -> None:
        """Make the empty repository."""
        self.folder.mkdir()
        self._run("init", "-q", "-b", "main")

    def commit(self, at: datetime, author: str, message: str, files: Mapping[str, str]) -> str:
        """Write files and commit them. The full name of the commit."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self._run("add", "-A")
        self._run("commit", "-q", "-m", message, env=_signed(author, at))
        sha = self._run("rev-parse", "HEAD").strip()
        changed = self._run("show", "--format=", "--name-only", sha).split()
        diff = self._run("show", "--format=", "--no-color", sha)
        self.commits.append(
            {"sha": sha, "author": author, "date": iso(at), "message": message, "files": changed, "diff": diff}
        )
        return sha

    def export(self, sha: str, part: str, to: Path) -> None:
        """The files of one folder at one commit, as a deploy would place them."""
        to.mkdir(parents=True)
        archive = subprocess.run(
            [self.git, "archive", sha, part], cwd=self.folder, env=self.env, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", str(to)], input=archive.stdout, check=True)

    def _run(self, *arguments: str, env: Mapping[str, str] | None = None) -> str:
        done = subprocess.run(
            [self.git, *arguments],
            cwd=self.folder,
            env={**self.env, **(env or {})},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout


def _signed(author: str, at: datetime) -> dict[str, str]:
    address, date = f"{author}@shop.example", at.isoformat(timespec="seconds")
    return {
        "GIT_AUTHOR_NAME": author,
        "GIT_AUTHOR_EMAIL": address,
        "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_NAME": author,
        "GIT_COMMITTER_EMAIL": address,
        "GIT_COMMITTER_DATE": date,
        "GIT_CONFIG_GLOBAL": "/dev/null",  # whatever the user's own settings are
        "GIT_CONFIG_SYSTEM": "/dev/null",
    }
