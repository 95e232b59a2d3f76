"""Worlds: with real git in a temporary directory, or with a scripted repository where git does not matter.

Every test of this folder runs on both engines, unless a mark `on` names one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import engines
from tests.stage.checkout import SETTINGS, Checkout, copy_of, quiet_home, template_in
from tests.stage.clones import clones, shared_template
from tests.stage.world import DeskWorld, GitWorld

__all__ = ["clones", "shared_template"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    mark = metafunc.definition.get_closest_marker("on")
    metafunc.parametrize("on_engine", mark.args if mark else engines.NAMES, indirect=True, scope="session")


@pytest.fixture(scope="session")
def on_engine(request: pytest.FixtureRequest) -> str:
    """The name of the engine a test runs on; SQLite where it cannot be said (unittest's)."""
    name: str = getattr(request, "param", "sqlite")
    return name


@pytest.fixture(autouse=True)
def _worlds_are_made_there(on_engine: str) -> Iterator[None]:
    with engines.worlds_on(on_engine):
        yield


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that is made once and copied for every test."""
    return template_in(tmp_path_factory.mktemp("template"), SETTINGS)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quiet_home(tmp_path / "home", monkeypatch)


@pytest.fixture
def checkout(template: Path, tmp_path: Path) -> Checkout:
    return copy_of(template, tmp_path / "project")


@pytest.fixture
def world(checkout: Checkout) -> Iterator[GitWorld]:
    world = GitWorld(checkout)
    yield world
    world.sound()
    world.app.close()


@pytest.fixture
def desk() -> Iterator[DeskWorld]:
    world = DeskWorld()
    yield world
    world.sound()
    world.app.close()
