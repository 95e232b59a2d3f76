"""The paths of a tree, found by what somebody calls them: another clone's path, or one below some directory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence


class Tails:
    """Finds the path of a tree that another path means; nothing where it could be several."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = set(paths)
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        for path in self._paths:
            self._by_name[path.rpartition("/")[2]].append(path)

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    def longest(self, path: str, least: int = 1) -> str:
        """The longest end of a path, of so many parts at least, that is a path of the tree: what another clone calls by
        its whole path.
        """
        parts = parts_of(path)
        ends = ("/".join(parts[at:]) for at in range(len(parts) + 1 - least))
        return next((end for end in ends if end in self._paths), "")

    def ending(self, path: str, near: Sequence[str] = ()) -> str:
        """The one path of the tree that ends with a path: what a program calls it that ran in a directory. Of several,
        the one that lies where `near` says (the parts of a package's name).
        """
        parts = parts_of(path)
        if not parts:
            return ""
        fits = [each for each in self._by_name[parts[-1]] if each.split("/")[-len(parts) :] == parts]
        if len(fits) > 1 and near:
            shared = {each: _shared(each.split("/")[: -len(parts)], near) for each in fits}
            most = max(shared.values())
            fits = [each for each in fits if most and shared[each] == most]
        return fits[0] if len(fits) == 1 else ""


def _shared(folder: Sequence[str], near: Sequence[str]) -> int:
    """How many parts two ways have in common, from their ends."""
    number = 0
    for here, there in zip(reversed(folder), reversed(near), strict=False):
        if here != there:
            break
        number += 1
    return number


def parts_of(path: str) -> list[str]:
    """The parts of a path, as far as they lead down."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return parts
