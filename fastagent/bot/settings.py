"""What the bot was told when it was started."""

from dataclasses import dataclass
from pathlib import Path

from fastagent.backend import Choice
from fastagent.bot.auth import Credentials

NOBODY = Credentials()  # asked of nobody


@dataclass(frozen=True, slots=True)
class Settings:
    """Plain values, so that they can be handed to the worker's process; `db` is the only one that must be given."""

    db: Path
    credentials: Credentials = NOBODY
    bundles: Path | None = None  # where recorded evidence lies
    prometheus: str = ""  # base URL, asked read-only
    webhook: str = ""  # where reports are posted
    sla_s: float = 30.0  # for one investigation
    choice: Choice = Choice()  # noqa: RUF009 - frozen

    @property
    def recordings(self) -> Path:
        """The folder for evidence that is fetched live: each incident's can be replayed as a bundle."""
        return self.db.with_name(self.db.name + ".evidence")
