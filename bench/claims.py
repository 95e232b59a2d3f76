"""64 claimers and 200 tasks, on both engines: every task gets exactly one winner, nobody gets an error.

Twice: once groups of claimers go for the same tasks in the same order (`fe start`), and once each takes the best ready
task until there is none (`fe next`). The second is also done by one claimer alone, for the ratio.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable

import msgspec

from foureyes.app.application import Application
from foureyes.core.nouns.session import Actor
from foureyes.errors import FoureyesError, LostClaim, NotFound

from bench.crowd import Ready, crowd
from bench.figures import Figure, none_of, note, progress, show
from bench.places import ADA, Place, PostgresPlace, SqlitePlace, agent, desk, server

CLAIMERS = 64
TASKS = 200
RIVALS = 16
"""How many go for the same task; all 64 on every task would be 12,800 starts, and nothing new after the first of
them.
"""


class Hunt(msgspec.Struct, frozen=True):
    """What one claimer got, what it lost to others, what went wrong, and when it was done."""

    won: list[str]
    lost: int
    errors: list[str]
    began: float
    ended: float


def plan(place: Place, tasks: int) -> list[str]:
    """Fresh tasks to claim."""
    app = place.open()
    made = [app.tasks.create(ADA, f"Task {number}").task for number in range(tasks)]
    app.close()
    return made


Catch = tuple[list[str], int, list[str]]
"""What was won, how much was lost to others, what went wrong."""
Way = Callable[[Application, Actor, list[str]], Catch]


def race(app: Application, actor: Actor, tasks: list[str]) -> Catch:
    """Try to start every task."""
    won: list[str] = []
    errors: list[str] = []
    lost = 0
    for task in tasks:
        try:
            if app.claims.start(actor, task).changed:
                won.append(task)
        except LostClaim:
            lost += 1
        except FoureyesError as problem:
            errors.append(problem.message)
    return won, lost, errors


def take(app: Application, actor: Actor, _: list[str]) -> Catch:
    """Claim the best ready task until there is none."""
    won: list[str] = []
    errors: list[str] = []
    while not errors:
        try:
            won.append(app.claims.next(actor).task)
        except NotFound:
            break
        except FoureyesError as problem:
            errors.append(problem.message)
    return won, 0, errors


def hunt(place: Place, claimers: int, tasks: list[str], way: Way) -> list[Hunt]:
    """All claimers at once, each after its share of the tasks."""
    groups = max(1, claimers // RIVALS)

    def work(number: int, ready: Ready) -> Hunt:
        app, actor = place.open(), agent(f"claimer{number}")
        ready()
        began = time.monotonic()
        won, lost, errors = way(app, actor, tasks[number % groups :: groups])
        return Hunt(won, lost, errors, began, time.monotonic())

    return crowd(claimers, work)


def per_second(hunts: list[Hunt]) -> float:
    """Claims won in a second, by all together."""
    return sum(len(one.won) for one in hunts) / (max(one.ended for one in hunts) - min(one.began for one in hunts))


def not_once(hunts: list[Hunt], tasks: list[str]) -> int:
    """Tasks that do not have exactly one winner."""
    winners = Counter(task for one in hunts for task in one.won)
    return sum(1 for task in tasks if winners[task] != 1)


def measure(engine: str, fresh: Callable[[str], Place], claimers: int, count: int) -> list[Figure]:
    """Both ways on one engine."""
    progress(f"{engine}, {claimers} claimers race for {count} tasks")
    place = fresh("race")
    tasks = plan(place, count)
    racers = hunt(place, claimers, tasks, race)
    progress(f"{engine}, {claimers} claimers take what is ready")
    place = fresh("many")
    ready = plan(place, count)
    many = hunt(place, claimers, ready, take)
    place = fresh("one")
    one = hunt(place, 1, plan(place, count), take)
    errors = [error for each in (*racers, *many, *one) for error in each.errors]
    tried = sum(len(each.won) + each.lost for each in racers)
    name = f"{engine}, {claimers} claimers, {count} tasks"
    wrong = not_once(racers, tasks) + not_once(many, ready)
    return [
        none_of(f"{name}: tasks without exactly one winner", wrong, f"{tried} starts, and by `next`"),
        none_of(f"{name}: errors", len(errors), "; ".join(sorted(set(errors)))[:200]),
        note(
            f"{name}: claims per second over one claimer's", f"{per_second(many) / per_second(one):.2f}",
            f"{per_second(many):.0f}/s together, {per_second(one):.0f}/s alone",
        ),
    ]  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 when a task has not exactly one winner or somebody got an error."""
    parser = argparse.ArgumentParser(prog="python -m bench.claims", description=__doc__)
    parser.add_argument("--claimers", type=int, default=CLAIMERS)
    parser.add_argument("--tasks", type=int, default=TASKS)
    options = parser.parse_args(arguments or [])
    with desk() as folder, server() as url:
        figures = measure(
            "SQLite", lambda name: SqlitePlace(folder / f"sqlite-{name}"), options.claimers, options.tasks
        )
        figures += measure(
            "PostgreSQL",
            lambda name: PostgresPlace(url, folder / f"postgres-{name}", f"claims_{name}"),
            options.claimers,
            options.tasks,
        )
    return show("Claims", "claims", figures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
