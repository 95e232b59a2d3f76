"""Tasks in lists: filters, rows, and the outcome of a verb that changed one."""

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
    """A task in a list, with what people look for: `who` works on it, the `mode` it would be reviewed in as it stands
    now (M), which unfinished tasks it `waits` for, and whose decision (`waiting_for`, E2).
    """

    who: str = ""
    mode: str = ""
    waits: tuple[str, ...] = ()
    waiting_for: str = ""


class Link(msgspec.Struct, frozen=True):
    """A neighbouring task."""

    id: str
    status: str
    title: str = ""


class ListQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which tasks, in which order, which page. `after` is the (priority, n) of the last row of the page before."""

    status: str | None = None
    live: bool = False
    label: str | None = None
    priority: int | None = None
    type: str | None = None
    parent: str | None = None
    mine: str | None = None
    text: str | None = None
    ready: bool = False
    """What can be started: an epic is work for nobody (T4)."""
    blocked: bool = False
    unmerged: bool = False
    landed: bool = False
    sort: Literal["priority", "newest", "oldest"] = "priority"
    limit: int = 50
    after: tuple[int, int] | None = None


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """What would happen if the caller approved now, having looked at all of it. `unseen`: what becomes of hunks that
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
        """Whether a face asks before hunks are approved that were never shown."""
        return self.unseen == "ask"


class ReviewableRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task the caller could approve (P13), with the diff to look at. `seen` is what `--seen` takes (D7). `next`: what
    brings it on, where something is missing.
    """

    task: TaskRow
    attempt: int
    diff_id: str
    seen: str
    you: Preview
    next: Steps = NO_STEP


class ReviewablePage(msgspec.Struct, frozen=True, kw_only=True):
    """What the caller could approve of the tasks in review that were looked at, and `missing`: what they could, once
    something is there. `barred`: what a person cannot approve, whatever comes (P), with why. `after` is the last of
    these, where there are more to look at.
    """

    rows: list[ReviewableRow]
    missing: list[ReviewableRow] = []
    barred: list[ReviewableRow] = []
    unchecked: int = 0
    """How many of the tasks that were looked at wait for a required check."""
    looked_at: int
    after: str = ""


# ---- The outcome of a verb that changed a task ----


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a verb did to a task. `changed` is false for an idempotent repeat."""

    task: str
    status: str
    version: int
    changed: bool = True
    message: str = ""
    next: Steps = NO_STEP
    notes: tuple[str, ...] = ()


class PlannedTask(Outcome, frozen=True, kw_only=True):
    """A task that was planned, and how it would be reviewed as it stands now (M); empty while the configuration is
    broken.
    """

    mode: str = ""
    mode_reasons: tuple[Reason, ...] = ()
