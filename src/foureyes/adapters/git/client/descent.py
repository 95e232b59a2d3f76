"""How commits descend from each other: a walk back to where all that is left belongs to everybody.

Pure: `look` says what commits say about themselves, and only what it read by hash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from heapq import heappop, heappush

from foureyes.adapters.git.client.object_form import CommitHead
from foureyes.core.words.ids import Sha

NEVER = 1 << 62
ReadHeads = Callable[[Iterable[Sha]], Mapping[Sha, CommitHead]]


class Descent:
    """What was met on the way back from some commits.

    The walk ends when every commit whose parents were not looked at is reachable from all of them. Then nothing beyond
    can matter to how they are related: whatever is reachable through such a commit is an ancestor of each. That holds
    whatever the dates say, which only lead the walk.
    """

    def __init__(self, tips: Iterable[Sha], look: ReadHeads, missing: Callable[[str], Exception]) -> None:
        self._look = look
        self._missing = missing
        self._tips = tuple(dict.fromkeys(tips))
        self._all = (1 << len(self._tips)) - 1
        self._sides: dict[Sha, int] = {}
        self._known: dict[Sha, CommitHead] = {}
        self._left: set[Sha] = set()
        self._queue: list[tuple[int, Sha]] = []
        self._apart = 0
        self._meet(dict.fromkeys(self._tips, 0))
        for number, tip in enumerate(self._tips):
            self._mark(tip, 1 << number)
        while self._apart:
            self._step()
        for base in self.bases():
            self._must_be_there(base)

    @property
    def met(self) -> dict[Sha, CommitHead]:
        """Every commit that was met and is there, those at the end of the walk, too."""
        return self._known

    def is_behind_all(self, tip: Sha) -> bool:
        """Whether one of the commits where the walk began is reachable from all of them. It is known by then: a way to
        it that was not walked would lead through a commit that is behind it.
        """
        return self._sides[tip] == self._all

    def bases(self) -> list[Sha]:
        """The commits that all descend from, as far as the walk went, without those that a child stands for."""
        shared = {sha for sha, sides in self._sides.items() if sides == self._all}
        behind = {parent for sha in shared - self._left for parent in self._known[sha].parents}
        return sorted(shared - behind)

    def _meet(self, commits: Mapping[Sha, int]) -> None:
        """One that is not there is looked behind last: it may turn out not to matter."""
        new = [sha for sha in commits if sha not in self._sides]
        heads = self._look(new) if new else {}
        self._known.update(heads)
        for sha in new:
            self._sides[sha] = 0
            self._left.add(sha)
            self._apart += 1
            heappush(self._queue, (-heads[sha].when if sha in heads else NEVER, sha))

    def _must_be_there(self, sha: Sha) -> None:
        if sha not in self._known:
            raise self._missing(sha)

    def _step(self) -> None:
        """Look behind the youngest commit that is left."""
        _, sha = heappop(self._queue)
        self._must_be_there(sha)
        self._left.discard(sha)
        if self._sides[sha] != self._all:
            self._apart -= 1
        parents = self._known[sha].parents
        self._meet(dict.fromkeys(parents, 0))
        for parent in parents:
            self._mark(parent, self._sides[sha])

    def _mark(self, sha: Sha, sides: int) -> None:
        """A commit, and what is known behind it, is reachable from these, too."""
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
                self._apart -= 1
