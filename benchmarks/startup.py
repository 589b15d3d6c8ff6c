"""What a person waits for before anything happens: the commands' help, against an empty Python process.

    python benchmarks/startup.py [--quick] [-o FILE]

Goal: `--help` under 200 ms, best of several runs. The ratio to `python -c pass` in the same run tells a slow machine
from a slow program.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

GOAL_S = 0.2
BIN = Path(sys.executable).parent
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "fastagent --help": [str(BIN / "fastagent"), "--help"],
    "wafer --help": [str(BIN / "wafer"), "--help"],
}


def best_s(command: list[str], runs: int) -> float:
    """The shortest of several runs, in seconds."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - began)
    return min(times)


def main() -> None:
    """Measure, print, write, and exit 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description="Start-up of the commands.")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    measured = {name: best_s(command, 5 if args.quick else 20) for name, command in COMMANDS.items()}
    empty_s = measured["python -c pass"]
    print(f"{'command':20} {'best':>8} {'goal':>8} {'x empty':>8}")
    for name, seconds in measured.items():
        print(f"{name:20} {seconds * 1000:5.0f} ms {GOAL_S * 1000:5.0f} ms {seconds / empty_s:8.1f}")
    if args.output:
        args.output.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    sys.exit(any(seconds > GOAL_S for seconds in measured.values()))


if __name__ == "__main__":
    main()
