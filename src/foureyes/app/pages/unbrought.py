"""Q5: commits on the target that no task brought: somebody committed or merged there by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.one_target import HOW_FAR, SHOWN, Brought, known_target
from foureyes.app.call.rows import Point
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.steps import Steps, shell

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.views.work import LineCommit


class Unbrought(msgspec.Struct, frozen=True):
    """What to say about them, in one line, and the command that shows them."""

    text: str
    next: Steps


def unbrought(context: Context) -> Unbrought | None:
    """The commits on the target's own line, since a task first began there or a person made it the target, that are no
    merge and no work of a task; None where there are none.
    """
    with context.store.read() as tx:
        project = context.project(tx)
        target, at = project.target, known_target(context, tx, project)
        merged = {row.sha for row in tx.all("merge.points", Point)}
        points = merged | {row.sha for row in tx.all("merge.starts", Point)} | {Sha(project.tip or "")} - {Sha("")}
        known = merged | {commit.sha for row in tx.all("merge.brought", Brought) for commit in row.commits}
    try:
        line = context.repo.line(at, HOW_FAR) if points else []
    except GitProblem as problem:
        return Unbrought(f"what is on {target} cannot be read: {problem.message}", problem.next_step)
    # Before the oldest commit that a task began from or was merged as, or that was accepted, it is not ours to say.
    # Where none of so many is one, they are all later.
    later = len(line) if len(line) == HOW_FAR else 0
    oldest = max((n for n, commit in enumerate(line) if commit.sha in points), default=later)
    strange = [commit for commit in line[:oldest] if commit.sha not in known]
    return _told(target, strange) if strange else None


def unbrought_lately(context: Context) -> Unbrought | None:
    """The same for who is in a hurry: where the target is at the last merge, or where nothing was merged yet and it was
    accepted, nothing is asked.
    """
    with context.store.read() as tx:
        last = tx.one("merge.last", Point)
        project = context.project(tx)
        head = context.repo.commit_of(known_target(context, tx, project))
    done = last.sha if last else project.tip
    if not done or head is None or head == done:  # that there is no target is said elsewhere
        return None
    return unbrought(context)


def unknown_before(context: Context) -> str:
    """Of which part of the target nobody can tell who brought it, because a person made it the target and nothing was
    begun or merged on it before; empty where that is known.
    """
    with context.store.read() as tx:
        project = context.project(tx)
        at = known_target(context, tx, project)
        points = {row.sha for name in ("merge.points", "merge.starts") for row in tx.all(name, Point)}
    if not project.tip:
        return ""
    line = [commit.sha for commit in context.repo.line(at, HOW_FAR)]
    before = line[line.index(Sha(project.tip)) :] if project.tip in line else []
    return (
        f"what was on it at {project.tip[:7]}, when it became the target, is not known"
        if not points & {*before}
        else ""
    )


def _told(target: str, strange: list[LineCommit]) -> Unbrought:
    some = ", ".join(commit.words for commit in strange[:SHOWN])
    more = f" and {len(strange) - SHOWN} more" if len(strange) > SHOWN else ""
    are = "commit is" if len(strange) == 1 else "commits are"
    text = f"{len(strange)} {are} on {target} that no task brought: {some}{more}"
    return Unbrought(text, shell("git", "show", strange[0].sha[:12]))
