"""Copies objects into and out of the clean room, identified only by the hash of their bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from os.path import join
from threading import RLock
from typing import TYPE_CHECKING

import msgspec

from foureyes.adapters.git.client.answers import last_words
from foureyes.adapters.git.client.object_files import (
    MODULE,
    TREE,
    CommitHead,
    RawEntry,
    entry_of,
    loose_names,
    read_loose_object,
    tree_rows,
    write_loose_object,
)
from foureyes.adapters.git.client.object_reader import LARGEST_TREE, SOME, Lookup, no_file, swapped
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.steps import shell

if TYPE_CHECKING:
    from foureyes.adapters.pipes import Both


# ---- Entrance ----

# Commits and trees are verified by hash when read (`reader`), so the list of needed objects is reliable. A few small
# objects are written into the room directly. Git packs the others on the doorstep and unpacks them in the room
# (`pack-objects | index-pack`), which names each by its hash. A changed object gets a different name there.
#
# History is copied in only as far as needed (`descent`). The room's own `shallow` file marks its end.

FEW = 200
"""Number of commits up to which they are written one by one. More go through git."""
HANDFUL, SMALL = SOME, 1 << 16
"""Number of other objects, and their size, up to which they are written one by one. That is faster than two more
programs.
"""
_PACK = ("pack-objects", "--stdout", "-q", "--window=0", "--compression=0")
_INDEX = ("index-pack", "--stdin")
_LEAVES = ("unpack-objects", "-q")

Passes = Callable[[Sequence[str], Sequence[str], bytes], "Both"]
"""Pipes one git into another: the arguments of both, and the object names."""


class RoomWays(msgspec.Struct, frozen=True):
    """The functions that move objects into the room and from there to the repository's store."""

    into_room: Passes
    into_store: Passes
    ahead: Callable[[Sha, Sha | None], list[Sha]]
    """Returns the commits that one commit has and another lacks, as git lists them unverified. Used only for
    prefetching.
    """


class _Inside:
    """The contents of one clean room."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.commits: dict[Sha, CommitHead] = {}
        self.objects: set[Sha] = set()
        self.files: set[Sha] = set()
        self.asked: set[tuple[str, ...]] = set()
        self.shallow = b""


class Entrance:
    """Copies objects into one repository's clean room."""

    def __init__(self, lookup: Lookup, ways: RoomWays) -> None:
        self._lookup = lookup
        self._ways = ways
        self._was = _Inside("")
        self._lock = RLock()

    @property
    def _inside(self) -> _Inside:
        """The contents of the current room, empty if its files were deleted."""
        path = self._lookup.room()
        if self._was.path != path:
            self._was = _Inside(path)
        return self._was

    def history(self, *tips: Sha) -> Sha | None:
        """Copy in enough history to show how these commits are related. Return their common ancestor if there is
        exactly one. Unknown commits are ignored here, and git refuses them later.
        """
        with self._lock:
            key = ("history", *sorted(set(tips)))
            inside = self._inside
            if key in inside.asked or len(self._lookup.commits(tips)) < len(set(tips)):
                return None
            walk = Descent(tips, self._lookup.commits, self._lookup.missing)
            self._admit_commits(walk.met)
            bases = walk.bases()
            for number, base in enumerate(bases):  # is one an ancestor of another, beyond where the walk ended?
                for other in bases[:number]:
                    self._admit_commits(Descent((base, other), self._lookup.commits, self._lookup.missing).met)
            inside.asked.add(key)
            return bases[0] if len(bases) == 1 else None

    def is_ancestor(self, commit: Sha, of: Sha) -> bool:
        """Return True if one commit is reachable from the other, verified by hash. Unknown commits are not."""
        with self._lock:
            if len(self._lookup.commits((commit, of))) < len({commit, of}):
                return False
            return Descent((commit, of), self._lookup.commits, self._lookup.missing).is_behind_all(commit)

    def ahead(self, tip: Sha, since: Sha | None) -> list[Sha]:
        """Return the commits that one commit has and another lacks, unverified. Only for prefetching."""
        return self._ways.ahead(tip, since)

    def line(self, tip: Sha, steps: int) -> None:
        """Copy in up to `steps` commits of a first-parent line with all their parents."""
        with self._lock:
            met: dict[Sha, CommitHead] = {}
            here: Sha | None = tip
            for _ in range(steps):
                if here is None:
                    break
                met |= self._lookup.must_be_commits([here])
                parents = met[here].parents
                met |= self._lookup.must_be_commits(parents)
                here = parents[0] if parents else None
            self._admit_commits(met)

    def differences(self, *roots: Sha, merging: bool = False) -> None:
        """Copy in the trees of these commits or trees that differ, and their differing files.

        For two roots, all of these are needed. For more, a file with only two versions may be missing, and git reports
        it if it needs one. With `merging`, a file changed on one side only is merged by its id and not copied, so that
        a target with many changes stays cheap.
        """
        with self._lock:
            key = ("merge" if merging else "trees", *sorted(set(roots)))
            inside = self._inside
            if key in inside.asked:
                return
            heads = self._lookup.commits(roots)
            tops = tuple(self._lookup.tree_of(root) for root in roots)
            differing = self._differing(tops, merging=merging)
            self._admit_commits(heads)
            self._admit_files(differing)
            inside.asked.add(key)

    def merge(self, base: Sha, ours: Sha, theirs: Sha) -> None:
        """Copy in the objects for a merge of three trees and for the diff base..theirs."""
        with self._lock:
            keys = {("trees", *sorted({base, theirs})), ("merge", *sorted({base, ours, theirs}))}
            inside = self._inside
            if keys <= inside.asked:
                return
            self._admit_files(self._differing((base, ours, theirs), merging=True, shown=True))
            inside.asked |= keys

    def own_differences(self, base: Sha, head: Sha) -> None:
        """Copy in the objects for the own diff of each commit of base..head that is not a merge."""
        with self._lock:
            self.history(base, head)
            mine = self._beyond(base, head)
            pairs = [(parents[0] if parents else None, sha) for sha, parents in mine.items() if len(parents) < 2]
            tops = [tuple(self._lookup.tree_of(sha) if sha else None for sha in pair) for pair in pairs]
            differing = self._differing(*tops)
            differing.needed |= differing.spare
            self._admit_files(differing)

    def _beyond(self, base: Sha, head: Sha) -> dict[Sha, tuple[Sha, ...]]:
        """Return the commits of base..head with their parents. The room must have their history."""
        commits = self._inside.commits
        known = self._ancestors(base)
        ahead, mine = [head], {}
        while ahead:
            sha = ahead.pop()
            if sha not in mine and sha not in known and sha in commits:
                mine[sha] = commits[sha].parents
                ahead += mine[sha]
        return mine

    def _ancestors(self, tip: Sha) -> set[Sha]:
        commits, seen, ahead = self._inside.commits, set[Sha](), [tip]
        while ahead:
            sha = ahead.pop()
            if sha not in seen and sha in commits:
                seen.add(sha)
                ahead += commits[sha].parents
        return seen

    def _differing(self, *tops: tuple[Sha | None, ...], merging: bool = False, shown: bool = False) -> Differing:
        """Return the differing trees and files. With `shown`, also those between the first and the last of three trees."""
        differing = Differing(merging=merging, shown=shown)
        level: list[tuple[Sha | None, ...]] = list(tops)
        while level:
            names = {sha for row in level for sha in row if sha is not None}
            differing.needed |= names
            trees = self._lookup.trees(names)
            level = [
                below
                for row in level
                if len(set(row)) > 1
                for below in differing.below([trees[sha] if sha else {} for sha in row])
            ]
        return differing

    def whole(self, root: Sha) -> Sha:
        """Copy in a tree, or a commit's tree, with everything below it, and return its id."""
        with self._lock:
            tree = self._lookup.tree_of(root)
            key = ("whole", tree)
            if key not in self._inside.asked:
                done = self._ways.into_room((*_PACK, "--revs"), _INDEX, f"{tree}\n".encode())
                self._must_have_passed(done, tree)
                self._inside.objects |= _names_in(self._inside.path, done.second.out, len(tree) // 2)
                self.must_hold([tree])
                self._inside.asked.add(key)
            return tree

    def must_hold(self, names: Iterable[Sha]) -> None:
        """Raise GitProblem if one of these objects did not arrive under its name."""
        if lost := sorted(set(names) - self._inside.objects):
            raise swapped(lost[0]) if self._lookup.reader.sizes(lost[:1]) else self._lookup.missing(lost[0])

    def _admit_commits(self, heads: dict[Sha, CommitHead]) -> None:
        inside = self._inside
        new = [sha for sha in heads if sha not in inside.commits]
        if len(new) > FEW:
            self._admit(set(new), set())
        else:
            for sha in new:
                write_loose_object(inside.path, b"commit", self._lookup.raw(sha), len(sha))
        for sha in new:
            inside.commits[sha] = heads[sha]
        if new:
            self._end_history()

    def _end_history(self) -> None:
        """Write the `shallow` file that marks the end of the history in the room."""
        inside = self._inside
        ends = [
            sha for sha, head in inside.commits.items() if any(parent not in inside.commits for parent in head.parents)
        ]
        text = "".join(f"{sha}\n" for sha in sorted(ends)).encode()
        if text != inside.shallow:
            path = join(inside.path, "shallow")
            with open(path + ".new", "wb") as file:
                file.write(text)
            os.replace(path + ".new", path)
            inside.shallow = text

    def _admit_files(self, differing: Differing) -> None:
        """Copy in files. Raise GitProblem if a file or link of a tree is another kind of object, because git would
        display but never check it out."""
        self._admit(differing.needed, differing.spare - differing.needed)
        unknown = differing.files - self._inside.files
        kinds = self._lookup.kinds(unknown)
        for sha, kind in kinds.items():
            if kind != b"blob":
                raise no_file(sha, kind)
        self._inside.files |= kinds.keys()  # absent ones are checked once present

    def _admit(self, needed: set[Sha], spare: set[Sha]) -> None:
        """Copy in objects by name. Absent spare ones are skipped."""
        inside = self._inside
        made = loose_names(inside.path)
        new, extra = needed - inside.objects - made, spare - inside.objects - made
        if not new | extra:
            return
        self._lookup.refuse_odd_files(new | extra)
        if self._admit_one_by_one(new, extra):
            return
        done = self._pass(new | extra)
        if done.first.rc and extra:
            extra &= self._lookup.reader.sizes(extra).keys()
            done = self._pass(new | extra)
        if done.first.rc or done.second.rc:
            present = self._lookup.reader.sizes(new).keys()
            if absent := sorted(new - present):
                raise self._lookup.missing(absent[0])
            raise _refused(done)
        arrived = _names_in(inside.path, done.second.out, len(next(iter(new | extra))) // 2)
        if lost := sorted((new | extra) - arrived):
            raise swapped(lost[0])
        inside.objects |= arrived

    def _admit_one_by_one(self, new: set[Sha], extra: set[Sha]) -> bool:
        """Write objects into the room one by one if they are few and small, verifying each. Otherwise return False.

        Also return False for a loose object in an unusual form, because only git can tell if it is usable.
        """
        if len(new) + len(extra) > HANDFUL:
            return False
        loose, rest = self._lookup.reader.loose(new | extra)
        if self._lookup.has_files(rest):
            return False
        sizes = {sha: len(each.content) for sha, each in loose.items()} | self._lookup.reader.sizes(rest)
        if any(size > SMALL for size in sizes.values()):
            return False
        read = loose | self._lookup.reader.read(sha for sha in rest if sha in sizes)
        if absent := sorted(new - read.keys()):  # including objects deleted by `git gc` since the size query
            raise self._lookup.missing(absent[0])
        for sha, each in read.items():
            self._inside.objects.add(write_loose_object(self._inside.path, each.kind, each.content, len(sha)))
        self._inside.files |= {sha for sha, each in read.items() if each.kind == b"blob"}
        return True

    def _pass(self, names: set[Sha]) -> Both:
        return self._ways.into_room(_PACK, _INDEX, "".join(f"{sha}\n" for sha in sorted(names)).encode())

    def _must_have_passed(self, done: Both, tree: Sha) -> None:
        if not (done.first.rc or done.second.rc):
            return
        words = last_words(done.first) if done.first.rc else ""
        name = next((word for word in words.split() if len(word.strip("':,.()")) == len(tree)), "").strip("':,.()")
        if name and not self._lookup.reader.sizes([Sha(name)]):
            raise self._lookup.missing(name)
        raise _refused(done)

    def publish(self, tree: Sha) -> None:
        """Write the objects created in the room for a tree to the repository's store, and verify them there."""
        with self._lock:
            new = self._made_for(tree)
            if not new:
                return
            done = self._ways.into_store(_PACK, _LEAVES, "".join(f"{sha}\n" for sha in new).encode())
            if done.first.rc or done.second.rc:
                raise _refused(done)
            present = self._lookup.reader.read(new)  # raises where other bytes lay there under that name
            if lost := [sha for sha in new if sha not in present]:
                raise self._lookup.missing(lost[0])

    def _made_for(self, tree: Sha) -> list[Sha]:
        """Return the objects that were created in the room and are reachable from a tree."""
        room = self._lookup.room()
        loose = loose_names(room) - self._inside.objects
        made_here = {bytes.fromhex(sha) for sha in loose}
        new: dict[Sha, None] = {}
        ahead = [tree]
        while ahead:
            sha = ahead.pop()
            made = read_loose_object(room, sha, LARGEST_TREE) if sha in loose and sha not in new else None
            if made is None:
                continue
            new[sha] = None
            rows = tree_rows(made[1], len(sha) // 2) if made[0] == b"tree" else None
            ahead += [entry_of(row).sha for row in (rows or {}).values() if row[1] in made_here]
        return list(new)


def _refused(done: Both) -> GitProblem:
    """Return the problem for objects that git finds broken, or for a full disk."""
    words = "; ".join(last_words(each) for each in (done.first, done.second) if each.rc)
    return GitProblem(f"objects of this repository cannot be used: {words}", next_step=shell("git", "fsck", "--full"))


def _names_in(room: str, output: bytes, size: int) -> set[Sha]:
    """Return the objects of the pack named in `index-pack`'s output, read from its index: 256 counts, then the names in
    order."""
    name = output.split(b"\n")[0].rpartition(b"\t")[2].decode("ascii", "replace")
    with open(join(room, "objects", "pack", f"pack-{name}.idx"), "rb") as file:
        index = file.read()
    count = int.from_bytes(index[8 + 255 * 4 : 8 + 256 * 4], "big")
    start = 8 + 256 * 4
    return {Sha(index[at : at + size].hex()) for at in range(start, start + count * size, size)}


# ---- Descent ----

# No side effects: `read_heads` returns commit heads that were verified by hash.

NEVER = 1 << 62
ReadHeads = Callable[[Iterable[Sha]], Mapping[Sha, CommitHead]]


class Descent:
    """A walk back from some commits, until every commit with unvisited parents is reachable from all of them.

    Older commits are ancestors of each, so they cannot affect the relation. Dates only order the walk.
    """

    def __init__(self, tips: Iterable[Sha], read_heads: ReadHeads, missing: Callable[[str], Exception]) -> None:
        self._read_heads = read_heads
        self._missing = missing
        self._tips = tuple(dict.fromkeys(tips))
        self._all = (1 << len(self._tips)) - 1
        self._sides: dict[Sha, int] = {}
        self._known: dict[Sha, CommitHead] = {}
        self._left: set[Sha] = set()
        self._queue: list[tuple[int, Sha]] = []
        self._differing = 0
        self._meet(dict.fromkeys(self._tips, 0))
        for number, tip in enumerate(self._tips):
            self._mark(tip, 1 << number)
        while self._differing:
            self._step()
        for base in self.bases():
            self._must_be_there(base)

    @property
    def met(self) -> dict[Sha, CommitHead]:
        """Every commit of the walk that is present, including those at its end."""
        return self._known

    def is_behind_all(self, tip: Sha) -> bool:
        """Return True if a starting commit is reachable from all others. The completed walk always knows this."""
        return self._sides[tip] == self._all

    def bases(self) -> list[Sha]:
        """Return the common ancestors of all starting points within the walk, without parents of other common
        ancestors."""
        shared = {sha for sha, sides in self._sides.items() if sides == self._all}
        behind = {parent for sha in shared - self._left for parent in self._known[sha].parents}
        return sorted(shared - behind)

    def _meet(self, commits: Mapping[Sha, int]) -> None:
        """Add new commits to the queue. Absent ones come last, because they may not matter."""
        new = [sha for sha in commits if sha not in self._sides]
        heads = self._read_heads(new) if new else {}
        self._known.update(heads)
        for sha in new:
            self._sides[sha] = 0
            self._left.add(sha)
            self._differing += 1
            heappush(self._queue, (-heads[sha].when if sha in heads else NEVER, sha))

    def _must_be_there(self, sha: Sha) -> None:
        if sha not in self._known:
            raise self._missing(sha)

    def _step(self) -> None:
        """Visit the youngest remaining commit."""
        _, sha = heappop(self._queue)
        self._must_be_there(sha)
        self._left.discard(sha)
        if self._sides[sha] != self._all:
            self._differing -= 1
        parents = self._known[sha].parents
        self._meet(dict.fromkeys(parents, 0))
        for parent in parents:
            self._mark(parent, self._sides[sha])

    def _mark(self, sha: Sha, sides: int) -> None:
        """Record that a commit and its known ancestors are reachable from these starting points."""
        reached = [sha]
        while reached:
            here = reached.pop()
            before = self._sides[here]
            if before | sides == before:
                continue
            self._sides[here] = before | sides
            if here not in self._left:
                reached.extend(self._known[here].parents)
            elif before | sides == self._all:
                self._differing -= 1


# ---- Differences between trees ----


class Differing:
    """Objects that differ between trees, collected level by level.

    They are needed objects, spare files, and `files`, every object used as a file or link. With `merging`, a file
    changed on one side only is merged by its id and not read. With `shown`, the diff between the first and the last of
    three trees is needed too.
    """

    def __init__(self, *, merging: bool = False, shown: bool = False) -> None:
        self.needed: set[Sha] = set()
        self.spare: set[Sha] = set()
        self.files: set[Sha] = set()
        self._merging = merging
        self._shown = shown

    def below(self, sides: list[dict[bytes, RawEntry]]) -> list[tuple[Sha | None, ...]]:
        """Return the differing folders and add the differing files to the sets."""
        below: list[tuple[Sha | None, ...]] = []
        unlike = (sides[0].items() ^ other.items() for other in sides[1:])
        for name in {name for rows in unlike for name, _ in rows}:
            rows = [side.get(name) for side in sides]
            kinds = set(rows)
            if any(row is not None and row[0] == TREE for row in rows):
                below.append(tuple(entry_of(row).sha if row is not None and row[0] == TREE else None for row in rows))
            is_seen = len(sides) == 2 or len(kinds) > 2 or (self._shown and rows[0] != rows[-1])
            if not is_seen and self._merging and None not in kinds:
                continue
            files = {entry_of(row).sha for row in kinds if row is not None and row[0] not in (TREE, MODULE)}
            (self.needed if is_seen else self.spare).update(files)
            self.files |= files
        return below
