"""Read on with one key: a page, the rest of lines wider than the screen, the next file with something unseen; then what
is left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.ui.tui.reading import ChangeReading
    from foureyes.ui.tui.screens.diff import DiffPage


def read_on(page: DiffPage) -> None:
    """Space: what comes next of the change."""
    reading, canvas = page.reading, page.canvas
    if reading is None:
        return
    page.set_focus(canvas)
    page.tick()
    if _read_sideways(page, reading):
        return
    again, page.at_end = page.at_end, False
    bottom, rows = canvas.last, reading.rows.rows
    if bottom < len(rows) and rows[bottom].kind not in ("file", "gap", "title"):
        if rows[bottom].kind == "closed":
            page.open_hunk(rows[bottom].hunk)
        canvas.go(bottom, top=1)
        return
    start = reading.rows.file_at(bottom + 1) if bottom < len(rows) else len(reading.change.files)
    file = reading.next_unseen_file(start)
    if file is not None:
        canvas.go(reading.rows.file_rows[file], top=0)
    else:
        _end(page, reading, again=again)


def _read_sideways(page: DiffPage, reading: ChangeReading) -> bool:
    """Whether there is more of lines that are wider than the screen, in hunks that nobody has seen: that is shown
    before what comes below, which begins at the first column again.
    """
    painter, places, rows = page.painter, reading.change.places, reading.rows.rows
    if painter is None or not rows:
        return False
    unseen = [
        number
        for number in page.canvas.in_view
        if rows[number].hunk >= 0 and not page.looking.is_seen(places[rows[number].hunk].hunk.id)
    ]
    part = painter.next_part(unseen, page.canvas.scrollable_content_region.width)
    if part or painter.shift:
        page.shift(part - painter.shift)
    if part:
        page.note(f"the rest of wide lines, from column {part + 1} · Space reads on")
    return bool(part)


def _end(page: DiffPage, reading: ChangeReading, *, again: bool) -> None:
    """Nothing unseen comes: say so, or begin again where something was missed."""
    row = reading.first_unseen_hunk()
    left, total = reading.unseen_here(), len(reading.change.places)
    if row is not None and again:
        page.canvas.go(row, top=1)
        page.note(_wide_words(page, reading))
    elif row is not None:
        page.at_end = True
        page.canvas.edge(last=True)
        words = [f"the end: {left} of {total} hunks unseen", "Space goes to the first of them"]
        page.note(" · ".join(part for part in (*words, _wide_words(page, reading)) if part))
    elif left:
        page.note(f"the end: {left} of {total} hunks are in folded files · Enter on one unfolds it")
    else:
        page.note(_all_seen(page, reading))


def _all_seen(page: DiffPage, reading: ChangeReading) -> str:
    """What there is to do when nothing here is unseen: decide, or look at the rest of the change."""
    total, rest = len(reading.change.places), page.looking.unseen
    seen = "that is all" if not total else f"all {total} hunks seen" if total != 1 else "the one hunk was seen"
    if reading.mode != "base" and rest:
        return f"{seen} · {rest} of the whole change {'is' if rest == 1 else 'are'} not: I shows the rest"
    return f"{seen} · A approve  R redo  X reject"


def _wide_words(page: DiffPage, reading: ChangeReading) -> str:
    """What shows the rest of lines that are wider than the screen; until then nobody has seen them."""
    width, rows = page.canvas.scrollable_content_region.width, range(len(reading.rows))
    cut = page.painter is not None and any(page.painter.is_cut(row, width) for row in rows)
    return "→ shows the rest of wide lines" if cut else ""
