"""`fe queue`: the review queue."""

from __future__ import annotations

import click

from foureyes.app.results.review import QueueRow, QueueView
from foureyes.core.rules.risk import WORDS
from foureyes.core.words.text import flat
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.cli.status import first
from foureyes.ui.cli.text.attention import first_lines
from foureyes.ui.steps import next_line

MARKS = {"passed": "✓", "failed": "✗", "crashed": "!", "timed_out": "!", "unsound": "!", "not_run": "·", "claimed": "?"}
ON_PURPOSE = "waits on purpose"


@verb("queue", example="fe queue --limit 10")
@click.option(
    "--limit", type=click.IntRange(1), default=50, show_default=True, metavar="N", help="Maximum number of rows."
)
def queue(session: Session, limit: int) -> None:
    """List tasks waiting for review, riskiest first. Per-task reviews come first. What only a person can resolve is
    listed above them.
    """
    show_queue(session, limit)


def show_queue(session: Session, limit: int) -> None:
    """Print the queue for this caller."""
    view = session.app.queue.view(session.actor, limit=limit)
    if session.json:
        output.write_lines(_json(row) for row in view.rows)
        return
    output.put(output.painted("\n".join([*first_lines(first(session)), queue_text(view)]), heading_colour))


def heading_colour(_: int, line: str) -> str:
    """Return a heading of the queue in the color of its risk."""
    from foureyes.ui.cli import colour

    tints = {ON_PURPOSE: colour.CYAN, WORDS["high"]: colour.RED, WORDS["medium"]: colour.YELLOW}
    return colour.painted(line, tints.get(line, ""))


def _json(row: QueueRow) -> dict[str, object]:
    plain: dict[str, object] = output.with_id(row)
    return plain | {"risk": {"class": row.risk.level, "reasons": row.risk.reasons}}


def queue_text(view: QueueView) -> str:
    """Return the queue, group by group."""
    if not view.rows:
        return f"no tasks are waiting for review\n{next_line(view.next)}"
    waits = "task waits" if view.count == 1 else "tasks wait"
    lines = [
        f"{view.count} {waits} in review      auto-approvable {view.auto_approvable} · need attention "
        f"{view.need_attention}" + (f" · you can approve now {view.approvable}" if view.approvable < view.count else "")
    ]
    width = max(len(row.task) for row in view.rows)
    group = ""
    for row in view.rows:
        heading = ON_PURPOSE if row.mode == "per-task" or row.held else WORDS[row.risk.level]
        if heading != group:
            lines.append(heading)
            group = heading
        lines.append(_row(row, view.checks, width))
        lines += [f"       {_why(row)}"] if _why(row) else []
        lines += [f"       {inside.sentence}" for inside in row.inside]
    left = view.count - len(view.rows)
    lines += [f"{left} more: --limit {view.count}"] if left else []
    if view.checks:
        lines.append(f"checks left to right: {' '.join(view.checks)}   (✓ passed ✗ failed ! broke · not run ? claimed)")
    return "\n".join([*lines, next_line(view.next)])


def _row(row: QueueRow, checks: tuple[str, ...], width: int) -> str:
    marks = "".join(MARKS[row.check_word(name)] for name in checks) or "no checks"
    auto = "auto" if row.auto_approvable else ""
    size = f"+{row.added} -{row.removed}"
    title = output.shorten(flat(row.title), 40)
    where = f"  {row.n:>2} {row.task:<{width}}  P{row.priority}  {title:<40}  {size:<10} {marks}"
    return f"{where}  {row.mode:<12} it {row.attempt}  {_age(row):<6} {auto}".rstrip()


def _age(row: QueueRow) -> str:
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if row.age_seconds >= size:
            return f"{row.age_seconds // size}{unit}"
    return f"{row.age_seconds}s"


def _why(row: QueueRow) -> str:
    return "; ".join(map(flat, row.remarks))
