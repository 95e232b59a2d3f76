"""Retries: which profile tries a task next, and which profiles to skip because they fail on every task. (E2, E4, X3)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from foureyes.core.nouns.run import COOLING, ROLE_FOR, ErrorKind, RunEnding, StuckKind
from foureyes.core.runner.snapshot import PastRun, Slot, Snapshot, TaskState
from foureyes.core.runner.steps import Asks, CoolProfile, RunStep, WarmProfile

# ---- Retrying (E2, E4) ----

FRESH_TRIES: Final = 2
"""Number of fresh starts per profile and task: one as usual, and one that explains the last failure."""
MOST_LOST: Final = 10
"""Number of lost runners after which a task is given up, because its runs may be killing the runner."""
NO_CHANGES: Final = 2
"""Number of runs that say DONE without a change before a person is asked. (S4)"""


class NextRun(msgspec.Struct, frozen=True, kw_only=True):
    """The next run of a task."""

    profile: str
    resumes: str = ""
    asks: Asks = ""


class GiveUp(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing different is left to try."""

    kind: StuckKind
    why: str


def next_try(task: TaskState, snapshot: Snapshot) -> NextRun | GiveUp | None:
    """Return the next run of a task, even if no place is free. None means to wait for a profile or a person. Runs by
    the lead and by authors count separately.
    """
    if snapshot.spend_micros and task.cost_micros >= snapshot.spend_micros:
        return GiveUp(
            kind="spend",
            why=f"it has cost {_money(task.cost_micros)}, and the limit is {_money(snapshot.spend_micros)} (run.spend_per_task)",
        )
    past = [run for run in task.past if ROLE_FOR[run.purpose] == ROLE_FOR[task.purpose]]
    if sum(map(_is_unchanged, past)) >= NO_CHANGES:
        return GiveUp(kind="no_change", why=_nothing_changed([run for run in past if _is_unchanged(run)]))
    blamed = [run for run in past if is_blamed(run)]
    if (lost := sum(run.ending == "lost" for run in past)) >= MOST_LOST:
        return GiveUp(kind="retries", why=f"{lost} runs ended because their runner died")
    if len(blamed) >= snapshot.max_runs_per_task:
        return GiveUp(kind="retries", why=f"{len(blamed)} runs failed")
    names = profiles_for(task, snapshot)
    tries = {name: next_run for name in names if (next_run := _try_of(name, past)) is not None}
    if names and not tries:
        return GiveUp(kind="retries", why=f"{len(blamed)} runs failed, and no other agent may try")
    slots = {slot.profile: slot for slot in snapshot.slots}
    return next((tries[name] for name in tries if _is_usable(slots.get(name))), None)


def is_blamed(run: PastRun) -> bool:
    """Return True if a run counts toward the retry cap. Stopped or lost runs, profile errors, and runs that only lack a
    signal do not.
    """
    if run.ending in ("stopped", "lost") or run.error in COOLING:
        return False
    return not is_to_be_asked(run)


def is_to_be_asked(run: PastRun) -> bool:
    """Return True if the run ended well without a signal. It is asked for one, once. (S4)"""
    return run.ending == "finished" and not run.signal and bool(run.conversation) and not run.resumed


def _is_unchanged(run: PastRun) -> bool:
    """Return True if the run ended well with nothing to submit. (S4)"""
    return run.ending == "finished" and run.signal in ("DONE", "NEEDS_REVIEW", "") and not is_to_be_asked(run)


def _nothing_changed(runs: Sequence[PastRun]) -> str:
    """Return a message about runs without changes. It does not say that a run without a signal is done. (S4)"""
    silent = sum(not run.signal for run in runs)
    if not silent:
        return f"{len(runs)} runs ended as done but changed nothing"
    of_them = "" if silent == len(runs) else f" ({silent} of them)"
    return f"{len(runs)} runs ended without a signal{of_them} and changed nothing"


def profiles_for(task: TaskState, snapshot: Snapshot) -> list[str]:
    """Return the profiles to try: first the task's own, then substitutes. A lead's task takes only the lead, and an
    assigned task only its profile. (E2, E4)
    """
    chosen = dict(snapshot.assigned).get(task.id)
    if chosen is not None and task.purpose != "lead":
        return [chosen]
    if not task.profile:
        return []
    if task.purpose == "lead":
        return [task.profile]
    return [task.profile, *[name for name in snapshot.order if name != task.profile]]


def _try_of(profile: str, past: Sequence[PastRun]) -> NextRun | None:
    """Return what the profile tries next: to resume, to start fresh, or to start fresh with the failure explained. None
    if it has tried all.
    """
    own = [run for run in past if run.profile == profile]
    last = past[-1] if past else None
    asks: Asks = "failure" if last is not None and (is_blamed(last) or last.ending == "lost") else ""
    if own and own[-1] is last and _can_resume(own):
        return NextRun(
            profile=profile, resumes=own[-1].conversation, asks="signal" if is_to_be_asked(own[-1]) else asks
        )
    fresh = sum(not run.resumed and is_blamed(run) for run in own)
    return NextRun(profile=profile, asks=asks) if fresh < FRESH_TRIES else None


def _can_resume(own: Sequence[PastRun]) -> bool:
    """Return True if the last conversation is worth resuming: once after a failure, never after a refusal, and only on
    this host. Lead runs always start fresh.
    """
    last = own[-1]
    if (
        not last.conversation
        or last.purpose == "lead"
        or last.elsewhere
        or last.error == "refused"
        or last.ending in ("lost", "unstarted")
    ):
        return False
    return not (is_blamed(last) and any(run.resumed and is_blamed(run) for run in own))


def _is_usable(slot: Slot | None) -> bool:
    return slot is not None and slot.available and not slot.cooled


def _money(micros: int) -> str:
    return f"{micros / 1_000_000:.2f}"


# ---- Profiles that are skipped for what they do themselves ----

CRASHES: Final = 3
"""Number of errors in a row, each on another task, after which a profile is skipped. (X3)"""


class EndedRun(msgspec.Struct, frozen=True, kw_only=True):
    """An ended run, reduced to what it says about its profile."""

    profile: str
    task: str
    ending: RunEnding
    error: ErrorKind = "none"
    error_text: str = ""
    rc: int | None = None
    ended_at: str = ""


def crashed_in_a_row(recent: Sequence[EndedRun], profile: str, since: str = "") -> tuple[EndedRun, ...]:
    """Return the profile's failures since its last success, one per task, newest first. `since` leaves out earlier
    ones. Stopped, lost, unstarted and timed-out runs are ignored.
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
    """Return True if the program crashed, or refused before it did any work. A submission that was sent back is not a
    crash.
    """
    return run.ending == "failed" and (run.error == "crash" or (run.error == "refused" and bool(run.rc)))


def of_profiles(snapshot: Snapshot, due: Sequence[TaskState]) -> list[RunStep]:
    """Return steps for profiles that crash repeatedly, that are needed but whose program is missing, or whose program
    is back.
    """
    if snapshot.stopping:
        return []
    needed = {names[0] for task in due if (names := profiles_for(task, snapshot))}
    needed |= _awaited_elsewhere(snapshot)
    steps = [_of_slot(slot, is_needed=slot.profile in needed) for slot in snapshot.slots]
    return [step for step in steps if step is not None]


def _awaited_elsewhere(snapshot: Snapshot) -> set[str]:
    """Return reviewers that another host's runner may start. It has to know if this host can. (V4)"""
    asked = {due.reviewer for due in snapshot.reviews if due.is_profile}
    return (
        {slot.profile for slot in snapshot.slots if slot.elsewhere and slot.profile in asked}
        if snapshot.agents
        else set()
    )


def _of_slot(slot: Slot, *, is_needed: bool) -> RunStep | None:
    if slot.gone and slot.available:
        return WarmProfile(profile=slot.profile, why="its program is installed now")
    if slot.cooled:
        return None
    if len(slot.crashed) >= CRASHES:
        why = f"it failed on {len(slot.crashed)} tasks in a row: {slot.crash_text}"
        return CoolProfile(profile=slot.profile, error="crash", why=why)
    if is_needed and not slot.available:
        return CoolProfile(profile=slot.profile, error="missing", why=slot.problem)
    return None
