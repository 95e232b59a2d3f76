"""Start-up of the commands that agents call, as a multiple of `python -c pass`, in two environments.

What counts is processor time: user and system, of the command and of every program it starts, as the kernel reports it
when the command ends. What else the machine does hits it far less than it hits the time on the clock, which is shown
beside it. All commands take turns in one run; the smallest of all rounds is compared with the smallest of
`python -c pass`: noise only ever adds.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from bench.figures import Figure, at_most, note, show
from bench.install import NEIGHBOURS, installed

RUNS = 25
FEWEST = 20
BUDGET = 5.4
AIM = 4.5
BASELINE = "python -c pass"

Command = Callable[[int], list[str]]
"""The command line of one round."""


UNBUDGETED = ("fe --help",)
"""People read help; agents do not call it all the time."""


class Took(msgspec.Struct, frozen=True):
    """One run, in milliseconds of the processor and on the clock."""

    processor: float
    clock: float


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

    def time(self, command: list[str]) -> Took:
        """One run of a command that must succeed. What it starts and waits for counts too."""
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=self.path,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        clock = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)}: exit {process.returncode}")
        return Took((usage.ru_utime + usage.ru_stime) * 1000, clock * 1000)


def commands(project: Project, rounds: int) -> dict[str, Command]:
    """What is measured; `fe start` gets a fresh task each time and makes no
    worktree, `fe log` writes to one that is being worked on."""
    fresh = [project.create(f"Task {number}") for number in range(rounds)]
    logged = project.create("The one that is logged to")
    project.run(project.fe, "start", logged, "--here")
    return {
        BASELINE: lambda _: [project.python, "-c", "pass"],
        "fe --help": lambda _: [project.fe, "--help"],
        "fe log": lambda number: [project.fe, "log", logged, f"line {number}"],
        "fe start": lambda number: [project.fe, "start", fresh[number], "--here"],
        "fe list": lambda _: [project.fe, "list"],
        "fe show": lambda _: [project.fe, "show", logged],
        "fe status": lambda _: [project.fe, "status"],
    }


def measure(project: Project, runs: int) -> dict[str, list[Took]]:
    """Times of every command, taken in turns; the first round warms the caches and is not counted."""
    chosen = commands(project, runs + 1)
    times: dict[str, list[Took]] = {name: [] for name in chosen}
    for number in range(runs + 1):
        for name, command in chosen.items():
            took = project.time(command(number))
            if number:
                times[name].append(took)
        if sys.stderr.isatty():
            print(f"\rround {number} of {runs}", end="" if number < runs else "\n", file=sys.stderr, flush=True)
    return times


def figures(times: dict[str, list[Took]], where: str) -> list[Figure]:
    """Each command against the baseline of the same run."""
    least = min(took.processor for took in times[BASELINE])
    least_clock = min(took.clock for took in times[BASELINE])
    found = [note(f"{where}, `{BASELINE}`", "1.0", f"{least:.0f} ms, on the clock {least_clock:.0f} ms")]
    for name, taken in times.items():
        if name == BASELINE:
            continue
        mine, clock = min(took.processor for took in taken), min(took.clock for took in taken)
        detail = f"{mine:.0f} ms; on the clock {clock / least_clock:.1f} ×, {clock:.0f} ms"
        what = f"{where}, `{name}`"
        if name in UNBUDGETED:
            found.append(note(what, f"{mine / least:.2f}", detail))
        else:
            aim = "; at the aim" if mine / least <= AIM else f"; aim {AIM:g}"
            found.append(at_most(what, mine / least, BUDGET, detail + aim))
    return found


PLACES = {"plain": "alone", "crowded": f"beside {' and '.join(NEIGHBOURS)}"}


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 when a command is over its budget."""
    if "claude" not in os.path.basename(sys.argv[0]):
        return as_an_agent(arguments or [])
    parser = argparse.ArgumentParser(prog="python -m bench.startup", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help=f"rounds to measure, at least {FEWEST}")
    parser.add_argument("--place", choices=(*PLACES, "both"), default="both", help="which environment")
    options = parser.parse_args(arguments or [])
    runs = max(FEWEST, options.runs)
    python = f"{platform.python_implementation()} {platform.python_version()}, {platform.system()} {platform.machine()}"
    found: list[Figure] = []
    for place, words in PLACES.items():
        if options.place in (place, "both"):
            programs = installed(place)
            with tempfile.TemporaryDirectory(prefix="foureyes-bench-") as folder:
                found += figures(measure(Project(programs, Path(folder)), runs), words)
    return show(
        f"Start-up, × processor time of `{BASELINE}`, least of {runs} rounds in turns, {python}", "startup", found
    )


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
