"""What a worktree needs besides the files that are committed (K1): files of the main checkout, and an environment."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from foureyes.app.call.rows import StoredSetting

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.core.words.ids import TaskId

SETTING = "work.copy"
SHOWN = 3


def furnish(context: Context, task: TaskId) -> tuple[str, ...]:
    """Do to the worktree of a task what comes after git has made it; what did not work, for who works there."""
    return tuple(note for step in STEPS if (note := step(context, task)))


def copy_files(context: Context, task: TaskId) -> str:
    """K1: the files that `[work] copy` names; none where nobody configured it."""
    globs = _configured(context)
    if not globs:
        return ""
    refused = context.workshop.copy_into(task, globs).refused
    more = f"; and {len(refused) - SHOWN} more" if len(refused) > SHOWN else ""
    return f"not copied (work.copy): {'; '.join(refused[:SHOWN])}{more}" if refused else ""


def prepare_environment(_context: Context, _task: TaskId) -> str:
    """The packages that the work needs, as checks have them; nothing yet."""
    return ""


STEPS: tuple[Callable[[Context, TaskId], str], ...] = (copy_files, prepare_environment)
"""From top to bottom."""


def _configured(context: Context) -> tuple[str, ...]:
    """The policy in force is read only where something about it is said."""
    with context.store.read() as tx:
        stored = any(row.name == SETTING for row in tx.all("project.settings", StoredSetting))
        if not stored and "copy" not in (context.project(tx).accepted_text or ""):
            return ()
        return context.gate_policy(tx).copies
