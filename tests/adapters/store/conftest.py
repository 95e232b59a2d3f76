"""Stores of both engines, for tests that look at them from below."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import engines
from tests.adapters.store.shop import full_world
from tests.stage.checkout import PROJECT
from tests.stage.world import DeskWorld


@pytest.fixture(params=engines.NAMES)
def on(request: pytest.FixtureRequest) -> str:
    """The name of an engine: each test that asks for it, or for what is made with it, runs on both."""
    name: str = request.param
    return name


@pytest.fixture
def place(on: str, tmp_path: Path) -> engines.Place:
    """Where a store can be made and opened by several connections."""
    return engines.Place(on, tmp_path / "folder")


@pytest.fixture
def desk(on: str) -> DeskWorld:
    """A world on either engine, with nothing but its project in it."""
    return DeskWorld(store=engines.new_store(PROJECT, on))


@pytest.fixture
def full(on: str) -> DeskWorld:
    """A world on either engine with rows in every table."""
    return full_world(on)
