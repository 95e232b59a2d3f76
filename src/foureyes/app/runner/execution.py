"""Execution: perform each step of the plan by a verb or a port. If a step fails, a later snapshot leads to it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import TYPE_CHECKING

from foureyes.app.context import IdRow
from foureyes.app.gate.checks import Checks
from foureyes.app.gate.merger import Merges
from foureyes.app.results.attempt import MergeRow
from foureyes.app.review.cycle_verbs import Cycles
from foureyes.app.runner import leases, run_end
from foureyes.app.runner.background_jobs import JobEnd, is_for_people, only_people_run, typed
from foureyes.app.runner.due_work import move_sprint
from foureyes.app.runner.live_runs import FETCH, NO_ROOM
from foureyes.app.runner.profiles import cools_until
from foureyes.app.runner.run_end import tidy
from foureyes.app.runner.run_start import Overdrawn, Unstarted, is_full, start
from foureyes.app.runner.runs import Runs
from foureyes.app.runner.snapshot import forget
from foureyes.app.target import current_target
from foureyes.app.work.remote_attempts import bring, catch_up, is_to_fetch, send
from foureyes.app.work.worktrees import is_behind
from foureyes.core.nouns.run import RunId
from foureyes.core.runner.snapshot import PutOff
from foureyes.core.runner.steps import (
    CoolProfile,
    DecideCycle,
    EndSprint,
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
    WarmProfile,
)
from foureyes.core.words.ids import TaskId
from foureyes.core.words.text import one_line
from foureyes.errors import Conflict, CutOff, FoureyesError

if TYPE_CHECKING:
    from foureyes.app.agent_ports import LocalAgents
    from foureyes.app.context import Context
    from foureyes.app.runner.background_jobs import Crew, Done, Job
    from foureyes.app.runner.live_runs import RunnerMemory
    from foureyes.core.nouns.session import Actor
    from foureyes.core.words.ids import Sha


# ---- Performing steps ----

Tell = Callable[[str, str], None]
"""A function that gets a task id (or "") and one line about it."""
AGAIN_SECONDS, LONGEST_SECONDS = 5, 640
"""Delay before a failed step is retried. It doubles with each failure, up to the second value."""
ROOM_AGAIN_SECONDS = 60
FORGET_SECONDS = 3600
UNMERGED, UNSENT = "approved but not merged", "not pushed yet"
MERGE = "merge"
SEND = "send"
NOTIFY = "notify:"
WHY_LENGTH = 200
HOW = {"review": "is reviewed by", "clarify": "is clarified by"}
MOVED = ("merged", "found", "conflict", "checks", "void")
"""Outcomes after which a task has left the merge queue or made progress in it."""


class Performing:
    """Performs the steps of a plan. It decides nothing: every step ends in a verb that asks the rules."""

    def __init__(self, context: Context, runner: Actor, agents: LocalAgents, crew: Crew, tell: Tell) -> None:
        self._context = context
        self._runner = runner
        self._agents = agents
        self._crew = crew
        self._tell = tell
        self._asked: dict[TaskId, Sha | None] = {}
        self._fetched_tip: Sha | None = None

    def perform(self, step: RunStep, memory: RunnerMemory) -> bool:
        """Perform one step and return True if it did something. A refusal is reported and changes nothing."""
        name, task, why, person = step.name, getattr(step, "task", None), "", False
        try:
            done = self._do(step, memory)
        except (FoureyesError, Unstarted) as problem:
            done, why, person = False, one_line(str(problem), WHY_LENGTH), is_for_people(problem)
            if not _was_sooner(step, problem):
                self._tell(str(task or ""), f"not done: {why}")
            if is_full(problem):
                self.no_room(memory)
        if done is False:
            state = "ready, but not started" if isinstance(step, StartRun) else ""
            grows = not isinstance(step, DecideCycle)
            self._put_off(memory, name, task=task, state=state, why=why, grows=grows, person=person)
        elif not isinstance(step, RunChecks | Merge | Send):  # their jobs report success
            memory.put_off.pop(name, None)
        return done is not False

    def no_room(self, memory: RunnerMemory) -> None:
        """Postpone everything because the disk is full. (X3)"""
        memory.put_off[NO_ROOM] = PutOff(until=self._context.later(ROOM_AGAIN_SECONDS), pause=ROOM_AGAIN_SECONDS)

    def _put_off(
        self,
        memory: RunnerMemory,
        name: str,
        *,
        task: TaskId | None,
        state: str,
        why: str,
        grows: bool = True,
        person: bool = False,
    ) -> bool:
        """Schedule a retry, with twice the last delay. Return True if the reason differs from the previous one."""
        before = memory.put_off.get(name)
        pause = min(2 * before.pause, LONGEST_SECONDS) if before is not None and grows else AGAIN_SECONDS
        until = self._context.later(pause)
        memory.put_off[name] = PutOff(until=until, pause=pause, task=task, state=state, why=why, person=person)
        return before is None or before.why != why

    def forget_put_off(self, memory: RunnerMemory) -> None:
        """Forget old retries, so that a later failure starts with the short delay again."""
        since = self._context.later(-FORGET_SECONDS)
        memory.put_off = {name: off for name, off in memory.put_off.items() if off.until > since}

    def _do(self, step: RunStep, memory: RunnerMemory) -> bool | None:
        """Return False if the step cannot be done now."""
        match step:
            case StartRun():
                self._start(step, memory)
            case StopRun():
                self._stop(step, memory)
            case TidyRun():
                return self._tidy(step, memory)
            case FinishRun():
                self._finish(step, memory)
            case TakeOver():
                return self._take_over(step)
            case FreeClaim():
                return self._free(step)
            case RunChecks():
                memory.checking.add(step.task)
                self._crew.start(step.task, _check(self._runner, step.task))
            case Merge():
                memory.merging = step.tasks
                self._crew.start(MERGE, _merge(self._runner, step.tasks))
            case Send():
                memory.unsent, memory.sending = False, True
                self._crew.start(SEND, _send())
            case Stick():
                why = Runs(self._context).stuck(self._runner, step.task, kind=step.kind, why=step.why)
                self._tell(step.task, one_line(f"is stuck and needs a person: {why}", WHY_LENGTH))
            case Forget():
                return forget(self._context, self._agents, step.task, self._runner.host)
            case CoolProfile():
                self._cool(step)
            case WarmProfile():
                if Runs(self._context).warm(self._runner, step.profile, reason=step.why):
                    self._tell("", f"{step.profile} may be used again: {step.why}")
            case EndSprint() | PauseSprint() | ResumeSprint():
                news = move_sprint(self._context, self._runner, step)
                self._tell("", f"! {news}") if news else None
                return bool(news)
            case NotGiven() | DecideCycle() | OpenCycle():
                news = perform_cycle(self._context, self._runner, step, memory.shown)
                self._tell(task_of(step), news) if news else None
                return bool(news)
            case Notify():
                self._notify(step, memory)
        return None

    def _start(self, step: StartRun, memory: RunnerMemory) -> None:
        if self._fetch(step, memory):
            return
        memory.begun = True
        own = start(self._context, self._runner, self._agents, step, heard=self._fetched_tip)
        memory.current_runs[own.run.id] = own
        how = HOW.get(step.purpose, "continues" if step.resumes else "started")
        self._tell(step.task, f"{how}: {step.profile}" + (f" ({step.why})" if step.why else ""))
        for note in own.notes:
            self._tell(step.task, note)

    def _fetch(self, step: StartRun, memory: RunnerMemory) -> bool:
        """Return True if the run must wait while a submission or merge from another machine is fetched. (Q6)

        The target is asked for once. If that fails, work begins at the last recorded merge.
        """
        task, makes = step.task, step.purpose != "review"
        behind = makes and task not in self._asked and is_behind(self._context, task)
        self._fetched_tip = self._asked.pop(task, None)
        if step.early_review or not (behind or is_to_fetch(self._context, task)):
            return False
        if behind or self._fetched_tip is not None:
            self._asked[task] = self._fetched_tip
        memory.fetching.add(task)
        self._crew.start(f"{FETCH}{task}", _fetch(task, self._asked if behind else None))
        return True

    def _cool(self, step: CoolProfile) -> None:
        """Record the cooldown of a profile that could not start. A missing program has no end time. (X3)"""
        until = "" if step.error == "missing" else cools_until(self._context, step.error, None)
        why = one_line(step.why, WHY_LENGTH)
        Runs(self._context).cool(self._runner, step.profile, until=until, error=step.error, error_text=why)
        if step.error != "missing":
            self._tell("", f"{step.profile} is skipped for a while: {why}")

    def _stop(self, step: StopRun, memory: RunnerMemory) -> None:
        own = memory.current_runs[step.run]
        own.asked = step.why
        own.live.stop(step.why)
        self._tell(step.task, f"stopping {own.run.profile}: {step.why}")

    def _tidy(self, step: TidyRun, memory: RunnerMemory) -> bool:
        """Clean up a run's worktree, but only if all its processes are proven dead. (S4)"""
        own = memory.current_runs[step.run]
        if step.run not in self._agents.end_left([own.live.process], [step.run]):
            self._tell(step.task, f"some processes of {step.run} still run and cannot be ended")
            return False
        own.left = tidy(self._context, self._runner, own.run)
        return True

    def _finish(self, step: FinishRun, memory: RunnerMemory) -> None:
        own = memory.current_runs[step.run]
        news = run_end.finish(self._context, self._runner, self._agents, own, step)
        del memory.current_runs[step.run]
        memory.unsent = True
        self._tell(step.task, f"{own.run.profile} {news}")

    def _take_over(self, step: TakeOver) -> bool:
        taken = run_end.take_over(self._context, self._runner, self._agents, step.run)
        if taken is None:
            return False
        after = ". Its work was finished and is submitted" if taken.ending == "finished" else ""
        self._tell(step.task, f"{step.run} was taken over: {step.why}{after}")
        return True

    def _free(self, step: FreeClaim) -> bool:
        with self._context.store.read() as tx:
            row = tx.one("runner.claim_of", IdRow, task=step.task)
        return row is not None and run_end.free_claim(self._context, self._runner, RunId(row.id))

    def _notify(self, step: Notify, memory: RunnerMemory) -> None:
        memory.shown.add(step.key)
        with self._context.store.read() as tx:
            command = self._context.gate_policy(tx).run.notify
        if command and step.key not in self._context.outside.kept_notices():
            self._crew.start(f"{NOTIFY}{step.key}", _notify(command, step.text))
        self._tell("", f"! {step.text}")

    def forget_notices(self, standing: Set[str]) -> None:
        """Forget stored notices that no longer apply, so that they are sent again if they come back. (E6)"""
        outside = self._context.outside
        kept = outside.kept_notices()
        if not kept <= standing:
            outside.keep_notices(kept & standing)

    def finished(self, done: Done, memory: RunnerMemory) -> None:
        """Handle a finished background job."""
        if done.key == SEND:
            self._sent(done, memory)
            return
        if done.key.startswith(FETCH):
            self._fetched(done, memory)
            return
        if done.key == MERGE:
            self._merged(done, memory)
            return
        is_new = True
        if done.key.startswith(NOTIFY):
            if not (done.said or done.problem):
                outside = self._context.outside
                outside.keep_notices({*outside.kept_notices(), done.key.removeprefix(NOTIFY)})
        else:
            memory.checking.discard(done.key)
            step = RunChecks(task=TaskId(done.key))
            is_new = self._settle(memory, step, "not checked", done.problem, person=done.person)
        for line in (done.said or (done.problem if is_new else "")).splitlines():
            self._tell("" if done.key.startswith(NOTIFY) else done.key, line)

    def _settle(
        self, memory: RunnerMemory, step: RunStep, state: str, why: str, *, grows: bool = True, person: bool = False
    ) -> bool:
        """Clear or schedule the retry of a finished job. Return True if people have not seen this reason yet."""
        if not why:
            memory.put_off.pop(step.name, None)
            return True
        tasks = getattr(step, "tasks", ())
        task = tasks[0] if tasks else getattr(step, "task", None)
        return self._put_off(memory, step.name, task=task, state=state, why=why, grows=grows, person=person)

    def _merged(self, done: Done, memory: RunnerMemory) -> None:
        """Postpone each task that was not merged, with its own retry. (Q3)"""
        at_work = {own.run.task for own in memory.current_runs.values()}
        for task in done.closed:
            if task not in at_work:
                self._agents.forget(task)
        tasks, memory.merging = memory.merging, ()
        failed = dict.fromkeys(tasks, done.problem) if done.problem else done.failed
        people = tasks if done.person else done.for_people
        fresh = [
            self._settle(
                memory, Merge(tasks=(task,)), UNMERGED, failed.get(task, ""), grows=not done.soon, person=task in people
            )
            for task in tasks
        ]
        known = {f"{task} " for task, is_new in zip(tasks, fresh, strict=True) if not is_new}
        for line in (done.said or (done.problem if any(fresh) else "")).splitlines():
            if not line.startswith(tuple(known)):
                self._tell("", line)

    def _sent(self, done: Done, memory: RunnerMemory) -> None:
        memory.sending = False
        is_new = self._settle(memory, Send(), UNSENT, done.problem, person=done.person)
        memory.unsent = memory.unsent or bool(done.problem)
        for line in filter(None, (done.said, f"{UNSENT}: {done.problem}" if is_new and done.problem else "")):
            self._tell("", line)

    def _fetched(self, done: Done, memory: RunnerMemory) -> None:
        """Let the waiting run start, or retry the fetch later."""
        task = done.key.removeprefix(FETCH)
        memory.fetching.discard(task)
        if done.problem:
            self._asked.pop(TaskId(task), None)
        name = f"StartRun:{task}"
        is_new = not done.problem or self._put_off(
            memory, name, task=TaskId(task), state="ready, but not started", why=done.problem, person=done.person
        )
        if news := done.said or (done.problem if is_new else ""):
            self._tell(task, news)


def _was_sooner(step: RunStep, problem: Exception) -> bool:
    """Return True if another runner was first. That runner reports on the task. (J4)"""
    if not isinstance(step, StartRun):
        return False
    reasons = problem.reasons if isinstance(problem, FoureyesError) else ()
    return isinstance(problem.__cause__, Overdrawn) or any(reason.rule == "J4" for reason in reasons)


def _check(runner: Actor, task: str) -> Job:
    """Return a job that runs the checks of an attempt, outside every author's processes. (D5)"""

    def job(context: Context, stop: Callable[[], bool]) -> JobEnd:
        leased = leases.take(context, runner, task)
        try:
            report = Checks(context).run(leased, task, stop=stop)
        finally:
            leases.leave(context, leased, task)
        words = ", ".join(f"{row.check} {row.outcome.replace('_', ' ')}" for row in report.checks)
        after = "sent back" if report.sent_back else report.status
        why = "" if all(row.outcome == "passed" for row in report.checks) else f": fe check show {task}"
        return JobEnd(f"checked: {words or 'nothing to check'} ({after}){why}")

    return job


def _merge(runner: Actor, tasks: Sequence[TaskId]) -> Job:
    """Return a job that processes these tasks in the merge queue. (Q1)"""

    def job(context: Context, _: Callable[[], bool]) -> JobEnd:
        try:
            rows = Merges(context, of_runner=True).process(runner, only=tasks)
        except Conflict as busy:  # another process holds the merge queue (Q1)
            return JobEnd(failed=dict.fromkeys(tasks, busy.message), soon=True)
        except CutOff as cut:  # earlier merges of this batch stand (Q4)
            done = [row for row in cut.done if isinstance(row, MergeRow)]
            text = "\n".join([*_messages(done), cut.message])
            return JobEnd(text, failed=_failed(tasks, done, cut.message), closed=_closed(done))
        for_people = tuple(row.task for row in rows if row.outcome not in MOVED and only_people_run(row.next))
        failed = _failed(tasks, rows)
        return JobEnd("\n".join(_messages(rows)), failed=failed, closed=_closed(rows), for_people=for_people)

    return job


def _failed(tasks: Sequence[TaskId], rows: Sequence[MergeRow], why: str = "another run came first") -> dict[str, str]:
    """Return the tasks that stay in the queue, with the reason for each."""
    became = {row.task: row for row in rows}
    return {
        task: _with_step(became[task]) if task in became else why
        for task in tasks
        if task not in became or became[task].outcome not in MOVED
    }


def _with_step(row: MergeRow) -> str:
    """Return why a task was not merged, with the command if only a person can run it."""
    return f"{row.message}: {typed(row.next)}" if only_people_run(row.next) else row.message


def _messages(rows: Sequence[MergeRow]) -> list[str]:
    return [
        "; ".join([f"{row.task} {row.outcome}: {row.message}", *row.notes]) for row in rows if row.outcome != "waiting"
    ]


def _closed(rows: Sequence[MergeRow]) -> tuple[str, ...]:
    return tuple(row.task for row in rows if row.merged)


def _send() -> Job:
    """Return a job that pushes local submissions to the remote. (Q6)"""

    def job(context: Context, _: Callable[[], bool]) -> JobEnd:
        sent = send(context)
        tasks = ", ".join(dict.fromkeys(sent.attempts))
        news = [f"pushed to {sent.remote}: {tasks}"] if tasks else []
        return JobEnd("; ".join([*news, *sent.left]), problem=sent.why_not)

    return job


def _fetch(task: TaskId, asked: dict[TaskId, Sha | None] | None) -> Job:
    """Return a job that fetches submissions and merges from the remote. (Q6)

    If `asked` is given, the remote's target head is stored there under the task.
    """

    def job(context: Context, _: Callable[[], bool]) -> JobEnd:
        behind = ""
        if asked is not None:
            behind = catch_up(context)
            current = current_target(context)
            if current.remote and current.at is None:
                with context.store.read() as tx:
                    raise current.must(context.project(tx).target)
            asked[task] = current.at if current.is_certain and current.remote else None
        return JobEnd("; ".join([*bring(context, task), *filter(None, [behind])]))

    return job


def _notify(command: str, text: str) -> Job:

    def job(context: Context, _: Callable[[], bool]) -> JobEnd:
        problem = context.outside.notify(command, text)
        return JobEnd(f"run.notify: {problem}" if problem else "")

    return job


# ---- Cycles (V1, V4, V8) ----

CYCLE_WHY_LENGTH = 500


def task_of(step: NotGiven | DecideCycle | OpenCycle) -> str:
    """Return the task of a step, or "" if the step is about several."""
    if isinstance(step, OpenCycle):
        return step.tasks[0] if len(step.tasks) == 1 else ""
    return step.task if isinstance(step, NotGiven) else ""


def perform_cycle(context: Context, runner: Actor, step: NotGiven | DecideCycle | OpenCycle, shown: set[str]) -> str:
    """Perform one cycle step and return the message to show, "" if nothing changed. An OpenCycle step's key is added to
    `shown`, so that it is not repeated.
    """
    cycles = Cycles(context)
    if isinstance(step, NotGiven):
        why = one_line(step.why, CYCLE_WHY_LENGTH)
        cycles.not_given(runner, step.cycle, step.reviewer, task=step.task, why=step.kind, text=why)
        return f"no review by {step.reviewer} ({step.kind}): {why}"
    if isinstance(step, DecideCycle):
        return "; ".join(done.message for done in cycles.decide(runner, step.cycle) if done.changed)
    shown.add(step.key)
    return cycles.open(
        runner, step.trigger, step.tasks, reason=one_line(step.why, CYCLE_WHY_LENGTH), wide=step.wide
    ).message
