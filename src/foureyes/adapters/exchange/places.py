"""Where in the repository a report's places are: below a checkout of it, or as the tree has a path that ends so."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property

from foureyes.adapters.exchange.cleaning import inside
from foureyes.core.words.paths import Tails

WORKTREES = ".foureyes/worktrees/"
"""Where worktrees of tasks were: one that is gone is no directory of the repository."""
OF_OTHERS = frozenset({"site-packages", "dist-packages", "node_modules", "__pypackages__"})
"""Directories that hold other people's code."""


class ReportPaths:
    """`roots` are directories in which the repository is checked out, `paths` those of the tree that the report is
    about; they are listed when first asked for.
    """

    def __init__(self, roots: Sequence[str] = (), paths: Callable[[], Collection[str]] | None = None) -> None:
        self._roots = tuple(roots)
        self._paths = paths

    @cached_property
    def _tails(self) -> Tails:
        return Tails(self._paths() if self._paths is not None else ())

    def path_of(self, place: str, roots: Sequence[str] = ()) -> str:
        """The path that a place means: below a root; else, of another clone's path the longest end that the tree has,
        of two parts at least, and of a relative one the only one that ends so. Empty where it is no path of the
        repository.
        """
        path = inside(place, (*self._roots, *roots))
        if self._paths is None or path in self._tails:
            return path
        if path.startswith(WORKTREES):
            return self._tails.longest(path.removeprefix(WORKTREES).partition("/")[2]) or path
        if place.startswith("/"):
            return path or ("" if OF_OTHERS & set(place.split("/")) else self._tails.longest(place, least=2))
        return (self._tails.ending(path) or path) if path else ""
