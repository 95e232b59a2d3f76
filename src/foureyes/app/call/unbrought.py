"""Q5: commits on the target that no task brought: somebody committed or merged there by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.one_target import (
    SHOWN,
    AttemptCommits,
    MergedBefore,
    MergeOf,
    SetBackRow,
    known_target,
    merge_place_of,
)
from foureyes.app.call.rows import TargetCommit
from foureyes.app.views.work import LineCommit
from foureyes.core.events.decision import TaskMerged
from foureyes.core.events.gate import TargetSetBack
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.place import FILE
from foureyes.errors import GitProblem
from foureyes.steps import Steps, shell, unshallow

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.git_ports import TargetHistory
    from foureyes.app.ports import Tx
    from foureyes.app.views.project import ProjectView

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
    """What the journal says about commits: where the target was when the first task began there or was merged, or when
    a person accepted it; which are merges; and which are these or work of tasks.
    """

    ends: list[Sha]
    merged: set[Sha]
    brought: set[Sha]


def unbrought(context: Context, *, asked: bool = False) -> Unbrought | None:
    """The commits on the target, on whichever of its lines, since a task first began there or a person accepted it,
    that are no merge and no work of a task; None where there are none. `asked`: the remote was asked where it is.
    """
    with context.store.read() as tx:
        project, known = context.project(tx), _known(context, tx)
        target, at = project.target, known_target(context, tx, project)
    try:
        return _told(target, _strange(context, known, at, asked=asked))
    except GitProblem as problem:
        return Unbrought(f"what is on {target} cannot be read: {problem.message}", problem.next_step)


def unbrought_lately(context: Context) -> Unbrought | None:
    """The same for who is in a hurry: where the target is at the last merge, or where nothing was merged yet and it was
    accepted, nothing is asked.
    """
    with context.store.read() as tx:
        project = context.project(tx)
        ref, until = known_target(context, tx, project), _known_until(tx, project)
    head = context.repo.commit_of(ref)
    return unbrought(context) if head is not None and until and head != until else None  # none: said elsewhere


def built_on(context: Context, tip: Sha) -> Unbrought | None:
    """Of these commits what a merge onto `tip` would be the first to stand on, to be told before. Where the target is
    at the last merge, nothing is asked.
    """
    with context.store.read() as tx:
        project = context.project(tx)
        until = _known_until(tx, project)
        known = _known(context, tx) if tip != until else None
    try:
        return _told(project.target, _strange(context, known, tip, until, asked=True)) if known else None
    except GitProblem as problem:
        return Unbrought(f"what is on {project.target} cannot be read: {problem.message}", problem.next_step)


def strays_beyond(context: Context, tx: Tx, at: Sha, other: Sha) -> list[LineCommit]:
    """Q5: of what `at` has and `other` lacks, on whichever line, what no task brought."""
    return _strange(context, _known(context, tx), at, other, asked=True).commits


def brought_by_tasks(tx: Tx) -> set[Sha]:
    """The work of tasks that is on the target by a merge, or was there before its review; of a task only the attempt
    that was merged, and none whose merge a person gave up (Q6).
    """
    return _merges(tx)[1]


def unbrought_since(context: Context, start: Sha, tip: Sha) -> Unbrought | None:
    """K4: of these commits what came to the target, which is at `tip`, since a task began at `start`: it may be the
    work of that task, also where it was pushed over `start`.
    """
    repo = context.repo
    if tip == start or repo.missing([start, tip]):
        return None
    with context.store.read() as tx:
        target, known = context.project(tx).target, _known(context, tx)
    seen = repo.history(tip, COMMITS_LOOKED_AT)
    behind = _behind(context, known, seen, [start])
    return _told(target, _Strange([commit for commit in seen.commits if commit.sha not in behind | known.brought]))


def _known_until(tx: Tx, project: ProjectView) -> str:
    """The last merge, or where the target was when it was accepted since; empty where there is neither."""
    return merge_place_of(tx).newest or project.tip or ""


def _known(context: Context, tx: Tx) -> _Known:
    project = context.project(tx)
    accepted = [_set_back(row).tip for row in tx.all("merge.set_back", SetBackRow)]
    ends = [*(row.sha for row in tx.all("merge.first", TargetCommit)), *accepted, Sha(project.tip or "")]
    merged, brought = _merges(tx)
    return _Known([end for end in dict.fromkeys(ends) if end], merged, merged | brought)


def _merges(tx: Tx) -> tuple[set[Sha], set[Sha]]:
    """Merges, and the work that they brought, without those that a person gave up when the target lacked them."""
    lost = {task: row.seq for row in tx.all("merge.set_back", SetBackRow) for task in _set_back(row).lost}
    merged = {row.sha for row in tx.all("merge.shas", MergeOf) if row.id not in lost}
    brought = [row.commits for row in tx.all("merge.brought", AttemptCommits) if row.task not in lost]
    for row in tx.all("merge.earlier", MergedBefore):  # a task that was opened again can have several
        if row.seq > lost.get(TaskId(row.task), 0):
            merged.add(msgspec.json.decode(row.payload, type=TaskMerged).sha)
            brought.append(row.commits)
    return merged, {commit.sha for commits in brought for commit in commits}


def _set_back(row: SetBackRow) -> TargetSetBack:
    return msgspec.json.decode(row.payload, type=TargetSetBack)


def _strange(context: Context, known: _Known, at: str, *also: str, asked: bool = False) -> _Strange:
    """What is behind where the first task began, or behind what was accepted, is not ours to say, wherever the target
    is now; nor what is behind `also`. The rest is: nobody makes a commit known by beginning a task there.
    """
    seen = context.repo.history(at, COMMITS_LOOKED_AT)
    ends = _ends(context, known, seen)
    if not ends and not seen.lacks and (not known.ends or not (asked or context.store.place in ("", FILE))):
        return _Strange([])  # nothing began yet, or what began elsewhere is not in this clone
    behind = _behind(context, known, seen, [*ends, *(Sha(sha) for sha in also if context.repo.commit_of(sha))])
    left = [commit for commit in seen.commits if commit.sha not in behind]
    torn = next((commit.sha for commit in left if seen.lacks.intersection(commit.parents)), "")
    strange = [commit for commit in left if commit.sha not in known.brought] if ends or not torn else []
    return _Strange(strange, seen.more and not behind, torn)


def _ends(context: Context, known: _Known, seen: TargetHistory) -> list[Sha]:
    """Those that this clone has, and behind which no other one is. Where its history ends before them, or nothing is on
    record but merges, these are.
    """
    repo = context.repo
    here = [end for end in known.ends if repo.commit_of(end) is not None]
    if not here and (seen.lacks or not known.ends):
        return [commit.sha for commit in seen.commits if commit.sha in known.merged]
    return [end for end in here if not any(other != end and repo.is_ancestor(other, end) for other in here)]


def _behind(context: Context, known: _Known, seen: TargetHistory, ends: list[Sha]) -> set[Sha]:
    """These commits, and what of those that were looked at is behind one of them, by whichever way."""
    repo, shas = context.repo, {commit.sha for commit in seen.commits}
    behind = set(ends) & shas
    for commit in seen.commits:  # each comes before those that it stands on
        if commit.sha in behind:
            behind.update(commit.parents)
    for end in ends if seen.more else [end for end in ends if end not in shas]:  # by a way that was not looked at
        rest = [sha for sha in shas if sha not in behind and sha not in known.brought]
        there = repo.reached(sorted(rest), end) if rest else set[Sha]()
        for commit in seen.commits if there else ():
            sha = commit.sha
            if sha in behind or (sha in there and repo.is_ancestor(sha, end)):
                behind.update((sha, *commit.parents))
    return behind


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
    open_end = " or more" if strange.more or strange.torn else ""
    some = some_of(commits, open_end or " more")
    many, are = f"{len(commits)}{open_end}", "commit is" if len(commits) == 1 and not open_end else "commits are"
    text = f"{many} {are} on {target} that no task brought: {some}"
    return Unbrought(text, looking_at(commits[0]), some)


def some_of(commits: list[LineCommit], rest: str = " more") -> str:
    """The first of some commits, and how many there are besides."""
    some = ", ".join(commit.words for commit in commits[:SHOWN])
    return f"{some} and {len(commits) - SHOWN}{rest}" if len(commits) > SHOWN else some


def looking_at(commit: LineCommit) -> Steps:
    """What shows the change of a commit; of a merge, which git shows without one, that to each of its parents."""
    if len(commit.parents) > 1:
        return shell("git", "show", "-m", commit.sha)
    return shell("git", "show", commit.sha)
