"""Results of verbs that changed one task or several. (G2)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.results.task_list import Outcome
from foureyes.errors import BadInput, FoureyesError, Reason, Refused
from foureyes.steps import NO_STEP, Steps, by, by_person_or_service, fe, phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from foureyes.core.nouns.session import Actor
    from foureyes.core.nouns.task import Task


# ---- Outcome ----


def outcome(
    task: Task, message: str, next_step: Steps = NO_STEP, *, changed: bool = True, notes: tuple[str, ...] = ()
) -> Outcome:
    """Return the result of a verb that changed this task."""
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
    """Return the command to claim a task, or the best one if none is named. (P2)

    People are told to let an agent run it, because a claim makes its caller an author who cannot approve.
    """
    claim = fe("start", task, *where) if task else fe("next")
    return claim if actor.kind == "agent" else by("other", claim, "an agent runs: ")


def first_of_epic(epic: str) -> Steps:
    """Return the command that creates a task of an epic. Nobody can start the epic itself. (T4)"""
    return fe("create", phrase("a task of it"), "--parent", epic)


def merge_by(actor: Actor | None, *options: str) -> Steps:
    """Return the merge command. An agent may not process the queue and gets a step for a person or service. (D5)"""
    merge = fe("merge", *options)
    return by_person_or_service(merge) if actor is not None and actor.kind == "agent" else merge


# ---- Several tasks in one call ----

MOST_TASKS = 500


def each(tasks: Sequence[str], do: Callable[[str], Outcome]) -> list[Outcome]:
    """Apply `do` to each task in the caller's transaction. If it refuses one, no task changes."""
    names = list(dict.fromkeys(tasks))
    if not names or len(names) > MOST_TASKS:
        raise BadInput(f"name from one to {MOST_TASKS} tasks.", next_step=fe("list"))
    done: list[Outcome] = []
    problems: list[FoureyesError] = []
    for name in names:
        try:
            done.append(do(name))
        except FoureyesError as problem:
            problems.append(problem)
    if problems and len(names) == 1:
        raise problems[0]
    if problems:
        reasons = [reason for problem in problems for reason in _reasons(problem)]
        raise Refused(
            f"{len(problems)} of {len(names)} tasks cannot be changed like this, so none was changed.",
            reasons=tuple(reasons),
            next_step=reasons[0].next,
            task=problems[0].task,
        )
    return done


def _reasons(problem: FoureyesError) -> Sequence[Reason]:
    return problem.reasons or (Reason("T1", problem.message, problem.next_step),)


def named(tasks: Sequence[str], what: str) -> str:
    """Return the text that a person signs for several tasks: their ids and what happens to them."""
    return f"{' '.join(tasks)}: {what}" if len(tasks) > 1 else what
