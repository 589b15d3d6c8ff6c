from dataclasses import replace

from fastagent.alerts import Alert, filled, incident_of
from fastagent.state import Incident

DISK = Alert(
    "Disk full", "generic", "critical", started_at="2026-01-02T03:00:00Z", services=("db",), description="db-1"
)
SLOW = Alert("Slow", "generic", "warning", started_at="2026-01-02T02:50:00Z", services=("web", "db"))
OVER = replace(SLOW, title="Over", status="resolved", severity="critical", started_at="2026-01-01T00:00:00Z")


def test_the_worst_firing_alert_names_the_incident_and_the_earliest_dates_it() -> None:
    incident = incident_of([OVER, SLOW, DISK])
    assert incident.title == "Disk full (and 1 more)"
    assert incident.started_at == "2026-01-02T02:50:00Z"
    assert incident.services == ("db", "web")
    assert incident.context == "db-1"
    assert [a["title"] for a in incident.alerts] == ["Disk full", "Slow", "Over"]


def test_where_all_is_over_the_resolved_ones_are_told() -> None:
    assert incident_of([OVER]).title == "Over"
    assert incident_of([]).title


def test_what_an_incident_says_itself_stands() -> None:
    incident = filled(Incident("Orders fail", services=("checkout",)), [DISK])
    assert (incident.title, incident.services) == ("Orders fail", ("checkout",))
    assert incident.started_at == "2026-01-02T03:00:00Z"
    assert filled(Incident(""), [DISK]).title == "Disk full"
    assert filled(Incident("x"), []) == Incident("x")


def test_a_storm_of_long_alerts_stays_readable() -> None:
    long = replace(SLOW, labels={str(i): "x" * 2_000 for i in range(100)})
    incident = incident_of([long] * 500)
    assert incident.title == "Slow (and 499 more)"
    assert len(str(incident.alerts)) < 150_000
