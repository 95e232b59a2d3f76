"""What all tests share: both engines, and that nothing of them is left behind."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests import engines
from tests.stage import night, scratch

# The machine may be busy: no test asserts a time.
settings.register_profile("foureyes", deadline=None)
settings.load_profile("foureyes")
scratch.take_place()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "on(engine): a test of the application that runs on this engine only")
    config.pluginmanager.register(night.Report(), "night")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Half as many again as there are processors: a test that waits, for a process or for an approval to settle, needs
    none.
    """
    return (os.cpu_count() or 2) * 3 // 2


def pytest_unconfigure() -> None:
    engines.end_of_run()


@pytest.fixture(autouse=True)
def _engines_are_tidied() -> Iterator[None]:
    with engines.tidied():
        yield


@pytest.fixture(scope="module")
def _modules_engines_are_tidied() -> Iterator[None]:
    """For fixtures of a module that make stores: ask for this one first."""
    with engines.tidied():
        yield


@pytest.fixture
def server() -> engines.Server:
    """A real PostgreSQL, the same one for all tests of the run."""
    return engines.server()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    night.leave_for_the_night(config, items)
