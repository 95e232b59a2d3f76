"""Finds and ends processes of a run that escaped the reaper, by the mark in their environment.

The reaper ends all processes of its program, even those with an empty environment. If the reaper itself was killed, its
processes are orphans, and only the mark in `/proc` identifies them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from foureyes.adapters.agents.arguments import AGENT_MARK, run_mark
from foureyes.adapters.reaper import tell
from foureyes.core.nouns.session import RUN_MARK

LIMIT, PAUSE = 5.0, 0.02
PREFIX = f"{RUN_MARK}={AGENT_MARK}".encode()
MOST_BYTES = 1 << 20


def marked(runs: Iterable[str]) -> dict[str, list[int]]:
    """Return the living processes of each run that has any."""
    wanted = {f"{RUN_MARK}={run_mark(run)}".encode(): run for run in runs}
    pids: dict[str, list[int]] = {}
    for name in os.listdir("/proc") if wanted and os.path.isdir("/proc") else ():
        if not name.isdigit():
            continue
        for entry in _environ(name).split(b"\0"):
            if entry.startswith(PREFIX) and entry in wanted and not _has_ended(name):
                pids.setdefault(wanted[entry], []).append(int(name))
    return pids


def sweep(runs: Iterable[str]) -> dict[str, int]:
    """End every process of these runs until none is left. Return the number of survivors by run."""
    runs = list(runs)
    end = time.monotonic() + LIMIT
    while left := marked(runs):
        for pid in {pid for pids in left.values() for pid in pids} - {os.getpid()}:
            tell(pid)
        if time.monotonic() > end:
            return {run: len(pids) for run, pids in left.items()}
        time.sleep(PAUSE)
    return {}


def _environ(pid: str) -> bytes:
    """Return the initial environment of a process, or nothing if it is another user's or ended."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read(MOST_BYTES)
    except OSError:
        return b""


def _has_ended(pid: str) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"Z", b"X")
    except (OSError, IndexError):
        return True
