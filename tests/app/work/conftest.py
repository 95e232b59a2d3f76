"""Two machines whose project names no remote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stage.clones import ALONE, Clones, clones_in, copy_clones


@pytest.fixture(scope="session")
def alone_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return clones_in(tmp_path_factory.mktemp("alone"), ALONE)


@pytest.fixture
def strangers(alone_template: Path, tmp_path: Path) -> Iterator[Clones]:
    """The project names no remote."""
    made = Clones(copy_clones(alone_template, tmp_path))
    yield made
    made.close()
