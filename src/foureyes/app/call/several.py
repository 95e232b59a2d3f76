"""Several tasks in one call: all of them or none, and every refusal is listed (G2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.errors import BadInput, FoureyesError, Reason, Refused
from foureyes.steps import fe

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from foureyes.app.views.outcome import Outcome

MOST_TASKS = 500


def each(tasks: Sequence[str], do: Callable[[str], Outcome]) -> list[Outcome]:
    """Do the same with every task, within the caller's transaction; what is refused of one is refused of all."""
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
            f"it is not possible for {len(problems)} of {len(names)} tasks, so none was changed.",
            reasons=tuple(reasons),
            next_step=reasons[0].next,
            task=problems[0].task,
        )
    return done


def _reasons(problem: FoureyesError) -> Sequence[Reason]:
    return problem.reasons or (Reason("T1", problem.message, problem.next_step),)


def named(tasks: Sequence[str], what: str) -> str:
    """What a person signs who does it with several: which tasks, and what."""
    return f"{' '.join(tasks)}: {what}" if len(tasks) > 1 else what
