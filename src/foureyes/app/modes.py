"""Review mode that a task would have now, for display before work begins. (M)"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from foureyes.app.context import IdRow
from foureyes.core.words.ids import TaskId
from foureyes.errors import ConfigError

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.facts import Facts
    from foureyes.core.rules.modes import ModeChoice


def modes_by_task(context: Context, tx: Tx, actor: Actor, ids: list[TaskId]) -> dict[TaskId, str]:
    """Return the modes of tasks for a table, none while the configuration is invalid. (M1)

    A task without an attempt and without anything that affects its mode gets the default. Its facts are not read.
    """
    try:
        default = context.policy(tx, actor).default_mode
    except ConfigError:
        return {}
    modes: dict[TaskId, str] = dict.fromkeys(ids, default)
    particular = [TaskId(row.id) for row in tx.all("task.of_particular_mode", IdRow, ids=ids)]
    if particular:
        from foureyes.app.facts import facts_for

        chosen = modes_of(context, tx, actor, facts_for(context, tx, particular))
        modes |= {task: each.short for task, each in chosen.items()}
    return modes


def modes_of(context: Context, tx: Tx, actor: Actor, facts: Mapping[TaskId, Facts]) -> dict[TaskId, ModeChoice]:
    """Return the modes of tasks with their reasons, none while the configuration is invalid."""
    try:
        policy = context.policy(tx, actor)
    except ConfigError:
        return {}
    from foureyes.core.rules.modes import mode_of

    return {task: mode_of(about, policy) for task, about in facts.items()}
