"""Checks from git's files alone that the checkouts of a branch are up to date. Starts no git."""

from __future__ import annotations

import os
from contextlib import suppress
from os.path import dirname, isdir, islink, join, realpath

from foureyes.adapters.folders import read
from foureyes.adapters.git.client.locate import Located
from foureyes.adapters.git.client.object_files import noted_tree, tree_of
from foureyes.adapters.git.client.ref_files import read_loose


def all_follow(common_dir: str, ref: str) -> bool:
    """Return True if every checkout of a branch certainly has the branch's tree. False means that git has to be
    asked.
    """
    tip = read_loose(common_dir, ref)
    tree = tree_of(common_dir, tip) if tip else None
    if tree is None:
        return False
    try:
        heads = {git_dir: _head(git_dir) for git_dir in git_dirs(common_dir)}
    except OSError:
        return False
    wanted = b"ref: " + ref.encode("utf-8", "surrogateescape")
    return all(
        head is not None and (head != wanted or noted_tree(git_dir, len(tree) // 2) == tree)
        for git_dir, head in heads.items()
    )


def git_dirs(common_dir: str) -> list[str]:
    """Return the git directory of every worktree, the main one first."""
    linked = join(common_dir, "worktrees")
    names = sorted(os.listdir(linked)) if isdir(linked) else []
    return [common_dir, *(join(linked, name) for name in names)]


def roots(place: Located) -> list[str]:
    """Return every directory with a checkout of the repository, from git's own files."""
    paths = {} if place.root == place.common_dir else dict.fromkeys((place.root, place.worktree))
    with suppress(OSError):
        for git_dir in git_dirs(place.common_dir)[1:]:
            named = os.fsdecode(read(join(git_dir, "gitdir"), 4096).rstrip(b"\n"))
            paths[dirname(realpath(join(git_dir, named)))] = None
    return list(paths)


def _head(git_dir: str) -> bytes | None:
    """Return the content of HEAD, or None if it is a link or a placeholder."""
    path = join(git_dir, "HEAD")
    if islink(path):
        return None
    content = read(path, 4096).rstrip(b"\n")
    return None if content == b"ref: refs/heads/.invalid" else content
