"""The latest attempts of tasks, where nothing else of their facts is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from foureyes.core.nouns.attempt import Attempt

if TYPE_CHECKING:
    from foureyes.app.ports import Tx
    from foureyes.core.words.ids import TaskId


class AttemptRow(Attempt, frozen=True, kw_only=True):
    """An attempt with its task."""

    task: str


def attempt_of(tx: Tx, task: TaskId) -> Attempt | None:
    """The latest attempt of a task; None where nothing was submitted."""
    return tx.one("attempt.latest", AttemptRow, ids=[task])


def attempts_of(tx: Tx, ids: Sequence[str]) -> Mapping[str, Attempt]:
    """The latest attempt of each task that has one."""
    return {row.task: row for row in tx.all("attempt.latest", AttemptRow, ids=list(ids))} if ids else {}
