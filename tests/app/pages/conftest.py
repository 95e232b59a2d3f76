"""Two machines, one remote, one store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stage.clones import clones_in
from tests.stage.wires import Wired


@pytest.fixture(scope="session")
def two_clones(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A remote and two clones that are made once and copied for every test."""
    return clones_in(tmp_path_factory.mktemp("pages"))


@pytest.fixture
def clones(two_clones: Path, tmp_path: Path) -> Iterator[Wired]:
    made = Wired(two_clones, tmp_path)
    yield made
    made.close()
