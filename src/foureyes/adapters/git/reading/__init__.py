"""Reads the facts behind decisions, in the clean room only. Trial merges are written there and nowhere else.

Each module is loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.adapters.git.reading import content as content
    from foureyes.adapters.git.reading import diff as diff
    from foureyes.adapters.git.reading import history as history


MODULES = frozenset({"content", "diff", "history"})


def __getattr__(name: str) -> object:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return import_module(f"{__name__}.{name}")
