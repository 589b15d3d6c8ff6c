"""Whose keys fill a Redis: counts per prefix, the size and the expiry of one of them, from several commands."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import takewhile

from fastagent.state import Finding, Source
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.text.quote import quote

_COUNT = re.compile(r"--scan --pattern ['\"]?(?P<prefix>[\w.-]+):\*['\"]? *\| *wc -l")
_SIZE = re.compile(r"MEMORY USAGE ['\"]?(?P<prefix>[\w.-]+):", re.IGNORECASE)
_TTL = re.compile(r"\bP?TTL ['\"]?(?P<prefix>[\w.-]+):", re.IGNORECASE)
_CLIENT = re.compile(r"\bname=(?P<name>[\w.-]+)")
_NUMBER = re.compile(r"(?:\(integer\) )?(-?\d+)\s*$")
LARGE_SHARE = 0.5  # of all that was counted: more than all others together
LEAST_SHARED_CHARS = 3  # of a prefix with the name of who may be writing it


@dataclass(frozen=True, slots=True)
class _Keys:
    prefix: str
    count: int
    bytes_each: int  # 0 = not known
    expires: bool | None


def _read(output: Output) -> list[Finding]:
    """A finding about the prefix that this output counts, if it holds most of the memory."""
    asked = _COUNT.search(output.command)
    everything = {output.command: output.text, **output.others}
    known = {k.prefix: k for k in _keys(everything)}
    keys = known.get(asked["prefix"]) if asked else None
    total = sum(k.count * k.bytes_each for k in known.values())
    if keys is None or not total or keys.count * keys.bytes_each < LARGE_SHARE * total:
        return []
    owner = _owner(keys.prefix, _names(everything.values()))
    command, line = _shown(keys.prefix, owner, everything)
    kept = {True: "they expire", False: "they never expire", None: "their expiry is not recorded"}[keys.expires]
    share = keys.count * keys.bytes_each / total
    said = f"{keys.count} keys {keys.prefix}:* of {keys.bytes_each} bytes hold {share:.0%} of what was counted, {kept}"
    return [
        Finding(
            kind="redis.keys.holder",
            statement=f"{owner}: {said}" if owner else said,
            severity="error" if keys.expires is False else "warning",
            entity=owner or keys.prefix,
            quote=quote(line),
            source=Source(command=command),
            score=0.85 if keys.expires is False else 0.5,
            reason=f"its client is called like the keys {keys.prefix}:*" if owner else "the largest share of the keys",
        )
    ]


def _keys(outputs: Mapping[str, str]) -> Iterable[_Keys]:
    """What is known of each prefix that was counted."""
    counts, sizes, lives = (_numbers(pattern, outputs) for pattern in (_COUNT, _SIZE, _TTL))
    for prefix, count in counts.items():
        life = lives.get(prefix)
        yield _Keys(prefix, count, max(0, sizes.get(prefix, 0)), None if life is None else life >= 0)


def _numbers(pattern: re.Pattern[str], outputs: Mapping[str, str]) -> dict[str, int]:
    """Prefix -> the number that a command about it printed."""
    found = {}
    for command, text in outputs.items():
        asked, said = pattern.search(command), _NUMBER.match(text.strip())
        if asked and said and len(said[1]) < 16:
            found[asked["prefix"]] = int(said[1])
    return found


def _names(texts: Iterable[str]) -> list[str]:
    """Clients by the names that they gave themselves."""
    return list(dict.fromkeys(m["name"] for text in texts for m in _CLIENT.finditer(text)))


def _owner(prefix: str, clients: Iterable[str]) -> str:
    """The one client whose name shares most with the prefix; "" where none does, or two do alike."""
    shared = sorted(((_shares(prefix, name), name) for name in clients), reverse=True)
    if not shared or shared[0][0] < LEAST_SHARED_CHARS or (len(shared) > 1 and shared[0][0] == shared[1][0]):
        return ""
    return shared[0][1]


def _shares(prefix: str, name: str) -> int:
    """How many characters the prefix and a word of the name begin with alike."""
    words = re.split(r"[-_.]", name.lower())
    return max(
        sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(prefix.lower(), w, strict=False))) for w in words
    )


def _shown(prefix: str, owner: str, outputs: Mapping[str, str]) -> tuple[str, str]:
    """A line that shows the keys, else the client: counts alone are too short to quote."""
    for needle in (f"{prefix}:", f"name={owner}" if owner else ""):
        for command, text in outputs.items():
            if needle and (line := next((x for x in text.splitlines() if needle in x), "")):
                return command, line
    return next(iter(outputs.items()))


REDIS_KEYS = Reader(
    "redis keys",
    lambda output: bool(_COUNT.search(output.command)),
    _read,
    re.compile(r"redis-cli.*(--scan|MEMORY USAGE|TTL|CLIENT LIST|--bigkeys)", re.IGNORECASE),
)
