"""Why work that is ready does not begin: every reason once, in words (S, V9). It changes nothing; the plan decides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from foureyes.core.run.retrying import GiveUp, next_try, profiles_for
from foureyes.core.run.snapshot import PutOff, Slot, Snapshot, TaskState
from foureyes.core.run.sprinting import keep_to_sprints, why_kept
from foureyes.core.words.ids import TaskId

LASTING = 60
"""A person is notified of what failed once it rests for so many seconds between two tries."""
NAMED = 3
"""So many tasks are named; of the others it is said how many."""


class KeptBack(msgspec.Struct, frozen=True, kw_only=True):
    """A reason. `person`: nothing but a person changes it, and nothing shows it but this. `was_shown`: each failure was
    shown when it happened.
    """

    key: str
    text: str
    person: bool = False
    was_shown: bool = False


def kept_back(snapshot: Snapshot) -> tuple[KeptBack, ...]:
    """What keeps ready tasks back; nothing where each of them begins, or waits only for its turn."""
    reasons = [KeptBack(key=text, text=text) for text in (snapshot.paused, *snapshot.aside) if text]
    reasons += _put_off(snapshot)
    if snapshot.no_room:
        reasons.append(KeptBack(key="no room", text=f"nothing begins: {snapshot.no_room}", person=True))
        return tuple(reasons)
    if snapshot.agents and not snapshot.paused and snapshot.starting and not snapshot.stopping:
        reasons += [KeptBack(key=text, text=text, person=person) for text, person in why_kept(snapshot)]
        live = {live.run.task for live in snapshot.runs if live.run.role != "review"}
        ready = keep_to_sprints(snapshot.tasks, snapshot)
        ready = [task for task in ready if task.ready and not task.stopped and task.id not in live]
        reasons += _full(snapshot, ready)
        kept = [task for task in ready if not snapshot.full or task.goes_on]
        reasons += _unusable(snapshot, kept)
    return tuple(reasons)


def _put_off(snapshot: Snapshot) -> Iterator[KeptBack]:
    """Work that failed and is tried again, together with what fails for the same reason; a person is notified of what
    has failed for a while.
    """
    failed: dict[tuple[str, str], list[PutOff]] = {}
    for off in snapshot.put_off.values():
        if off.state:
            failed.setdefault((off.state, off.why), []).append(off)
    for (state, why), rows in failed.items():
        ids = [off.task for off in rows if off.task is not None]
        text = f"{_named(ids, state)}: {why}" if ids else f"{state}: {why}"
        lasts = max(off.pause for off in rows) >= LASTING
        yield KeptBack(key=f"put off:{state}:{why}", text=text, person=lasts, was_shown=True)


def _full(snapshot: Snapshot, ready: list[TaskState]) -> Iterator[KeptBack]:
    kept = [task.id for task in ready if not task.goes_on]
    if snapshot.full and kept:
        yield KeptBack(key=snapshot.full, text=f"{_named(kept)}, but: {snapshot.full}")


def _unusable(snapshot: Snapshot, tasks: Iterable[TaskState]) -> Iterator[KeptBack]:
    """Tasks that no profile can take now, together with those that wait for the same."""
    slots = {slot.profile: slot for slot in snapshot.slots}
    reasons: dict[tuple[str, bool], list[TaskId]] = {}
    for task in tasks:
        next_run = next_try(task, snapshot)
        if isinstance(next_run, GiveUp):
            continue
        if next_run is None:
            names = profiles_for(task, snapshot)
            gone = bool(names) and all(_is_gone(slots.get(name)) for name in names)
            reasons.setdefault((_why(names, slots), gone), []).append(task.id)
        elif _is_taken(snapshot, slots[next_run.profile]):
            reasons.setdefault((f"every slot of {next_run.profile} is taken on {snapshot.host}", False), []).append(
                task.id
            )
    for (why, gone), ids in reasons.items():
        yield KeptBack(key=why, text=f"{_named(ids)}, but: {why}", person=gone)


def _is_taken(snapshot: Snapshot, slot: Slot) -> bool:
    """Whether other runners have them all; what this one has it waits for by itself."""
    here = [live for live in snapshot.runs if live.run.profile == slot.profile and live.run.host == snapshot.host]
    return len(here) >= slot.slots and not any(live.mine or live.lost for live in snapshot.runs)


def _is_gone(slot: Slot | None) -> bool:
    return slot is None or not slot.available


def _why(names: list[str], slots: dict[str, Slot]) -> str:
    """Each problem once, with the profiles that have it."""
    if not names:
        return "it is a person's turn (tiers)"
    problems: dict[str, list[str]] = {}
    for name in names:
        problems.setdefault(_problem(slots.get(name)), []).append(name)
    return "; ".join(f"{', '.join(having)} {problem}" for problem, having in problems.items())


def _problem(slot: Slot | None) -> str:
    if slot is None:
        return "is no profile of the policy in force"
    if not slot.available:
        return f"cannot be used: {slot.problem.rstrip('.')}" if slot.problem else "cannot be used"
    return "is skipped for now" if slot.cooled else "was tried"


def _named(ids: list[TaskId], state: str = "ready") -> str:
    if len(ids) == 1:
        return f"{ids[0]} is {state}"
    more = len(ids) - NAMED
    return ", ".join(ids[:NAMED]) + (f" and {more} more" if more > 0 else "") + f" are {state}"
