"""Drafts: a person's unsent comments on a change, and where they were. One per person and task."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

HunkSeen = Literal["shown", "marked", "spaceless", "pager"]
"""How a hunk was seen in an earlier session. It only helps the reader, and no decision uses it. (H4)"""
MOST_BYTES = 256 << 10
"""Largest size of a draft file."""
MOST_COMMENTS = 200
"""Largest number of comments per task."""
DraftLineNumber = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]
"""A line number, 0 for the whole file."""


class RedoDraft(msgspec.Struct, frozen=True, kw_only=True):
    """An unsent redo. (F1)"""

    quick_issues: tuple[str, ...] = ()
    text: str = ""
    option: Literal["keep", "fresh", "checkpoint"] = "keep"
    checkpoint: str = ""
    priority: Literal["same", "bump", "lower"] = "same"


class CommentDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A comment on a line, or on the lines up to `last`. `quote` is the first line's text, by which it is found again
    in a later attempt.
    """

    path: str
    line: DraftLineNumber
    last: DraftLineNumber = 0
    side: Literal["old", "new"] = "new"
    quote: str = ""
    text: str = ""
    severity: Literal["note", "LOW", "MEDIUM", "HIGH", "CRITICAL"] = "note"
    fix: str = ""


class HalfDraft(CommentDraft, frozen=True, kw_only=True):
    """An unfinished comment. `was` is the earlier text if it is being edited."""

    was: str = ""


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A person's unsent input about a task, and the hunks they have seen. Any of their programs can write this file, so
    it is no evidence of anything.
    """

    task: str
    attempt: int = 0
    diff_id: str = ""
    redo: RedoDraft = RedoDraft()
    reject: str = ""
    comments: Annotated[tuple[CommentDraft, ...], msgspec.Meta(max_length=MOST_COMMENTS)] = ()
    half: Annotated[tuple[HalfDraft, ...], msgspec.Meta(max_length=MOST_COMMENTS)] = ()
    seen: dict[str, HunkSeen] = {}
    updated_at: str = ""

    @property
    def has_words(self) -> bool:
        """True if it has text by the person."""
        return bool(self.redo != RedoDraft() or self.reject or self.comments or self.half)


class DraftFile(msgspec.Struct, frozen=True, kw_only=True):
    """A draft on disk. `note` is a message about its file."""

    draft: Draft
    there: bool = False
    note: str = ""


class DraftLock(msgspec.Struct, frozen=True):
    """The process that has a draft: this one (`mine`), or process `pid` (-1 if unknown). True if it is this one. `note`
    says why the lock cannot be taken at all.
    """

    mine: bool
    pid: int = 0
    note: str = ""

    def __bool__(self) -> bool:
        return self.mine


class NewTaskDraft(msgspec.Struct, frozen=True, kw_only=True):
    """An unsaved new task, as typed."""

    title: str = ""
    labels: str = ""
    priority: str = ""
    description: str = ""
    acceptance: str = ""

    @property
    def has_words(self) -> bool:
        """True if it has any input."""
        return self != NewTaskDraft()


class NewTaskFile(msgspec.Struct, frozen=True, kw_only=True):
    """A new task's draft on disk. `note` is a message about its file, and `held` says which process has it."""

    draft: NewTaskDraft
    held: DraftLock
    note: str = ""


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """A person's last position: the screen, the task, and their snapshot of the queue."""

    screen: str = ""
    task: str = ""
    order: str = ""
    filter: str = ""
    tasks: tuple[str, ...] = ()
    decided: dict[str, str] = {}
    updated_at: str = ""
    announced: str = ""
    """The sprint whose end was last shown to them. (X2)"""


class PositionFile(msgspec.Struct, frozen=True, kw_only=True):
    """A position on disk. `note` is a message about its file."""

    position: Position
    there: bool = False
    note: str = ""
