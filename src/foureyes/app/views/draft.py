"""Drafts: what a person has begun to say about a change, and where they were; one of each person and task."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

HunkSeen = Literal["shown", "marked", "spaceless", "pager"]
"""How a hunk was seen in an earlier session. It helps who reads on; no decision counts it (H4)."""
MOST_BYTES = 256 << 10
"""A draft's file is not larger than this."""
MOST_COMMENTS = 200
"""So many comments are kept of one task."""
DraftLineNumber = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]
"""The number of a line; 0: the whole file."""


class RedoDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A redo that is not sent yet (F1)."""

    quick_issues: tuple[str, ...] = ()
    text: str = ""
    option: Literal["keep", "fresh", "checkpoint"] = "keep"
    checkpoint: str = ""
    priority: Literal["same", "bump", "lower"] = "same"


class CommentDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A remark at a line, or at the lines up to `last`; `quote` is the first one, by which it is found again in a later
    attempt.
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
    """A remark that is only half written; `was`: what it said before, where it is one that is being changed."""

    was: str = ""


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that one person has not sent yet about one task, and what they have seen of it. It is a file that any
    program of theirs can write: nothing in it is evidence of what they saw or said.
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
        """Whether there is something in it that somebody wrote."""
        return bool(self.redo != RedoDraft() or self.reject or self.comments or self.half)


class DraftFile(msgspec.Struct, frozen=True, kw_only=True):
    """A draft as it lies there; `note` is what there is to say about its file."""

    draft: Draft
    there: bool = False
    note: str = ""


class DraftLock(msgspec.Struct, frozen=True):
    """Whose a draft is now: this process's, or that of another one, whose number is `pid` (-1: unknown). True where it
    is ours. `note` is what there is to say where its lock cannot be taken at all.
    """

    mine: bool
    pid: int = 0
    note: str = ""

    def __bool__(self) -> bool:
        return self.mine


class NewTaskDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A task that is not planned yet, as it was typed."""

    title: str = ""
    labels: str = ""
    priority: str = ""
    description: str = ""
    acceptance: str = ""

    @property
    def has_words(self) -> bool:
        """Whether somebody has written something."""
        return self != NewTaskDraft()


class NewTaskFile(msgspec.Struct, frozen=True, kw_only=True):
    """A new task's draft as it lies there; `note` is what there is to say about its file, `held` whose it is."""

    draft: NewTaskDraft
    held: DraftLock
    note: str = ""


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """Where a person was: the screen, the task, and the snapshot of the queue that they were working off."""

    screen: str = ""
    task: str = ""
    order: str = ""
    filter: str = ""
    tasks: tuple[str, ...] = ()
    decided: dict[str, str] = {}
    updated_at: str = ""
    told: str = ""
    """X2: the sprint whose end they were told of last."""


class PositionFile(msgspec.Struct, frozen=True, kw_only=True):
    """A position as it lies there; `note` is what there is to say about its file."""

    position: Position
    there: bool = False
    note: str = ""
