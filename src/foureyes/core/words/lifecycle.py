"""Task statuses and the only transitions between them. No other code changes a status (T2). (T)"""

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
"""History actions that make a session a maker of the work. (I7)"""


class Transition(msgspec.Struct, frozen=True):
    """One row of the transition table: source statuses, target statuses, and a note. (T)"""

    from_: tuple[TaskStatus, ...]
    to: tuple[TaskStatus, ...]
    note: str


TRANSITIONS: dict[str, Transition] = {
    "create": Transition((), ("open",), "Anyone. The history starts with `created`."),
    "start": Transition(
        ("open",), ("in_progress",), "One atomic claim. Not while the task is held or a dependency is open. (T1)"
    ),
    "unstart": Transition(
        ("in_progress",),
        ("open",),
        "The implementer gives it back, a person releases it, or anyone once the implementer is silent.",
    ),
    "submit": Transition(
        ("in_progress", "reviewing"),
        ("reviewing", "approved"),
        "Freezes an attempt (A1). The mode decides what follows (M).",
    ),
    "approve": Transition(
        ("reviewing",), ("approved", "closed"), "Needs D and P. Closes the task if there is nothing to merge."
    ),
    "withdraw": Transition(("approved",), ("reviewing",), "The approver, until the merge starts."),
    "end_approval": Transition(("approved",), ("reviewing",), "The task's text was edited after the approval. (T8)"),
    "send_back": Transition(
        ("reviewing",), ("open",), "The gate, if the change made a required check red or findings are left open."
    ),
    "void": Transition(("approved",), ("reviewing",), "The gate, if D or P no longer hold. The reasons are recorded."),
    "redo": Transition(("reviewing", "approved"), ("open",), "A person or a possible approver, with feedback."),
    "reject": Transition(
        ("reviewing",), ("blocked",), "Same callers as redo, with a reason. The task is shown as rejected."
    ),
    "block": Transition(("open", "in_progress"), ("blocked",), "With a reason."),
    "unblock": Transition(("blocked",), ("open",), "A rejected task: only by its rejecter or a person."),
    "defer": Transition(("open",), ("deferred",), "Optionally until a date."),
    "undefer": Transition(("deferred",), ("open",), ""),
    "merged": Transition(
        ("approved",), ("closed",), "Only the merge queue, when the approved head is on the target branch. (Q)"
    ),
    "merge_failed": Transition(
        ("approved",), ("open",), "Only the merge queue, after a conflict or red checks, with automatic feedback."
    ),
    "close": Transition(
        ("open", "in_progress", "reviewing", "blocked"), ("closed",), "By rule C. Never merges anything."
    ),
    "cancel": Transition(
        ("open", "blocked", "deferred"), ("closed",), "Only before any work, by the creator or a person."
    ),
    "delete": Transition(("open", "blocked", "deferred"), ("closed",), "As cancel, and the task is hidden from lists."),
    "reopen": Transition(
        ("closed", "blocked"), ("open",), "Approvals end. A rejected task: only by its rejecter or a person."
    ),
}


def is_allowed(action: str, status: TaskStatus) -> bool:
    """Return True if the table has this action for this status."""
    return status in TRANSITIONS[action].from_


def parse_status(text: str) -> TaskStatus | None:
    """Parse a status, including aliases of older tools. Return None if unknown."""
    word = STATUS_ALIASES.get(text, text)
    return next((status for status in STATUSES if status == word), None)
