from pathlib import Path

import pytest

from tests.adapters.agents.bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)
