"""Comments on lines of a change: drafts until a decision sends them, as findings or as notes. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from foureyes.app.results.draft import CommentDraft, HalfDraft
from foureyes.core.nouns.finding import BLOCKING, ReportedFinding, Severity

if TYPE_CHECKING:
    from foureyes.app.results.diff import DiffView
    from foureyes.core.documents.unified_diff import DiffLine, FileDiff

Weight = Literal["note", "MEDIUM", "HIGH", "CRITICAL"]
WEIGHTS: tuple[Weight, ...] = ("note", "MEDIUM", "HIGH", "CRITICAL")
TITLE = 120
"""A finding's title is one line: the first of the comment, cut here."""


class CommentSpot(NamedTuple):
    """Where a comment is, and what it says before somebody writes on it: nothing, where it is new."""

    path: str
    line: int
    last: int
    old: bool
    quote: str
    was: str


class Comment(msgspec.Struct, frozen=True, kw_only=True):
    """A comment on a line, or on the lines from `line` to `last`. `quote` is the text of the first one, by which it is
    found again when the change moves; `lost`: its line is not there any more. `kept`: it came from a file, so that
    nobody here has written it; `shown`: it was written here, or was on screen here. Only what was shown is sent.
    """

    path: str
    line: int
    last: int = 0
    old: bool = False
    quote: str = ""
    text: str
    weight: Weight = "note"
    fix: str = ""
    lost: bool = False
    kept: bool = False
    shown: bool = True

    @property
    def blocks(self) -> bool:
        return self.weight in BLOCKING

    @property
    def place(self) -> str:
        lines = f"{self.line}-{self.last}" if self.last > self.line else str(self.line)
        return f"{self.path}:{lines}" if self.line else self.path

    @property
    def spot(self) -> CommentSpot:
        """Where it is, and what it says: what is half written about it is found by this."""
        return CommentSpot(self.path, self.line, self.last, self.old, self.quote, self.text)

    @property
    def draft(self) -> CommentDraft:
        """The comment as it is kept."""
        return CommentDraft(**self._fields)

    def half(self, was: str) -> HalfDraft:
        """The comment as it is kept while it is only half written."""
        return HalfDraft(**self._fields, was=was)

    @property
    def _fields(self) -> dict[str, Any]:
        return {
            "path": self.path, "line": self.line, "last": self.last, "side": "old" if self.old else "new",
            "quote": self.quote, "text": self.text, "severity": self.weight, "fix": self.fix,
        }  # fmt: skip

    @property
    def found(self) -> ReportedFinding:
        """The comment as a finding; a note is the least of them."""
        severity: Severity = "LOW" if self.weight == "note" else self.weight
        first = self.text.strip().split("\n", 1)[0]
        title = first if len(first) <= TITLE else first[: TITLE - 1] + "…"
        problem = self.text if title != self.text.strip() else ""
        if self.last > self.line and not self.lost:
            problem = f"{self.text}\n\nIt is about lines {self.line} to {self.last}."
        if self.lost:
            problem = f"{self.text}\n\nIt was about {self.place}: {self.quote.strip()}"
            return ReportedFinding(severity=severity, title=title, problem=problem, fix=self.fix)
        return ReportedFinding(
            severity=severity,
            title=title,
            path=self.path,
            line=self.line,
            problem=problem,
            fix=self.fix,
            quote=self.quote.strip(),
        )


def comment_of(draft: CommentDraft) -> Comment:
    """A comment that was kept."""
    weight: Weight = "note" if draft.severity == "LOW" else draft.severity
    return Comment(
        path=draft.path,
        line=draft.line,
        last=draft.last,
        old=draft.side == "old",
        quote=draft.quote,
        text=draft.text,
        weight=weight,
        fix=draft.fix,
        kept=True,
        shown=False,
    )


def reanchored(comments: list[Comment], view: DiffView) -> list[Comment]:
    """The comments of an earlier look at a change that has moved: each at the line that reads as it did, the nearest
    one; those whose line is gone are kept, and marked as lost.
    """
    files = {file.path: file for file in view.files}
    return [_reanchored(comment, files.get(comment.path)) for comment in comments]


def halves(half: dict[CommentSpot, Comment], view: DiffView) -> dict[CommentSpot, Comment]:
    """What is half written, at the lines of a change that has moved."""
    moved = [(spot.was, after) for spot, after in zip(half, reanchored(list(half.values()), view), strict=True)]
    return {after.spot._replace(was=was): after for was, after in moved}


def _reanchored(comment: Comment, file: FileDiff | None) -> Comment:
    places = [
        number
        for hunk in (file.hunks if file else ())
        for line in hunk.lines
        if line.text == comment.quote and (number := number_of(line, old=comment.old))
    ]
    if not places:
        return replace(comment, lost=True)
    line = min(places, key=lambda number: abs(number - comment.line))
    last = comment.last + line - comment.line if comment.last else 0
    return replace(comment, line=line, last=last, lost=False)


def number_of(line: DiffLine, *, old: bool) -> int:
    """The number of a line on one side; 0 where it is not on that side."""
    return (line.old if old else line.new) or 0
