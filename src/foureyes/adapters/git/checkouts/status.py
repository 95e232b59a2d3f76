"""What needs files of a worktree: what is not committed there, and committing it."""

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

# Neither what the repository's configuration says about showing, nor a stat cache that was told to look away, hides a
# file. (`assume-unchanged` bits do; they are set per file and by hand.)
LOOK = (
    "-c", "core.trustctime=true", "-c", "core.checkStat=default", "-c", "core.ignoreStat=false",
    "-c", "core.untrackedCache=false",
)  # fmt: skip
# In a submodule only its commit counts: for more git would be started in there, with filters of its own configuration.
_STATUS = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames")


def head_ref(git: Git, git_dir: str) -> str:
    """The full name of the branch checked out (it may have no commit yet), or DETACHED.

    Read from HEAD; git is asked where the file does not say it plainly (a symbolic link, the reftable format).
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
    """The worktrees in which a branch is checked out."""
    wanted = b"branch " + ref.encode("utf-8", "surrogateescape")
    records = git.real("worktree", "list", "--porcelain", "-z").out.split(b"\0\0")
    rows = [(os.fsdecode(record.split(b"\0")[0][9:]), wanted in record.split(b"\0")) for record in records]
    places = [locate(path) if is_named else _stands_on(git, path, ref) for path, is_named in rows if isdir(path)]
    return [place for place in places if place is not None]


def _stands_on(git: Git, path: str, ref: str) -> Located | None:
    """A worktree, if its HEAD names a branch: of one that stands for another git tells only that other one."""
    try:
        place = locate(path)
        return place if place is not None and head_ref(git, place.git_dir) == ref else None
    except GitProblem:  # it is broken, and git did not say that the branch is there
        return None


_MISSING = b" D"


def uncommitted(git: Git, place: Located, *, missing: bool = True) -> list[str]:
    """Paths that a commit of everything would change; untracked ones too, the project's store aside. `missing`: also
    files that are committed and only missing here.

    The user's own ignore file counts, because `git add` minds it; one that the repository's configuration names
    does not.
    """
    return [as_text(path) for code, path in _seen(git, place) if missing or code != _MISSING]


def unresolved(git: Git, place: Located) -> list[str]:
    """Paths with conflicts of a merge, a rebase or a stash that nobody resolved."""
    entries = status(git, place, "/dev/null")
    return [as_text(path) for code, path in entries if b"U" in code or code in (b"AA", b"DD")]


def unsaved_and_ignored(git: Git, place: Located) -> tuple[list[str], list[bytes]]:
    """Content that no commit has, and what git leaves out of every commit: files, and folders as a whole."""
    entries = _seen(git, place, "--ignored=matching")
    ignored = [path for code, path in entries if code == b"!!"]
    return [as_text(path) for code, path in entries if code not in (b"!!", _MISSING)], ignored


def _seen(git: Git, place: Located, *options: str) -> list[tuple[bytes, bytes]]:
    """As `git add` sees it."""
    entries = status(git, place, "/dev/null", options=options)
    if any(code == b"??" for code, _ in entries) and (ignored := users_excludes(git)) != "/dev/null":
        entries = status(git, place, ignored, options=options)
    return entries


def status(
    git: Git, place: Located, excludes: str, *paths: str, options: tuple[str, ...] = ()
) -> list[tuple[bytes, bytes]]:
    """Code and path of everything that is not as committed, and could be."""
    entries = _entries(git, place, excludes, *paths, options=options)
    return [(code, path) for code, path in entries if not _is_mask(place, code, path)]


def masks(git: Git, place: Located) -> list[str]:
    """What lies in a checkout and is neither file nor link nor directory: no commit can hold it."""
    return [os.fsdecode(path) for code, path in _entries(git, place, "/dev/null") if _is_mask(place, code, path)]


def _is_mask(place: Located, code: bytes, path: bytes) -> bool:
    """Sandboxes of agents bind devices over dotfiles. What is staged there can be committed all the same, and what lies
    behind a link to a folder does not lie here.
    """
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
    """The user's own ignore file; none of the repository's."""
    configured = git.users_setting("core.excludesFile")
    default = join(os.environ.get("XDG_CONFIG_HOME") or expanduser("~/.config"), "git", "ignore")
    path = configured or default
    return path if isfile(path) else "/dev/null"
