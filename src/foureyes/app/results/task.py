"""Results about one task in full, of plans, and of the completion report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from foureyes.errors import Reason
from foureyes.steps import NO_STEP, Steps

if TYPE_CHECKING:
    from foureyes.app.results.attempt import CheckView, InsideRow
    from foureyes.app.results.finding import FindingView
    from foureyes.app.results.review import ApprovalView, FeedbackView, ReviewView
    from foureyes.app.results.run import PauseView
    from foureyes.app.results.status import OpenPoint
    from foureyes.app.results.task_list import Link, Preview
    from foureyes.core.loop.rounds import LoopState
    from foureyes.core.nouns.attempt import Attempt
    from foureyes.core.nouns.task import Task
    from foureyes.core.rules.facts import HistoryEntry


# ---- One task ----


class LogView(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a task's log."""

    seq: int
    task: str
    session: str
    type: str
    text: str
    at: str


class HandoffView(msgspec.Struct, frozen=True, kw_only=True):
    """A session's handoff note for the next session."""

    seq: int
    session: str
    done: list[str] = []
    remaining: list[str] = []
    decisions: list[str] = []
    uncertain: list[str] = []
    at: str


class EditView(msgspec.Struct, frozen=True, kw_only=True):
    """An edit of a task's text. Reviewers should know of it. (T3, T8)"""

    seq: int
    at: str
    session: str
    what: str
    by_author: bool = False
    after_start: bool = False


class PastRunView(msgspec.Struct, frozen=True, kw_only=True):
    """A run on a task's page. `state` is how it ended, or its current state."""

    run: str
    profile: str
    state: str
    why: str
    at: str
    purpose: str = "implement"

    @property
    def words(self) -> str:
        """The run in words: profile, purpose unless it implements, state and reason."""
        purpose = f" ({self.purpose})" if self.purpose in ("review", "clarify") else ""
        return f"{self.profile}{purpose} {self.state}" + (f": {self.why}" if self.why else "")


class TaskDetail(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about one task.

    - said: how near escalation is (E5)
    - remarks: shown, but they block nothing (L15, L16)
    - inside: tasks whose work is inside, topmost first (A7)
    - counting: sessions whose review of the latest attempt counts (D9)
    - place: its place in the merge queue if approved now, 0 if it would not be queued
    - worktree: its path while someone works on the task (K1)
    - runs: latest runs, oldest first
    - pauses: pauses that affect it (V9)
    - points: reviewers' questions to the author (R2)
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
    reviews: list[ReviewView] = []
    counting: list[str] = []
    loop: LoopState | None = None
    escalation: str = ""
    remarks: list[str] = []
    patches: list[LogView] = []
    inside: tuple[InsideRow, ...] = ()
    you: Preview | None = None
    place: int = 0
    worktree: str = ""
    runs: list[PastRunView] = []
    pauses: list[PauseView] = []
    points: list[OpenPoint] = []
    next: Steps = NO_STEP

    def name(self, session: str | None) -> str:
        """Return a session's display name."""
        return self.names.get(session or "", session or "nobody")


def named() -> dict[str, type]:
    """Return the field types for decoders. They are imported only here."""
    from foureyes.app.results.attempt import CheckView, InsideRow
    from foureyes.app.results.finding import FindingView
    from foureyes.app.results.review import ApprovalView, FeedbackView, ReviewView
    from foureyes.app.results.run import PauseView
    from foureyes.app.results.status import OpenPoint
    from foureyes.app.results.task_list import Link, Preview
    from foureyes.core.loop.rounds import LoopState
    from foureyes.core.nouns.attempt import Attempt
    from foureyes.core.nouns.task import Task
    from foureyes.core.rules.facts import HistoryEntry
    from foureyes.errors import Reason

    return {
        kind.__name__: kind
        for kind in (
            CheckView,
            OpenPoint,
            FindingView,
            ApprovalView,
            FeedbackView,
            ReviewView,
            PastRunView,
            PauseView,
            InsideRow,
            Link,
            Preview,
            LoopState,
            Attempt,
            Task,
            HistoryEntry,
            Reason,
        )
    }


# ---- Plans ----


class PlannedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A section of a plan and its task, "" in a preview.

    `state` is new, known (the task exists as planned), or differs, with the differences in `notes`. An existing task is
    never changed.
    """

    task: str
    title: str
    mode: str
    labels: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    state: Literal["new", "known", "differs"] = "new"
    status: str = "open"
    notes: tuple[str, ...] = ()


def without_reviewer(rows: Sequence[PlannedRow]) -> str:
    """Return a sentence about how many new tasks merge without a reviewer, "" if none does. (M7)"""
    many = sum(row.state == "new" and row.mode.endswith(("auto-approve", "skip")) for row in rows)
    return f"{many} task{'' if many == 1 else 's'} will merge without a reviewer once checks pass" if many else ""


class Drafted(msgspec.Struct, frozen=True, kw_only=True):
    """An agent's draft plan for a goal: its file, a preview of the import or the problem with it, and the next step."""

    task: str
    profile: str
    file: str = ""
    text: str = ""
    rows: tuple[PlannedRow, ...] = ()
    problem: str = ""
    next: Steps = NO_STEP


class Accepted(msgspec.Struct, frozen=True):
    """A task whose planned mode a person accepted, and its mode now, because a label overrides a plan."""

    task: str
    mode: str
    planned: str = ""


# ---- The completion report ----


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The completion report: complete or not, every reason against it, and notes. (X4)

    `open`: without a scope, tasks that are neither submitted nor closed.
    """

    complete: bool
    scope: str
    tasks: int
    open: int = 0
    reasons: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()
    blocking: dict[str, list[str]] = {}
