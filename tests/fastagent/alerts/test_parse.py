import copy
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastagent.alerts import Alert, incident_of, parse
from fastagent.alerts.alert import MAX_ALERTS
from fastagent.alerts.parse import formats
from fastagent.state import as_json
from tests.fastagent.alerts.samples import ALERTMANAGER, SAMPLES

CASES = Path(os.environ.get("FASTAGENT_ALERT_CASES", Path(__file__).parents[4] / "shared" / "cases" / "alerts"))
WRONG: list[Any] = [None, 7, True, "", "::", "http://[", [], {}, ["x"], {"a": None}, "\x00\ud800", 1e300, -1]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["alerts", "labels", "data", "event", "Message", "tags", "status", "startsAt", "title", "AlarmName"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_each_format_is_recognised_and_tells_what_who_when_and_how_bad(name: str) -> None:
    alert = parse(json.dumps(SAMPLES[name]) if name != "plain" else SAMPLES[name])[0]
    assert alert.source == name
    assert alert.started_at is not None
    assert alert.started_at.startswith("2026-01-02T03:04:05")
    assert alert.services
    assert (alert.status, alert.notes) == ("firing", ())
    assert alert.title
    assert alert.fingerprint
    assert alert.severity == {"grafana": "warning", "cloudwatch": "error", "sentry": "error", "generic": "error"}.get(
        name, "critical"
    )


def test_formats_are_found_the_specific_ones_first() -> None:
    found = formats()
    assert {f.__name__.rsplit(".", 1)[-1] for f in found} == set(SAMPLES)  # type: ignore[attr-defined]
    assert [f.SPECIFICITY for f in found] == sorted((f.SPECIFICITY for f in found), reverse=True)


def test_a_group_is_as_many_alerts_as_it_lists() -> None:
    first, second = parse(ALERTMANAGER)
    assert (first.status, first.services, first.fingerprint) == ("firing", ("checkout",), "aaaa000011112222")
    assert (second.status, second.severity, second.url) == ("resolved", "critical", "http://alerts.example:9093")
    assert first.title == "Errors: too many errors"


def test_the_key_is_the_same_for_the_same_firing_and_new_for_a_new_one() -> None:
    again = copy.deepcopy(ALERTMANAGER)
    assert [a.key for a in parse(again)] == [a.key for a in parse(ALERTMANAGER)]
    again["alerts"][0]["startsAt"] = "2026-01-03T00:00:00Z"
    assert parse(again)[0].key != parse(ALERTMANAGER)[0].key


@pytest.mark.parametrize("field", ["status", "labels", "annotations", "startsAt", "generatorURL", "fingerprint"])
@pytest.mark.parametrize("wrong", WRONG)
def test_one_bad_field_never_drops_an_alert_nor_its_neighbours(field: str, wrong: Any) -> None:
    payload = copy.deepcopy(ALERTMANAGER)
    payload["alerts"][0][field] = wrong
    alerts = parse(payload)
    assert len(alerts) == 2
    assert alerts[0].title.startswith("Errors")
    assert alerts[1] == parse(ALERTMANAGER)[1]
    orjson.dumps(as_json(alerts))


@pytest.mark.parametrize(
    ("field", "wrong"),
    [("startsAt", "yesterday"), ("startsAt", None), ("generatorURL", "http://["), ("labels", 7), ("status", "odd")],
)
def test_what_could_not_be_read_is_a_note(field: str, wrong: Any) -> None:
    payload = copy.deepcopy(ALERTMANAGER)
    payload["alerts"][0][field] = wrong
    notes = parse(payload)[0].notes
    assert len(notes) == 1
    assert field in notes[0]


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if at:
        yield at
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from paths(part, (*at, key))


def replaced(value: Any, at: tuple[Any, ...], wrong: Any) -> Any:
    whole = copy.deepcopy(value)
    inner = whole
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = wrong
    return whole


@pytest.mark.parametrize("name", [n for n in SAMPLES if n != "plain"])
def test_any_field_may_be_of_any_type(name: str) -> None:
    for at in paths(SAMPLES[name]):
        for wrong in WRONG:
            alerts = parse(replaced(SAMPLES[name], at, wrong))
            assert alerts
            assert all(a.title for a in alerts)
            orjson.dumps(as_json(incident_of(alerts)))


@given(JSON)
def test_any_json_is_at_least_one_alert(value: Any) -> None:
    alerts = parse(value)
    assert alerts
    orjson.dumps(as_json(alerts))
    assert incident_of(alerts).title


@given(st.binary(max_size=64) | st.text(max_size=64))
def test_any_bytes_and_any_text_are_at_least_one_alert(raw: bytes | str) -> None:
    assert all(isinstance(a, Alert) for a in parse(raw))
    assert parse(raw)


def test_deep_nesting_and_storms_are_bounded() -> None:
    deep: Any = {}
    for _ in range(2_000):
        deep = {"event": deep}
    assert len(parse(deep)) == 1
    assert len(parse([{"title": "x"}] * (MAX_ALERTS + 5))) == MAX_ALERTS


def test_an_unknown_payload_is_a_generic_alert_by_the_usual_names() -> None:
    (alert,) = parse({"event": {"title": "Monitor", "timestamp": "2026-01-02 03:04:05 +0000 UTC"}, "odd": [1]})
    assert (alert.source, alert.title, alert.started_at) == ("generic", "Monitor", "2026-01-02T03:04:05Z")


def test_what_is_wrapped_is_unwrapped() -> None:
    assert [a.source for a in parse({"meta": {}, "alert": ALERTMANAGER})] == ["alertmanager"] * 2
    assert [a.source for a in parse([SAMPLES["sentry"], SAMPLES["datadog"]])] == ["sentry", "datadog"]
    (plain,) = parse({"Type": "Notification", "Subject": "Backup failed", "Message": "disk full"})
    assert (plain.source, plain.title) == ("plain", "Backup failed")


def recorded(folder: Path) -> list[tuple[str, bytes]]:
    """Our samples, and payloads that others recorded, where there are any."""
    others = [f for f in sorted(folder.glob("*.json")) if f.name != "manifest.json"]
    ours = [(f"ours_{name}", orjson.dumps(payload)) for name, payload in SAMPLES.items()]
    return ours + [(f.stem, f.read_bytes()) for f in others]


@pytest.mark.parametrize(("name", "payload"), recorded(CASES))
def test_recorded_payloads_are_understood(name: str, payload: bytes) -> None:
    alerts = parse(payload)
    assert all(a.title != "Alert without a title" for a in alerts)
    known = name.split("_")[1]
    if known in SAMPLES and known != "datadog":
        assert {a.source for a in alerts} == {known}
