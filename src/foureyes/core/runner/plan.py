"""The runner's plan: from one snapshot to the next steps. Only this module decides what a runner does. (S, E2, E4, Q1,
V9, X3)

The plan uses only the snapshot, so it never depends on having seen an event. It decides nothing about the work itself:
every step ends in a command that asks the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
from msgspec.structs import replace

from foureyes.core.nouns.cycle import NotGivenWhy
from foureyes.core.nouns.run import COOLING, MAKES, ErrorKind, Purpose, Run, RunOutcome
from foureyes.core.nouns.sprint import PASSING
from foureyes.core.runner.retries import GiveUp, NextRun, next_try, of_profiles, profiles_for
from foureyes.core.runner.snapshot import Left, LiveState, PastRun, PutOff, ReviewDue, Slot, Snapshot, TaskState
from foureyes.core.runner.steps import (
    AfterRun,
    CoolProfile,
    DecideCycle,
    EndSprint,
    Finish,
    FinishRun,
    Forget,
    FreeClaim,
    Merge,
    NotGiven,
    Notify,
    OpenCycle,
    PauseSprint,
    ResumeSprint,
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
from foureyes.core.sprint.progress import SprintNow, is_exhausted, why_end, why_go_on, why_pause
from foureyes.core.words.ids import TaskId

# ---- The plan ----


LONGEST_WAIT = 600
"""Longest delay of a postponed step, in seconds, for which an idle runner waits. If it is longer, the runner ends and
reports the unfinished work.
"""


def plan(snapshot: Snapshot) -> list[RunStep]:
    """Return the steps to take now: finished runs before due work, and reviews and fixes before new tasks. The last
    step is Wait or Finish.
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
    steps += [Notify(key=row.key, text=row.text) for row in snapshot.attention if row.key not in snapshot.shown]
    alone = [row for row in kept_back(snapshot) if row.person and row.key not in snapshot.shown]
    steps += [Notify(key=row.key, text=row.text) for row in alone]
    return [*steps, _last(snapshot, steps, later)]


def _put_off(snapshot: Snapshot, step: RunStep) -> PutOff | None:
    """Return the delay of a step that failed before, if any. A failed fetch for one run of a task delays all its
    runs.
    """
    off = snapshot.put_off.get(step.name)
    if off is None and isinstance(step, StartRun):
        off = snapshot.put_off.get(f"StartRun:{step.task}")
    return off


def _may_wait_long(step: RunStep) -> bool:
    """Return True for steps that may wait for a person, no matter how often they are retried."""
    return isinstance(step, Notify | DecideCycle)


def _forgotten(snapshot: Snapshot) -> Iterator[RunStep]:
    """Yield a Forget step for each closed task with kept data and no live run."""
    live = {live.run.task for live in snapshot.runs}
    yield from (Forget(task=task) for task in snapshot.kept if task not in live)


def _without(snapshot: Snapshot, steps: list[RunStep]) -> Snapshot:
    """Return the snapshot with the profiles that a step is about to skip marked as skipped."""
    cooling = {step.profile for step in steps if isinstance(step, CoolProfile)}
    slots = [replace(slot, cooled=slot.cooled or slot.profile in cooling) for slot in snapshot.slots]
    return replace(snapshot, slots=tuple(slots)) if cooling else snapshot


def _runs(snapshot: Snapshot) -> Iterator[RunStep]:
    """Yield steps for runs that lost their runner, have ended, or should end. (J4, S4)"""
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
    """Yield a FreeClaim step for each task that is in progress under an ended run. (T1)"""
    for task in snapshot.tasks:
        if task.left_claim:
            yield FreeClaim(task=task.id, why="its run has ended")


def _checks(snapshot: Snapshot) -> Iterator[RunStep]:
    """Yield check runs up to the limit. Postponed ones do not count toward it. (D5)"""
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
    """Yield one merge at a time. Postponed tasks do not delay the others. (Q1, Q3)"""
    if snapshot.merging or snapshot.stopping or snapshot.no_room:
        return
    alone = [Merge(tasks=(task,)) for task in snapshot.merges_due]
    yield from (step for step in alone if _put_off(snapshot, step) is not None)
    if tasks := tuple(step.tasks[0] for step in alone if _put_off(snapshot, step) is None):
        yield Merge(tasks=tasks)


def _send(snapshot: Snapshot) -> Iterator[RunStep]:
    """Yield a Send step if the remote lacks something. This is done even while the runner ends. (Q6)"""
    if snapshot.unsent and not snapshot.sending:
        yield Send()


def _cycles(snapshot: Snapshot) -> Iterator[RunStep]:
    """Yield steps for review triggers, missing reviews and cycles ready for a decision. (V1, V3, V4, V8)"""
    if snapshot.stopping:
        return
    slots = {slot.profile: slot for slot in snapshot.slots}
    for due in snapshot.reviews:
        if not snapshot.agents and not due.late:
            continue  # another runner may have the program
        next_run = next_of(due, slots.get(due.reviewer))
        if due.purpose != "review" or (is_at_work(due, snapshot) and not due.late):
            continue  # a clarification may take until the deadline (V9)
        if isinstance(next_run, NoReview):
            yield NotGiven(cycle=due.cycle, task=due.task, reviewer=due.reviewer, kind=next_run.kind, why=next_run.text)
    for cycle in snapshot.to_decide:
        yield DecideCycle(cycle=cycle)
    for call in snapshot.called:
        if call.key not in snapshot.shown:
            yield OpenCycle(trigger=call.trigger, tasks=call.tasks, key=call.key, wide=call.wide, why=call.why)


class _Places:
    """The free places for runs: of this runner, and of each profile on this host."""

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
    """Yield runs to start in free places, and tasks with no option left. (E2, E4, S)"""
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
    """Yield review runs. They continue while a rule pauses new work, but not during a person's pause. (V4, V9)"""
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
            early_review=due.early_review,
        )
        if _put_off(snapshot, step) is not None or places.take(next_run.profile):
            yield step


def is_at_work(due: ReviewDue, snapshot: Snapshot) -> bool:
    """Return True if a run for this request is still live."""
    return any(
        (live.run.cycle, live.run.task, live.run.profile, live.run.purpose)
        == (due.cycle, due.task, due.reviewer, due.purpose)
        for live in snapshot.runs
    )


def _is_author_busy(due: ReviewDue, snapshot: Snapshot) -> bool:
    """Return True if the author to ask for clarification is still working. That run has to end first, because the
    answer continues its conversation. (V9)
    """
    at_work = {live.run.task for live in snapshot.runs if live.run.purpose in MAKES}
    return due.purpose == "clarify" and due.task in at_work


def candidates(snapshot: Snapshot) -> list[TaskState]:
    """Return the tasks that may get a run: first fixes and decisions, then new tasks. If there are sprints, new tasks
    come only from them. (X2)
    """
    live = {live.run.task for live in snapshot.runs if live.run.role != "review"}
    free = [task for task in snapshot.tasks if task.ready and not task.stopped and task.id not in live]
    free = keep_to_sprints(free, snapshot)
    if snapshot.full:
        free = [task for task in free if task.goes_on]
    return sorted(free, key=lambda task: (not task.goes_on, task.priority, task.n))


def _start(task: TaskState, next_run: NextRun, chosen: str) -> StartRun:
    is_substitute = next_run.profile not in (task.profile, chosen)
    return StartRun(
        task=task.id,
        profile=next_run.profile,
        purpose=task.purpose,
        resumes=next_run.resumes,
        asks=next_run.asks,
        why=f"in place of {task.profile}" if is_substitute else "",
    )


def _last(snapshot: Snapshot, steps: list[RunStep], later: list[PutOff]) -> RunStep:
    """Return the last step: Finish if there is nothing to wait for, otherwise Wait."""
    if snapshot.stopping and not _has_runs(snapshot) and not any(isinstance(step, TakeOver) for step in steps):
        return Finish(why="it was asked to end", left=tuple(row.text for row in kept_back(snapshot)))
    idle = _is_idle(snapshot, steps)
    waits = snapshot.worth_waiting or any(off.pause <= LONGEST_WAIT and not off.person for off in later)
    if idle and not waits and (snapshot.until_idle or ends_with_sprints(snapshot)):
        why = why_over(snapshot)
        left = tuple(row.text for row in kept_back(snapshot) if row.text not in why)
        return Finish(why=why, left=left, is_unfinished=any(off.state for off in later))
    return Wait(until=min(filter(None, (snapshot.wake_at, *[off.until for off in later])), default=""), idle=idle)


def _waits_for_room(snapshot: Snapshot) -> bool:
    """Return True if work is waiting for free disk space. (X3)"""
    due = bool(snapshot.checks_due or snapshot.merges_due) or (bool(snapshot.agents) and bool(candidates(snapshot)))
    return bool(snapshot.no_room) and due and not snapshot.paused


def _is_idle(snapshot: Snapshot, steps: list[RunStep]) -> bool:
    """Return True if this runner has nothing running and no step makes progress."""
    at_work = _has_runs(snapshot) or snapshot.checks_running > 0 or snapshot.merging
    at_work = at_work or snapshot.fetching or snapshot.sending
    moves = not all(map(_may_wait_long, steps))
    return not at_work and not moves and not snapshot.more and not _waits_for_room(snapshot)


def _has_runs(snapshot: Snapshot) -> bool:
    return any(live.mine and not live.lost for live in snapshot.runs)


def _is_ours(live: LiveState) -> bool:
    return live.mine or live.lost


# ---- Afterwards (S1, S2, S4, L17) ----

DONE: Final[dict[Purpose, str]] = {
    "lead": "the lead has decided",
    "review": "its review is on record",
    "clarify": "it has answered",
}


def becomes_of(live: LiveState) -> tuple[AfterRun, str]:
    """Return what to do after a run that ended and was tidied, and why. (S1, S2, S4)"""
    outcome, left, run = live.outcome, live.left, live.run
    assert outcome is not None
    assert left is not None
    if live.done:
        return "finished", DONE.get(run.purpose, "it submitted its work")
    if outcome.stopped:
        return "stopped", live.stop or run.stop_asked or "the runner ends"
    if outcome.error in COOLING and not outcome.succeeded:
        return "cool", f"{run.profile}: {outcome.error_text or outcome.error}"
    if not outcome.succeeded:
        return "retry", how_it_failed(outcome)
    if run.purpose == "lead":
        return "retry", "the lead ended without a decision"
    if run.purpose in ("review", "clarify"):
        return "answer", ""
    return _by_signal(run, signal_of(live), left, outcome)


def signal_of(live: LiveState) -> str:
    """Return the run's last signal. The signal line of its final message overrides earlier ones. (S1)"""
    return (live.outcome.signal if live.outcome else None) or live.run.signal


def _by_signal(run: Run, signal: str, left: Left, outcome: RunOutcome) -> tuple[AfterRun, str]:
    """Return what to do after a run that ended normally. (S4)"""
    if signal == "BLOCKED":
        return "blocked", outcome.message or run.message or "it says that it is blocked"
    if signal == "FAILED":
        return "retry", outcome.message or run.message or "it says that it failed"
    if left.problem:
        return "send_back", left.problem
    if not signal and outcome.conversation and not run.resumes:
        return "ask_signal", "it ended without a signal"
    if not left.changed:
        return "no_change", "it changed nothing" if signal else "it ended without a signal and changed nothing"
    if signal == "DONE":
        return "submit_work", ""
    return "needs_review", "it ended without a signal" if not signal else "it asks for a review"


def how_it_failed(outcome: RunOutcome) -> str:
    """Return a sentence that says why the run failed. (S2)"""
    if outcome.timed_out:
        return "it took too long" if outcome.timed_out == "deadline" else "it was silent for too long"
    if outcome.error_text:
        return outcome.error_text
    if outcome.rc not in (0, None):
        return f"it ended with exit code {outcome.rc}"
    return "its output ended early"


# ---- Kept back ----

LASTING = 60
"""Length of a delay, in seconds, from which a failure is reported to a person."""
NAMED = 3
"""Number of tasks to name. The rest are counted."""


class KeptBack(msgspec.Struct, frozen=True, kw_only=True):
    """A reason why ready tasks do not start.

    `person`: only a person can change it, and nothing else shows it. `was_shown`: each failure was reported when it
    happened.
    """

    key: str
    text: str
    person: bool = False
    was_shown: bool = False


def kept_back(snapshot: Snapshot) -> tuple[KeptBack, ...]:
    """Return every reason why ready tasks do not start. A task that only waits its turn has none."""
    reasons = [KeptBack(key=text, text=text) for text in (snapshot.paused, *snapshot.waiting_lines) if text]
    reasons += _kept_back_for_failure(snapshot)
    if snapshot.no_room:
        reasons.append(KeptBack(key="no free slot", text=f"nothing starts: {snapshot.no_room}", person=True))
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


def _kept_back_for_failure(snapshot: Snapshot) -> Iterator[KeptBack]:
    """Yield failed work that will be retried, grouped by reason. A person is told once it has failed for a while."""
    failed: dict[tuple[str, str], list[PutOff]] = {}
    for off in snapshot.put_off.values():
        if off.state:
            failed.setdefault((off.state, off.why), []).append(off)
    for (state, why), rows in failed.items():
        ids = [off.task for off in rows if off.task is not None]
        text = f"{_named(ids, state)}: {why}" if ids else f"{state}: {why}"
        lasts = max(off.pause for off in rows) >= LASTING or any(off.person for off in rows)
        yield KeptBack(key=f"put off:{state}:{why}", text=text, person=lasts, was_shown=True)


def _full(snapshot: Snapshot, ready: list[TaskState]) -> Iterator[KeptBack]:
    kept = [task.id for task in ready if not task.goes_on]
    if snapshot.full and kept:
        yield KeptBack(key=snapshot.full, text=f"{_named(kept)}, but: {snapshot.full}")


def _unusable(snapshot: Snapshot, tasks: Iterable[TaskState]) -> Iterator[KeptBack]:
    """Yield tasks that no profile can take now, grouped by reason."""
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
            reasons.setdefault((f"all slots of {next_run.profile} on {snapshot.host} are in use", False), []).append(
                task.id
            )
    for (why, gone), ids in reasons.items():
        yield KeptBack(key=why, text=f"{_named(ids)}, but: {why}", person=gone)


def _is_taken(snapshot: Snapshot, slot: Slot) -> bool:
    """Return True if other runners hold all places of the profile. Places held by this runner become free by
    themselves.
    """
    here = [live for live in snapshot.runs if live.run.profile == slot.profile and live.run.host == snapshot.host]
    return len(here) >= slot.slots and not any(live.mine or live.lost for live in snapshot.runs)


def _is_gone(slot: Slot | None) -> bool:
    return slot is None or not slot.available


def _why(names: list[str], slots: dict[str, Slot]) -> str:
    """Return the problems, once each, with their profiles."""
    if not names:
        return "a person works on this tier, not an agent"
    problems: dict[str, list[str]] = {}
    for name in names:
        problems.setdefault(_problem(slots.get(name)), []).append(name)
    return "; ".join(f"{', '.join(having)} {problem}" for problem, having in problems.items())


def _problem(slot: Slot | None) -> str:
    if slot is None:
        return "is not a profile in the accepted foureyes.toml"
    if not slot.available:
        return f"cannot be used: {slot.problem.rstrip('.')}" if slot.problem else "cannot be used"
    return "is skipped for now" if slot.cooled else "was tried"


def _named(ids: list[TaskId], state: str = "ready") -> str:
    if len(ids) == 1:
        return f"{ids[0]} is {state}"
    more = len(ids) - NAMED
    return ", ".join(ids[:NAMED]) + (f" and {more} more" if more > 0 else "") + f" are {state}"


# ---- Reviews by runs ----

INVALID_MOST: Final = 2
"""Number of invalid answers after which the reviewer counts as giving no review. (V3)"""
RUNS_MOST: Final = 5
"""Number of runs after which the reviewer counts as giving no review, even if no run was at fault."""
DIGEST: Final = "sha256:"
LEAST_DIGITS: Final = 8
KINDS: dict[ErrorKind, NotGivenWhy] = {
    "quota": "quota", "auth": "auth", "missing": "missing", "refused": "refused", "timeout": "timeout",
    "crash": "crash",
}  # fmt: skip


class NoReview(msgspec.Struct, frozen=True, kw_only=True):
    """Why a reviewer gives no review."""

    kind: NotGivenWhy
    text: str


def next_of(due: ReviewDue, slot: Slot | None) -> NextRun | NoReview | None:
    """Return the next run for a requested review, or why there will be no review. None means to wait. (V3, V4)"""
    if due.late:
        return NoReview(kind="timeout", text="there was no answer in time")
    if not due.is_profile:
        return None
    if given_up := _given_up(due):
        return given_up
    if slot is not None and slot.elsewhere and (slot.cooled or not slot.available):
        return None
    if slot is None or not slot.available:
        why = slot.problem if slot and slot.problem else "it is not a profile in the accepted foureyes.toml"
        return NoReview(kind="missing", text=why)
    if slot.cooled:
        return NoReview(kind=KINDS.get(slot.error, "quota"), text=slot.error_text or "it is skipped for now")
    last = due.past[-1] if due.past else None
    if last is not None and is_invalid(last):
        goes_on = (
            due.purpose == "clarify" and not last.elsewhere
        )  # a reviewer starts fresh, with its own files and home
        return NextRun(profile=due.reviewer, resumes=last.conversation if goes_on else "", asks="answer")
    return NextRun(profile=due.reviewer, resumes=due.resumes if last is None else "")


def is_about(named: object, diff_id: str) -> bool:
    """Return True if an answer names the requested change, by its digest or at least eight digits of it. (V3, D7)"""
    if not isinstance(named, str):
        return False
    digits = named.strip().lower().rpartition(".")[2].removeprefix(DIGEST)
    return len(digits) >= LEAST_DIGITS and diff_id.removeprefix(DIGEST).startswith(digits)


def is_invalid(run: PastRun) -> bool:
    """Return True if the program ended well but its answer was not a valid document. (V3)"""
    return run.ending == "finished" and run.error == "refused"


def _given_up(due: ReviewDue) -> NoReview | None:
    """Return why the reviewer's runs so far mean that there will be no review, or None. Stopped and lost runs do not
    count against it.
    """
    invalid = [run for run in due.past if is_invalid(run)]
    if len(invalid) >= INVALID_MOST:
        return NoReview(kind="invalid", text=invalid[-1].text)
    for run in due.past:
        if is_invalid(run) or run.ending in ("stopped", "lost"):
            continue
        if run.ending == "timeout":
            return NoReview(kind="timeout", text=run.text or "it took too long")
        return NoReview(kind=KINDS.get(run.error, "crash"), text=run.text or "it ended without an answer")
    if len(due.past) >= RUNS_MOST:
        return NoReview(kind="crash", text=f"{len(due.past)} runs failed")
    return None


# ---- Sprinting (X2) ----


def is_bound(snapshot: Snapshot) -> bool:
    """Return True if new tasks start only from sprints."""
    return bool(snapshot.sprints or snapshot.sprint_over or snapshot.only_sprints)


def of_sprints(snapshot: Snapshot) -> Iterator[RunStep]:
    """Yield steps that end, pause or resume sprints. (X2, X3)"""
    held, disk = snapshot.held, snapshot.no_room
    for live in snapshot.sprints:
        end = why_end(live, snapshot.at)
        if end is not None:
            yield EndSprint(sprint=live.sprint.id, kind=end[0], why=end[1])
            continue
        pause = why_pause(live, held=held, disk=disk, spend_micros=snapshot.spend_sprint_micros)
        if pause is not None:
            yield PauseSprint(sprint=live.sprint.id, kind=pause[0], why=pause[1])
        elif why := why_go_on(live, held=held, disk=disk):
            yield ResumeSprint(sprint=live.sprint.id, why=why)


def exhausted(snapshot: Snapshot) -> Iterator[RunStep]:
    """Yield steps that end sprints without a time limit once none of their tasks is ready and the runner has nothing
    else to do. (X1, X2)
    """
    if snapshot.worth_waiting or snapshot.stopping:
        return
    for live in snapshot.sprints:
        if live.sprint.state == "running" and is_exhausted(live):
            yield EndSprint(sprint=live.sprint.id, kind="idle", why="none of its tasks is ready")


def ends_with_sprints(snapshot: Snapshot) -> bool:
    """Return True if the runner works only for sprints and all of them are over. (X2)"""
    return snapshot.only_sprints and not snapshot.sprints


def why_over(snapshot: Snapshot) -> str:
    """Return why an idle runner ends."""
    if ends_with_sprints(snapshot):
        return snapshot.sprint_over or "no sprint runs"
    paused = [_paused(live) for live in snapshot.sprints if live.sprint.state == "paused"]
    if paused:
        return "; ".join(paused)
    return "idle"


def _paused(live: SprintNow) -> str:
    return f"{live.sprint.id} is paused: {live.sprint.why} (fe sprint start {live.sprint.id})"


def at_rest(snapshot: Snapshot, steps: Iterable[RunStep]) -> Snapshot:
    """Return the snapshot with sprints that are about to end or pause marked as paused, so that they start nothing in
    this poll. (X2, X3)
    """
    resting = {step.sprint for step in steps if isinstance(step, EndSprint | PauseSprint)}
    if not resting:
        return snapshot
    sprints = [
        replace(live, sprint=replace(live.sprint, state="paused")) if live.sprint.id in resting else live
        for live in snapshot.sprints
    ]
    return replace(snapshot, sprints=tuple(sprints))


def keep_to_sprints(tasks: Iterable[TaskState], snapshot: Snapshot) -> list[TaskState]:
    """Return tasks that have begun, and new tasks of running sprints. (X2)"""
    if not is_bound(snapshot):
        return list(tasks)
    running = {live.sprint.id for live in snapshot.sprints if live.sprint.state == "running"}
    return [task for task in tasks if task.goes_on or task.sprint in running]


def why_kept(snapshot: Snapshot) -> Iterator[tuple[str, bool]]:
    """Yield why sprints keep new tasks from starting, and True if only a person can change it. (X3)"""
    for live in snapshot.sprints:
        sprint = live.sprint
        if sprint.state == "paused":
            yield _paused(live), sprint.pause_kind not in PASSING
    if snapshot.sprint_over and not snapshot.sprints:
        yield snapshot.sprint_over, False


class Rooms:
    """The number of tasks that each sprint may still start in this poll."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._left = {str(live.sprint.id): live.room for live in snapshot.sprints}

    def has(self, task: TaskState) -> bool:
        """Return True if the task may start. A task that has begun always may."""
        left = self._left.get(task.sprint)
        return task.goes_on or not task.sprint or left is None or left > 0

    def take(self, task: TaskState) -> None:
        """Count a started task."""
        left = self._left.get(task.sprint)
        if left is not None and not task.goes_on:
            self._left[task.sprint] = left - 1


def rooms(snapshot: Snapshot) -> Rooms:
    """Return the numbers at the start of this poll."""
    return Rooms(snapshot)
