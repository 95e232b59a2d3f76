"""Write transactions of 1, 8 and 32 writers at once, over the same statements without the journal.

The transaction is `fe log` as the Application does it. What it is compared with is taken from the Application itself:
its statements are recorded once, those of the journal are left out, and the rest is sent by the bare driver, with the
same durability. Both take turns. On SQLite the bare writers queue on a file lock too: without one, one of them does
nearly all the work while the others starve, which is fast and of no use (that ratio is shown for completeness).
"""

from __future__ import annotations

import argparse
import fcntl
import statistics
import sys
import time
from collections.abc import Callable

import msgspec

from foureyes.adapters.store.connection import Database, SqlValue, names, sql
from foureyes.errors import FoureyesError

from bench.crowd import Ready, crowd
from bench.figures import Figure, at_least, none_of, note, progress, show
from bench.places import ADA, Place, PostgresPlace, SqlitePlace, agent, desk, server

WRITERS = (1, 8, 32)
ROUNDS = 3
SECONDS = 1.5
TEXT = "looked at the parser again; the third case is the one that fails"
LEAST = {"SQLite": 0.5, "PostgreSQL": 0.6}
FAIREST = 0.25

Statement = tuple[str, dict[str, SqlValue]]


class Tally(msgspec.Struct, frozen=True):
    """What one writer got done."""

    done: int
    errors: int = 0


class Listening:
    """An engine that remembers what it was told to do."""

    def __init__(self, engine: Database) -> None:
        self._engine = engine
        self.heard: list[Statement] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._engine, name)

    def run(self, name: str, params: dict[str, SqlValue]) -> None:
        self.heard.append((sql(name), params))
        self._engine.run(name, params)

    def change(self, name: str, params: dict[str, SqlValue]) -> int:
        self.heard.append((sql(name), params))
        return self._engine.change(name, params)

    def fetch(self, statement: str, params: dict[str, SqlValue]) -> tuple[list[str], list[tuple[SqlValue, ...]]]:
        self.heard.append((statement, params))
        return self._engine.fetch(statement, params)


def statements(place: Place, writer: int, task: str) -> list[Statement]:
    """What one `fe log` does to the tables, without journal and mirror."""
    app = place.open()
    store = app.context.store
    engine = Listening(store.engine)  # type: ignore[attr-defined]
    app.notes.log(agent(f"w{writer}"), task, TEXT)
    store.engine = engine  # type: ignore[attr-defined]
    app.notes.log(agent(f"w{writer}"), task, TEXT)
    app.close()
    extra = {sql(name) for name in names() if name.startswith("journal.")} | {sql("record.security_end")}
    return [(statement, params) for statement, params in engine.heard if statement not in extra]


def numbered(params: dict[str, SqlValue], number: int) -> dict[str, SqlValue]:
    """The same parameters for a row of its own."""
    return params | {"seq": number} if "seq" in params else params


Transaction = Callable[[int], None]


def bare_sqlite(path: str, recorded: list[Statement], *, queued: bool) -> Transaction:
    import apsw

    connection = apsw.Connection(path)
    connection.set_busy_timeout(60_000)
    connection.pragma("synchronous", "FULL")

    def once(number: int) -> None:
        connection.execute("BEGIN IMMEDIATE")
        for statement, params in recorded:
            connection.execute(statement, numbered(params, number)).fetchall()
        connection.execute("COMMIT")

    def in_turn(number: int) -> None:
        with open(f"{path}.queue", "wb") as queue:
            fcntl.flock(queue, fcntl.LOCK_EX)
            once(number)

    return in_turn if queued else once


def bare_postgres(url: str, project: str, recorded: list[Statement]) -> Transaction:
    import psycopg

    from foureyes.adapters.store.postgres import schema_of, translated

    connection = psycopg.connect(
        url, autocommit=True, cursor_factory=psycopg.ClientCursor, options=f"-c search_path={schema_of(project)}"
    )
    said = [(translated(statement), params) for statement, params in recorded]

    def once(number: int) -> None:
        connection.execute("BEGIN")
        for statement, params in said:
            cursor = connection.execute(statement, numbered(params, number))
            if cursor.description is not None:
                cursor.fetchall()
        connection.execute("COMMIT")

    return once


def bare(place: Place, recorded: list[Statement], *, queued: bool) -> Transaction:
    """The statements on the driver itself, in a transaction each."""
    if isinstance(place, PostgresPlace):
        return bare_postgres(place.url, place.project, recorded)
    assert isinstance(place, SqlitePlace)
    return bare_sqlite(place.path, recorded, queued=queued)


def for_a_while(seconds: float, once: Transaction, first: int) -> Tally:
    """As many transactions as fit."""
    done = errors = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            once(first + done + errors)
            done += 1
        except FoureyesError:
            errors += 1
    return Tally(done, errors)


class Bench:
    """One store and its tasks, one for each writer."""

    def __init__(self, place: Place, writers: int, seconds: float) -> None:
        self.place = place
        self.seconds = seconds
        app = place.open()
        self.tasks = [app.tasks.create(ADA, f"Task {number}").task for number in range(writers)]
        app.close()
        self.recorded = [statements(place, number, task) for number, task in enumerate(self.tasks)]
        self._rounds = 0

    def ours(self, writers: int) -> list[Tally]:
        """Logging through the Application."""

        def work(number: int, ready: Ready) -> Tally:
            app, actor, task = self.place.open(), agent(f"w{number}"), self.tasks[number]
            ready()
            return for_a_while(self.seconds, lambda _: void(app.notes.log(actor, task, TEXT)), 0)

        return crowd(writers, work)

    def raw(self, writers: int, *, queued: bool) -> list[Tally]:
        """The same without the Application and its journal. Its rows get numbers that no journal will reach."""
        self._rounds += 1
        start = 1_000_000_000 + self._rounds * 10_000_000

        def work(number: int, ready: Ready) -> Tally:
            once = bare(self.place, self.recorded[number], queued=queued)
            ready()
            return for_a_while(self.seconds, once, start + number * 200_000)

        return crowd(writers, work)


def void(_: object) -> None:
    """Nothing of it is needed."""


def added(rounds: list[list[Tally]]) -> list[Tally]:
    """What each writer did in all rounds."""
    return [Tally(sum(t.done for t in mine), sum(t.errors for t in mine)) for mine in zip(*rounds, strict=True)]


def rate(tallies: list[Tally], seconds: float) -> float:
    return sum(tally.done for tally in tallies) / seconds


def spread(tallies: list[Tally]) -> float:
    """The slowest writer over the median one."""
    counts = [tally.done for tally in tallies]
    return min(counts) / max(1.0, statistics.median(counts))


def compare(place: Place, writers: int, rounds: int, seconds: float) -> list[Figure]:
    """Ours over raw with that many writers."""
    progress(f"{place.engine}, {writers} writer{'s' if writers > 1 else ''}")
    bench = Bench(place, writers, seconds)
    crowded = writers > 1
    both = [(bench.raw(writers, queued=crowded), bench.ours(writers)) for _ in range(rounds)]
    raw, ours = added([pair[0] for pair in both]), added([pair[1] for pair in both])
    fast, slow = rate(raw, rounds * seconds), rate(ours, rounds * seconds)
    name = f"{place.engine}, {writers} writer{'s' if crowded else ''}"
    what, detail = f"{name}: with journal over without", f"{slow:.0f}/s with, {fast:.0f}/s without"
    if place.engine == "PostgreSQL" and crowded:
        figures = [note(what, f"{slow / fast:.2f}", f"{detail}, where nothing queues")]
    else:
        figures = [at_least(what, slow / fast, LEAST[place.engine], detail)]
    if crowded:
        figures.append(at_least(f"{name}: slowest over median writer", spread(ours), FAIREST))
    if crowded and place.engine == "SQLite":
        starving = bench.raw(writers, queued=False)
        busiest = max(tally.done for tally in starving) / max(1, sum(tally.done for tally in starving))
        rest = f"{rate(starving, seconds):.0f}/s, {busiest:.0%} of it by one writer"
        figures.append(
            note(
                f"{name}: with journal over without journal and queue",
                f"{slow * seconds / sum(t.done for t in starving):.2f}",
                rest,
            )
        )
    figures.append(none_of(f"{name}: errors", sum(tally.errors for tally in ours)))
    return figures


def side_by_side(one: PostgresPlace, other: PostgresPlace, rounds: int, seconds: float, writers: int = 4) -> Figure:
    """Two projects on one server over one."""
    progress("PostgreSQL, two projects")
    benches = [Bench(place, writers, seconds) for place in (one, other)]

    def work(number: int, ready: Ready) -> Tally:
        bench, mine = benches[number % 2], number // 2
        app, actor, task = bench.place.open(), agent(f"w{mine}"), bench.tasks[mine]
        ready()
        return for_a_while(seconds, lambda _: void(app.notes.log(actor, task, TEXT)), 0)

    alone, together = 0.0, 0.0
    for _ in range(rounds):
        alone += rate(benches[0].ours(writers), rounds * seconds)
        together += rate(crowd(2 * writers, work), rounds * seconds)
    detail = f"{together:.0f}/s in two projects, {alone:.0f}/s in one, {writers} writers each"
    return at_least("PostgreSQL: two projects over one", together / alone, 1.0, detail)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 when a budget is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.writes", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="length of a round")
    options = parser.parse_args(arguments or [])
    figures: list[Figure] = []
    with desk() as folder, server() as url:
        for writers in WRITERS:
            figures += compare(SqlitePlace(folder / f"sqlite-{writers}"), writers, options.rounds, options.seconds)
        for writers in WRITERS:
            place = PostgresPlace(url, folder / f"postgres-{writers}", f"writers{writers}")
            figures += compare(place, writers, options.rounds, options.seconds)
        two = [PostgresPlace(url, folder / name, name) for name in ("left", "right")]
        figures.append(side_by_side(two[0], two[1], options.rounds, options.seconds))
    title = f"Write transactions (`fe log`), {options.rounds} rounds of {options.seconds:g} s each in turns"
    return show(title, "writes", figures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
