"""Who watches a simulated team: says when it is measured, and looks at the server meanwhile."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import psycopg

from bench.crowd import Ready

LOOK_SECONDS = 0.2
STAMP = "to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
TURNS = """
    SELECT count(DISTINCT (classid, objid)) FILTER (WHERE granted), count(*) FILTER (WHERE NOT granted)
    FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
"""


class Watched(msgspec.Struct, frozen=True):
    """What was seen: rows of each kind; after how many seconds all agents were at work (0: never), and how many were;
    in which share of the looks a project's turn to write was taken, and by how many it was waited for; seconds of the
    server's processor, each second; what was submitted and waited to be checked or merged in the end.
    """

    rows: dict[str, int]
    all_begun: float
    begun: int
    held: float
    queued: float
    cost: float
    waiting: int

    @property
    def writes(self) -> int:
        return sum(self.rows.values())


def watch(
    url: str, data: Path, projects: Sequence[str], agents: int, options: Namespace, begins: Any, ready: Ready
) -> Watched:
    """From the begin of all runners until it is over."""
    with psycopg.connect(url, autocommit=True) as connection:
        ask = Asking(connection, projects)
        ready()
        began = time.monotonic()
        while (begun := ask.live()) < agents * 0.95 and time.monotonic() - began < options.ramp:
            time.sleep(LOOK_SECONDS)
        took = time.monotonic() - began if begun >= agents * 0.95 else 0.0
        since, before = ask.stamp(), spent(data)
        begins.value = time.monotonic()
        looks = list(ask.looks(begins.value + options.seconds))
        upto, cost = ask.stamp(), spent(data) - before
        ready()
        held = sum(min(1.0, taken / len(projects)) for taken, _ in looks) / len(looks)
        queued = sum(count for _, count in looks) / len(looks)
        return Watched(ask.rows(since, upto), took, begun, held, queued, cost / options.seconds, ask.count_waiting())


class Asking:
    """Questions to the server about the projects."""

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]], projects: Sequence[str]) -> None:
        self._connection = connection
        self._schemas = [f"foureyes_{project}" for project in projects]

    def _all(self, statement: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(statement.encode()).fetchall()

    def _sum(self, statement: str) -> int:
        return sum(int(self._all(statement.format(schema=schema))[0][0]) for schema in self._schemas)

    def live(self) -> int:
        return self._sum("SELECT count(*) FROM {schema}.runs WHERE state = 'running'")

    def count_waiting(self) -> int:
        return self._sum("SELECT count(*) FROM {schema}.tasks WHERE status IN ('reviewing', 'approved')")

    def stamp(self) -> str:
        return str(self._all(f"SELECT {STAMP}")[0][0])

    def turns(self) -> tuple[int, int]:
        held, queued = self._all(TURNS)[0]
        return int(held), int(queued)

    def looks(self, end: float) -> Iterator[tuple[int, int]]:
        """How many turns are taken, and how many wait for one, again and again; at least once."""
        yield self.turns()
        while time.monotonic() < end:
            time.sleep(LOOK_SECONDS)
            yield self.turns()

    def rows(self, since: str, upto: str) -> dict[str, int]:
        found: dict[str, int] = {}
        for schema in self._schemas:
            where = f"FROM {schema}.journal WHERE at >= '{since}' AND at < '{upto}'"
            for kind, count in self._all(f"SELECT kind, count(*) {where} GROUP BY kind"):
                found[kind] = found.get(kind, 0) + int(count)
        return found


def spent(data: Path) -> float:
    """Seconds of processor that the server and all its processes have used so far."""
    mother = (data / "postmaster.pid").read_text().split()[0]
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
