"""The runner: one look and its plan over 10,000 live tasks, over the same at 1,000; what a run costs over its program;
fifty agents that wait; a command of a run by its socket, over the same by the store; a tool over MCP, over the verb.

Both stores take turns. Of ten tasks one waits in review, of twenty one was sent back. The runner begins nothing: what a
look costs must not hang on how many tasks there are. Runs are those of the adapter, below their reapers.
"""

from __future__ import annotations

import argparse
import os
import resource
import select
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from foureyes.adapters.agents.live_run import LiveProgram
from foureyes.adapters.agents.programs import AgentPrograms
from foureyes.adapters.clock import RandomIds, SystemClock
from foureyes.adapters.git.client.locate import Located
from foureyes.adapters.identity.alive import of
from foureyes.adapters.store.store_files import create_store
from foureyes.app.agent_ports import Launch
from foureyes.app.application import Application
from foureyes.app.context import Context
from foureyes.app.runner.live_runs import Options, RunnerMemory
from foureyes.app.runner.snapshot import SnapshotReader
from foureyes.bootstrap.run_server import RunDoors
from foureyes.core import events as e
from foureyes.core.events.decision import RedoRequested
from foureyes.core.nouns.run import RunId
from foureyes.core.rules.policy import Profile
from foureyes.core.runner.plan import plan
from foureyes.core.words.ids import TaskId

from bench.figures import Figure, at_most, note, progress, show
from bench.loop import MAKER, REVIEWER, Writer, attempt, milliseconds
from bench.places import ADA, NOW, desk, server
from bench.reached import by_mcp, ratios
from tests.stage.gated import LINT
from tests.stage.playing import PlayedAgents, PlayedRepo, PlayedWorkshop
from tests.stage.ports import DeskOutside
from tests.stage.scripted_git import sha

SMALL, LARGE = 1_000, 10_000
BUDGET = 2.0
REACHED = {"SQLite": 1.0, "PostgreSQL": 0.6}
"""A command of a run that asks its runner, over one that opens the store itself."""
RUNS = 20
WAITING = 50
SECONDS = 5.0
PROJECT = "0123456789abcdef"


class Watched:
    """A project of so many live tasks, and a runner's look at it."""

    def __init__(self, folder: Path, tasks: int) -> None:
        progress(f"a store of {tasks:,} live tasks")
        folder.mkdir()
        store = create_store(str(folder), PROJECT, NOW)
        repo = PlayedRepo()
        shop = PlayedWorkshop(repo)
        context = Context(store, lambda: repo, SystemClock(), RandomIds(), {}, outside=DeskOutside(lambda: shop))
        self.app = Application(context)
        self.app.projects.create(ADA, "bench", "fe", "main")
        repo.files["foureyes.toml"] = f'[project]\nid = "{PROJECT}"\n{LINT}'
        self.app.policy.accept(ADA)
        fill(self.app, tasks)
        runner = self.app.runs.begin(ADA, agents=3).actor
        self.looking = SnapshotReader(context, runner, PlayedAgents(repo))
        self.desk = RunnerMemory(Options(agents=3))
        while self.looking.read(self.desk).more:  # every attempt in review is looked at once after the start
            continue

    def tick(self) -> object:
        return plan(self.looking.read(self.desk))


def fill(app: Application, tasks: int) -> None:
    writer = Writer(app)
    with app.context.store.write() as tx:
        for n in range(tasks):
            task = TaskId(f"fe-{n}")
            writer.tell(tx, MAKER.session, task, e.TaskCreated(title=f"work on {task}"))
            if n % 10 and n % 20 != 5:
                continue
            writer.tell(tx, MAKER.session, task, e.TaskStarted(target_head=sha("main")), attempt(task, 1))
            if n % 20 == 5:
                writer.tell(tx, REVIEWER.session, task, RedoRequested(iteration=1, feedback="once more"))


def launched(agents: AgentPrograms, folder: Path, number: int, command: str) -> LiveProgram:
    launch = Launch(
        run=RunId(f"run-{number}"),
        profile_name="sh",
        profile=Profile("/bin/sh", adapter="text", args=("-c", command)),
        role="implement",
        purpose="implement",
        worktree=str(folder),
        prompt="work",
        token="secret",
        task=f"fe-{number}",
    )
    return agents.prepare(launch)


def ended(live: LiveProgram) -> None:
    while live.poll() is None:
        select.select([live], [], [], live.due_seconds())


def overhead(folder: Path) -> tuple[float, float]:
    """Milliseconds of a program by itself, and as a run."""
    agents = AgentPrograms(str(folder), dict(os.environ), evidence=of)
    bare, runs = [], []
    for number in range(RUNS):
        start = time.perf_counter()
        subprocess.run(["/bin/sh", "-c", "true"], check=True)
        bare.append(time.perf_counter() - start)
        start = time.perf_counter()
        live = launched(agents, folder, number, "true")
        live.go()
        ended(live)
        runs.append(time.perf_counter() - start)
    return statistics.median(bare) * 1000, statistics.median(runs) * 1000


def waiting(folder: Path) -> float:
    """The share of a processor that fifty agents cost which only wait, with their sockets: ours, and their reapers'."""
    answers = RunDoors(Located(*[str(folder)] * 4), {})
    agents = AgentPrograms(str(folder), dict(os.environ), evidence=of, doors=answers)
    lives = [launched(agents, folder, 1_000 + number, "sleep 600") for number in range(WAITING)]
    for live in lives:
        live.go()
    reapers = [int(live.process.split(":")[3]) for live in lives]
    before = spent(reapers)
    end = time.monotonic() + SECONDS
    while (left := end - time.monotonic()) > 0:
        for live in lives:
            live.poll()
        select.select(lives, [], [], min(left, *(live.due_seconds() for live in lives)))
    cost = (spent(reapers) - before) / SECONDS
    for live in lives:
        live.stop("measured")
    for live in lives:
        ended(live)
    return cost


def spent(pids: Sequence[int]) -> float:
    """Seconds of processor that this process and these have used."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return own.ru_utime + own.ru_stime + ticks / os.sysconf("SC_CLK_TCK")


def measure(folder: Path) -> list[Figure]:
    small, large = Watched(folder / "small", SMALL), Watched(folder / "large", LARGE)
    few, many = milliseconds([small.tick, large.tick])
    detail = f"{many:.2f} ms at {LARGE:,} live tasks, {few:.2f} ms at {SMALL:,}"
    figures = [at_most("one look and its plan", many / few, BUDGET, detail)]
    progress("runs of a program that does nothing")
    place = folder / "runs"
    place.mkdir()
    bare, run = overhead(place)
    figures.append(
        note("a run over its program", f"{run - bare:.0f} ms", f"{run:.1f} ms, the program alone {bare:.1f}")
    )
    progress(f"{WAITING} agents that wait")
    figures.append(at_most(f"{WAITING} agents that wait, of one processor", waiting(place), 0.05))
    progress("commands of a run, by its socket and without")
    with server() as url:
        for engine, address in (("SQLite", ""), ("PostgreSQL", url)):
            for command, (quick, slow) in ratios(folder / engine, address).items():
                detail = f"{quick:.0f} ms by its socket, {slow:.0f} by the store"
                figures.append(at_most(f"fe {command} of a run, {engine}", quick / slow, REACHED[engine], detail))
    tool, verb = by_mcp(folder / "mcp")
    detail = f"{tool:.1f} ms by the SDK's client, {verb:.1f} ms the verb, each with its store opened"
    figures.append(note("task_show over MCP, over the verb", f"{tool / verb:.2f}", detail))
    return figures


def main(argv: Sequence[str] = ()) -> int:
    argparse.ArgumentParser(description=__doc__).parse_args(list(argv))
    with desk() as folder:
        return show("The runner", "run", measure(folder))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
