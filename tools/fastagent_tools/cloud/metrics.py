"""Metric series: saturated, running out, risen, dropped to nothing and back, or within their usual bounds."""

import re
from statistics import median

from fastagent.state import Finding, Severity
from fastagent_tools.cloud.document import Around, Document
from fastagent_tools.cloud.series import Series, series_in

SATURATED, HIGH = 90.0, 80.0  # percent
_SHIFT = 1.8  # times the beginning; less is noise in most metrics
_STEADY = 2.5  # times more or less than usual
_MANY = 5.0  # times: no longer a matter of load
_TREND = 1.4  # times, where the series only ever rises
_FREE = re.compile(r"^free|available|remaining|credit", re.IGNORECASE)
_SHARE = re.compile(r"percent|^%$", re.IGNORECASE)
_BAD_WHEN_HIGH = re.compile(
    r"lag|latency|queue|error|fault|5xx|4xx|throttl|connection|cpu|utili|transactionlogs|swap|wait", re.IGNORECASE
)
_LIMIT = re.compile(r"connections?:? (?:\w+ )?(\d+) of (\d+)|max_connections\W{1,4}(\d+)", re.IGNORECASE)
_UNITS = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def judge_metrics(document: Document, around: Around) -> list[Finding]:
    """What the series of a document say, and which of them are as ever."""
    found: list[Finding] = []
    normal: list[Series] = []
    for series in {(s.name, s.entity): s for s in series_in(document.value)}.values():
        made = _judge(series, document, around)
        found += made
        normal += [series] if not made and _is_steady(series) else []
    return found + _normal(normal, document)


def _judge(series: Series, document: Document, around: Around) -> list[Finding]:
    begin, end = _ends(series)
    if gone := _gap(series, document):
        return [gone]
    if _SHARE.search(series.unit) and end >= HIGH:
        return [_saturated(series, begin, end, document)]
    if _FREE.search(series.name):
        return _running_out(series, begin, end, document)
    if limited := _against_limit(series, end, document, around):
        return [limited]
    return _risen(series, begin, end, document) or _spike(series, document)


def _ends(series: Series) -> tuple[float, float]:
    """What the series begins and ends with: medians of its first two values and of its last fifth.

    Recordings tend to begin just before the trouble: more than two values would hide a rise.
    """
    few = max(len(series.values) // 5, 2)
    return median(series.values[:2]), median(series.values[-few:])


def _gap(series: Series, document: Document) -> Finding | None:
    """It fell to nothing, or near it, and came back: an outage, a restart, a failover."""
    usual = median(series.values)
    zeros = [i for i, v in enumerate(series.values) if v <= 0.0 < usual]
    if not zeros or len(zeros) > len(series.values) // 2 or usual < 1:
        return None
    back = zeros[-1] < len(series.values) - 1
    said = f"{_about(series)} fell to 0 from {show(usual, series)} at {series.times[zeros[0]]}"
    said += f" and was back at {series.times[zeros[-1] + 1]}" if back else " and stays there"
    score = 0.7 if back else 0.8
    return _finding(document, series, "dropped", said, "error", score, "a gap where there is always something")


def _saturated(series: Series, begin: float, end: float, document: Document) -> Finding:
    full = end >= SATURATED
    said = f"{_about(series)} is {'saturated' if full else 'high'}: {show(end, series)}"
    said += f", at first {show(series.values[0], series)}{_since(series, begin, end)}"
    return _finding(document, series, "saturated" if full else "elevated", said, "error" if full else "warning",
                    0.8 if full else 0.55, f"{end:.0f}% of what there is")  # fmt: skip


def _running_out(series: Series, begin: float, end: float, document: Document) -> list[Finding]:
    least = min(series.values)
    if begin <= 0 or end > 0.6 * begin:
        return []
    gone = least <= 0.1 * begin
    severity: Severity = "critical" if gone else "warning"
    said = f"{_about(series)} runs out: from {show(series.values[0], series)} down to {show(least, series)}"
    said += _since(series, begin, end)
    return [
        _finding(
            document,
            series,
            "exhausted" if gone else "falling",
            said,
            severity,
            0.88 if gone else 0.7,
            f"{least / begin:.0%} of it is left",
        )
    ]


def _against_limit(series: Series, end: float, document: Document, around: Around) -> Finding | None:
    if "connection" not in series.name.lower():
        return None
    texts = " ".join(d.original.text[:200_000] for d in around.documents)
    limits = [int(m[2] or m[3]) for m in _LIMIT.finditer(texts)]
    if not limits or end < 0.85 * max(limits):
        return None
    most = max(limits)
    said = f"{_about(series)}: {max(series.values):.0f} of {most} (max_connections) in use"
    said += f", at first {series.values[0]:.0f}"
    return _finding(document, series, "saturated", said, "critical", 0.88, f"{end / most:.0%} of the limit")


def _risen(series: Series, begin: float, end: float, document: Document) -> list[Finding]:
    times = end / begin if begin > 0 else (0.0 if end <= 0 else 100.0)
    steady = sum(b >= a for a, b in zip(series.values, series.values[1:], strict=False)) >= 0.85 * (
        len(series.values) - 1
    )
    if times < (_TREND if steady else _SHIFT) or end < 1e-9:
        return []
    bad = bool(_BAD_WHEN_HIGH.search(series.name))
    score = min(0.4 + 0.06 * min(times, 8), 0.8) if bad else min(0.3 + 0.03 * min(times, 10), 0.6)
    if _SHARE.search(series.unit):
        score *= 0.6  # it leaves room
    first = series.values[0]
    said = f"{_about(series)} rose from {show(first, series)} to {show(end, series)}"
    said += f" ({end / first:.1f} times)" if first > 0 else ""
    said += _since(series, begin, end)
    severity: Severity = "error" if bad and times >= _MANY and not _SHARE.search(series.unit) else "warning"
    reason = f"{min(times, 99):.1f} times its first minutes"
    return [_finding(document, series, "rising", said, severity, score, reason)]


def _spike(series: Series, document: Document) -> list[Finding]:
    usual, most = median(series.values), max(series.values)
    if usual <= 0 or most < 8 * usual:
        return []
    when = series.times[series.values.index(most)]
    said = f"{_about(series)} had a spike of {show(most, series)} at {when}, usually {show(usual, series)}"
    return [_finding(document, series, "spike", said, "warning", 0.45, "a short spike")]


def _is_steady(series: Series) -> bool:
    """Whether all values stay near the usual one, or next to nothing."""
    usual = median(series.values)
    return max(series.values) <= _STEADY * usual and min(series.values) >= usual / _STEADY if usual > 0 else True


def _normal(normal: list[Series], document: Document) -> list[Finding]:
    if not normal:
        return []
    ranges = [f"{s.name} {show(min(s.values), s)} to {show(max(s.values), s)}" for s in normal[:5]]
    said = f"{len(normal)} metrics within normal bounds: {'; '.join(ranges)}"
    return [document.original.finding("cloud.healthy.metrics", said, "info", 0.25, "no shift, trend, gap or saturation",
                                      entity=normal[0].entity, needles=(normal[0].name,))]  # fmt: skip


def _since(series: Series, begin: float, end: float) -> str:
    """When it had gone a fifth of the way for the first time."""
    step = begin + 0.2 * (end - begin)
    over = [t for t, v in zip(series.times, series.values, strict=False) if (v - step) * (end - begin) > 0]
    return f", since {over[0]}" if over and over[0] else ""


def _about(series: Series) -> str:
    return f"{series.name} of {series.entity}" if series.entity else series.name


def show(value: float, series: Series) -> str:
    """A value with its unit, as people read it."""
    rate = "/s" if series.unit.lower().endswith("/second") else ""
    if series.unit.lower().startswith("bytes"):
        large, name = next(((u, n) for u, n in _UNITS if abs(value) >= u), (1, "B"))
        return f"{value / large:.1f} {name}{rate}"
    shown = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    units = {"percent": "%", "seconds": " s", "milliseconds": " ms"}
    return shown + units.get(series.unit.lower(), rate)


def _finding(
    document: Document, series: Series, name: str, said: str, severity: Severity, score: float, reason: str
) -> Finding:
    return document.original.finding(
        f"cloud.metric.{name}", said, severity, score, reason, entity=series.entity, needles=(series.name,)
    )
