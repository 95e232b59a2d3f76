"""Identifies callers through a server, by comparing the server's start with every call. (I5)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from foureyes.adapters.identity.process_tree import read_tree
from foureyes.adapters.identity.recognition import actor_from, token_in
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.callers import has_lost_its_starter, served


class Beginning:
    """The process tree and environment of this server at its start."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = dict(environ)
        self._token = token_in(environ)
        self._tree = read_tree()

    def caller(self, programs: Sequence[str] = ()) -> Actor:
        """Return the current caller. `programs` are those of the configured profiles."""
        trees = (self._tree, read_tree())
        start, now = (actor_from(tree, self._environ, token=self._token, programs=programs) for tree in trees)
        return served(start, now)

    def has_left(self) -> bool:
        """True if the process that started this server is no longer above it."""
        start, now = (actor_from(tree, self._environ, token=self._token) for tree in (self._tree, read_tree()))
        return has_lost_its_starter(start, now)
