"""Which profile tries a task next, and how: retries that change something each time, and end (E2, E4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from foureyes.core.nouns.run import COOLING, ROLE_FOR, StuckKind
from foureyes.core.run.snapshot import PastRun, Slot, Snapshot, TaskState
from foureyes.core.run.step import Asks

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
