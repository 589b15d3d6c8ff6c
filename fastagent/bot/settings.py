"""What the bot was told when it was started."""

from dataclasses import dataclass
from pathlib import Path

from fastagent.backend import Pace, embedded, remote
from fastagent.bot.auth import Credentials
from fastagent.model.exchange import DialectName, Endpoint

MODEL = "gpt-5.6-sol"  # where an endpoint is named and no model
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
    tier: str = "ultrafast"
    pace: Pace = "none"  # of the model in the worker's process, which answers where no endpoint is named
    base_url: str = ""
    model: str = ""  # at the endpoint
    api_key: str = ""
    dialect: DialectName = "responses"

    def endpoint(self) -> Endpoint:
        """Who answers. Raises `InputError` for a tier or an address that cannot be."""
        if self.base_url:
            return remote(self.base_url, self.model or MODEL, self.api_key, self.tier, self.dialect)
        return embedded(self.pace, self.tier, self.dialect)

    @property
    def recordings(self) -> Path:
        """The folder for evidence that is fetched live: each incident's can be replayed as a bundle."""
        return self.db.with_name(self.db.name + ".evidence")
