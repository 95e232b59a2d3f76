"""Start-up of the commands that agents call, as a multiple of `python -c pass`.

All commands take turns in one run, so that whatever else the machine does hits each of them alike.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from bench.install import installed

RUNS = 25
FEWEST = 20
BUDGET = 7.0
AIM = 5.0
BASELINE = "python -c pass"

Command = Callable[[int], list[str]]
"""The command line of one round."""


class Row(msgspec.Struct, frozen=True):
    """One measured command: median and middle half in milliseconds, ratio to the baseline."""

    name: str
    median: float
    low: float
    high: float
    ratio: float


class Project:
    """A git repository with a Foureyes project, in a temporary directory."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.fe = str(programs / "fe")
        self.python = str(programs / "python")
        self.path = folder / "project"
        self.home = folder / "home"
        self.path.mkdir()
        self.home.mkdir()
        self.git("init", "-q", "-b", "main")
        self.git("commit", "-q", "--allow-empty", "-m", "first")
        self.run(self.fe, "init")

    def environment(self) -> dict[str, str]:
        who = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"}
        who |= {key.replace("AUTHOR", "COMMITTER"): value for key, value in who.items()}
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), "LC_ALL": "C.UTF-8", **who}

    def run(self, *command: str) -> str:
        done = subprocess.run(
            command,
            cwd=self.path,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def git(self, *arguments: str) -> None:
        self.run("git", *arguments)

    def create(self, title: str) -> str:
        """A new task; its id."""
        return str(msgspec.json.decode(self.run(self.fe, "create", title, "--json"))["task"])

    def time(self, command: list[str]) -> float:
        """Milliseconds from start to end of a command that must succeed."""
        start = time.perf_counter()
        self.run(*command)
        return (time.perf_counter() - start) * 1000


def commands(project: Project, rounds: int) -> dict[str, Command]:
    """What is measured; `fe start` gets a fresh task each time, `fe log` writes to one that is being worked on."""
    fresh = [project.create(f"Task {number}") for number in range(rounds)]
    logged = project.create("The one that is logged to")
    project.run(project.fe, "start", logged)
    return {
        BASELINE: lambda _: [project.python, "-c", "pass"],
        "fe --help": lambda _: [project.fe, "--help"],
        "fe log": lambda number: [project.fe, "log", logged, f"line {number}"],
        "fe start": lambda number: [project.fe, "start", fresh[number]],
        "fe list": lambda _: [project.fe, "list"],
    }


def measure(project: Project, runs: int) -> dict[str, list[float]]:
    """Times of every command, taken in turns; the first round warms the caches and is not counted."""
    chosen = commands(project, runs + 1)
    times: dict[str, list[float]] = {name: [] for name in chosen}
    for number in range(runs + 1):
        for name, command in chosen.items():
            took = project.time(command(number))
            if number:
                times[name].append(took)
        if sys.stderr.isatty():
            print(f"\rround {number} of {runs}", end="" if number < runs else "\n", file=sys.stderr, flush=True)
    return times


def rows(times: dict[str, list[float]]) -> list[Row]:
    """The figures: each command against the median of the baseline of the same run."""
    baseline = statistics.median(times[BASELINE])
    found = []
    for name, taken in times.items():
        low, median, high = statistics.quantiles(taken, n=4)
        found.append(Row(name, median, low, high, median / baseline))
    return found


def report(found: list[Row], runs: int, python: str) -> str:
    """The table as docs/performance.md shows it."""
    lines = [
        f"Start-up, median of {runs} interleaved runs with {python}",
        "",
        "| command | × `python -c pass` | budget | aim | median | middle half |",
        "|---|---|---|---|---|---|",
    ]
    for row in found:
        limits = "– | –" if row.name == BASELINE else f"{BUDGET:g} | {AIM:g}"
        spread = f"{row.low:.0f}–{row.high:.0f} ms"
        lines.append(f"| `{row.name}` | {row.ratio:.1f} | {limits} | {row.median:.0f} ms | {spread} |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 when a command is over its budget."""
    if "claude" not in os.path.basename(sys.argv[0]):
        return as_an_agent(arguments or [])
    parser = argparse.ArgumentParser(prog="python -m bench.startup", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help=f"rounds to measure, at least {FEWEST}")
    runs = max(FEWEST, parser.parse_args(arguments or []).runs)
    programs = installed()
    python = f"{platform.python_implementation()} {platform.python_version()}, {platform.system()} {platform.machine()}"
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-") as folder:
        found = rows(measure(Project(programs, Path(folder)), runs))
    print(report(found, runs, f"{python} (.venv-bench/bin/python)"))
    over = [row.name for row in found if row.name != BASELINE and row.ratio > BUDGET]
    if over:
        print(f"over budget: {', '.join(over)}", file=sys.stderr)
    return int(bool(over))


def as_an_agent(arguments: list[str]) -> int:
    """Measure below a process that Foureyes takes for an agent: `fe start` is not for services (I5)."""
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-") as folder:
        script = Path(folder) / "claude"
        script.write_text("import sys\nfrom bench.startup import main\nsys.exit(main(sys.argv[1:]))\n")
        root = str(Path(__file__).resolve().parent.parent)
        return subprocess.run(
            [sys.executable, str(script), *arguments], env={**os.environ, "PYTHONPATH": root}, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
