"""Q5: commits on the target that no task brought: somebody committed or merged there by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.known_commits import KnownCommits, known_commits
from foureyes.app.call.noted_target import noted_target
from foureyes.app.call.recorded_target import merge_place_of
from foureyes.app.views.work import LineCommit
from foureyes.core.words.ids import Sha
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
NAMED = 3
"""So many of them are named in a sentence."""


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


def unbrought(context: Context, *, asked: bool = False) -> Unbrought | None:
    """The commits on the target, on whichever of its lines, since `fe init` or since a person accepted it, that are no merge and no work of a task; None where there are none. `asked`: the remote was asked where it is."""
    with context.store.read() as tx:
        project = context.project(tx)
        target, at, known = project.target, noted_target(context, tx, project), known_commits(tx, project)
    try:
        return _told(target, _strange(context, known, at, asked=asked))
    except GitProblem as problem:
        return Unbrought(f"the content of {target} cannot be read: {problem.message}", problem.next_step)


def unbrought_lately(context: Context) -> Unbrought | None:
    """The same for who is in a hurry: where the target is at the last merge, or where nothing was merged yet and it is
    where it was at `fe init` or accepted, nothing is asked.
    """
    with context.store.read() as tx:
        project = context.project(tx)
        ref, until = noted_target(context, tx, project), _known_until(tx, project)
    head = context.repo.commit_of(ref)
    return unbrought(context) if head is not None and until and head != until else None  # none: said elsewhere


def built_on(context: Context, tip: Sha) -> Unbrought | None:
    """Of these commits what a merge onto `tip` would be the first to stand on, to be told before. Where the target is
    at the last merge, nothing is asked.
    """
    with context.store.read() as tx:
        project = context.project(tx)
        until = _known_until(tx, project)
        known = known_commits(tx, project) if tip != until else None
    try:
        return _told(project.target, _strange(context, known, tip, until, asked=True)) if known else None
    except GitProblem as problem:
        return Unbrought(f"the content of {project.target} cannot be read: {problem.message}", problem.next_step)


def strays_beyond(context: Context, tx: Tx, at: Sha, other: Sha) -> list[LineCommit]:
    """Q5: of what `at` has and `other` lacks, on whichever line, what no task brought."""
    return _strange(context, known_commits(tx, context.project(tx)), at, other, asked=True).commits


def unbrought_since(context: Context, start: Sha, tip: Sha) -> Unbrought | None:
    """K4: of these commits what came to the target, which is at `tip`, since a task began at `start`: it may be the
    work of that task, also where it was pushed over `start`.
    """
    repo = context.repo
    if tip == start or repo.missing([start, tip]):
        return None
    with context.store.read() as tx:
        project = context.project(tx)
        known = known_commits(tx, project)
    seen = repo.history(tip, COMMITS_LOOKED_AT)
    behind = _behind(context, known, seen, [start])
    strange = [commit for commit in seen.commits if commit.sha not in behind | known.brought]
    return _told(project.target, _Strange(strange))


def _known_until(tx: Tx, project: ProjectView) -> str:
    """The last merge, or where the target was at `fe init` or accepted since; empty where there is neither."""
    return merge_place_of(tx).newest or project.tip or ""


def _strange(context: Context, known: KnownCommits, at: str, *also: str, asked: bool = False) -> _Strange:
    """What is behind where the target was at `fe init` or the first task began, or behind what was accepted, is not ours to say, wherever the target
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


def _ends(context: Context, known: KnownCommits, seen: TargetHistory) -> list[Sha]:
    """Those that this clone has, and behind which no other one is. Where its history ends before them, or nothing is on
    record but merges, these are.
    """
    repo = context.repo
    here = [end for end in known.ends if repo.commit_of(end) is not None]
    if not here and (seen.lacks or not known.ends):
        return [commit.sha for commit in seen.commits if commit.sha in known.merged]
    return [end for end in here if not any(other != end and repo.is_ancestor(other, end) for other in here)]


def _behind(context: Context, known: KnownCommits, seen: TargetHistory, ends: list[Sha]) -> set[Sha]:
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


def _told(target: str, strange: _Strange) -> Unbrought | None:
    commits = strange.commits
    if strange.torn and not commits:
        text = f"the authors of {target} are unknown: the history of this clone ends at {strange.torn[:7]}"
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
    some = ", ".join(commit.words for commit in commits[:NAMED])
    return f"{some} and {len(commits) - NAMED}{rest}" if len(commits) > NAMED else some


def looking_at(commit: LineCommit) -> Steps:
    """What shows the change of a commit; of a merge, which git shows without one, that to each of its parents."""
    if len(commit.parents) > 1:
        return shell("git", "show", "-m", commit.sha)
    return shell("git", "show", commit.sha)
