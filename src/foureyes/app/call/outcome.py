"""What a verb that changed a task answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.views.outcome import Outcome
from foureyes.steps import NO_STEP, Steps, by, by_person_or_service, fe, phrase

if TYPE_CHECKING:
    from foureyes.core.nouns.session import Actor
    from foureyes.core.nouns.task import Task


def outcome(
    task: Task, message: str, next_step: Steps = NO_STEP, *, changed: bool = True, notes: tuple[str, ...] = ()
) -> Outcome:
    """What a verb tells about the task it touched."""
    return Outcome(
        task=task.id,
        status=task.status,
        version=task.version,
        changed=changed,
        message=message,
        next=next_step,
        notes=notes,
    )


def claim_by(actor: Actor, task: str = "", *where: str) -> Steps:
    """P2: who claims a task is an author of it and cannot approve it, so only agents are led there; without a task, the
    best one.
    """
    claim = fe("start", task, *where) if task else fe("next")
    return claim if actor.kind == "agent" else by("other", claim, "an agent runs: ")


def first_of_epic(epic: str) -> Steps:
    """T4: an epic is work for nobody: its tasks are."""
    return fe("create", phrase("a task of it"), "--parent", epic)


def merge_by(actor: Actor | None, *options: str) -> Steps:
    """D5: the queue is not an agent's to process."""
    merge = fe("merge", *options)
    return by_person_or_service(merge) if actor is not None and actor.kind == "agent" else merge
