"""Retries (E2, E4, X3): which profile tries a task next, and which are skipped for what they do themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from foureyes.core.nouns.run import COOLING, ROLE_FOR, ErrorKind, RunEnding, StuckKind
from foureyes.core.runner.snapshot import PastRun, Slot, Snapshot, TaskState
from foureyes.core.runner.steps import Asks, CoolProfile, RunStep, WarmProfile

# ---- Retrying (E2, E4) ----

FRESH_TRIES: Final = 2
"""How often one profile begins again on a task: as it is, and once more told how it failed."""
MOST_LOST: Final = 10
"""So often its runner was gone: perhaps its runs take the runner down."""
NO_CHANGES: Final = 2
"""S4: so often DONE without a change, and a person looks."""


class NextRun(msgspec.Struct, frozen=True, kw_only=True):
    """The next run of a task."""

    profile: str
    resumes: str = ""
    asks: Asks = ""


class GiveUp(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing that would be different is left to try."""

    kind: StuckKind
    why: str


def next_try(task: TaskState, snapshot: Snapshot) -> NextRun | GiveUp | None:
    """The next run of a task, whether a slot is free for it or not; None where it has to wait for a profile, or for a
    person. What the lead tried is none of the author's tries, nor theirs of the lead's.
    """
    if snapshot.spend_micros and task.cost_micros >= snapshot.spend_micros:
        return GiveUp(
            kind="spend",
            why=f"it has cost {_money(task.cost_micros)}, and may {_money(snapshot.spend_micros)} (run.spend_per_task)",
        )
    past = [run for run in task.past if ROLE_FOR[run.purpose] == ROLE_FOR[task.purpose]]
    if sum(map(_is_unchanged, past)) >= NO_CHANGES:
        return GiveUp(kind="no_change", why=_nothing_changed([run for run in past if _is_unchanged(run)]))
    blamed = [run for run in past if is_blamed(run)]
    if (lost := sum(run.ending == "lost" for run in past)) >= MOST_LOST:
        return GiveUp(kind="retries", why=f"{lost} runs lost their runner")
    if len(blamed) >= snapshot.max_runs_per_task:
        return GiveUp(kind="retries", why=f"{len(blamed)} runs came to nothing")
    names = profiles_for(task, snapshot)
    tries = {name: next_run for name in names if (next_run := _try_of(name, past)) is not None}
    if names and not tries:
        return GiveUp(kind="retries", why=f"{len(blamed)} runs came to nothing, and there is nothing else to try")
    slots = {slot.profile: slot for slot in snapshot.slots}
    return next((tries[name] for name in tries if _is_usable(slots.get(name))), None)


def is_blamed(run: PastRun) -> bool:
    """Whether a run counts against the retry cap: one that somebody stopped or whose runner was gone does not, nor one
    whose profile was at fault, nor one that is only to be asked how it ended.
    """
    if run.ending in ("stopped", "lost") or run.error in COOLING:
        return False
    return not is_to_be_asked(run)


def is_to_be_asked(run: PastRun) -> bool:
    """S4: it ended well and said nothing; it is asked once."""
    return run.ending == "finished" and not run.signal and bool(run.conversation) and not run.resumed


def _is_unchanged(run: PastRun) -> bool:
    """S4: it ended well, and there was nothing to submit."""
    return run.ending == "finished" and run.signal in ("DONE", "NEEDS_REVIEW", "") and not is_to_be_asked(run)


def _nothing_changed(runs: Sequence[PastRun]) -> str:
    """S4: what runs said that changed nothing; none is called done that did not say so."""
    silent = sum(not run.signal for run in runs)
    if not silent:
        return f"{len(runs)} runs ended as done, and changed nothing"
    of_them = "" if silent == len(runs) else f" ({silent} of them)"
    return f"{len(runs)} runs ended without a signal{of_them}, and changed nothing"


def profiles_for(task: TaskState, snapshot: Snapshot) -> list[str]:
    """E2, E4: whose turn it is, then who stands in; only the lead decides as the lead, only whom a person chose where
    one did.
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
    """What a profile can still try: go on with its conversation, begin again, begin again and told how it failed."""
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
    """Whether the last conversation is worth going on with: once after a failure, and not where it was refused; and
    whether it is here. Only who makes the work goes on: the others begin each time in a new home.
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
