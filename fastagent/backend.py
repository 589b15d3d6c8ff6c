"""Who answers when no endpoint is named: an in-process back end, found by the entry point `fastagent.backends`."""

from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Literal
from urllib.parse import urlsplit

from fastagent.errors import InputError
from fastagent.model.exchange import DialectName, Endpoint

Pace = Literal["none", "real"]
DEFAULT_MODEL = "gpt-5.6-sol"  # where an endpoint is named and no model
TIERS = ("ultrafast", "default", "auto", "flex", "scale", "priority", "fast")  # OpenAI's service_tier, on Responses
PUBLISHED_TOKENS_PER_S = {"ultrafast": 750.0}  # as announced; other tiers start from the pacing's own guess
UNPACED_TOKENS_PER_S = (
    20_000.0  # of an in-process back end that does not wait: measured here, refined by the first turn
)


def embedded(pace: Pace, tier: str, dialect: DialectName = "responses") -> Endpoint:
    """The in-process back end: nothing leaves the machine. Raises `InputError` where none is installed."""
    points = sorted(entry_points(group="fastagent.backends"), key=lambda p: p.name)
    if not points:
        raise InputError("no model answers: name an endpoint with --base-url, or install a package with a back end")
    backend = points[0].load()(pace=pace)
    if tier not in {*backend.tiers, *TIERS}:
        raise InputError(f"unknown tier {tier!r}; this back end has {', '.join(backend.tiers)}")
    rate = UNPACED_TOKENS_PER_S if pace == "none" else PUBLISHED_TOKENS_PER_S.get(tier)
    return Endpoint(
        backend.base_url,
        backend.model,
        backend.answered_by,
        dialect=dialect,
        transport=backend.transport(),
        tokens_per_s=rate,
    )


def remote(base_url: str, model: str, api_key: str, tier: str, dialect: DialectName = "responses") -> Endpoint:
    """A named endpoint. The tier must be one that OpenAI's `service_tier` knows."""
    if not base_url.startswith(("http://", "https://")):
        raise InputError(f"base URL {base_url!r} must start with http:// or https://")
    if tier not in TIERS:
        raise InputError(f"unknown tier {tier!r}; there are {', '.join(TIERS)}")
    host = _host(base_url)
    rate = PUBLISHED_TOKENS_PER_S.get(tier)
    return Endpoint(base_url, model, f"{host}/{model}", api_key or "none", dialect, tokens_per_s=rate)


def _host(base_url: str) -> str:
    """Host and port. Raises `InputError` for what is no address, or holds credentials: they would be shown."""
    try:
        url = urlsplit(base_url)
        port = f":{url.port}" if url.port else ""
    except ValueError as error:
        raise InputError(f"base URL {base_url!r}: {error}") from None
    if url.username or url.password:
        raise InputError("base URL: give the key in FASTAGENT_API_KEY, not in the address")
    if not url.hostname:
        raise InputError(f"base URL {base_url!r} names no host")
    return f"{url.hostname}{port}"


@dataclass(frozen=True, slots=True)
class Choice:
    """Which model answers, in plain values that can be handed to another process."""

    tier: str = "ultrafast"
    pace: Pace = "none"  # of the model in the process, which answers where no endpoint is named
    base_url: str = ""
    model: str = ""  # at the endpoint
    api_key: str = ""
    dialect: DialectName = "responses"

    def endpoint(self) -> Endpoint:
        """The endpoint that was named, else the one in the process. Raises `InputError` for what cannot be."""
        if self.base_url:
            return remote(self.base_url, self.model or DEFAULT_MODEL, self.api_key, self.tier, self.dialect)
        return embedded(self.pace, self.tier, self.dialect)
