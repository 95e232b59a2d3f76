"""Stacks in the facts (A7): the tasks whose work is inside an attempt, each with how it stands now."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from msgspec.structs import replace

from foureyes.app.views.stack import StackRow
from foureyes.core.nouns.stack import Below
from foureyes.core.nouns.task import Task
from foureyes.core.rules.facts import Facts, Lower
from foureyes.core.rules.stacks import in_words, is_awaited, status_words, what_became_of
from foureyes.core.words.ids import TaskId

if TYPE_CHECKING:
    from foureyes.app.ports import Tx

    class Stacked(Protocol):
        """A row about a task, with the tasks whose work is inside."""

        @property
        def task(self) -> str: ...

        @property
        def stack(self) -> tuple[StackRow, ...]: ...


T = TypeVar("T", bound="Stacked")


class BelowRow(Below, frozen=True, kw_only=True):
    """What is inside, with the task inside of which it is."""

    upper: str

    @property
    def below(self) -> Below:
        return Below(task=self.task, how=self.how, attempt=self.attempt, commits=self.commits, top=self.top)


def with_below(
    facts: Mapping[TaskId, Facts], rows: Sequence[BelowRow], lowers: Mapping[TaskId, Facts], deeper: Iterable[BelowRow]
) -> dict[TaskId, Facts]:
    """The facts with the tasks that are inside; `deeper`: what is inside of these."""
    stands_on: dict[str, list[str]] = defaultdict(list)
    for row in deeper:
        stands_on[row.upper].append(row.task)
    below: dict[str, list[Lower]] = defaultdict(list)
    for row in rows:
        if row.task in lowers:
            lower = Lower(inside=row.below, facts=lowers[row.task], stands_on=tuple(stands_on[row.task]))
            below[row.upper].append(lower)
    return {task: replace(about, below=tuple(below[task])) if task in below else about for task, about in facts.items()}


def drawn(facts: Facts) -> tuple[StackRow, ...]:
    """What is inside, the topmost first."""
    ordered = sorted(facts.below, key=lambda lower: (-len(lower.stands_on), -lower.inside.commits, lower.task.id))
    return tuple(drawn_one(lower.inside, lower.task) for lower in ordered)


def drawn_of(tx: Tx, tasks: Sequence[str]) -> dict[str, tuple[StackRow, ...]]:
    """What is inside the attempts of tasks, where nothing else of their facts is asked for."""
    rows = tx.all("stack.below", BelowRow, ids=list(tasks)) if tasks else []
    if not rows:
        return {}
    lowers = {task.id: task for task in tx.all("task.some", Task, ids=sorted({row.task for row in rows}))}
    drawn: dict[str, tuple[StackRow, ...]] = {}
    for row in sorted(rows, key=lambda each: -each.commits):
        drawn[row.upper] = (*drawn.get(row.upper, ()), drawn_one(row.below, lowers[row.task]))
    return drawn


def from_below(rows: Sequence[T]) -> list[T]:
    """A7: rows in their order, but what is merged first before what stands on it."""
    by_task = {row.task: row for row in rows}
    placed: dict[str, T] = {}

    def place(row: T, above: frozenset[str]) -> None:
        lower = [each.task for each in reversed(row.stack) if each.first]
        for task in lower:
            if task in by_task and task not in placed and task not in above:
                place(by_task[task], above | {row.task})
        placed[row.task] = row

    for row in rows:
        if row.task not in placed:
            place(row, frozenset())
    return list(placed.values())


def standing_on(tx: Tx, task: TaskId) -> tuple[StackRow, ...]:
    """The tasks whose attempts have the work of this one inside, the topmost first."""
    rows = tx.all("stack.above", BelowRow, ids=[task])
    if not rows:
        return ()
    names = sorted({row.upper for row in rows})
    uppers = {each.id: each for each in tx.all("task.some", Task, ids=names)}
    height = Counter(row.upper for row in tx.all("stack.below", BelowRow, ids=names))
    rows.sort(key=lambda row: (-height[row.upper], row.upper))
    return tuple(
        StackRow(
            task=row.upper,
            title=uppers[TaskId(row.upper)].title,
            standing=status_words(uppers[TaskId(row.upper)]),
            how=row.how,
            attempt=row.attempt,
            commits=row.commits,
        )
        for row in rows
    )


def drawn_one(inside: Below, task: Task) -> StackRow:
    """One task of a stack."""
    return StackRow(
        task=task.id,
        title=task.title,
        standing=status_words(task, inside),
        how=inside.how,
        attempt=inside.attempt,
        commits=inside.commits,
        first=is_awaited(inside, task),
        refused=what_became_of(inside, task),
        says=in_words(inside),
    )


def passed_by(tx: Tx, approvals: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """N3, A7: the tasks that who broke the glass passed over, by the journal rows of their approvals."""
    if not approvals:
        return {}
    from foureyes.app.call.controls import EventRow, event_of
    from foureyes.core.events.decision import Approved

    rows = tx.all("journal.approved", EventRow, seqs=list(approvals))
    events = ((row.seq, event_of(row)) for row in rows)
    return {seq: event.passed for seq, event in events if isinstance(event, Approved)}
