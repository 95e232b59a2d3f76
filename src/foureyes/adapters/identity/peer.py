"""Who is at the other end of a run's socket: what the process tree above that process shows, as if it had looked itself
(I2, I3). Nothing of who looks here goes into it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from foureyes.adapters.identity.alive import own
from foureyes.adapters.identity.observe import actor_from, refuse_typed_name
from foureyes.adapters.identity.process_tree import ProcessTree, itself, read_tree
from foureyes.adapters.identity.procfs import NotProc, root
from foureyes.adapters.identity.programs import is_foureyes
from foureyes.core.nouns.session import RUN_MARK, Actor

NOBODY: Mapping[str, str] = {RUN_MARK: "agent"}
"""What an environment says that cannot be read: something of ours started it, and it has no rights (G1)."""


def caller(
    pid: int,
    uid: int,
    is_there: Callable[[], bool],
    *,
    token: str,
    asserted: str = "",
    programs: Sequence[str] = (),
) -> Actor:
    """The process of this number, with the token that is shown. Who is of another OS user, has ended, or whose number
    may be somebody else's by now (`is_there` is asked last) is not seen at all.
    """
    refuse_typed_name(token, asserted)
    tree, environ = (_tree_of(pid), _environ_of(pid)) if pid > 0 and uid == os.geteuid() else (ProcessTree(), NOBODY)
    if not is_there():
        tree, environ = ProcessTree(), NOBODY
    return actor_from(tree, environ, token=token, asserted=asserted, programs=programs)


def _tree_of(pid: int) -> ProcessTree:
    """The tree above a process; one that is no command of ours speaks for itself, and is the first in it. Its numbers
    mean something where this process is, wherever that one is (a sandbox).
    """
    place = own().removeprefix("proc:").rsplit(":", 2)[0]
    tree, process = replace(read_tree(pid=pid), place=place), itself(pid)
    if process is None or is_foureyes(process.names, process.paths):
        return tree
    return replace(tree, ancestors=(process, *tree.ancestors))


def _environ_of(pid: int) -> Mapping[str, str]:
    """What a process was started with."""
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
