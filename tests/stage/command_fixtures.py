"""Fixtures of command-line tests. The cast and the template repository are made once per test process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stage.checkout import copied
from tests.stage.commands import Cast, Stage, new_repository
from tests.stage.processes import People


@pytest.fixture(scope="session")
def cast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cast]:
    """Fake agents, a person and a service; the same ones for all tests of this process, each test has its own store."""
    with People(tmp_path_factory.mktemp("people")) as people:
        yield Cast(people)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory, cast: Cast) -> Path:
    """A repository in which a person ran `fe init`. Copy it, never use it."""
    repo = new_repository(tmp_path_factory.mktemp("template") / "shop")
    made = cast.alice.fe("init", cwd=repo)
    assert made.rc == 0, made
    return repo


@pytest.fixture
def stage(tmp_path: Path, template: Path, cast: Cast) -> Stage:
    """A fresh repository with a project."""
    return Stage(copied(template, tmp_path / "shop"), cast)


@pytest.fixture
def bare_repo(tmp_path: Path) -> Path:
    """A fresh repository without a project."""
    return new_repository(tmp_path / "plain")
