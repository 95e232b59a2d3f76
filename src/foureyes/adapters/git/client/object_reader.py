"""Reads the repository's objects by id, verified by hash, and parses commits and trees."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from os.path import exists, join, lexists
from threading import RLock
from typing import TYPE_CHECKING

from foureyes.adapters import process
from foureyes.adapters.git.client.config_file import is_true, read_settings
from foureyes.adapters.git.client.locate import LOOK
from foureyes.adapters.git.client.object_files import (
    LARGEST,
    LINK,
    TREE,
    CommitHead,
    Object,
    RawEntry,
    commit_head,
    is_only_files,
    named_by,
    read_loose_object,
    tree_rows,
)
from foureyes.adapters.git.client.odd_files import borrowed, refuse_odd_objects
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.steps import either, shell, unshallow

if TYPE_CHECKING:
    from foureyes.adapters.pipes import AskedProgram


# ---- Repository objects, verified by hash ----

# One git process answers all questions. An answer either matches the requested hash or is an error, so its source (a
# loose file, a pack, a borrowed store) does not matter.

PORTION = 256
"""Number of questions sent at once. They fit into a pipe before any answer is read."""
SOME = 40
"""Number of objects up to which loose files are searched first. New objects are loose, and this needs no git."""


class ObjectReader:
    """Reads loose objects, and asks one long-running git for others. It starts on first use and again if it ended."""

    def __init__(self, start: Callable[[], AskedProgram], common_dir: str) -> None:
        self._start = start
        self._common_dir = common_dir
        self._talk: AskedProgram | None = None
        self._lock = RLock()

    def read(self, names: Iterable[Sha]) -> dict[Sha, Object]:
        """Return the objects with these ids, without absent ones. Raise GitProblem for bytes that do not match the id."""
        loose, rest = self.loose(names)
        answers = self._answers("contents", rest)
        return loose | {sha: Object(kind, content) for sha, (kind, _, content) in answers.items()}

    def loose(self, names: Iterable[Sha]) -> tuple[dict[Sha, Object], list[Sha]]:
        """Return the loose objects, verified by hash, and the ids of the others."""
        asked = list(dict.fromkeys(names))
        files = {sha: read_loose_object(self._common_dir, sha, LARGEST) for sha in asked if len(asked) <= SOME}
        loose = {sha: Object(*each) for sha, each in files.items() if each is not None}
        return loose, [sha for sha in asked if sha not in loose]

    def sizes(self, names: Iterable[Sha]) -> dict[Sha, int]:
        """Return the sizes of the existing objects. Not all are verified."""
        loose, rest = self.loose(names)
        sizes = {sha: len(each.content) for sha, each in loose.items()}
        return sizes | {sha: size for sha, (_, size, _) in self._answers("info", rest).items()}

    def kinds(self, names: Iterable[Sha]) -> dict[Sha, bytes]:
        """Return the kinds of the existing objects. Not all are verified."""
        loose, rest = self.loose(names)
        kinds = {sha: each.kind for sha, each in loose.items()}
        return kinds | {sha: kind for sha, (kind, _, _) in self._answers("info", rest).items()}

    def _answers(self, question: str, names: Iterable[Sha]) -> dict[Sha, tuple[bytes, int, bytes]]:
        """Return kind, size and, on request, content of each existing object."""
        asked = list(dict.fromkeys(names))
        answers: dict[Sha, tuple[bytes, int, bytes]] = {}
        with self._lock:
            try:
                for at in range(0, len(asked), PORTION):
                    self._ask(question, asked[at : at + PORTION], answers)
            except (process.ProcessProblem, GitProblem) as problem:
                self.close()
                if isinstance(problem, GitProblem):
                    raise
                if isinstance(problem, process.ProgramHung):
                    raise GitProblem(f"{problem}; it was ended", next_step=LOOK) from problem
                raise GitProblem(f"git cannot read an object: {problem}", next_step=shell("git", "fsck")) from problem
        return answers

    def _ask(self, question: str, names: list[Sha], answers: dict[Sha, tuple[bytes, int, bytes]]) -> None:
        if self._talk is None or not self._talk.is_open:
            self._talk = self._start()
        talk, last = self._talk, os.urandom(8).hex() + "-last"
        talk.say("".join([*(f"{question} {sha}\n" for sha in names), f"info {last}\n"]).encode("ascii"))
        end = f"{last} missing\n".encode()
        for sha in names:
            words = (line := talk.line()).split(b" ")
            if words == [sha.encode(), b"missing"]:
                continue
            if len(words) != 3 or words[0] != sha.encode() or not words[2].isdigit():
                raise _odd_answer(line, sha)
            kind, size = words[1], int(words[2])
            answers[sha] = kind, size, _content(talk, sha, kind, size, end) if question == "contents" else b""
        if (line := talk.line()) != end[:-1]:
            raise _odd_answer(line, last)

    def close(self) -> None:
        if self._talk is not None:
            self._talk.close()
            self._talk = None


def _content(talk: AskedProgram, sha: Sha, kind: bytes, size: int, end: bytes) -> bytes:
    """Return an object's content as git sends it.

    A damaged loose object may announce a larger size than it sends. Then the unpredictable end marker comes early and
    ends the wait.
    """
    content = talk.exactly(size + 1, end)[:-1]
    if named_by(kind, content, len(sha)) == sha:
        return content
    if len(content) < size:
        raise GitProblem(
            f"git says that the object {sha} has {size} bytes, but sends fewer",
            next_step=shell("git", "fsck", "--full"),
        )
    raise swapped(sha)


def _odd_answer(line: bytes, asked: str) -> GitProblem:
    return GitProblem(f"git answers {line[:80]!r} to the request {asked}", next_step=shell("git", "fsck"))


def swapped(sha: str) -> GitProblem:
    """Return the problem for an object whose bytes do not match its id."""
    return GitProblem(
        f"the object {sha} of this repository does not match its name, so its bytes were changed",
        next_step=shell("git", "fsck", "--full"),
    )


def no_file(sha: str, kind: bytes) -> GitProblem:
    """Return the problem for a tree entry that is not the file or link it claims to be."""
    return GitProblem(
        f"the object {sha} stands in a tree as a file, and is no file but a {kind.decode('ascii', 'replace')}",
        next_step=shell("git", "fsck", "--full"),
    )


def missing(common_dir: str, sha: str) -> GitProblem:
    """Return the problem for an absent object. Reading never fetches, because that would ask a server with the user's
    keys."""
    shallow = exists(join(common_dir, "shallow"))
    settings = read_settings(join(common_dir, "config"))
    partial = "extensions.partialclone" in settings or any(
        key.startswith("remote.") and key.endswith(".promisor") and is_true(value) for key, value in settings.items()
    )
    ways = [unshallow()] if shallow else []
    ways += [shell("git", "fetch", "--refetch", "--no-filter")] if partial else []
    return GitProblem(
        f"the object {sha} is needed and is not in this repository",
        next_step=either(*(ways or [shell("git", "fetch"), shell("git", "fsck")])),
    )


# ---- Lookup ----

LARGEST_TREE = 1 << 28
MOST_ROWS = 200_000
"""Largest number of tree entries to cache."""


class Lookup:
    """A lookup of objects, first in the room, then in the repository."""

    def __init__(self, common_dir: str, room: Callable[[], str], reader: ObjectReader) -> None:
        self._common_dir = common_dir
        self.room = room
        self.reader = reader
        self._heads: dict[Sha, CommitHead] = {}
        self._raw: dict[Sha, bytes] = {}
        self._trees: dict[Sha, dict[bytes, RawEntry]] = {}

    @property
    def is_shallow(self) -> bool:
        """True if the repository says that its history is shallow. This affects only error messages and where a walk
        ends.
        """
        return exists(join(self._common_dir, "shallow"))

    def missing(self, sha: str) -> GitProblem:
        """Return the problem for an absent object."""
        return missing(self._common_dir, sha)

    def objects(self, names: Iterable[Sha]) -> dict[Sha, Object]:
        """Return objects from the room or the repository, without absent ones."""
        room, asked = self.room(), list(names)
        objects: dict[Sha, Object] = {}
        made_here = frozenset(os.listdir(join(room, "objects")))
        for sha in asked:
            if sha[:2] in made_here and (made := read_loose_object(room, sha, LARGEST_TREE)) is not None:
                objects[sha] = Object(*made)
        ahead = [sha for sha in asked if sha not in objects]
        self.refuse_odd_files(ahead)
        return objects | self.reader.read(ahead)

    def refuse_odd_files(self, names: Iterable[Sha]) -> None:
        """Raise GitProblem if git would block on one of these."""
        refuse_odd_objects(self._common_dir, names)

    def has_files(self, names: Iterable[Sha]) -> bool:
        """Return True if one of these is a loose object in any store that git reads."""
        asked = list(names)
        stores = [join(self._common_dir, "objects"), *borrowed(self._common_dir)] if asked else []
        return any(lexists(join(store, sha[:2], sha[2:])) for store in stores for sha in asked)

    def commits(self, names: Iterable[Sha]) -> dict[Sha, CommitHead]:
        """Return the heads of commits, without absent ones and other objects."""
        asked = list(names)
        objects = self.objects(sha for sha in asked if sha not in self._heads)
        for sha, each in objects.items():
            if each.kind == b"commit" and (head := commit_head(each.content)):
                self._heads[sha] = head
                self._raw[sha] = each.content
        return {sha: self._heads[sha] for sha in asked if sha in self._heads}

    def must_be_commits(self, names: Iterable[Sha]) -> dict[Sha, CommitHead]:
        """Like commits(), but raise GitProblem for an absent commit."""
        heads = self.commits(asked := list(names))
        for sha in asked:
            if sha not in heads:
                raise self.missing(sha)
        return heads

    def raw(self, commit: Sha) -> bytes:
        """Return the whole commit for writing it into the room. Raise GitProblem if it was deleted meanwhile."""
        content = self._raw.pop(commit, None)
        if content is not None:
            return content
        if (again := self.reader.read([commit]).get(commit)) is None:
            raise self.missing(commit)
        return again.content

    def trees(self, names: Iterable[Sha]) -> dict[Sha, dict[bytes, RawEntry]]:
        """Return the entries of trees, cached because a merge needs them several times. Raise GitProblem for an absent
        tree."""
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
        """Return only the folders and links of trees. Not cached, because callers walk whole trees."""
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
            raise GitProblem(f"the object {sha} is not a tree, or is damaged", next_step=shell("git", "fsck"))
        return rows

    def tree_of(self, root: Sha) -> Sha:
        """Return the tree of a commit, or the tree itself."""
        head = self.commits([root]).get(root)
        if head is not None:
            return head.tree
        self.trees([root])
        return root

    def kinds(self, names: Iterable[Sha]) -> dict[Sha, bytes]:
        """Return the kinds of repository objects, unverified and of any size, without absent ones."""
        asked = list(names)
        self.refuse_odd_files(asked)
        return self.reader.kinds(asked)

    def sizes(self, names: Iterable[Sha]) -> dict[Sha, int]:
        """Return the sizes of repository objects, unverified, without absent ones."""
        return self.reader.sizes(names)
