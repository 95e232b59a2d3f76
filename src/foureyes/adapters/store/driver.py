"""The driver of PostgreSQL, loaded with less: most of what psycopg imports a short command never uses.

A command on a server's store takes longer than one on a file because psycopg loads asyncio, logging, ctypes and others
besides itself: two thirds of the time. While it is imported, these have stand-ins, which answer what is asked of a
module at that time; whatever else is asked, then or later, loads the module itself. What is loaded already stays what
it is.
"""

from __future__ import annotations

import importlib
import sys
import typing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

DRIVER = "psycopg"


class StandIn(ModuleType):
    """In place of a module while the driver is imported; `ready` is what needs no module."""

    def __init__(self, name: str, **ready: object) -> None:
        super().__init__(name)
        self.__dict__.update(ready)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(real(self.__name__), name)


class Unused:
    """In place of a class of asyncio that the driver's other half is made of: nothing here waits that way."""

    def __class_getitem__(cls, item: object) -> type[Unused]:
        return cls


class NeverRaised(BaseException):
    """In place of asyncio's `CancelledError`."""


class Logger:
    """In place of a logger: nobody reads what is for debugging; anything else is for the one of `logging`."""

    level = 30

    def __init__(self, name: str | None = None) -> None:
        self._name = name

    def debug(self, *args: object, **options: object) -> None:
        """Said to nobody."""

    def __getattr__(self, name: str) -> Any:
        return getattr(real("logging").getLogger(self._name), name)


def real(name: str) -> ModuleType:
    """A module itself, loaded now if it was not; what stands in for a part of it is there as well."""
    parent = name.rpartition(".")[0]
    if parent:
        real(parent)
    if isinstance(sys.modules.get(name), StandIn):
        del sys.modules[name]
    module = importlib.import_module(name)
    for each in [part for part in sys.modules.values() if isinstance(part, StandIn)]:
        if each.__name__.rpartition(".")[0] == name:
            setattr(module, each.__name__.rpartition(".")[2], each)
    return module


def late(module: str, name: str) -> Callable[..., Any]:
    """A function, or a class that is only called, of a module that is loaded when it is."""
    return lambda *args, **options: getattr(real(module), name)(*args, **options)


def type_variable(name: str, *bounds: Any, **options: Any) -> typing.TypeVar:
    """As `typing_extensions` makes one; a default is for type checkers."""
    return typing.TypeVar(name, *bounds, **{word: value for word, value in options.items() if word != "default"})


def stand_ins() -> list[StandIn]:
    """What the driver imports, with what it asks of each while it is loaded."""
    unused = dict.fromkeys(("Task", "Lock", "Queue", "Future", "Event"), Unused)
    return [
        StandIn("asyncio", CancelledError=NeverRaised, get_running_loop=late("asyncio", "get_running_loop"), **unused),
        StandIn("logging", getLogger=Logger, NOTSET=0, DEBUG=10, INFO=20, WARNING=30),
        StandIn("ctypes"),
        StandIn("ctypes.util"),
        StandIn("importlib.metadata", version=lambda name: "", PackageNotFoundError=LookupError),
        StandIn("json", dumps=late("json", "dumps"), loads=late("json", "loads")),
        StandIn("pathlib", Path=late("pathlib", "Path")),
        StandIn("random", shuffle=late("random", "shuffle"), randint=late("random", "randint")),
        StandIn("zoneinfo", ZoneInfo=late("zoneinfo", "ZoneInfo")),
        StandIn("typing_extensions", TypeVar=type_variable),
    ]


@contextmanager
def standing_in() -> Iterator[None]:
    """Stand-ins in the places of what is not loaded yet, until the end."""
    placed = [each for each in stand_ins() if each.__name__ not in sys.modules]
    sys.modules.update({each.__name__: each for each in placed})
    for each in placed:
        parent, _, name = each.__name__.rpartition(".")
        if parent:
            setattr(sys.modules[parent], name, each)
    try:
        yield
    finally:
        for each in placed:
            _take_out(each)


def _take_out(stand_in: StandIn) -> None:
    """Whoever imports that module from now on gets the module."""
    if sys.modules.get(stand_in.__name__) is stand_in:
        del sys.modules[stand_in.__name__]
    parent, _, name = stand_in.__name__.rpartition(".")
    if parent in sys.modules and vars(sys.modules[parent]).get(name) is stand_in:
        delattr(sys.modules[parent], name)


def load() -> None:
    """Import the driver; ImportError where there is none."""
    if DRIVER in sys.modules:
        return
    with standing_in():
        importlib.import_module(DRIVER)
