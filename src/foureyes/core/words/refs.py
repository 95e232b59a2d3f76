"""Names of refs: task branches, and the refs that keep attempts."""

from __future__ import annotations

from foureyes.core.words.ids import Shape

KEPT_ATTEMPTS = "refs/foureyes/attempts/"
LEFT_BRANCHES = "refs/foureyes/left/"
KEPT_REMOTES = "refs/foureyes/remote/"
OWN_BRANCHES = "refs/heads/fe/"
"""Prefix of each task's own branch: `fe/<task>`."""
FENCE = "refs/foureyes/fence"
"""A ref at the remote that every merge moves together with the target.

A merger that was wrongly presumed dead expects another position, so its push fails. (J4, Q6)
"""
_LEAF = Shape(r"(refs/(?:foureyes/(?:fence|(?:attempts|left)/[^/]+/[0-9]+(?:-[0-9a-f]+)?)|heads/fe/[^/]+))/")
_FOLDER = Shape(r"refs/foureyes/(?:attempts|left)(?:/[^/]+)?")
DETACHED = "(detached)"
"""The ref of an attempt from a detached head."""


def own_branch(task: str) -> str:
    """Return the full name of a task's own branch."""
    return OWN_BRANCHES + task


def own_name(task: str) -> str:
    """Return the short name of a task's own branch."""
    return own_branch(task).removeprefix("refs/heads/")


def attempt_ref(task: str, n: int) -> str:
    """Return the ref that keeps the head of an attempt permanently."""
    return f"{KEPT_ATTEMPTS}{task}/{n}"


def exactly(commit: str) -> str:
    """Return a commit's full hash in a form that git cannot mistake for a ref.

    Anyone can create a ref named like the hash, and `git push`, `switch`, `branch` and `worktree add` would prefer it.
    """
    return f"{commit}^{{commit}}"


def spare_ref(ref: str, head: str) -> str:
    """Return the ref for an attempt if its usual name at the remote is taken by another commit, for example since a
    restore.
    """
    return f"{ref}-{head[:12]}"


def attempt_refs(task: str, n: int, head: str) -> tuple[str, str]:
    """Return the two names that an attempt may have at a remote: by number, and by number and head."""
    return attempt_ref(task, n), spare_ref(attempt_ref(task, n), head)


def left_ref(task: str, n: int) -> str:
    """Return the remote ref that records where the branch was when the attempt was submitted. (D4)"""
    return f"{LEFT_BRANCHES}{task}/{n}"


def tracked(remote: str, ref: str) -> str:
    """Return the local ref that tracks this ref of a remote."""
    return f"{KEPT_REMOTES}{remote}/{ref.removeprefix('refs/')}"


def displaced(ref: str) -> str:
    """Return one of our refs that git cannot create while `ref` exists, or ""."""
    if below := _LEAF.match(ref):
        return below[1]
    return f"{ref}/1" if _FOLDER.fullmatch(ref) else ""
