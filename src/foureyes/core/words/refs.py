"""Names of refs: a task's own branch, where the head of an attempt is kept."""

from __future__ import annotations

import re

KEPT_ATTEMPTS = "refs/foureyes/attempts/"
LEFT_BRANCHES = "refs/foureyes/left/"
KEPT_REMOTES = "refs/foureyes/remote/"
OWN_BRANCHES = "refs/heads/fe/"
"""Below it each task has a branch of its own: `fe/<task>`."""
FENCE = "refs/foureyes/fence"
"""A ref of the remote that every merge moves together with the target: who was taken for dead expects it elsewhere, and
so pushes nothing any more (J4, Q6).
"""
_LEAF = re.compile(r"(refs/(?:foureyes/(?:fence|(?:attempts|left)/[^/]+/[0-9]+(?:-[0-9a-f]+)?)|heads/fe/[^/]+))/")
_FOLDER = re.compile(r"refs/foureyes/(?:attempts|left)(?:/[^/]+)?")
DETACHED = "(detached)"
"""The ref of an attempt that came from a detached head."""


def own_branch(task: str) -> str:
    """The full name of a task's own branch."""
    return OWN_BRANCHES + task


def own_name(task: str) -> str:
    """The short name of a task's own branch, as people type it."""
    return own_branch(task).removeprefix("refs/heads/")


def attempt_ref(task: str, n: int) -> str:
    """Where the head of an attempt is kept for ever."""
    return f"{KEPT_ATTEMPTS}{task}/{n}"


def exactly(commit: str) -> str:
    """A commit by its whole hash, for `git push`, `switch`, `branch` and `worktree add`: those prefer a ref that is
    called by the same digits, which anybody can make.
    """
    return f"{commit}^{{commit}}"


def spare_ref(ref: str, head: str) -> str:
    """What an attempt is called at a remote that has another commit under its name: of a store that was put back to
    before that one was submitted, or of anybody.
    """
    return f"{ref}-{head[:12]}"


def attempt_refs(task: str, n: int, head: str) -> tuple[str, str]:
    """What an attempt may be called at a remote: by its number, or where that was taken, by its head, too."""
    return attempt_ref(task, n), spare_ref(attempt_ref(task, n), head)


def left_ref(task: str, n: int) -> str:
    """Where a remote keeps what its branch of an attempt was at when that was submitted, and was left at (D4)."""
    return f"{LEFT_BRANCHES}{task}/{n}"


def tracked(remote: str, ref: str) -> str:
    """Where it is kept what a remote had as this ref when it was last fetched from there, or pushed to it."""
    return f"{KEPT_REMOTES}{remote}/{ref.removeprefix('refs/')}"


def displaced(ref: str) -> str:
    """The name of a ref of ours that git cannot make while there is this one: it lies below it, or where its folder
    belongs; empty where it is in nobody's way.
    """
    if below := _LEAF.match(ref):
        return below[1]
    return f"{ref}/1" if _FOLDER.fullmatch(ref) else ""
