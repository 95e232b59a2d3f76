"""Whether a process that is on record still runs: a lease of a dead one is free (Q4).

Only Linux tells machines and boots apart (`/proc`); elsewhere nothing is known to be gone: a lease ends by its time.
"""

from __future__ import annotations

import os
import re

from foureyes.adapters.identity.process_tree import place_of

ENDED = frozenset({b"Z", b"X"})
NUMBER = re.compile(r"[0-9]{1,20}")


def own() -> str:
    """The evidence of this process, as I3 has it; empty where it cannot be read."""
    return _evidence(os.getpid())


def is_gone(evidence: str) -> bool:
    """Shown to have ended: of this machine and this boot, and not there any more. What cannot be known is not gone
    (G1).
    """
    place, pid, start = _parts(evidence)
    if not (NUMBER.fullmatch(pid) and NUMBER.fullmatch(start)) or not place or place != _parts(own())[0]:
        return False
    return _evidence(int(pid)) != evidence


def _parts(evidence: str) -> tuple[str, str, str]:
    """Boot and namespace, pid, start."""
    rest, _, start = evidence.rpartition(":")
    place, _, pid = rest.rpartition(":")
    return place, pid, start


def _evidence(pid: int) -> str:
    """A zombie has ended: nothing but its exit code is left."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return ""
    place = place_of("/proc", os.getpid())
    return f"proc:{place}:{pid}:{int(fields[19])}" if place and len(fields) > 19 and fields[0] not in ENDED else ""
