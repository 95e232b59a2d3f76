"""The driver of PostgreSQL, loaded with less: most of what psycopg imports a short command never uses.

A command on a server's store takes longer than one on a file because psycopg loads asyncio, logging, ctypes and others
besides itself, makes classes for types that no column has, and doubles each class for asyncio. While it is imported,
these have stand-ins, which answer what is asked of a module at that time; whatever else is asked, then or later, loads
the module itself. What is loaded already stays what it is. Where another version of psycopg does not load so, it is
loaded as it is.
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


class LatePattern:
    """In place of a regular expression: most of them nobody matches with. Compiled when it is used."""

    def __init__(self, *args: Any) -> None:
        self._args = args

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.__dict__["_made"] = made = self.__dict__.get("_made") or re.compile(*self._args)
        return getattr(made, name)


class Field:
    """In place of a `dataclasses.field`; a field itself has a name only."""

    def __init__(self, name: str = "", **options: Any) -> None:
        self.name = name
        self.options = options

    def value(self) -> Any:
        """What it is where nothing was given."""
        make = self.options.get("default_factory")
        return make() if make else self.options["default"]


def data_class(made: type | None = None, **options: object) -> Any:
    """As `dataclasses.dataclass`, for classes of which only instances are made: no comparison, and nothing is compiled
    for them.
    """
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
    """As `dataclasses.fields`."""
    return [Field(name) for name in vars(made).get("__annotations__", ())]


def nothing(*args: object, **options: object) -> None:
    """Types that no column of a store has are not made known; what comes in one of them is text."""


def type_info(name: str, number: int, of_array: int, **_: object) -> Any:
    """A range, as a type with a name and a number."""
    return sys.modules["psycopg._typeinfo"].TypeInfo(name, number, of_array)


def real(name: str) -> ModuleType:
    """A module itself, loaded now if it was not; what stands in for a part of it is there as well."""
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
        StandIn("ssl"),  # for the callbacks of an OpenSSL before 1.1, with which this Python is not built
        StandIn("socket"),
        StandIn("ipaddress", ip_address=late("ipaddress", "ip_address")),
        StandIn(
            "dataclasses", dataclass=data_class, field=Field, fields=fields_of, replace=late("dataclasses", "replace")
        ),
    ]


def parts() -> dict[str, dict[str, object]]:
    """Modules of the driver itself that a store does not use, with what the others ask of them."""
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
    """Finds a stand-in in place of a part of the driver, where `import` looks first."""

    def __init__(self) -> None:
        self.known = parts()

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in self.known else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return StandIn(spec.name, **self.known[spec.name])

    def exec_module(self, module: ModuleType) -> None:
        """It has what it has."""


@contextmanager
def standing_in() -> Iterator[None]:
    """Stand-ins in the places of what is not loaded yet, until the end."""
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
    """In place of `re`, which is loaded."""

    def __init__(self) -> None:
        super().__init__("re")
        self.compile = LatePattern

    def __getattr__(self, name: str) -> Any:
        return getattr(re, name)


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
    with suppress(Exception), standing_in():
        importlib.import_module(DRIVER)
    importlib.import_module(DRIVER)  # is there; or a version that cannot be loaded so; or there is none
