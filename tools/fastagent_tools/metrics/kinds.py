"""What a metric measures, by its name: whether it is bad when it rises or falls, and how much counts as a change."""

import re
from typing import Literal

Kind = Literal["saturation", "latency", "errors", "availability", "requests", "queue", "other"]

_RESOURCE = r"(cpu|mem|memory|disk|heap|pool|inode|fs|filesystem|storage|volume|swap)\b"
_CAPACITY = rf"{_RESOURCE}.*(%|percent|ratio|util|usage rate|saturat)|(%|percent|util\w*).*{_RESOURCE}|throttl"
_WORDS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))  # type: ignore[misc]
    for kind, pattern in (
        ("availability", r"success|availab|\bup\b|healthy|uptime|ready"),
        ("errors", r"error|fail|5xx|4xx|fault|exception|rejected|refused|dropped|timeout|restart|oom|denied|abort"),
        ("latency", r"latenc|duration|response time|elapsed|delay|\brt\b|\bp(50|9\d|99\d)\b|wait time"),
        ("saturation", _CAPACITY),
        ("queue", r"queue|backlog|lag\b|pending|waiting|in ?flight|connections?|sessions?|depth|threads"),
        ("requests", r"requests?|\bqps\b|\brps\b|\bops\b|workload|throughput|calls|hits|count\b"),
    )
)  # fmt: skip
_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])|[_./:-]+")
_PERCENT = re.compile(r"%|percent|util|ratio", re.IGNORECASE)
_NODE = re.compile(r"^node\b|\bhost\b", re.IGNORECASE)


def words_of(metric: str) -> str:
    """A metric's name as words: `PodCpuUsage(%)`, `http_5xx_ratio` …"""
    return _CAMEL.sub(" ", metric).lower()


def kind_of(metric: str) -> Kind:
    """The kind; "other" where the name does not say."""
    words = words_of(metric)
    return next((kind for kind, pattern in _WORDS if pattern.search(words)), "other")


def is_percent(metric: str) -> bool:
    """Whether values are a share of a capacity."""
    return bool(_PERCENT.search(metric))


def says_percent(metric: str) -> bool:
    """Whether the name itself says that 100 is all; a ratio or a utilisation may also be written as 0..1."""
    return "%" in metric or "percent" in metric.lower()


def is_percentile(metric: str) -> bool:
    """Whether values are quantiles, which neither add up nor average out."""
    return bool(re.search(r"p\d\d|percentile|quantile|max|min", metric, re.IGNORECASE))


def of_node(metric: str) -> bool:
    """Whether it is about the machine and not about who runs on it."""
    return bool(_NODE.search(words_of(metric)))


def bad_when(kind: Kind) -> Literal["up", "down", "either"]:
    """Which way hurts."""
    if kind == "availability":
        return "down"
    return "either" if kind in ("requests", "other") else "up"
