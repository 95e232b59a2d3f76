"""The loop of a task, as `fe show --rounds` shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.steps import NO_STEP, Steps

if TYPE_CHECKING:
    from foureyes.core.loop.engine import LoopState
    from foureyes.core.nouns.task import Task


class LoopView(msgspec.Struct, frozen=True, kw_only=True):
    """Where the loop of a task stands, the agent profile that the next attempt is for (E4), and what to do next.

    `profile` is empty where somebody decides first.
    """

    task: Task
    state: LoopState
    profile: str = ""
    next: Steps = NO_STEP


def named() -> dict[str, type]:
    """What the fields are made of, for who decodes these values: whoever makes them has it, and others do without."""
    from foureyes.core.loop.engine import LoopState
    from foureyes.core.nouns.task import Task

    return {kind.__name__: kind for kind in (LoopState, Task)}
