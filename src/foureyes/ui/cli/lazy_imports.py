"""Lazy imports: modules that click and msgspec load but hardly any command uses."""

from __future__ import annotations

import builtins
import sys
import typing
from _thread import RLock, _local
from types import ModuleType
from typing import Any

LOADING = RLock()


class LaterModule(ModuleType):
    """A module that loads on first use and stays the same object. `ready` has attributes that are available without
    loading it.
    """

    def __init__(self, name: str, **ready: object) -> None:
        super().__init__(name)
        self.__dict__.update(ready)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        with LOADING:
            if type(self) is LaterModule and "_loading" not in self.__dict__:
                self._load()
        return ModuleType.__getattribute__(self, name)

    def _load(self) -> None:
        from importlib.util import module_from_spec

        parent = self.__name__.rpartition(".")[0]
        path = sys.modules[parent].__path__ if parent else None
        spec = next(spec for finder in sys.meta_path if (spec := finder.find_spec(self.__name__, path)))
        assert spec.loader is not None
        self.__dict__.update(module_from_spec(spec).__dict__, _loading=True)
        spec.loader.exec_module(self)
        del self.__dict__["_loading"]
        self.__class__ = ModuleType  # type: ignore[assignment]  # last: until now other threads wait for it


def lighten() -> None:
    """Replace modules with lazy ones before click and msgspec are imported."""
    for later in (
        # Messages of click stay English, so no catalogue is searched.
        LaterModule("gettext", gettext=lambda text: text, ngettext=lambda one, more, n: one if n == 1 else more),
        LaterModule("inspect", cleandoc=clean_help),
        LaterModule("textwrap"),
        LaterModule("threading", local=_local),
        LaterModule("msgspec.inspect"),
        LaterModule("msgspec.msgpack"),
        LaterModule("msgspec.toml"),
        LaterModule("msgspec.yaml"),
    ):
        sys.modules.setdefault(later.__name__, later)
    if sys.version_info < (3, 12):  # Python 3.12 imports the C module by itself
        import _datetime  # type: ignore[import-not-found]

        sys.modules.setdefault("datetime", _datetime)
    if "typing_extensions" not in sys.modules:
        _import_them()


def clean_help(text: str) -> str:
    """Return a help text as click cleans it. Only a text of several lines loads `inspect`."""
    if "\n" not in text and text == text.expandtabs().strip():
        return text
    inspect: Any = sys.modules["inspect"]
    inspect.getdoc  # noqa: B018 - loads it
    cleaned: str = inspect.cleandoc(text)
    return cleaned


def _import_them() -> None:
    """Import click and msgspec without `typing_extensions`, which Python 3.11 makes unnecessary, and without `decimal`
    and `uuid`, whose values no struct holds. Stand-ins replace them.
    """
    hidden: dict[str, Any] = {"typing_extensions": None} | {
        name: _stand_in(name, *types) for name, types in _UNUSED.items() if name not in sys.modules
    }
    sys.modules.update(hidden)
    checked, typing.TypedDict = typing.TypedDict, _Unchecked  # type: ignore[assignment]
    typing.compile = lambda *_: _UNREAD  # type: ignore[attr-defined]
    try:
        import click  # noqa: F401
        import msgspec  # noqa: F401
    finally:
        typing.TypedDict = checked
        del typing.compile  # type: ignore[attr-defined]
        for name in hidden:
            del sys.modules[name]
    _read_fields_quickly(sys.modules["msgspec._utils"])


_UNREAD = (lambda: object).__code__
"""Stand-in for compiled annotations. The first `compile` of a process creates a type for every syntax node, which takes
longer than loading msgspec.
"""


def _read_fields_quickly(msgspec_utils: Any) -> None:
    """Make msgspec look up one-word annotations instead of compiling them."""
    if hasattr(msgspec_utils, "_forward_ref") and (slowly := getattr(msgspec_utils, "_eval_type", None)):
        msgspec_utils._forward_ref = str
        msgspec_utils._eval_type = lambda kind, inner, outer: slowly(_meant(kind, inner, outer), inner, outer)


def _meant(kind: Any, inner: dict[str, Any], outer: dict[str, Any]) -> Any:
    """Return the type that an annotation names. `outer` is the class's module and comes first, as in msgspec."""
    if type(kind) is not str:
        return kind
    for words in (outer, inner, vars(builtins)):
        if kind in words:
            return words[kind]
    return eval(kind, inner, outer)  # noqa: S307 - an annotation of a class, as msgspec evaluates it


class _Unchecked(dict[str, Any]):
    """Stand-in for `TypedDict`, which would compile annotations that only type checkers need."""

    def __init_subclass__(cls, **_: object) -> None:
        pass


_UNUSED = {"decimal": ("Decimal",), "uuid": ("UUID", "SafeUUID")}
"""Modules that click and msgspec load only for their types."""


def _stand_in(name: str, *types: str) -> ModuleType:
    """Return a module with types that have no instances."""
    module = ModuleType(name)
    for each in types:
        setattr(module, each, type(each, (), {"unknown": None}))
    return module
