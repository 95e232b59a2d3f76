"""Whole commands on both engines: what a store on a server costs a command, and of what that is made.

As for start-up, processor time counts, user and system; the time on the clock stands beside it. The server runs on this
machine: what a network adds is its time there and back, times the messages that `python -m bench counts` tells.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.figures import Figure, at_most, note, progress, show
from bench.places import server
from bench.startup import Project, Took

RUNS = 20
BUDGET = 3.0
VERBS = ("log", "list", "show", "status", "create")
PARTS = """
import sys, time
from foureyes.ui.cli.lazy_imports import lighten
lighten()
import foureyes.ui.cli.main, foureyes.bootstrap.wiring, foureyes.adapters.store.shared_store
from foureyes.adapters.store import postgres_driver as driver
def spent(do):
    processor, clock = time.process_time(), time.perf_counter()
    do()
    return (time.process_time() - processor) * 1000, (time.perf_counter() - clock) * 1000
def whole():
    import psycopg
def engine():
    from foureyes.adapters.store.postgres import PostgresEngine
    made.append(PostgresEngine(*sys.argv[2:]))
made = []
print(*spent(whole if sys.argv[1] == "whole" else driver.load), *spent(engine))
"""
"""A process that loads the driver, as it is or as the store does, and enters a store; times of both."""


class Shared(Project):
    """A project whose store is on a server."""

    url = ""

    def environment(self) -> dict[str, str]:
        return super().environment() | ({"FOUREYES_STORE": self.url} if self.url else {})


def made(folder: Path, url: str) -> Shared:
    folder.mkdir()
    kind = type("Placed", (Shared,), {"url": url})
    project: Shared = kind(Path(sys.executable).parent, folder)
    return project


def lines(project: Shared, task: str, number: int) -> dict[str, list[str]]:
    """The command lines of one round."""
    words = {"log": [task, f"line {number}"], "show": [task], "create": [f"Task {number}"]}
    return {verb: [project.fe, verb, *words.get(verb, [])] for verb in VERBS}


def measure(projects: dict[str, Shared]) -> dict[tuple[str, str], list[Took]]:
    """Every command on every engine, in turns; the first round warms the caches."""
    tasks = {name: project.create("The one that is looked at") for name, project in projects.items()}
    times: dict[tuple[str, str], list[Took]] = {(verb, name): [] for verb in VERBS for name in projects}
    for number in range(RUNS + 1):
        for name, project in projects.items():
            for verb, command in lines(project, tasks[name], number).items():
                took = project.time(command)
                if number:
                    times[verb, name].append(took)
        progress(f"round {number} of {RUNS}")
    return times


def figures(times: dict[tuple[str, str], list[Took]]) -> list[Figure]:
    """Each command on a server over the same on a file."""
    found = []
    for verb in VERBS:
        file, there = ([each.processor for each in times[verb, name]] for name in ("SQLite", "PostgreSQL"))
        clocks = [min(each.clock for each in times[verb, name]) for name in ("SQLite", "PostgreSQL")]
        detail = f"{min(file):.0f} → {min(there):.0f} ms; on the clock {clocks[0]:.0f} → {clocks[1]:.0f} ms"
        found.append(at_most(f"`fe {verb}`, PostgreSQL over SQLite", min(there) / min(file), BUDGET, detail))
    return found


def parts(project: Shared) -> list[Figure]:
    """Where it goes: loading the driver, and the way into the store."""
    name = next(line for line in (project.path / "foureyes.toml").read_text().splitlines() if line.startswith("id"))
    store = name.partition("=")[2].strip().strip('"')
    rows: dict[str, list[list[float]]] = {"whole": [], "light": []}
    for _ in range(RUNS):
        for how, taken in rows.items():
            command = [sys.executable, "-c", PARTS, how, project.url, store]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            taken.append([float(word) for word in done.stdout.split()])
    whole, light = (min(row[0] for row in taken) for taken in rows.values())
    entered = statistics.median(row[3] for row in rows["light"])
    return [
        note("of that: psycopg with all that it imports", f"{whole:.0f} ms"),
        note("of that: psycopg as a command loads it", f"{light:.0f} ms"),
        note("of that: connecting, facts and schema, on the clock", f"{entered:.0f} ms"),
    ]


def main() -> int:
    """Measure and print; 1 when a command is over its budget."""
    with server() as url, tempfile.TemporaryDirectory(prefix="foureyes-bench-") as folder:
        projects = {"SQLite": made(Path(folder) / "file", ""), "PostgreSQL": made(Path(folder) / "server", url)}
        found = figures(measure(projects)) + parts(projects["PostgreSQL"])
    title = f"Whole commands, processor time on PostgreSQL over SQLite, least of {RUNS} rounds in turns"
    return show(title, "commands", found)


if __name__ == "__main__":
    sys.exit(main())
