"""News about a task while it is looked at: what is not as it was read, and what of it the reader did."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.app.results.task import TaskDetail

CHANGED = "CHANGED  something about this task is new.  F5 takes it in"


def news_of(read: TaskDetail, now: TaskDetail) -> str:
    """What is said where something about a task is on record that the reader has not seen: a check, a finding, an
    edit; empty where there is nothing.
    """
    return "" if _standing(read) == _standing(now) else CHANGED


def _standing(detail: TaskDetail) -> tuple[object, ...]:
    return (detail.task.version, detail.checks, detail.findings, detail.reviews, detail.you)


def asks_the_same(read: TaskDetail, now: TaskDetail) -> bool:
    """Whether a task asks for what it asked for, and the change is the one that was read: then what the reader did
    elsewhere is taken in without a question (T6 still refuses what somebody edited meanwhile).
    """
    return _asked(read) == _asked(now)


def _asked(detail: TaskDetail) -> tuple[object, ...]:
    task, latest = detail.task, detail.attempts[-1] if detail.attempts else None
    change = (latest.n, latest.diff_id) if latest else None
    return (task.title, task.description, task.acceptance, task.type, task.labels, task.status, change)
