"""Judgements about tasks in review, kept by a program that stays, for as long as nothing that they rest on changes.

A judgement rests on the task and its history, on who the sessions in it are, on the results of checks on its trees, and
on the rules and the caller. All of these come from the journal or are compared. What the clock or other tasks can
change without a word in the task's own history is not kept at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.facts import WAIVED, parties_of
from foureyes.app.call.rows import Hash
from foureyes.app.views.review import QueueRow
from foureyes.core.nouns.session import Party
from foureyes.core.rules.gate import Tip
from foureyes.core.rules.policy import ReviewPolicy
from foureyes.core.words.ids import SessionId

if TYPE_CHECKING:
    from foureyes.app.ports import Tx
    from foureyes.core.rules.facts import Facts
    from foureyes.errors import Reason

JOINING = frozenset({"SessionStarted", "SessionEvidenceAdded", "TokenIssued"})
"""I3: what can make one origin of two."""
CHECKED = "CheckFinished"


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What was judged about an attempt, apart from what others do beside it; and what it rests on in git.

    `row` has no number, no age and nothing of its neighbours yet. `agent`: the program that handed it in;
    `elsewhere`: in another clone.
    """

    row: QueueRow
    ref: str
    head: str
    landed: bool
    elsewhere: bool
    tip: Tip
    paths: tuple[str, ...]
    trees: tuple[str, ...]
    agent: str
    lasting: bool


class JudgingBasis(msgspec.Struct, frozen=True, kw_only=True):
    """What all judgements rest on."""

    me: Party
    policy: ReviewPolicy
    gate_policy: ReviewPolicy
    target: str
    hold: str | None
    unsigned: Reason | None = None


class JournalEnd(msgspec.Struct, frozen=True):
    """The end of the journal."""

    seq: int
    hash: str


class TouchedTask(msgspec.Struct, frozen=True):
    """A task that something happened to, and what."""

    task: str
    kind: str


class JudgedTree(msgspec.Struct, frozen=True):
    """A tree that a check ran on."""

    tree: str


class Judgements:
    """The judgements that hold."""

    def __init__(self) -> None:
        self.of: dict[str, Judgement] = {}
        self._basis: JudgingBasis | None = None
        self._end = JournalEnd(0, "")
        self._parties: dict[SessionId, Party] = {}

    def catch_up(self, tx: Tx, basis: JudgingBasis) -> None:
        """Forget what no longer holds in the state that is read."""
        end = tx.one("journal.head", JournalEnd) or JournalEnd(0, "")
        if basis != self._basis or not self._goes_on(tx, end):
            self._forget_all()
        elif end.seq > self._end.seq:
            self._follow(tx)
        self._basis, self._end = basis, end

    def _goes_on(self, tx: Tx, end: JournalEnd) -> bool:
        """Whether this is the same journal as before, perhaps longer: a restored store is another."""
        if end.seq == self._end.seq:
            return end == self._end
        row = tx.one("journal.at", Hash, seq=self._end.seq)
        return row is not None and row.hash == self._end.hash

    def _follow(self, tx: Tx) -> None:
        touched = tx.all("journal.touched", TouchedTask, after=self._end.seq)
        self.forget(row.task for row in touched)
        kinds = {row.kind for row in touched}
        if kinds & JOINING and parties_of(tx, self._parties) != self._parties:
            self._forget_all()
        if CHECKED in kinds:
            trees = {row.tree for row in tx.all("check.trees_since", JudgedTree, after=self._end.seq)}
            self.forget([task for task, judgement in self.of.items() if not trees.isdisjoint(judgement.trees)])

    def add(self, judgements: Iterable[Judgement], parties: dict[SessionId, Party]) -> None:
        """Keep what lasts of new judgements, and who they are about."""
        self.of |= {judgement.row.task: judgement for judgement in judgements if judgement.lasting}
        self._parties |= parties

    def forget(self, tasks: Iterable[str]) -> None:
        """These have to be judged again."""
        for task in tasks:
            self.of.pop(task, None)

    def _forget_all(self) -> None:
        self.of, self._parties = {}, {}


def lasts(facts: Facts) -> bool:
    """Whether a judgement of these facts holds until the journal says something else about the task.

    Minor work is counted by the day and waivers run out; an epic stands with its children, a stack with the tasks
    inside; a session that is only named by a trailer may turn up later.
    """
    if facts.task.minor or facts.task.type == "epic" or facts.below or WAIVED in facts.troubles:
        return False
    named = {entry.session for entry in facts.history or ()} | {author.session for author in facts.authors or ()}
    return all(not session or session in facts.parties for session in named)
