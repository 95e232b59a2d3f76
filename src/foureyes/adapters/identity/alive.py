"""Whether a process that is on record still runs: a lease of a dead one is free (Q4).

Only Linux tells machines and boots apart (`/proc`); elsewhere nothing is known to be gone: a lease ends by its time.
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
    """The evidence of this process, as I3 has it; empty where it cannot be read."""
    return _evidence(os.getpid())


def of(pid: int) -> str:
    """The evidence of a process of this machine; empty where it cannot be read, or there is none."""
    evidence = _evidence(pid)
    return "" if evidence == GONE else evidence


def is_gone(evidence: str) -> bool:
    """Shown to have ended: of this machine and this boot, and not there any more. What cannot be known is not gone
    (G1).
    """
    place, pid, start = _parts(evidence)
    if not (NUMBER.fullmatch(pid) and NUMBER.fullmatch(start)) or not place or place != _parts(own())[0]:
        return False
    return _evidence(int(pid)) not in ("", evidence)


def _parts(evidence: str) -> tuple[str, str, str]:
    """Boot and namespace, pid, start."""
    rest, _, start = evidence.rpartition(":")
    place, _, pid = rest.rpartition(":")
    return place, pid, start


def _evidence(pid: int) -> str:
    """The evidence of a process; `gone` where there is none of that number, or only its exit code (a zombie); empty
    where that cannot be known: no `/proc` that counts, or a process of somebody else that it hides.
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
    """Whether a process has this number, also one that `/proc` hides from us (`hidepid`)."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True
