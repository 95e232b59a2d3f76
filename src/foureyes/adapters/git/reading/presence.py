"""Which objects are there: commits by their hash, trees with everything below them."""

from __future__ import annotations

from collections.abc import Sequence

from foureyes.adapters.git.client.answers import as_sha, as_text
from foureyes.adapters.git.client.git import Git
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem


def missing(git: Git, objects: Sequence[Sha]) -> set[Sha]:
    """Those of the objects that the repository does not have, the commits that are damaged, and the trees that it has
    not all of: two calls, and one program that reads the commits, where nothing is missing.
    """
    asked = sorted({sha for sha in objects if as_sha(sha)})
    answers = git.real("cat-file", "--batch-check", stdin="".join(f"{sha}\n" for sha in asked).encode()).out
    words = [as_text(line).split(" ") for line in answers.splitlines() if _is_there(line)]
    trees = [Sha(sha) for sha, kind, *_ in words if kind == "tree"]
    commits = [Sha(sha) for sha, kind, *_ in words if kind == "commit"]
    torn = set() if _is_whole(git, trees) else {tree for tree in trees if not _is_whole(git, [tree])}
    torn |= set() if _are_read(git, commits) else {commit for commit in commits if not _are_read(git, [commit])}
    return set(objects) - ({Sha(sha) for sha, *_ in words} - torn)


def _is_whole(git: Git, trees: Sequence[Sha]) -> bool:
    """Whether everything below these trees is there; what a partial clone left with its server is not missed."""
    asked = "".join(f"{tree}\n" for tree in trees).encode()
    args = ("rev-list", "--objects", "--no-object-names", "--missing=allow-promisor", "--stdin")
    return not trees or git.real(*args, stdin=asked, ok=(0, 128)).rc == 0


def _are_read(git: Git, commits: Sequence[Sha]) -> bool:
    """Whether these are what their names say: git knows an object by the first words of its file."""
    try:
        return git.lookup.reader.read(commits).keys() == set(commits)
    except GitProblem:
        return False


def _is_there(answer: bytes) -> bool:
    """Whether git knows an object: its id, kind and size, and not `missing`."""
    return len(answer.split(b" ")) == 3
