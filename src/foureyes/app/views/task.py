"""The read side: frozen values that every face shows. Their fields are the stable JSON of `--json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.steps import NO_STEP, Steps

if TYPE_CHECKING:  # a verb that answers with an Outcome needs none of them
    from foureyes.app.views.check import CheckView
    from foureyes.app.views.finding import FindingView
    from foureyes.app.views.pause import PauseView
    from foureyes.app.views.review import ApprovalView, FeedbackView, ReviewView
    from foureyes.app.views.stack import InsideRow
    from foureyes.app.views.status import OpenPoint
    from foureyes.app.views.task_list import Link, Preview
    from foureyes.core.loop.engine import LoopState
    from foureyes.core.nouns.attempt import Attempt
    from foureyes.core.nouns.task import Task
    from foureyes.core.rules.facts import HistoryEntry
    from foureyes.errors import Reason


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
    from foureyes.app.views.check import CheckView
    from foureyes.app.views.finding import FindingView
    from foureyes.app.views.pause import PauseView
    from foureyes.app.views.review import ApprovalView, FeedbackView, ReviewView
    from foureyes.app.views.stack import InsideRow
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
