"""Callers and the place they run in: at home or elsewhere (I3), behind a server, or started by `fe run` (I5)."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from foureyes.core.nouns.session import CONVERSATION, HOST_MAP, Actor, Namespaces
from foureyes.core.rules.policy import IdentityRule
from foureyes.core.words.ids import session_of
from foureyes.errors import Reason
from foureyes.steps import Steps, by, by_person, either, fe, in_turn, prose

# ---- I3 ----

# Three things hide the caller: a process tree that ends inside the machine, a uid map that anyone can make, and a
# `/proc` that is not the kernel's. An accepted setting can declare a container as this project's home.


def why_not_home(namespaces: Namespaces, rule: IdentityRule) -> str:
    """Return why callers cannot be identified here, as a sentence, or "" at home. The machine itself is always a home."""
    if namespaces.forged:
        return namespaces.forged
    if not namespaces.first and namespaces.launcher:
        return f"This pid namespace was made for a sandbox: its pid 1 is {namespaces.launcher}."
    if not namespaces.first and rule.home != "container":
        return f"This runs in a pid namespace (a container or sandbox), where pid 1 is {namespaces.top or 'hidden'}."
    mapped = namespaces.uid_map or "to nothing"
    if namespaces.first and namespaces.uid_map == HOST_MAP:
        return ""
    if rule.home != "container":
        return f"User ids are remapped here ({mapped}), so a user id proves nothing."
    if not namespaces.uid_map or namespaces.uid_map != _plain(rule.uid_map):
        return f"User ids are mapped differently here ({mapped}) than where the project was set up ({rule.uid_map})."
    return ""


def _plain(uid_map: str) -> str:
    """Return a uid map as the kernel writes it, whatever its spacing."""
    return ", ".join(" ".join(line.split()) for line in uid_map.replace("\n", ",").split(",") if line.strip())


def fitting_home(namespaces: Namespaces | None) -> IdentityRule | None:
    """Return the home that `fe init` sets here, or None on the machine itself and where none is possible.

    It is "container", except in a sandbox or with a map of a single id, which needs no privilege.
    """
    if namespaces is None or namespaces.forged or namespaces.launcher or not namespaces.uid_map:
        return None
    ids = [int(line.split()[2]) for line in namespaces.uid_map.split(", ")]
    rule = IdentityRule("container", namespaces.uid_map)
    return rule if sum(ids) > 1 and not why_not_home(namespaces, rule) else None


def at_home(actor: Actor, rule: IdentityRule, *, has_keys: bool = False) -> Actor:
    """Return the caller with the rights it has in this place.

    At home it stays as observed. Elsewhere an agent may not decide, and a person becomes a service, or, if the project
    has keys, a person for signed acts only.
    """
    if actor.namespaces is None:
        return actor
    namespaces, seen = actor.namespaces, replace(actor, namespaces=None)
    why = why_not_home(namespaces, rule)
    if not why or actor.within:
        return seen
    if actor.kind == "agent":
        return _sandboxed(seen, why)
    if actor.kind == "human" and has_keys:
        return _by_key(seen, why)
    return _nobody(seen, why, namespaces)


def _sandboxed(actor: Actor, why: str) -> Actor:
    """Return an agent whose origin is unknown. Its commands form one session if they name their conversation."""
    says = "An agent may plan, start, log and submit from here. It cannot approve, because its parent processes cannot be seen."
    bound = Reason(
        "I3",
        _open_ended(f"{why} {says}"),
        prose("a person decides it. An agent outside any sandbox may too, if no sandboxed agent worked on it"),
    )
    conversations = [piece for piece in actor.evidence if piece.startswith(CONVERSATION)]
    session = session_of(*conversations) if conversations and actor.trust != "asserted" else actor.session
    return replace(actor, session=session, processes=(), bound=bound, why=(actor.why[0], why, says))


def _by_key(actor: Actor, why: str) -> Actor:
    """Return a person who counts only by key, with an identity of their own, because the user name is valid only in
    this place. (I1, I9)
    """
    person = f"key:{actor.person}"
    evidence = f"person:{person}"
    says = "Here you count as a person only for decisions that you sign with a key of this project."
    session = actor.session if actor.trust == "asserted" else session_of(evidence)
    return replace(actor, session=session, person=person, evidence=(evidence,), by_key=True, why=(why, says))


def _open_ended(sentence: str) -> str:
    """Return the sentence without its final period, as reasons need it."""
    return sentence.removesuffix(".")


def _nobody(actor: Actor, why: str, namespaces: Namespaces) -> Actor:
    if actor.kind == "service":  # a service without a terminal is one at home too
        bound = Reason("I3", _open_ended(why), _outside(namespaces)) if actor.bound or namespaces.forged else None
        return replace(actor, bound=bound, why=(why, *actor.why)[:3])
    evidence = f"service:{actor.person}"
    says = "So this is a service and no person."
    return replace(
        actor,
        session=actor.session if actor.trust == "asserted" else session_of(evidence),
        kind="service",
        person="",
        evidence=(evidence,),
        bound=Reason("I3", _open_ended(why), _outside(namespaces)),
        why=(why, says),
    )


def _outside(namespaces: Namespaces) -> Steps:
    """Return the step for a person: declare the container as home, or run the command outside."""
    rule = fitting_home(namespaces)
    if rule is None:
        return prose("a person types it outside, in a plain terminal")
    says = "if this is the project's home, a person outside runs: "
    accept = by("person", fe("config", "set", "identity.home", rule.home), says)
    if rule.uid_map == HOST_MAP:
        return accept
    return in_turn(accept, by("person", fe("config", "set", "identity.uid_map", rule.uid_map), "then: "), joint=", ")


# ---- I5 ----

# The server keeps the identity shown at its start, and a call only adds to it. A starter that leaves the server behind
# would otherwise look like someone else.

UNNAMED = "mcp"
"""The name of an agent known only through its server."""
SAYS = "A server is never a person; all its conversations are one session."


def served(start: Actor, now: Actor) -> Actor:
    """Return the caller of one request to the server, from the identities at the server's start and now."""
    if start.within or now.within:
        return _served_below_us(start, now)
    seen = start if start.kind == "agent" else _behind_an_editor(start)
    added = now.evidence if now.kind == "agent" else ()
    left = has_lost_its_starter(start, now)
    return replace(
        seen,
        evidence=tuple(dict.fromkeys((*seen.evidence, *added))),
        ancestors=_ancestors(start, now, left=left),
        bound=seen.bound or now.bound or _why_bound(seen, left=left),
        namespaces=now.namespaces or start.namespaces,
        why=(*seen.why, SAYS)[:3],
    )


def _served_below_us(start: Actor, now: Actor) -> Actor:
    """Return the caller behind a server started by Foureyes, which has no rights of its own. A run's token is valid
    while the server's original ancestors still run above it. (I2, I5)
    """
    seen = start if start.within else now
    if not start.token:
        return seen
    still = tuple(piece for piece in seen.ancestors if piece in now.ancestors)
    return replace(seen, token=start.token, ancestors=() if has_lost_its_starter(start, now) else still)


def has_lost_its_starter(start: Actor, now: Actor) -> bool:
    """Return True if the process that started the server, or the agent above that one, is no longer its ancestor."""
    return start.ancestors[:1] != now.ancestors[:1] or not {*start.processes[:1]} <= {*now.ancestors}


def _ancestors(start: Actor, now: Actor, *, left: bool) -> tuple[str, ...]:
    """Return the ancestors under which a token is valid: none if the server's starter is gone. (I2)"""
    if left and start.token:
        return ()
    return tuple(dict.fromkeys((*start.ancestors, *now.ancestors)))


def _why_bound(seen: Actor, *, left: bool) -> Reason | None:
    if left:
        message = (
            "the program that started this MCP server has ended. It can still log and submit, and it cannot approve."
        )
        return Reason("I5", message, prose("the current agent starts its own MCP server"))
    if not seen.processes:
        message = (
            "no agent process was found above this MCP server, so it may start and submit tasks but not decide anything"
        )
        return Reason("I5", message, prose("an agent with a visible process, or a person in a terminal, decides it"))
    return None


def _behind_an_editor(start: Actor) -> Actor:
    """Return the caller behind a server that an editor or similar program started.

    It is an agent without a known origin, the same for all servers of that program. Its evidence names no process,
    because a person at a terminal of that editor is not an agent.
    """
    evidence = f"mcp:{start.ancestors[0] if start.ancestors else start.session}"
    return Actor(
        session=session_of(evidence),
        kind="agent",
        trust="observed",
        agent=UNNAMED,
        host=start.host,
        evidence=(evidence,),
        leader=start.leader,
        token=start.token,
        bound=start.bound,
        git=start.git,
        why=("No agent process was found above this MCP server.",),
    )


# ---- I5 ----

# Every process below an agent is that agent's (I3). The chain of ancestors is cut only where a person starts the
# runner, or a service named by the accepted policy. Processes above the cut are no evidence. A runner asks for this
# when it begins.

SERVICE = "service:"
"""Prefix of a service's evidence, followed by user and host."""

PERSON_STARTS = prose("a person starts it in a terminal")


def why_not_independent(starter: Actor, services: Collection[str] = ()) -> Reason | None:
    """Return why processes started by this caller share its origin, or None if it may start independent ones. (I5)

    `services` are the `user@host` entries of the accepted policy. Any process of that user without a terminal counts as
    that service, so a policy must only name users that run no agents.
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
        message = "you count as a person here only when you sign, and a program that you start cannot sign"
        return Reason("I5", message, fe("whoami"))
    who = _unnamed_service(starter, services)
    return _unnamed(who) if who else None


def why_not_steering(actor: Actor, services: Collection[str] = ()) -> Reason | None:
    """Return why this service may not stop, pause, start or undo a sprint. (I5, X2)

    Any process without a terminal is a service, so the policy must name it. For other callers return None: their rights
    decide.
    """
    who = _unnamed_service(actor, services)
    if not who:
        return None
    message = f"{who} is a service that the accepted policy does not name (run.services)"
    way = fe("config", "accept", before=f"adds {who} to services under [run] in foureyes.toml, then runs: ")
    return Reason("I5", message, either(prose("a person does it in a terminal"), by_person(way), joint=", or "))


def _unnamed_service(actor: Actor, services: Collection[str]) -> str:
    """Return the service's name if the accepted policy does not name it, and "" for every other caller."""
    names = [piece.removeprefix(SERVICE) for piece in actor.evidence if piece.startswith(SERVICE)]
    is_unnamed = actor.kind == "service" and set(names).isdisjoint(services)
    return (names[0] if names else "this service") if is_unnamed else ""


def _unnamed(who: str) -> Reason:
    message = f"{who} is a service that the accepted policy does not name (run.services), so its agents would count as independent"
    way = fe("config", "accept", before=f"adds {who} to services under [run] in foureyes.toml, then runs: ")
    return Reason("I5", message, either(by_person(fe("run")), by_person(way), joint=", or "))
