"""The state of a task's worktree, read from files: starts no git and writes nothing."""

from __future__ import annotations

import os

from foureyes.adapters.git.checkouts.checkouts import checkout_at
from foureyes.adapters.git.checkouts.status import head_ref
from foureyes.adapters.git.checkouts.task_worktrees import TaskWorktree
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.objects import refs
from foureyes.app.views.work import WorktreeState
from foureyes.core.words.refs import DETACHED
from foureyes.errors import GitProblem

MOST_FILES = 20_000
"""So many files are counted: a size is to be known soon, not to the byte."""


def state(git: Git, at: TaskWorktree) -> WorktreeState:
    """Its branch and size, or what is wrong with it."""
    size, more = _size(at.path)
    try:
        place = checkout_at(git, at.path)
        if place is None or os.path.realpath(place.worktree) != at.path:
            return WorktreeState(bytes=size, more=more, wrong="it is no worktree of this repository")
        ref = head_ref(git, place.git_dir)
    except GitProblem as problem:
        return WorktreeState(bytes=size, more=more, wrong=problem.message)
    return WorktreeState(
        branch="" if ref == DETACHED else ref.removeprefix(refs.BRANCHES),
        bytes=size,
        more=more,
    )


def _size(path: str) -> tuple[int, bool]:
    """The bytes of the files below a directory, and whether there are more than were counted."""
    total, left, folders = 0, MOST_FILES, [path]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if not left:
                        return total, True
                    left -= 1
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
        except OSError:  # it goes while it is looked at, or belongs to somebody else
            continue
    return total, False
