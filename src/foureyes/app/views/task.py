"""One task in full, plans of many, and the completion report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from foureyes.errors import Reason
from foureyes.steps import NO_STEP, Steps

if TYPE_CHECKING:
    from foureyes.app.views.attempt import CheckView, InsideRow
    from foureyes.app.views.finding import FindingView
    from foureyes.app.views.review import ApprovalView, FeedbackView, ReviewView
    from foureyes.app.views.run_state import PauseView
    from foureyes.app.views.status import OpenPoint
    from foureyes.app.views.task_list import Link, Preview
    from foureyes.core.loop.engine import LoopState
    from foureyes.core.nouns.attempt import Attempt
    from foureyes.core.nouns.task import Task
    from foureyes.core.rules.facts import HistoryEntry


# ---- The read side ----


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


class PastRunView(msgspec.Struct, frozen=True, kw_only=True):
    """A run of a task, as it is on the task's page: who, since when, how it ended and why. `state`: also how one that
    has not ended stands.
    """

    run: str
    profile: str
    state: str
    why: str
    at: str
    purpose: str = "implement"

    @property
    def words(self) -> str:
        """Who it was, what for where that is not the work itself, how it ended and why."""
        purpose = f" ({self.purpose})" if self.purpose in ("review", "clarify") else ""
        return f"{self.profile}{purpose} {self.state}" + (f": {self.why}" if self.why else "")


class TaskDetail(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about one task. `said` is how near escalation is (E5); `remarks` are shown and hold nothing up (L15,
    L16).

    `inside`: the tasks whose work is inside, the topmost first; `above`: those that have this one inside (A7).
    `counting` are the sessions whose review of the latest attempt counts (D9). `place`: where in the merge queue it
    would stand if it were approved now; 0 where an approval leads elsewhere. `worktree`: the path of its own checkout,
    while somebody works on it (K1). `runs`: the latest of agents on it, the oldest first. `pauses`: what keeps runs
    from it, its own and everybody's (V9). `points`: what reviewers ask who made the work (R2).
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
    said: str = ""
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
        """What people call a session."""
        return self.names.get(session or "", session or "nobody")


def named() -> dict[str, type]:
    """What the fields are made of, for who decodes these values: whoever makes them has it, and others do without."""
    from foureyes.app.views.attempt import CheckView, InsideRow
    from foureyes.app.views.finding import FindingView
    from foureyes.app.views.review import ApprovalView, FeedbackView, ReviewView
    from foureyes.app.views.run_state import PauseView
    from foureyes.app.views.status import OpenPoint
    from foureyes.app.views.task_list import Link, Preview
    from foureyes.core.loop.engine import LoopState
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
    """A section of a plan and its task. `state`: made now, there before as the plan has it, or there and different:
    `notes` say how. What was there is never changed. Where nothing was made `task` is empty.
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
    """M7: how many of the new tasks no reviewer has to read, as a sentence; empty if there are none."""
    many = sum(row.state == "new" and row.mode.endswith(("auto-approve", "skip")) for row in rows)
    return f"{many} task{'' if many == 1 else 's'} will merge without a reviewer once checks pass" if many else ""


class Drafted(msgspec.Struct, frozen=True, kw_only=True):
    """A plan that an agent drafted for a goal: the file it is kept in, what importing it would make, or why it cannot
    be imported as it is, and what to type.
    """

    task: str
    profile: str
    file: str = ""
    text: str = ""
    rows: tuple[PlannedRow, ...] = ()
    problem: str = ""
    next: Steps = NO_STEP


class Accepted(msgspec.Struct, frozen=True):
    """A task whose planned mode a person made their own, and the mode that it has now: a label goes before a plan."""

    task: str
    mode: str
    planned: str = ""


# ---- The completion report ----


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """X4: complete or not, every reason, and what is worth knowing in any case. `open`: without a scope, the tasks that
    are neither submitted nor closed.
    """

    complete: bool
    scope: str
    tasks: int
    open: int = 0
    reasons: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()
    blocking: dict[str, list[str]] = {}
