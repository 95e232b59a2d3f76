"""What attention says: a line for each thing, why, and the ways to move it."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from rich.text import Text

from foureyes.app.results.status import WORDS
from foureyes.ui.steps import steps_text
from foureyes.ui.tui.marks import Marks, Palette, visible
from foureyes.ui.tui.text.lines import age, cut

if TYPE_CHECKING:
    from foureyes.app.results.status import AttentionRow, AttentionView, Choice

ASKS = 50
"""The column in which a choice says what it asks for."""
BEFORE = 14
"""The columns before what a row is about."""
LIST_MOST = 6
ROLES = {"target": "bad", "merge": "bad"}


def title(view: AttentionView) -> str:
    """How many there are."""
    return f" ATTENTION ({len(view.rows)}{'+' if view.more else ''})"


def row_line(row: AttentionRow, palette: Palette, marks: Marks, width: int) -> Text:
    """Kind, task, what; how long ago on the right."""
    left = Text("   ")
    left.append(f"{WORDS[row.kind]:<10} ", palette[ROLES.get(row.kind, "warn")])
    if row.task:
        left.append(row.task, palette["title"])
        left.append(f" {marks.dot} ")
    left.append(visible(row.text))
    right = _ago(row)
    return Text.assemble(cut(left, max(1, _room(row, width)), pad=True), " ", (right, palette["dim"]), " ")


def _ago(row: AttentionRow) -> str:
    return f"{age(row.age_seconds)} ago" if row.since else ""


def _room(row: AttentionRow, width: int) -> int:
    """The columns that a row has for all but its age."""
    return width - len(_ago(row)) - 2


def why_lines(row: AttentionRow, width: int) -> list[str]:
    """Why: what it is in full where its line had no room for it, and the details; wrapped."""
    needs = BEFORE + (len(row.task) + 3 if row.task else 0) + len(visible(row.text))
    lines = row.details if row.details and needs <= _room(row, width) else [row.text, *row.details]
    return [f" {part}" for line in lines for part in _folded(visible(line), max(20, width - 3))]


def _folded(line: str, width: int) -> list[str]:
    """A line in lines; one that fits keeps its columns."""
    return [line] if len(line) <= width else wrap(line, width) or [""]


def choice_lines(row: AttentionRow, width: int) -> list[str]:
    """The choices by number; what asks for words says so. Where there is none: who can move it."""
    if not row.choices:
        return [f"   {part}" for part in _folded(visible(steps_text(row.next)), max(20, width - 5))]
    return [_choice(number, choice) for number, choice in enumerate(row.choices, 1)]


def _choice(number: int, choice: Choice) -> str:
    text = f"   {number} {visible(choice.text)}"
    return f"{text:<{ASKS}} {asks(choice)}" if choice.asks else text


def asks(choice: Choice) -> str:
    """What a choice asks for, in words."""
    if choice.lists:
        return "asks for titles and a reason"
    return {"title": "asks for a title"}.get(choice.asks, "asks for a note")


def list_height(view: AttentionView, height: int) -> int:
    """How many lines the list gets: what it needs, and at most half of the page; why it waits gets the rest."""
    return max(1, min(len(view.rows), max(LIST_MOST, height // 2 - 3)))
