"""I3: where a project is at home, and what a caller is worth elsewhere.

A walk up the process tree that ends inside the machine, a uid map that anybody can make, a `/proc` that is not the
kernel's: none of them shows who is calling. An accepted setting can call a container this project's home.
"""

from __future__ import annotations

from msgspec.structs import replace

from foureyes.core.nouns.session import HOST_MAP, Actor, Standing
from foureyes.core.rules.policy import IdentityRule
from foureyes.core.words.ids import session_of
from foureyes.errors import Reason
from foureyes.steps import Steps, by, fe, in_turn, prose

CONVERSATION = "conv:"


def why_not_home(stands: Standing, rule: IdentityRule) -> str:
    """Why nobody is seen for who they are here, as a sentence; empty at home. The machine itself always is one."""
    if stands.forged:
        return stands.forged
    if not stands.first and stands.launcher:
        return f"This pid namespace was made for a sandbox: its pid 1 is {stands.launcher}."
    if not stands.first and rule.home != "container":
        return f"This is a pid namespace inside of the machine, where pid 1 is {stands.top or 'hidden'}."
    mapped = stands.uid_map or "to nothing"
    if stands.first and stands.uid_map == HOST_MAP:
        return ""
    if rule.home != "container":
        return f"User ids are mapped here ({mapped}), so a user id proves nothing."
    if not stands.uid_map or stands.uid_map != _plain(rule.uid_map):
        return f"User ids are mapped here in another way ({mapped}) than in this project's home ({rule.uid_map})."
    return ""


def _plain(uid_map: str) -> str:
    """A map as the kernel has it, whatever spaces somebody typed."""
    return ", ".join(" ".join(line.split()) for line in uid_map.replace("\n", ",").split(",") if line.strip())


def fitting_home(stands: Standing | None) -> IdentityRule | None:
    """The home that `fe init` writes here: a container, unless it is a sandbox, or a map of one id, which needs no
    right to make. None on the machine itself, and where nothing can be a home.
    """
    if stands is None or stands.forged or stands.launcher or not stands.uid_map:
        return None
    ids = [int(line.split()[2]) for line in stands.uid_map.split(", ")]
    rule = IdentityRule("container", stands.uid_map)
    return rule if sum(ids) > 1 and not why_not_home(stands, rule) else None


def at_home(actor: Actor, rule: IdentityRule, *, has_keys: bool = False) -> Actor:
    """The caller as it counts where it stands: at home as it was seen; elsewhere an agent decides nothing, and a
    person is a service, or, where the project has keys, a person under what they sign and nothing else.
    """
    if actor.stands is None:
        return actor
    stands, seen = actor.stands, replace(actor, stands=None)
    why = why_not_home(stands, rule)
    if not why or actor.within:
        return seen
    if actor.kind == "agent":
        return _sandboxed(seen, why)
    if actor.kind == "human" and has_keys:
        return _by_key(seen, why)
    return _nobody(seen, why, stands)


def _sandboxed(actor: Actor, why: str) -> Actor:
    """An agent without a shown origin. Its commands are one session by the conversation they name, if they do."""
    says = "An agent may plan, start, log and submit from here. It cannot approve, because its parent processes cannot be seen."
    bound = Reason(
        "I3",
        _open_ended(f"{why} {says}"),
        prose("a person decides it, or an agent outside of a sandbox, if none in a sandbox made it"),
    )
    conversations = [piece for piece in actor.evidence if piece.startswith(CONVERSATION)]
    session = session_of(*conversations) if conversations and actor.trust != "asserted" else actor.session
    return replace(actor, session=session, processes=(), bound=bound, why=(actor.why[0], why, says))


def _by_key(actor: Actor, why: str) -> Actor:
    """I1, I9: the name of a user is nobody's here, so it is not that of the person who has it elsewhere."""
    person = f"key:{actor.person}"
    evidence = f"person:{person}"
    says = "With a key of this project you count as a person here, for each decision that you sign."
    session = actor.session if actor.trust == "asserted" else session_of(evidence)
    return replace(actor, session=session, person=person, evidence=(evidence,), by_key=True, why=(why, says))


def _open_ended(sentence: str) -> str:
    """A sentence as a reason has it: whoever shows it ends it."""
    return sentence.removesuffix(".")


def _nobody(actor: Actor, why: str, stands: Standing) -> Actor:
    if actor.kind == "service":  # one without a terminal is one at home, too
        bound = Reason("I3", _open_ended(why), _outside(stands)) if actor.bound or stands.forged else None
        return replace(actor, bound=bound, why=(why, *actor.why)[:3])
    evidence = f"service:{actor.person}"
    says = "So this is a service and no person."
    return replace(
        actor,
        session=actor.session if actor.trust == "asserted" else session_of(evidence),
        kind="service",
        person="",
        evidence=(evidence,),
        bound=Reason("I3", _open_ended(why), _outside(stands)),
        why=(why, says),
    )


def _outside(stands: Standing) -> Steps:
    """What a person can do about it: call a container home, or come out of what is none."""
    rule = fitting_home(stands)
    if rule is None:
        return prose("a person types it outside, in a plain terminal")
    says = "if this is the project's home, a person outside runs: "
    accept = by("person", fe("config", "set", "identity.home", rule.home), says)
    if rule.uid_map == HOST_MAP:
        return accept
    return in_turn(accept, by("person", fe("config", "set", "identity.uid_map", rule.uid_map), "then: "), joint=", ")
