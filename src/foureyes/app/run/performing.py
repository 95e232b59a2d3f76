"""Performing: each step of the plan through a verb or a port. What cannot be done now, the next look sees again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from foureyes.app.call.rows import IdRow
from foureyes.app.call.told_target import told_target
from foureyes.app.gate.checks import Checks
from foureyes.app.gate.merging import Merges
from foureyes.app.run import check_leases, ending
from foureyes.app.run.crew import JobEnd
from foureyes.app.run.cycling import perform_cycle, task_of
from foureyes.app.run.in_hand import FETCH, key_of
from foureyes.app.run.keeping import forget
from foureyes.app.run.profiles import cools_until
from foureyes.app.run.runs import Runs
from foureyes.app.run.sprints_seen import move_sprint
from foureyes.app.run.starting import Overdrawn, Unstarted, is_full, start
from foureyes.app.run.tidying import tidy
from foureyes.app.views.merge import MergeRow
from foureyes.app.work.other_machines import bring, catch_up, is_to_fetch
from foureyes.app.work.sending import send
from foureyes.app.work.worktrees import is_behind
from foureyes.core.nouns.run import RunId
from foureyes.core.run.step import (
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
    from foureyes.app.call.context import Context
    from foureyes.app.run.crew import Crew, Done, Job
    from foureyes.app.run.in_hand import RunnerDesk
    from foureyes.core.nouns.session import Actor
    from foureyes.core.words.ids import Sha

Tell = Callable[[str, str], None]
"""Told a task (or none) and a line about it."""
AGAIN_SECONDS = 5
JOB_AGAIN_SECONDS = 60
ROOM_AGAIN_SECONDS = 60
MERGE = "merge"
SEND = "send"
NOTIFY = "notify:"
WHY_LENGTH = 200
HOW = {"review": "is reviewed by", "clarify": "is clarified by"}
MOVED = ("merged", "found", "conflict", "checks", "void")
"""What becomes of an item by which the queue gets shorter."""


class Performing:
    """Does what the plan says. It decides nothing: every step ends in a verb that asks the rules."""

    def __init__(self, context: Context, runner: Actor, agents: LocalAgents, crew: Crew, tell: Tell) -> None:
        self._context = context
        self._runner = runner
        self._agents = agents
        self._crew = crew
        self._tell = tell
        self._unsent, self._sending = True, False
        self._asked: dict[TaskId, Sha | None] = {}
        self._told: Sha | None = None

    def send(self, desk: RunnerDesk) -> None:
        """Q6: push what the remote lacks, beside everything else; again later where that failed."""
        if not self._unsent or self._sending or desk.is_put_off(SEND, self._context.now()):
            return
        with self._context.store.read() as tx:
            is_shared = self._context.remote(tx) is not None
        self._unsent, self._sending = False, is_shared
        if is_shared:
            self._crew.start(SEND, _send())

    def perform(self, step: RunStep, desk: RunnerDesk) -> bool:
        """One step; whether anything was done. A refusal is told and changes nothing: the next look sees what is."""
        key, now = key_of(step), self._context.now()
        if desk.is_put_off(key, now):
            return False
        try:
            done = self._do(step, desk)
        except (FoureyesError, Unstarted) as problem:
            if not _was_sooner(step, problem):
                self._tell(str(getattr(step, "task", "")), one_line(f"not done: {problem}", WHY_LENGTH))
            done = False
            if is_full(problem):
                desk.no_room_until = self._context.later(ROOM_AGAIN_SECONDS)
        if done is False:
            desk.put_off[key] = self._context.later(AGAIN_SECONDS)
        return done is not False

    def _do(self, step: RunStep, desk: RunnerDesk) -> bool | None:
        """False: it cannot be done now."""
        match step:
            case StartRun():
                self._start(step, desk)
            case StopRun():
                self._stop(step, desk)
            case TidyRun():
                return self._tidy(step, desk)
            case FinishRun():
                self._finish(step, desk)
            case TakeOver():
                return self._take_over(step)
            case FreeClaim():
                return self._free(step)
            case RunChecks():
                desk.checking.add(step.task)
                self._crew.start(step.task, _check(self._runner, step.task))
            case Merge():
                desk.merging = True
                self._crew.start(MERGE, _merge(self._runner))
            case Stick():
                why = Runs(self._context).stuck(self._runner, step.task, kind=step.kind, why=step.why)
                self._tell(step.task, one_line(f"waits for a person: {why}", WHY_LENGTH))
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
                news = perform_cycle(self._context, self._runner, step, desk.told)
                self._tell(task_of(step), news) if news else None
                return bool(news)
            case Notify():
                self._notify(step, desk)
        return None

    def _start(self, step: StartRun, desk: RunnerDesk) -> None:
        if self._fetch(step, desk):
            return
        desk.begun = True
        own = start(self._context, self._runner, self._agents, step, heard=self._told)
        desk.in_hand[own.run.id] = own
        how = HOW.get(step.purpose, "goes on" if step.resumes else "started")
        self._tell(step.task, f"{how}: {step.profile}" + (f" ({step.why})" if step.why else ""))
        for note in own.notes:
            self._tell(step.task, note)

    def _fetch(self, step: StartRun, desk: RunnerDesk) -> bool:
        """Q6: whether a run waits for what another machine handed in or merged; the target is asked for once, and work
        begins at the last merge on record where that cannot be had.
        """
        task, makes = step.task, step.purpose != "review"
        behind = makes and task not in self._asked and is_behind(self._context, task)
        self._told = self._asked.pop(task, None)
        if step.look or not (behind or is_to_fetch(self._context, task)):
            return False
        if behind or self._told is not None:
            self._asked[task] = self._told
        desk.fetching.add(task)
        self._crew.start(f"{FETCH}{task}", _fetch(task, self._asked if behind else None))
        return True

    def _cool(self, step: CoolProfile) -> None:
        """X3: told by whoever cannot begin; a program that is not there is waited for without a time."""
        until = "" if step.error == "missing" else cools_until(self._context, step.error, None)
        why = one_line(step.why, WHY_LENGTH)
        Runs(self._context).cool(self._runner, step.profile, until=until, error=step.error, error_text=why)
        if step.error != "missing":
            self._tell("", f"{step.profile} is left alone for a while: {why}")

    def _stop(self, step: StopRun, desk: RunnerDesk) -> None:
        own = desk.in_hand[step.run]
        own.asked = step.why
        own.live.stop(step.why)
        self._tell(step.task, f"stopping {own.run.profile}: {step.why}")

    def _tidy(self, step: TidyRun, desk: RunnerDesk) -> bool:
        """S4: only what is proven dead leaves its worktree to us."""
        own = desk.in_hand[step.run]
        if step.run not in self._agents.end_left([own.live.process], [step.run]):
            self._tell(step.task, f"{step.run}: something of it still runs and cannot be ended")
            return False
        own.left = tidy(self._context, self._runner, own.run)
        return True

    def _finish(self, step: FinishRun, desk: RunnerDesk) -> None:
        own = desk.in_hand[step.run]
        news = ending.finish(self._context, self._runner, self._agents, own, step)
        del desk.in_hand[step.run]
        self._unsent = True
        self._tell(step.task, f"{own.run.profile} {news}")

    def _take_over(self, step: TakeOver) -> bool:
        if ending.take_over(self._context, self._runner, self._agents, step.run) is None:
            return False
        self._tell(step.task, f"{step.run} was taken over: {step.why}")
        return True

    def _free(self, step: FreeClaim) -> bool:
        with self._context.store.read() as tx:
            row = tx.one("runner.claim_of", IdRow, task=step.task)
        return row is not None and ending.free_claim(self._context, self._runner, RunId(row.id))

    def _notify(self, step: Notify, desk: RunnerDesk) -> None:
        desk.told.add(step.key)
        with self._context.store.read() as tx:
            command = self._context.gate_policy(tx).run.notify
        if command:
            self._crew.start(f"{NOTIFY}{step.key}", _notify(command, step.text))
        self._tell("", f"! {step.text}")

    def finished(self, done: Done, desk: RunnerDesk) -> None:
        """A job of the crew came to its end."""
        if done.key == SEND:
            self._sent(done, desk)
            return
        if done.key.startswith(FETCH):
            self._fetched(done, desk)
            return
        if done.key == MERGE:
            desk.merging = False
            desk.merge_problem = done.problem
        desk.checking.discard(done.key)
        at_work = {own.run.task for own in desk.in_hand.values()}
        for task in done.closed:
            if task not in at_work:
                self._agents.forget(task)
        if done.rests and not done.key.startswith(NOTIFY):
            step = Merge() if done.key == MERGE else RunChecks(task=TaskId(done.key))
            desk.put_off[key_of(step)] = self._context.later(AGAIN_SECONDS if done.soon else JOB_AGAIN_SECONDS)
        for line in (done.said or done.problem).splitlines():
            self._tell(done.key if done.key != MERGE and not done.key.startswith(NOTIFY) else "", line)

    def _sent(self, done: Done, desk: RunnerDesk) -> None:
        self._sending = False
        if done.rests:
            self._unsent = True
            desk.put_off[SEND] = self._context.later(JOB_AGAIN_SECONDS)
        if news := done.said or done.problem:
            self._tell("", news)

    def _fetched(self, done: Done, desk: RunnerDesk) -> None:
        """What waited for it begins; where it cannot be had now, it is asked for again later."""
        task = done.key.removeprefix(FETCH)
        desk.fetching.discard(task)
        if done.rests:
            self._asked.pop(TaskId(task), None)
            desk.put_off[done.key] = self._context.later(JOB_AGAIN_SECONDS)
        if news := done.said or done.problem:
            self._tell(task, news)


def _was_sooner(step: RunStep, problem: Exception) -> bool:
    """J4: whether another runner was simply first: it tells what becomes of the task."""
    if not isinstance(step, StartRun):
        return False
    reasons = problem.reasons if isinstance(problem, FoureyesError) else ()
    return isinstance(problem.__cause__, Overdrawn) or any(reason.rule == "J4" for reason in reasons)


def _check(runner: Actor, task: str) -> Job:
    """D5: the checks of an attempt, by a service outside of every author's processes."""

    def job(context: Context, stop: Callable[[], bool]) -> JobEnd:
        leased = check_leases.take(context, runner, task)
        try:
            report = Checks(context).run(leased, task, stop=stop)
        finally:
            check_leases.leave(context, leased, task)
        words = ", ".join(f"{row.check} {row.outcome.replace('_', ' ')}" for row in report.checks)
        after = "sent back" if report.sent_back else report.status
        why = "" if all(row.outcome == "passed" for row in report.checks) else f": fe check show {task}"
        return JobEnd(f"checked: {words or 'nothing to check'}; {after}{why}")

    return job


def _merge(runner: Actor) -> Job:
    """Q1: what can be merged now."""

    def job(context: Context, _: Callable[[], bool]) -> JobEnd:
        try:
            rows = Merges(context, of_runner=True).process(runner)
        except Conflict:  # another process is at the queue (Q1)
            return JobEnd(rests=True, soon=True)
        except CutOff as cut:  # what was merged before is merged (Q4)
            done = [row for row in cut.done if isinstance(row, MergeRow)]
            return JobEnd("\n".join([*_told(done), cut.message]), rests=True, closed=_closed(done))
        moved = any(row.outcome in MOVED for row in rows)
        return JobEnd("\n".join(_told(rows)), rests=not moved, closed=_closed(rows))

    return job


def _told(rows: Sequence[MergeRow]) -> list[str]:
    return [
        "; ".join([f"{row.task} {row.outcome}: {row.message}", *row.notes]) for row in rows if row.outcome != "waiting"
    ]


def _closed(rows: Sequence[MergeRow]) -> tuple[str, ...]:
    return tuple(row.task for row in rows if row.merged)


def _send() -> Job:
    """Q6: what was handed in here, to the remote."""

    def job(context: Context, _: Callable[[], bool]) -> JobEnd:
        sent = send(context)
        tasks = ", ".join(dict.fromkeys(sent.attempts))
        news = [f"pushed to {sent.remote}: {tasks}"] if tasks else []
        news += [f"not pushed yet: {sent.why_not}"] if sent.why_not else []
        return JobEnd("; ".join([*news, *sent.left]), rests=bool(sent.why_not))

    return job


def _fetch(task: TaskId, asked: dict[TaskId, Sha | None] | None) -> Job:
    """Q6: what another machine handed in, and what was merged, from the remote. What the remote answers where it is
    `asked` for the target goes there, as a value.
    """

    def job(context: Context, _: Callable[[], bool]) -> JobEnd:
        behind = ""
        if asked is not None:
            behind = catch_up(context)
            told = told_target(context)
            if told.remote and told.at is None:
                with context.store.read() as tx:
                    raise told.must(context.project(tx).target)
            asked[task] = told.at if told.is_told and told.remote else None
        return JobEnd("; ".join([*bring(context, task), *filter(None, [behind])]))

    return job


def _notify(command: str, text: str) -> Job:
    """Tell a person by the project's own command."""

    def job(context: Context, _: Callable[[], bool]) -> JobEnd:
        problem = context.outside.notify(command, text)
        return JobEnd(f"run.notify: {problem}" if problem else "")

    return job
