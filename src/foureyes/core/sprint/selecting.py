"""Selection (X1): which tasks a sprint can have, by id, label and priority, and which wait for one that it has not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from foureyes.core.words.folding import folded
from foureyes.core.words.ids import TaskId


class SprintCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A task that could be in a sprint: open, not held. `waits_for`: the open tasks that it waits for."""

    id: TaskId
    title: str = ""
    type: str = "task"
    priority: int = 2
    labels: tuple[str, ...] = ()
    ready: bool = True
    waits_for: tuple[str, ...] = ()


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for; empty: everything. `below` is the least important priority that is taken."""

    ids: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    """Labels, or ids, that are left out."""
    below: int | None = None


def choose(candidates: Sequence[SprintCandidate], wanted: Wanted) -> list[SprintCandidate]:
    """T4, X1: what is asked for and ready, or waits only for what is chosen too; in the order in which it begins."""
    asked = [task for task in candidates if _is_wanted(task, wanted)]
    chosen = {task.id: task for task in asked}
    while True:
        waiting = [task.id for task in chosen.values() if not _can_begin(task, chosen) and task.id not in wanted.ids]
        if not waiting:
            return [task for task in candidates if task.id in chosen]
        for task in waiting:
            del chosen[task]


def _is_wanted(task: SprintCandidate, wanted: Wanted) -> bool:
    labels = {folded(label) for label in task.labels}
    if task.id in wanted.without or labels & {folded(label) for label in wanted.without}:
        return False
    if task.id in wanted.ids:
        return True
    if wanted.ids and not wanted.labels and wanted.below is None:
        return False
    return (not wanted.labels or bool(labels & {folded(label) for label in wanted.labels})) and (
        wanted.below is None or task.priority <= wanted.below
    )


def _can_begin(task: SprintCandidate, chosen: Collection[str]) -> bool:
    return task.ready or (bool(task.waits_for) and all(other in chosen for other in task.waits_for))


def with_waiting(rows: Iterable[SprintCandidate], waits: Mapping[str, Sequence[str]]) -> list[SprintCandidate]:
    """Candidates, each with what it waits for."""
    return [msgspec.structs.replace(row, waits_for=tuple(waits.get(row.id, ()))) for row in rows]
