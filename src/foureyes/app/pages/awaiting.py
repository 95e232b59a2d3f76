"""Dependencies that are not over: what tasks wait for, on the board and in lists."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from foureyes.app.ports import Tx


class OpenDependency(msgspec.Struct, frozen=True):
    """A task, and an unfinished one that it waits for."""

    task: str
    depends_on: str


def awaited(tx: Tx, tasks: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """What each of these tasks waits for; who waits for nothing is not in it."""
    waits: dict[str, list[str]] = defaultdict(list)
    for row in tx.all("board.waits", OpenDependency, ids=list(tasks)) if tasks else ():
        waits[row.task].append(row.depends_on)
    return {task: tuple(others) for task, others in waits.items()}
