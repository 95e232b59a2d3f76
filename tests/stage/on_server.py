"""A repository with a project whose store moves to a server, and clones of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from foureyes.app.application import Application
from foureyes.app.results.settings import CopiedStore
from foureyes.bootstrap.init import create_project
from foureyes.bootstrap.store_move import copy_store
from foureyes.bootstrap.wiring import open_project
from foureyes.core.nouns.session import Actor
from foureyes.errors import FoureyesError

from tests import engines
from tests.stage.checkout import Checkout
from tests.stage.people import ALICE


class Project:
    """A repository with a project in it, and short words for what is done to its store."""

    def __init__(
        self, checkout: Checkout, server: engines.Server, environ: dict[str, str] | None = None, made: str = ""
    ) -> None:
        """Of the project that was made there already, or of a new one."""
        self.checkout = checkout
        self.server = server
        self.environ = environ or {}
        self.cwd = str(checkout.path)
        self.folder = checkout.path / ".foureyes"
        self.id = made or create_project(self.cwd, self.environ, ALICE, prefix="fe", target=None, commit=True).project
        engines.Run.projects.append(self.id)

    def copy(self, where: str = "", actor: Actor = ALICE) -> int:
        """How many rows were copied, without those that say where earlier moves went."""
        told = self.moves()
        return self.copied(where, actor).rows - told

    def copied(self, where: str = "", actor: Actor = ALICE) -> CopiedStore:
        return copy_store(self.cwd, self.environ, actor, where or self.server.url, None)

    def backup(self, path: str) -> None:
        app = self.app()
        app.projects.backup(ALICE, os.path.join(self.cwd, path))
        app.close()

    def moves(self) -> int:
        """How many rows say where the store went."""
        try:
            app = self.app()
        except FoureyesError:
            return 0
        told = [row for row in app.audit.export() if row.kind == "StorePlaced"]
        app.close()
        return len(told)

    def app(self) -> Application:
        app = open_project(self.cwd, self.environ)
        engines.kept(app.context.store.engine)  # type: ignore[attr-defined]
        return app

    def create(self, title: str = "a task") -> str:
        app = self.app()
        made = app.tasks.create(ALICE, title).task
        app.close()
        return made

    def rows(self) -> int:
        """How many rows the journal has, without those that say where it was moved to; it is whole."""
        app = self.app()
        report = app.audit.verify()
        app.close()
        assert report.findings == ()
        return report.rows - self.moves()

    def engine(self) -> str:
        app = self.app()
        name: str = app.context.store.engine.name  # type: ignore[attr-defined]
        app.close()
        return name

    def files(self) -> dict[str, bytes]:
        """All files that matter, with their content."""
        ignored = (".lock", "-wal", "-shm")
        return {
            path.name: path.read_bytes() for path in sorted(self.folder.iterdir()) if not path.name.endswith(ignored)
        }

    def store_files(self) -> list[str]:
        return sorted(path.name for path in self.folder.glob("store*") if path.suffix != ".lock")


def clone_of(project: Project, path: Path) -> str:
    project.checkout.git("clone", "-q", project.cwd, str(path))
    return str(path)


def as_role(server: engines.Server, name: str) -> str:
    """The server's address for another role."""
    return server.url.replace("postgres:@", f"{name}@")


@contextmanager
def roles(server: engines.Server, *words: str) -> Iterator[list[str]]:
    """Ordinary login roles, who may do nothing yet."""
    names = [f"{word}_{engines.new_project()}" for word in words]
    for name in names:
        server.run(f'CREATE ROLE "{name}" LOGIN')
    yield names
    for name in names:
        server.run(f'DROP OWNED BY "{name}" CASCADE')
        server.run(f'DROP ROLE "{name}"')
