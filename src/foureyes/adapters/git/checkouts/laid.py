"""The environment of checks, laid into the worktree of a task (K1, D5): packages that git ignores there and that tools
make again, each where nothing is yet. A file that names the path at which it was made names the worktree's afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from os.path import isdir, islink, join, lexists

from foureyes.adapters import folders
from foureyes.adapters.git.checkouts.checkouts import checkout_at
from foureyes.adapters.git.checkouts.copied import ignored_here, is_behind_link
from foureyes.adapters.git.checkouts.ignored import is_made_again
from foureyes.adapters.git.checkouts.task_worktrees import TaskWorktree
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.locate import Located
from foureyes.adapters.process import run

COPYING = 600.0
LARGEST = 4 * folders.MB
DEPTH = 6


def lay_into(git: Git, at: TaskWorktree, source: str, was: str) -> tuple[str, ...]:
    """Copy what of a directory is packages into a worktree; their names. `was`: the path that files in there name."""
    place = checkout_at(git, at.path)
    if place is None:
        return ()
    laid = []
    for name in _wanted(git, place, source):
        here = join(place.worktree, name)
        done = run(["/bin/cp", "-a", join(source, name), here], timeout=COPYING)
        if done.rc != 0:
            raise OSError(f"{name} could not be copied")
        _rename(here, was, place.worktree)
        laid.append(name)
    return tuple(laid)


def _wanted(git: Git, place: Located, source: str) -> list[str]:
    """From above: what can be copied as a whole is not looked into."""
    wanted: list[str] = []
    ahead = [""]
    for _ in range(DEPTH):
        names = [join(folder, name) for folder in ahead for name in sorted(os.listdir(join(source, folder)))]
        packages = [name for name in names if is_made_again(os.path.basename(name)) and _is_free(place.worktree, name)]
        known = {os.fsencode(name) + (b"/" if isdir(join(source, name)) else b""): name for name in packages}
        wanted += [known[path] for path in ignored_here(git, place, list(known))]
        ahead = [name for name in names if name not in packages and _is_folder(source, place.worktree, name)]
        if not ahead:
            break
    return wanted


def _is_free(worktree: str, name: str) -> bool:
    parent = join(worktree, os.path.dirname(name))
    return isdir(parent) and not is_behind_link(worktree, os.fsencode(name)) and not lexists(join(worktree, name))


def _is_folder(source: str, worktree: str, name: str) -> bool:
    return all(isdir(join(top, name)) and not islink(join(top, name)) for top in (source, worktree))


def _rename(folder: str, was: str, now: str) -> None:
    """Text in which the path stands that it was made at, and links that lead there."""
    output = run(["/bin/grep", "-rlIFZ", "--", was, folder], timeout=COPYING).out
    for path in filter(None, output.split(b"\0")):
        around, name = os.path.split(os.fsdecode(path))
        with folders.entered(around) as handle:
            mode = os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode & 0o777
            text = folders.content(handle, name, LARGEST)
            if text:
                changed = text.replace(os.fsencode(was), os.fsencode(now))
                folders.replace(handle, name, changed, mode, durable=False)
    for link, target in _links(folder):
        if target == was or target.startswith(was + "/"):
            os.unlink(link)
            os.symlink(now + target[len(was) :], link)


def _links(folder: str) -> Iterator[tuple[str, str]]:
    for around, inside, names in folders.walked(folder):
        for name in (*inside, *names):
            if islink(path := join(around, name)):
                yield path, os.readlink(path)
