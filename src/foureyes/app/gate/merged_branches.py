"""The branches of merged tasks at the remote (K1, Q6): each goes there, too, where it is exactly what was merged.

Nobody else's commits go, attempts stay, and no merge fails for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.call.attempts import attempts_of
from foureyes.core.nouns.task import Task
from foureyes.core.words.ids import TaskId
from foureyes.core.words.refs import OWN_BRANCHES, own_branch, own_name, tracked
from foureyes.errors import GitProblem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from foureyes.app.call.context import Context
    from foureyes.app.gate.target_line import TargetLine
    from foureyes.core.words.ids import Sha


def take_away(context: Context, line: TargetLine, merged: Iterable[str]) -> dict[str, str]:
    """The branches of tasks that were just `merged`, and of those before that this clone knows to be there: a crash,
    or a remote that could not be asked, may have left them. What became of each, by task; of those before, if it went.
    """
    remote, just = line.remote, set(merged)
    if remote is None:
        return {}
    try:
        below = tracked(remote.name, OWN_BRANCHES)
        known = {ref.removeprefix(below) for ref in context.repo.kept(below)}
        going = _merged(context, line, sorted(known | just))
        taken = remote.take_away({own_branch(task): head for task, head in going.items()}) if going else None
    except GitProblem:
        return {}  # the next merge asks again
    if taken is None:
        return {}
    words = dict.fromkeys(taken.gone, f"was taken away at {remote.name}")
    stay = {own_branch(task) for task in just} & taken.stay.keys()
    words |= {ref: f"stays at {remote.name}: {taken.stay[ref]}" for ref in stay}
    return {task: f"{own_name(task)} {words[own_branch(task)]}" for task in going if own_branch(task) in words}


def _merged(context: Context, line: TargetLine, tasks: list[str]) -> dict[str, Sha]:
    """Those of the tasks that came from their own branch and whose work the target has, with where that branch was."""
    with context.store.read() as tx:
        rows = tx.all("task.some", Task, ids=tasks) if tasks else []
        attempts = attempts_of(tx, [TaskId(row.id) for row in rows if row.resolution == "merged"])
    heads = {task: attempt.head for task, attempt in attempts.items() if attempt.ref == own_branch(task)}
    tip = context.repo.commit_of(line.at)
    return {task: head for task, head in heads.items() if tip is not None and context.repo.is_ancestor(head, tip)}
