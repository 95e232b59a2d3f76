"""What doctor tells of git's own directory: worktrees that git does not know, and what is in the way of our refs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.call.recorded_target import remote_of
from foureyes.app.call.unbrought import COMMITS_LOOKED_AT
from foureyes.app.views.status import Check
from foureyes.core.words.fence import some
from foureyes.core.words.refs import FENCE, KEPT_REMOTES, displaced, tracked
from foureyes.errors import GitProblem
from foureyes.steps import blank, shell, unshallow

if TYPE_CHECKING:
    from foureyes.app.call.context import Context

REFS_SHOWN = 5
OURS = "refs/foureyes/"


def in_git_dir(context: Context) -> list[Check]:
    """A line for each thing that is wrong there; nothing of what is sound."""
    return [*_worktrees(context), *_history(context), *_refs(context), *_replaced(context)]


def _worktrees(context: Context) -> list[Check]:
    """K1: worktrees that git does not know, as after the repository was moved."""
    workshop = context.workshop
    wrong = {task: path for task, path in workshop.worktrees().items() if workshop.worktree_state(task).wrong}
    if not wrong:
        return []
    repair = shell("git", "worktree", "repair", *wrong.values())
    text = f"git does not know the worktrees of {', '.join(wrong)}: was the repository moved?"
    return [Check("worktrees", "warn", text, repair)]


def _history(context: Context) -> list[Check]:
    """Q5, Q6: that this clone has not all of the target's history, as one that was made with `--depth`."""
    with context.store.read() as tx:
        target, remote = context.project(tx).target, remote_of(context, tx)
    try:
        is_whole = not context.repo.history(target, COMMITS_LOOKED_AT).lacks
    except GitProblem:  # told by another line
        return []
    text = f"this clone lacks part of the history of {target}, so it cannot merge"
    return [] if is_whole else [Check("history", "warn", text, unshallow(remote))]


def _refs(context: Context) -> list[Check]:
    """A1, Q6: what keeps git from writing where attempts are kept, or what the remote has."""
    with context.store.read() as tx:
        remote, target = remote_of(context, tx), context.project(tx).target
    notes = [tracked(remote, ref) for ref in (f"refs/heads/{target}", FENCE)] if remote else []
    try:
        lost = dict.fromkeys(_displaced(ref, remote) for ref in context.repo.kept(OURS))
        others = [ref for ref in lost if ref and ref not in notes][:REFS_SHOWN]
        locked = [ref for ref in context.repo.locked(OURS) if ref not in (*notes, *others)][:REFS_SHOWN]
        problems = context.repo.in_the_way([*notes, *others, *locked])
    except GitProblem:  # told by another line
        return []
    return [Check("refs", "warn", problem.message, problem.next_step) for problem in problems]


def _replaced(context: Context) -> list[Check]:
    """Q5, Q6: what has a person's own git show or merge something else than the commit that a command names."""
    try:
        names = context.repo.replaced()
    except GitProblem:  # told by another line
        return []
    by = some(names, REFS_SHOWN)
    text = f"git in this clone shows something else than there is, by {by}; nothing is decided by that"
    see = shell("git", "--no-replace-objects", "show", blank("COMMIT"), before="what there is, but for grafts: ")
    return [Check("replaced", "warn", text, see)] if names else []


def _displaced(ref: str, remote: str) -> str:
    below = f"{KEPT_REMOTES}{remote}/"
    if not remote or not ref.startswith(below):
        return displaced(ref)
    there = displaced(f"refs/{ref.removeprefix(below)}")
    return tracked(remote, there) if there else ""
