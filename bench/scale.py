"""Reads and writes in a store of 100,000 tasks and a million journal rows, over the same in one of 1,000 tasks.

Both stores take turns within one run. Everything goes through the Application; git answers from memory, so that its
fixed cost does not hide growth (see places.py).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.app.application import Application
from foureyes.app.pages.review_queue import LOOKED_AT
from foureyes.app.results.task_list import ListQuery
from foureyes.core.words.lifecycle import STATUSES

from bench.dataset import COMMON, RARE, copy_to_server, template
from bench.figures import Figure, at_most, progress, show
from bench.places import ADA, PostgresPlace, SqlitePlace, agent, desk, server
from tests.stage.scripted_git import sha

SMALL, LARGE = 1_000, 100_000
REPEATS = 15
BUDGET = 2.0
PAGE = 50
COLUMN = 20
QUEUE = 40
"""Not all that is in review is for the caller to approve; of 50 at least 40 are, so that one page of candidates is
enough in both.
"""

CALLER = agent("somebody-else")
WORKER = agent("worker")
NOBODY = msgspec.structs.replace(agent("nobody"), trust="asserted")
"""A typed name may approve nothing (I1)."""

Operation = Callable[["CheckCache"], object]


class CheckCache:
    """An open store and what operations need to know about it."""

    def __init__(self, app: Application, tasks: int) -> None:
        self.app = app
        self.tasks = tasks
        lists = app.lists
        self.ready = [row.id for row in lists.page(ListQuery(ready=True, limit=PAGE))]
        reviewing = lists.page(ListQuery(status="reviewing", limit=1_000))
        app.context.repo.heads().update({f"refs/heads/fe/{row.id}": sha(f"head {row.id}") for row in reviewing})
        self.shown = reviewing[0].id
        self.closed = lists.page(ListQuery(status="closed", limit=1))[0].id
        self.maker = reviewing[0].implementer
        middle = lists.page(ListQuery(priority=2, live=True, limit=PAGE))[-1]
        self.middle = (middle.priority, middle.n)

    def page(self, **query: object) -> int:
        return len(self.app.lists.page(ListQuery(**query)))  # type: ignore[arg-type]

    def board(self) -> int:
        """One page of each column."""
        return sum(self.page(status=status, limit=COLUMN) for status in STATUSES)


READS: dict[str, Operation] = {
    "list (live tasks)": lambda shelf: shelf.page(live=True, limit=PAGE),
    "list, a page in the middle": lambda shelf: shelf.page(live=True, limit=PAGE, after=shelf.middle),
    "list, newest first": lambda shelf: shelf.page(sort="newest", limit=PAGE),
    "list by label": lambda shelf: shelf.page(label="api", live=True, limit=PAGE),
    "list what I work on": lambda shelf: shelf.page(mine=shelf.maker, limit=1),
    "list what is blocked or waits": lambda shelf: shelf.page(blocked=True, limit=COLUMN),
    "ready": lambda shelf: shelf.page(ready=True, limit=PAGE),
    "reviewable": lambda shelf: len(shelf.app.lists.reviewable(CALLER, ListQuery(limit=QUEUE)).rows),
    "status": lambda shelf: shelf.app.status.show(CALLER),
    "board page": lambda shelf: shelf.board(),
    "text search, rare word": lambda shelf: shelf.page(text=RARE, limit=PAGE),
    "text search, common word": lambda shelf: shelf.page(text=COMMON, limit=PAGE),
    "show a task in review": lambda shelf: shelf.app.lists.show(CALLER, shelf.shown),
    "show a closed task": lambda shelf: shelf.app.lists.show(CALLER, shelf.closed),
}
WRITES: dict[str, Operation] = {
    "create": lambda shelf: shelf.app.tasks.create(
        ADA, "one more task", description="it says something", labels=["api"]
    ),
    "start": lambda shelf: shelf.app.claims.start(WORKER, shelf.ready.pop()),
    "log": lambda shelf: shelf.app.notes.log(WORKER, shelf.shown, "a line"),
}


def timed(operation: Operation, shelf: CheckCache) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    operation(shelf)
    return (time.perf_counter() - start) * 1000


def compare(engine: str, small: CheckCache, large: CheckCache, repeats: int) -> list[Figure]:
    """Every operation in both stores, in turns; the first round warms the caches and is not counted."""
    figures = []
    for name, operation in (READS | WRITES).items():
        pairs = [(timed(operation, small), timed(operation, large)) for _ in range(repeats + 1)][1:]
        low, high = statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)
        figures.append(at_most(f"{engine}, {name}", high / low, BUDGET, f"{low:.2f} → {high:.2f} ms"))
    judged = large.app.lists.reviewable(NOBODY, ListQuery(limit=QUEUE)).examined
    what = f"{engine}, reviewable for who may approve nothing: tasks judged"
    return [*figures, at_most(what, judged, LOOKED_AT, "of the large store's queue")]


@contextmanager
def sqlite_shelf(folder: Path, tasks: int) -> Iterator[CheckCache]:
    app = SqlitePlace(folder / f"sqlite-{tasks}", template=template(tasks)).open()
    try:
        yield CheckCache(app, tasks)
    finally:
        app.close()


@contextmanager
def postgres_shelf(url: str, folder: Path, tasks: int) -> Iterator[CheckCache]:
    place = PostgresPlace(url, folder / f"postgres-{tasks}", f"scale{tasks}", empty=True)
    progress(f"copying {tasks:,} tasks to PostgreSQL")
    source = SqliteEngine(str(template(tasks)))
    copy_to_server(source, place)
    source.close()
    app = place.open()
    try:
        yield CheckCache(app, tasks)
    finally:
        app.close()


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 when something takes more than twice as long in the large store."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument(
        "--tasks", type=int, default=LARGE, help="size of the large store; its journal has ten times as many rows"
    )
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--engine", choices=("sqlite", "postgres", "both"), default="both")
    options = parser.parse_args(arguments or [])
    figures: list[Figure] = []
    with desk() as folder:
        if options.engine != "postgres":
            with sqlite_shelf(folder, SMALL) as small, sqlite_shelf(folder, options.tasks) as large:
                progress("SQLite, reads and writes")
                figures += compare("SQLite", small, large, options.repeats)
        if options.engine != "sqlite":
            with (
                server() as url,
                postgres_shelf(url, folder, SMALL) as small,
                postgres_shelf(url, folder, options.tasks) as large,
            ):
                progress("PostgreSQL, reads and writes")
                figures += compare("PostgreSQL", small, large, options.repeats)
    title = (
        f"{options.tasks:,} tasks ({options.tasks * 10:,} journal rows) over {SMALL:,}, median of "
        f"{options.repeats} in turns"
    )
    return show(title, "scale", figures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
