"""Merges and commits, from objects alone.

In the clean room git sees no attributes, drivers or configuration. Measured with 2.39: `merge=union`, `-merge` and a
driver in the tree's own `.gitattributes` have no effect in a bare repository without an index.
"""

from __future__ import annotations

from collections.abc import Sequence

from foureyes.adapters.git.client.answers import as_sha, must_be_sha
from foureyes.adapters.git.client.git import EMAIL, NAME, Git
from foureyes.adapters.git.reading.diff import diff, diff_as, exact_files
from foureyes.adapters.git.reading.history import KnownCommit, ThreeWay, back, known, three_way
from foureyes.app.git_ports import MergeResult
from foureyes.core.nouns.attempt import Effect
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.steps import shell

_IDENTITY = {
    **{
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", NAME), ("EMAIL", EMAIL))
    },
    "TZ": "UTC",
}


def merge(git: Git, *, base: Sha, tip: Sha, head: Sha, landed: Sha | None = None) -> MergeResult:
    """Merge base..head into `tip` by that base alone. Return the result with the diff id (A2) and its effect on the
    target.

    `landed` is a part of base..head that was merged earlier. If the full merge conflicts, only the part after it is
    merged.
    """
    sides = [must_be_sha(commit) for commit in (base, tip, head)]
    began, onto, now = (_there(commit, answer) for commit, answer in zip(sides, known(git, *sides), strict=True))
    git.entrance.merge(began.tree, onto.tree, now.tree)
    shown_change = diff(git, began.tree, now.tree)
    made = three_way(git, base=began.tree, ours=onto.tree, theirs=now.tree)
    if made.tree is None and landed is not None:
        made = _after(git, landed, began.tree, onto.tree, now.tree)
    if made.tree is None:
        return MergeResult(None, made.conflicts, shown_change.diff_id)
    git.publish(made.tree)
    done = shown_change if onto.tree == began.tree else diff_as(git, shown_change, onto.tree, made.tree)
    return MergeResult(made.tree, (), shown_change.diff_id, Effect(done.files, done.marks, done.size))


def _after(git: Git, landed: Sha, began: Sha, onto: Sha, now: Sha) -> ThreeWay:
    """Merge only the part after `landed`. Report a conflict if it undoes lines of the landed part. The reviewed diff
    begins earlier and shows neither.
    """
    from foureyes.core.documents.undone_lines import taken_back

    (begun,) = known(git, must_be_sha(landed))
    middle = _there(landed, begun).tree
    if undone := taken_back(exact_files(git, began, middle), exact_files(git, middle, now)):
        return ThreeWay(None, undone)
    return three_way(git, base=middle, ours=onto, theirs=now)


def is_merge_of(git: Git, commit: Sha, *, base: Sha, head: Sha) -> bool:
    """Return True if the commit has exactly the tree of merging base..head into its first parent."""
    if commit == head:
        return True  # a fast-forward: the very commits that were shown
    before = back(git, must_be_sha(commit), 1)
    if before is None:
        return False
    made, onto, began, now = known(git, commit, before, base, head)
    if made is None or onto is None or began is None or now is None:
        return False
    return three_way(git, base=began.tree, ours=onto.tree, theirs=now.tree).tree == made.tree


def _there(commit: Sha, answer: KnownCommit | None) -> KnownCommit:
    if answer is None:
        raise GitProblem(f"the commit {commit} is not in this repository", next_step=shell("git", "fetch"))
    return answer


def commit(git: Git, *, tree: Sha, parents: Sequence[Sha], message: str) -> Sha:
    """Write a commit object authored by the gate, dated now, with the message unchanged."""
    args = [word for parent in parents for word in ("-p", must_be_sha(parent))]
    raw = message.encode("utf-8", "surrogateescape")
    made = as_sha(git.store("commit-tree", must_be_sha(tree), *args, stdin=raw, env=_IDENTITY).out.strip())
    if made is None:
        raise GitProblem("git commit-tree named no commit")
    return made
