"""The feedback files, held against what the store says they should be (F2, J2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from foureyes.adapters.folders import entries, read
from foureyes.app.views.journal import Discrepancy
from foureyes.core.words.ids import TASK_INPUT

LARGEST = 64 << 20
LISTED = 200_000
ENDING = ".json"


def lacking(task: str) -> Discrepancy:
    """That a file is not there."""
    return _about(task, "completeness", "is missing")


def compared(place: int, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[Discrepancy]:
    """Each file that is missing, is behind, was changed, or tells of a task that nobody decided about."""
    names = sorted(name.removesuffix(ENDING) for name in entries(place, LISTED) if name.endswith(ENDING))
    discrepancies = [lacking(task) for task in before if task not in set(names)]
    for task in names:
        if task in after:
            discrepancies += _compare(place, task, before.get(task, b""), after[task])
        elif task.isascii() and TASK_INPUT.match(task):
            discrepancies.append(_altered(task, "tells of decisions that are not in the journal"))
    return discrepancies


def _compare(place: int, task: str, before: bytes, after: bytes) -> list[Discrepancy]:
    try:
        document = read(task + ENDING, LARGEST, at=place)
    except FileNotFoundError:
        return [lacking(task)] if before else []
    except OSError as problem:
        return [_altered(task, f"cannot be read: {problem.strerror}")]
    if document in (before, after):
        return []
    written, should = _history(document), _history(after)
    if written is not None and should is not None and written == should[: len(written)]:
        missing = len(should) - len(written)
        if missing:
            return [_about(task, "completeness", f"lacks the last {missing} of {len(should)} decisions")]
    return [_altered(task, "was changed")]


def _history(document: bytes) -> list[Any] | None:
    """The decisions in a file that is one of ours."""
    try:
        history = msgspec.json.decode(document, type=dict[str, Any]).get("history")
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return history if isinstance(history, list) else None


def _altered(task: str, what: str) -> Discrepancy:
    return _about(task, "integrity", what)


def _about(task: str, area: Literal["integrity", "completeness"], what: str) -> Discrepancy:
    file = f"feedback/{task}{ENDING}"
    return Discrepancy(area, f"{file} {what}", task=task, file=file)
