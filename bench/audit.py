"""Checking a journal: rows per second, and memory that does not grow with the journal.

The chain alone is checked on 100,000 and 1,000,000 rows. The full audit (chain, replay, comparison of every table) is
done on 10,000 and 100,000 rows, or with --full on the million too. Each in a process of its own.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from foureyes.adapters.store.journal import journal_length
from foureyes.adapters.store.replay import check_chain
from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.app.results.task_list import ListQuery

from bench.crowd import in_a_child
from bench.dataset import ROWS_PER_TASK, template
from bench.figures import Figure, at_most, none_of, note, progress, show
from bench.places import ADA, SqlitePlace, desk

ROWS = 1_000_000
CHAIN_BUDGET = 100_000
GROWTH = 1.5
"""Memory at ten times the rows; caches may fill a little more, a list of all rows would be near 10."""


class Effort(msgspec.Struct, frozen=True):
    """What a piece of work took; memory is what it added to that of the empty process."""

    rows: int
    seconds: float
    cpu: float
    mebibytes: float
    findings: int = 0

    @property
    def per_second(self) -> float:
        return self.rows / self.seconds


def peak() -> float:
    """The most memory this process ever had, in MiB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)


def effort(work: Callable[[], tuple[int, int]]) -> Effort:
    """Do it in a process of its own; it returns rows and findings."""

    def measured() -> Effort:
        before = peak()
        wall, cpu = time.perf_counter(), time.process_time()
        rows, findings = work()
        return Effort(rows, time.perf_counter() - wall, time.process_time() - cpu, peak() - before, findings)

    return in_a_child(measured)


def chain(path: Path) -> Effort:
    """The chain alone: reads nothing but the journal."""

    def work() -> tuple[int, int]:
        engine = SqliteEngine(str(path))
        rows = journal_length(engine)
        findings, _ = check_chain(engine, rows, None)
        return rows, len(findings)

    return effort(work)


def whole(place: SqlitePlace) -> Effort:
    """What `fe audit verify` does."""

    def work() -> tuple[int, int]:
        app = place.open()
        app.tasks.create(ADA, "the first write brings the files that follow the journal")
        report = app.audit.verify()
        app.close()
        return report.rows, len(report.findings)

    return effort(work)


def listing(place: SqlitePlace) -> Effort:
    """Every task of the store, page by page, as `fe list` and a board walk through it."""

    def work() -> tuple[int, int]:
        app = place.open()
        rows, after = 0, None
        while page := app.lists.page(ListQuery(limit=1_000, after=after)):
            rows += len(page)
            after = (page[-1].priority, page[-1].n)
        app.close()
        return rows, 0

    return effort(work)


def exporting(place: SqlitePlace) -> Effort:
    """Every journal row, as `fe audit log --export` reads it."""

    def work() -> tuple[int, int]:
        app = place.open()
        rows = sum(1 for _ in app.audit.export())
        app.close()
        return rows, 0

    return effort(work)


def grown(what: str, small: Effort, large: Effort) -> Figure:
    """Peak memory of the large over the small one; a few MiB of noise do not count."""
    ratio = max(large.mebibytes, 8.0) / max(small.mebibytes, 8.0)
    detail = f"{small.mebibytes:.0f} MiB at {small.rows:,}, {large.mebibytes:.0f} MiB at {large.rows:,}"
    return at_most(f"{what}: memory at ten times the rows", ratio, GROWTH, detail)


def speed(what: str, done: Effort) -> Figure:
    cpu = f"{done.rows / done.cpu:,.0f} per second of CPU time; {done.seconds:.1f} s"
    return note(f"{what}, {done.rows:,} rows: rows per second", f"{done.per_second:,.0f}", cpu)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 when a budget is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.audit", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help="length of the large journal")
    parser.add_argument("--full", action="store_true", help="the full audit on the large journal too (minutes)")
    options = parser.parse_args(arguments or [])
    sizes = [options.rows // ROWS_PER_TASK // 100, options.rows // ROWS_PER_TASK // 10, options.rows // ROWS_PER_TASK]
    with desk() as folder:
        places = [SqlitePlace(folder / str(tasks), template=template(tasks)) for tasks in sizes]
        progress("the chain alone")
        chains = [chain(Path(place.path)) for place in places[1:]]
        progress("lists and export")
        lists, exports = [listing(place) for place in places[1:]], [exporting(place) for place in places[1:]]
        progress("the full audit")
        audits = [whole(place) for place in (places[1:] if options.full else places[:2])]
    checked = speed("Chain", chains[-1])
    figures = [
        msgspec.structs.replace(checked, budget=f"> {CHAIN_BUDGET:,}", met=chains[-1].per_second > CHAIN_BUDGET),
        grown("Chain", *chains),
        speed("Full audit", audits[-1]),
        grown("Full audit", *audits),
        none_of("Findings in sound stores", sum(done.findings for done in (*chains, *audits))),
        grown("All tasks, page by page", *lists),
        grown("Export of the journal", *exports),
    ]
    return show("Journal and memory (SQLite)", "audit", figures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
