"""Freshness of checkouts: whether those of a branch follow it, as far as files say. Starts no git."""

from __future__ import annotations

import os
from contextlib import suppress
from os.path import dirname, isdir, islink, join, realpath

from foureyes.adapters.folders import read
from foureyes.adapters.git.client.locate import Located
from foureyes.adapters.git.client.object_files import noted_tree, tree_of
from foureyes.adapters.git.client.ref_files import read_loose


def all_follow(common_dir: str, ref: str) -> bool:
    """True when every checkout of a branch surely holds what the branch has; False where git has to look."""
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
    """The git directory of every worktree, the main one first."""
    linked = join(common_dir, "worktrees")
    names = sorted(os.listdir(linked)) if isdir(linked) else []
    return [common_dir, *(join(linked, name) for name in names)]


def roots(place: Located) -> list[str]:
    """Every directory in which the repository is checked out, as far as git's own files name them."""
    paths = {} if place.root == place.common_dir else dict.fromkeys((place.root, place.worktree))
    with suppress(OSError):
        for git_dir in git_dirs(place.common_dir)[1:]:
            named = os.fsdecode(read(join(git_dir, "gitdir"), 4096).rstrip(b"\n"))
            paths[dirname(realpath(join(git_dir, named)))] = None
    return list(paths)


def _head(git_dir: str) -> bytes | None:
    """What HEAD says; None where it does not say it plainly."""
    path = join(git_dir, "HEAD")
    if islink(path):
        return None
    content = read(path, 4096).rstrip(b"\n")
    return None if content == b"ref: refs/heads/.invalid" else content
