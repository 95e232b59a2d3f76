"""Q5: commits on the target that no task brought: somebody committed or merged there by hand."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.one_target import HOW_FAR, SHOWN, AttemptCommits, known_target
from foureyes.app.call.rows import TargetCommit
from foureyes.app.views.work import LineCommit
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.steps import Steps, shell

if TYPE_CHECKING:
    from foureyes.app.call.context import Context


class Unbrought(msgspec.Struct, frozen=True):
    """What to say about them, in one line, the command that shows them, and the commits in short."""

    text: str
    next: Steps
    commits: str = ""


class _TargetLine(msgspec.Struct, frozen=True):
    """The target's own line, the tip first, as far back as it is ours to say; and whose commits are known."""

    commits: list[LineCommit]
    merged: set[Sha]
    known: set[Sha]

    def strange(self) -> list[LineCommit]:
        """What is no merge and no work of a task."""
        return [commit for commit in self.commits if commit.sha not in self.known]

    def lately(self) -> list[LineCommit]:
        """The same of what no merge stands on yet."""
        return [
            commit
            for commit in takewhile(lambda commit: commit.sha not in self.merged, self.commits)
            if commit.sha not in self.known
        ]


def unbrought(context: Context) -> Unbrought | None:
    """The commits on the target's own line, since a task first began there or a person made it the target, that are no
    merge and no work of a task; None where there are none.
    """
    with context.store.read() as tx:
        project = context.project(tx)
        target, at = project.target, known_target(context, tx, project)
    try:
        return _told(target, _line(context, at).strange())
    except GitProblem as problem:
        return Unbrought(f"what is on {target} cannot be read: {problem.message}", problem.next_step)


def unbrought_lately(context: Context) -> Unbrought | None:
    """The same for who is in a hurry: where the target is at the last merge, or where nothing was merged yet and it was
    accepted, nothing is asked.
    """
    with context.store.read() as tx:
        head = context.repo.commit_of(known_target(context, tx, context.project(tx)))
    return unbrought(context) if head is not None and _is_on_its_own(context, head) else None  # none: said elsewhere


def built_on(context: Context, tip: Sha) -> Unbrought | None:
    """Of these commits what a merge onto `tip` would be the first to stand on, to be told before. Where the target is
    at the last merge, nothing is asked.
    """
    with context.store.read() as tx:
        target = context.project(tx).target
    return _told(target, _line(context, tip).lately()) if tip != _known_until(context) else None


def _is_on_its_own(context: Context, head: Sha) -> bool:
    """Whether the target has gone on since the last merge, or since it was accepted."""
    done = _known_until(context)
    return bool(done) and head != done


def _known_until(context: Context) -> str:
    """The last merge, or where the target was when it was accepted; empty where there is neither."""
    with context.store.read() as tx:
        last, project = tx.one("merge.last", TargetCommit), context.project(tx)
    return last.sha if last else project.tip or ""


def _line(context: Context, at: str) -> _TargetLine:
    with context.store.read() as tx:
        project = context.project(tx)
        merged = {row.sha for row in tx.all("merge.points", TargetCommit)}
        points = (
            merged | {row.sha for row in tx.all("merge.starts", TargetCommit)} | {Sha(project.tip or "")} - {Sha("")}
        )
        known = merged | {commit.sha for row in tx.all("merge.brought", AttemptCommits) for commit in row.commits}
    line = context.repo.line(at, HOW_FAR) if points else []
    # Before the oldest commit that a task began from or was merged as, or that was accepted, it is not ours to say.
    # Where none of so many is one, they are all later.
    later = len(line) if len(line) == HOW_FAR else 0
    oldest = max((n for n, commit in enumerate(line) if commit.sha in points), default=later)
    return _TargetLine(line[:oldest], merged, known)


def unknown_before(context: Context) -> str:
    """Of which part of the target nobody can tell who brought it, because a person made it the target and nothing was
    begun or merged on it before; empty where that is known.
    """
    with context.store.read() as tx:
        project = context.project(tx)
        at = known_target(context, tx, project)
        points = {row.sha for name in ("merge.points", "merge.starts") for row in tx.all(name, TargetCommit)}
    if not project.tip:
        return ""
    line = [commit.sha for commit in context.repo.line(at, HOW_FAR)]
    before = line[line.index(Sha(project.tip)) :] if project.tip in line else []
    return (
        f"what was on it at {project.tip[:7]}, when it became the target, is not known"
        if not points & {*before}
        else ""
    )


def _told(target: str, strange: list[LineCommit]) -> Unbrought | None:
    if not strange:
        return None
    some = ", ".join(commit.words for commit in strange[:SHOWN])
    more = f" and {len(strange) - SHOWN} more" if len(strange) > SHOWN else ""
    are = "commit is" if len(strange) == 1 else "commits are"
    text = f"{len(strange)} {are} on {target} that no task brought: {some}{more}"
    return Unbrought(text, shell("git", "show", strange[0].sha[:12]), f"{some}{more}")
