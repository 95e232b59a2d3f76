"""Places for faults and races: a file, and a schema on a server of this test process's own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stage.checkout import quiet_home, template_in
from tests.stage.commands import Cast, Stage, new_repository
from tests.stage.places import Place, ServerPlace
from tests.stage.server import Server


@pytest.fixture(scope="session")
def server(own_server: Server) -> Server:
    """One server per test process."""
    return own_server


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository that is made once and copied."""
    return template_in(tmp_path_factory.mktemp("template"))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git's dates are fixed, so that equal commits have equal names; what killed processes leave in /tmp is in the
    test's own.
    """
    quiet_home(tmp_path / "home", monkeypatch)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_DATE", "2026-03-01T12:00:00Z")


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A project's place, with each engine."""
    if request.param == "sqlite":
        yield Place(tmp_path / "project")
        return
    found = ServerPlace(tmp_path / "project", request.getfixturevalue("server"))
    yield found
    found.remove()


@pytest.fixture(params=["sqlite", "postgres"])
def stored(request: pytest.FixtureRequest, cast: Cast) -> Iterator[Cast]:
    """Everybody, with each engine: the callers' environment says where a store is made."""
    if request.param == "postgres":
        server: Server = request.getfixturevalue("server")
        cast.people.env["FOUREYES_STORE"] = server.url
    yield cast
    cast.people.env.pop("FOUREYES_STORE", None)


@pytest.fixture
def stage(tmp_path: Path, stored: Cast) -> Stage:
    """A project, with each engine."""
    made = Stage(new_repository(tmp_path / "shop"), stored)
    made.done(stored.alice, "init")
    return made
