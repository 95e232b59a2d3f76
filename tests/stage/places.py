"""Where a project's store lies in these tests: a file or a schema on a server; prepared once, put back after every
fault.
"""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec

from foureyes.adapters.identity import alive
from foureyes.adapters.store.replay import TABLES
from foureyes.adapters.store.shared_store import open_shared
from foureyes.adapters.store.store import Store
from foureyes.adapters.store.store_files import create_store, open_store
from foureyes.app.application import Application
from foureyes.app.context import Context
from foureyes.app.git_ports import Repo, Workshop
from foureyes.app.ports import Clock, Outside
from foureyes.core.nouns.session import Actor

from tests.engines import NOW
from tests.stage.acting import Acting
from tests.stage.copies import copy_tree
from tests.stage.night import NIGHT
from tests.stage.people import ALICE, CLAUDE
from tests.stage.ports import CountedIds, DeskOutside, FixedClock
from tests.stage.ring import FileRing
from tests.stage.scripted_git import ScriptedRepo, ScriptedWorkshop
from tests.stage.server import Server
from tests.stage.world import begin

DUMPED = {**TABLES, "journal": "seq", "head": "seq", "migrations": "n"}
COUNT = itertools.count(1)


class Place:
    """A project's directory with a store in a file."""

    engine = "sqlite"

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".foureyes"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.project = f"{next(COUNT):016x}"
        self._kept = root.with_name(root.name + ".kept")

    def create(self) -> Store:
        """A new, empty store."""
        return create_store(str(self.folder), self.project, NOW)

    def open(self) -> Store:
        """As every command opens it."""
        return open_store(str(self.folder), NOW)

    def keep(self) -> None:
        """Remember everything as it is now. Nobody may have the store open."""
        assert not (self.folder / "store.db-wal").exists()
        copy_tree(self.root, self._kept)

    def reset(self, *, moved: bool = True) -> None:
        """Put everything back; `moved`: the store itself has changed too."""
        shutil.rmtree(self.root)
        copy_tree(self._kept, self.root)

    def files(self) -> tuple[str, ...]:
        return tuple(sorted(os.listdir(self.folder)))

    def mirror(self) -> bytes:
        path = self.folder / "security_events.jsonl"
        return path.read_bytes() if path.exists() else b""

    def dump(self) -> bytes:
        """Every row of every table and of the journal, read after an ordinary opening."""
        store = self.open()
        try:
            with store.read():
                return dump_of(store)
        finally:
            store.close()

    def fingerprint(self) -> bytes:
        """What tells one state of the store from another; cheaper than a dump where there is a cheaper way."""
        return self.dump()

    def findings(self) -> list[tuple[str, str]]:
        """What an audit finds."""
        store = self.open()
        try:
            return [(found.area, found.message) for found in store.audit().findings]
        finally:
            store.close()


class ServerPlace(Place):
    """A project's directory whose store is a schema on a server."""

    engine = "postgres"

    def __init__(self, root: Path, server: Server) -> None:
        super().__init__(root)
        self.server = server
        self.schema = f"foureyes_{self.project}"
        self._names: list[str] = []

    def create(self) -> Store:
        with nullcontext() if NIGHT else self.server.shelf(NOW).used():
            return open_shared(str(self.folder), self.server.url, self.project, NOW, create=True)

    def open(self) -> Store:
        return open_shared(str(self.folder), self.server.url, self.project, NOW)

    def wait_until_dark(self, *, cut: bool = False) -> None:
        """Until the server has let go of what showed that somebody is connected (J4): it takes a moment to. `cut`:
        their connections are cut off first.
        """
        mine = f"classid::bigint = (hashtext('{self.schema}')::bigint & 4294967295)"
        held = f"FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND {mine}"
        if cut:
            self.server.sql(f"SELECT pg_terminate_backend(pid) {held}")
        while self.server.sql(f"SELECT 1 {held}"):
            os.sched_yield()

    def tables(self) -> list[str]:
        found = self.server.sql(f"SELECT tablename FROM pg_tables WHERE schemaname = '{self.schema}'")
        return [str(row[0]) for row in found]

    def keep(self) -> None:
        super().keep()
        self._names = self.tables()
        copies = [f"CREATE TABLE {self.schema}_kept.{name} AS TABLE {self.schema}.{name}" for name in self._names]
        self.server.sql(f"CREATE SCHEMA {self.schema}_kept", *copies)

    def reset(self, *, moved: bool = True) -> None:
        super().reset()
        if moved:
            names = self._names
            truncate = f"TRUNCATE {', '.join(f'{self.schema}.{name}' for name in names)}"
            self.server.sql(
                truncate, *[f"INSERT INTO {self.schema}.{name} TABLE {self.schema}_kept.{name}" for name in names]
            )

    def fingerprint(self) -> bytes:
        """Over the administrator's standing connection, in one statement."""
        each = [
            f"SELECT '{name}' AS name, md5(string_agg(t::text, '|' ORDER BY t::text)) AS rows FROM "
            f"{self.schema}.{name} t"
            for name in sorted(DUMPED)
        ]
        return msgspec.json.encode(self.server.sql(" UNION ALL ".join(each) + " ORDER BY name"))

    def remove(self) -> None:
        """Nothing of it stays on the server."""
        found = self.server.sql(f"SELECT nspname FROM pg_namespace WHERE nspname LIKE '{self.schema}%'")
        left = self.server.shelf(NOW).give_back(*[str(row[0]) for row in found])
        self.server.sql(*[f'DROP SCHEMA "{schema}" CASCADE' for schema in left])


def dump_of(store: Store) -> bytes:
    """Every row that a store has; inside a transaction."""
    tables = {name: store.engine.fetch(f"SELECT * FROM {name} ORDER BY {key}", {})[1] for name, key in DUMPED.items()}
    return msgspec.json.encode(tables)


def journal_of(dump: bytes) -> list[list[Any]]:
    """The journal's rows in a dump."""
    rows: list[list[Any]] = msgspec.json.decode(dump)["journal"]
    return rows


def state_of(dump: bytes) -> dict[str, Any]:
    """A dump without the record of migrations, which tells of the database and not of the project."""
    tables: dict[str, Any] = msgspec.json.decode(dump)
    del tables["migrations"]
    return tables


class RealOutside(DeskOutside):
    """The world as it is: real processes; checks are scripted."""

    def process(self) -> str:
        return alive.own()

    def is_gone(self, process: str) -> bool:
        return alive.is_gone(process)


class Desk(Acting):
    """Somebody's open Application over a place: clock and ids are the same in every child, so equal work gives equal
    rows.
    """

    def __init__(
        self,
        place: Place,
        repo: Callable[[], Repo] | None = None,
        clock: Clock | None = None,
        workshop: Callable[[], Workshop] | None = None,
    ) -> None:
        self.place = place
        scripted = ScriptedWorkshop()
        self.outside: Outside = RealOutside(workshop or (lambda: scripted))
        self.script = ScriptedRepo()
        self.script.files["foureyes.toml"] = f'[project]\nid = "{place.project}"\n'
        self.repo: Callable[[], Repo] = repo or (lambda: self.script)
        self.clock: Clock = clock or FixedClock()
        self.ids = CountedIds()
        self.ring = FileRing(place.root / "keys")
        self._app: Application | None = None

    @property
    def app(self) -> Application:
        if self._app is None:
            self._app = self.over(self.place.open())
        return self._app

    def over(self, store: Store) -> Application:
        return Application(Context(store, self.repo, self.clock, self.ids, {}, lambda: self.ring, self.outside))

    def found(self) -> None:
        """Make the project."""
        self._app = self.over(self.place.create())
        begin(self._app)

    def close(self) -> None:
        """Let go of the store; the next call opens it again."""
        if self._app is not None:
            self._app.close()
            self._app = None

    def submitted_task(self, actor: Actor = CLAUDE, *, creator: Actor = ALICE, **fields: Any) -> str:
        def change(task: str) -> None:
            self.script.commit(f"fe/{task}", sessions=[actor.session])

        return self.submit_work(actor, creator, change, **fields)

    def approved(self, by: Actor) -> str:
        task = self.submitted_task()
        self.approve(by, task)
        return task
