"""Involvement of sessions in a task: its makers, delegators, creator and reviewers. They may not loosen how it is
reviewed. (I7, M6)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from foureyes.core.nouns.session import Party, is_above, is_below, is_one_origin, is_oneself, is_same, is_tied
from foureyes.core.rules.facts import remembered
from foureyes.core.rules.stacks import unmerged
from foureyes.core.words.folding import folded
from foureyes.core.words.ids import SessionId
from foureyes.core.words.lifecycle import IMPLEMENTATION

if TYPE_CHECKING:
    from foureyes.core.rules.facts import Control, Facts
    from foureyes.core.rules.policy import ReviewPolicy


class Maker(msgspec.Struct, frozen=True):
    """A session that shaped the work, and why. `only_named`: the only evidence is a commit trailer. (I8)"""

    session: SessionId
    why: str
    only_named: bool = False

    def says(self, facts: Facts, *, is_you: bool) -> str:
        """Return what the session did as a sentence: `claude#1 (ses-…) is its implementer`, `you are its implementer`."""
        if not is_you:
            return f"{facts.party_name(self.session)} {self.why}"
        return f"you are {self.why[3:]}" if self.why.startswith("is ") else f"you {self.why}"


DID = {"responded": "answered its findings"}
"""What an action of the history says about its session, where `ACTION it` does not."""
FOR_ANOTHER = ("submitted", "responded")
"""What a session may do for the implementer; the history names it as `via`. (T)"""


@remembered
def makers_of(facts: Facts) -> dict[SessionId, Maker]:
    """Return every session that shaped the work with its plainest reason: implementer, history, author set, and agents
    that submitted or answered for another. Services are never included. (I3, I7)
    """
    makers: dict[SessionId, Maker] = {}
    if facts.task.implementer:
        makers[facts.task.implementer] = Maker(facts.task.implementer, "is its implementer")
    for entry in facts.history or ():
        by_trailer = entry.action == "committed"
        cleared = by_trailer and entry.attempt <= facts.cleared.get(entry.session, -1)
        if entry.action in IMPLEMENTATION and not cleared:
            what = DID.get(entry.action, f"{entry.action} it")
            why = "is named as author in the trailer of a commit" if by_trailer else what
            makers.setdefault(entry.session, Maker(entry.session, why, only_named=by_trailer))
            if entry.action in FOR_ANOTHER and entry.via and facts.party(entry.via).kind == "agent":
                makers.setdefault(entry.via, Maker(entry.via, f"{what} for another"))
    for author in facts.authors or ():
        if author.source != "trailer" or author.attempt > facts.cleared.get(author.session, -1):
            makers.setdefault(author.session, Maker(author.session, f"is an author ({author.why})"))
    return {session: maker for session, maker in makers.items() if facts.party(session).kind != "service"}


def made_by(facts: Facts, actor: Party) -> Maker | None:
    """Return the maker that the actor is, was spawned by, or shares an origin with. The reason is in words. (P2)"""
    makers = makers_of(facts)
    if actor.session in makers:
        return makers[actor.session]
    for maker in makers.values():
        tie = _tie(facts, actor, facts.party(maker.session))
        if tie:
            return msgspec.structs.replace(maker, why=f"{maker.why}, and {tie}")
    return None


def by_a_service(facts: Facts) -> Maker | None:
    """Return the service that submitted or answered for the implementer, if it is no runner. Any agent may have started
    it, out of sight, so no agent is shown to be independent of it. (I5)
    """
    for entry in facts.history or ():
        if entry.action in FOR_ANOTHER and entry.via and _is_plain_service(facts.party(entry.via)):
            why = f"{DID.get(entry.action, f'{entry.action} it')} as a service, which any agent may have started (I5)"
            return Maker(entry.via, why)
    return None


def _is_plain_service(who: Party) -> bool:
    """Return True for a service that is no runner."""
    return who.kind == "service" and who.trust != "issued"


def is_shown_maker(facts: Facts, actor: Party) -> bool:
    """Return True if the actor is itself an author, runs below one, or was spawned by one. (R1)

    A conversation named by an environment, or a trailer, does not show that. An author can write both, and must not be
    able to end a reviewer's stop that way.
    """
    makers = [facts.party(maker.session) for maker in makers_of(facts).values() if not maker.only_named]
    line = [actor, *map(facts.party, actor.above)]
    return any(is_oneself(who, maker) for who in line for maker in makers)


def _tie(facts: Facts, actor: Party, maker: Party) -> str:
    """Return the tie between the actor and a maker in words, or "". (I3, I4)"""
    if is_above(maker, actor):
        return "its process is above the caller's, so both have the same origin (I3)"
    if is_one_origin(actor, maker):
        return _of_one_origin(actor, maker)
    if is_tied(actor, maker):
        return "cannot be told apart from the caller, because no agent process shows its origin (I3)"
    return "started the caller (I4)" if is_under(facts, actor, maker) else ""


def _of_one_origin(actor: Party, maker: Party) -> str:
    """Describe a shared origin. If only a key file shows it, name the file, because someone else may have put it there.
    (I1, I3)
    """
    files = [file for origin, file in actor.by_key_file if origin in maker.origins]
    if (
        not files
        or is_same(actor, maker)
        or (actor.origins - {origin for origin, _ in actor.by_key_file}) & maker.origins
    ):
        return "both have the same origin (I3)"
    return f"their key is on this machine ({files[0]}), so both have the same origin (I3)"


def only_shares_an_origin(facts: Facts, actor: Party) -> bool:
    """Return True if sharing an origin is the actor's only tie to the makers: it is none of their sessions and was
    spawned by none. (I4)
    """
    makers = [facts.party(session) for session in makers_of(facts)]
    distinct_names = all((actor.proven and maker.proven) or not is_tied(actor, maker) for maker in makers)
    return distinct_names and not any(is_same(actor, maker) or is_under(facts, actor, maker) for maker in makers)


@remembered
def delegators_of(facts: Facts) -> set[SessionId]:
    """Return the agents that spawned a maker. People and services never delegate. (I7)"""
    above = {spawner for maker in makers_of(facts) for spawner in facts.party(maker).above}
    return {session for session in above if facts.party(session).kind == "agent"}


def has_delegated(facts: Facts, actor: Party) -> bool:
    """Return True if the actor, or a session of the same origin, spawned a maker. (I7)"""
    return any(is_tied(actor, facts.party(delegator)) for delegator in delegators_of(facts))


def called(facts: Facts, who: Party) -> frozenset[str]:
    """Return the program names of an agent and of every agent above it. Its own name is only a claim of its parent.
    (I4)
    """
    line = [who, *map(facts.party, who.above)]
    return frozenset(party.agent for party in line if party.kind == "agent" and party.agent)


def shared_program(facts: Facts, policy: ReviewPolicy, who: Party) -> str:
    """Return an agent program that both the party and an author use, or "". (I6)"""
    mine = _programs(facts, policy, who)
    return min(
        (name for maker in makers_of(facts) for name in mine & _programs(facts, policy, facts.party(maker))), default=""
    )


def is_another_program(facts: Facts, policy: ReviewPolicy, who: Party) -> bool:
    """Return True if the party provably uses another program than every author. An agent below another agent cannot
    prove it. (I6, G1)
    """
    makers = [maker for maker in map(facts.party, makers_of(facts)) if maker.kind == "agent"]
    if who.kind != "agent" or not makers:
        return True
    are_known = all(_programs(facts, policy, party) for party in (who, *makers))
    return are_known and not who.under and not shared_program(facts, policy, who)


def _programs(facts: Facts, policy: ReviewPolicy, who: Party) -> frozenset[str]:
    return frozenset(policy.programs.get(name, name) for name in called(facts, who))


def is_under(facts: Facts, actor: Party, other: Party) -> bool:
    """Return True if `other`, or a session of the same origin, spawned the actor at any depth. (I4)"""
    above = [facts.party(session) for session in actor.above]
    return is_below(actor, other) or any(party.kind != "service" and is_one_origin(party, other) for party in above)


def has_spawned(facts: Facts, actor: Party, other: Party) -> bool:
    """Return True if the actor itself spawned `other` at any depth. Use this before granting a right. (I4)"""
    above = [facts.party(session) for session in other.above]
    return any(party.kind != "service" and is_oneself(actor, party) for party in above)


def has_planned(facts: Facts, actor: Party) -> bool:
    """Return True if the actor itself created the task. Before granting a right, use this and not is_creator(). (I3)"""
    return is_oneself(actor, facts.party(facts.task.creator))


def is_creator(facts: Facts, actor: Party) -> bool:
    """Return True if the actor, or a session of the same origin, created the task. People are compared as people."""
    return is_one_origin(actor, facts.party(facts.task.creator))


def did(facts: Facts, actor: Party, actions: Iterable[str], *, before: int | None = None) -> bool:
    """Return True if the history has one of these actions by the actor or a session of the same origin. `before` limits
    it to earlier attempts.
    """
    wanted = frozenset(actions)
    return any(
        entry.action in wanted
        and (before is None or entry.attempt < before)
        and is_tied(actor, facts.party(entry.session))
        for entry in facts.history or ()
    )


def is_involved(facts: Facts, who: Party) -> bool:
    """Return True if the party made or delegated the work, or may be the same as one that did. (M6)"""
    involved = [facts.party(session) for session in {*makers_of(facts), *delegators_of(facts)}]
    hidden = by_a_service(facts) is not None or any(_came_from_a_service(facts, party) for party in involved)
    if who.kind == "agent" and hidden:
        return True  # without its ancestors, it may be any agent
    return any(is_tied(who, party) or is_under(facts, who, party) for party in involved)


def _came_from_a_service(facts: Facts, party: Party) -> bool:
    return any(_is_plain_service(facts.party(session)) for session in party.above)


def _came_from_a_runner(facts: Facts, party: Party) -> bool:
    """Return True for a runner's run. Writing that run's task counts like delegating it. (I5)"""
    above = [facts.party(session) for session in party.above]
    return any(spawner.kind == "service" and spawner.trust == "issued" for spawner in above)


def why_it_may_not_loosen(facts: Facts, control: Control) -> str:
    """Return why this act may not loosen how the task is reviewed, or "". (M6)

    Only an uninvolved person may, signed if keys exist, or a session that P7 allows.
    """
    session = control.session
    who = facts.party(session)
    if is_involved(facts, who):
        return f"{facts.party_name(session)} made or delegated the work"
    if is_person(who):
        return why_unsigned(facts, control)
    if who.kind == "service":
        return f"{facts.party_name(session)} is a service, and services decide nothing (I5)"
    if any(_came_from_a_runner(facts, facts.party(maker)) for maker in makers_of(facts)):
        return f"{facts.party_name(session)} is an agent, and for work made by a runner only a person may set it"
    if control.late and (who.trust == "asserted" or _is_known_to_the_task(facts, who)):
        return f"{facts.party_name(session)} created or reviewed the task (P7)"
    return ""


def is_person(who: Party) -> bool:
    """Return True for a person, and False for a mere name given with --as. (I1)"""
    return who.kind == "human" and who.trust != "asserted"


def why_unsigned(facts: Facts, control: Control) -> str:
    """Return why an unsigned act of a person does not count, or "". (M6, I9)

    Once a person's key exists, only signed acts count, because anyone can look like a person.
    """
    if not facts.has_keys or control.key or facts.party(control.session).kind != "human":
        return ""
    return f"{facts.party_name(control.session)} did not sign it, and this project has keys, so only a signature counts (I9)"


def _is_known_to_the_task(facts: Facts, who: Party) -> bool:
    """Return True if the party created or reviewed the task, or an agent that did spawned it. (P3, P5, I4)"""
    above = [facts.party(session) for session in who.above]
    line = [who, *[party for party in above if party.kind == "agent"]]
    return any(is_creator(facts, party) or did(facts, party, ("reviewed", "approved")) for party in line)


@remembered
def labels_kept(facts: Facts) -> set[str]:
    """Return removed labels that still count, because the session that last removed them may not loosen. (M6)"""
    latest = {folded(control.label): control for control in facts.labels_taken_off}
    return {control.label for control in latest.values() if why_it_may_not_loosen(facts, control)}


@remembered
def labels_in_force(facts: Facts) -> set[str]:
    """Return the labels that apply: the task's own, those removed by a session that may not loosen, and those of
    unmerged tasks inside. (M6, A7)
    """
    own = {*facts.task.labels, *labels_kept(facts)}
    return own.union(*(labels_in_force(lower.facts) for lower in unmerged(facts)))
