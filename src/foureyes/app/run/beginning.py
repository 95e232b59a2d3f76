"""Beginnings: who may begin a runner (I5), who it is then (I4, I7), and the token of a run (I2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.call.leasing import check_runner
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.call.rows import Count
from foureyes.app.call.work import Work
from foureyes.app.run.readiness import left_by_a_run
from foureyes.core import events as e
from foureyes.core.nouns.run import MAKES, RunId
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.claiming import began_at
from foureyes.core.rules.starting import why_not_independent
from foureyes.core.words.ids import session_id, task_id, token_hash
from foureyes.core.words.text import visible
from foureyes.errors import BadInput, Reason
from foureyes.steps import fe, prose

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.run import Run
    from foureyes.core.nouns.task import Task
    from foureyes.core.rules.policy import Profile
    from foureyes.core.words.ids import Sha


def refuse_stranger(context: Context, work: Work) -> None:
    """I5: a person begins a runner, or a service that the accepted policy names; nobody below a check, a hook or an
    agent.
    """
    why = why_not_independent(work.actor, context.gate_policy(work.tx).run.services)
    if why is not None:
        refuse_verb("no runner began.", why)


def refuse_other_service(work: Work) -> None:
    """What people do, and runners; no other service."""
    if work.actor.kind == "service":
        check_runner(work.tx, work.actor)


def runner_for(context: Context, actor: Actor) -> tuple[Actor, str]:
    """Who a runner is, and its process: a service of its own, below nobody, so that whom it starts is nobody's child
    (I4, I7).
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
    """The runner's own session, in the same transaction."""
    Work(work.tx, runner, work.at, context.store.project).introduce()


def run_id(context: Context) -> RunId:
    """A name for a run that nobody has yet."""
    return RunId(task_id("run", context.ids.number(), 10))


def profile_named(context: Context, tx: Tx, name: str) -> Profile:
    """I5, I6: a profile of the policy in force; runs have no others."""
    from foureyes.config.policy import agent_profiles

    profiles = agent_profiles(context.layers(tx, context.gate))
    if name not in profiles:
        raise BadInput(
            f"there is no agent profile {visible(name)[:60]!r}.",
            next_step=prose(f"one of: {', '.join(sorted(profiles))}"),
        )
    return profiles[name]


def token_for(context: Context, work: Work, run: Run, secret: str, process: str) -> e.TokenIssued:
    """I2, I4: good for one task and one role below one process; without evidence that it would share with any other
    run.
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
    """I2: a run gets its token, and one that makes something the claim, in place of a run before it that left one."""
    left = left_by_a_run(work.tx, task)
    work.record(task.id, issued)
    if run.purpose in MAKES:
        if left is not None and task.implementer is not None:
            work.record(task.id, e.TaskReleased(implementer=task.implementer, reason=f"{left.id} has ended"))
        began = began_at(task, target_head)
        work.record(task.id, e.TaskStarted(target_head=began, implementer=issued.session))


def not_reserved(run: Run) -> Reason:
    """What is wrong with a run that is bound already, or over."""
    return Reason("J4", f"{run.id} is {run.state}: a token is given out once, to a run that is reserved", fe("status"))
