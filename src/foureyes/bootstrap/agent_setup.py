"""`fe setup`: the instructions that agent programs read from this checkout. It needs no open project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.context import permit
from foureyes.bootstrap.places import repository

if TYPE_CHECKING:
    from foureyes.app.results.settings import FileChange
    from foureyes.core.nouns.session import Actor


PROGRAMS = ("claude", "codex", "gemini", "opencode", "qwen", "cursor", "copilot", "agents-md")
"""Programs that can be set up."""


def set_up(cwd: str, actor: Actor, program: str, *, remove: bool, dry_run: bool) -> tuple[list[FileChange], str]:
    """Set up an agent program, or remove its setup. Return the change of each file and a note for the user. `dry_run`
    writes nothing.
    """
    permit(actor, "setup")
    from foureyes.adapters.agents.setup import changes, programs
    from foureyes.config.primer import BLOCK

    root = repository(cwd).worktree
    planned = changes.plan(root, program, BLOCK, remove=remove)
    if not dry_run:
        changes.apply(root, planned)
    return planned, programs.PROGRAMS[program].note
