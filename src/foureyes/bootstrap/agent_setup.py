"""`fe setup`: what agent programs read of this checkout. No project has to be open for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.context import permit
from foureyes.bootstrap.places import repository

if TYPE_CHECKING:
    from foureyes.app.views.settings import FileChange
    from foureyes.core.nouns.session import Actor


PROGRAMS = ("claude", "codex", "gemini", "opencode", "qwen", "cursor", "copilot", "agents-md")
"""Who can be set up."""


def set_up(cwd: str, actor: Actor, program: str, *, remove: bool, dry_run: bool) -> tuple[list[FileChange], str]:
    """Set a program up, or no longer; what became of each file, and what a person has to know. `dry_run`: nothing is
    written.
    """
    permit(actor, "setup")
    from foureyes.adapters.agents.setup import changes, programs
    from foureyes.config.primer import BLOCK

    root = repository(cwd).worktree
    planned = changes.plan(root, program, BLOCK, remove=remove)
    if not dry_run:
        changes.apply(root, planned)
    return planned, programs.PROGRAMS[program].note
