"""The merge itself, and the commit of it: made of objects alone.

In the clean room git finds no attribute (a bare repository without an index has none; measured with 2.39:
`merge=union`,
`-merge` and a driver in the tree's own `.gitattributes` are as if they were not there), no driver and no configuration.
"""

from __future__ import annotations

from collections.abc import Sequence

from foureyes.adapters.git.client.answers import as_sha, must_be_sha, shown
from foureyes.adapters.git.client.git import EMAIL, NAME, Git
from foureyes.app.ports import Merged
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem

_IDENTITY = {
    **{
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", NAME), ("EMAIL", EMAIL))
    },
    "TZ": "UTC",
}


def merge(git: Git, *, tip: Sha, head: Sha) -> Merged:
    """What git by itself makes of `head` merged into `tip`."""
    sides = (must_be_sha(tip), must_be_sha(head))
    done = git.store("merge-tree", "--write-tree", "--name-only", "-z", "--messages", *sides, ok=(0, 1))
    tree, *rest = done.out.split(b"\0")
    tree_id = as_sha(tree)
    if tree_id is None:
        raise GitProblem(f"git merge-tree named no tree, but {shown(tree)[:80]!r}")
    return Merged(tree_id) if done.rc == 0 else Merged(None, _conflicts(rest))


def _conflicts(words: list[bytes]) -> tuple[str, ...]:
    """The paths that have no single content, then those of conflicts without one (a directory renamed two ways)."""
    end = words.index(b"") if b"" in words else len(words)
    names = {shown(word): None for word in words[:end]}
    rest = iter(words[end + 1 :])
    for number in rest:
        if not number.isdigit():
            break
        paths = [shown(next(rest, b"")) for _ in range(int(number))]
        kind, _ = next(rest, b""), next(rest, b"")
        if kind.startswith(b"CONFLICT"):
            names |= dict.fromkeys(paths)
    return tuple(names)


def commit(git: Git, *, tree: Sha, parents: Sequence[Sha], message: str) -> Sha:
    """A commit object by the gate, dated now; the message byte for byte."""
    args = [word for parent in parents for word in ("-p", must_be_sha(parent))]
    raw = message.encode("utf-8", "surrogateescape")
    made = as_sha(git.store("commit-tree", must_be_sha(tree), *args, stdin=raw, env=_IDENTITY).out.strip())
    if made is None:
        raise GitProblem("git commit-tree named no commit")
    return made
