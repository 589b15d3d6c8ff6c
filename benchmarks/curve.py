"""Accuracy against the deadline, for the wafer-scale tier and the GPU tier beside it.

    python benchmarks/curve.py [CASES] [--every N] [--deadlines 1,2,5,10,30,60] [-o FOLDER]

Without CASES the recorded incidents of this repository. Reports are paced (`--pace real`): tokens come at the tier's
speed and the tools' own time is charged. Prints a markdown table and writes `curve.svg`. `--every N` takes each Nth
case, `--quick` two deadlines. No goal: the curve shows what speed is worth.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from fastagent.evaluation.cases import Case, expected_of, find_cases, read_report
from fastagent.evaluation.judging import judge
from fastagent.evaluation.measures import Share

OWN = Path(__file__).parents[1] / "examples" / "incidents"
FASTAGENT = Path(sys.executable).with_name("fastagent")
TIERS = ("ultrafast", "default")
COLOURS = {"ultrafast": "#d9480f", "default": "#1864ab"}
WIDTH, HEIGHT, EDGE = 640, 360, 48
Points = Mapping[float, Share]


def measured(cases: Sequence[Case], tier: str, deadline_s: float, folder: Path, jobs: int) -> Share:
    """How many answers of a deadline are right."""
    reports = folder / f"{tier}-{deadline_s:g}s"
    with tempfile.TemporaryDirectory() as chosen:
        for case in cases:
            Path(chosen, case.id).symlink_to(case.bundle.parent.resolve())
        command = [str(FASTAGENT), "eval", chosen, "-o", str(reports), "--tier", tier, "--sla", f"{deadline_s:g}s"]
        subprocess.run([*command, "--pace", "real", "-j", str(jobs)], check=False, stdout=subprocess.DEVNULL)
    judged = [judge(read_report(reports / f"{c.id}.json") or {}, expected_of(c)).right for c in cases]
    asked = [right for right in judged if right is not None]
    return Share(sum(asked), len(asked))


def svg(curves: Mapping[str, Points]) -> str:
    """The curves, deadlines on a logarithmic scale; the bars are 95 % intervals."""
    deadlines = sorted({d for points in curves.values() for d in points})
    place = {d: EDGE + i * (WIDTH - 2 * EDGE) / max(1, len(deadlines) - 1) for i, d in enumerate(deadlines)}
    parts = [f'<text x="{x:.0f}" y="{HEIGHT - 12}" text-anchor="middle">{d:g} s</text>' for d, x in place.items()]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(f'<line x1="{EDGE}" x2="{WIDTH - EDGE}" y1="{_y(share)}" y2="{_y(share)}" stroke="#8884"/>')
        parts.append(f'<text x="{EDGE - 8}" y="{_y(share) + 4}" text-anchor="end">{share:.2f}</text>')
    for number, (tier, points) in enumerate(curves.items()):
        line = " ".join(f"{place[d]:.0f},{_y(s.value)}" for d, s in sorted(points.items()))
        colour = COLOURS.get(tier, "#495057")
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        parts += [_bar(place[d], share, colour) for d, share in points.items()]
        parts.append(
            f'<text x="{WIDTH - EDGE}" y="{HEIGHT - 60 - 18 * number}" text-anchor="end" fill="{colour}">{tier}</text>'
        )
    style = "<style>text { font: 12px system-ui, sans-serif; fill: currentColor }</style>"
    box = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
    return f"<svg {box}><title>Share of right answers by deadline</title>{style}{''.join(parts)}</svg>\n"


def _bar(x: float, share: Share, colour: str) -> str:
    low, high = share.interval
    dot = f'<circle cx="{x:.0f}" cy="{_y(share.value)}" r="3.5" fill="{colour}"/>'
    return f'<line x1="{x:.0f}" x2="{x:.0f}" y1="{_y(low)}" y2="{_y(high)}" stroke="{colour}" opacity=".4"/>{dot}'


def _y(share: float) -> int:
    return round(HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE))


def main() -> None:
    """Measure every deadline and tier, print and draw."""
    parser = argparse.ArgumentParser(description="Accuracy against the deadline.")
    parser.add_argument("cases", nargs="?", type=Path, default=OWN)
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--deadlines", default="1,2,5,10,30,60")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=Path("out/curve"))
    args = parser.parse_args()
    cases = find_cases(args.cases)[:: args.every]
    deadlines = [2.0, 10.0] if args.quick else [float(d) for d in args.deadlines.split(",")]
    args.output.mkdir(parents=True, exist_ok=True)
    curves = {t: {d: measured(cases, t, d, args.output, args.jobs) for d in deadlines} for t in TIERS}
    print(f"{len(cases)} cases; right answers by deadline\n\n| deadline | {' | '.join(TIERS)} |\n|---|---|---|")
    for deadline in deadlines:
        print(f"| {deadline:g} s | {' | '.join(str(curves[t][deadline]) for t in TIERS)} |")
    (args.output / "curve.svg").write_text(svg(curves), encoding="utf-8")
    print(f"\n{args.output / 'curve.svg'}")


if __name__ == "__main__":
    main()
