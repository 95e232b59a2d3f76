"""The terminal app is tried over a project that is built once and copied."""

from __future__ import annotations

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
