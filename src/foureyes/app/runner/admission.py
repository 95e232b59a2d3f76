"""Admission of runners and runs: who may start one, its session and token, and reasons against a run. (I2, I5, J4, T4,
V9)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.app.context import Count, IdRow, Work, refuse_verb
from foureyes.app.results.run import PauseView, StuckView
from foureyes.app.results.task_list import Link
from foureyes.app.runner.rows import Awaited
from foureyes.app.runner_registry import check_runner
from foureyes.app.tasks.sprint_records import active, sprints_of
from foureyes.app.work.worktrees import refuse_reserved
from foureyes.core import events as e
from foureyes.core.nouns.run import MAKES, Purpose, Run, RunId
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.callers import why_not_independent
from foureyes.core.rules.claims import began_at, why_not_free
from foureyes.core.words.ids import session_id, task_id, token_hash
from foureyes.core.words.text import visible
from foureyes.errors import BadInput, Reason
from foureyes.steps import Steps, by_person, fe, phrase, prose

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.ports import NamedQuery, Tx
    from foureyes.core.nouns.task import Task
    from foureyes.core.rules.policy import Profile
    from foureyes.core.words.ids import Sha


# ---- Starting runners and runs ----


def refuse_stranger(context: Context, work: Work) -> None:
    """Refuse a runner started below a check, a hook or an agent. A person may start one, and a service that the
    accepted policy names. (I5)
    """
    why = why_not_independent(work.actor, context.gate_policy(work.tx).run.services)
    if why is not None:
        refuse_verb("no runner was started.", why)


def refuse_other_service(work: Work) -> None:
    """Refuse services other than live runners. People are allowed."""
    if work.actor.kind == "service":
        check_runner(work.tx, work.actor)


def runner_for(context: Context, actor: Actor) -> tuple[Actor, str]:
    """Return a new actor for a runner, and the process it runs in. It is a service with no parent session, so the
    agents it starts have none either. (I4, I7)
    """
    number = context.ids.number()
    process = context.outside.process() or f"unknown:{number:032x}"
    runner = Actor(
        session=session_id(number.to_bytes(16, "big")),
        kind="service",
        trust="issued",
        agent="runner",
        host=actor.host,
        evidence=(f"runner:{process}",),
        why=(f"A runner that {actor.name} started.",),
    )
    return runner, process


def introduce(context: Context, work: Work, runner: Actor) -> None:
    """Record the runner's own session in the current transaction."""
    Work(work.tx, runner, work.at, context.store.project).introduce()


def run_id(context: Context) -> RunId:
    """Return an unused random id for a run."""
    return RunId(task_id("run", context.ids.number(), 10))


def profile_named(context: Context, tx: Tx, name: str) -> Profile:
    """Return an agent profile of the accepted policy, or raise BadInput with the known names. (I5, I6)"""
    from foureyes.config.effective_policy import agent_profiles

    profiles = agent_profiles(context.layers(tx, context.gate))
    if name not in profiles:
        raise BadInput(
            f"there is no agent profile {visible(name)[:60]!r}.",
            next_step=prose(f"one of: {', '.join(sorted(profiles))}"),
        )
    return profiles[name]


def token_for(context: Context, work: Work, run: Run, secret: str, process: str) -> e.TokenIssued:
    """Return the token event of a run. The token is valid for one task and one role below one process, and shares no
    evidence with other runs. (I2, I4)
    """
    profile = profile_named(context, work.tx, run.profile)
    count = work.tx.one("session.count_agent", Count, agent=run.profile)
    return e.TokenIssued(
        session=session_id(context.ids.number().to_bytes(16, "big")),
        hash=token_hash(secret),
        role=run.role,
        bound=process,
        name=f"{run.profile}#{(count.n if count else 0) + 1}",
        agent=run.profile,
        model=profile.model,
        vendor=profile.vendor,
        host=run.host,
    )


def give(work: Work, run: Run, task: Task, issued: e.TokenIssued, target_head: Sha | None) -> None:
    """Record the run's token. A run that changes code also gets the claim, which is first released if an ended run left
    it. (I2)
    """
    left = left_by_a_run(work.tx, task)
    work.record(task.id, issued)
    if run.purpose in MAKES:
        if left is not None and task.implementer is not None:
            work.record(task.id, e.TaskReleased(implementer=task.implementer, reason=f"{left.id} has ended"))
        began = began_at(task, target_head)
        work.record(task.id, e.TaskStarted(target_head=began, implementer=issued.session))


def not_reserved(run: Run) -> Reason:
    """Return the reason to refuse a token: the run is bound already, or has ended."""
    return Reason("J4", f"{run.id} is {run.state}, and a token is given only once, to a reserved run", fe("status"))


# ---- Reasons against a run (J4, T4, V9) ----


def of_begin(task: str) -> list[NamedQuery]:
    """Return the queries to prefetch before a run of a task begins."""
    return [
        ("task.exists", {"id": task}),
        ("task.get", {"id": task}),
        ("project.get", {}),
        ("project.settings", {}),
        ("run.at_work", {"task": task}),
        ("run.pauses_of", {"task": task}),
        ("run.stuck_of", {"task": task}),
        ("run.of_task", {"task": task, "limit": 1}),
        ("sprint.active", {}),
        ("task.dependencies", {"id": task}),
        ("reservation.any", {}),
    ]


def why_not_begin(
    context: Context, work: Work, task: Task, purpose: Purpose, *, own: str = "", asked: tuple[str, str] = ("", "")
) -> list[Reason]:
    """Return every reason against starting a run for this purpose.

    `own` is the run asking, which does not count against itself. `asked` is the cycle and the reviewer that it asked.
    """
    if purpose == "review":
        return _why_not_reviewed(context, work.tx, task, own, *asked)
    if purpose == "clarify":
        return _why_not_clarified(context, work.tx, task, own, asked[0])
    other = work.tx.one("run.at_work", Run, task=task.id)
    reasons = []
    if other is not None and other.id != own:
        why = f"{task.id} already has a run: {other.id} of {other.profile}, {other.state}"
        reasons.append(Reason("J4", why, fe("show", task.id)))
    reasons += _standing_still(work.tx, task)
    if purpose == "implement" and not own:
        reasons += _out_of_sprints(context, work.tx, task)
    if purpose in ("implement", "respond"):
        reasons += _why_not_claimed(context, work.tx, task)
        if not reasons and not own and work.tx.one("reservation.any", IdRow) is not None:
            refuse_reserved(context, work.tx, work.actor, task.id)
    else:
        reasons += _why_not_thought_about(context, work.tx, task, purpose)
    return reasons


def _why_not_reviewed(context: Context, tx: Tx, task: Task, own: str, cycle: str, profile: str) -> list[Reason]:
    """Return the reasons against a review run. (V4, V9)

    The reviewer must be asked and not have answered, and have no other live run for this. A hold of the task, or a
    pause by a rule, does not prevent a review.
    """
    awaited = [(row.task, row.reviewer) for row in tx.all("runner.awaited", Awaited, ids=[cycle])]
    reasons = []
    if not cycle or (task.id, profile) not in awaited:
        reasons.append(Reason("V4", f"no review of {task.id} by {profile} is waiting", fe("show", task.id)))
    others = [
        run.id
        for run in tx.all("run.of_cycle", Run, cycle=cycle)
        if (run.task, run.profile) == (task.id, profile) and run.id != own
    ]
    if others:
        reasons.append(Reason("J4", f"{others[0]} of {profile} already reviews {task.id}", fe("show", task.id)))
    pauses = [each for each in tx.all("run.pauses_of", PauseView, task=task.id) if each.made_by == "person"]
    reasons += [
        Reason("V9", f"{each.task or 'everything'} is paused: {each.reason}", resume_step(each.task)) for each in pauses
    ]
    return [*reasons, *_held(context, tx, replace(task, hold=None))]


def _why_not_clarified(context: Context, tx: Tx, task: Task, own: str, cycle: str) -> list[Reason]:
    """Return the reasons against a clarification run. No other run may be live on the task, and the cycle must be
    waiting for the author. (V9)
    """
    other = tx.one("run.at_work", Run, task=task.id)
    reasons = _held(context, tx, replace(task, hold=None))
    if other is not None and other.id != own:
        why = f"{task.id} already has a run: {other.id} of {other.profile}, {other.state}"
        reasons.append(Reason("J4", why, fe("show", task.id)))
    if task.id not in {row.task for row in tx.all("runner.unclarified", Awaited, ids=[cycle])}:
        reasons.append(Reason("V9", f"no clarification of {task.id} is waiting", fe("show", task.id)))
    return reasons


def left_by_a_run(tx: Tx, task: Task) -> Run | None:
    """Return the ended run that still holds the claim of the task, or None if no run does."""
    if task.status != "in_progress" or task.implementer is None:
        return None
    run = tx.one("run.of_session", Run, session=task.implementer)
    return run if run is not None and run.state == "ended" else None


def _standing_still(tx: Tx, task: Task) -> list[Reason]:
    """Return the pauses that affect the task, and its escalation to a person if there is one. Concerns about an attempt
    do not stop work on the next one. (E6, R2, V9)
    """
    pauses = tx.all("run.stopped_by", PauseView, task=task.id)
    reasons = [
        Reason("V9", f"{each.task or 'everything'} is paused: {each.reason}", resume_step(each.task)) for each in pauses
    ]
    stuck = tx.one("run.stuck_of", StuckView, task=task.id)
    if stuck is not None:
        reasons.append(Reason("E6", f"{task.id} is stuck and needs a person: {stuck.why}", resume_step(task.id)))
    return reasons


def _out_of_sprints(context: Context, tx: Tx, task: Task) -> list[Reason]:
    """Return why sprints keep a new task from starting. While a sprint is active, new tasks start only from running
    sprints. Tasks begun earlier may continue. (X2)
    """
    if task.iteration or tx.all("run.of_task", Run, task=task.id, limit=1):
        return []
    going_on = active(tx)
    if not going_on:
        return []
    now, mine = context.now(), sprints_of(tx, [task.id]).get(task.id)
    sprint = next((each for each in going_on if each.id == mine), None)
    if sprint is None:
        why = f"{task.id} is in no sprint, and while {going_on[0].id} runs, only its tasks start"
        return [Reason("X2", why, fe("sprint", "status", going_on[0].id))]
    if sprint.state == "running" and not (sprint.ends_at and sprint.ends_at <= now):
        return []
    why = f"paused: {sprint.why}" if sprint.state == "paused" else "over, because its time is up"
    return [Reason("X2", f"{sprint.id}, the sprint of {task.id}, is {why}", fe("sprint", "status", sprint.id))]


def _why_not_claimed(context: Context, tx: Tx, task: Task) -> list[Reason]:
    """Return why the task cannot be claimed. A claim left by an ended run counts as free. (T1, T4)"""
    free = replace(task, status="open") if left_by_a_run(tx, task) is not None else task
    return why_not_free(
        free,
        project_hold=context.project(tx).hold,
        waits_for=[(link.id, link.status) for link in tx.all("task.dependencies", Link, id=task.id)],
        is_parent_blocked=task.parent is not None and context.get(tx, task.parent).status == "blocked",
    )


def _why_not_thought_about(context: Context, tx: Tx, task: Task, purpose: Purpose) -> list[Reason]:
    """Return the reasons against a lead or planning run. The loop must wait for the lead, and a planned goal must be
    open. (E2, I2)
    """
    reasons = _held(context, tx, task)
    if purpose == "lead" and task.waiting_for != "lead":
        reasons.append(Reason("E2", f"{task.id} is not waiting for the lead", fe("show", task.id)))
    if purpose == "plan" and task.status != "open":
        reasons.append(
            Reason("T2", f"{task.id} is {task.status}, and only an open task can be planned", fe("show", task.id))
        )
    return reasons


def _held(context: Context, tx: Tx, task: Task) -> list[Reason]:
    """Return the hold of the task or of the project, if there is one. (D3)"""
    hold = task.hold or context.project(tx).hold
    if hold is None:
        return []
    return [Reason("D3", f"{task.id} is held: {hold}", resume_step(task.id if task.hold else ""))]


def resume_step(task: str) -> Steps:
    """Return the step by which a person resumes the task or the project. (V9)"""
    return by_person(fe("resume", task or "--project", "-m", phrase("why")))
