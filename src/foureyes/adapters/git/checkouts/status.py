"""Reads the uncommitted state of a worktree: its branch, changed and ignored files, and conflicts."""

from __future__ import annotations

import os
import stat
from os.path import expanduser, isdir, isfile, islink, join

from foureyes.adapters.folders import read
from foureyes.adapters.git.client.answers import as_text
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.locate import Located, locate
from foureyes.core.words.refs import DETACHED
from foureyes.errors import GitProblem

STORE = b".foureyes/"

# Neither the repository's display settings nor a manipulated stat cache hides a file. (`assume-unchanged` bits do, but
# users set them per file by hand.)
LOOK = (
    "-c", "core.trustctime=true", "-c", "core.checkStat=default", "-c", "core.ignoreStat=false",
    "-c", "core.untrackedCache=false",
)  # fmt: skip
# Only the commit of a submodule counts. For more, git would start in there with filters of its own configuration.
_STATUS = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames")


def head_ref(git: Git, git_dir: str) -> str:
    """Return the full name of the branch checked out, even one without a commit, or DETACHED.

    Reads HEAD, and asks git only if that is a symbolic link or uses the reftable format.
    """
    path = join(git_dir, "HEAD")
    try:
        content = read(path, 4096, follow=True).rstrip(b"\n")
    except OSError as problem:
        raise GitProblem(f"{path} cannot be read: {problem.strerror}") from problem
    if content.startswith(b"ref: refs/heads/") and content != b"ref: refs/heads/.invalid" and not os.path.islink(path):
        return as_text(content[5:])
    asked = git.real("symbolic-ref", "--quiet", "HEAD", ok=(0, 1), git_dir=git_dir)
    return as_text(asked.out.rstrip(b"\n")) if asked.rc == 0 else DETACHED


def checked_out_at(git: Git, ref: str) -> list[Located]:
    """Return the worktrees that have a branch checked out."""
    wanted = b"branch " + ref.encode("utf-8", "surrogateescape")
    records = git.real("worktree", "list", "--porcelain", "-z").out.split(b"\0\0")
    rows = [(os.fsdecode(record.split(b"\0")[0][9:]), wanted in record.split(b"\0")) for record in records]
    places = [locate(path) if is_named else _checkout_of(git, path, ref) for path, is_named in rows if isdir(path)]
    return [place for place in places if place is not None]


def _checkout_of(git: Git, path: str, ref: str) -> Located | None:
    """Return the worktree at a path if its HEAD names the branch. `git worktree list` shows a symbolic branch by its
    target, so it cannot tell.
    """
    try:
        place = locate(path)
        return place if place is not None and head_ref(git, place.git_dir) == ref else None
    except GitProblem:  # it is broken, and git did not say that the branch is there
        return None


_MISSING = b" D"


def uncommitted(git: Git, place: Located, *, missing: bool = True) -> list[str]:
    """Return the paths that a commit of everything would change, including untracked ones but not the store.

    With `missing`, include files that were only deleted from disk. The user's own ignore file applies, as for `git
    add`, but never one that the repository's configuration names.
    """
    return [as_text(path) for code, path in _seen(git, place) if missing or code != _MISSING]


def unresolved(git: Git, place: Located) -> list[str]:
    """Return the paths with unresolved conflicts of a merge, a rebase or a stash."""
    entries = status(git, place, "/dev/null")
    return [as_text(path) for code, path in entries if b"U" in code or code in (b"AA", b"DD")]


def unsaved_and_ignored(git: Git, place: Located) -> tuple[list[str], list[bytes]]:
    """Return the paths with uncommitted content, and the ignored files and folders."""
    entries = _seen(git, place, "--ignored=matching")
    ignored = [path for code, path in entries if code == b"!!"]
    return [as_text(path) for code, path in entries if code not in (b"!!", _MISSING)], ignored


def _seen(git: Git, place: Located, *options: str) -> list[tuple[bytes, bytes]]:
    """Return the status with the user's ignore file applied, as `git add` would see it."""
    entries = status(git, place, "/dev/null", options=options)
    if any(code == b"??" for code, _ in entries) and (ignored := users_excludes(git)) != "/dev/null":
        entries = status(git, place, ignored, options=options)
    return entries


def status(
    git: Git, place: Located, excludes: str, *paths: str, options: tuple[str, ...] = ()
) -> list[tuple[bytes, bytes]]:
    """Return code and path of everything that differs from the last commit and can be committed."""
    entries = _entries(git, place, excludes, *paths, options=options)
    return [(code, path) for code, path in entries if not _is_mask(place, code, path)]


def masks(git: Git, place: Located) -> list[str]:
    """Return the paths that are neither file, link nor directory. No commit can hold them."""
    return [os.fsdecode(path) for code, path in _entries(git, place, "/dev/null") if _is_mask(place, code, path)]


def _is_mask(place: Located, code: bytes, path: bytes) -> bool:
    """Return True for a device that an agent's sandbox bound over a dotfile. Staged paths and paths behind a linked
    folder do not count."""
    if code[:1] not in (b" ", b"?", b"!"):
        return False
    top = os.fsencode(place.worktree)
    try:
        mode = os.lstat(join(top, path)).st_mode
    except OSError:
        return False
    if stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode):
        return False
    parts = path.split(b"/")
    return not any(islink(join(top, *parts[:many])) for many in range(1, len(parts)))


def _entries(
    git: Git, place: Located, excludes: str, *paths: str, options: tuple[str, ...] = ()
) -> list[tuple[bytes, bytes]]:
    args = ("--literal-pathspecs", *LOOK, "-c", f"core.excludesFile={excludes}", *_STATUS, *options, "--", *paths)
    out = git.real(*args, git_dir=place.git_dir, work_tree=place.worktree).out
    rows = [(row[:2], row[3:]) for row in out.split(b"\0") if row]
    return [(code, path) for code, path in rows if not (code == b"??" and path.startswith(STORE))]


def users_excludes(git: Git) -> str:
    """Return the user's own ignore file, never one of the repository's."""
    configured = git.users_setting("core.excludesFile")
    default = join(os.environ.get("XDG_CONFIG_HOME") or expanduser("~/.config"), "git", "ignore")
    path = configured or default
    return path if isfile(path) else "/dev/null"
