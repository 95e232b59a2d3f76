"""Handles the files of people and tasks: worktrees, their state, hooks and patches. Each module is loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.adapters.git.checkouts import checkouts as checkouts
    from foureyes.adapters.git.checkouts import commits as commits
    from foureyes.adapters.git.checkouts import freshness as freshness
    from foureyes.adapters.git.checkouts import hooks as hooks
    from foureyes.adapters.git.checkouts import patch as patch
    from foureyes.adapters.git.checkouts import reset as reset
    from foureyes.adapters.git.checkouts import status as status
    from foureyes.adapters.git.checkouts import task_worktrees as task_worktrees
    from foureyes.adapters.git.checkouts import worktree_files as worktree_files


MODULES = frozenset(
    {"checkouts", "commits", "freshness", "hooks", "patch", "reset", "status", "task_worktrees", "worktree_files"}
)


def __getattr__(name: str) -> object:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return import_module(f"{__name__}.{name}")
