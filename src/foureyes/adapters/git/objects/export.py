"""The files of a tree in a directory, byte for byte as they were committed.

git itself writes them (it refuses `.git`, `..` and paths through links), from a clean room of their own, into which the
whole tree was let by its hash. An attribute file in there overrules every `.gitattributes` of the tree, so that neither
line ends nor encodings nor keywords are converted, and with no configuration there is no filter to run.

One check after the other gets the same tree, each in a directory of its own. A room on disk could be changed by the
first check; so what was let in once is kept in memory, where none reaches it, and put into the next room as it was.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from os.path import dirname, exists, join, relpath

from foureyes.adapters.git.client.answers import as_sha, must_be_sha
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.object_files import MODULE, TREE, entry_of
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.steps import shell

_INDEX = "index"
_AS_COMMITTED = "* -text !eol !crlf -ident -filter !working-tree-encoding\n"
KEPT_BYTES = 16 * 1024 * 1024
"""A larger tree is let in again each time."""


class Exports:
    """Trees of one repository as files."""

    def __init__(self, common_dir: str) -> None:
        self._common_dir = common_dir
        self._last = ""
        self._files: dict[str, bytes] = {}
        """What the room of the last tree held, by its path in there."""

    def write(self, tree: Sha, path: str, only: Sequence[str] = ()) -> None:
        """Write the files of a tree, or of a commit's tree, into an empty directory; or `only` some of them."""
        place = _empty_directory(path)
        git = Git(self._common_dir, self._common_dir)
        try:
            room = git.room_path
            _overrule_attributes(room)
            index = {"GIT_INDEX_FILE": join(room, _INDEX)}
            if self._files and tree == self._last:
                _put_back(room, self._files)
            else:
                _let_in(git, must_be_sha(tree), index)
                self._last, self._files = tree, _kept(room)
            names = b"".join(os.fsencode(name) + b"\0" for name in only)
            which = ("--stdin", "-z") if only else ("--all",)
            git.room(f"--work-tree={place}", "checkout-index", "--quiet", *which, stdin=names, env=index)
        finally:
            git.close()


def files_of(git: Git, tree: Sha) -> dict[str, str]:
    """Every path of a tree, with its mode and object, level by level."""
    files: dict[str, str] = {}
    ahead = [("", git.lookup.tree_of(tree))]
    while ahead:
        rows = git.lookup.trees({sha for _, sha in ahead})
        below = [
            (folder + os.fsdecode(name), entry_of(row)) for folder, sha in ahead for name, row in rows[sha].items()
        ]
        files |= {path: f"{entry.mode.decode()} {entry.sha}" for path, entry in below if entry.mode != TREE}
        ahead = [(path + "/", entry.sha) for path, entry in below if entry.mode == TREE]
    return files


def _kept(room: str) -> dict[str, bytes]:
    """The objects and the index of a room; nothing where they are too many."""
    inside = [join(folder, name) for folder, _, names in os.walk(join(room, "objects")) for name in names]
    paths = [*inside, *([join(room, _INDEX)] if exists(join(room, _INDEX)) else [])]
    if sum(os.stat(path).st_size for path in paths) > KEPT_BYTES:
        return {}
    contents = {}
    for path in paths:
        with open(path, "rb") as file:
            contents[relpath(path, room)] = file.read()
    return contents


def _put_back(room: str, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        os.makedirs(dirname(join(room, name)), exist_ok=True)
        with open(join(room, name), "wb") as file:
            file.write(content)


def _empty_directory(path: str) -> str:
    try:
        if not os.listdir(path):
            return os.path.realpath(path)
    except OSError as problem:
        raise GitProblem(f"files cannot be written to {path}: {problem.strerror}") from problem
    raise GitProblem(f"files are written to an empty directory only, and {path} is not")


def _overrule_attributes(room: str) -> None:
    os.makedirs(join(room, "info"), exist_ok=True)
    with open(join(room, "info", "attributes"), "w", encoding="ascii") as file:
        file.write(_AS_COMMITTED)


def _holds_the_same(git: Git, tree: Sha, other: Sha) -> bool:
    """Whether two trees have the same under every name, whatever their modes look like in bytes."""
    ahead = [(tree, other)] if tree != other else []
    while ahead:
        pair = ahead.pop()
        left, right = map(git.lookup.trees(pair).__getitem__, pair)
        if left.keys() != right.keys():
            return False
        unlike = [(entry_of(row), entry_of(right[name])) for name, row in left.items() if row != right[name]]
        if any(mine.mode != TREE or theirs.mode != TREE for mine, theirs in unlike):
            return False
        ahead += [(mine.sha, theirs.sha) for mine, theirs in unlike]
    return True


def _let_in(git: Git, tree: Sha, index: dict[str, str]) -> None:
    """Let a tree in, and make it the index of that environment.

    A damaged tree (a name twice, a name with a slash) would be written as another one than was asked for. `read-tree`
    takes the tree's word for what it holds; put together again from its entries, it has to come out the same, but for
    modes that git itself reads as others.
    """
    if tree not in git.lookup.objects([tree]):
        raise GitProblem(f"{tree} is not a tree or commit of this repository")
    asked = git.entrance.whole(tree)
    if entries := git.room("ls-tree", "-r", "-z", "--full-tree", asked).out:
        rows = (row.split(b"\t", 1)[0].split(b" ") for row in entries.split(b"\0")[:-1])
        git.entrance.must_hold(Sha(sha.decode("ascii")) for mode, _, sha in rows if mode != MODULE)
        git.room("update-index", "-z", "--index-info", stdin=entries, env=index)
    made = as_sha(git.room("write-tree", "--missing-ok", env=index).out.strip())
    if made is None or not _holds_the_same(git, asked, made):
        raise GitProblem(
            f"the tree {asked} is damaged: its files cannot be written as they are named",
            next_step=shell("git", "fsck"),
        )
