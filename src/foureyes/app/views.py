"""The read side: frozen values that every face shows. Their fields are the stable JSON of `--json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.core.attempt import Attempt
from foureyes.core.facts import HistoryEntry
from foureyes.core.feedback import PriorityChange, RedoOption
from foureyes.core.task import Task
from foureyes.errors import Reason

if TYPE_CHECKING:
    from foureyes.app.findings import FindingView
    from foureyes.core.loop import Standing
    from foureyes.core.review import Review


class SessionView(msgspec.Struct, frozen=True, kw_only=True):
    """A session as the store knows it."""

    id: str
    kind: str
    trust: str
    name: str
    agent: str = ""
    person: str = ""
    host: str = ""
    model: str = ""
    vendor: str = ""
    origin: str = ""
    proven: bool = True
    parent: str | None = None
    base: str | None = None
    process: str = ""
    started_at: str = ""
    last_seen_at: str = ""
    ended: bool = False


class ProjectView(msgspec.Struct, frozen=True, kw_only=True):
    """The project row."""

    id: str
    name: str
    prefix: str
    target: str
    hold: str | None = None
    accepted_digest: str | None = None
    accepted_text: str | None = None
    created_at: str = ""


class TaskRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task in a list."""

    id: str
    title: str
    status: str
    priority: int
    type: str
    labels: list[str] = []
    parent: str | None = None
    implementer: str | None = None
    iteration: int = 0
    version: int
    minor: bool = False
    held: bool = False
    rejected: bool = False
    created_at: str = ""
    updated_at: str = ""
    n: int = 0


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """What would happen if the caller approved now."""

    may_approve: bool
    rule: str
    needs_reason: bool = False
    stale: bool = False
    reasons: tuple[Reason, ...] = ()


class ReviewableRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task the caller could approve (P13), with the diff to look at."""

    task: TaskRow
    attempt: int
    diff_id: str
    you: Preview


class Link(msgspec.Struct, frozen=True):
    """A neighbouring task."""

    id: str
    status: str
    title: str = ""


class ApprovalView(msgspec.Struct, frozen=True, kw_only=True):
    """An approval on record, also one that no longer holds."""

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


class LogView(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a task's log."""

    seq: int
    task: str
    session: str
    type: str
    text: str
    at: str


class HandoffView(msgspec.Struct, frozen=True, kw_only=True):
    """What a session left for the next."""

    seq: int
    session: str
    done: list[str] = []
    remaining: list[str] = []
    decisions: list[str] = []
    uncertain: list[str] = []
    at: str


class EditView(msgspec.Struct, frozen=True, kw_only=True):
    """A change of what a task says; whoever judges the work should know of it (T3, T8)."""

    seq: int
    at: str
    session: str
    what: str
    by_author: bool = False
    after_start: bool = False


class CheckView(msgspec.Struct, frozen=True, kw_only=True):
    """Where a check stands for the latest attempt."""

    check: str
    required: bool
    outcome: str
    summary: str
    claimed: bool = False


class TaskDetail(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about one task. `said` is how near escalation is (E5); `remarks` are shown and hold nothing up (L15,
    L16).

    `counting` are the sessions whose review of the latest attempt counts (D9).
    """

    task: Task
    depends_on: list[Link] = []
    dependents: list[Link] = []
    children: list[Link] = []
    attempts: list[Attempt] = []
    authors: list[str] = []
    cleared: list[str] = []
    history: list[HistoryEntry] = []
    approvals: list[ApprovalView] = []
    feedback: list[FeedbackView] = []
    logs: list[LogView] = []
    handoff: HandoffView | None = None
    edits: list[EditView] = []
    names: dict[str, str] = {}
    mode: str = ""
    mode_reasons: tuple[Reason, ...] = ()
    checks: tuple[CheckView, ...] = ()
    findings: list[FindingView] = []
    reviews: list[Review] = []
    counting: list[str] = []
    loop: Standing | None = None
    said: str = ""
    remarks: list[str] = []
    patches: list[LogView] = []
    you: Preview | None = None

    def name(self, session: str | None) -> str:
        """What people call a session."""
        return self.names.get(session or "", session or "nobody")


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a verb did to a task. `changed` is false for an idempotent repeat."""

    task: str
    status: str
    version: int
    changed: bool = True
    message: str = ""
    next: str = ""
    notes: tuple[str, ...] = ()


class ApprovalOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What an approval did."""

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


class StatusView(msgspec.Struct, frozen=True, kw_only=True):
    """The project at a glance."""

    project: str
    target: str
    policy: str
    policy_source: str
    counts: dict[str, int]
    reviewable: int
    reviewable_more: bool = False
    hold: str | None = None
    notes: tuple[str, ...] = ()


class Check(msgspec.Struct, frozen=True):
    """One line of `fe doctor`."""

    check: str
    result: str
    message: str
    next: str = ""
