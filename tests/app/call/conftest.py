"""Two machines of a team."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stage.clones import Clones, clones_in, copy_of_clones


@pytest.fixture(scope="session")
def shared_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return clones_in(tmp_path_factory.mktemp("clones"))


@pytest.fixture
def clones(shared_template: Path, tmp_path: Path) -> Iterator[Clones]:
    """The project names the remote that both have."""
    made = copy_of_clones(shared_template, tmp_path)
    yield made
    made.close()
