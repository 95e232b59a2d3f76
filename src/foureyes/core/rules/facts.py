"""What a decision about one task rests on: read from the store in one go, judged by `gate` and `four_eyes`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from foureyes.core.nouns.attempt import Attempt, Author
from foureyes.core.nouns.check import CheckResult
from foureyes.core.nouns.finding import Blocking
from foureyes.core.nouns.session import Party, is_above, is_below, is_one_origin, is_same, is_tied
from foureyes.core.nouns.task import Task
from foureyes.core.words.ids import SessionId
from foureyes.core.words.lifecycle import IMPLEMENTATION


class HistoryEntry(msgspec.Struct, frozen=True):
    """One action of a session on a task (I7). `attempt` is the iteration it was about."""

    session: SessionId
    action: str
    attempt: int = 0
    via: SessionId | None = None
    at: str = ""


class Control(msgspec.Struct, frozen=True):
    """Something that decides how a task is looked at, and who did it (M6): a label put on, a plan, an acceptance
    edited.

    `late`: after the task was created; `after_start`: after somebody had begun it.
    """

    kind: Literal["label", "plan", "acceptance"]
    session: SessionId
    label: str = ""
    late: bool = False
    after_start: bool = False


class Recorded(msgspec.Struct, frozen=True):
    """P11: an approval that was recorded and waits to be finished."""

    seq: int
    session: SessionId
    diff_id: str
    reason: str = ""
    exception: str = ""


class Maker(msgspec.Struct, frozen=True):
    """A session that shaped the work, and why it counts as one. `only_named`: nothing but a commit's trailer says so
    (I8).
    """

    session: SessionId
    why: str
    only_named: bool = False


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """One task with its ledger. `history` or `authors` is None when it could not be read (P0).

    `parties` has everyone who is named anywhere in it, spawners included. `cleared` says up to which attempt a person
    cleared a session of what trailers say about it (I8). `reviewers` have a counting review of the diff (D9).
    `troubles` are
    things about findings and reviews that whoever looks should know (H1).
    """

    task: Task
    attempt: Attempt | None = None
    history: tuple[HistoryEntry, ...] | None = ()
    authors: tuple[Author, ...] | None = ()
    parties: dict[SessionId, Party] = {}
    children_closed: bool = True
    child_count: int = 0
    child_makers: frozenset[SessionId] = frozenset()
    labels_taken_off: tuple[tuple[str, SessionId], ...] = ()
    controls: tuple[Control, ...] = ()
    results: tuple[CheckResult, ...] = ()
    tests: dict[str, frozenset[str]] = {}
    open_blocking: tuple[Blocking, ...] = ()
    troubles: tuple[str, ...] = ()
    recorded: tuple[Recorded, ...] = ()
    cleared: dict[SessionId, int] = {}
    reviewers: frozenset[SessionId] = frozenset()
    project_hold: str | None = None
    minor_self_approvals: dict[str, int] = {}

    def party(self, session: SessionId) -> Party:
        """Who a session is; one that the store does not know (a forged or foreign trailer) is only itself."""
        return self.parties.get(session) or Party(session=session, kind="agent", name=session)

    def party_name(self, session: str) -> str:
        """What people call a session: `claude#1 (ses-…)`, or a person's name."""
        party = self.party(SessionId(session))
        return (
            party.name
            if party.kind == "human" or not party.name or party.name == session
            else f"{party.name} ({session})"
        )

    def makers(self) -> dict[SessionId, Maker]:
        """Everyone who shaped the work, with the plainest reason: implementer, history, author set. Never services
        (I7).
        """
        makers: dict[SessionId, Maker] = {}
        if self.task.implementer:
            makers[self.task.implementer] = Maker(self.task.implementer, "is its implementer")
        for entry in self.history or ():
            by_trailer = entry.action == "committed"
            cleared = by_trailer and entry.attempt <= self.cleared.get(entry.session, -1)
            if entry.action in IMPLEMENTATION and not cleared:
                why = "is named by the trailer of a commit" if by_trailer else f"{entry.action} it"
                makers.setdefault(entry.session, Maker(entry.session, why, only_named=by_trailer))
        for author in self.authors or ():
            if author.source != "trailer" or author.attempt > self.cleared.get(author.session, -1):
                makers.setdefault(author.session, Maker(author.session, f"is in the author set ({author.why})"))
        return {session: maker for session, maker in makers.items() if self.party(session).kind != "service"}

    def delegators(self) -> set[SessionId]:
        """I7: agents that spawned a maker; people and services are never delegators."""
        above = {spawner for maker in self.makers() for spawner in self.party(maker).above}
        return {session for session in above if self.party(session).kind == "agent"}

    def has_delegated(self, actor: Party) -> bool:
        """I7: the actor, by origin, spawned a maker."""
        return any(is_tied(actor, self.party(delegator)) for delegator in self.delegators())

    def is_under(self, actor: Party, other: Party) -> bool:
        """I4: the actor was spawned, at any depth, by this session or by one of its origin."""
        above = [self.party(session) for session in actor.above]
        return is_below(actor, other) or any(party.kind != "service" and is_one_origin(party, other) for party in above)

    def did(self, actor: Party, actions: Iterable[str], *, before: int | None = None) -> bool:
        """Whether the actor, by origin, has one of these actions in the history (about an attempt before `before`)."""
        wanted = frozenset(actions)
        return any(
            entry.action in wanted
            and (before is None or entry.attempt < before)
            and is_tied(actor, self.party(entry.session))
            for entry in self.history or ()
        )

    def is_involved(self, who: Party) -> bool:
        """M6: made the work, delegated it, or cannot be told apart from somebody who did."""
        involved = [self.party(session) for session in {*self.makers(), *self.delegators()}]
        if who.kind == "agent" and any(self._came_from_a_service(party) for party in involved):
            return True  # whoever shed its ancestors and gave itself a token may be any agent
        return any(is_tied(who, party) or self.is_under(who, party) for party in involved)

    def _came_from_a_service(self, party: Party) -> bool:
        above = [self.party(session) for session in party.above]
        return any(spawner.kind == "service" and spawner.trust != "issued" for spawner in above)

    def why_it_may_not_loosen(self, session: SessionId, *, late: bool, skip: bool = False) -> str:
        """M6: only a person outside the author set or a session that P7 would allow may loosen; to skip after start,
        only a person.
        """
        who = self.party(session)
        if self.is_involved(who):
            return f"{self.party_name(session)} made or delegated the work"
        if who.kind == "human" and who.trust != "asserted":
            return ""
        if skip:
            return f"{self.party_name(session)} put it on after the start, and then only a person may"
        if who.kind == "service":
            return f"{self.party_name(session)} is a service, which never decides (I5)"
        if late and (who.trust == "asserted" or self._is_known_to_the_task(who)):
            return f"{self.party_name(session)} is not uninvolved (P7)"
        return ""

    def _is_known_to_the_task(self, who: Party) -> bool:
        """P3, P5, I4: created or judged it, or was spawned by an agent that did."""
        above = [self.party(session) for session in who.above]
        line = [who, *[party for party in above if party.kind == "agent"]]
        return any(self.is_creator(party) or self.did(party, ("reviewed", "approved")) for party in line)

    def labels_kept(self) -> set[str]:
        """M6: the labels that were taken off, at last by somebody who may not loosen."""
        latest = dict(self.labels_taken_off)
        return {label for label, session in latest.items() if self.why_it_may_not_loosen(session, late=True)}

    def labels_in_force(self) -> set[str]:
        """M6: a label that somebody took off who may not loosen still asks for what it asked for."""
        return {*self.task.labels, *self.labels_kept()}

    def made_by(self, actor: Party) -> Maker | None:
        """P2: the maker that the actor is, shares an origin with, or was spawned by; and the words for it."""
        makers = self.makers()
        if actor.session in makers:
            return makers[actor.session]
        for maker in makers.values():
            tie = self._tie(actor, self.party(maker.session))
            if tie:
                return msgspec.structs.replace(maker, why=f"{maker.why}, and {tie}")
        return None

    def _tie(self, actor: Party, maker: Party) -> str:
        """I3, I4: what the actor has to do with another session that made the work; empty where nothing."""
        if is_above(maker, actor):
            return "its process is above the caller's, so both are of one origin (I3)"
        if is_one_origin(actor, maker):
            return "both are of one origin (I3)"
        if is_tied(actor, maker):
            return "cannot be told apart from the caller: no agent process shows its origin (I3)"
        return "spawned the caller (I4)" if self.is_under(actor, maker) else ""

    def only_shares_an_origin(self, actor: Party) -> bool:
        """I4: the actor is another session than every maker, below none of them, and only of one origin with some."""
        makers = [self.party(session) for session in self.makers()]
        told_apart = all((actor.proven and maker.proven) or not is_tied(actor, maker) for maker in makers)
        return told_apart and not any(is_same(actor, maker) or self.is_under(actor, maker) for maker in makers)

    def changed_paths(self) -> list[str]:
        """Every path that the attempt touches; of a rename both."""
        files = self.attempt.files if self.attempt else ()
        return [path for changed in files for path in (changed.path, changed.old_path) if path]

    def is_creator(self, actor: Party) -> bool:
        """Creator by origin; a person by person."""
        return is_one_origin(actor, self.party(self.task.creator))
