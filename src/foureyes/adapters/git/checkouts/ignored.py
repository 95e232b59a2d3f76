"""Ignored files in a worktree that is to go (K1, G4): what can be made again goes along, everything else keeps it.

Nobody commits an ignored file, so it is nowhere else: a local database, an `.env`, notes. What tools write and write
again (packages, caches, build results) would keep every worktree for ever.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from os.path import islink, join

from foureyes.adapters.folders import MB, read
from foureyes.adapters.git.checkouts.overlooked import repository_below
from foureyes.adapters.git.client.answers import as_text

MADE_AGAIN = frozenset(
    {
        # packages, from a list that is committed
        ".venv", "venv", "node_modules", "bower_components", "jspm_packages", ".pnpm-store", ".bundle", "Pods",
        # caches
        "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox", ".cache",
        ".import_linter_cache", ".eslintcache", ".stylelintcache", ".parcel-cache", ".turbo", ".gradle", ".next",
        ".nuxt", ".svelte-kit", ".angular", ".dart_tool", ".sass-cache", ".ipynb_checkpoints", ".DS_Store",
        # what a test run leaves behind
        ".coverage", ".nyc_output", ".eggs",
    }
)  # fmt: skip
"""Names of files and folders that a tool makes again, with whatever lies inside."""

RESULTS = frozenset(
    {
        "build", "dist", "target", "out", "obj", "_build", "coverage", "htmlcov", "test-results", "playwright-report",
        "eggs",
    }
)  # fmt: skip
"""Folders with the results of a build or of a test run, where git ignores them as a whole. People have folders of these
names, too, and in one of those that is committed an ignored file is somebody's.
"""

ENDINGS = (".pyc", ".pyo", ".o", ".class", ".tsbuildinfo", ".egg-info")


def goes_along(
    worktree: str, root: str, paths: Iterable[bytes], is_copy: Callable[[bytes], bool] = lambda path: False
) -> tuple[list[str], list[str]]:
    """Of the ignored paths of a worktree, what can go with it, by the shortest names; and what would be lost.

    `root`: the checkout beside it; what lies there, too, byte for byte, is not lost, nor is what `is_copy` says.
    A repository inside of a folder is somebody's, whatever the folder is called.
    """
    gone: dict[str, None] = {}
    lost: list[str] = []
    for path in paths:
        parts = as_text(path).rstrip("/").split("/")
        known = next((n for n, name in enumerate(parts) if is_made_again(name)), None)
        if known is None and path.endswith(b"/") and parts[-1] in RESULTS:
            known = len(parts) - 1
        inside = repository_below(join(os.fsencode(worktree), path)) if path.endswith(b"/") else None
        if inside is not None:
            lost.append(as_text(os.path.relpath(inside, os.fsencode(worktree))) + "/")
        elif known is not None:
            gone["/".join(parts[: known + 1])] = None
        elif _is_elsewhere(os.fsencode(worktree), os.fsencode(root), path) or is_copy(path):
            gone["/".join(parts)] = None
        else:
            lost.append(as_text(path))
    return list(gone), lost


def is_made_again(name: str) -> bool:
    """Whether a tool makes what is called so again."""
    return name in MADE_AGAIN or name.endswith(ENDINGS)


def _is_elsewhere(worktree: bytes, root: bytes, path: bytes) -> bool:
    """Whether an ignored file is only a link, or a copy of the one in the other checkout."""
    here = join(worktree, path)
    if path.endswith(b"/"):
        return False
    if islink(here):
        return True
    try:
        return _content(here) == _content(join(root, path))
    except OSError:
        return False


def _content(path: bytes) -> bytes:
    return read(os.fsdecode(path), MB)
