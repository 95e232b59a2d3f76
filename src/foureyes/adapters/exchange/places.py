"""Where in the repository a report's places are: below a checkout of it, or as the tree has a path that ends so."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property

from foureyes.adapters.exchange.cleaning import inside
from foureyes.core.words.tails import Tails

WORKTREES = ".foureyes/worktrees/"
"""Where worktrees of tasks were: one that is gone is no directory of the repository."""


class Places:
    """`roots` are directories in which the repository is checked out, `paths` those of the tree that the report is
    about; they are listed when first asked for.
    """

    def __init__(self, roots: Sequence[str] = (), paths: Callable[[], Collection[str]] | None = None) -> None:
        self._roots = tuple(roots)
        self._paths = paths

    @cached_property
    def _tails(self) -> Tails:
        return Tails(self._paths() if self._paths is not None else ())

    def find(self, place: str, roots: Sequence[str] = ()) -> str:
        """The path that a place means: below a root; else, of another clone's path the longest end that the tree has,
        and of a relative one the only one that ends so. Empty where it is no path of the repository.
        """
        path = inside(place, (*self._roots, *roots))
        if self._paths is None or path in self._tails:
            return path
        if place.startswith("/"):
            is_elsewhere = not path or path.startswith(WORKTREES)
            return (self._tails.longest(place) or path) if is_elsewhere else path
        return (self._tails.ending(path) or path) if path else ""
