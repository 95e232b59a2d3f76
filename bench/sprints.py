"""A sprint at size: a thousand tasks planned, looked at and stepped over by a runner's question, beside a hundred.

The plan says for each task how long it will take, from five hundred past ones, how it will be reviewed, and what it
waits for. It has a second; what a task of it costs must not grow with their number.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence

from foureyes.app.application import Application
from foureyes.app.context import IdRow
from foureyes.app.results.sprint import SprintAsk
from foureyes.app.tasks.sprint_records import active, now_of
from foureyes.core import events as e
from foureyes.core.events.decision import AttemptSubmitted
from foureyes.core.words.ids import TaskId

from bench.figures import Figure, at_most, note, progress, show
from bench.loop import attempt
from bench.places import ADA, SqlitePlace, agent, desk
from tests.stage.scripted_git import sha

MAKER = agent("maker")
FEW, MANY, PAST = 100, 1_000, 500
SECOND = 1_000.0
REPEATS = 5
LABELS = (("api",), ("docs",), ("security",), ("ux", "api"), ())


def fill(app: Application, tasks: int) -> None:
    """So many tasks that are ready, every fifth behind the one before it, and five hundred that were submitted."""
    with app.context.store.write() as tx:
        for number in range(PAST):
            task = TaskId(f"fe-old{number}")
            created = e.TaskCreated(title=f"old {number}", labels=LABELS[number % 5])
            submitted: AttemptSubmitted = attempt(task, 1)
            started = e.TaskStarted(target_head=sha("main"))
            tx.append(MAKER.session, "2026-03-01T12:00:00.000Z", [(task, created), (task, started), (task, submitted)])
        for number in range(tasks):
            after = (TaskId(f"fe-new{number - 1}"),) if number % 5 == 4 else ()
            created = e.TaskCreated(
                title=f"new {number}", labels=LABELS[number % 5], priority=number % 4, depends_on=after
            )
            tx.append(ADA.session, "2026-03-02T12:00:00.000Z", [(f"fe-new{number}", created)])


def milliseconds(work: Callable[[], object]) -> float:
    found = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        work()
        found.append((time.perf_counter() - began) * 1000)
    return statistics.median(found)


def looked(app: Application) -> None:
    """What a runner asks about sprints at every look."""
    with app.context.store.read() as tx:
        for sprint in active(tx):
            now_of(tx, sprint)
        tx.all("sprint.ready", IdRow, limit=20)


def measure(little: Application, much: Application) -> list[Figure]:
    ask = SprintAsk(until="08:00")
    few, many = (milliseconds(lambda app=app: app.sprints.preview(ADA, ask)) for app in (little, much))  # type: ignore[misc]
    began = time.perf_counter()
    plan = much.sprints.plan(ADA, ask)
    stored = (time.perf_counter() - began) * 1000
    assert len(plan.tasks) == MANY
    figures = [
        at_most(
            f"{MANY:,} tasks planned and stored, in seconds", stored / SECOND, 1.0, f"{stored:.0f} ms, in the store"
        ),
        at_most("plan: per task, 1,000 over 100", (many / MANY) / (few / FEW), 1.5, f"{many:.0f} ms, {few:.0f} ms"),
    ]
    for app in (little, much):
        name = app.sprints.plan(ADA, ask).id if app is little else plan.id
        with app.context.store.write() as tx:
            tx.append(ADA.session, "2026-03-02T13:00:00.000Z", [("", e.SprintStarted(sprint=name))])  # type: ignore[arg-type]
    small, large = (milliseconds(lambda app=app: looked(app)) for app in (little, much))  # type: ignore[misc]
    figures.append(
        note("what a runner asks at every look", f"{large:.1f} ms", f"{MANY:,} tasks; {small:.1f} ms of {FEW}")
    )
    return figures


def main(argv: Sequence[str] = ()) -> int:
    argparse.ArgumentParser(description=__doc__).parse_args(list(argv))
    with desk() as folder:
        apps = [SqlitePlace(folder / name).open() for name in ("little", "much")]
        progress(f"making stores of {FEW} and of {MANY:,} tasks, and {PAST} past ones")
        for app, tasks in zip(apps, (FEW, MANY), strict=True):
            fill(app, tasks)
        try:
            return show("Sprints (SQLite)", "sprints", measure(*apps))
        finally:
            for app in apps:
                app.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
