"""Finds the caller's repository by reading files only, because every command needs it."""

from __future__ import annotations

import os
from functools import cached_property
from os.path import basename, dirname, isdir, isfile, join, lexists, realpath
from typing import TYPE_CHECKING

import msgspec

from foureyes.adapters.folders import read
from foureyes.adapters.git.client.config_file import is_true, read_settings
from foureyes.errors import GitProblem
from foureyes.steps import Steps, blank, prose, shell

if TYPE_CHECKING:
    from foureyes.adapters.git.client.git import Git


# ---- Locate ----

# `root` is the place of the project's store and must be the same from every worktree (K3). So it comes from the shared
# git directory alone, in this order:
#
# 1. `core.worktree`, if set (as in submodules). It must match the current checkout.
#
# 2. A bare repository has no main worktree: use the git directory itself, unless it is a `.git` beside a project's
# store.
#
# 3. A git directory called `.git` is in the main worktree.
#
# 4. Any other one (`git init --separate-git-dir`) does not name its main worktree. Then root is the worktree whose
# `.git` names it. From a linked worktree it is unknown, and a guess could create a second store, so `GitProblem` asks
# to set `core.worktree`.
#
# The files on the way (`.git`, `commondir`) are parsed byte for byte as git does, with one extra condition: only a
# directory in `worktrees/` of a git directory may name that one as its shared directory. Git accepts any. Without this,
# a line written into `.git` could redirect every command to another repository, or to a copy of the store (P12).

LOOK = prose("find out who put it there, and move it away")
_NAMES = "gitdir: "


class Located(msgspec.Struct, frozen=True):
    """The repository's paths, absolute and without symbolic links. In a bare repository all four are the git directory."""

    worktree: str
    git_dir: str
    common_dir: str
    root: str


def locate(start: str | os.PathLike[str]) -> Located | None:
    """Return the repository at or above `start`, or None. Environment variables are ignored.

    A bare repository counts only outside every checkout. Inside one, its files and configuration may come from a
    commit.
    """
    here, bare = realpath(start), ""
    while (repository := _at(here)) is None:
        bare = bare or (here if _is_bare(here) else "")
        above = dirname(here)
        if above == here:
            return _placed(bare, bare) if bare else None
        here = above
    return repository


def _at(here: str) -> Located | None:
    dot_git = join(here, ".git")
    if isfile(dot_git):
        return _placed(_named_by(dot_git), here)
    if _is_git_dir(dot_git):
        return _placed(realpath(dot_git), here)
    return None


def _is_bare(here: str) -> bool:
    """Return True for a bare repository. A damaged one does not count, because its files may come from a commit."""
    try:
        return _is_git_dir(here) and _common_dir(here) == here
    except GitProblem:
        return False


def _placed(git_dir: str, here: str) -> Located:
    common_dir = _common_dir(git_dir)
    if common_dir != git_dir:
        if dirname(git_dir) != join(common_dir, "worktrees"):
            path = join(git_dir, "commondir")
            raise GitProblem(f"{path} names {common_dir}, which has no such worktree", next_step=LOOK)
        return Located(here, git_dir, common_dir, _root(common_dir, None))
    root = _root(common_dir, here)
    if root != here and not (root == common_dir and dirname(common_dir) == here):
        raise GitProblem(
            f"{here} is a checkout of the git directory {common_dir}, which says that its main worktree is {root}",
            next_step=shell("git", f"--git-dir={common_dir}", "config", "core.worktree", here, after=", if it is here"),
        )
    return Located(root, git_dir, common_dir, root)


def _root(common_dir: str, main: str | None) -> str:
    settings = read_settings(join(common_dir, "config"))
    if is_true(settings.get("extensions.worktreeconfig")):
        settings |= read_settings(join(common_dir, "config.worktree"))
    if worktree := settings.get("core.worktree"):
        named = realpath(join(common_dir, worktree))
        if main is None and basename(common_dir) == ".git" and named != dirname(common_dir):
            raise GitProblem(
                f"core.worktree in {join(common_dir, 'config')} names {named}, which is not where it lies",
                next_step=shell("git", f"--git-dir={common_dir}", "config", "--unset", "core.worktree"),
            )
        return named
    if is_true(settings.get("core.bare")) and not _has_sibling_project(common_dir):
        return common_dir
    if basename(common_dir) == ".git":
        return dirname(common_dir)
    if main is not None:
        return main
    raise GitProblem(
        f"this worktree belongs to the git directory {common_dir}, which does not say where its main worktree is",
        next_step=shell(
            "git", f"--git-dir={common_dir}", "config", "core.worktree", blank("PATH-OF-THE-MAIN-WORKTREE")
        ),
    )


def _has_sibling_project(common_dir: str) -> bool:
    """Return True if a project's store is next to a `.git`. Then `core.bare` in its configuration does not move the
    store.
    """
    return basename(common_dir) == ".git" and lexists(join(dirname(common_dir), ".foureyes"))


def _named_by(dot_git: str) -> str:
    """Return the git directory named by a `.git` file."""
    text = _read(dot_git, _repair(dirname(dot_git)))
    target = text.removeprefix(_NAMES).rstrip("\r\n")
    if not text.startswith(_NAMES) or not target:
        raise GitProblem(
            f"{dot_git} is damaged: it does not name a git directory",
            next_step=_repair(dirname(dot_git)),
        )
    git_dir = realpath(join(dirname(dot_git), target))
    if not _is_git_dir(git_dir):
        raise GitProblem(
            f"{dot_git} names {git_dir}, which is not a git directory",
            next_step=_repair(dirname(dot_git)),
        )
    return git_dir


def _repair(worktree: str) -> Steps:
    """Return the command by which git finds a worktree again after the repository was moved."""
    folder, _, task = worktree.rpartition("/.foureyes/worktrees/")
    if folder and task:
        return shell("git", "-C", folder, "worktree", "repair", worktree)
    return shell("git", "worktree", "repair", worktree, after=", in the main worktree")


def _common_dir(git_dir: str) -> str:
    """Return the shared git directory, which a linked worktree's git directory names in `commondir`."""
    path = join(git_dir, "commondir")
    if not lexists(path):
        return git_dir
    named = _read(path, LOOK).rstrip("\r\n")
    if not named:
        raise GitProblem(f"{path} is damaged: it names no directory", next_step=LOOK)
    return realpath(join(git_dir, named))


def _is_git_dir(path: str) -> bool:
    if not lexists(join(path, "HEAD")):
        return False
    common_dir = _common_dir(path)
    return isdir(join(common_dir, "objects")) and isdir(join(common_dir, "refs"))


def _read(path: str, repair: Steps) -> str:
    """Return the text of a file that names a directory. `repair` is the next step for a damaged one, because moving
    `.git` away would lose the worktree."""
    try:
        text = read(path, 65536, follow=True).decode("utf-8", "surrogateescape")
    except OSError as problem:
        step = shell("ls", "-l", path, before="check what it is and who may read it: ")
        raise GitProblem(f"{path} cannot be read: {problem.strerror}", next_step=step) from problem
    if "\0" in text:
        raise GitProblem(f"{path} is damaged: it names no directory", next_step=repair)
    return text


# ---- One Git for readers and writers ----


class SharedGit:
    """One Git for readers and writers of a repository, created on first use because many queries need only files."""

    def __init__(self, here: Located) -> None:
        self._here = here

    @cached_property
    def git(self) -> Git:
        from foureyes.adapters.git.client.git import Git

        return Git(self._here.git_dir, self._here.common_dir)

    def close(self) -> None:
        """Remove temporary files now rather than at exit. The object stays usable."""
        if "git" in self.__dict__:
            self.git.close()
