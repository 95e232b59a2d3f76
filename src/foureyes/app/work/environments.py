"""Environments of checks kept on this machine, and their removal (D5)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from foureyes.app.context import Context, permit, refuse_verb
from foureyes.app.views.attempt import EnvironmentRow
from foureyes.core.nouns.session import Actor
from foureyes.errors import Reason
from foureyes.steps import by, fe


class Checkouts:
    """Environments on this machine made by `[checkout] prepare`, for all projects of this user."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def listed(self) -> Sequence[EnvironmentRow]:
        """Return every kept environment, last used first."""
        with closing(self._context.outside.checks()) as runner:
            return runner.environments()

    def prune(self, actor: Actor, *, everything: bool = False, only_try: bool = False) -> Sequence[EnvironmentRow]:
        """Delete environments that are old or too many. Only a person may delete `everything` that no check is using.
        `only_try` only lists them.
        """
        permit(actor, "check environments --prune")
        if everything and not only_try and actor.kind != "human":
            step = by("person", fe("check", "environments", "--prune", "--all"), "a person runs it in a terminal: ")
            why = "it removes environments of every project on this machine, so only a person may do it"
            refuse_verb("fe check environments --prune --all is not allowed here", Reason("I5", why, step))
        with closing(self._context.outside.checks()) as runner:
            return runner.prune_environments(everything=everything, only_try=only_try)
