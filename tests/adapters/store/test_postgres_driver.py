"""psycopg is loaded without what a short command never uses, and works as ever."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from ctypes.util import find_library
from types import ModuleType

import pytest

from foureyes.adapters.store.postgres_driver import (
    Field,
    LatePattern,
    Logger,
    StandIn,
    data_class,
    fields_of,
    late,
    real,
    standing_in,
    type_variable,
)

from tests import engines

FOUND = """
import sys
before = set(sys.modules)
from foureyes.adapters.store import postgres_driver as driver
driver.load()
from foureyes.adapters.store.postgres import schemas
import json, logging
import psycopg
loaded = sorted({"asyncio", "ctypes", "zoneinfo", "random", "importlib.metadata"} & (set(sys.modules) - before))
left = sorted(name for name, module in sys.modules.items() if isinstance(module, driver.StandIn))
row = psycopg.connect(sys.argv[1]).execute("SELECT 1, 'a', 1.5::float8, '{\\"a\\": 1}'::json, true").fetchone()
print(json.dumps([psycopg.pq.__impl__, loaded, left, schemas(sys.argv[1], "none_such"), row]))
"""


IMPLEMENTATIONS = ["binary", *(["python"] if find_library("pq") else [])]
"""psycopg in C, with a library of its own; and without, by the library of the system."""


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_the_driver_works_and_most_of_what_it_imports_is_not_loaded(
    server: engines.Server, implementation: str
) -> None:
    command = [sys.executable, "-c", FOUND, server.url]
    env = {"PSYCOPG_IMPL": implementation, "PYTHONPATH": ":".join(filter(None, sys.path))}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stderr
    used, loaded, left, *answers = json.loads(done.stdout)
    assert (used, left, answers) == (implementation, [], [[], [1, "a", 1.5, '{"a": 1}', True]])
    if implementation == "binary":
        assert loaded == []


ANOTHER = """
import sys
from foureyes.adapters.store import postgres_driver as driver
parts = driver.parts
driver.parts = lambda: parts() | {wrong}
driver.load()
import psycopg
from foureyes.adapters.store.postgres import asked
whole = "psycopg.types.net" in sys.modules and not isinstance(sys.modules["psycopg.types.net"], driver.StandIn)
try:
    asked(sys.argv[1], "SELECT no_such_column, %(name)s", "a")
except Exception as wrong:
    print(whole, type(wrong.__cause__).__name__, asked(sys.argv[1], "SELECT %(name)s", "a"))
"""


@pytest.mark.parametrize(
    ("wrong", "is_whole"),
    [
        ('{"psycopg.errors": {}}', False),
        ('{"psycopg.types.range": {"register_default_adapters": driver.nothing, "RangeInfo": None}}', True),
    ],
)
def test_another_version_that_asks_more_of_its_parts_gets_it_or_is_loaded_as_it_is(
    server: engines.Server, wrong: str, is_whole: bool
) -> None:
    command = [sys.executable, "-c", ANOTHER.replace("{wrong}", wrong), server.url]
    env = {"PYTHONPATH": ":".join(filter(None, sys.path))}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.stdout == f"{is_whole} UndefinedColumn [('a',)]\n", done.stderr


def test_a_class_without_dataclasses_has_its_fields_and_defaults() -> None:
    class Plain:
        x: int
        y: int = 5
        names: list[str] = Field(default_factory=list)  # type: ignore[assignment]

    point = data_class(Plain)
    one, other = point(1, names=["a"]), point(x=2)
    assert (one.x, one.y, one.names, other.x, other.names) == (1, 5, ["a"], 2, [])
    assert other.names is not point(x=2).names
    assert [field.name for field in fields_of(Plain)] == ["x", "y", "names"]
    assert data_class(order=True)(Plain) is Plain


def test_a_pattern_is_compiled_when_it_is_used() -> None:
    broken, whole = LatePattern("("), LatePattern("a+", re.IGNORECASE)
    assert whole.sub("b", "xAAx") == "xbx"
    with pytest.raises(re.error):
        broken.match("x")
    with pytest.raises(AttributeError):
        whole.__wrapped__  # noqa: B018 - asked for


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module that nobody has loaded."""
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    yield "colorsys"
    sys.modules.pop("colorsys", None)


def test_a_stand_in_answers_what_is_ready_and_loads_the_module_for_the_rest(unloaded: str) -> None:
    stand_in = StandIn(unloaded, ONE_SIXTH="ready")
    sys.modules[unloaded] = stand_in
    assert stand_in.ONE_SIXTH == "ready"
    assert sys.modules[unloaded] is stand_in
    assert callable(stand_in.rgb_to_hls)
    assert isinstance(sys.modules[unloaded], ModuleType)
    assert not isinstance(sys.modules[unloaded], StandIn)
    with pytest.raises(AttributeError):
        stand_in.__path__  # noqa: B018 - asked for


def test_a_late_function_is_the_real_one_when_it_is_called(unloaded: str) -> None:
    converted = late(unloaded, "rgb_to_hsv")
    assert unloaded not in sys.modules
    assert converted(0, 0, 0) == (0.0, 0.0, 0)
    assert real(unloaded) is sys.modules[unloaded]


def test_what_is_loaded_stays_and_afterwards_nothing_stands_in() -> None:
    before = dict(sys.modules)
    with standing_in():
        assert sys.modules["json"] is json
    assert {name: sys.modules.get(name) for name in before} == before
    assert not [name for name, module in sys.modules.items() if isinstance(module, StandIn)]


def test_a_logger_says_nothing_for_debugging_and_warnings_as_ever() -> None:
    logger, handler, messages = Logger("psycopg.tried"), logging.Handler(), list[str]()
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("psycopg").addHandler(handler)
    try:
        logger.debug("connection attempt: %s", "x")
        logger.warning("error ignored: %s", "y")
    finally:
        logging.getLogger("psycopg").removeHandler(handler)
    assert messages == ["error ignored: y"]


def test_a_type_variable_may_have_a_default() -> None:
    assert type_variable("T", default=int).__name__ == "T"
