"""Due work of a runner: requested reviews, checks of attempts, and sprint steps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from foureyes.app.context import stamp
from foureyes.app.cycles.cycle_record import wholes
from foureyes.app.cycles.decisions import answer_by, may_be_due
from foureyes.app.cycles.reviewers import can_ask, is_cooling
from foureyes.app.gate.checks import due_among
from foureyes.app.results.journal import JournalHead
from foureyes.app.results.run import PauseView
from foureyes.app.runner.rows import (
    AskedRow,
    Awaited,
    CalledRow,
    ClarifyRow,
    HeardRow,
    ReviewRun,
    SubmissionTime,
    TaskPlace,
    Touched,
)
from foureyes.app.sprint.sprints import Sprints
from foureyes.app.tasks.sprint_records import active, now_of
from foureyes.core.cycle.decision import RunActivity, silence_begins, silent, trigger_of
from foureyes.core.nouns.cycle import Cycle, CycleId
from foureyes.core.nouns.run import MAKES, Run, RunId, conversation_of
from foureyes.core.nouns.sprint import Sprint
from foureyes.core.rules.check_states import pause_after
from foureyes.core.rules.required import wants_peers
from foureyes.core.runner.snapshot import Called, PastRun, PutOff, ReviewDue
from foureyes.core.runner.steps import EndSprint, PauseSprint, ResumeSprint
from foureyes.core.words.ids import TaskId

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.ports import Tx
    from foureyes.app.runner.live_runs import RunnerMemory
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.policy import ReviewPolicy
    from foureyes.core.sprint.progress import SprintNow


# ---- Requested reviews (V1, V3, V4, V8) ----

MOST_OF_A_KIND = 50
"""Number of rows of each kind that one poll reads."""
MINUTE = 60.0
"""Seconds in one minute of silence."""


def reviews_due(context: Context, tx: Tx, host: str) -> tuple[ReviewDue, ...]:
    """Return reviews that a runner can start, and overdue ones, in starting order after the due clarifications. A held
    task still gets its reviews. (V4, V9)
    """
    now = context.now()
    rows = tx.all("runner.asked", AskedRow, now=now, limit=MOST_OF_A_KIND)
    if not rows:
        return clarifications_due(tx, host)
    past = _past(tx, sorted({row.cycle for row in rows}), host)
    paused = {pause.task for pause in tx.all("run.pauses", PauseView) if pause.made_by == "person"}
    due = tuple(
        ReviewDue(
            cycle=row.cycle,
            task=TaskId(row.task),
            reviewer=row.reviewer,
            early_review=row.early_review,
            is_profile=row.kind == "profile",
            late=bool(row.until) and row.until <= now,
            stopped="a person paused it" if row.task in paused else "",
            past=tuple(past.get((row.cycle, row.task, row.reviewer), ())),
        )
        for row in rows
    )
    return (*clarifications_due(tx, host), *due)


def clarifications_due(tx: Tx, host: str) -> tuple[ReviewDue, ...]:
    """Return clarifications asked of authors that were runs. Each resumes its conversation if that is on this host.
    (V9)
    """
    rows = tx.all("runner.clarifying", ClarifyRow, limit=MOST_OF_A_KIND)
    past = _past(tx, sorted({row.cycle for row in rows}), host, "runner.clarify_runs") if rows else {}
    due = []
    for row in rows:
        runs = [run for session in row.clarifiers if (run := tx.one("run.of_session", Run, session=session))]
        run = next((run for run in runs if run.task == row.task), None)
        if run is None:
            continue
        due.append(
            ReviewDue(
                cycle=row.cycle,
                task=TaskId(row.task),
                reviewer=run.profile,
                purpose="clarify",
                resumes=conversation_of(run.conversation) if run.host == host else "",
                past=tuple(past.get((row.cycle, row.task, run.profile), ())),
            )
        )
    return tuple(due)


def _past(
    tx: Tx, cycles: Sequence[str], host: str, query: str = "runner.review_runs"
) -> dict[tuple[str, str, str], list[PastRun]]:
    past: dict[tuple[str, str, str], list[PastRun]] = defaultdict(list)
    for row in tx.all(query, ReviewRun, ids=list(cycles)):
        past[row.cycle, row.task, row.profile].append(row.past(host))
    return past


def no_longer_awaited(tx: Tx, runs: Iterable[Run]) -> tuple[set[RunId], dict[str, str]]:
    """Return the live runs whose answer no cycle needs any more, and the time of each submitted review by session."""
    asked = [run for run in runs if run.purpose in ("review", "clarify") and run.cycle]
    if not asked:
        return set[RunId](), {}
    cycles = sorted({run.cycle for run in asked})
    awaited = {(row.cycle, row.task, row.reviewer) for row in tx.all("runner.awaited", Awaited, ids=cycles)}
    clarifying = {(row.cycle, row.task) for row in tx.all("runner.unclarified", Awaited, ids=cycles)}
    given = {row.id: row.at for row in tx.all("runner.reviewed", SubmissionTime, ids=cycles)}
    unwanted = {
        run.id
        for run in asked
        if (run.cycle, run.task, run.profile) not in awaited and (run.cycle, run.task) not in clarifying
    }
    return unwanted, given


def to_decide(context: Context, tx: Tx) -> tuple[CycleId, ...]:
    """Return the cycles in which every reviewer has answered or failed to. A cycle that asked nobody is due only if a
    reviewer can be asked by now. (V4, V8)
    """
    now = context.now()
    rows = tx.all("runner.to_decide", Cycle, now=now, limit=MOST_OF_A_KIND)
    clarifying = [row.id for row in rows if row.state == "clarifying"]
    open_ = {row.cycle for row in tx.all("runner.unclarified", Awaited, ids=clarifying)} if clarifying else set()
    idle = {
        known.cycle.id
        for known in wholes(tx, rows)
        if known.cycle.state == "open" and not may_be_due(context, tx, known) and not can_ask(context, tx, known)
    }
    due = [row for row in rows if row.id not in idle]
    return tuple(row.id for row in due if row.id not in open_ or "" < answer_by(context, tx, row) <= now)


def waits_for_cooled(context: Context, tx: Tx) -> bool:
    """Return True if a cycle waits only for a reviewer in cooldown. (V4)"""
    rows = tx.all("runner.to_decide", Cycle, now=context.now(), limit=MOST_OF_A_KIND)
    waiting = [known for known in wholes(tx, rows) if known.cycle.state == "open" and not known.requested]
    return any(is_cooling(context, tx, known) for known in waiting)


def called(context: Context, tx: Tx, memory: RunnerMemory, policy: ReviewPolicy, host: str) -> tuple[Called, ...]:
    """Return events of agents during their work, and their silence, for which a cycle should be opened. Empty if the
    policy wants no peer reviews. (V1)
    """
    if not wants_peers(policy):
        return ()
    calls: dict[tuple[str, str], Called] = {}
    for row in tx.all("runner.called", CalledRow, limit=MOST_OF_A_KIND):
        trigger = trigger_of(row.type)
        if trigger is not None:
            key = f"{trigger}:{row.id}:{row.seq}"
            calls[trigger, row.id] = Called(trigger=trigger, tasks=(TaskId(row.id),), key=key, why=row.text)
    return (*calls.values(), *_silence(context, tx, memory, policy.peers.silence_minutes, host))


def _silence(context: Context, tx: Tx, memory: RunnerMemory, minutes: int, host: str) -> Iterable[Called]:
    """Yield one call if no live run of the project, of any runner, was heard for this many minutes. (V1)

    Each silence gives one call, for runs whose worktree is on this machine.
    """
    rows = tx.all("runner.heard", HeardRow, now=context.now()) if minutes else []
    if not any(row.purpose in MAKES and row.host == host for row in rows):
        return
    own = heard_by(context, memory)
    heard = [
        RunActivity(
            run=row.id,
            task=row.task,
            at=max(own.get(RunId(row.id)) or row.heard or row.started_at, row.said),
            makes=row.purpose in MAKES and row.host == host,
            fired=row.fired,
        )
        for row in rows
    ]
    agreed = max(row.agreed for row in rows)
    concerned = silent(heard, since=stamp(context.clock.now() - timedelta(seconds=minutes * MINUTE)), agreed=agreed)
    if concerned:
        tasks = tuple(dict.fromkeys(TaskId(each.task) for each in concerned))
        yield Called(
            trigger="TIMEOUT_FALLBACK",
            tasks=tasks,
            key=f"TIMEOUT_FALLBACK:{silence_begins(heard, agreed)}",
            wide=True,
            why=f"{'it was' if len(tasks) == 1 else 'all of them were'} silent for {minutes} minutes",
        )


def heard_by(context: Context, memory: RunnerMemory) -> dict[RunId, str]:
    """Return when this runner last heard from each of its live programs."""
    now = context.clock.now()
    at_work = [own for own in memory.current_runs.values() if own.outcome is None]
    return {own.run.id: stamp(now - timedelta(seconds=own.live.quiet_seconds())) for own in at_work}


# ---- Attempts with due checks, found in pages ----

# Level-triggered: every attempt in review is judged once after the start, and again when its rows, the policy or a
# hold changed. No single poll goes through all of them.

PAGE = 20
"""Number of attempts that one poll judges."""
FIRST = (-1, -1)


class WaitingChecks:
    """Tasks with due checks. `due` can run now, `put_off` broke and will be retried, and `more` is True while some
    tasks are not judged yet.
    """

    def __init__(self, context: Context, runner: Actor) -> None:
        self._context = context
        self._runner = runner
        self._due: dict[TaskId, None] = {}
        self.put_off: dict[TaskId, PutOff] = {}
        self._touched: dict[str, None] = {}
        self._after = -1
        self._place: tuple[int, int] | None = FIRST
        self._rules: object = None
        self.more = False

    @property
    def due(self) -> list[TaskId]:
        return list(self._due)

    def read(self, tx: Tx, policy: ReviewPolicy, running: Collection[str]) -> None:
        """Update `due`, `put_off` and `more`."""
        if not policy.checks:
            self._due, self.put_off, self.more = {}, {}, False
            return
        self._notice(tx, policy)
        now = self._context.now()
        self._touched.update((task, None) for task, off in self.put_off.items() if off.until <= now)
        names = [name for name in self._touched if name not in running][:PAGE]
        names += self._next_page(tx, PAGE - len(names))
        names += self._known(names, running)[: PAGE - len(names)]
        self._judge(tx, names)
        for name in running:
            self._due.pop(TaskId(name), None)
        self.more = bool(set(self._touched) - set(running)) or self._place is not None

    def _notice(self, tx: Tx, policy: ReviewPolicy) -> None:
        """Mark the tasks that the journal touched since the last poll. A changed policy or project hold restarts the
        scan.
        """
        head = tx.one("journal.head", JournalHead)
        upto = head.seq if head else 0
        rules = (policy, self._context.project(tx).hold)
        if rules != self._rules:
            self._rules, self._place = rules, FIRST
        elif upto > self._after:
            for row in tx.all("runner.touched", Touched, after=self._after, upto=upto):
                self._forget(row.id)
                if row.status == "reviewing":
                    self._touched[row.id] = None
        self._after = upto

    def _known(self, names: Collection[str], running: Collection[str]) -> list[str]:
        """Return tasks that were due before, to judge them again. They get only the remaining places, so that many due
        tasks cannot hide the rest.
        """
        return [str(task) for task in self._due if task not in names and task not in running]

    def _next_page(self, tx: Tx, limit: int) -> list[str]:
        if self._place is None or limit <= 0:
            return []
        rows = tx.all("runner.reviewing", TaskPlace, priority=self._place[0], n=self._place[1], limit=limit)
        self._place = (rows[-1].priority, rows[-1].n) if len(rows) == limit else None
        return [row.id for row in rows]

    def _forget(self, name: str) -> None:
        self._touched.pop(name, None)
        self.put_off.pop(TaskId(name), None)
        self._due.pop(TaskId(name), None)

    def _judge(self, tx: Tx, names: list[str]) -> None:
        for name in names:
            self._forget(name)
        due = due_among(self._context, tx, self._runner, names)
        self._due.update(dict.fromkeys(TaskId(task) for task in due.tasks))
        for later in due.later:
            task, broke = TaskId(later.task), later.outcome.replace("_", " ")
            off = PutOff(
                until=later.at,
                pause=pause_after(later.tries),
                task=task,
                state="not checked",
                why=f"{later.check} {broke}: fe check show {later.task}",
            )
            if task not in self.put_off or off.until < self.put_off[task].until:
                self.put_off[task] = off


# ---- Sprints (X2, X3) ----


class SprintsSeen:
    """Cache of the active sprints. Their tasks are read again only if the journal has grown."""

    def __init__(self) -> None:
        self._head = -1
        self._found: tuple[SprintNow, ...] = ()

    def read(self, tx: Tx, memory: RunnerMemory) -> tuple[SprintNow, ...]:
        """Return the active sprints, and remember the last one on the desk."""
        head = tx.one("journal.head", JournalHead)
        if head is None or head.seq != self._head:
            self._found = tuple(now_of(tx, sprint) for sprint in active(tx))
            self._head = head.seq if head is not None else -1
        if self._found:
            memory.sprint = self._found[-1].sprint.id
        return self._found


def sprint_over(tx: Tx, memory: RunnerMemory) -> str:
    """Return the message that this runner's sprint has ended, or "". (X2)"""
    row = tx.one("sprint.get", Sprint, sprint=memory.sprint) if memory.sprint else None
    if row is None or row.state != "ended":
        return ""
    return f"{row.id} is over ({row.why}), so nothing new starts until the next sprint or a new runner"


def move_sprint(context: Context, runner: Actor, step: EndSprint | PauseSprint | ResumeSprint) -> str:
    """Apply a sprint step and return the message to show, "" if another process was faster."""
    sprints = Sprints(context)
    if isinstance(step, EndSprint):
        done = sprints.finish(runner, step.sprint, kind=step.kind, why=step.why)
        words = f"{step.sprint} is over: {step.why}. Current runs finish."
    elif isinstance(step, PauseSprint):
        done = sprints.halt(runner, step.sprint, kind=step.kind, why=step.why)
        words = f"{step.sprint} is paused: {step.why}"
    else:
        done = sprints.go_on(runner, step.sprint, why=step.why)
        words = f"{step.sprint} continues: {step.why}"
    return words if done else ""
