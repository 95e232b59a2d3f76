"""I5: whose `fe run` and `fe serve` start sessions that are independent of who started them.

Everything that runs below an agent is that agent's (I3). Only where a person starts it, or a service that the accepted
policy names, is the chain of ancestors cut: what is above the cut is nobody's evidence. No runner is built yet; this is
the rule that it will ask.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from foureyes.errors import Reason
from foureyes.steps import fe, prose

if TYPE_CHECKING:
    from foureyes.core.nouns.session import Actor

SERVICE = "service:"


PERSON_STARTS = prose("a person starts it in a terminal")


def why_not_independent(starter: Actor, services: Collection[str] = ()) -> Reason | None:
    """I5: why what this caller starts stays its own; nothing, where it may cut the chain of ancestors.

    `services` are the `user@host` that the accepted policy names. Whoever is that user there, and sheds its terminal,
    is that service: a policy names one only where no agent runs as it.
    """
    if starter.within:
        message = f"this was started by {starter.within}: what a check, a hook or the gate starts has no rights at all"
        return Reason("I5", message, prose("a person starts it, outside of checks and hooks"))
    if starter.bound is not None:
        return starter.bound
    if starter.kind == "agent" or starter.trust != "observed":
        message = "what runs below an agent is of that agent's origin, so an agent starts nothing that is independent"
        return Reason("I5", message, PERSON_STARTS)
    if starter.by_key:
        message = "here you are a person only under what you sign, and what you start signs nothing"
        return Reason("I5", message, fe("whoami"))
    if starter.kind == "service" and not _is_named(starter, services):
        message = "a service starts nothing that is independent unless the accepted policy names it"
        return Reason("I5", message, PERSON_STARTS)
    return None


def _is_named(starter: Actor, services: Collection[str]) -> bool:
    return any(piece.removeprefix(SERVICE) in services for piece in starter.evidence if piece.startswith(SERVICE))


def below_the_cut(ancestors: Sequence[str], cuts: Collection[str]) -> tuple[str, ...]:
    """I5: the ancestors, nearest first, that are evidence about a caller: those below the nearest process at which the
    chain was cut, and all of them where it was not.
    """
    until = next((at for at, process in enumerate(ancestors) if process in cuts), len(ancestors))
    return tuple(ancestors[:until])
