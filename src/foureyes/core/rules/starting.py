"""I5: whose `fe run` and `fe serve` start sessions that are independent of who started them.

Everything that runs below an agent is that agent's (I3). Only where a person starts it, or a service that the accepted
policy names, is the chain of ancestors cut: what is above the cut is nobody's evidence. A runner asks when it begins.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from foureyes.errors import Reason
from foureyes.steps import by_person, either, fe, prose

if TYPE_CHECKING:
    from foureyes.core.nouns.session import Actor

SERVICE = "service:"
"""How the evidence of a service begins; user and host follow."""

PERSON_STARTS = prose("a person starts it in a terminal")


def why_not_independent(starter: Actor, services: Collection[str] = ()) -> Reason | None:
    """I5: why what this caller starts stays its own; nothing, where it may cut the chain of ancestors.

    `services` are the `user@host` that the accepted policy names. Whoever is that user there, and sheds its terminal,
    is that service: a policy names one only where no agent runs as it.
    """
    if starter.within:
        message = (
            f"this was started by {starter.within}: programs started by a check, a hook or the gate have no rights"
        )
        return Reason("I5", message, prose("a person starts it, outside of checks and hooks"))
    if starter.bound is not None:
        return starter.bound
    if starter.kind == "agent" or starter.trust != "observed":
        message = "a program below an agent has that agent's origin, so an agent cannot start an independent reviewer"
        return Reason("I5", message, PERSON_STARTS)
    if starter.by_key:
        message = "here only your signature makes you a person, and a program that you start cannot sign"
        return Reason("I5", message, fe("whoami"))
    who = _unnamed_service(starter, services)
    return _unnamed(who) if who else None


def why_not_steering(actor: Actor, services: Collection[str] = ()) -> Reason | None:
    """I5, X2: why this service does not stop, pause, start or take back a sprint: whoever sheds its terminal is one. Of
    others the rights say it.
    """
    who = _unnamed_service(actor, services)
    if not who:
        return None
    message = f"{who} is a service that the accepted policy does not name (run.services)"
    way = fe("config", "accept", before=f"names {who} in services of [run] in foureyes.toml, and then: ")
    return Reason("I5", message, either(prose("a person does it in a terminal"), by_person(way), joint="; or "))


def _unnamed_service(actor: Actor, services: Collection[str]) -> str:
    """What a service is called that the accepted policy does not name; empty for everybody else."""
    names = [piece.removeprefix(SERVICE) for piece in actor.evidence if piece.startswith(SERVICE)]
    is_unnamed = actor.kind == "service" and set(names).isdisjoint(services)
    return (names[0] if names else "this service") if is_unnamed else ""


def _unnamed(who: str) -> Reason:
    message = f"{who} is a service that the accepted policy does not name (run.services), so its agents would count as independent"
    way = fe("config", "accept", before=f"names {who} in services of [run] in foureyes.toml, and then: ")
    return Reason("I5", message, either(by_person(fe("run")), by_person(way), joint="; or "))
