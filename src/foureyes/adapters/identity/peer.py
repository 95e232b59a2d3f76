"""Identifies the peer of a run's socket by the process tree above it, as if the peer had called observe(). The server's
own identity does not matter. (I2, I3)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from foureyes.adapters.identity.alive import own
from foureyes.adapters.identity.process_tree import ProcessTree, itself, read_tree
from foureyes.adapters.identity.procfs import NotProc, root
from foureyes.adapters.identity.programs import is_foureyes
from foureyes.adapters.identity.recognition import actor_from, refuse_typed_name
from foureyes.core.nouns.session import RUN_MARK, Actor

NOBODY: Mapping[str, str] = {RUN_MARK: "agent"}
"""Environment assumed if one is unreadable: that of a child of Foureyes without rights. (G1)"""


def caller(
    pid: int,
    uid: int,
    is_there: Callable[[], bool],
    *,
    token: str,
    asserted: str = "",
    programs: Sequence[str] = (),
) -> Actor:
    """Return the actor for a pid and the token it showed.

    A process of another user, one that ended, or one whose pid may have been reused gets no tree. `is_there` is called
    last to detect that.
    """
    refuse_typed_name(token, asserted)
    tree, environ = (_tree_of(pid), _environ_of(pid)) if pid > 0 and uid == os.geteuid() else (ProcessTree(), NOBODY)
    if not is_there():
        tree, environ = ProcessTree(), NOBODY
    return actor_from(tree, environ, token=token, asserted=asserted, programs=programs)


def _tree_of(pid: int) -> ProcessTree:
    """Return the tree above a process, with the process itself first unless it is a Foureyes command. The pids are
    those of our own namespace, even if the process is in a sandbox.
    """
    place = own().removeprefix("proc:").rsplit(":", 2)[0]
    tree, process = replace(read_tree(pid=pid), place=place), itself(pid)
    if process is None or is_foureyes(process.names, process.paths):
        return tree
    return replace(tree, ancestors=(process, *tree.ancestors))


def _environ_of(pid: int) -> Mapping[str, str]:
    """Return the initial environment of a process, or NOBODY if unreadable."""
    try:
        with root() as proc:
            place = proc.below(str(pid))
            if place is None:
                return NOBODY
            with place:
                lines = os.fsdecode(place.read("environ")).split("\0")
    except NotProc:
        return NOBODY
    return {name: value for name, is_set, value in (line.partition("=") for line in lines) if is_set}
