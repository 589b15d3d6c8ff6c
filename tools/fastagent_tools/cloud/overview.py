"""The tool `cloud_overview`: what a provider's own records say, in one look."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fastagent.bundle import MAX_JSON_BYTES, Bundle, BundleFile
from fastagent.state import Finding, Gap, Observation, Source
from fastagent.toolbox import Scope, tool
from fastagent_tools.cloud.anything import judge_anything
from fastagent_tools.cloud.document import Around, Document, read_document, seconds
from fastagent_tools.cloud.readers import READERS
from fastagent_tools.kubernetes.api import cluster_of
from fastagent_tools.kubernetes.model import Cluster
from fastagent_tools.text.citation import merged
from fastagent_tools.text.fields import text
from fastagent_tools.text.quote import shorten

MAX_ALARMS, MAX_CALM = 14, 9
_ORDER = [f"cloud.healthy.{n}" for n in ("pods", "deployments", "recovered", "metrics", "nodes", "monitors", "logs")]


@tool(expect_s=0.1, opening={})
def cloud_overview(scope: Scope) -> Observation:
    """What the cloud's own records say (metrics, events, objects, logs, monitors): faults, and what is well."""
    files = scope.bundle.of_part("cloud") if scope.bundle else ()
    if not scope.bundle or not files:
        return Observation("No cloud records here.")
    documents, gaps = _documents(scope.bundle, files, scope)
    around = _around(documents, scope.incident.started_at)
    found = merged([f for d in documents for f in _judge(d, around)])
    alarms = [f for f in found if f.severity != "info"]
    calm = [f for f in found if f.severity == "info"]
    if not alarms:
        calm = [*_nothing_wrong(documents, calm), *calm]
    shown = (*alarms[:MAX_ALARMS], *calm[:MAX_CALM])
    left = len(found) - len(shown)
    return Observation(
        summary=shorten(_summary(documents, alarms, calm), 400),
        findings=shown,
        left_out=f"{left} findings of lower rank" if left > 0 else "",
        examined=len(documents),
        gaps=gaps,
        source=Source(file=files[0].path),
    )


def _documents(bundle: Bundle, files: Sequence[BundleFile], scope: Scope) -> tuple[list[Document], tuple[Gap, ...]]:
    """The files that are JSON; the others become gaps, as do those for which no time is left."""
    found, gaps = [], []
    for file in files:
        if file.size_bytes > MAX_JSON_BYTES:
            gaps.append(Gap(file.path, "too_large"))
        elif scope.left_s() <= 0:
            gaps.append(Gap(file.path, "timeout"))
        else:
            document = read_document(bundle, file.path)
            found += [document] if document else []
            gaps += [] if document else [Gap(file.path, "unreadable")]
    return found, tuple(gaps)


def _around(documents: Sequence[Document], started_at: str | None) -> Around:
    cluster = Cluster()
    for document in documents:
        cluster.add(cluster_of(document.value))
    starts = [seconds(text(d.value, "start_time", "StartTime")) for d in documents]
    known = [s for s in (seconds(started_at or ""), *starts) if s is not None]
    return Around(documents, cluster, known[0] if known else None)


def _judge(document: Document, around: Around) -> Iterator[Finding]:
    """The findings of all readers; where none knows the form, of the one that walks through anything."""
    found = [f for read in READERS for f in read(document, around)]
    yield from found or judge_anything(document, around)


def _nothing_wrong(documents: Sequence[Document], calm: Sequence[Finding]) -> list[Finding]:
    """Said once, with what it rests on; only where something was found to be well."""
    well = sorted((f for f in calm if f.kind.startswith("cloud.healthy")), key=lambda f: _ORDER.index(f.kind))
    past = [f for f in calm if f.kind.startswith("k8s.")]
    if not well:
        return []
    told = [f.statement for f in well[:3]] + [f"over: {f.statement}" for f in past[:1]]
    said = shorten(f"no failure in {len(documents)} cloud records: {'; '.join(told)}", 480)
    reason = "no record is alarming, and these are well"
    return [replace(well[0], kind="cloud.healthy.all", statement=said, score=0.6, reason=reason, time=None)]


def _summary(documents: Sequence[Document], alarms: Sequence[Finding], calm: Sequence[Finding]) -> str:
    files = f"{len(documents)} cloud record{'s' * (len(documents) != 1)}"
    first = next(iter((*alarms, *calm)), None)
    if first is None:
        return f"{files}: nothing in them speaks of a fault."
    return f"{files}, {len(alarms)} alarming findings. {'First: ' if alarms else ''}{first.statement}"
