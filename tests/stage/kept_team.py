"""A team that is made once, as the pages say, and put back after each test: a store that went to a server, a remote, a
clone on each of two machines. The address is in nobody's environment.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from foureyes.adapters.store.postgres import schema_of

from tests import engines
from tests.stage.checkout import AT_ONCE
from tests.stage.commands import Cast, git, new_repository
from tests.stage.copies import copy_tree
from tests.stage.machines import REMOTE, Machine, Team, cloned, has_hosts
from tests.stage.processes import People

CHECK = '\n[[checks]]\nname = "both"\nrun = "! { test -e left.txt && test -e right.txt; }"\n'
"""Green with either file, and red where both are."""
SETTINGS = f"{REMOTE}{AT_ONCE}{CHECK}"
NUMBER = "SELECT oid FROM pg_namespace WHERE nspname = %s"
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1"


class KeptTeam(Team):
    """Both machines; `put_back` leaves everything as it was in the beginning."""

    def __init__(self, folder: Path, server: engines.Server, stack: ExitStack, settings: str) -> None:
        self.folder, self._before, self._people = (folder / name for name in ("here", "before", "people"))
        self.server, self._stack = server, stack
        remote = self.folder / "remote.git"
        alpha = Machine(new_repository(self.folder / "alpha"), self._cast("alpha"), remote)
        self.project = str(alpha.done(alpha.cast.alice, "init")["project"])
        alpha.configure(SETTINGS + settings)
        git(self.folder, "clone", "-q", "--bare", str(alpha.repo), str(remote))
        git(alpha.repo, "remote", "add", "origin", str(remote))
        moved = alpha.run(alpha.cast.alice, "store", "copy", server.url)
        assert moved.rc == 0, moved
        beta = Machine(cloned(remote, self.folder / "beta"), self._cast("beta"), remote)
        super().__init__(alpha, beta)
        self.joined = beta.run(beta.cast.alice, "store", "join", server.url)
        assert self.joined.rc == 0, self.joined
        self.schema = schema_of(self.project)
        self._keep()

    def _cast(self, host: str) -> Cast:
        made = People(self._people / host, host=host if has_hosts() else "")
        return Cast(self._stack.enter_context(made))

    def _keep(self) -> None:
        copy_tree(self.folder, self._before)
        ((self._number,),) = self.server.run(NUMBER, self.schema)
        self._tables = [str(row[0]) for row in self.server.run(TABLES, self.schema)]
        self.server.run(f"CREATE SCHEMA {self._kept}")
        for name in self._tables:
            self.server.run(f"CREATE TABLE {self._kept}.{name} AS TABLE {self.schema}.{name}")

    @property
    def _kept(self) -> str:
        return f"kept_{self.project}"

    def put_back(self) -> None:
        """Clones, remote, homes and the store; what else was made goes."""
        shutil.rmtree(self.folder)
        copy_tree(self._before, self.folder)
        for home in self._people.glob("*/home/*"):
            shutil.rmtree(home)
            home.mkdir()
        self._put_back_schema()
        self.put_back_rows()

    def _put_back_schema(self) -> None:
        """The one that the journal names by its number, wherever a test has brought it."""
        ((own,),) = self.server.run("SELECT nspname FROM pg_namespace WHERE oid = %s", self._number)
        for name in set(self.server.schemas(self.project)) - {own}:
            self.server.run(f'DROP SCHEMA "{name}" CASCADE')
        if own != self.schema:
            self.server.run(f'ALTER SCHEMA "{own}" RENAME TO "{self.schema}"')

    def put_back_rows(self) -> None:
        """Of the store alone: a journal that is whole, and knows nothing of what came since."""
        old = [f"DELETE FROM {self.schema}.{name}" for name in self._tables]
        new = [f"INSERT INTO {self.schema}.{name} TABLE {self._kept}.{name}" for name in self._tables]
        way = ["BEGIN", "SET LOCAL session_replication_role = replica", *old, *new, "COMMIT"]
        self.server.run("; ".join(way))

    def clone(self, name: str) -> Machine:
        """One more on beta, which joined nothing yet."""
        return Machine(cloned(self.remote, self.folder / name), self.beta.cast, self.remote)

    @contextmanager
    def remote_away(self) -> Iterator[None]:
        """Meanwhile nobody reaches the remote."""
        away = self.remote.with_name("away.git")
        self.remote.rename(away)
        yield
        away.rename(self.remote)

    def remove(self) -> None:
        """Nothing of it stays on the server."""
        self.server.run(f"DROP SCHEMA {self._kept} CASCADE")
        self.server.forget(self.project)


@contextmanager
def kept_team(folder: Path, server: engines.Server, settings: str = "") -> Iterator[KeptTeam]:
    """Made in a folder, with more settings than the usual ones."""
    with ExitStack() as stack:
        made = KeptTeam(folder, server, stack, settings)
        yield made
        made.remove()


@pytest.fixture(scope="module")
def own_team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeptTeam]:
    """The one that the tests of a module share."""
    with kept_team(tmp_path_factory.mktemp("team"), engines.server()) as team:
        yield team


@pytest.fixture
def team(own_team: KeptTeam) -> Iterator[KeptTeam]:
    """As it was in the beginning."""
    yield own_team
    own_team.put_back()
