"""Who calls through a server: what was seen when it began is kept, and looked at again with every call (I5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from foureyes.adapters.identity.observe import TOKEN, actor_from
from foureyes.adapters.identity.process_tree import read_tree
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.serving import served
from foureyes.core.words.ids import token_hash


class Beginning:
    """What the process tree and the environment showed when this server began."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = dict(environ)
        self._tree = read_tree()

    def caller(self, programs: Sequence[str] = ()) -> Actor:
        """Who calls now; `programs` are those of the configured profiles."""
        start, now = (actor_from(tree, self._environ, programs=programs) for tree in (self._tree, read_tree()))
        token = self._environ.get(TOKEN, "")
        shown = token_hash(token) if token else ""
        return served(replace(start, token=shown), now)
