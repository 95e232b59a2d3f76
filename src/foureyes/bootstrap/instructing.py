"""`fe setup`: the instruction block for agents in their own files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.call.caller import permit
from foureyes.bootstrap.places import repository

if TYPE_CHECKING:
    from foureyes.core.nouns.session import Actor


def write_instructions(cwd: str, actor: Actor, agent: str, *, remove: bool) -> tuple[str, str]:
    """Write or take out the instruction block of an agent; the file's name and what was done."""
    permit(actor, "setup")
    from foureyes.adapters.agents import instructions
    from foureyes.config.primer import BLOCK

    root = repository(cwd).worktree
    name = instructions.FILES[agent]
    return name, instructions.remove(root, name) if remove else instructions.install(root, name, BLOCK)
