"""Reviews: queue, batches, approvals, feedback, cycles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from foureyes.app.views.attempt import InsideRow
from foureyes.app.views.task_list import Preview
from foureyes.core.loop.reviews import Review
from foureyes.core.nouns.cycle import AskState, CycleState, ReviewerKind, Trigger
from foureyes.core.nouns.decision import NOTHING_KNOWN, Basis, Feedback, Looked, PriorityChange, RedoOption, basis_of
from foureyes.core.rules.risk import Risk
from foureyes.core.words.vocabulary import Verdict
from foureyes.errors import Reason
from foureyes.steps import NO_STEP, Steps

# ---- Review ----

Face = Literal["", "cli", "tui", "web", "mcp"]
MEASURING: frozenset[Face] = frozenset({"tui", "web"})


class FaceLook(msgspec.Struct, frozen=True):
    """How somebody looked at a change, as their face tells it (H4, H5): ids of hunks that were on screen long enough,
    ids of others that were ticked off by hand, or were on screen without their white space (`spaceless`), whether an
    external pager was opened, seconds in focus. `confirmed`: asked about hunks that
    were never shown, they said yes (D8).

    Numbers of hunks are counted by the application; a face tells ids only.
    """

    face: Face = ""
    shown: tuple[str, ...] = ()
    marked: tuple[str, ...] = ()
    pager: bool = False
    seconds: int = 0
    confirmed: bool = False
    spaceless: tuple[str, ...] = ()

    @property
    def measured(self) -> bool:
        """Whether the face knows what was on screen."""
        return self.face in MEASURING


NO_LOOK = FaceLook()


class ApprovalView(msgspec.Struct, frozen=True, kw_only=True):
    """An approval on record, also one that no longer holds. `rests_on`: a person's word, the rule itself, or an
    agent's, with its own review of exactly this change or without one (D9).
    """

    seq: int
    task: str
    attempt: int
    session: str
    diff_id: str
    rule: str
    exception: str = ""
    reason: str = ""
    seen: str = ""
    grade: str = ""
    at: str
    state: str
    ended_why: str = ""
    recorded: bool = False
    finished_by: str | None = None
    finished_why: str = ""
    batch: str = ""
    gone: list[str] = []
    look: Looked = NOTHING_KNOWN
    rests_on: str = ""

    @property
    def basis(self) -> Basis:
        return basis_of(self.grade)


class ReviewView(Review, frozen=True, kw_only=True):
    """A review on record: who gave it, whether it counts for the latest attempt, and what is against that (D9)."""

    by: str = ""
    counts: bool = False
    against: str = ""


class FeedbackView(msgspec.Struct, frozen=True, kw_only=True):
    """What a redo or reject said."""

    seq: int
    iteration: int
    session: str
    decision: str
    text: str
    at: str
    quick_issues: list[str] = []
    option: RedoOption = "keep"
    reset_to: str | None = None
    priority: PriorityChange = "same"
    source: str = ""
    look: Looked = NOTHING_KNOWN

    @property
    def entry(self) -> Feedback:
        """The decision as the rules of feedback know it (F2, F3)."""
        return Feedback(
            iteration=self.iteration,
            at=self.at,
            decision="redo" if self.decision == "redo" else "rejected",
            text=self.text,
            quick_issues=self.quick_issues,
            option=self.option,
            priority=self.priority,
            source=self.source,
            reset_to=self.reset_to,
        )


class ApprovalOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What an approval did. `resolution`: how the task was closed, where it was before."""

    approved: str
    attempt: int
    diff_id: str
    rule: str
    status: str
    message: str = ""
    exception: bool = False
    security_event: int | None = None
    seen: str | None = None
    changed: bool = True
    position: int = 0
    notes: tuple[str, ...] = ()
    resolution: str = ""


REMARKABLE = ("M2", "M6", "A4")
"""Rules that say something about a mode which whoever looks should know."""


class QueueRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task that waits, with everything that a decision is ordered and prepared by. `who` handed it in; `seen` is what
    `--seen` takes (D7); `inside`: the tasks whose work is inside (A7).
    `fixes`, `disputes`: findings that are answered so and wait for a ruling (L8, L9).
    """

    n: int = 0
    task: str
    title: str
    priority: int
    attempt: int
    diff_id: str
    seen: str = ""
    mode: str
    mode_reasons: tuple[Reason, ...] = ()
    risk: Risk
    auto_approvable: bool
    auto_reasons: tuple[Reason, ...] = ()
    checks: dict[str, str] = {}
    claimed: tuple[str, ...] = ()
    files: int = 0
    added: int = 0
    removed: int = 0
    held: bool = False
    blocks: int = 0
    version: int = 0
    labels: tuple[str, ...] = ()
    who: str = ""
    submitted_at: str = ""
    age_seconds: int = 0
    fixes: int = 0
    disputes: int = 0
    you: Preview
    inside: tuple[InsideRow, ...] = ()

    @property
    def to_rule(self) -> str:
        """What waits for a ruling, in words; empty where nothing does."""
        counts = ((self.fixes, "fix", "fixes"), (self.disputes, "dispute", "disputes"))
        parts = [f"{n} {singular if n == 1 else plural}" for n, singular, plural in counts if n]
        return f"{' and '.join(parts)} to rule on" if parts else ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """Why it stands where it stands, the worst first."""
        words = ["STALE: its branch moved after it was submitted (D4)"] if self.you.stale else []
        words += [self.to_rule] if self.to_rule else []
        words += [reason.message for reason in self.risk.reasons]
        words += [f"{reason.message} ({reason.rule})" for reason in self.mode_reasons if reason.rule in REMARKABLE]
        words += ["held"] if self.held else []
        return tuple(dict.fromkeys(words))

    @property
    def is_batchable(self) -> bool:
        """M8: what the caller could approve in one go; of high risk only where they tick it themselves."""
        return self.auto_approvable and self.you.may_approve

    @property
    def is_in_batch(self) -> bool:
        """M8: what the caller's `--all-auto` takes, and so what is counted and offered."""
        return self.is_batchable and self.risk.level != "high"

    def check_word(self, name: str) -> str:
        """Where a check stands, in a word; a pass that only an agent or an author has run is `claimed` (D5)."""
        word = self.checks.get(name, "not_run")
        return "claimed" if word == "passed" and name in self.claimed else word


class QueueView(msgspec.Struct, frozen=True, kw_only=True):
    """The queue as it is now. `rows` may be only the first of the `count` that wait; `approvable`: how many of them
    the caller could approve now (P13).
    """

    count: int
    auto_approvable: int
    need_attention: int
    approvable: int = 0
    checks: tuple[str, ...]
    rows: tuple[QueueRow, ...]
    next: Steps = NO_STEP


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """What one batch approval would approve. `high`: high risk, which is never pre-selected."""

    tasks: tuple[QueueRow, ...]
    high: tuple[QueueRow, ...] = ()
    left_off: int = 0


class ReviewOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a review."""

    task: str
    attempt: int
    diff_id: str
    verdict: str
    effective: str
    status: str
    counts: bool
    raised: tuple[str, ...] = ()
    ruled: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    sent_back: bool = False
    task_status: str = ""
    message: str = ""
    notes: tuple[str, ...] = ()
    next: Steps = NO_STEP


def decisions_in(feedback: Sequence[FeedbackView], approvals: Sequence[ApprovalView]) -> list[Feedback]:
    """F2: every decision about a task, oldest first, out of its rows."""
    decisions = [(row.seq, row.entry) for row in feedback]
    for row in approvals:
        if not row.recorded:
            decisions.append((row.seq, Feedback(iteration=row.attempt, at=row.at, decision="approved")))
    return [entry for _, entry in sorted(decisions, key=lambda decision: decision[0])]


# ---- Review cycles as faces show them ----


class CycleTargetView(msgspec.Struct, frozen=True, kw_only=True):
    """What a cycle is about. `over`: why it is that no more. `diff_id`: what a review of it names (D7)."""

    task: str
    attempt: int = 0
    look: int = 0
    diff_id: str = ""
    summary: str = ""
    over: str = ""


class AskedView(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who was asked about a target. `late`: until then was too long ago."""

    task: str
    reviewer: str
    kind: ReviewerKind
    state: AskState
    until: str = ""
    why: str = ""
    text: str = ""
    late: bool = False


class GivenView(msgspec.Struct, frozen=True, kw_only=True):
    """A review in a cycle. `against`: why one that agrees does not count by who gave it (V3, V4)."""

    task: str
    by: str
    verdict: Verdict
    effective: Verdict
    summary: str
    review: int
    counts: bool = False
    against: str = ""
    at: str = ""


class PointView(msgspec.Struct, frozen=True, kw_only=True):
    """R2: a point to clarify, and the answer."""

    id: str
    task: str
    reviewer: str
    text: str
    finding: str = ""
    answer: str = ""
    by: str = ""


class CycleView(msgspec.Struct, frozen=True, kw_only=True):
    """A review cycle. `waits_for`: whom; `next`: what moves it."""

    id: str
    trigger: Trigger
    state: CycleState
    rule: str = ""
    wide: bool = False
    reason: str = ""
    reasons: tuple[str, ...] = ()
    why: str = ""
    follows: str = ""
    quorum: int = 1
    seats: int = 1
    targets: tuple[CycleTargetView, ...] = ()
    asked: tuple[AskedView, ...] = ()
    reviews: tuple[GivenView, ...] = ()
    points: tuple[PointView, ...] = ()
    clarify_until: str = ""
    waits_for: tuple[str, ...] = ()
    at: str = ""
    ended_at: str = ""
    next: Steps = NO_STEP


class CycleOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a verb did to a cycle. `changed` is false where it was there already, or nothing was due."""

    cycle: str
    state: CycleState
    rule: str = ""
    changed: bool = True
    message: str = ""
    asked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    next: Steps = NO_STEP


class IssueRow(msgspec.Struct, frozen=True, kw_only=True):
    """A concern, or a missing review, in work that goes on (R0, R3) or stands still (R1, R2)."""

    cycle: str
    task: str
    rule: str
    reviewer: str
    verdict: str
    text: str
    at: str = ""
    next: Steps = NO_STEP
