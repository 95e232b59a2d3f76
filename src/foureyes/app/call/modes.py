"""How a task would be reviewed as it stands now (M): said before work begins, not only when it is handed in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from foureyes.errors import ConfigError

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.facts import Facts
    from foureyes.core.rules.modes import Chosen
    from foureyes.core.words.ids import TaskId


def modes_of(context: Context, tx: Tx, actor: Actor, facts: Mapping[TaskId, Facts]) -> dict[TaskId, Chosen]:
    """The modes of tasks, each with its reasons; none while the configuration is broken."""
    try:
        policy = context.policy(tx, actor)
    except ConfigError:
        return {}
    from foureyes.core.rules.modes import mode_of

    return {task: mode_of(about, policy) for task, about in facts.items()}
