"""Work in review whose required checks broke (D5, E6): it says nothing about the work, sends nothing back, and is tried
again in vain until somebody fixes what they run on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from foureyes.app.call.rows import IdRow
from foureyes.app.pages.stopped_runs import StandstillRow
from foureyes.core.words.ids import TaskId
from foureyes.core.words.text import one_line

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.check import CheckState
    from foureyes.core.rules.policy import ReviewPolicy

LINE = 160


def broken_checks(context: Context, tx: Tx, policy: ReviewPolicy, most: int) -> Iterator[StandstillRow]:
    """A row for each task in review that a required check which broke keeps waiting."""
    rows = tx.all("board.broken_checks", IdRow, limit=most)
    if not rows:
        return
    from foureyes.app.call.facts import facts_for
    from foureyes.core.rules.check_states import check_states
    from foureyes.core.rules.retrying import broken_of

    for task, facts in facts_for(context, tx, [TaskId(row.id) for row in rows]).items():
        broke = [state for state in check_states(facts, policy) if broken_of(facts, state) is not None]
        if broke:
            yield _row(task, facts.task.title, broke)


def _row(task: TaskId, title: str, broke: list[CheckState]) -> StandstillRow:
    from foureyes.core.nouns.check import moves_on

    lines = [f"{state.rule.name} {state.word.replace('_', ' ')} ({one_line(state.summary, LINE)})" for state in broke]
    return StandstillRow(
        kind="check",
        task=task,
        text=", ".join(lines),
        since=max(state.result.at for state in broke if state.result),
        details=(
            f"{title} (reviewing)",
            *lines,
            "That says nothing about the work: nothing is sent back, and no rule approves it.",
            f"What it printed: fe check show {task}",
        ),
        otherwise=moves_on(broke[0], task, by_anyone=False),
    )
