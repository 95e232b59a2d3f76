"""Profiles that are skipped for what they do themselves: fail on task after task, or are not there (X3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from foureyes.core.nouns.run import ErrorKind, RunEnding
from foureyes.core.run.retrying import profiles_for
from foureyes.core.run.snapshot import Slot, Snapshot, TaskState
from foureyes.core.run.step import CoolProfile, RunStep, WarmProfile

CRASHES: Final = 3
"""X3: so many errors in a row, each on another task."""


class EndedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that is over, as far as it tells about its profile."""

    profile: str
    task: str
    ending: RunEnding
    error: ErrorKind = "none"
    error_text: str = ""
    rc: int | None = None
    ended_at: str = ""


def crashed_in_a_row(recent: Sequence[EndedRun], profile: str, since: str = "") -> tuple[EndedRun, ...]:
    """The runs of a profile that failed since its last good one, one for each task, the newest first; `since`: what
    ended later alone. A run that was stopped, lost or never began says nothing about its program.
    """
    crashes: dict[str, EndedRun] = {}
    for run in recent:
        if run.profile != profile or run.ending in ("stopped", "lost", "unstarted", "timeout"):
            continue
        if not _is_crash(run) or run.ended_at <= since:
            break
        crashes.setdefault(run.task, run)
    return tuple(crashes.values())


def _is_crash(run: EndedRun) -> bool:
    """The program ended oddly, or said no before it did anything; not: what it made was sent back."""
    return run.ending == "failed" and (run.error == "crash" or (run.error == "refused" and bool(run.rc)))


def of_profiles(snapshot: Snapshot, due: Sequence[TaskState]) -> list[RunStep]:
    """What changes about profiles: those that crash again and again, those whose program the next tasks need and that
    is not there, and those that are there again.
    """
    if snapshot.stopping:
        return []
    needed = {names[0] for task in due if (names := profiles_for(task, snapshot))}
    needed |= _awaited_elsewhere(snapshot)
    steps = [_of_slot(slot, is_needed=slot.profile in needed) for slot in snapshot.slots]
    return [step for step in steps if step is not None]


def _awaited_elsewhere(snapshot: Snapshot) -> set[str]:
    """V4: reviewers whom another host's runner may start: it has to know whether this one can."""
    asked = {due.reviewer for due in snapshot.reviews if due.is_profile}
    return (
        {slot.profile for slot in snapshot.slots if slot.elsewhere and slot.profile in asked}
        if snapshot.agents
        else set()
    )


def _of_slot(slot: Slot, *, is_needed: bool) -> RunStep | None:
    if slot.gone and slot.available:
        return WarmProfile(profile=slot.profile, why="its program is there")
    if slot.cooled:
        return None
    if len(slot.crashed) >= CRASHES:
        why = f"it failed on {len(slot.crashed)} tasks in a row: {slot.crash_text}"
        return CoolProfile(profile=slot.profile, error="crash", why=why)
    if is_needed and not slot.available:
        return CoolProfile(profile=slot.profile, error="missing", why=slot.problem)
    return None
