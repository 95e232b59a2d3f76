"""The terminal app is tried over a project that is built once and copied."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ui.tui.stage import Seat, build


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project to be copied."""
    return build(tmp_path_factory.mktemp("seat") / "shop")


@pytest.fixture
def seat(project: Path, tmp_path: Path) -> Iterator[Seat]:
    """A project of its own for one test."""
    place = Seat(project, tmp_path / "shop")
    yield place
    place.close()


@pytest.fixture(autouse=True)
def _rarely_collected() -> Iterator[None]:
    """An app is many small objects that live as long as their test: looking through them often costs a seventh."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 50, 100)
    yield
    gc.set_threshold(*before)
