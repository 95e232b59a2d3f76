"""Fixtures of command-line tests. The template repository is made once per test process, as the cast is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage.checkout import copied
from tests.stage.commands import Cast, Stage, new_repository


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
