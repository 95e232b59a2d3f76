"""Writes the files of a tree to a directory, byte for byte as committed.

Git itself writes them, and refuses `.git`, `..` and paths through links. It runs in a separate clean room that received
the whole tree by its hash. An attribute file there overrides every `.gitattributes` of the tree, so git converts no
line ends, encodings or keywords. Without configuration there is no filter to run.

Several checks get the same tree, each in its own directory. A check could change a clean room on disk, so its contents
stay in memory and are written again for the next check.
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
"""Size above which a tree is not kept, but read again each time."""


class Exports:
    """Exports the trees of one repository. The last one is kept in memory."""

    def __init__(self, common_dir: str) -> None:
        self._common_dir = common_dir
        self._last = ""
        self._files: dict[str, bytes] = {}
        """Contents of the clean room for the last tree, by path."""

    def write(self, tree: Sha, path: str, only: Sequence[str] = ()) -> None:
        """Write the files of a tree or commit, or `only` these paths, into an empty directory."""
        place = _empty_directory(path)
        git = Git(self._common_dir, self._common_dir)
        try:
            room = git.room_path
            _overrule_attributes(room)
            index = {"GIT_INDEX_FILE": join(room, _INDEX)}
            if self._files and tree == self._last:
                _put_back(room, self._files)
            else:
                _admit(git, must_be_sha(tree), index)
                self._last, self._files = tree, _kept(room)
            names = b"".join(os.fsencode(name) + b"\0" for name in only)
            which = ("--stdin", "-z") if only else ("--all",)
            git.room(f"--work-tree={place}", "checkout-index", "--quiet", *which, stdin=names, env=index)
        finally:
            git.close()


def files_of(git: Git, tree: Sha) -> dict[str, str]:
    """Return every path of a tree with its mode and object."""
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
    """Return the objects and index of a clean room by path, or an empty dict above the size limit."""
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
    """Return True if both trees have the same entries, ignoring different spellings of a file mode."""
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


def _admit(git: Git, tree: Sha, index: dict[str, str]) -> None:
    """Copy a tree into the clean room and make it the index of that environment.

    A damaged tree, with a duplicate name or a slash in a name, would be written differently than named, and `read-tree`
    does not check that. So the tree is rebuilt from its entries and compared, ignoring mode spellings that git
    normalizes.
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
