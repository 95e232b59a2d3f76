"""Tasks whose work is inside another task's attempt, and their current status. (A7)"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.app.results.attempt import InsideRow
from foureyes.core.nouns.attempt import Below
from foureyes.core.nouns.task import Task
from foureyes.core.rules.facts import Facts, Lower
from foureyes.core.rules.stacks import in_words, is_awaited, status_words, what_became_of
from foureyes.core.words.ids import TaskId

if TYPE_CHECKING:
    from foureyes.app.ports import Tx


class BelowRow(Below, frozen=True, kw_only=True):
    """A task inside an attempt. `upper` is the task of that attempt."""

    upper: str

    @property
    def below(self) -> Below:
        return Below(task=self.task, how=self.how, attempt=self.attempt, commits=self.commits, top=self.top)


def with_below(
    facts: Mapping[TaskId, Facts], rows: Sequence[BelowRow], lowers: Mapping[TaskId, Facts]
) -> dict[TaskId, Facts]:
    """Add the tasks inside each attempt to its facts."""
    below: dict[str, list[Lower]] = defaultdict(list)
    for row in rows:
        if row.task in lowers:
            below[row.upper].append(Lower(inside=row.below, facts=lowers[row.task]))
    return {task: replace(about, below=tuple(below[task])) if task in below else about for task, about in facts.items()}


def inside_of(tx: Tx, tasks: Sequence[str]) -> dict[str, tuple[InsideRow, ...]]:
    """Return the tasks inside the attempts of `tasks`, for display. No other facts are read."""
    rows = tx.all("stack.below", BelowRow, ids=list(tasks)) if tasks else []
    if not rows:
        return {}
    lowers = {task.id: task for task in tx.all("task.some", Task, ids=sorted({row.task for row in rows}))}
    inside: dict[str, tuple[InsideRow, ...]] = {}
    for row in rows:
        inside[row.upper] = (*inside.get(row.upper, ()), inside_row(row.below, lowers[row.task]))
    return inside


def inside_row(inside: Below, task: Task) -> InsideRow:
    """Describe a task inside an attempt, and what its status means for the attempt."""
    standing, first, refused = status_words(task, inside), is_awaited(inside, task), what_became_of(inside, task)
    says = f"{in_words(inside)} ({standing})"
    says += f", which {refused}" if refused else f": merge {task.id} first" if first else ""
    return InsideRow(task=task.id, how=inside.how, state=standing, first=first, refused=refused, sentence=says)


def passed_by(tx: Tx, approvals: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return the tasks that a break-glass approval overrode, by the approval's journal row. (A7, N3)"""
    if not approvals:
        return {}
    from foureyes.app.facts import EventRow, event_of
    from foureyes.core.events.decision import Approved

    rows = tx.all("journal.approved", EventRow, seqs=list(approvals))
    events = ((row.seq, event_of(row)) for row in rows)
    return {seq: event.passed for seq, event in events if isinstance(event, Approved)}
