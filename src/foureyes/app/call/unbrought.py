"""Q5: commits on the target that no task brought: somebody committed or merged there by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.one_target import SHOWN, AttemptCommits, known_target
from foureyes.app.call.rows import TargetCommit
from foureyes.app.views.work import LineCommit
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.steps import Steps, shell, unshallow

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.git_ports import TargetHistory

COMMITS_LOOKED_AT = 2_000
"""So many commits of the target are looked at, those of tasks among them."""


class Unbrought(msgspec.Struct, frozen=True):
    """What to say about them, in one line, the command that shows them, and the commits in short."""

    text: str
    next: Steps
    commits: str = ""


class _Strange(msgspec.Struct, frozen=True):
    """Commits of the target that no task brought; `more`: there may be others behind them. `torn`: where what is known
    of them ends, in words.
    """

    commits: list[LineCommit]
    more: bool = False
    torn: str = ""


class _Known(msgspec.Struct, frozen=True):
    """What the journal says about commits: which merges there were, from which the target is known, and which are
    merges or work of tasks.
    """

    merged: set[Sha]
    points: set[Sha]
    brought: set[Sha]


def unbrought(context: Context) -> Unbrought | None:
    """The commits on the target, on whichever of its lines, since a task first began there or a person made it the
    target, that are no merge and no work of a task; None where there are none.
    """
    with context.store.read() as tx:
        project = context.project(tx)
        target, at = project.target, known_target(context, tx, project)
    try:
        return _told(target, _strange(context, at))
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
    try:
        return _told(target, _strange(context, tip, lately=True)) if tip != _known_until(context) else None
    except GitProblem as problem:
        return Unbrought(f"what is on {target} cannot be read: {problem.message}", problem.next_step)


def unbrought_since(context: Context, start: Sha, tip: Sha) -> Unbrought | None:
    """K4: of these commits what came to the target, which is at `tip`, since a task began at `start`: it may be the
    work of that task.
    """
    repo = context.repo
    if tip == start or repo.missing([start, tip]) or not repo.is_ancestor(start, tip):
        return None
    seen, brought = repo.history(tip, COMMITS_LOOKED_AT), _known(context).brought
    behind = _behind(seen, {start})
    strange = [commit for commit in seen.commits if commit.sha not in behind | brought]
    with context.store.read() as tx:
        target = context.project(tx).target
    return _told(target, _Strange(_beyond(context, strange, {start}) if seen.more else strange))


def _is_on_its_own(context: Context, head: Sha) -> bool:
    """Whether the target has gone on since the last merge, or since it was accepted."""
    done = _known_until(context)
    return bool(done) and head != done


def _known_until(context: Context) -> str:
    """The last merge, or where the target was when it was accepted; empty where there is neither."""
    with context.store.read() as tx:
        last, project = tx.one("merge.last", TargetCommit), context.project(tx)
    return last.sha if last else project.tip or ""


def _known(context: Context) -> _Known:
    with context.store.read() as tx:
        project = context.project(tx)
        merged = {row.sha for row in tx.all("merge.points", TargetCommit)}
        starts = {row.sha for row in tx.all("merge.starts", TargetCommit)}
        brought = {commit.sha for row in tx.all("merge.brought", AttemptCommits) for commit in row.commits}
    return _Known(merged, merged | starts | {Sha(project.tip or "")} - {Sha("")}, merged | brought)


def _strange(context: Context, at: str, *, lately: bool = False) -> _Strange:
    """Before the oldest commit that a task began from or was merged as, or that was accepted, it is not ours to say.
    Where none of those that were looked at is one, or older ones are, they are all later. `lately`: of these, what no
    merge stands on yet.
    """
    known = _known(context)
    if not known.points:
        return _Strange([])
    seen = context.repo.history(at, COMMITS_LOOKED_AT)
    near = _oldest(known.points, seen)
    if not near and _is_behind(context, seen, known.points):
        return _Strange([])
    ends = set[Sha]() if seen.more and _has_older(context, seen, known.points) else near
    behind = set.intersection(*(_behind(seen, {end}) for end in ends)) if ends else set[Sha]()
    if lately and (merged := known.merged.intersection(commit.sha for commit in seen.commits)):
        behind, ends = behind | _behind(seen, merged), ends | {Sha(_known_until(context))}
    left = [commit for commit in seen.commits if commit.sha not in behind]
    strange = [commit for commit in left if commit.sha not in known.brought]
    torn = next((commit.sha for commit in left if seen.lacks.intersection(commit.parents)), "")
    return _Strange(_beyond(context, strange, ends) if seen.more else strange, seen.more and not ends, torn)


def _beyond(context: Context, strange: list[LineCommit], ends: set[Sha]) -> list[LineCommit]:
    """Without those to which a way leads that is longer than what was looked at."""
    repo = context.repo
    for end in ends:
        there = repo.reached([commit.sha for commit in strange], end) if strange else set()
        strange = [each for each in strange if each.sha not in there or not repo.is_ancestor(each.sha, end)]
    return strange


def _behind(seen: TargetHistory, ends: set[Sha]) -> set[Sha]:
    """Commits, and what of those that were looked at is behind one of them."""
    reached = set(ends)
    for commit in seen.commits:  # each comes before those that it stands on
        if commit.sha in reached:
            reached.update(commit.parents)
    return reached


def _oldest(points: set[Sha], seen: TargetHistory) -> set[Sha]:
    """Those that were looked at, and behind which no other one is."""
    names, above = points.intersection(commit.sha for commit in seen.commits), set[Sha]()
    for commit in reversed(seen.commits):
        if any(up in names or up in above for up in commit.parents):
            above.add(commit.sha)
    return names - above


def _is_behind(context: Context, seen: TargetHistory, points: set[Sha]) -> bool:
    """Whether this is what a known commit stands on, or nobody knows because none of them is in this clone."""
    here = [point for point in points if context.repo.commit_of(point) is not None]
    return not (here and seen.commits) or any(context.repo.is_ancestor(seen.commits[0].sha, point) for point in here)


def _has_older(context: Context, seen: TargetHistory, points: set[Sha]) -> bool:
    """Whether known commits are behind those that were looked at."""
    rest, last = sorted(points - {commit.sha for commit in seen.commits}), seen.commits[-1].sha
    return any(context.repo.is_ancestor(point, last) for point in rest and context.repo.reached(rest, last))


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
    line = [commit.sha for commit in context.repo.line(at, COMMITS_LOOKED_AT)]
    before = line[line.index(Sha(project.tip)) :] if project.tip in line else []
    return (
        f"what was on it at {project.tip[:7]}, when it became the target, is not known"
        if not points & {*before}
        else ""
    )


def _told(target: str, strange: _Strange) -> Unbrought | None:
    commits = strange.commits
    if strange.torn and not commits:
        text = f"who brought what is on {target} cannot be told: the history of this clone ends at {strange.torn[:7]}"
        return Unbrought(text, unshallow())
    if not commits:
        return None
    some = ", ".join(commit.words for commit in commits[:SHOWN])
    open_end = " or more" if strange.more or strange.torn else ""
    many, are = f"{len(commits)}{open_end}", "commit is" if len(commits) == 1 and not open_end else "commits are"
    more = f" and {len(commits) - SHOWN}{open_end or ' more'}" if len(commits) > SHOWN else ""
    text = f"{many} {are} on {target} that no task brought: {some}{more}"
    return Unbrought(text, shell("git", "show", commits[0].sha[:12]), f"{some}{more}")
