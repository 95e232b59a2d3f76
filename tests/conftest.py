"""What all tests share: both engines, a server and a cast for each test process; and nothing of them is left behind."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from foureyes.adapters.store import store, store_files

from tests import engines
from tests.stage import night, order, reported, rewritten, scratch
from tests.stage.commands import Cast
from tests.stage.processes import People
from tests.stage.server import Server, running_server

# The machine may be busy: no test asserts a time. By day the same examples every time, so that what falls fell by the
# change; new ones are looked for by night.
settings.register_profile(
    "foureyes", deadline=None, derandomize=not night.NIGHT, max_examples=night.plays("random values")
)
settings.load_profile("foureyes")
PLACE = scratch.take_place()
HOME = scratch.Run.folder / "home"
"""The suite brings its own git identity: a fresh machine has none, and a developer's configuration is not part of a test."""
HOME.mkdir(exist_ok=True)
(HOME / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n")
os.environ["HOME"] = str(HOME)
gc.disable()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "on(engine): a test of the application that runs on this engine only")
    config.pluginmanager.register(night.Report(), "night")
    config.pluginmanager.register(night.Leaving(), "leaving")
    rewritten.ahead(config)
    reported.begin(config)
    if not night.NIGHT:
        store.scratch = engines.scratch_again
        store_files.migrate = engines.migrate_again  # type: ignore[attr-defined]
        # Else the syntax of every module is read for constants to draw: two seconds of every worker in a new checkout.
        providers._get_local_constants = Constants


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Half as many again as there are processors: a test that waits, for a process or an approval, needs none.
    Each more collects all tests and makes its own people and projects: with twice as many a run took longer.
    """
    return (os.cpu_count() or 2) * 3 // 2


def pytest_sessionfinish(exitstatus: int) -> None:
    if PLACE:
        PLACE.has_failed = exitstatus != 0


def pytest_unconfigure() -> None:
    engines.end_of_run()
    # Else pytest looks five times, and Python once more, through all that ten thousand tests have made: ten seconds in
    # which nobody tests.
    gc.freeze()


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


@pytest.fixture(scope="session")
def own_server() -> Iterator[Server]:
    """A PostgreSQL of this test process alone: it may be stopped."""
    with running_server() as started:
        yield started


@pytest.fixture(scope="session")
def cast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cast]:
    """Fake agents, a person and a service; the same ones for all tests of this process, each test has its own store."""
    with People(tmp_path_factory.mktemp("people")) as people:
        yield Cast(people)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers > 1:
        items[:] = order.dealt(items, workers)


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end: nobody looks through them for garbage."""
    gc.freeze()
    gc.set_threshold(150_000, 20, 20)
    gc.enable()
