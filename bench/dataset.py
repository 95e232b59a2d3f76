"""Large stores: a project's life written through the journal and the projections, in large transactions.

Of the tasks 20 % are live, in all statuses, and they are among the newer ones, as in a project that got old: whoever
looks for them must not wade through what is closed. Some wait or waited for others, most have labels; the journal is
filled with log lines to ten rows for each task. A store is made once and kept under .bench-cache/ until the schema, the
events or this file change. PostgreSQL gets the same rows by COPY.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from foureyes.adapters.store.connection import Database, fold
from foureyes.adapters.store.replay import TABLES
from foureyes.adapters.store.store import Store
from foureyes.adapters.store.store_files import create_store
from foureyes.app.ports import WriteTx
from foureyes.core import events as e
from foureyes.core.events.decision import Approved, AttemptSubmitted, TaskMerged
from foureyes.core.events.note import Logged
from foureyes.core.nouns.attempt import Author, ChangedFile, Commit
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import DiffId, TaskId, length_for, task_id

from bench.figures import progress
from bench.install import ROOT
from bench.places import ADA, NOW, PREFIX, TARGET, PostgresPlace, agent, application
from tests.stage.scripted_git import sha

CACHE = ROOT / ".bench-cache"
PROJECT = "0123456789abcdef"
AGENTS = 50
ROWS_PER_TASK = 10
OLD = 0.6
"""This part of the tasks, the oldest, is closed; of the rest every second one is live."""
PORTION = 2_000
LABELS = ("api", "ui", "docs", "security", "flaky", "perf", "infra", "i18n")
COMMON, RARE, RARE_COUNT = "parser", "xylophone", 5
WORDS = (
    "the case that fails when input ends early while reading a header from cache and writes nothing to its log".split()
)
MIX = (
    ("ready", 26),
    ("waiting", 10),
    ("in_progress", 12),
    ("reviewing", 27),
    ("approved", 5),
    ("blocked", 10),
    ("deferred", 10),
)
"""Of a hundred live tasks. At 1,000 tasks every list is still a full page."""


def digest() -> str:
    """What a made store depends on."""
    store = ROOT / "src" / "foureyes" / "adapters" / "store"
    files = [
        path
        for part in ("migrations/*.sql", "queries/*.sql", "projections/*.py", "journal.py")
        for path in sorted(store.glob(part))
    ]
    files += [*sorted((ROOT / "src" / "foureyes" / "core" / "events").glob("*.py")), Path(__file__)]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:12]


def template(tasks: int) -> Path:
    """The file of a store of that many tasks; made when there is none."""
    CACHE.mkdir(exist_ok=True)
    (CACHE / ".gitignore").write_text("*\n", encoding="utf-8")
    name = f"store-{tasks}-{digest()}.db"
    path = CACHE / name
    if not path.exists():
        for old in CACHE.glob(f"*store-{tasks}-*"):
            old.unlink()
        progress(f"making a store of {tasks:,} tasks and {tasks * ROWS_PER_TASK:,} journal rows (kept in .bench-cache)")
        make(path, tasks)
    return path


def make(path: Path, tasks: int) -> None:
    """Write a store; it gets its name when it is complete."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="making-") as folder:
        store = create_store(folder, PROJECT, NOW)
        application(store).projects.create(ADA, "bench", PREFIX, TARGET)
        store.engine.script(["PRAGMA synchronous = OFF", "PRAGMA cache_size = -400000"])
        Life(tasks).write(store)
        store.engine.script(["PRAGMA wal_checkpoint(TRUNCATE)"])
        store.close()
        shutil.move(os.path.join(folder, "store.db"), path)


class Life:
    """The story of a project, the same every time."""

    def __init__(self, tasks: int) -> None:
        self.tasks = tasks
        self.random = random.Random(tasks)
        self.agents: list[Actor] = [agent(f"agent{number}") for number in range(AGENTS)]
        self.ids: list[TaskId] = []
        self.open: list[TaskId] = []
        self.seconds = 0
        self.rows = 0

    def now(self) -> str:
        self.seconds += 1
        minutes, second = divmod(self.seconds, 60)
        hours, minute = divmod(minutes, 60)
        days, hour = divmod(hours, 24)
        return f"2026-{1 + days // 28 % 12:02d}-{1 + days % 28:02d}T{hour:02d}:{minute:02d}:{second:02d}.000Z"

    def write(self, store: Store) -> None:
        """All of it."""
        with store.write() as tx:
            for actor in self.agents:
                self.tell(
                    tx,
                    actor,
                    "",
                    e.SessionStarted(
                        kind="agent", trust="observed", agent="claude", name=actor.session, evidence=actor.evidence
                    ),
                )
        for first in range(0, self.tasks, PORTION):
            with store.write() as tx:
                for number in range(first, min(first + PORTION, self.tasks)):
                    self.live_through(tx, number)
                    self.fill(tx, (number + 1) * ROWS_PER_TASK - self.rows)

    def tell(self, tx: WriteTx, actor: Actor, task: str, *events: e.Event) -> None:
        tx.append(actor.session, self.now(), [(task, event) for event in events])
        self.rows += len(events)

    def fill(self, tx: WriteTx, count: int) -> None:
        """Log lines up to the wanted number of rows."""
        if count > 0:
            logs = [Logged(text=" ".join(self.random.choices(WORDS, k=12))) for _ in range(count)]
            self.tell(tx, self.random.choice(self.agents), self.ids[-1], *logs)

    def live_through(self, tx: WriteTx, number: int) -> None:
        """One task, from its plan to where it stands now."""
        task = task_id(
            PREFIX, int.from_bytes(hashlib.sha256(str(number).encode()).digest()[:8], "big"), length_for(self.tasks, 4)
        )
        fate = self.fate(number // 2) if number >= self.tasks * OLD and number % 2 else "closed"
        maker = self.random.choice(self.agents)
        self.tell(tx, self.random.choice(self.agents), task, self.planned(number, fate))
        self.ids.append(task)
        if fate == "ready":
            self.open.append(task)
        elif fate == "blocked":
            self.tell(tx, maker, task, e.TaskBlocked(reason="waits for an answer"))
        elif fate == "deferred":
            self.tell(tx, maker, task, e.TaskDeferred(until="2027-01-01"))
        elif fate == "closed" and number % 3 == 0:
            self.tell(tx, ADA, task, e.TaskCancelled(reason="no longer needed"))
        elif fate != "waiting":
            self.work(tx, maker, task, fate)

    def work(self, tx: WriteTx, maker: Actor, task: TaskId, fate: str) -> None:
        """Started, and as far beyond that as its fate is."""
        self.tell(tx, maker, task, e.TaskStarted(target_head=sha("main")))
        if fate == "in_progress":
            return
        change = self.submitted_task(maker, task)
        self.tell(tx, maker, task, change)
        if fate == "reviewing":
            return
        reviewer = self.random.choice([each for each in self.agents if each is not maker])
        self.tell(
            tx,
            reviewer,
            task,
            Approved(attempt=1, diff_id=change.diff_id, rule="P1", status="approved", seen=change.diff_id[:8]),
        )
        if fate == "closed":
            self.tell(tx, ADA, task, TaskMerged(sha=sha(f"merge {task}")))

    @staticmethod
    def fate(spot: int) -> str:
        """Where a live task stands."""
        place = spot * 37 % 100
        for name, share in MIX:
            place -= share
            if place < 0:
                return name
        raise AssertionError(spot)

    def planned(self, number: int, fate: str) -> e.TaskCreated:
        """What the task says."""
        words = self.random.choices(WORDS, k=7)
        if number % 7 == 0:
            words[2] = COMMON
        if number % (self.tasks // RARE_COUNT) == self.tasks // RARE_COUNT - 1:
            words[3] = RARE
        waits = tuple(self.random.choices(self.open, k=1)) if fate == "waiting" and self.open else ()
        if not waits and fate == "closed" and number % 5 == 0 and self.ids:
            waits = (self.random.choice(self.ids[-100:]),)
        return e.TaskCreated(
            title=" ".join(words),
            description=" ".join(self.random.choices(WORDS, k=40)),
            depends_on=waits,
            priority=self.random.choice((0, 1, 2, 2, 2, 3, 4)),
            type=self.random.choice(("task", "task", "bug", "feature")),
            labels=tuple(self.random.sample(LABELS, k=number % 3)),
        )

    def submitted_task(self, maker: Actor, task: TaskId) -> AttemptSubmitted:
        head = sha(f"head {task}")
        return AttemptSubmitted(
            n=1,
            implementer=maker.session,
            base=sha("main"),
            head=head,
            tree=sha(f"tree {task}"),
            ref=f"refs/heads/fe/{task}",
            diff_id=DiffId("sha256:" + hashlib.sha256(task.encode()).hexdigest()),
            files=tuple(ChangedFile(f"src/part{k}.py", 10, 2) for k in range(3)),
            commits=(Commit(head, "a change", "Ada", (maker.session,)),),
            added=30,
            removed=6,
            authors=(Author(maker.session, "claim"),),
            message="done",
            duration_seconds=600,
        )


@contextmanager
def indexes_away(cursor: psycopg.Cursor[Any], table: str) -> Iterator[None]:
    """Without the secondary indexes of a table while it is filled; made again afterwards, which is faster."""
    found = cursor.execute(
        "SELECT i.indexname, i.indexdef FROM pg_indexes i WHERE i.schemaname = current_schema() AND i.tablename = %s "
        "AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conname = i.indexname)",
        (table,),
    ).fetchall()
    for name, _ in found:
        cursor.execute(f'DROP INDEX "{name}"')
    yield
    for _, definition in found:
        cursor.execute(definition)


def copy_to_server(source: Database, place: PostgresPlace) -> None:
    """The same rows on PostgreSQL, table by table; statistics as its own housekeeping would have them by now."""
    from foureyes.adapters.store.postgres import schema_of

    options = f"-c search_path={schema_of(place.project)} -c maintenance_work_mem=256MB"
    with psycopg.connect(place.url, autocommit=True, options=options) as connection, connection.cursor() as cursor:
        for table in ("journal", *TABLES):
            columns, _ = source.fetch(f"SELECT * FROM {table} LIMIT 1", {})
            if not columns:
                continue
            with indexes_away(cursor, table), cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
                for row in source.stream(f"SELECT * FROM {table}"):
                    copy.write_row(row)
        seq, hash_ = source.fetch("SELECT seq, hash FROM head", {})[1][0]
        cursor.execute("UPDATE head SET seq = %s, hash = %s", (seq, hash_))
        with indexes_away(cursor, "task_text"):
            with cursor.copy("COPY task_text (rowid, folded, words) FROM STDIN") as copy:
                for n, text in source.stream(
                    "SELECT n, title || ' ' || description || ' ' || acceptance FROM tasks WHERE deleted = 0"
                ):
                    copy.write_row((n, fold(str(text)), ""))
            cursor.execute("UPDATE task_text SET words = to_tsvector('simple', folded)")
        cursor.execute("VACUUM (ANALYZE)")
