"""Results about reviews: queue, batches, approvals, feedback, cycles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from foureyes.app.results.attempt import InsideRow
from foureyes.app.results.task_list import Preview
from foureyes.core.loop.reviews import Review
from foureyes.core.nouns.cycle import AskState, CycleState, ReviewerKind, Trigger
from foureyes.core.nouns.decision import NOTHING_KNOWN, Basis, Feedback, PriorityChange, RedoOption, Viewing, basis_of
from foureyes.core.rules.risk import Risk
from foureyes.core.words.vocabulary import Verdict
from foureyes.errors import Reason
from foureyes.steps import NO_STEP, Steps

# ---- Review ----

Face = Literal["", "cli", "tui", "web", "mcp"]
MEASURING: frozenset[Face] = frozenset({"tui", "web"})


class ViewReport(msgspec.Struct, frozen=True):
    """How a reviewer viewed a change, according to the interface. (D8, H4, H5)

    The interface reports only ids, and the application counts the hunks.

    - shown: hunks that were on screen long enough
    - marked: hunks ticked off by hand
    - spaceless: hunks shown without white-space changes
    - pager: a pager was opened
    - seconds: time in focus
    - confirmed: the reviewer confirmed to approve hunks that were not shown
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
        """True if the interface knows what was on screen."""
        return self.face in MEASURING


NOT_VIEWED = ViewReport()


class ApprovalView(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded approval. `rests_on` is its basis: a person, the rule, or an agent with or without its own review of
    this change (D9).
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
    viewed: Viewing = NOTHING_KNOWN
    rests_on: str = ""

    @property
    def basis(self) -> Basis:
        return basis_of(self.grade)


class ReviewView(Review, frozen=True, kw_only=True):
    """A recorded review with its author, and why it does not count for the latest attempt, if so. (D9)"""

    by: str = ""
    counts: bool = False
    against: str = ""


class FeedbackView(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a redo or reject."""

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
    viewed: Viewing = NOTHING_KNOWN

    @property
    def entry(self) -> Feedback:
        """The decision in the form of the feedback rules. (F2, F3)"""
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
    """The result of an approval. `resolution` says how the task was closed before, if it was."""

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
"""Rules about a mode that reviewers should know of."""


class QueueRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task in review, with everything needed to order it and decide about it.

    - who: who submitted it
    - seen: the value for `--seen` (D7)
    - inside: tasks whose work is inside (A7)
    - fixes, disputes: number of answered findings that need a ruling (L8, L9)
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
    owner: str = ""
    submitted_at: str = ""
    age_seconds: int = 0
    fixes: int = 0
    disputes: int = 0
    you: Preview
    inside: tuple[InsideRow, ...] = ()

    @property
    def to_rule(self) -> str:
        """The number of findings that need a ruling, in words. "" if there are none."""
        counts = ((self.fixes, "fix", "fixes"), (self.disputes, "dispute", "disputes"))
        parts = [f"{n} {singular if n == 1 else plural}" for n, singular, plural in counts if n]
        return f"{' and '.join(parts)} to rule on" if parts else ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """The reasons for its place in the queue, worst first."""
        words = ["STALE: its branch moved after the submission (D4)"] if self.you.stale else []
        words += [self.to_rule] if self.to_rule else []
        words += [reason.message for reason in self.risk.reasons]
        words += [f"{reason.message} ({reason.rule})" for reason in self.mode_reasons if reason.rule in REMARKABLE]
        words += ["held"] if self.held else []
        return tuple(dict.fromkeys(words))

    @property
    def is_batchable(self) -> bool:
        """True if the caller can approve it in a batch. A task with high risk must be selected by hand. (M8)"""
        return self.auto_approvable and self.you.may_approve

    @property
    def is_in_batch(self) -> bool:
        """True if `--all-auto` includes it for this caller. (M8)"""
        return self.is_batchable and self.risk.level != "high"

    def check_word(self, name: str) -> str:
        """Return the state of a check in a word. A pass that only an agent or an author has run is `claimed`. (D5)"""
        word = self.checks.get(name, "not_run")
        return "claimed" if word == "passed" and name in self.claimed else word


class QueueView(msgspec.Struct, frozen=True, kw_only=True):
    """The queue. `rows` may be only the first of `count`. `approvable` is the number that the caller could approve now
    (P13).
    """

    count: int
    auto_approvable: int
    need_attention: int
    approvable: int = 0
    checks: tuple[str, ...]
    rows: tuple[QueueRow, ...]
    next: Steps = NO_STEP


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """The tasks of one batch approval. `high` lists those with high risk, which are never selected by default."""

    tasks: tuple[QueueRow, ...]
    high: tuple[QueueRow, ...] = ()
    left_off: int = 0


class ReviewOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a review."""

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
    """Return every decision about a task, oldest first. (F2)"""
    decisions = [(row.seq, row.entry) for row in feedback]
    for row in approvals:
        if not row.recorded:
            decisions.append((row.seq, Feedback(iteration=row.attempt, at=row.at, decision="approved")))
    return [entry for _, entry in sorted(decisions, key=lambda decision: decision[0])]


# ---- Review cycles ----


class CycleTargetView(msgspec.Struct, frozen=True, kw_only=True):
    """A target of a cycle. `over`: why it no longer is one. `diff_id`: the change that a review must name (D7)."""

    task: str
    attempt: int = 0
    early_review: int = 0
    diff_id: str = ""
    summary: str = ""
    over: str = ""


class AskedView(msgspec.Struct, frozen=True, kw_only=True):
    """A reviewer who was asked about a target. `late`: the deadline has passed."""

    task: str
    reviewer: str
    kind: ReviewerKind
    state: AskState
    until: str = ""
    why: str = ""
    text: str = ""
    late: bool = False


class GivenView(msgspec.Struct, frozen=True, kw_only=True):
    """A review in a cycle. `against`: why its approval does not count (V3, V4)."""

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
    """A point to clarify, with its answer. (R2)"""

    id: str
    task: str
    reviewer: str
    text: str
    finding: str = ""
    answer: str = ""
    by: str = ""


class CycleView(msgspec.Struct, frozen=True, kw_only=True):
    """A review cycle. `waits_for` has the reviewers it waits for, and `next` its next step."""

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
    requested: tuple[AskedView, ...] = ()
    reviews: tuple[GivenView, ...] = ()
    points: tuple[PointView, ...] = ()
    clarify_until: str = ""
    waits_for: tuple[str, ...] = ()
    at: str = ""
    ended_at: str = ""
    next: Steps = NO_STEP


class CycleOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a verb for a cycle. `changed` is False if the cycle existed already or nothing was due."""

    cycle: str
    state: CycleState
    rule: str = ""
    changed: bool = True
    message: str = ""
    requested: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    next: Steps = NO_STEP


class IssueRow(msgspec.Struct, frozen=True, kw_only=True):
    """A concern or a missing review, of work that continues (R0, R3) or is stopped (R1, R2)."""

    cycle: str
    task: str
    rule: str
    reviewer: str
    verdict: str
    text: str
    at: str = ""
    next: Steps = NO_STEP
