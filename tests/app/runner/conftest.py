"""A project whose agents are played: what the tests of runs share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.stage.playground import Playground


@pytest.fixture
def ground() -> Iterator[Playground]:
    ground = Playground()
    yield ground
    ground.sound()
    ground.app.close()
