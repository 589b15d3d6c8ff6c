"""Sentry: issue alerts, issues, metric alerts, and the older webhook plug-in."""

from typing import Any

from fastagent.alerts.alert import Alert, fingerprint
from fastagent.alerts.fields import Fields
from fastagent.alerts.services import services_of

SPECIFICITY = 2
_NOT_A_STATUS = ("created", "triggered", "assigned", "critical", "warning", "unresolved")


def detect(payload: Any) -> bool:
    """By the hook's `data`, or by the plug-in's project and culprit."""
    if not isinstance(payload, dict):
        return False
    data = payload.get("data")
    hooked = (
        "action" in payload and isinstance(data, dict) and any(n in data for n in ("event", "issue", "metric_alert"))
    )
    return hooked or ("culprit" in payload and ("project" in payload or "project_slug" in payload))


def normalise(payload: Any) -> list[Alert]:
    """One alert."""
    hook = Fields(payload)
    data = hook.sub("data")
    if data.has("metric_alert"):
        return [_metric_alert(hook, data)]
    if data.has("issue"):
        return [_issue(data.sub("issue"), Fields({}, hook.notes), hook)]
    if data.has("event"):
        return [_issue(data.sub("event"), data.sub("event"), hook)]
    return [_issue(hook, hook.sub("event"), Fields({}, hook.notes))]


def _issue(issue: Fields, event: Fields, hook: Fields) -> Alert:
    """`issue` and `event` are the same object where the hook sends only one of them."""
    labels = issue.labels("tags") | event.labels("tags")
    slug = _project(issue)
    labels |= {"project": slug} if slug else {}
    title = issue.line("title", "metadata.title", "message") or event.line("title", "message") or "Sentry issue"
    words = [issue.text("culprit"), issue.text("message"), event.text("logentry.formatted")]
    return Alert(
        title=title,
        source="sentry",
        severity=issue.severity("level") if issue.has("level") else event.severity("level"),
        status=_status(issue, hook),
        started_at=issue.time("firstSeen") or event.time("timestamp", "datetime"),
        services=services_of(labels),
        labels=labels,
        description="\n".join(dict.fromkeys(w for w in words if w)),
        url=issue.url("web_url", "permalink", "url"),
        fingerprint=issue.identity("issue_id", "groupID", "id") or fingerprint(title, slug),
        notes=tuple(hook.notes),
    )


def _project(issue: Fields) -> str:
    """The project's slug; events carry only its number, which names nobody."""
    named = issue.text("project.slug", "project_slug", "project_name", most=120)
    if named or issue.has("project.id"):
        return named
    plain = issue.text("project", most=120)
    return "" if plain.isdigit() else plain


def _status(issue: Fields, hook: Fields) -> Any:
    word = (issue.text("status", most=40) or hook.text("action", most=40)).lower()
    return "firing" if word in _NOT_A_STATUS else Fields({"status": word}, hook.notes).status("status")


def _metric_alert(hook: Fields, data: Fields) -> Alert:
    alert = data.sub("metric_alert")
    projects = [p for p in alert.items("projects") if isinstance(p, str)]
    title = data.line("description_title") or alert.line("title", "alert_rule.name") or "Sentry metric alert"
    return Alert(
        title=title,
        source="sentry",
        severity="warning" if hook.text("action") == "warning" else "critical",
        status=hook.status("action"),
        started_at=alert.time("date_started", "date_detected", "date_created"),
        services=tuple(projects),
        description=data.text("description_text"),
        url=data.url("web_url"),
        fingerprint=alert.identity("id", "identifier") or fingerprint(title),
        notes=tuple(hook.notes),
    )
