"""Items that wait for a person, as lines: the first ones for `fe status` and `fe queue`, all for `fe status --attention`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.results.status import WORDS
from foureyes.core.words.text import flat
from foureyes.steps import fe
from foureyes.ui.cli.output import when
from foureyes.ui.steps import next_line, steps_text

if TYPE_CHECKING:
    from foureyes.app.results.status import AttentionRow, AttentionView

FIRST = 5
"""Number of items shown on other pages."""


def first_lines(view: AttentionView) -> list[str]:
    """Return the first items, each with its command. None if nothing waits. (E6)"""
    if not view.rows:
        return []
    rows = [f"  {_head(row)}      {steps_text(row.next)}" for row in view.rows]
    return ["waits for a person", *rows, *(["  and more: fe status --attention"] if view.more else [])]


def attention_text(view: AttentionView) -> str:
    """Return all items with their reasons and commands."""
    if not view.rows:
        return f"nothing needs attention. Tasks waiting for review:\n{next_line(fe('queue'))}"
    lines = []
    for row in view.rows:
        since = when(row.since)
        lines.append(_head(row) + (f"      {since}" if since else ""))
        lines += [f"  {flat(line)}" for line in row.details]
        lines += [
            f"  {number} {choice.text}: {steps_text(choice.step)}" for number, choice in enumerate(row.choices, 1)
        ]
        lines += [] if row.choices else [f"  {steps_text(row.next)}"]
    more = [f"only the first {len(view.rows)} are shown"] if view.more else []
    return "\n".join([*lines, *more, next_line(view.rows[0].next)])


def _head(row: AttentionRow) -> str:
    return f"{WORDS[row.kind]:<9} " + (f"{row.task} · {flat(row.text)}" if row.task else flat(row.text))
