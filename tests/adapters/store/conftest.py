"""Stores of both engines, for tests that look at them from below."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from foureyes.bootstrap.init import create_project

from tests import engines
from tests.adapters.store.shop import full_world
from tests.stage.checkout import PROJECT, copy_of, quiet_home, template_in
from tests.stage.on_server import Project
from tests.stage.people import ALICE
from tests.stage.world import DeskWorld


@pytest.fixture(params=engines.NAMES)
def on(request: pytest.FixtureRequest) -> str:
    """The name of an engine: each test that asks for it, or for what is made with it, runs on both."""
    name: str = request.param
    return name


@pytest.fixture
def place(on: str, tmp_path: Path) -> engines.Place:
    """Where a store can be made and opened by several connections."""
    return engines.Place(on, tmp_path / "folder")


@pytest.fixture
def desk(on: str) -> DeskWorld:
    """A world on either engine, with nothing but its project in it."""
    return DeskWorld(store=engines.new_store(PROJECT, on))


@pytest.fixture
def full(on: str) -> DeskWorld:
    """A world on either engine with rows in every table."""
    return full_world(on)


@pytest.fixture
def shelved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A home of one's own; stores on the server were made already."""
    quiet_home(tmp_path / "home", monkeypatch)
    with engines.from_the_shelf():
        yield


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A repository with a project on SQLite, to be copied, and the project's id. One test after the other has it in
    this process, and what it had on the server is gone after each.
    """
    path = template_in(tmp_path_factory.mktemp("made"))
    return path, create_project(str(path), {}, ALICE, prefix="fe", target=None, commit=True).project


@pytest.fixture
def project(shelved: None, made: tuple[Path, str], tmp_path: Path, server: engines.Server) -> Project:
    """A project on SQLite, in a repository, with a server that it can move to."""
    template, name = made
    return Project(copy_of(template, tmp_path / "project"), server, made=name)
