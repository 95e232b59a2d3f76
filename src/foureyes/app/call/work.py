"""A writing transaction of one actor."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from foureyes.app.call.caller import gate_of, refuse_other_task
from foureyes.app.call.rows import Count, EvidenceRow
from foureyes.app.views.session import SessionView
from foureyes.errors import Internal

if TYPE_CHECKING:
    from foureyes.app.ports import NamedQuery, WriteTx
    from foureyes.core.events import Event, SessionStarted
    from foureyes.core.nouns.session import Actor


DECISIONS = frozenset({
    "Approved", "ApprovalFinished", "RedoRequested", "AttemptSentBack", "TaskRejected",
    "TaskClosed", "TaskCancelled", "TaskDeleted", "TaskMerged",
})  # fmt: skip
"""What ends the cycles of a task for good, and lifts what they paused (V9). A newer attempt is none of these: its own
cycle lifts what R2 paused.
"""


ENDS_APPROVAL = frozenset({
    "ApprovalWithdrawn", "ApprovalEnded", "RedoRequested", "TaskRejected", "TaskClosed", "TaskCancelled", "TaskDeleted",
    "AttemptSubmitted", "AttemptSentBack", "TaskReopened", "ApprovalVoided", "MergeFailed",
})  # fmt: skip
"""Q6: what waits until it is known whether the merge of the task arrived at the remote."""


def of_writer(actor: Actor) -> list[NamedQuery]:
    """What every transaction asks before its first row: who writes, and the end of the chain (`along`)."""
    return [("session.get", {"id": actor.session}), ("session.known_evidence", _evidence(actor)), ("journal.end", {})]


def _evidence(actor: Actor) -> dict[str, object]:
    return {"evidence": actor.evidence, "session": actor.session}


class Work:
    """A writing transaction of one actor: reads see what was already recorded in it.

    `unproven` is why nothing may be recorded yet: a person's signature is still to be checked (I9). `seal` checks it,
    with the first thing that is recorded. `key` is the key it was made with, `by_person` that a person has to do this,
    `unsigned` that a person loosens something and did not sign it where that is needed to count (M6).
    """

    def __init__(self, tx: WriteTx, actor: Actor, at: str, project: str, unproven: str = "") -> None:
        self.tx = tx
        self.actor = actor
        self.at = at
        self.unproven = unproven
        self.seal: Callable[[Work], None] | None = None
        self.key = ""
        self.by_person = False
        self.unsigned = False
        self._project = project
        self._known = False

    def record(self, task: str, *events: Event) -> list[int]:
        """Journal events about a task (or about none: ""). The session's row is made with its first write (I1)."""
        if self.actor.task is not None:
            refuse_other_task(self.actor, task)
        if self.seal is not None:
            seal, self.seal = self.seal, None
            seal(self)
        if self.unproven:
            raise Internal(f"{self.unproven} was about to be recorded without its signature (I9)")
        if task and any(type(event).__name__ in ENDS_APPROVAL for event in events):
            from foureyes.app.call.merge_intents import refuse_sent

            refuse_sent(self.tx, task)
        self.introduce()
        rows = self.tx.append(self.actor.session, self.at, [(task, event) for event in events])
        for kind in (type(event).__name__ for event in events):
            if task and kind in DECISIONS:
                from foureyes.app.call.lifting import lift_decided

                lift_decided(self, task, kind)
        return rows

    @property
    def notes(self) -> tuple[str, ...]:
        """After the commit: what there is to say about the files that follow it."""
        return tuple(self.tx.notes)

    def decide_nothing(self) -> None:
        """What is recorded from here on is no decision: nobody's signature belongs under it."""
        self.seal, self.unproven = None, ""

    @cached_property
    def gate(self) -> Work:
        """The same transaction, in the name of the gate: what a rule decides, no caller decides."""
        return Work(self.tx, gate_of(self._project), self.at, self._project)

    def introduce(self) -> None:
        """Make the session's row, or add what is new about it; once."""
        if self._known:
            return
        self._known = True
        actor, tx = self.actor, self.tx
        known = tx.one("session.get", SessionView, id=actor.session)
        event: Event | None = None
        if known is None:
            event = self._first_words()
        elif actor.trust != "asserted":
            have = {row.evidence for row in tx.all("session.known_evidence", EvidenceRow, **_evidence(actor))}
            missing = tuple(piece for piece in actor.evidence if piece not in have)
            if missing:
                from foureyes.core.events import SessionEvidenceAdded

                event = SessionEvidenceAdded(evidence=missing)
        if event is not None:
            tx.append(actor.session, self.at, [("", event)])

    def _first_words(self) -> SessionStarted:
        from foureyes.core.events import SessionStarted

        actor = self.actor
        name = actor.name
        if actor.kind == "agent" and actor.trust != "asserted":
            count = self.tx.one("session.count_agent", Count, agent=actor.agent)
            name = f"{actor.agent or 'agent'}#{(count.n if count else 0) + 1}"
        return SessionStarted(
            kind=actor.kind,
            trust=actor.trust,
            agent=actor.agent,
            person=actor.person,
            host=actor.host,
            model=actor.model,
            vendor=actor.vendor,
            name=name,
            proven=actor.is_proven,
            parent=actor.parent,
            base=actor.base,
            process=actor.processes[0] if actor.processes and actor.kind == "agent" else "",
            evidence=() if actor.trust == "asserted" else actor.evidence,
        )
