"""The target as this clone has it (Q6): by its refs, which whoever works in the clone can write.

For pages, never for decisions: those ask `told_target` (the remote) and `recorded_target` (the journal).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.call.recorded_target import remote_of
from foureyes.core.words.refs import tracked

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.app.views.project import ProjectView
    from foureyes.core.words.ids import Sha


def branch_here(context: Context, target: str) -> Sha | None:
    """Where the branch of this clone is: the target itself in a project that has no remote, else one more copy."""
    return context.repo.commit_of(f"refs/heads/{target}")


def noted_name(context: Context, remote: str, branch: str) -> str:
    """What git calls that which the remote had as a branch when it was last asked; the branch here, by its name, where
    there is no remote, or nothing is noted.
    """
    ref = tracked(remote, f"refs/heads/{branch}") if remote else ""
    return ref if ref and context.repo.commit_of(ref) is not None else branch


def noted_target(context: Context, tx: Tx, project: ProjectView) -> str:
    """What git calls the target for who looks: as the remote had it when it was last asked, or the branch here."""
    return noted_name(context, remote_of(context, tx), project.target)


def noted_tip(context: Context, tx: Tx, project: ProjectView) -> Sha | None:
    """Where that is."""
    return tip_of(context, project, noted_target(context, tx, project))


def furthest_target(context: Context, tx: Tx, project: ProjectView) -> str:
    """The same, or the branch here if that is further: a clone that was brought up to date since the remote was asked
    knows more.
    """
    target, at = project.target, noted_target(context, tx, project)
    here, there = (tip_of(context, project, each) for each in (target, at)) if at != target else (None, None)
    if there is None or here == there or (here is not None and context.repo.is_ancestor(there, here)):
        return target
    return at


def tip_of(context: Context, project: ProjectView, at: str) -> Sha | None:
    """Where what git calls the target is."""
    return branch_here(context, at) if at == project.target else context.repo.commit_of(at)
