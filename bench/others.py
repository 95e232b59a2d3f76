"""The same everyday operations with `td` and `bd`, if they are on the PATH, side by side with `fe` in one run.

Every operation is one process, as an agent starts it, in a repository and a home of its own. What is compared is the
time from start to end; a ratio above 1 means that the other program takes longer. Neither of the others keeps a
verifiable journal or asks who the caller is: it is a comparison of waiting times, not of what one gets for them.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from bench.figures import Figure, note, progress, show
from bench.install import installed

RUNS = 15
SIZES = (1_000,)
WRITERS = 16
LINES = 10
ID = re.compile(r"\b(?:td|bd|fe)-[0-9a-z]+(?:\.[0-9]+)?\b")
OPERATIONS = ("create", "start", "log", "list", "ready")


class Tool(msgspec.Struct, frozen=True):
    """How a program says it. `{}` is the task's id."""

    name: str
    init: tuple[str, ...]
    create: tuple[str, ...]
    start: tuple[str, ...]
    log: tuple[str, ...]
    list: tuple[str, ...] = ("list",)
    ready: tuple[str, ...] = ("ready",)

    def words(self, operation: str, task: str = "") -> Sequence[str]:
        """The arguments of an operation."""
        return [word.replace("{}", task) for word in getattr(self, operation)]


TITLE = "Read the header of every block again"
LINE = "the third case is the one that fails"
FE = Tool("fe", ("init",), ("create", TITLE), ("start", "{}", "--here"), ("log", "{}", LINE))
OTHERS = (
    Tool("td", ("init",), ("create", TITLE), ("start", "{}"), ("log", "{}", LINE)),
    Tool(
        "bd",
        ("init", "--prefix", "bd"),
        ("create", TITLE),
        ("update", "{}", "--claim"),
        ("comments", "add", "{}", LINE),
    ),
)


class Failed(Exception):
    """A program did not do what it was asked."""


class Yard:
    """A repository in which one program keeps its tasks."""

    def __init__(self, tool: Tool, program: str, folder: Path) -> None:
        self.tool = tool
        self.program = program
        self.home = folder / "home"
        self.path = folder / "project"
        self.home.mkdir(parents=True)
        self.path.mkdir()
        self.run("git", "init", "-q", "-b", "main")
        self.run("git", "commit", "-q", "--allow-empty", "-m", "first")
        self.do("init")

    def run(self, *command: str) -> str:
        who = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"}
        who |= {key.replace("AUTHOR", "COMMITTER"): value for key, value in who.items()}
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LC_ALL": "C.UTF-8", **who}
        done = subprocess.run(
            command,
            cwd=self.path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        if done.returncode:
            raise Failed(
                f"{os.path.basename(command[0])} {' '.join(command[1:3])}: exit {done.returncode}: "
                f"{done.stderr.strip()[:200]}"
            )
        return done.stdout

    def do(self, operation: str, task: str = "") -> str:
        return self.run(self.program, *self.tool.words(operation, task))

    def create(self) -> str:
        found = ID.search(self.do("create"))
        if found is None:
            raise Failed(f"{self.tool.name} create said no id")
        return found.group()

    def fill(self, count: int) -> None:
        """Create tasks the way everybody must: one after the other."""
        for _ in range(count):
            self.create()

    def timed(self, operation: str, task: str) -> float:
        start = time.perf_counter()
        self.do(operation, task)
        return (time.perf_counter() - start) * 1000


def times(yards: list[Yard], runs: int) -> dict[str, dict[str, list[float]]]:
    """Milliseconds per operation and program; the programs take turns."""
    found: dict[str, dict[str, list[float]]] = {name: {yard.tool.name: [] for yard in yards} for name in OPERATIONS}
    for _ in range(runs):
        for yard in yards:
            task = yard.create()
            for name in OPERATIONS:
                found[name][yard.tool.name].append(yard.timed(name, task))
    return found


def crowded(yard: Yard) -> tuple[float, int]:
    """Seconds for many writers that log at the same time, and how many calls failed."""
    tasks = [yard.create() for _ in range(WRITERS)]

    def write(task: str) -> int:
        failed = 0
        for _ in range(LINES):
            try:
                yard.do("log", task)
            except (Failed, subprocess.TimeoutExpired):
                failed += 1
        return failed

    start = time.perf_counter()
    with ThreadPoolExecutor(WRITERS) as pool:
        failed = sum(pool.map(write, tasks))
    return time.perf_counter() - start, failed


def compare(yards: list[Yard], size: int, runs: int) -> list[Figure]:
    """Every other program over ours."""
    measured = times(yards, runs)
    figures = []
    for name, by_tool in measured.items():
        ours = statistics.median(by_tool["fe"])
        for tool, taken in by_tool.items():
            if tool != "fe":
                theirs = statistics.median(taken)
                figures.append(
                    note(
                        f"{tool} {name} over fe {name}, {size:,} tasks",
                        f"{theirs / ours:.2f}",
                        f"{theirs:.0f} ms, fe {ours:.0f} ms",
                    )
                )
    progress(f"{WRITERS} writers at once")
    together = {yard.tool.name: crowded(yard) for yard in yards}
    took, failures = together["fe"]
    for tool, (seconds, failed) in together.items():
        if tool != "fe":
            detail = f"{seconds:.1f} s and {failed} failed calls, fe {took:.1f} s and {failures}"
            figures.append(
                note(f"{tool} over fe, {WRITERS} writers at once, {size:,} tasks", f"{seconds / took:.2f}", detail)
            )
    return figures


def main(arguments: list[str] | None = None) -> int:
    """Measure and print. There is no budget: 0 also when none of the programs is there."""
    present = [tool for tool in OTHERS if shutil.which(tool.name)]
    if not present:
        print(
            "\nOther programs: neither `td` nor `bd` is on the PATH, so nothing was compared "
            "(go install github.com/marcus/td@latest)"
        )
        return 0
    if "claude" not in os.path.basename(sys.argv[0]):
        return as_an_agent(arguments or [])
    parser = argparse.ArgumentParser(prog="python -m bench.others", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument(
        "--tasks", type=int, nargs="+", default=SIZES, help="sizes, rising; every program needs minutes to create 10000"
    )
    options = parser.parse_args(arguments or [])
    figures: list[Figure] = []
    fe = str(installed() / "fe")
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-") as folder:
        yards = []
        for tool in (FE, *present):
            try:
                yards.append(Yard(tool, fe if tool is FE else str(shutil.which(tool.name)), Path(folder) / tool.name))
            except Failed as problem:
                figures.append(note(f"{tool.name}", "could not be measured", str(problem)))
        filled = 0
        for size in options.tasks:
            progress(f"creating {size - filled:,} tasks with each of {', '.join(yard.tool.name for yard in yards)}")
            for yard in yards:
                yard.fill(size - filled)
            filled = size
            figures += compare(yards, size, options.runs)
    return show("Other programs over fe (above 1: the other one takes longer)", "others", figures)


def as_an_agent(arguments: list[str]) -> int:
    """Below a process that Foureyes takes for an agent: `fe start` is not for services (I5)."""
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-") as folder:
        script = Path(folder) / "claude"
        script.write_text("import sys\nfrom bench.others import main\nsys.exit(main(sys.argv[1:]))\n", encoding="utf-8")
        root = str(Path(__file__).resolve().parent.parent)
        done = subprocess.run(
            [sys.executable, str(script), *arguments], env={**os.environ, "PYTHONPATH": root}, check=False
        )
        return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
