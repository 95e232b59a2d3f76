"""What all tests share: both engines, and that nothing of them is left behind."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator

import pytest

from tests import engines


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "on(engine): a test of the application that runs on this engine only")


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


MANY, STRIDE = 24, 5
"""A test with more variants than that runs, day by day, with every fifth of them (odd, so that both engines have their
turn) and the last; `make nightly` runs all.
"""

FEW = {"races": 4, "faults": 6, "app": 10, "adapters": 10}
"""Where a case takes long: with more variants than that, every third of them and the last."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is one more case of the same, unless it is night or a test was named."""
    if os.environ.get("FOUREYES_NIGHTLY") or any("::" in arg for arg in config.args):
        return
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    kept = {id(item) for name, some in cases.items() for item in _kept(name, some)}
    left_out = {id(item) for item in items} - kept
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if id(item) in left_out])
        items[:] = [item for item in items if id(item) not in left_out]


def _kept(name: str, cases: list[pytest.Item]) -> list[pytest.Item]:
    room = name.split("/")[1] if "/" in name else ""
    stride = STRIDE if len(cases) > MANY else 3 if len(cases) > FEW.get(room, MANY) else 1
    return cases if stride == 1 else [*cases[::stride], cases[-1]]
