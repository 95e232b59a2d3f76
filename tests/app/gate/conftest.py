"""Two machines, one remote, one store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stage.wires import Wired


@pytest.fixture
def clones(shared_template: Path, tmp_path: Path) -> Iterator[Wired]:
    made = Wired(shared_template, tmp_path)
    yield made
    made.close()
