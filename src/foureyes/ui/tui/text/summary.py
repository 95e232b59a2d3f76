"""What the review summary says: a line for each task that waits, its reasons, and the task under the cursor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
from rich.cells import cell_len
from rich.text import Text

from foureyes.app.results.review import REMARKABLE, QueueRow, QueueView
from foureyes.app.results.task import TaskDetail
from foureyes.core.rules.risk import CLASSES, WORDS
from foureyes.ui.tui.marks import CHECK_ROLES, Marks, Palette, visible
from foureyes.ui.tui.review_session import Flow, FlowDecision
from foureyes.ui.tui.text.lines import age, cut, short_age
from foureyes.ui.tui.text.task import answer_text, change_lines, check_text, finding_counts, signal_text
from foureyes.ui.tui.widgets.rows import PaintedLine, plain

QueueOrder = Literal["risk", "age", "priority", "size"]
ORDERS: tuple[QueueOrder, ...] = ("risk", "age", "priority", "size")
FEW = 12
"""Up to so many rows each shows its reasons below it; beyond, the row under the cursor shows them at the bottom."""
MODES = {"auto-approve": "auto", "per-task": "per-task", "batch": "batch", "skip": "skip"}
DECIDED: Mapping[FlowDecision, str] = {
    "approved": "approved",
    "redo": "sent back",
    "rejected": "rejected",
    "gone": "left",
}


class RowOutcome(msgspec.Struct, frozen=True):
    """What became of a row while the summary is open, in words, and whether `U` takes it back."""

    words: str
    undo: bool = False


class SummaryDrawing(msgspec.Struct, frozen=True, kw_only=True):
    """What a row is drawn with."""

    marks: Marks
    palette: Palette
    checks: tuple[str, ...]
    digits: int = 2
    id_width: int = 7
    compact: bool = False


ON_PURPOSE = "on purpose"
"""The group of what somebody wants to decide by itself, or holds."""


def ordered(rows: Sequence[QueueRow], order: QueueOrder) -> list[QueueRow]:
    """The rows in another order; their numbers stay. What joined later stands in its group, at the end."""
    if order == "age":
        return sorted(rows, key=lambda row: row.submitted_at)
    if order == "priority":
        return sorted(rows, key=lambda row: (row.priority, row.n))
    if order == "size":
        return sorted(rows, key=lambda row: (-(row.added + row.removed), row.n))
    return [row for group in _groups(rows).values() for row in group]


def summary_lines(
    rows: Sequence[QueueRow], happened: Mapping[str, RowOutcome], looks: SummaryDrawing, *, grouped: bool, reasons: bool
) -> list[PaintedLine]:
    """The lines of the summary. They are made here, and painted when they are on screen."""
    lines: list[PaintedLine] = []
    for group, members in _groups(rows).items() if grouped else (("", rows),):
        if group and members:
            lines.append(plain(_heading(group, len(members), looks)))
        for row in members:
            lines.append(PaintedLine(lambda width, row=row: _row(row, happened.get(row.task), looks, width), row.task))  # type: ignore[misc]
            if reasons and _has_reasons(row):
                lines.append(PaintedLine(lambda width, row=row: _reasons(row, looks, width), row.task))  # type: ignore[misc]
    return lines


def _groups(rows: Sequence[QueueRow]) -> dict[str, list[QueueRow]]:
    """The rows of each group, as the groups follow each other. Those that wait on purpose are one of their own, unless
    all of them are to be looked at closely anyway.
    """
    groups: dict[str, list[QueueRow]] = {group: [] for group in (ON_PURPOSE, *CLASSES)}
    apart = any(_waits(row) and row.risk.level != "high" for row in rows)
    for row in rows:
        groups[ON_PURPOSE if apart and _waits(row) else row.risk.level].append(row)
    return groups


def _waits(row: QueueRow) -> bool:
    return row.mode == "per-task" or row.held


def _heading(group: str, count: int, looks: SummaryDrawing) -> Text:
    if group == ON_PURPOSE:
        return Text(f" P WAIT ON PURPOSE ({count:,}): per task, or held", looks.palette["heading"], no_wrap=True)
    level = next(level for level in CLASSES if level == group)
    words = f" {looks.marks.risks[level]} {WORDS[level].upper()} ({count:,})"
    return Text(words, looks.palette[level], no_wrap=True)


def header(looks: SummaryDrawing, width: int) -> Text:
    """The line above the rows. What does not fit is left out: size, age, mode, in this order."""
    left = f" {'#':>{looks.digits + 1}}  {'Task':<{looks.id_width}}  Title"
    parts = [f"{'Quality':<{_quality(looks)}}", ""]
    parts += [f"{'Mode':<8}"] if width >= 62 else []
    parts += ["It"]
    parts += [f"{'±':>6}"] if width >= 76 else []
    parts += [f"{'Age':>4}"] if width >= 68 else []
    right = "  ".join([parts[0] + "   ", *parts[2:]]) + " "
    start = cut(Text(left, looks.palette["dim"]), max(1, width - cell_len(right) - 1), pad=True)
    return start.append(f" {right}", looks.palette["dim"])


def _quality(looks: SummaryDrawing) -> int:
    return max(7, len(looks.checks))


def checks_text(row: QueueRow, names: Sequence[str], marks: Marks, palette: Palette) -> Text:
    """The checks, left to right as configured."""
    text = Text()
    for name in names:
        word = row.check_word(name)
        text.append(marks.checks.get(word, "?"), palette[CHECK_ROLES.get(word, "dim")])
    return text


def _row(row: QueueRow, happened: RowOutcome | None, looks: SummaryDrawing, width: int) -> Text:
    palette, marks = looks.palette, looks.marks
    right = Text()
    if happened is not None:
        right.append(f"{happened.words}{f' {marks.dot} U' if happened.undo else ''} ")
    else:
        quality = checks_text(row, looks.checks, marks, palette)
        right.append_text(quality).append(" " * (_quality(looks) - quality.cell_len))
        right.append(" a   " if row.auto_approvable else "     ")
        right.append(f"{MODES.get(row.mode, row.mode):<8}  " if width >= 62 else "")
        right.append(f"{row.attempt:>2}")
        right.append(f"  {'+' + str(row.added) if row.added or not row.removed else '-' + str(row.removed):>6}"
                     if width >= 76 else "")  # fmt: skip
        right.append(f"  {short_age(row.age_seconds):>4}" if width >= 68 else "")
        right.append(" ")
    flag = "H" if row.held else " "
    left = Text.assemble(
        f" {flag}{row.n:>{looks.digits},}  ", (f"{row.task:<{looks.id_width}}", palette["title"]), "  "
    )
    left.append(visible(row.title))
    line = cut(left, max(1, width - right.cell_len - 1), pad=True).append(" ").append_text(right)
    if happened is not None:
        line.stylize(palette["dim"])
    return line


def reasons_of(row: QueueRow) -> str:
    """Why a row stands where it stands, worst first, in one line."""
    return " · ".join(map(visible, row.remarks))


def _has_reasons(row: QueueRow) -> bool:
    """Whether a row says why, without the words: those are made for what is on screen."""
    return (
        bool(row.risk.reasons or row.to_rule)
        or row.held
        or row.you.stale
        or any(reason.rule in REMARKABLE for reason in row.mode_reasons)
    )


def _reasons(row: QueueRow, looks: SummaryDrawing, width: int) -> Text:
    indent = " " * (looks.digits + looks.id_width + 6)
    return cut(Text(f"{indent}{reasons_of(row)}", looks.palette["dim"]), width)


def title_line(view: QueueView, shown: int, order: QueueOrder, clock: str, dot: str) -> str:
    """The right end of the title."""
    many = f"{shown:,} of {len(view.rows):,}" if shown != len(view.rows) else f"{len(view.rows):,}"
    return f"{many} task{'' if len(view.rows) == 1 else 's'} {dot} by {order} {dot} {clock} "


def counts_line(flow: Flow, rows: Sequence[QueueRow], dot: str) -> str:
    """What was decided, what is left, how long the oldest of it waits."""
    decided = {row.task for row in flow.rows if row.decided}
    oldest = max((row.age_seconds for row in rows if row.task not in decided), default=None)
    words = f" {dot} oldest {age(oldest)}" if oldest is not None else ""
    return f" {len(decided):,} decided {dot} {len(flow.rows) - len(decided):,} left{words}"


def preview_lines(
    row: QueueRow, detail: TaskDetail | None, looks: SummaryDrawing, unseen: str, width: int
) -> list[Text]:
    """The task under the cursor, on the right of a wide screen."""
    palette, marks = looks.palette, looks.marks
    lines = [Text.assemble((row.task, palette["title"]), f"  {visible(row.title)}")]
    why = "; ".join(visible(reason.message) for reason in row.mode_reasons) or "no label says otherwise"
    lines += _wrapped("WHY YOU", f"{row.mode}: {why}", palette, width)
    lines += _wrapped(f"RISK {marks.risks[row.risk.level]}", reasons_of(row) or WORDS[row.risk.level], palette, width)
    lines += change_lines(row, detail, marks, palette, unseen)
    if detail is not None:
        lines += _wrapped("QUALITY", check_text(detail, marks), palette, width)
        lines += _wrapped("FINDINGS", finding_counts(detail), palette, width)
        lines += _wrapped("SIGNAL", signal_text(detail), palette, width)
    lines += _wrapped("IF YOU APPROVE", answer_text(row.you, detail), palette, width)
    return lines


def _wrapped(name: str, text: str, palette: Palette, width: int) -> list[Text]:
    from textwrap import wrap

    start = f"{name:<9} "
    first, *rest = wrap(text, max(10, width - len(start)), max_lines=4, placeholder=" …") or [""]
    return [Text.assemble((start, palette["heading"]), first), *[Text(" " * len(start) + line) for line in rest]]
