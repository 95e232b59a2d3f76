"""Task statuses and the only transitions between them (T). Nothing else changes a status (T2)."""

from __future__ import annotations

from typing import Literal

import msgspec

TaskStatus = Literal["open", "in_progress", "reviewing", "approved", "closed", "blocked", "deferred"]
Action = Literal[
    "created",
    "started",
    "unstarted",
    "submitted",
    "responded",
    "committed",
    "reviewed",
    "requested_changes",
    "approved",
]
RunEnd = Literal["", "crash", "timeout", "blocked", "cancelled", "unchanged"]
"""How a run ended without a submission, or "" if it ended well. (L17)"""

STATUSES: tuple[TaskStatus, ...] = ("open", "in_progress", "reviewing", "approved", "closed", "blocked", "deferred")
STATUS_ALIASES: dict[str, TaskStatus] = {"in_review": "reviewing", "done": "closed", "in-progress": "in_progress"}

IMPLEMENTATION: frozenset[str] = frozenset({"started", "unstarted", "submitted", "responded", "committed"})
"""History actions that make a session an implementer. (I7)"""


class Transition(msgspec.Struct, frozen=True):
    """One row of the transition table: source statuses, target statuses, and a note. (T)"""

    from_: tuple[TaskStatus, ...]
    to: tuple[TaskStatus, ...]
    note: str


TRANSITIONS: dict[str, Transition] = {
    "create": Transition((), ("open",), "anyone"),
    "start": Transition(
        ("open",), ("in_progress",), "one caller wins (T1); refused if a dependency is open or the task is held"
    ),
    "unstart": Transition(("in_progress",), ("open",), "the implementer or a person; anyone once it is silent"),
    "submit": Transition(
        ("in_progress", "reviewing"),
        ("reviewing", "approved"),
        "freezes an attempt (A1); the mode decides what follows (M)",
    ),
    "approve": Transition(
        ("reviewing",), ("approved", "closed"), "by rules D and P; closed if there is nothing to merge"
    ),
    "withdraw": Transition(("approved",), ("reviewing",), "the approver, until the merge has begun"),
    "end_approval": Transition(("approved",), ("reviewing",), "the task's text was edited after approval (T8)"),
    "send_back": Transition(
        ("reviewing",), ("open",), "by the gate, for a check that the change broke or open findings"
    ),
    "void": Transition(("approved",), ("reviewing",), "by the gate, when D or P no longer hold"),
    "redo": Transition(("reviewing", "approved"), ("open",), "a person or a possible approver, with feedback"),
    "reject": Transition(("reviewing",), ("blocked",), "like redo, with a reason; shown as rejected"),
    "block": Transition(("open", "in_progress"), ("blocked",), "with a reason"),
    "unblock": Transition(("blocked",), ("open",), "a rejected task only by its reviewer or a person"),
    "defer": Transition(("open",), ("deferred",), "perhaps until a date"),
    "undefer": Transition(("deferred",), ("open",), ""),
    "merged": Transition(
        ("approved",), ("closed",), "only by the merge queue (Q), when the head is on the target branch"
    ),
    "merge_failed": Transition(
        ("approved",), ("open",), "only by the merge queue, after a conflict or failed checks, with feedback"
    ),
    "close": Transition(
        ("open", "in_progress", "reviewing", "blocked"), ("closed",), "by rule C; never merges anything"
    ),
    "cancel": Transition(
        ("open", "blocked", "deferred"), ("closed",), "the creator or a person, if nobody has started it"
    ),
    "delete": Transition(("open", "blocked", "deferred"), ("closed",), "like cancel; hidden from lists"),
    "reopen": Transition(
        ("closed", "blocked"), ("open",), "approvals end; a rejected task only by its reviewer or a person"
    ),
}


def is_allowed(action: str, status: TaskStatus) -> bool:
    """Return True if the table has this action for this status."""
    return status in TRANSITIONS[action].from_


def parse_status(text: str) -> TaskStatus | None:
    """Parse a status, including aliases of older tools. Return None if unknown."""
    word = STATUS_ALIASES.get(text, text)
    return next((status for status in STATUSES if status == word), None)
