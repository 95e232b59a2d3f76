"""The plan: one snapshot in, the steps to take now out (S, E2, E4, Q1, V9, X3). Nothing else says what a runner does.

Level-triggered: it knows only what the snapshot shows, so nothing depends on having seen an event. It decides nothing
about the work itself; every step ends in a verb that asks the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from foureyes.core.nouns.run import MAKES
from foureyes.core.run.afterwards import becomes_of
from foureyes.core.run.cooling import of_profiles
from foureyes.core.run.kept_back import kept_back
from foureyes.core.run.retrying import GiveUp, NextRun, next_try
from foureyes.core.run.reviewing import NoReview, next_of
from foureyes.core.run.snapshot import LiveState, PutOff, ReviewDue, Snapshot, TaskState
from foureyes.core.run.sprinting import (
    at_rest,
    ends_with_sprints,
    exhausted,
    keep_to_sprints,
    of_sprints,
    rooms,
    why_over,
)
from foureyes.core.run.step import (
    CoolProfile,
    DecideCycle,
    Finish,
    FinishRun,
    Forget,
    FreeClaim,
    Merge,
    NotGiven,
    Notify,
    OpenCycle,
    RunChecks,
    RunStep,
    Send,
    StartRun,
    Stick,
    StopRun,
    TakeOver,
    TidyRun,
    Wait,
)

LONGEST_WAIT = 600
"""A runner that has nothing else to do waits for what was put off for at most so many seconds; after a longer pause it
says what it leaves.
"""


def plan(snapshot: Snapshot) -> list[RunStep]:
    """What to do now, in this order: what is over before what is due, reviews and fixes before new tasks. The last step
    says whether to wait, or that the runner ends.
    """
    sprints = list(of_sprints(snapshot))
    resting = at_rest(snapshot, sprints)
    wanted: list[RunStep] = [*_runs(snapshot), *_claims(snapshot), *sprints, *_cycles(snapshot)]
    wanted += [*_checks(snapshot), *_merge(snapshot), *_send(snapshot)]
    profiles = of_profiles(resting, candidates(resting))
    wanted += [*profiles, *_starts(_without(resting, profiles))]
    wanted += _forgotten(snapshot)
    steps = [step for step in wanted if _put_off(snapshot, step) is None]
    later = [off for step in wanted if not _may_wait_long(step) and (off := _put_off(snapshot, step)) is not None]
    if not later and _is_idle(snapshot, steps):
        steps += [step for step in exhausted(snapshot) if _put_off(snapshot, step) is None]
    steps += [Notify(key=row.key, text=row.text) for row in snapshot.attention if row.key not in snapshot.told]
    alone = [row for row in kept_back(snapshot) if row.person and row.key not in snapshot.told]
    steps += [Notify(key=row.key, text=row.text) for row in alone]
    return [*steps, _last(snapshot, steps, later)]


def _put_off(snapshot: Snapshot, step: RunStep) -> PutOff | None:
    """Until when a step waits that failed; what could not be fetched for one run of a task waits for all of them."""
    off = snapshot.put_off.get(step.name)
    if off is None and isinstance(step, StartRun):
        off = snapshot.put_off.get(f"StartRun:{step.task}")
    return off


def _may_wait_long(step: RunStep) -> bool:
    """Whether it waits for a person, however often it is tried."""
    return isinstance(step, Notify | DecideCycle)


def _forgotten(snapshot: Snapshot) -> Iterator[RunStep]:
    """What was kept for closed tasks goes, but for those that still have a run."""
    live = {live.run.task for live in snapshot.runs}
    yield from (Forget(task=task) for task in snapshot.kept if task not in live)


def _without(snapshot: Snapshot, steps: list[RunStep]) -> Snapshot:
    """The look with those profiles skipped that are about to be."""
    cooling = {step.profile for step in steps if isinstance(step, CoolProfile)}
    slots = [replace(slot, cooled=slot.cooled or slot.profile in cooling) for slot in snapshot.slots]
    return replace(snapshot, slots=tuple(slots)) if cooling else snapshot


def _runs(snapshot: Snapshot) -> Iterator[RunStep]:
    """J4, S4: runs that lost their runner, that are over, that are to end."""
    for live in snapshot.runs:
        run, task = live.run.id, live.run.task
        if live.lost:
            yield TakeOver(run=run, task=task, why="its runner is gone")
        elif not live.mine:
            continue
        elif live.outcome is None:
            stop = live.stop or live.run.stop_asked or ("the runner ends" if snapshot.stopping == "now" else "")
            if stop and not live.asked:
                yield StopRun(run=run, task=task, why=stop)
        elif live.left is None:
            yield TidyRun(run=run, task=task)
        else:
            then, why = becomes_of(live)
            yield FinishRun(run=run, task=task, then=then, why=why)


def _claims(snapshot: Snapshot) -> Iterator[RunStep]:
    """T1: what is in progress under a run that is over is nobody's work any more."""
    for task in snapshot.tasks:
        if task.left_claim:
            yield FreeClaim(task=task.id, why="its run is over")


def _checks(snapshot: Snapshot) -> Iterator[RunStep]:
    """D5: so many at once; what was put off takes nobody's place."""
    if snapshot.stopping or snapshot.no_room:
        return
    free = max(0, snapshot.checks_at_once - snapshot.checks_running)
    for task in snapshot.checks_due:
        step = RunChecks(task=task)
        if _put_off(snapshot, step) is not None:
            yield step
        elif free > 0:
            free -= 1
            yield step


def _merge(snapshot: Snapshot) -> Iterator[RunStep]:
    """Q1, Q3: one at a time; what was put off holds none of the others."""
    if snapshot.merging or snapshot.stopping or snapshot.no_room:
        return
    alone = [Merge(tasks=(task,)) for task in snapshot.merges_due]
    yield from (step for step in alone if _put_off(snapshot, step) is not None)
    if tasks := tuple(step.tasks[0] for step in alone if _put_off(snapshot, step) is None):
        yield Merge(tasks=tasks)


def _send(snapshot: Snapshot) -> Iterator[RunStep]:
    """Q6: beside everything else, also while the runner ends."""
    if snapshot.unsent and not snapshot.sending:
        yield Send()


def _cycles(snapshot: Snapshot) -> Iterator[RunStep]:
    """V1, V3, V4, V8: what calls for a review, who gives none, which cycles can be decided."""
    if snapshot.stopping:
        return
    slots = {slot.profile: slot for slot in snapshot.slots}
    for due in snapshot.reviews:
        if not snapshot.agents and not due.late:
            continue  # another runner may have the program
        next_run = next_of(due, slots.get(due.reviewer))
        if due.purpose != "review" or (is_at_work(due, snapshot) and not due.late):
            continue  # who was asked to clarify and does not is waited for until the deadline (V9)
        if isinstance(next_run, NoReview):
            yield NotGiven(cycle=due.cycle, task=due.task, reviewer=due.reviewer, kind=next_run.kind, why=next_run.text)
    for cycle in snapshot.to_decide:
        yield DecideCycle(cycle=cycle)
    for call in snapshot.called:
        if call.key not in snapshot.told:
            yield OpenCycle(trigger=call.trigger, tasks=call.tasks, key=call.key, wide=call.wide, why=call.why)


class _Places:
    """How many runs may still begin: of this runner, and of each profile on this host."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.free = snapshot.agents - sum(map(_is_ours, snapshot.runs))
        self._used = Counter(live.run.profile for live in snapshot.runs if live.run.host == snapshot.host)
        self._slots = {slot.profile: slot.slots for slot in snapshot.slots}

    def take(self, profile: str) -> bool:
        if self.free <= 0 or self._used[profile] >= self._slots.get(profile, 0):
            return False
        self.free -= 1
        self._used[profile] += 1
        return True


def _starts(snapshot: Snapshot) -> Iterator[RunStep]:
    """E2, E4, S: runs that begin, as far as there are slots; and tasks for which there is nothing left to try."""
    if snapshot.stopping or snapshot.no_room or not snapshot.agents:
        return
    places = _Places(snapshot)
    yield from _reviews(snapshot, places)
    if snapshot.paused or not snapshot.starting:
        return
    room = rooms(snapshot)
    for task in candidates(snapshot):
        next_run = next_try(task, snapshot)
        if isinstance(next_run, GiveUp):
            yield Stick(task=task.id, kind=next_run.kind, why=next_run.why)
        elif next_run is not None:
            step = _start(task, next_run, dict(snapshot.assigned).get(task.id, ""))
            if _put_off(snapshot, step) is not None:
                yield step
            elif room.has(task) and places.take(next_run.profile):
                room.take(task)
                yield step


def _reviews(snapshot: Snapshot, places: _Places) -> Iterator[RunStep]:
    """V4, V9: reviews go on while new work is paused by a rule, and of what began they are a part; a person's pause
    stops them, too.
    """
    if snapshot.halted:
        return
    slots = {slot.profile: slot for slot in snapshot.slots}
    for due in snapshot.reviews:
        next_run = next_of(due, slots.get(due.reviewer))
        if due.stopped or is_at_work(due, snapshot) or _is_author_busy(due, snapshot):
            continue
        if not isinstance(next_run, NextRun):
            continue
        step = StartRun(
            task=due.task,
            profile=next_run.profile,
            purpose=due.purpose,
            resumes=next_run.resumes,
            asks=next_run.asks,
            cycle=due.cycle,
            look=due.look,
        )
        if _put_off(snapshot, step) is not None or places.take(next_run.profile):
            yield step


def is_at_work(due: ReviewDue, snapshot: Snapshot) -> bool:
    """Whether a run for it is not over."""
    return any(
        (live.run.cycle, live.run.task, live.run.profile, live.run.purpose)
        == (due.cycle, due.task, due.reviewer, due.purpose)
        for live in snapshot.runs
    )


def _is_author_busy(due: ReviewDue, snapshot: Snapshot) -> bool:
    """V9: whether who is to clarify is still at its work: that comes to its end first, and its conversation with it."""
    at_work = {live.run.task for live in snapshot.runs if live.run.purpose in MAKES}
    return due.purpose == "clarify" and due.task in at_work


def candidates(snapshot: Snapshot) -> list[TaskState]:
    """The tasks that a run may begin on, in the order in which they get one: fixes and decisions first. New ones only
    out of sprints, where there are any (X2).
    """
    live = {live.run.task for live in snapshot.runs if live.run.role != "review"}
    free = [task for task in snapshot.tasks if task.ready and not task.stopped and task.id not in live]
    free = keep_to_sprints(free, snapshot)
    if snapshot.full:
        free = [task for task in free if task.goes_on]
    return sorted(free, key=lambda task: (not task.goes_on, task.priority, task.n))


def _start(task: TaskState, next_run: NextRun, chosen: str) -> StartRun:
    stands_in = next_run.profile not in (task.profile, chosen)
    return StartRun(
        task=task.id,
        profile=next_run.profile,
        purpose=task.purpose,
        resumes=next_run.resumes,
        asks=next_run.asks,
        why=f"in place of {task.profile}" if stands_in else "",
    )


def _last(snapshot: Snapshot, steps: list[RunStep], later: list[PutOff]) -> RunStep:
    """Whether there is anything to wait for."""
    if snapshot.stopping and not _has_runs(snapshot) and not any(isinstance(step, TakeOver) for step in steps):
        return Finish(why="it was asked to end", left=tuple(row.text for row in kept_back(snapshot)))
    idle = _is_idle(snapshot, steps)
    waits = snapshot.worth_waiting or any(off.pause <= LONGEST_WAIT for off in later)
    if idle and not waits and (snapshot.until_idle or ends_with_sprints(snapshot)):
        why = why_over(snapshot)
        left = tuple(row.text for row in kept_back(snapshot) if row.text not in why)
        return Finish(why=why, left=left, is_unfinished=any(off.state for off in later))
    return Wait(until=min(filter(None, (snapshot.wake_at, *[off.until for off in later])), default=""), idle=idle)


def _waits_for_room(snapshot: Snapshot) -> bool:
    """X3: whether there is work for when the disk has room again."""
    due = bool(snapshot.checks_due or snapshot.merges_due) or (bool(snapshot.agents) and bool(candidates(snapshot)))
    return bool(snapshot.no_room) and due and not snapshot.paused


def _is_idle(snapshot: Snapshot, steps: list[RunStep]) -> bool:
    """Whether nothing of this runner is at work, and no step moves anything."""
    at_work = _has_runs(snapshot) or snapshot.checks_running > 0 or snapshot.merging
    at_work = at_work or snapshot.fetching or snapshot.sending
    moves = not all(map(_may_wait_long, steps))
    return not at_work and not moves and not snapshot.more and not _waits_for_room(snapshot)


def _has_runs(snapshot: Snapshot) -> bool:
    return any(live.mine and not live.lost for live in snapshot.runs)


def _is_ours(live: LiveState) -> bool:
    return live.mine or live.lost
