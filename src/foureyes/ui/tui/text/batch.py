"""What the list of a batch approval says: one line for each task, and what became of it."""

from __future__ import annotations

from typing import Literal

import msgspec
from rich.text import Text

from foureyes.app.results.review import QueueRow
from foureyes.core.rules.risk import WORDS
from foureyes.ui.tui.marks import Marks, Palette, visible
from foureyes.ui.tui.review_session import FlowDecision
from foureyes.ui.tui.text.lines import cut
from foureyes.ui.tui.text.summary import checks_text


class BatchRow(msgspec.Struct, kw_only=True):
    """A row of the list. `decided`: what became of it, `done` that in words; `refused`: why not."""

    row: QueueRow
    number: int
    ticked: bool = False
    by_hand: bool = False
    seen: int | None = None
    hunks: int | None = None
    decided: FlowDecision | Literal[""] = ""
    done: str = ""
    refused: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether it can still be ticked."""
        return not self.decided

    @property
    def unseen(self) -> int | None:
        """How many hunks were not seen; None while that is not known."""
        return None if self.seen is None or self.hunks is None else self.hunks - self.seen


class Pens(msgspec.Struct, frozen=True, kw_only=True):
    """What rows are drawn with."""

    marks: Marks
    palette: Palette
    checks: tuple[str, ...]
    id_width: int = 7


def header(pens: Pens, width: int) -> Text:
    """The line above the rows."""
    right = f"{'±':>5} {'Checks':<{max(6, len(pens.checks))}} It  {'Seen':>5} {'Risk':<{_risk_width(width)}}"
    left = Text(f"         #  {'Task':<{pens.id_width}}  Title", pens.palette["dim"])
    return cut(left, max(1, width - len(right) - 1), pad=True).append(f" {right}", pens.palette["dim"])


def _risk_width(width: int) -> int:
    """How much of the worst reason fits."""
    return 14 if width < 100 else 34


def batch_line(row: BatchRow, pens: Pens, width: int) -> Text:
    """One task."""
    marks, palette, task = pens.marks, pens.palette, row.row
    tick = marks.checks["passed"] if row.ticked else " "
    box = "    " if row.decided else f"[{tick}] "
    number = f"{row.number:>4}" if row.number else "   –"
    left = Text.assemble(f"  {box}{number}  ", (f"{task.task:<{pens.id_width}}", palette["title"]), "  ")
    left.append(visible(task.title))
    if row.decided:
        right = Text(f"{row.done} ")
        line = cut(left, max(1, width - right.cell_len - 1), pad=True).append(" ").append_text(right)
        line.stylize(palette["dim"])
        return line
    checks = checks_text(task, pens.checks, marks, palette)
    right = Text(f"{'+' + str(task.added):>5} ")
    right.append_text(checks).append(" " * (max(6, len(pens.checks)) - checks.cell_len))
    right.append(f" {task.attempt:>2}  {seen_words(row):>5} ")
    right.append(cut(Text(_risk(row, marks), palette[task.risk.level]), _risk_width(width), pad=True))
    return cut(left, max(1, width - right.cell_len - 1), pad=True).append(" ").append_text(right)


def seen_words(row: BatchRow) -> str:
    """How many hunks were shown, of how many; a dash where that is not known yet."""
    return f"{row.seen}/{row.hunks}" if row.seen is not None and row.hunks is not None else "–"


def _risk(row: BatchRow, marks: Marks) -> str:
    risk = row.row.risk
    words = risk.reasons[0].message if risk.reasons else "" if risk.level == "low" else WORDS[risk.level]
    return f"{marks.risks[risk.level]} {visible(words)}"


def refused_lines(row: BatchRow, palette: Palette) -> list[Text]:
    """Why a row was not approved, below it."""
    return [Text(f"           {visible(words)}", palette["bad"], no_wrap=True) for words in row.refused]


def result_line(rows: list[BatchRow]) -> str:
    """What the batch did, and what it left."""
    approved = sum(row.decided == "approved" for row in rows)
    refused = sum(bool(row.refused) for row in rows)
    left = [row for row in rows if row.is_open]
    hidden = sum(row.ticked for row in left)
    unticked = len(left) - refused - hidden
    why = [f"{refused} refused"] if refused else []
    why += [f"{unticked} not ticked"] if unticked > 0 else []
    why += [f"{hidden} not shown by the filter"] if hidden else []
    rest = f", {len(left)} left ({', '.join(why)})" if left else ""
    return f"{approved} approved{rest}" + (" · U takes the last back" if approved else "")
