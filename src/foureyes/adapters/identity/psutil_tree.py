"""Reads processes through psutil on systems without Linux's `/proc`. (I3, I5)

Executables and command lines of other users may be hidden there, but not their names. A walk that does not reach the
top is unreadable, as on Linux.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from foureyes.adapters.identity.process_tree import Process, ProcessTree, program_of

TOP = frozenset({0, 1})


def place() -> str:
    """Return the scope of pids.

    It is constant, because the boot time moves with the clock there. The start time of a process distinguishes boots.
    It names no machine, so it never proves that a process has ended.
    """
    return f"{sys.platform}:0"


def read_tree() -> ProcessTree:
    """Return the ancestors of this process up to the top. Without psutil the tree is unreadable."""
    psutil = _psutil()
    if psutil is None:
        return ProcessTree()
    ancestors: list[Process] = []
    try:
        own = psutil.Process()
        for above in own.parents():
            ancestors.append(_process(psutil, above))
        terminal = str(own.terminal() or "").removeprefix("/dev/")
    except psutil.Error:
        return ProcessTree(ancestors=tuple(ancestors), place=place())
    return ProcessTree(
        ancestors=tuple(ancestors),
        readable=bool(ancestors) and ancestors[-1].pid in TOP,
        leader=os.getsid(0),
        terminal=terminal,
        place=place(),
    )


def _process(psutil: Any, above: Any) -> Process:
    def ask(question: Callable[[], Any], otherwise: Any) -> Any:
        try:
            return question() or otherwise
        except psutil.AccessDenied:
            return otherwise

    names, paths, words = program_of(ask(above.exe, ""), above.name(), partial(ask, above.cmdline, []))
    return Process(pid=above.pid, start=_start(above), names=names, paths=paths, words=words)


def _start(process: Any) -> int:
    """Return the start time in milliseconds, the same for every caller."""
    return int(process.create_time() * 1000)


def _psutil() -> Any:
    try:
        return import_module("psutil")
    except ImportError:
        return None
