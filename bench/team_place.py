"""A project of the simulated team, and one runner in it, whose agents sleep."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from foureyes.adapters.clock import RandomIds, SharedClock
from foureyes.adapters.store.shared_store import open_shared
from foureyes.app.agent_ports import Launch
from foureyes.app.application import Application
from foureyes.app.context import Context
from foureyes.app.runner.background_jobs import AtOnce
from foureyes.app.runner.live_runs import Options
from foureyes.app.runner.loop import Runner
from foureyes.core import events as e
from foureyes.core.nouns.run import RunOutcome
from foureyes.core.runner.steps import Finish
from foureyes.errors import FoureyesError

from bench.crowd import Ready
from bench.places import ADA, NOW
from bench.team_git import ORIGIN, SharedMain, TeamRemote, TeamRepo, TeamWorkshop
from tests.stage.gated import LINT
from tests.stage.playing import Play, PlayedAgents, PlayedRun
from tests.stage.ports import DeskOutside

PREFIX = "team_"
POLICY = f'''
[agents.claude]
slots = 16
{LINT}
[review]
default_mode = "auto-approve"

[git]
remote = "{ORIGIN}"
'''


class Sleeping(PlayedRun):
    """An agent that sleeps for a while, and then is done."""

    until = 0.0

    def poll(self) -> RunOutcome | None:
        return super().poll() if self._stopped or time.monotonic() >= self.until else None

    def due_seconds(self) -> float:
        return max(0.01, self.until - time.monotonic())


class SleepingAgents(PlayedAgents):
    """Agents of one machine; no two sleep equally long, and the first ones are anywhere in their sleep."""

    def __init__(self, repo: TeamRepo, seconds: float, number: int, agents: int) -> None:
        super().__init__(repo)
        self._seconds, self._random, self._first = seconds, Random(number), agents

    def prepare(self, launch: Launch) -> PlayedRun:
        run = Sleeping(launch, Play(), self)
        low, high = (0.0, 1.0) if len(self.launched) < self._first else (0.5, 1.5)
        self.launched.append(launch)
        run.until = time.monotonic() + self._seconds * self._random.uniform(low, high)
        self.alive[launch.run] = run
        return run

    def kept(self) -> list[str]:
        return []


class Place:
    """The store of one project, and the main that its machines share."""

    def __init__(self, url: str, folder: Path, name: str) -> None:
        self.url, self.folder, self.name = url, folder / name, name
        self.folder.mkdir()

    def open(self, number: int = 0, *, create: bool = False) -> tuple[Application, TeamRepo]:
        """As one machine opens it."""
        store = open_shared(str(self.folder), self.url, self.name, NOW, create=create)
        repo = TeamRepo(SharedMain(self.folder / "main"), number)
        repo.files["foureyes.toml"] = f'[project]\nid = "{self.name}"\n{POLICY}'
        shop = TeamWorkshop(repo)
        outside = DeskOutside(lambda: shop)
        outside.own, outside.here = f"proc:machine{number}:ns:{1_000 + number}:1", f"machine{number}:{number:012x}"
        outside.remotes[ORIGIN] = TeamRemote(repo)
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


def measuring() -> Any:
    """When it begins to be measured, for all processes; 0: not yet."""
    return multiprocessing.get_context("fork").Value("d", 0.0)


class Moment:
    """Whether it is measured now, and whether it is over; also if nobody ever says that it begins."""

    def __init__(self, begins: Any, seconds: float, patience: float) -> None:
        self._begins, self._seconds, self._last = begins, seconds, time.monotonic() + patience + seconds

    @property
    def is_on(self) -> bool:
        return bool(self._begins.value) and time.monotonic() >= self._begins.value

    @property
    def is_over(self) -> bool:
        now = time.monotonic()
        return now >= self._last or (self.is_on and now >= self._begins.value + self._seconds)


class Day(msgspec.Struct, frozen=True):
    """What one runner did while it was measured: how long each tick took, in milliseconds, its seconds of processor;
    and what went wrong at any time.
    """

    ticks: Sequence[float]
    cost: float
    errors: Sequence[str]


def is_trouble(line: str) -> bool:
    """Whether a runner tells that something went wrong; that another one was sooner is nothing of that kind (T1)."""
    return "busy" in line or ("not done" in line and "was not reserved" not in line)


def work(place: Place, agents: int, sleep: float, number: int, moment: Moment, ready: Ready) -> Day:
    """One runner, from its begin until it is over for all."""
    app, repo = place.open(number)
    context, errors = app.context, list[str]()
    beacon = context.store.beacon(f"runner {number}")
    starter = msgspec.structs.replace(ADA, host=f"machine{number}")
    begun = app.runs.begin(starter, agents=agents, beacon=beacon.name if beacon else "")
    runner = Runner(
        context, begun.actor, SleepingAgents(repo, sleep, number, agents), AtOnce(context), Options(agents=agents),
        tell=lambda task, line: errors.append(line) if is_trouble(line) else None,
        changes=context.store.changes(), beacon=beacon,
    )  # fmt: skip
    ready()
    ticks, cost = list[float](), 0.0
    while not moment.is_over:
        began, used, counts = time.perf_counter(), time.process_time(), moment.is_on
        try:
            last = runner.tick()
        except FoureyesError as problem:
            errors.append(problem.message)
            break
        ticks += [(time.perf_counter() - began) * 1000] if counts else []
        if isinstance(last, Finish):
            break
        if last is not None:
            runner._wait(last)
        cost += time.process_time() - used if counts else 0.0
    ready()  # nobody sees another one go
    return Day(ticks, cost, errors)
