"""What attention says: a line for each thing, why, and the ways to move it."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from rich.text import Text

from foureyes.ui.tui.marks import Palette, visible
from foureyes.ui.tui.text.lines import age, cut

if TYPE_CHECKING:
    from foureyes.app.views.attention import AttentionRow


def row_line(row: AttentionRow, palette: Palette, width: int) -> Text:
    """Kind, task, what; how long ago on the right."""
    right = f"{age(row.age_seconds)} ago " if row.since else ""
    left = Text.assemble(
        (f"   {row.kind:<10} ", palette["warn"]), (f"{row.task} " if row.task else "", palette["title"])
    )
    left.append(visible(row.text))
    return Text.assemble(cut(left, max(1, width - len(right) - 1), pad=True), " ", (right, palette["dim"]))


def why_lines(row: AttentionRow, width: int) -> list[str]:
    """Why, wrapped."""
    lines = [row.text, *row.details]
    return [f" {part}" for line in lines for part in (wrap(visible(line), max(20, width - 3)) or [""])]


def choice_lines(row: AttentionRow) -> list[str]:
    """The choices by number; what asks for words says so."""
    return [
        f"   {number} {visible(choice.text)}" + ("      asks for words" if choice.asks else "")
        for number, choice in enumerate(row.choices, 1)
    ]
