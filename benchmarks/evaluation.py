"""How often the agent is right, how surely and how fast, on recorded incidents.

    python benchmarks/evaluation.py [CASES] [--sla 10s] [--pace real] [--scorer SCORE.PY] [--aliases FILE] [-o FOLDER]

Without CASES the recorded incidents of this repository. Six runs over the same cases: as they are, with the services'
names exchanged, without the sources that the first run cited, and without playbooks, call graph and traces. `--scorer`
is a script that is called as `SCORE.PY CASES REPORTS [--aliases FILE]` and prints its own table. `--quick` is one run.
Exit status 1 where a goal of issue and docs/evaluation.md is missed: every case answered, quotes verbatim, wall p95
within the deadline.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from fastagent.cli import options
from fastagent.evaluation.cases import Case, expected_of, find_cases, read_report
from fastagent.evaluation.comparison import Comparison, Pair, compare
from fastagent.evaluation.judging import judge
from fastagent.evaluation.measures import Summary, summary

OWN = Path(__file__).parents[1] / "examples" / "incidents"
FASTAGENT = Path(sys.executable).with_name("fastagent")
RUNS = {
    "names exchanged": ["--relabel"],
    "cited sources removed": ["--uncited"],
    "without playbooks": ["--ablate", "playbooks"],
    "without call graph": ["--ablate", "topology"],
    "without traces": ["--ablate", "traces"],
    "without evidence": ["--ablate", "evidence"],
}


def investigate(args: argparse.Namespace, folder: Path, *more: str) -> None:
    """One run over all cases; a run that was broken off is continued."""
    command = [str(FASTAGENT), "eval", str(args.cases), "-o", str(folder), "--sla", args.sla, "--pace", args.pace]
    done = subprocess.run([*command, "--jobs", str(args.jobs), *more], check=False, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 1):
        sys.exit(done.returncode)


def answers(cases: list[Case], folder: Path) -> Summary:
    """What a folder of reports amounts to."""
    reports = [(read_report(folder / f"{c.id}.json") or {"status": "failed"}, expected_of(c)) for c in cases]
    return summary([(r, judge(r, e)) for r, e in reports])


def against(cases: list[Case], before: Path, now: Path) -> Comparison:
    """What differs between two folders of reports."""
    pairs = []
    for case in cases:
        first, second = (read_report(folder / f"{case.id}.json") or {} for folder in (before, now))
        expected = expected_of(case)
        pairs.append(Pair(case.id, first, second, judge(first, expected).right, judge(second, expected).right))
    return compare(pairs)


def table(found: Summary) -> list[str]:
    """The first run as rows of a markdown table."""
    rows = [f"| {part} right | {share} |" for part, share in found.parts.items()]
    rows += [f"| {verdict}: right | {share} |" for verdict, share in found.verdicts.items()]
    rows += [
        f"| surely wrong | {found.surely_wrong} |",
        f"| answered | {found.answered} |",
        f"| quotes verbatim | {found.quotes} |",
        f"| wall p50, p95 | {found.wall_p50_s:.2f} s, {found.wall_p95_s:.2f} s |",
    ]
    return ["| measure | share, with 95 % interval |", "|---|---|", *rows]


def main() -> None:
    """Run, print tables, and exit 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description="Accuracy, calibration and latency on recorded incidents.")
    parser.add_argument("cases", nargs="?", type=Path, default=OWN)
    parser.add_argument("--sla", default="10s")
    parser.add_argument("--pace", default="real", choices=["real", "none"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--scorer", type=Path)
    parser.add_argument("--aliases", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=Path("out/evaluation"))
    args = parser.parse_args()
    cases = find_cases(args.cases)
    plain = args.output / "plain"
    investigate(args, plain)
    found = answers(cases, plain)
    print(f"{len(cases)} cases, --sla {args.sla} --pace {args.pace}\n", *table(found), sep="\n")
    if not args.quick:
        print("\n| the same cases | right (component) | same verdict | less sure or another |\n|---|---|---|---|")
        for name, options_ in RUNS.items():
            folder = args.output / name.replace(" ", "-")
            investigate(args, folder, *options_, "--compare", str(plain))
            changed, part = against(cases, plain, folder), answers(cases, folder).parts.get("component")
            print(f"| {name} | {part or '–'} | {changed.same} | {changed.weaker} |")
    if args.scorer:
        aliases = ["--aliases", str(args.aliases)] if args.aliases else []
        subprocess.run([sys.executable, str(args.scorer), str(args.cases), str(plain), *aliases], check=True)
    late = found.wall_p95_s > options.seconds(args.sla)
    sys.exit(late or found.answered.value < 1 or found.quotes.value < 1)


if __name__ == "__main__":
    main()
