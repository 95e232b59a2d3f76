"""Tasks: their fields, and the rules for titles, labels and priorities."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from foureyes.core.words.ids import SessionId, Sha, TaskId
from foureyes.core.words.lifecycle import TaskStatus
from foureyes.core.words.text import CONTROL, SURROGATE, refuse_control, visible
from foureyes.errors import BadInput
from foureyes.steps import blank, fe, phrase, prose

TaskType = Literal["task", "bug", "feature", "chore", "docs", "epic"]
TYPES: tuple[TaskType, ...] = ("task", "bug", "feature", "chore", "docs", "epic")

HIGHEST, DEFAULT_PRIORITY, LOWEST = 0, 2, 4
TITLE_LIMIT = 500
WORD = r"[^\s,\x00-\x1f\x7f]{1,64}\Z"
LABEL_SIGNS = frozenset("._:/+-@%=")
"""Characters allowed in labels besides letters and digits. No shell gives them a special meaning."""


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A unit of work and its state. `version` is the journal row of its last change."""

    id: TaskId
    title: str
    description: str = ""
    type: TaskType = "task"
    status: TaskStatus = "open"
    priority: int = DEFAULT_PRIORITY
    labels: list[str] = []
    parent: TaskId | None = None
    acceptance: str = ""
    minor: bool = False
    minor_by: SessionId | None = None
    minor_late: bool = False
    planned: str = ""
    merge_failures: int = 0
    group: str = ""
    creator: SessionId
    implementer: SessionId | None = None
    tier: str = "developer"
    estimate_minutes: int | None = None
    hold: str | None = None
    blocked_reason: str = ""
    rejected_by: SessionId | None = None
    defer_until: str | None = None
    merge: Sha | None = None
    version: int
    created_at: str
    updated_at: str
    started_at: str | None = None
    start_target: Sha | None = None
    closed_at: str | None = None
    resolution: str = ""
    iteration: int = 0
    landed: bool = False
    open_deps: int = 0
    ready: bool = False
    deleted: bool = False
    waiting_for: str = ""


def clean_title(text: str) -> str:
    """Return the title stripped. Raise BadInput if it is empty, too long, or has control characters."""
    title = text.strip()
    if not title:
        raise BadInput("a task needs a title.", next_step=prose("give it a few words in quotation marks"))
    refuse_control(title, CONTROL, "the title")
    if len(title) > TITLE_LIMIT:
        raise BadInput(
            f"the title has {len(title):,} characters, but at most {TITLE_LIMIT} are allowed.",
            next_step=fe(
                "create", phrase("short title"), "-d", phrase("…"), before="put the rest into the description: "
            ),
        )
    return title


def clean_label(text: str) -> str:
    """Return a new label. Allow only letters, digits and a few signs, so that no shell takes it for a command."""
    label = clean_word(text, "label")
    if label.startswith("-") or not all(map(_is_of_labels, label)):
        raise BadInput(
            f"{visible(text)!r} is not a label. Use letters, digits and {' '.join(sorted(LABEL_SIGNS))}, "
            "not starting with -.",
            next_step=fe("label", blank("TASK"), "security"),
        )
    return label


def clean_word(text: str, what: str) -> str:
    """Return a key or an existing label: one word without commas or invisible characters. Use clean_label() for new
    labels.
    """
    word = text.strip()
    if not re.match(WORD, word) or CONTROL.search(word) or SURROGATE.search(word) or _hides(word):
        raise BadInput(
            f"{visible(text)!r} is not a {what}. Use one word of up to 64 visible characters, "
            "without spaces or commas.",
            next_step=fe("label", blank("TASK"), "security"),
        )
    return word


def _is_of_labels(character: str) -> bool:
    """Return True for letters, digits, marks and pictographs of every script, and for harmless ASCII signs."""
    if character.isascii():
        return character.isalnum() or character in LABEL_SIGNS
    from unicodedata import category

    return category(character) not in ("Sm", "Sc") and category(character)[0] not in "PZ"


def _hides(label: str) -> bool:
    """Return True if the label has invisible characters and so looks like another one."""
    if label.isascii():
        return False
    from foureyes.core.words.text import has_unseen

    return has_unseen(label)


def check_priority(priority: int) -> int:
    """Return the priority, or raise BadInput if it is out of range."""
    if not HIGHEST <= priority <= LOWEST:
        raise BadInput(f"priority {priority}: allowed are 0 (highest) to 4, or P0 to P4.")
    return priority


def clean_priority(text: str) -> int:
    """Parse 0 to 4, or P0 to P4."""
    digits = text.strip().upper().removeprefix("P")
    if digits not in {"0", "1", "2", "3", "4"}:
        raise BadInput(f"priority {visible(text)!r}: allowed are 0 (highest) to 4, or P0 to P4.")
    return int(digits)


def task_type(text: str) -> TaskType:
    """Parse a task type in any case."""
    for known in TYPES:
        if known == text.strip().lower():
            return known
    raise BadInput(f"type {visible(text)[:60]!r}: allowed are {', '.join(TYPES)}.")
