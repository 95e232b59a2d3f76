"""Write comments on lines of a diff: where they are about, how much they weigh, what would mend it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.ui.tui.comments import WEIGHTS, Comment, number_of
from foureyes.ui.tui.draft_storage import not_kept_in_words, take_lock
from foureyes.ui.tui.restored_text import WHENCE
from foureyes.ui.tui.screens.sheet import Given, Sheet, SheetField

if TYPE_CHECKING:
    from foureyes.app.results.draft import DraftLock
    from foureyes.ui.tui.screens.change import ChangePage

LABELS = {"note": "note", "MEDIUM": "MEDIUM", "HIGH": "HIGH, blocks", "CRITICAL": "CRITICAL, blocks"}


def begin_range(page: ChangePage) -> None:
    """V: a range begins here, or ends here with a comment."""
    go_to_code(page)
    if page.range_from is not None:
        write_comment(page)
    elif page.reading is None or page.reading.rows.code_at(page.canvas.at) is None:
        page.note("a range begins at a line of code")
    else:
        page.range_from = page.canvas.at
        page.show_range()
        page.note("the range begins here · V or C ends it with a comment · Esc")


def go_to_code(page: ChangePage) -> None:
    """The keys are in the code; from a heading, at the first line below it."""
    page.set_focus(page.canvas)
    if page.reading is None or page.range_from is not None or page.canvas.at >= len(page.reading.rows):
        return
    rows, at = page.reading.rows, page.canvas.at
    if rows.rows[at].kind in ("file", "hunk"):
        number = next((number for number in range(at, len(rows)) if rows.code_at(number) is not None), None)
        if number is not None and rows.file_at(number) == rows.file_at(at):
            page.canvas.go(number)


def write_comment(page: ChangePage) -> None:
    """C: a comment on the line or on the range; one's own comment under the cursor is changed."""
    reading = page.reading
    if reading is None or page.canvas.at >= len(reading.rows):
        page.note("there is no line of code here")
        return
    go_to_code(page)
    row = reading.rows.rows[page.canvas.at]
    if row.kind == "comment":
        comment = page.looking.saw_comment(row.item)
        _ask(page, comment, "changes it; no text removes it", lambda given: _change(page, comment, given))
        return
    fresh = _at_cursor(page)
    if fresh is None:
        page.note("a comment is about a line of code: put the cursor on one")
        return
    _ask(page, fresh, "keeps it; it is sent with the decision", lambda given: _add(page, fresh, given))


def _at_cursor(page: ChangePage) -> Comment | None:
    """An empty comment on the line under the cursor, or on the range that ends there."""
    reading = page.reading
    assert reading is not None
    start = page.canvas.at if page.range_from is None else page.range_from
    first, last = sorted((start, page.canvas.at))
    lines = [code for number in range(first, last + 1) if (code := reading.rows.code_at(number)) is not None]
    if not lines:
        return None
    place, line = lines[0]
    path = reading.change.files[place.file].path
    old = line.kind == "removed"
    same = [number for each, other in lines if each.file == place.file and (number := number_of(other, old=old))]
    number = number_of(line, old=old)
    return Comment(
        path=path, line=number, last=max(same) if same and max(same) > number else 0, old=old, quote=line.text, text=""
    )


def _ask(page: ChangePage, comment: Comment, verb: str, done: Callable[[Given], None]) -> None:
    """Ask for the words, once it is known whether the draft is ours to write. What is half written is kept while it is
    typed, and stays when the sheet is left.
    """
    task, looking = page.task_id, page.looking
    begun = looking.half.get(comment.spot, comment)
    fields = [
        SheetField("text", "Comment", begun.text),
        SheetField("weight", "Severity", LABELS[begun.weight], tuple(LABELS[weight] for weight in WEIGHTS)),
        SheetField("fix", "Fix", begun.fix),
    ]

    def send(given: Given) -> None:
        looking.half.pop(comment.spot, None)
        page.keep()
        done(given)

    def typed(given: Given) -> None:
        half = _given(comment, given)
        if half == comment:
            looking.half.pop(comment.spot, None)
        else:
            looking.half[comment.spot] = half
        page.keep()

    def kept(given: Given) -> None:
        typed(given)
        if comment.spot in looking.half:
            page.note(f"draft about {comment.place} saved, not sent: C on that line continues it")

    def held(answer: DraftLock) -> None:
        take_lock(looking, answer)
        lines = [comment.quote.strip(), *([WHENCE] if begun.kept else [])]
        lines += [not_kept_in_words(looking)] if looking.held_by else []
        sheet = Sheet(f"COMMENT {comment.place}", lines, fields, send, verb=verb, kept=kept, typed=typed)
        page.app.push_screen(sheet)

    page.ask(lambda desk: desk.application.drafts.take(desk.actor, task), held)


def _given(comment: Comment, given: Given) -> Comment:
    weight = next(weight for weight in WEIGHTS if LABELS[weight] == given["weight"])
    return replace(comment, text=given["text"].strip(), fix=given["fix"].strip(), weight=weight)


def _add(page: ChangePage, comment: Comment, given: Given) -> None:
    page.range_from = None
    if given["text"].strip():
        page.looking.comments.append(_given(comment, given))
        page.keep()
    page.rearrange()
    page.show_range()


def _change(page: ChangePage, comment: Comment, given: Given) -> None:
    comments = page.looking.comments
    if comment in comments:
        number = comments.index(comment)
        after = replace(_given(comment, given), kept=False)
        comments[number : number + 1] = [after] if after.text else []
        page.keep()
    page.rearrange()
