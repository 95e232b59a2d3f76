"""Tells if a recorded process still runs, because the lease of a dead process is free. (Q4)

Only Linux distinguishes machines and boots (`/proc`). On other systems no process counts as gone, and a lease ends when
its time is over.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from foureyes.adapters.identity.process_tree import namespace_name

if TYPE_CHECKING:
    from foureyes.adapters.identity.procfs import ProcDirectory

ENDED = frozenset({b"Z", b"X"})
NUMBER = re.compile(r"[0-9]{1,20}")
GONE = "gone"


def own() -> str:
    """Return the evidence of this process, or an empty string if unreadable. (I3)"""
    return _evidence(os.getpid())


def of(pid: int) -> str:
    """Return the evidence of a process on this machine, or an empty string if it is absent or unreadable."""
    evidence = _evidence(pid)
    return "" if evidence == GONE else evidence


def is_gone(evidence: str) -> bool:
    """Return True if the process has certainly ended: it belongs to this machine and boot, and no longer exists.
    (G1)
    """
    place, pid, start = _parts(evidence)
    if not (NUMBER.fullmatch(pid) and NUMBER.fullmatch(start)) or not place or place != _parts(own())[0]:
        return False
    return _evidence(int(pid)) not in ("", evidence)


def _parts(evidence: str) -> tuple[str, str, str]:
    """Return boot and namespace, pid, and start time."""
    rest, _, start = evidence.rpartition(":")
    place, _, pid = rest.rpartition(":")
    return place, pid, start


def _evidence(pid: int) -> str:
    """Return the evidence of a process, GONE for an unused pid or a zombie, or "" if unknown.

    It is unknown without a valid `/proc`, or if `/proc` hides another user's process.
    """
    if not sys.platform.startswith("linux"):
        return ""
    from foureyes.adapters.identity.procfs import NotProc, root

    try:
        with root() as proc:
            here = proc.below(str(os.getpid()))
            if here is None:
                return ""
            with here:
                place = namespace_name(proc, here)
            return _of(proc.below(str(pid)), pid, place) if place else ""
    except NotProc:
        return ""


def _of(directory: ProcDirectory | None, pid: int, place: str) -> str:
    fields: list[bytes] = []
    if directory is not None:
        with directory:
            fields = directory.read("stat").rpartition(b")")[2].split()
    if len(fields) <= 19:
        return "" if _is_somebodys(pid) else GONE
    return GONE if fields[0] in ENDED else f"proc:{place}:{pid}:{int(fields[19])}"


def _is_somebodys(pid: int) -> bool:
    """Return True if a process has this pid, even one hidden from us (`hidepid`)."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True
