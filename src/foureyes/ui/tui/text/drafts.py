"""What the page of drafts says: a line for each, and its words as they were typed."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich.text import Text

from foureyes.app.results.draft import CommentDraft, Draft, RedoDraft
from foureyes.ui.tui.marks import Palette, visible
from foureyes.ui.tui.text.lines import cut


class DraftRow(msgspec.Struct, frozen=True, kw_only=True):
    """A draft, and how its task stands. `note`: what there is to say about its file."""

    draft: Draft
    title: str = ""
    status: str = ""
    note: str = ""

    @property
    def task(self) -> str:
        return self.draft.task


def kinds_of(draft: Draft) -> list[str]:
    """What the words of a draft would become."""
    count = len(draft.comments)
    return [
        *(["redo"] if draft.redo != RedoDraft() else []),
        *(["reject"] if draft.reject else []),
        *([f"{count} comment{'' if count == 1 else 's'}"] if count else []),
        *([f"{len(draft.half)} half written"] if draft.half else []),
    ]


def row_line(row: DraftRow, palette: Palette, width: int) -> Text:
    """`fe-q4d  redo, 1 comment  Rate limit…     approved`; what does not wait any more says so."""
    waits = row.status == "reviewing"
    right = Text(f"{row.status}{'' if waits else ': cannot be sent'} ", palette["dim" if waits else "warn"])
    left = Text.assemble(" ", (row.task, palette["title"]), f"  {', '.join(kinds_of(row.draft))}  {visible(row.title)}")
    return cut(left, max(1, width - right.cell_len - 1), pad=True).append(" ").append_text(right)


def draft_lines(draft: Draft) -> Iterator[str]:
    """The words of a draft, in full."""
    redo = draft.redo
    if redo != RedoDraft():
        yield "REDO" + (f"  {'; '.join(redo.quick_issues)}" if redo.quick_issues else "")
        yield from _indented(redo.text)
    if draft.reject:
        yield "REJECT"
        yield from _indented(draft.reject)
    for comment in draft.comments:
        yield from _comment("COMMENT", comment)
    for half in draft.half:
        yield from _comment("HALF WRITTEN", half)


def _comment(title: str, comment: CommentDraft) -> Iterator[str]:
    yield f"{title}  {comment.path}:{comment.line}  {comment.severity}"
    yield from _indented(comment.quote.strip(), "> ")
    yield from _indented(comment.text)
    yield from _indented(f"fix: {comment.fix}" if comment.fix else "")


def _indented(text: str, before: str = "") -> Iterator[str]:
    for line in text.split("\n") if text else ():
        yield f"  {before}{line}"
