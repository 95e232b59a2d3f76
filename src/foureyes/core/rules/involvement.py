"""Involvement in a task: who made the work, had it made, created or judged it, and so may loosen nothing (I7, M6)."""

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
    """A session that shaped the work, and why it counts as one. `only_named`: nothing but a commit's trailer says so
    (I8).
    """

    session: SessionId
    why: str
    only_named: bool = False


@remembered
def makers_of(facts: Facts) -> dict[SessionId, Maker]:
    """Everyone who shaped the work, with the plainest reason: implementer, history, author set. Never services
    (I7).
    """
    makers: dict[SessionId, Maker] = {}
    if facts.task.implementer:
        makers[facts.task.implementer] = Maker(facts.task.implementer, "is its implementer")
    for entry in facts.history or ():
        by_trailer = entry.action == "committed"
        cleared = by_trailer and entry.attempt <= facts.cleared.get(entry.session, -1)
        if entry.action in IMPLEMENTATION and not cleared:
            why = "is named by the trailer of a commit" if by_trailer else f"{entry.action} it"
            makers.setdefault(entry.session, Maker(entry.session, why, only_named=by_trailer))
    for author in facts.authors or ():
        if author.source != "trailer" or author.attempt > facts.cleared.get(author.session, -1):
            makers.setdefault(author.session, Maker(author.session, f"is in the author set ({author.why})"))
    return {session: maker for session, maker in makers.items() if facts.party(session).kind != "service"}


def made_by(facts: Facts, actor: Party) -> Maker | None:
    """P2: the maker that the actor is, shares an origin with, or was spawned by; and the words for it."""
    makers = makers_of(facts)
    if actor.session in makers:
        return makers[actor.session]
    for maker in makers.values():
        tie = _tie(facts, actor, facts.party(maker.session))
        if tie:
            return msgspec.structs.replace(maker, why=f"{maker.why}, and {tie}")
    return None


def _tie(facts: Facts, actor: Party, maker: Party) -> str:
    """I3, I4: what the actor has to do with another session that made the work; empty where nothing."""
    if is_above(maker, actor):
        return "its process is above the caller's, so both are of one origin (I3)"
    if is_one_origin(actor, maker):
        return _of_one_origin(actor, maker)
    if is_tied(actor, maker):
        return "cannot be told apart from the caller: no agent process shows its origin (I3)"
    return "spawned the caller (I4)" if is_under(facts, actor, maker) else ""


def _of_one_origin(actor: Party, maker: Party) -> str:
    """I1, I3: where only the file of a key says so, it is named: somebody else may have put it there."""
    files = [file for origin, file in actor.by_key_file if origin in maker.origins]
    if (
        not files
        or is_same(actor, maker)
        or (actor.origins - {origin for origin, _ in actor.by_key_file}) & maker.origins
    ):
        return "both are of one origin (I3)"
    return f"their key lies here ({files[0]}), so both are of one origin (I3)"


def only_shares_an_origin(facts: Facts, actor: Party) -> bool:
    """I4: the actor is another session than every maker, below none of them, and only of one origin with some."""
    makers = [facts.party(session) for session in makers_of(facts)]
    told_apart = all((actor.proven and maker.proven) or not is_tied(actor, maker) for maker in makers)
    return told_apart and not any(is_same(actor, maker) or is_under(facts, actor, maker) for maker in makers)


@remembered
def delegators_of(facts: Facts) -> set[SessionId]:
    """I7: agents that spawned a maker; people and services are never delegators."""
    above = {spawner for maker in makers_of(facts) for spawner in facts.party(maker).above}
    return {session for session in above if facts.party(session).kind == "agent"}


def has_delegated(facts: Facts, actor: Party) -> bool:
    """I7: the actor, by origin, spawned a maker."""
    return any(is_tied(actor, facts.party(delegator)) for delegator in delegators_of(facts))


def called(facts: Facts, who: Party) -> frozenset[str]:
    """I4: what the program of an agent is called, with those of every agent above it: what one calls its child is only
    its word.
    """
    line = [who, *map(facts.party, who.above)]
    return frozenset(party.agent for party in line if party.kind == "agent" and party.agent)


def shared_program(facts: Facts, policy: ReviewPolicy, who: Party) -> str:
    """I6: the name of the agent program that somebody has in common with an author; empty where there is none."""
    mine = _programs(facts, policy, who)
    return min(
        (name for maker in makers_of(facts) for name in mine & _programs(facts, policy, facts.party(maker))), default=""
    )


def is_another_program(facts: Facts, policy: ReviewPolicy, who: Party) -> bool:
    """I6: whether somebody is shown to be no program of an author's; an agent below another agent is not (G1)."""
    makers = [maker for maker in map(facts.party, makers_of(facts)) if maker.kind == "agent"]
    if who.kind != "agent" or not makers:
        return True
    are_known = all(_programs(facts, policy, party) for party in (who, *makers))
    return are_known and not who.under and not shared_program(facts, policy, who)


def _programs(facts: Facts, policy: ReviewPolicy, who: Party) -> frozenset[str]:
    return frozenset(policy.programs.get(name, name) for name in called(facts, who))


def is_under(facts: Facts, actor: Party, other: Party) -> bool:
    """I4: the actor was spawned, at any depth, by this session or by one of its origin."""
    above = [facts.party(session) for session in actor.above]
    return is_below(actor, other) or any(party.kind != "service" and is_one_origin(party, other) for party in above)


def has_spawned(facts: Facts, actor: Party, other: Party) -> bool:
    """I4: the actor itself spawned this session, at any depth. Ask this before something is granted."""
    above = [facts.party(session) for session in other.above]
    return any(party.kind != "service" and is_oneself(actor, party) for party in above)


def has_planned(facts: Facts, actor: Party) -> bool:
    """The creator itself. Ask this, not `is_creator`, before something is granted (I3)."""
    return is_oneself(actor, facts.party(facts.task.creator))


def is_creator(facts: Facts, actor: Party) -> bool:
    """Creator by origin; a person by person."""
    return is_one_origin(actor, facts.party(facts.task.creator))


def did(facts: Facts, actor: Party, actions: Iterable[str], *, before: int | None = None) -> bool:
    """Whether the actor, by origin, has one of these actions in the history (about an attempt before `before`)."""
    wanted = frozenset(actions)
    return any(
        entry.action in wanted
        and (before is None or entry.attempt < before)
        and is_tied(actor, facts.party(entry.session))
        for entry in facts.history or ()
    )


def is_involved(facts: Facts, who: Party) -> bool:
    """M6: made the work, delegated it, or cannot be told apart from somebody who did."""
    involved = [facts.party(session) for session in {*makers_of(facts), *delegators_of(facts)}]
    if who.kind == "agent" and any(_came_from_a_service(facts, party) for party in involved):
        return True  # whoever shed its ancestors and gave itself a token may be any agent
    return any(is_tied(who, party) or is_under(facts, who, party) for party in involved)


def _came_from_a_service(facts: Facts, party: Party) -> bool:
    above = [facts.party(session) for session in party.above]
    return any(spawner.kind == "service" and spawner.trust != "issued" for spawner in above)


def _came_from_a_runner(facts: Facts, party: Party) -> bool:
    """I5: a run. Whoever writes its task has it made, as a delegator has."""
    above = [facts.party(session) for session in party.above]
    return any(spawner.kind == "service" and spawner.trust == "issued" for spawner in above)


def why_it_may_not_loosen(facts: Facts, control: Control) -> str:
    """M6: only a person outside the author set or a session that P7 would allow may loosen; where keys exist, a person
    only with theirs.
    """
    session = control.session
    who = facts.party(session)
    if is_involved(facts, who):
        return f"{facts.party_name(session)} made or delegated the work"
    if is_person(who):
        return why_unsigned(facts, control)
    if who.kind == "service":
        return f"{facts.party_name(session)} is a service, which never decides (I5)"
    if any(_came_from_a_runner(facts, facts.party(maker)) for maker in makers_of(facts)):
        return f"{facts.party_name(session)} is an agent, and a runner's run made the work: a person says so"
    if control.late and (who.trust == "asserted" or _is_known_to_the_task(facts, who)):
        return f"{facts.party_name(session)} is not uninvolved (P7)"
    return ""


def is_person(who: Party) -> bool:
    """A person, and not only somebody's name for one (I1)."""
    return who.kind == "human" and who.trust != "asserted"


def why_unsigned(facts: Facts, control: Control) -> str:
    """M6, I9: what a person loosens counts only signed where a person's key exists; anybody can look like one."""
    if not facts.has_keys or control.key or facts.party(control.session).kind != "human":
        return ""
    return f"{facts.party_name(control.session)} did not sign it, and where a person's key exists only that counts (I9)"


def _is_known_to_the_task(facts: Facts, who: Party) -> bool:
    """P3, P5, I4: created or judged it, or was spawned by an agent that did."""
    above = [facts.party(session) for session in who.above]
    line = [who, *[party for party in above if party.kind == "agent"]]
    return any(is_creator(facts, party) or did(facts, party, ("reviewed", "approved")) for party in line)


@remembered
def labels_kept(facts: Facts) -> set[str]:
    """M6: the labels that were taken off, at last by somebody who may not loosen."""
    latest = {folded(control.label): control for control in facts.labels_taken_off}
    return {control.label for control in latest.values() if why_it_may_not_loosen(facts, control)}


@remembered
def labels_in_force(facts: Facts) -> set[str]:
    """M6, A7: a label that somebody took off who may not loosen still asks for what it asked for; and what the labels
    of unmerged tasks inside ask for is asked here, too.
    """
    own = {*facts.task.labels, *labels_kept(facts)}
    return own.union(*(labels_in_force(lower.facts) for lower in unmerged(facts)))
