"""Sprints: start, progress, report and undo (X). All counts come from the journal (G6)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.context import Count, permit, refuse_verb, stamp
from foureyes.app.pages.completion import Validation
from foureyes.app.pages.review_queue import Queue
from foureyes.app.results.sprint import (
    SPRINT_AGENTS,
    ReportedTask,
    SprintBegun,
    SprintReport,
    SprintRow,
    SprintUndo,
    SprintView,
)
from foureyes.app.runner_registry import check_runner, left_runs, live_runners
from foureyes.app.sprint import sprint_plan
from foureyes.app.sprint.sprint_plan import target_view
from foureyes.app.target import CurrentTarget, current_target
from foureyes.app.tasks.sprint_records import (
    SprintOfTask,
    ended_line,
    find,
    latest,
    progress,
    tasks_of,
    the_one_going_on,
    zone_named,
    zone_of,
)
from foureyes.app.tasks.tasks import free_id
from foureyes.core import events as e
from foureyes.core.nouns.sprint import sprint_name
from foureyes.core.rules.callers import why_not_independent, why_not_steering
from foureyes.core.sprint.progress import (
    SprintTask,
    clock_of,
    compact,
    full_line,
    pace,
    parts,
    progress_of,
    seconds_left,
    sentence,
    stage_of,
)
from foureyes.core.sprint.selection import ends_at
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.text import clean_text, one_line
from foureyes.errors import Conflict, FoureyesError, GitProblem, Reason
from foureyes.steps import NO_STEP, Steps, either, fe

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import tzinfo

    from foureyes.app.context import Context, Work
    from foureyes.app.ports import Tx
    from foureyes.app.results.sprint import SprintAsk, SprintPlanView
    from foureyes.core.events import Event
    from foureyes.core.nouns.session import Actor
    from foureyes.core.nouns.sprint import EndKind, PauseKind, Sprint
    from foureyes.core.sprint.progress import Stage


# ---- Sprints (X) ----

WHY_LENGTH = 500


class Sprints:
    """Sprints: chosen sets of tasks with an end."""

    def __init__(self, context: Context) -> None:
        self._context = context

    # Planning

    def preview(self, actor: Actor, ask: SprintAsk) -> SprintPlanView:
        """Return the plan of a sprint without storing it. (X1)"""
        options = sprint_plan.options_of(self._context, ask)
        with self._context.store.read() as tx:
            planned = sprint_plan.plan(self._context, tx, actor, options)
        return sprint_plan.with_warnings(self._context, planned.view)

    def plan(self, actor: Actor, ask: SprintAsk) -> SprintPlanView:
        """Store the plan of a sprint without starting it. (X1)"""
        permit(actor, "sprint plan")
        options = sprint_plan.options_of(self._context, ask)
        with self._context.writing(actor, "sprint plan") as work:
            planned = sprint_plan.plan(self._context, work.tx, actor, options)
            sprint_plan.refuse_nothing(planned.view)
            name = sprint_name(self._last(work) + 1)
            event = e.SprintPlanned(
                sprint=name,
                target=options.target,
                tasks=planned.chosen,
                pause_on_error=planned.view.pause_on_error,
                checkpoint=planned.view.checkpoint,
            )
            work.record("", event)
        view = msgspec.structs.replace(planned.view, id=name, next=fe("sprint", "start", name))
        return sprint_plan.with_warnings(self._context, view)

    @staticmethod
    def _last(work: Work) -> int:
        row = work.tx.one("sprint.last", Count)
        return row.n if row is not None else 0

    # Start, stop and pause

    def start(self, actor: Actor, sprint: str, *, agents: int = SPRINT_AGENTS) -> SprintBegun:
        """Start a planned sprint, resume a paused one, or give a running one a new runner. (X2, X5)

        A runner is started if none is active. If that is not allowed, nothing changes.
        """
        permit(actor, "sprint start")
        return start(self._context, actor, sprint, agents)

    def stop(self, actor: Actor, sprint: str = "", *, reason: str = "") -> SprintBegun:
        """End a sprint. No further task of it starts, and current runs finish. A named plan is withdrawn instead. (X2)"""
        reason = clean_text(reason, "the reason").strip()
        with self._context.writing(actor, "sprint stop") as work:
            refuse_unnamed(self._context, work)
            row = the_one_going_on(work.tx, sprint, "stop")
            if row.state == "ended":
                return SprintBegun(id=row.id, message=f"{row.id} is already over: {row.why}", changed=False)
            kind: EndKind = "withdrawn" if row.state == "planned" else "stopped"
            why = reason or f"{actor.name} {'dropped the plan' if kind == 'withdrawn' else 'stopped it'}"
            work.record("", e.SprintEnded(sprint=row.id, kind=kind, why=why))
        if kind == "withdrawn":
            return SprintBegun(id=row.id, message=f"dropped {row.id}, which was only a plan")
        message = f"{row.id} is over. None of its tasks starts any more, and current runs finish."
        return SprintBegun(id=row.id, message=message, next=fe("sprint", "status", row.id, "--report"))

    def pause(self, actor: Actor, sprint: str = "", *, reason: str = "") -> SprintBegun:
        """Pause a sprint until a person resumes it. Current runs finish. (X3)"""
        reason = clean_text(reason, "the reason").strip()
        with self._context.writing(actor, "sprint pause") as work:
            refuse_unnamed(self._context, work)
            row = the_one_going_on(work.tx, sprint, "pause")
            if row.state == "paused":
                return SprintBegun(id=row.id, message=f"{row.id} is already paused: {row.why}", changed=False)
            if row.state != "running":
                why = Reason(
                    "X3",
                    f"{row.id} is {row.state}, and only a running sprint can be paused",
                    fe("sprint", "status", row.id),
                )
                refuse_verb(f"{row.id} was not paused.", why)
            work.record("", e.SprintPaused(sprint=row.id, kind="person", why=reason or f"{actor.name} paused it"))
        return SprintBegun(
            id=row.id,
            message=f"{row.id} is paused. None of its tasks starts, and current runs finish.",
            next=fe("sprint", "start", row.id, after="   continues it"),
        )

    # Steps of a runner

    def halt(self, runner: Actor, sprint: str, *, kind: PauseKind, why: str) -> bool:
        """Pause a sprint by rule. Return False if it is not running. (X3)"""
        return self._move(
            runner, sprint, "running", lambda row: e.SprintPaused(sprint=row.id, kind=kind, why=_cut(why))
        )

    def go_on(self, runner: Actor, sprint: str, *, why: str) -> bool:
        """Resume a sprint after its obstacle is gone. Return False if it is not paused. (X3)"""
        return self._move(runner, sprint, "paused", lambda row: e.SprintResumed(sprint=row.id, why=_cut(why)))

    def finish(self, runner: Actor, sprint: str, *, kind: EndKind, why: str) -> bool:
        """End a sprint by rule. Return False if it is not active. (X2)"""
        return self._move(runner, sprint, "", lambda row: e.SprintEnded(sprint=row.id, kind=kind, why=_cut(why)))

    def _move(self, runner: Actor, sprint: str, state: str, event: Callable[[Sprint], Event]) -> bool:
        with self._context.writing(runner, "run") as work:
            check_runner(work.tx, runner)
            row = find(work.tx, sprint)
            if not row.is_active or (state and row.state != state):
                return False
            work.record("", event(row))
            return True

    # Reading

    def status(self, actor: Actor, sprint: str = "") -> SprintView:
        """Return the progress of a sprint. Without a name: the active one, else the latest. (X2, X5)"""
        return view(self._context, actor, sprint)

    def listed(self, *, limit: int = 20) -> list[SprintView]:
        """Return the sprints, newest first."""
        return listed(self._context, limit)

    def report(self, actor: Actor, sprint: str = "") -> SprintReport:
        """Return the report of a sprint."""
        return report(self._context, actor, sprint)

    def undo(self, actor: Actor, sprint: str) -> SprintUndo:
        """Create a task for each merge of the sprint that reverts it. These tasks are reviewed like any other. (X5)"""
        permit(actor, "sprint undo")
        return undo(self._context, actor, sprint)


def _cut(why: str) -> str:
    return one_line(why, WHY_LENGTH)


# ---- Views of sprints (X2, X4, X5) ----

UPCOMING_SHOWN = 8
PROGRESS_WHY_LENGTH = 160


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why a task of a sprint failed, from the journal."""

    id: str
    tier: str = ""
    blocked_reason: str = ""
    waiting_for: str = ""
    stuck: str = ""
    escalated: str = ""


class AtWork(msgspec.Struct, frozen=True, kw_only=True):
    """Live run of a sprint's task."""

    task: str
    profile: str
    runner: str
    started_at: str = ""


def view(context: Context, actor: Actor, name: str) -> SprintView:
    """Return one sprint with the reasons why it is incomplete. (X4)"""
    with context.store.read() as tx:
        sprint = find(tx, name)
        page = _view(context, tx, sprint)
        rows = tasks_of(tx, sprint.id)
        page = msgspec.structs.replace(
            page,
            failures=tuple(failures(tx, sprint, rows)),
            at_work=tuple(_at_work(context, tx, sprint)),
            upcoming=tuple(row.id for row in rows if stage_of(row) == "todo" and row.ready)[:UPCOMING_SHOWN],
            runners=len(live_runners(context, tx)),
        )
        has_runner = bool(runner_at_work(context, tx))
    why = incomplete(context, actor, sprint) if sprint.started_at else ()
    return msgspec.structs.replace(page, incomplete=why, next=_progress_steps(page, has_runner))


def listed(context: Context, limit: int) -> list[SprintView]:
    """Return the latest sprints."""
    with context.store.read() as tx:
        return [_view(context, tx, sprint) for sprint in latest(tx, limit)]


def _view(context: Context, tx: Tx, sprint: Sprint) -> SprintView:
    rows = tasks_of(tx, sprint.id)
    how_far, now, zone = progress_of(sprint, rows), context.clock.now(), zone_of(context, sprint)
    words = parts(sprint, how_far, now, zone)
    return SprintView(
        id=sprint.id,
        state=sprint.state,
        target=target_view(context, sprint.target, sprint.ends_at),
        done=how_far.done,
        of=how_far.of,
        failed=how_far.failed,
        seconds_left=seconds_left(sprint, now) if sprint.is_active else None,
        waiting=how_far.reviewing,
        blocking=how_far.blocking,
        merged=how_far.merged,
        merging=how_far.merging,
        by_rule=how_far.by_rule,
        running=how_far.running,
        begun=how_far.begun,
        todo=how_far.todo,
        out=how_far.out,
        started_at=sprint.started_at,
        ended_at=sprint.ended_at,
        why=sprint.why,
        pace=pace(sprint, how_far, now, zone),
        line=full_line(words),
        sentence=sentence(words),
        compact=compact(sprint, how_far, now),
        ended=ended_line(sprint, how_far, zone),
        clock=clock_of(sprint.started_at, zone),
        checkpoint=sprint.checkpoint,
    )


def failures(tx: Tx, sprint: Sprint, rows: Sequence[SprintTask]) -> list[SprintRow]:
    """Return the failed tasks, each with its reason. (X5)"""
    why = {row.id: row for row in tx.all("sprint.troubles", Trouble, sprint=sprint.id)}
    return [
        SprintRow(task=row.id, title=row.title, state="failed", why=_trouble(row, why.get(row.id)))
        for row in rows
        if stage_of(row) == "failed"
    ]


def _trouble(task: SprintTask, row: Trouble | None) -> str:
    if row is not None and (row.blocked_reason or row.stuck):
        return one_line(row.blocked_reason or row.stuck, PROGRESS_WHY_LENGTH)
    if task.hold is not None:
        return one_line(f"held: {task.hold}", PROGRESS_WHY_LENGTH)
    if row is None:
        return one_line(f"paused: {task.paused}", PROGRESS_WHY_LENGTH)
    reason = one_line(row.escalated, PROGRESS_WHY_LENGTH)
    stuck = f"stuck until {'a person' if row.waiting_for == 'user' else 'the lead'} decides"
    return f"{reason}, {stuck}" if reason else stuck


def _at_work(context: Context, tx: Tx, sprint: Sprint) -> list[SprintRow]:
    from foureyes.app.context import seconds_since
    from foureyes.core.sprint.selection import span

    left = left_runs(context, tx)

    def words(run: AtWork) -> str:
        return left.get(run.runner) or (span(seconds_since(context, run.started_at)) if run.started_at else "begins")

    return [
        SprintRow(task=run.task, title="", state="running", why=f"{run.profile} {words(run)}")
        for run in tx.all("sprint.at_work", AtWork, sprint=sprint.id)
    ]


def incomplete(context: Context, actor: Actor, sprint: Sprint) -> tuple[str, ...]:
    """Return every reason why the sprint is incomplete. Reasons may repeat. (X4)"""
    report = Validation(context, asks=False).validate(actor, sprint=sprint.id)
    return tuple(reason.message for reason in report.reasons)


def counted(reasons: Sequence[str]) -> Counter[str]:
    """Return how often each reason occurs."""
    return Counter(reasons)


def _progress_steps(sprint: SprintView, has_runner: bool) -> Steps:
    match sprint.state:
        case "planned":
            return fe("sprint", "start", sprint.id)
        case "paused":
            return fe("sprint", "start", sprint.id, after="   continues it")
        case "running":
            return NO_STEP if has_runner else fe("sprint", "start", sprint.id, after="   (no runner is running)")
    return fe("sprint", "status", sprint.id, "--report")


# ---- Starting (X2, X5) ----

NAMED = 5
START_WHY_LENGTH = 300


def start(context: Context, actor: Actor, name: str, agents: int) -> SprintBegun:
    """Start or resume the sprint and make sure that a runner is active. If something is known to prevent that, refuse
    and change nothing. (X5)
    """
    with context.store.read() as tx:
        sprint = find(tx, name)
        runner = runner_at_work(context, tx)
        reasons = _against(context, tx, actor, sprint, runner)
    if reasons:
        refuse_verb(f"{sprint.id} was not started.", *reasons)
    if sprint.state == "running" and runner:
        message = f"{sprint.id} is already running"
        return SprintBegun(id=sprint.id, message=message, runner=runner, ends_at=sprint.ends_at, changed=False)
    if sprint.state == "planned":
        begun = _begin(context, actor, sprint)
    else:
        begun = _resume(context, actor, sprint) if sprint.state == "paused" else _again(sprint)
    return _with_runner(context, actor, begun, runner, agents)


def refuse_unnamed(context: Context, work: Work) -> None:
    """Refuse callers that may not control sprints. People may, and services that the accepted policy names. (I5, X2)"""
    why = why_not_steering(work.actor, context.gate_policy(work.tx).run.services)
    if why is not None:
        refuse_verb("nothing was started.", why)


def runner_at_work(context: Context, tx: Tx) -> str:
    """Return a phrase about an active runner that starts agents, or an empty string."""
    row = next((row for row in live_runners(context, tx) if row.agents), None)
    if row is None:
        return ""
    return f"a runner with {row.agents} agent{'' if row.agents == 1 else 's'} is already running on {row.host}"


def _against(context: Context, tx: Tx, actor: Actor, sprint: Sprint, runner: str) -> list[Reason]:
    """Return every reason against a start."""
    reasons = []
    if sprint.state == "ended":
        reasons.append(Reason("X2", f"{sprint.id} is over: {sprint.why}", fe("sprint", "plan")))
    shared = tx.all("sprint.others", SprintOfTask, sprint=sprint.id) if sprint.state == "planned" else []
    if shared:
        named = ", ".join(f"{row.task} in {row.sprint}" for row in shared[:NAMED])
        more = f" and {len(shared) - NAMED} more" if len(shared) > NAMED else ""
        why = f"a task can be in only one sprint at a time: {named}{more}"
        step = either(fe("sprint", "stop", shared[0].sprint), fe("sprint", "plan"), joint=", or plan again: ")
        reasons.append(Reason("X5", why, step))
    if sprint.state == "planned":
        how_far = progress(tx, sprint)
        if not how_far.todo + how_far.in_flight:
            why = f"{sprint.id} has no tasks left to start: {how_far.done} are done and {how_far.failed} failed"
            reasons.append(Reason("X1", why, fe("sprint", "plan")))
    services = context.gate_policy(tx).run.services
    why_not = why_not_steering(actor, services) if runner else why_not_independent(actor, services)
    if why_not is not None and runner:
        reasons.append(why_not)
    elif why_not is not None:
        why = f"no runner is running, and none can be started here: {why_not.message}"
        reasons.append(Reason(why_not.rule, why, why_not.next))
    return reasons


def _has_program(context: Context, actor: Actor) -> bool:
    """Return True if an agent program is installed here, judging by files only."""
    from foureyes.config.effective_policy import agent_profiles

    with context.store.read() as tx:
        profiles = agent_profiles(context.layers(tx, actor))
    programs = context.outside.agents()
    return any(programs.available(name, profile).path for name, profile in profiles.items())


def _begin(context: Context, actor: Actor, sprint: Sprint) -> SprintBegun:
    """Create the target's checkpoint, then record the start with its end. (X1, X5)"""
    target, current = _target(context) if sprint.wants_checkpoint else ("", CurrentTarget(None))
    head = current.at
    checkpoint = _checkpoint(context, sprint, head) if head is not None else ""
    with context.writing(actor, "sprint start") as work:
        _refuse_moved(work, sprint)
        end = ends_at(sprint.target, context.clock.now(), zone_named(sprint.zone))
        event = e.SprintStarted(sprint=sprint.id, ends_at=stamp(end) if end is not None else "", checkpoint=checkpoint)
        if checkpoint and head is not None:
            work.record("", e.CheckpointNoted(did="create", name=checkpoint, sha=head))
        before = progress(work.tx, sprint).done
        work.record("", event)
    words = target_view(context, sprint.target, event.ends_at).words
    notes = [f"checkpoint {checkpoint} at {head[:7]} of {target}"] if checkpoint and head else []
    if current.remote_problem:
        what = "the last recorded merge" if current.is_merged else f"{target} of this clone"
        notes.append(f"that is {what}, because {current.remote_problem}")
    if before:
        were, counts = ("was", "counts") if before == 1 else ("were", "count")
        notes.append(f"{before} of its tasks {were} submitted before it started and {counts} as done (X5)")
    return SprintBegun(
        id=sprint.id,
        message=f"{sprint.id} has started: {sprint.of} task{'' if sprint.of == 1 else 's'}, {words}",
        checkpoint=checkpoint,
        ends_at=event.ends_at,
        notes=tuple(notes),
        next=fe("sprint", "status"),
    )


def _refuse_moved(work: Work, sprint: Sprint) -> None:
    now = find(work.tx, sprint.id)
    if now.state != sprint.state or work.tx.all("sprint.others", SprintOfTask, sprint=sprint.id):
        raise Conflict(
            f"{sprint.id} changed in the meantime and is now {now.state}.", next_step=fe("sprint", "status", sprint.id)
        )


def _resume(context: Context, actor: Actor, sprint: Sprint) -> SprintBegun:
    """Resume a paused sprint. Its errors and cost are counted from here. (X3)"""
    with context.writing(actor, "sprint start") as work:
        now = find(work.tx, sprint.id)
        if now.state != "paused":
            raise Conflict(f"{sprint.id} is {now.state} now.", next_step=fe("sprint", "status", sprint.id))
        work.record("", e.SprintResumed(sprint=sprint.id, why=f"{actor.name} continued it"))
    message = f"{sprint.id} continues. It was paused: {sprint.why}"
    return SprintBegun(id=sprint.id, message=message, ends_at=sprint.ends_at, next=fe("sprint", "status"))


def _again(sprint: Sprint) -> SprintBegun:
    """Return the outcome for a running sprint without a runner."""
    return SprintBegun(
        id=sprint.id,
        message=f"{sprint.id} is running and had no runner",
        ends_at=sprint.ends_at,
        next=fe("sprint", "status"),
    )


def _with_runner(context: Context, actor: Actor, begun: SprintBegun, runner: str, agents: int) -> SprintBegun:
    """Make sure that a runner works on the sprint. If none can be started, pause the sprint and refuse. (X5)"""
    from msgspec.structs import replace

    if runner:
        return replace(begun, runner=f"{runner} and takes its tasks")
    try:
        number = context.outside.launch_runner(actor, agents, sprints=True)
    except FoureyesError as problem:
        why = one_line("; ".join([problem.message, *[reason.message for reason in problem.reasons]]), START_WHY_LENGTH)
        with context.writing(actor, "sprint start") as work:
            row = find(work.tx, begun.id)
            if row.state == "running":
                work.record("", e.SprintPaused(sprint=row.id, kind="runner", why=f"no runner was started: {why}"))
        again = fe("sprint", "start", begun.id)
        reasons = problem.reasons or (Reason("X5", why, again),)
        refuse_verb(f"{begun.id} is paused, because no runner could be started.", *reasons)
    words = f"a runner with {agents} agent{'' if agents == 1 else 's'} was started, process {number}"
    if _has_program(context, actor):
        return replace(begun, runner=words)
    missing = "no agent program is installed on this machine. Until one is, the runner starts nothing (fe agent list)"
    return replace(begun, runner=words, notes=(*begun.notes, missing), next=fe("agent", "list"))


def _target(context: Context) -> tuple[str, CurrentTarget]:
    """Return the target and its head, as the remote has it. Refuse if the head is unknown. (Q6)"""
    with context.store.read() as tx:
        target = context.project(tx).target
    current = current_target(context)
    if current.remote_problem and current.at is None:
        why = Reason("K2", current.must(target).message, fe("sprint", "plan", "--no-checkpoint"))
        refuse_verb("the sprint was not started: the checkpoint could not be made.", why)
    return target, current


def _checkpoint(context: Context, sprint: Sprint, head: Sha) -> str:
    """Create a checkpoint of the target, or reuse the one of an interrupted start. (K2, X1)"""
    taken = {row.name: row.sha for row in context.workshop.checkpoints() if not row.task}
    number = 1
    name = f"sprint-{sprint.id}"
    while taken.get(name, head) != head:
        number += 1
        name = f"sprint-{sprint.id}-{number}"
    if name not in taken:
        try:
            context.workshop.add_checkpoint("", name, head, at=context.clock.now())
        except GitProblem as problem:
            why = Reason("K2", problem.message, fe("sprint", "plan", "--no-checkpoint"))
            refuse_verb(f"{sprint.id} was not started: the checkpoint could not be made.", why)
    return name


# ---- Undo (X5) ----

TITLE = 400


class SprintMerge(msgspec.Struct, frozen=True, kw_only=True):
    """Merge of a sprint, with the task that reverts it."""

    id: str
    title: str
    priority: int
    sha: str
    revert: str = ""


def undo(context: Context, actor: Actor, name: str) -> SprintUndo:
    """Create a task for each merge, the last merge first. Merges that have one already are skipped."""
    with context.writing(actor, "sprint undo") as work:
        refuse_unnamed(context, work)
        sprint = find(work.tx, name)
        if sprint.is_active:
            why = Reason("X5", f"{sprint.id} is {sprint.state}. Stop it first", fe("sprint", "stop", sprint.id))
            refuse_verb("nothing was planned.", why)
        rows = work.tx.all("sprint.brought", SprintMerge, sprint=sprint.id)
        already = tuple((row.id, row.revert) for row in rows if row.revert)
        made = []
        for row in rows:
            if row.revert:
                continue
            new = free_id(context, work.tx)
            work.record(new, _task(row, sprint.id, context.project(work.tx).target))
            made.append((TaskId(row.id), new))
        if made:
            work.record("", e.SprintUndone(sprint=sprint.id, reverts=tuple(made)))
    message = f"planned {len(made)} task{'' if len(made) == 1 else 's'} that revert what {sprint.id} merged"
    if not made:
        message = f"{sprint.id} was already reverted" if already else f"{sprint.id} merged nothing"
    step = fe("show", made[0][1]) if made else fe("sprint", "status", sprint.id, "--report")
    return SprintUndo(id=sprint.id, reverts=tuple(made), already=already, message=message, next=step)


def _task(row: SprintMerge, sprint: str, target: str) -> e.TaskCreated:
    description = (
        f"Revert what {row.id} brought to {target} in sprint {sprint}: git revert -m 1 {row.sha}\n\n"
        "Later merges may depend on it, so revert those first. Every test passes afterwards."
    )
    title = f"Revert {row.id}: {row.title}"[:TITLE]
    return e.TaskCreated(title=title, description=description, type="chore", priority=row.priority)


# ---- The report of a sprint ----

RISKS = {"high": "look closely", "medium": "look", "low": "routine"}
REPORT_WHY_LENGTH = 200


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """Totals of a sprint's runs."""

    runs: int
    seconds: int
    cost_micros: int
    input_tokens: int
    output_tokens: int


class MergedTask(msgspec.Struct, frozen=True, kw_only=True):
    """Merged task with its approver."""

    id: str
    title: str
    sha: str = ""
    rule: str = ""
    name: str = ""


class SeverityCount(msgspec.Struct, frozen=True):
    """Number of findings by severity and state."""

    severity: str
    state: str
    n: int


class SprintHalt(msgspec.Struct, frozen=True, kw_only=True):
    """A pause of a sprint, or its end."""

    kind: str
    why: str
    at: str


def report(context: Context, actor: Actor, name: str) -> SprintReport:
    """Return the report. Tasks waiting for review come in queue order, riskiest first. (H1)"""
    waiting = _by_risk(context, actor)
    with context.store.read() as tx:
        sprint = find(tx, name, "report")
        rows = tasks_of(tx, sprint.id)
        page = _report(context, tx, sprint, rows, waiting)
    why = incomplete(context, actor, sprint) if sprint.started_at else ()
    return msgspec.structs.replace(page, incomplete=why)


def _report(
    context: Context, tx: Tx, sprint: Sprint, rows: list[SprintTask], waiting: dict[str, tuple[int, str]]
) -> SprintReport:
    how_far, zone = progress_of(sprint, rows), zone_of(context, sprint)
    spent = tx.one("sprint.spent", Spent, sprint=sprint.id, after=sprint.started_seq)
    assert spent is not None
    severities = tx.all("sprint.findings", SeverityCount, sprint=sprint.id, after=sprint.started_seq)
    end = sprint.ended_at or context.now()
    in_review = sorted(_of(rows, "reviewing"), key=lambda row: waiting.get(row.id, (len(waiting), ""))[0])
    return SprintReport(
        id=sprint.id,
        state=sprint.state,
        target=target_view(context, sprint.target, sprint.ends_at),
        sentence=sentence(parts(sprint, how_far, context.clock.now(), zone)),
        why=sprint.why,
        started_at=sprint.started_at,
        ended_at=sprint.ended_at,
        elapsed_seconds=_between(sprint.started_at, end) if sprint.started_at else 0,
        work_seconds=spent.seconds,
        runs=spent.runs,
        cost_micros=spent.cost_micros,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        merged=tuple(map(_merged, tx.all("sprint.merged", MergedTask, sprint=sprint.id))),
        approved=tuple(_line(row, "approved, waiting to be merged") for row in _of(rows, "merging")),
        waiting=tuple(_waiting(row, waiting) for row in in_review),
        failed=tuple(
            ReportedTask(task=row.task, title=row.title, why=row.why, next=fe("show", row.task))
            for row in failures(tx, sprint, rows)
        ),
        unfinished=tuple(_line(row, _unfinished(row)) for row in _of(rows, "running", "begun")),
        untouched=tuple(_line(row, "" if row.ready else "waiting for another task") for row in _of(rows, "todo")),
        out=tuple(_line(row, row.resolution or row.status) for row in _of(rows, "out")),
        findings=_total(severities),
        open_findings=how_far.blocking,
        halts=tuple(_halt(row, zone) for row in tx.all("sprint.halts", SprintHalt, sprint=sprint.id)),
        checkpoint=sprint.checkpoint,
        next=_report_steps(sprint, len(in_review)),
    )


def _by_risk(context: Context, actor: Actor) -> dict[str, tuple[int, str]]:
    """Return the position and risk of each task in the review queue."""
    try:
        rows = Queue(context).view(actor).rows
    except FoureyesError:  # with a broken configuration or repository, the queue reports the problem
        return {}
    return {row.task: (place, row.risk.level) for place, row in enumerate(rows)}


def _of(rows: list[SprintTask], *wanted: Stage) -> list[SprintTask]:
    return [row for row in rows if stage_of(row) in wanted]


def _line(row: SprintTask, why: str) -> ReportedTask:
    return ReportedTask(task=row.id, title=row.title, why=why)


def _unfinished(row: SprintTask) -> str:
    if stage_of(row) == "running":
        return "in progress"
    return f"sent back, round {row.iteration + 1}" if row.iteration else "to be tried again"


def _waiting(row: SprintTask, waiting: dict[str, tuple[int, str]]) -> ReportedTask:
    risk = waiting.get(row.id, (0, ""))[1]
    return ReportedTask(
        task=row.id, title=row.title, risk=risk, why=RISKS.get(risk, ""), next=fe("show", row.id, "--diff")
    )


def _merged(row: MergedTask) -> ReportedTask:
    by = "rule" if row.rule in ("M4", "M5") else row.name
    return ReportedTask(task=row.id, title=row.title, sha=row.sha, by=by)


def _total(rows: list[SeverityCount]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.severity] = counts.get(row.severity, 0) + row.n
        if row.state in ("open", "claimed", "disputed"):
            counts["open"] = counts.get("open", 0) + row.n
    return counts


def _halt(row: SprintHalt, zone: tzinfo) -> str:
    what = "continued" if row.kind == "resumed" else "paused"
    return one_line(f"{clock_of(row.at, zone)} {what}: {row.why}", REPORT_WHY_LENGTH)


def _between(first: str, last: str) -> int:
    from datetime import datetime

    return max(0, int((datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()))


def _report_steps(sprint: Sprint, waiting: int) -> Steps:
    if waiting:
        return fe("queue")
    return (
        fe("check", "complete", "--sprint", sprint.id) if sprint.state == "ended" else fe("sprint", "status", sprint.id)
    )
