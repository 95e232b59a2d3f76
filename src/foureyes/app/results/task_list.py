"""Results about tasks in lists: filters, rows, and the result of a verb that changed a task."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.errors import Reason
from foureyes.steps import NO_STEP, Steps

# ---- Tasks in lists ----


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


class ListedTask(TaskRow, frozen=True, kw_only=True):
    """A task in a list, with its implementer (`owner`), review `mode` (M), open dependencies (`waits`), and the role that
    has to decide (`waiting_for`, E2).
    """

    owner: str = ""
    mode: str = ""
    waits: tuple[str, ...] = ()
    waiting_for: str = ""


class Link(msgspec.Struct, frozen=True):
    """A related task."""

    id: str
    status: str
    title: str = ""


class ListQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Filters, order and page of a list. `after` is the (priority, n) of the last row on the previous page."""

    status: str | None = None
    live: bool = False
    label: str | None = None
    priority: int | None = None
    type: str | None = None
    parent: str | None = None
    mine: str | None = None
    text: str | None = None
    ready: bool = False
    """Only tasks that can start, so no epics. (T4)"""
    blocked: bool = False
    unmerged: bool = False
    landed: bool = False
    sort: Literal["priority", "newest", "oldest"] = "priority"
    limit: int = 50
    after: tuple[int, int] | None = None


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """The result if the caller approved now, having seen the whole diff. `unseen` says what happens about hunks that
    were never shown (D8).
    """

    may_approve: bool
    rule: str
    needs_reason: bool = False
    stale: bool = False
    reasons: tuple[Reason, ...] = ()
    unseen: str = "note"

    @property
    def asks_unseen(self) -> bool:
        """True if an interface asks before it approves hunks that were not shown."""
        return self.unseen == "ask"


class ReviewableRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task that the caller could approve (P13). `seen` is the value for `--seen` (D7). `next` is the step for a
    missing condition.
    """

    task: TaskRow
    attempt: int
    diff_id: str
    seen: str
    you: Preview
    next: Steps = NO_STEP


class ReviewablePage(msgspec.Struct, frozen=True, kw_only=True):
    """The tasks in review that the caller could approve, of those that were judged.

    - missing: those that lack a condition
    - barred: those that this person can never approve, with reasons (P)
    - after: where to continue
    """

    rows: list[ReviewableRow]
    missing: list[ReviewableRow] = []
    barred: list[ReviewableRow] = []
    unchecked: int = 0
    """Number of judged tasks that wait for a required check."""
    examined: int
    after: str = ""


# ---- Results of verbs that change a task ----


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a verb for a task. `changed` is False if the call had no effect, for example because it was
    repeated.
    """

    task: str
    status: str
    version: int
    changed: bool = True
    message: str = ""
    next: Steps = NO_STEP
    notes: tuple[str, ...] = ()


class PlannedTask(Outcome, frozen=True, kw_only=True):
    """A new task and its current review mode (M), "" while the configuration is invalid."""

    mode: str = ""
    mode_reasons: tuple[Reason, ...] = ()
