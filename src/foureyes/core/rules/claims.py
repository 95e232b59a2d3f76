"""Claim rules: every reason why a task cannot be started. (T1)"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from foureyes.core.nouns.session import Actor, Party, is_one_origin
from foureyes.core.nouns.task import Task
from foureyes.core.words.ids import Sha
from foureyes.errors import Reason
from foureyes.steps import Steps, by, by_person, either, fe, one_of, phrase

RESUME = by_person(fe("resume", "--project", "-m", phrase("why")))


def why_not_free(
    task: Task, *, project_hold: str | None, waits_for: Iterable[tuple[str, str]], is_parent_blocked: bool
) -> list[Reason]:
    """Return every reason why the task cannot be started. `waits_for` holds tasks with their status. (T1, D3, E2, T3,
    T4)
    """
    reasons = _by_status(task)
    if project_hold is not None:
        reasons.append(Reason("D3", f"the project is held: {project_hold}", RESUME))
    if task.hold is not None:
        resume = by_person(fe("resume", task.id, "-m", phrase("why")))
        reasons.append(Reason("D3", f"{task.id} is held: {task.hold}", resume))
    if task.waiting_for:
        who = "a person" if task.waiting_for == "user" else "the lead"
        decide = lead_step(task.id, task.waiting_for)
        reasons.append(Reason("E2", f"{task.id} is stuck: {who} must decide how it goes on (tier {task.tier})", decide))
    for other, status in waits_for:
        if status != "closed":
            is_waiting = status in ("blocked", "deferred")  # no worker, so dropping the dependency is an option
            step = either(fe("show", other), fe("dep", task.id, other, "--remove")) if is_waiting else fe("show", other)
            reasons.append(Reason("T3", f"{task.id} depends on {other}, which is {status}", step))
    if task.parent and is_parent_blocked:
        reasons.append(Reason("T4", f"its parent {task.parent} is blocked", fe("show", task.parent)))
    return reasons


def is_next_process(
    actor: Actor, me: Party, owner: Party, *, living: Collection[str], is_there: bool, has_claims: bool
) -> bool:
    """Return True if the caller may continue the claim of a process that has ended. (T2, I3)

    It must run the same program, and one of these must hold: it is in the task's worktree, it has the same conversation
    id, or it has no claim of its own. While agent processes above the claim still run (`living`), only the nearest of
    them may, and a process below all of them. Only observed sessions have a recorded process. A runner's run has none.
    """
    is_seen = actor.kind == "agent" and actor.trust == "observed" and actor.is_proven
    if not is_seen or not owner.process or not set(living) <= set(actor.processes):
        return False
    if actor.processes[0] in living:
        return True
    return actor.agent == owner.agent and (is_there or is_one_origin(me, owner) or not has_claims)


def began_at(task: Task, head: Sha | None) -> Sha | None:
    """Return the target's position at the task's start, for a caller that starts it at `head`. (K4, Q6)

    If the first start recorded none, later starts record none either, because the target may contain work of the task
    by then.
    """
    return None if task.started_at is not None and task.start_target is None else head


def lead_step(task: str, waiting_for: str = "") -> Steps:
    """Return the next step for a loop waiting for a decision. `fe status --attention` lists the other options, such as
    splitting the task. (E3)
    """
    decide = fe("lead", one_of("senior", "fresh", "continue"), task, "-m", phrase("why"))
    return by("person" if waiting_for == "user" else "lead", decide)


def _by_status(task: Task) -> list[Reason]:
    """Return a reason unless the task is open, with the command that opens it again. (T1)"""
    if task.status == "open":
        return []
    verb = {"blocked": "unblock", "deferred": "undefer", "closed": "reopen"}.get(task.status, "show")
    why = f" ({task.blocked_reason})" if task.blocked_reason else ""
    step = by_person(fe(verb, task.id)) if task.rejected_by else fe(verb, task.id)
    return [Reason("T1", f"{task.id} is {task.status}{why}, and only an open task can be started", step)]
