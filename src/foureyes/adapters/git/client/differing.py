"""In which folders and files trees differ. Pure: what trees hold is given."""

from __future__ import annotations

from foureyes.adapters.git.client.object_form import MODULE, TREE, RawEntry, entry_of
from foureyes.core.words.ids import Sha


class Differing:
    """The objects in which trees differ, gathered level by level: those that are needed, and files that need not be
    there. `files` are all of them that stand in a tree as a file or a link.

    `merging`: a file that one side changed, and nobody made or took away, is taken by its name, and nobody looks into
    it. `shown`: of three trees the change from the first to the last is looked at, too.
    """

    def __init__(self, *, merging: bool = False, shown: bool = False) -> None:
        self.needed: set[Sha] = set()
        self.spare: set[Sha] = set()
        self.files: set[Sha] = set()
        self._merging = merging
        self._shown = shown

    def below(self, sides: list[dict[bytes, RawEntry]]) -> list[tuple[Sha | None, ...]]:
        """The folders in which trees differ; files that differ are added to the sets."""
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
