"""Writes objects for the gate: commits, refs, exported trees and checkpoints. Each module is loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.adapters.git.objects import checkpoints as checkpoints
    from foureyes.adapters.git.objects import export as export
    from foureyes.adapters.git.objects import merge as merge
    from foureyes.adapters.git.objects import refs as refs


MODULES = frozenset({"checkpoints", "export", "merge", "refs"})


def __getattr__(name: str) -> object:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return import_module(f"{__name__}.{name}")
