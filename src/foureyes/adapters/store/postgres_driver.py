"""Loads psycopg without the imports that a short command never uses.

psycopg loads asyncio, logging, ctypes and more, creates classes for types that no column has, and doubles each class
for asyncio. That makes short commands slow. During its import, stand-ins replace these modules and answer the usual
import-time lookups. Any other lookup, then or later, loads the real module. Modules already loaded stay. If a version
of psycopg fails to load this way, it is loaded normally.
"""

from __future__ import annotations

import importlib
import re
import sys
import typing
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

DRIVER = "psycopg"


class StandIn(ModuleType):
    """A stand-in for a module while the driver is imported. `ready` holds attributes that need no module."""

    def __init__(self, name: str, **ready: object) -> None:
        super().__init__(name)
        self.__dict__.update(ready)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(real(self.__name__), name)


class Unused:
    """A stand-in for asyncio classes in the driver's unused asynchronous half."""

    def __class_getitem__(cls, item: object) -> type[Unused]:
        return cls


class NeverRaised(BaseException):
    """A stand-in for asyncio's `CancelledError`."""


class Logger:
    """A stand-in for a logger. It drops debug messages and passes all others to `logging`."""

    level = 30

    def __init__(self, name: str | None = None) -> None:
        self._name = name

    def debug(self, *args: object, **options: object) -> None:
        """Drop a debug message."""

    def __getattr__(self, name: str) -> Any:
        return getattr(real("logging").getLogger(self._name), name)


class LatePattern:
    """A stand-in for a regular expression, compiled on first use because most are never used."""

    def __init__(self, *args: Any) -> None:
        self._args = args

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.__dict__["_made"] = made = self.__dict__.get("_made") or re.compile(*self._args)
        return getattr(made, name)


class Field:
    """A stand-in for `dataclasses.field`. A result of `fields_of` has only a name."""

    def __init__(self, name: str = "", **options: Any) -> None:
        self.name = name
        self.options = options

    def value(self) -> Any:
        """Return the default value."""
        make = self.options.get("default_factory")
        return make() if make else self.options["default"]


def data_class(made: type | None = None, **options: object) -> Any:
    """Replace `dataclasses.dataclass` for classes that are only instantiated. Compiles nothing and adds no comparison."""
    if made is None:
        return lambda late_made: data_class(late_made, **options)
    names = list(vars(made).get("__annotations__", ()))

    def begin(self: object, *args: object, **named: object) -> None:
        given = dict(zip(names, args, strict=False)) | named
        for name in names:
            value = given[name] if name in given else getattr(made, name)
            setattr(self, name, value.value() if isinstance(value, Field) else value)

    made.__init__ = begin  # type: ignore[misc]
    return made


def fields_of(made: type) -> list[Field]:
    """Replace `dataclasses.fields`."""
    return [Field(name) for name in vars(made).get("__annotations__", ())]


def nothing(*args: object, **options: object) -> None:
    """Ignore the registration of a type that no store column has. Such values arrive as text."""


def type_info(name: str, number: int, of_array: int, **_: object) -> Any:
    """Return a range type with only a name and a number."""
    return sys.modules["psycopg._typeinfo"].TypeInfo(name, number, of_array)


def real(name: str) -> ModuleType:
    """Load and return the real module. Stand-ins for its parts become its attributes."""
    parent = name.rpartition(".")[0]
    if parent:
        real(parent)
    for finder in [each for each in sys.meta_path if isinstance(each, StandInFinder)]:
        finder.known.pop(name, None)
    if isinstance(sys.modules.get(name), StandIn):
        del sys.modules[name]
    module = importlib.import_module(name)
    for each in [part for part in sys.modules.values() if isinstance(part, StandIn)]:
        if each.__name__.rpartition(".")[0] == name:
            setattr(module, each.__name__.rpartition(".")[2], each)
    return module


def late(module: str, name: str) -> Callable[..., Any]:
    """Return a function that loads the module on its first call."""
    return lambda *args, **options: getattr(real(module), name)(*args, **options)


def type_variable(name: str, *bounds: Any, **options: Any) -> typing.TypeVar:
    """Replace the `TypeVar` of `typing_extensions`. A default only matters to type checkers."""
    return typing.TypeVar(name, *bounds, **{word: value for word, value in options.items() if word != "default"})


def stand_ins() -> list[StandIn]:
    """Return stand-ins for the driver's imports, with the attributes it needs at import time."""
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
        StandIn("ssl"),  # for the callbacks of an OpenSSL before 1.1, with which this Python is not built
        StandIn("socket"),
        StandIn("ipaddress", ip_address=late("ipaddress", "ip_address")),
        StandIn(
            "dataclasses", dataclass=data_class, field=Field, fields=fields_of, replace=late("dataclasses", "replace")
        ),
    ]


def parts() -> dict[str, dict[str, object]]:
    """Return the unused modules of the driver, with the attributes that other modules import from them."""
    types = ("composite", "datetime", "enum", "json", "net", "numpy", "uuid")
    unused = {f"{DRIVER}.types.{name}": ("register_default_adapters",) for name in types}
    return {
        **{name: dict.fromkeys(words, nothing) for name, words in unused.items()},
        f"{DRIVER}.types.array": {"register_default_adapters": nothing, "register_all_arrays": nothing},
        f"{DRIVER}.types.range": {"register_default_adapters": nothing, "RangeInfo": type_info},
        f"{DRIVER}.types.multirange": {"register_default_adapters": nothing, "MultirangeInfo": type_info},
        f"{DRIVER}._conninfo_attempts_async": {"conninfo_attempts_async": nothing},
        f"{DRIVER}.connection_async": {"AsyncConnection": Unused},
        f"{DRIVER}.cursor_async": {"AsyncCursor": Unused},
        f"{DRIVER}._server_cursor_async": {"AsyncServerCursor": Unused},
        f"{DRIVER}._pipeline_async": {"AsyncPipeline": Unused},
        f"{DRIVER}.raw_cursor": dict.fromkeys(
            ("RawCursor", "RawServerCursor", "AsyncRawCursor", "AsyncRawServerCursor"), Unused
        ),
        f"{DRIVER}.copy": dict.fromkeys(("AsyncCopy", "Copy", "Writer"), Unused),
        f"{DRIVER}._tpc": {"Xid": Unused},
    }


class StandInFinder:
    """An import finder that returns stand-ins for parts of the driver."""

    def __init__(self) -> None:
        self.known = parts()

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in self.known else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return StandIn(spec.name, **self.known[spec.name])

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing, because a stand-in is complete at creation."""


@contextmanager
def standing_in() -> Iterator[None]:
    """Install stand-ins for modules that are not loaded yet and remove them at the end."""
    placed, finder = [each for each in stand_ins() if each.__name__ not in sys.modules], StandInFinder()
    sys.modules.update({each.__name__: each for each in placed})
    for each in placed:
        parent, _, name = each.__name__.rpartition(".")
        if parent:
            setattr(sys.modules[parent], name, each)
    sys.meta_path.insert(0, finder)
    sys.modules["re"] = patterns = LatePatterns()
    try:
        yield
    finally:
        if sys.modules.get("re") is patterns:
            sys.modules["re"] = re
        sys.meta_path.remove(finder)
        for each in [*placed, *[part for part in map(sys.modules.get, finder.known) if isinstance(part, StandIn)]]:
            _take_out(each)


class LatePatterns(ModuleType):
    """A stand-in for `re` with lazy patterns."""

    def __init__(self) -> None:
        super().__init__("re")
        self.compile = LatePattern

    def __getattr__(self, name: str) -> Any:
        return getattr(re, name)


def _take_out(stand_in: StandIn) -> None:
    """Remove a stand-in so that later imports get the real module."""
    if sys.modules.get(stand_in.__name__) is stand_in:
        del sys.modules[stand_in.__name__]
    parent, _, name = stand_in.__name__.rpartition(".")
    if parent in sys.modules and vars(sys.modules[parent]).get(name) is stand_in:
        delattr(sys.modules[parent], name)


def load() -> None:
    """Import the driver. Raise ImportError if it is not installed."""
    if DRIVER in sys.modules:
        return
    with suppress(Exception), standing_in():
        importlib.import_module(DRIVER)
    importlib.import_module(DRIVER)  # is there; or a version that cannot be loaded so; or there is none
