"""Starting (X2, X5): a checkpoint first, then the row, then a runner; or nothing at all, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.call.context import stamp
from foureyes.app.call.leasing import live_runners
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.call.told_target import ToldTarget, told_target
from foureyes.app.sprint.planning import target_view
from foureyes.app.tasks.sprinting import SprintOfTask, find, progress, zone_named
from foureyes.app.views.sprint import SprintBegun
from foureyes.core import events as e
from foureyes.core.rules.starting import why_not_independent, why_not_steering
from foureyes.core.sprint.target import ends_at
from foureyes.core.words.ids import Sha
from foureyes.core.words.text import one_line
from foureyes.errors import Conflict, FoureyesError, GitProblem, Reason
from foureyes.steps import either, fe

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.call.work import Work
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor
    from foureyes.core.nouns.sprint import Sprint

NAMED = 5
WHY_LENGTH = 300


def start(context: Context, actor: Actor, name: str, agents: int) -> SprintBegun:
    """X5: from where the sprint stands; a runner is there afterwards, or nothing was changed."""
    with context.store.read() as tx:
        sprint = find(tx, name)
        runner = runner_at_work(context, tx)
        reasons = _against(context, tx, actor, sprint, runner)
    if reasons:
        refuse_verb(f"{sprint.id} was not started.", *reasons)
    if sprint.state == "running" and runner:
        message = f"{sprint.id} is running already"
        return SprintBegun(id=sprint.id, message=message, runner=runner, ends_at=sprint.ends_at, changed=False)
    if sprint.state == "planned":
        begun = _begin(context, actor, sprint)
    else:
        begun = _resume(context, actor, sprint) if sprint.state == "paused" else _again(sprint)
    return _with_runner(context, actor, begun, runner, agents)


def refuse_unnamed(context: Context, work: Work) -> None:
    """I5, X2: a sprint is steered by people, and by services that the accepted policy names."""
    why = why_not_steering(work.actor, context.gate_policy(work.tx).run.services)
    if why is not None:
        refuse_verb("the sprint is as it was.", why)


def runner_at_work(context: Context, tx: Tx) -> str:
    """The runner with agents that is at work already, in words; empty where there is none."""
    row = next((row for row in live_runners(context, tx) if row.agents), None)
    if row is None:
        return ""
    return f"a runner with {row.agents} agent{'' if row.agents == 1 else 's'} is at work on {row.host}"


def _against(context: Context, tx: Tx, actor: Actor, sprint: Sprint, runner: str) -> list[Reason]:
    """Every reason why it does not begin."""
    reasons = []
    if sprint.state == "ended":
        reasons.append(Reason("X2", f"{sprint.id} is over: {sprint.why}", fe("sprint", "plan")))
    shared = tx.all("sprint.others", SprintOfTask, sprint=sprint.id) if sprint.state == "planned" else []
    if shared:
        named = ", ".join(f"{row.task} in {row.sprint}" for row in shared[:NAMED])
        more = f" and {len(shared) - NAMED} more" if len(shared) > NAMED else ""
        why = f"a task is in one sprint at a time: {named}{more}"
        step = either(fe("sprint", "stop", shared[0].sprint), fe("sprint", "plan"), joint=", or plan again: ")
        reasons.append(Reason("X5", why, step))
    if sprint.state == "planned":
        how_far = progress(tx, sprint)
        if not how_far.todo + how_far.in_flight:
            why = f"nothing of {sprint.id} is left to begin: {how_far.done} done already, {how_far.failed} failed"
            reasons.append(Reason("X1", why, fe("sprint", "plan")))
    services = context.gate_policy(tx).run.services
    why_not = why_not_steering(actor, services) if runner else why_not_independent(actor, services)
    if why_not is not None and runner:
        reasons.append(why_not)
    elif why_not is not None:
        why = f"no runner is at work, and none can be started here: {why_not.message}"
        reasons.append(Reason(why_not.rule, why, why_not.next))
    return reasons


def _has_program(context: Context, actor: Actor) -> bool:
    """Whether there is an agent program here, as far as files tell."""
    from foureyes.config.policy import agent_profiles

    with context.store.read() as tx:
        profiles = agent_profiles(context.layers(tx, actor))
    programs = context.outside.agents()
    return any(programs.available(name, profile).path for name, profile in profiles.items())


def _begin(context: Context, actor: Actor, sprint: Sprint) -> SprintBegun:
    """X1, X5: the checkpoint of the target, then the row with the instant of its end."""
    target, told = _target(context) if sprint.wants_checkpoint else ("", ToldTarget(None))
    head = told.at
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
    if told.unasked:
        what = "the last merge on record" if told.is_merged else f"{target} of this clone"
        notes.append(f"that is {what}: {told.unasked}")
    if before:
        were, counts = ("was", "counts") if before == 1 else ("were", "count")
        notes.append(f"{before} of its tasks {were} submitted before it began, and {counts} as done (X5)")
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
        raise Conflict(f"{sprint.id} moved meanwhile: it is {now.state}.", next_step=fe("sprint", "status", sprint.id))


def _resume(context: Context, actor: Actor, sprint: Sprint) -> SprintBegun:
    """X3: a person lets it go on; errors and cost count from here."""
    with context.writing(actor, "sprint start") as work:
        now = find(work.tx, sprint.id)
        if now.state != "paused":
            raise Conflict(f"{sprint.id} is {now.state} by now.", next_step=fe("sprint", "status", sprint.id))
        work.record("", e.SprintResumed(sprint=sprint.id, why=f"{actor.name} lets it go on"))
    message = f"{sprint.id} goes on; it was paused: {sprint.why}"
    return SprintBegun(id=sprint.id, message=message, ends_at=sprint.ends_at, next=fe("sprint", "status"))


def _again(sprint: Sprint) -> SprintBegun:
    """It runs, and no runner is there."""
    return SprintBegun(
        id=sprint.id,
        message=f"{sprint.id} is running, and had no runner",
        ends_at=sprint.ends_at,
        next=fe("sprint", "status"),
    )


def _with_runner(context: Context, actor: Actor, begun: SprintBegun, runner: str, agents: int) -> SprintBegun:
    """X5: who takes its tasks. Where no runner can be started after all, it is paused, and says so."""
    from msgspec.structs import replace

    if runner:
        return replace(begun, runner=f"{runner}: it takes its tasks")
    try:
        number = context.outside.launch_runner(actor, agents, sprints=True)
    except FoureyesError as problem:
        why = one_line("; ".join([problem.message, *[reason.message for reason in problem.reasons]]), WHY_LENGTH)
        with context.writing(actor, "sprint start") as work:
            row = find(work.tx, begun.id)
            if row.state == "running":
                work.record("", e.SprintPaused(sprint=row.id, kind="runner", why=f"no runner began: {why}"))
        again = fe("sprint", "start", begun.id)
        reasons = problem.reasons or (Reason("X5", why, again),)
        refuse_verb(f"{begun.id} is paused: no runner could be started.", *reasons)
    words = f"a runner with {agents} agent{'' if agents == 1 else 's'} was started, process {number}"
    if _has_program(context, actor):
        return replace(begun, runner=words)
    missing = "no program of a profile is on this machine: until one is, the runner begins nothing (fe agent list)"
    return replace(begun, runner=words, notes=(*begun.notes, missing), next=fe("agent", "list"))


def _target(context: Context) -> tuple[str, ToldTarget]:
    """The target, and where it is: what the remote answers, not what this clone has of it (Q6)."""
    with context.store.read() as tx:
        target = context.project(tx).target
    told = told_target(context)
    if told.unasked and told.at is None:
        why = Reason("K2", told.must(target).message, fe("sprint", "plan", "--no-checkpoint"))
        refuse_verb("the sprint was not started: the checkpoint could not be made.", why)
    return target, told


def _checkpoint(context: Context, sprint: Sprint, head: Sha) -> str:
    """K2, X1: where the target was before it; the same one where a start was cut off in between."""
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
