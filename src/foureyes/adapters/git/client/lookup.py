"""What commits and trees hold, by their hash: of the repository, and of what was made in the clean room."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from os.path import exists, join, lexists

from foureyes.adapters.git.client.loose_objects import read_loose_object
from foureyes.adapters.git.client.object_form import (
    LINK,
    TREE,
    CommitHead,
    Object,
    RawEntry,
    commit_head,
    is_only_files,
    tree_rows,
)
from foureyes.adapters.git.client.odd_files import borrowed, refuse_odd_objects
from foureyes.adapters.git.client.reader import ObjectReader, missing
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.steps import shell

LARGEST = 1 << 28
MOST_ROWS = 200_000
"""So many entries of trees are remembered."""


class Lookup:
    """Looks objects up in the room first, then in the repository."""

    def __init__(self, common_dir: str, room: Callable[[], str], reader: ObjectReader) -> None:
        self._common_dir = common_dir
        self.room = room
        self.reader = reader
        self._heads: dict[Sha, CommitHead] = {}
        self._raw: dict[Sha, bytes] = {}
        self._trees: dict[Sha, dict[bytes, RawEntry]] = {}

    @property
    def is_shallow(self) -> bool:
        """Whether the repository says that its history was cut off. Nothing but the words of a refusal go by it, and
        whether the end of a line is one.
        """
        return exists(join(self._common_dir, "shallow"))

    def missing(self, sha: str) -> GitProblem:
        """A needed object is not there."""
        return missing(self._common_dir, sha)

    def objects(self, names: Iterable[Sha]) -> dict[Sha, Object]:
        """Objects that were made in the room, or are in the repository; what is in neither is left out."""
        room, asked = self.room(), list(names)
        objects: dict[Sha, Object] = {}
        made_here = frozenset(os.listdir(join(room, "objects")))
        for sha in asked:
            if sha[:2] in made_here and (made := read_loose_object(room, sha, LARGEST)) is not None:
                objects[sha] = Object(*made)
        ahead = [sha for sha in asked if sha not in objects]
        self.refuse_odd_files(ahead)
        return objects | self.reader.read(ahead)

    def refuse_odd_files(self, names: Iterable[Sha]) -> None:
        """`GitProblem` where git would wait for one of these."""
        refuse_odd_objects(self._common_dir, names)

    def has_files(self, names: Iterable[Sha]) -> bool:
        """Whether one of these has a file of its own, in any store that git reads."""
        asked = list(names)
        stores = [join(self._common_dir, "objects"), *borrowed(self._common_dir)] if asked else []
        return any(lexists(join(store, sha[:2], sha[2:])) for store in stores for sha in asked)

    def commits(self, names: Iterable[Sha]) -> dict[Sha, CommitHead]:
        """What commits say about themselves; what is missing or no commit is left out."""
        asked = list(names)
        objects = self.objects(sha for sha in asked if sha not in self._heads)
        for sha, each in objects.items():
            if each.kind == b"commit" and (head := commit_head(each.content)):
                self._heads[sha] = head
                self._raw[sha] = each.content
        return {sha: self._heads[sha] for sha in asked if sha in self._heads}

    def must_be_commits(self, names: Iterable[Sha]) -> dict[Sha, CommitHead]:
        """What commits say about themselves; one that is missing is a `GitProblem`."""
        heads = self.commits(asked := list(names))
        for sha in asked:
            if sha not in heads:
                raise self.missing(sha)
        return heads

    def raw(self, commit: Sha) -> bytes:
        """All of a commit, asked for once, when it goes into the room; one that went meanwhile is a `GitProblem`."""
        content = self._raw.pop(commit, None)
        if content is not None:
            return content
        if (again := self.reader.read([commit]).get(commit)) is None:
            raise self.missing(commit)
        return again.content

    def trees(self, names: Iterable[Sha]) -> dict[Sha, dict[bytes, RawEntry]]:
        """What trees hold; one that is missing is a `GitProblem`. A merge asks for the same ones several times."""
        asked = list(names)
        if sum(map(len, self._trees.values())) > MOST_ROWS:
            self._trees.clear()
        objects = self.objects(sha for sha in asked if sha not in self._trees)
        for sha in asked:
            if sha in self._trees:
                continue
            self._trees[sha] = self._rows(sha, objects.get(sha))
        return {sha: self._trees[sha] for sha in asked}

    def branches(self, names: Iterable[Sha]) -> dict[Sha, dict[bytes, RawEntry]]:
        """The folders and links of trees, without their files. Whole trees are walked by it, so nothing is kept."""
        asked = list(names)
        objects = self.objects(sha for sha in asked if sha not in self._trees)
        branches: dict[Sha, dict[bytes, RawEntry]] = {}
        for sha in asked:
            each = objects.get(sha)
            if each is not None and each.kind == b"tree" and is_only_files(each.content, len(sha) // 2):
                branches[sha] = {}  # most are
                continue
            rows = self._trees[sha] if sha in self._trees else self._rows(sha, each)
            branches[sha] = {name: row for name, row in rows.items() if row[0] in (TREE, LINK)}
        return branches

    def _rows(self, sha: Sha, tree: Object | None) -> dict[bytes, RawEntry]:
        if tree is None:
            raise self.missing(sha)
        rows = tree_rows(tree.content, len(sha) // 2) if tree.kind == b"tree" else None
        if rows is None:
            raise GitProblem(f"the object {sha} is no tree, or a damaged one", next_step=shell("git", "fsck"))
        return rows

    def tree_of(self, root: Sha) -> Sha:
        """The tree of a commit, or a tree itself."""
        head = self.commits([root]).get(root)
        if head is not None:
            return head.tree
        self.trees([root])
        return root

    def kinds(self, names: Iterable[Sha]) -> dict[Sha, bytes]:
        """What objects of the repository are, unhashed and however large; what is missing is left out."""
        asked = list(names)
        self.refuse_odd_files(asked)
        return self.reader.kinds(asked)

    def sizes(self, names: Iterable[Sha]) -> dict[Sha, int]:
        """How large objects of the repository are, unhashed; what is missing is left out."""
        return self.reader.sizes(names)
