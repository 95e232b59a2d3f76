"""Creates and removes the worktrees of tasks, below the project's folder. (K1)

An interrupted creation is finished by the next call. A worktree is removed only if nothing would be lost. Files pass
through the user's own git filters, such as git-lfs. Hooks and filters named only by the repository's configuration do
not run.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from os.path import dirname, exists, isdir, isfile, islink, join, lexists, realpath
from shlex import quote
from time import monotonic, sleep
from typing import NamedTuple

from foureyes.adapters import folders
from foureyes.adapters.folders import MB, read, walked
from foureyes.adapters.git.checkouts import hooks
from foureyes.adapters.git.checkouts.checkouts import (
    Registered,
    checkout_at,
    in_progress,
    noted,
    registered,
    shown_path,
    some,
)
from foureyes.adapters.git.checkouts.status import LOOK as STATUS_LOOK
from foureyes.adapters.git.checkouts.status import head_ref, uncommitted, unsaved_and_ignored, users_excludes
from foureyes.adapters.git.client.answers import as_text, explained
from foureyes.adapters.git.client.config_programs import silenced, users_settings
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.locate import LOOK, Located
from foureyes.adapters.git.client.object_files import FILE, LARGEST_INDEX, LINK, MODULE, PROGRAM, named_by
from foureyes.adapters.git.objects import refs
from foureyes.adapters.git.reading import history
from foureyes.app.results.work import Dropped, WorktreeState
from foureyes.core.words.ids import TASK_INPUT, Sha
from foureyes.core.words.refs import DETACHED, exactly
from foureyes.core.words.text import flat
from foureyes.errors import BadInput, GitProblem
from foureyes.steps import Steps, fe, in_turn, prose, shell

# ---- Creating and removing task worktrees (K1) ----


_BEING_MADE = "initializing"
"""The reason that `git worktree add` gives for its lock while it works."""

_PATIENCE, _PAUSE = 300.0, 0.05
"""Longest wait and time between attempts, in seconds. Writing the files of a large repository takes a while."""
_QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")


class TaskWorktree(NamedTuple):
    """A task and the path of its worktree, which may not exist yet."""

    task: str
    path: str

    @property
    def root(self) -> str:
        """The checkout that has the project's folder."""
        return dirname(dirname(dirname(self.path)))


def worktree_of(folder: str, task: str) -> TaskWorktree:
    """Return the location of a task's worktree. Raise BadInput for a malformed task id."""
    if not TASK_INPUT.match(task):
        raise BadInput(f"{task!r} is not the id of a task")
    return TaskWorktree(task, join(realpath(folder), "worktrees", task))


def is_task_worktree(place: str, name: str) -> bool:
    """Return True for a folder whose name is a task id."""
    return bool(TASK_INPUT.match(name)) and isdir(join(place, name))


def add(git: Git, at: TaskWorktree, *, branch: str, base: Sha, session: str) -> str:
    """Create or reuse the worktree of a task and return its path."""
    ref = refs.branch(branch)
    while True:
        with _registering(at):
            hooks.enable_worktree_config(git)
            place = _existing(git, at, ref) or _made(git, at, ref, base)
        with _locked(place):
            if exists(place.git_dir):  # else it was removed while we waited
                hooks.install(git, place, at.task, session)
                _fill(git, place)
                return place.worktree


@contextmanager
def _locked(place: Located) -> Iterator[None]:
    """Lock one worktree, so that one process at a time writes or removes its files. Other worktrees stay unlocked."""
    with ExitStack() as stack:
        with suppress(FileNotFoundError):  # it was removed: nothing to write, nothing to remove
            _take(stack.enter_context(folders.entered(place.git_dir)), place.git_dir)
        yield


@contextmanager
def _registering(at: TaskWorktree) -> Iterator[int]:
    """Lock the registration of worktrees and yield the lock. It is never held while files are written.

    A half-made worktree that is found under this lock is left from a crash.
    """
    folder = dirname(at.path)
    try:
        with folders.folder(folder, make=True) as place:
            descriptor = folders.opened(".lock", os.O_RDWR | os.O_CREAT, at=place)
    except folders.OddFile as odd:
        raise GitProblem(
            f"worktrees cannot be made in {folder}: {odd.filename}: {odd.strerror}", next_step=LOOK
        ) from odd
    except OSError as problem:
        raise GitProblem(f"worktrees cannot be made in {folder}: {problem.strerror}") from problem
    try:
        _take(descriptor, folder)
        yield descriptor
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: str) -> None:
    """Wait for the lock, up to _PATIENCE seconds."""
    end = monotonic() + _PATIENCE
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() > end:
                message = f"another process has held the lock of {path} for {_PATIENCE:.0f} seconds"
                raise GitProblem(message, next_step=prose("check what it does, then try again")) from None
            sleep(_PAUSE)


def _known(git: Git, at: TaskWorktree) -> Registered | None:
    """Return git's record of a task's worktree, or None. If the repository has no linked worktree, git is not asked."""
    if not lexists(at.path) and not isdir(join(git.common_dir, "worktrees")):
        return None
    return next((each for each in registered(git) if realpath(each.path) == at.path), None)


def _existing(git: Git, at: TaskWorktree, ref: str) -> Located | None:
    """Return the existing worktree for this branch, or None. Clears the remains of a deleted or half-made one."""
    known = _known(git, at)
    if known is not None and known.locked == _BEING_MADE:
        _clear_half_made(git, at)
        return None
    if known is None:
        if islink(at.path) or (isdir(at.path) and os.listdir(at.path)):
            raise GitProblem(
                f"{at.path} already exists and is not a worktree of this repository",
                next_step=_repair_or_move(at.path),
            )
        return None
    if not lexists(at.path):
        git.real("worktree", "remove", at.path)
        return None
    place = _must_be_checkout(git, at)
    holds = _branch_of(git, place)
    if holds != ref:
        holder, name = holds.removeprefix(refs.BRANCHES) or "no branch", ref.removeprefix(refs.BRANCHES)
        keeps = f". Its commits stay on {holder}" if holds else ""
        raise GitProblem(
            f"{holder} is checked out in {at.path}, not {name}{keeps}. A person brings it back: "
            f"git -C {quote(at.path)} switch {name}",
            next_step=shell("git", "-C", at.path, "switch", name),
        )
    return place


def _must_be_checkout(git: Git, at: TaskWorktree) -> Located:
    place = checkout_at(git, at.path)
    if place is None:
        raise GitProblem(
            f"{at.path} is damaged, because it is not the worktree that the repository knows",
            next_step=shell("git", "worktree", "repair"),
        )
    return place


def _branch_of(git: Git, place: Located) -> str:
    """Return the branch checked out, even during its rebase."""
    ref = head_ref(git, place.git_dir)
    for name in ("rebase-merge", "rebase-apply"):
        path = join(place.git_dir, name, "head-name")
        if ref == DETACHED and exists(path):
            ref = noted(path) or DETACHED
    return "" if ref == DETACHED else ref


def _clear_half_made(git: Git, at: TaskWorktree) -> None:
    """Remove the remains of a killed `git worktree add`: at most its `.git` file."""
    if isdir(at.path):
        if set(os.listdir(at.path)) - {".git"}:
            raise GitProblem(f"{at.path} was never completed, but contains files", next_step=prose("move it away"))
        if exists(join(at.path, ".git")):
            os.unlink(join(at.path, ".git"))
        os.rmdir(at.path)
    git.real("worktree", "remove", "--force", "--force", at.path)


def _repair_or_move(path: str) -> Steps:
    """Return the next step: `git worktree repair` for a moved worktree, else move the other files away."""
    if isfile(join(path, ".git")):
        return shell("git", "worktree", "repair", path, after=", if the repository was moved. Otherwise move it away")
    return prose("move it away")


def _made(git: Git, at: TaskWorktree, ref: str, base: Sha) -> Located:
    name = ref.removeprefix(refs.BRANCHES)
    if refs.at(git, ref).value is not None:
        start = [at.path, name]
    elif history.known(git, base) != [None]:
        start = ["-b", name, at.path, exactly(base)]
    else:
        raise GitProblem(f"{base} is not a commit of this repository")
    try:
        git.real("worktree", "add", "--quiet", "--no-checkout", *start)
    except GitProblem as problem:
        raise _held_elsewhere(git, at, ref) or refs.in_the_way(git, ref) or explained(problem.message) from problem
    return _must_be_checkout(git, at)


def _held_elsewhere(git: Git, at: TaskWorktree, ref: str) -> GitProblem | None:
    """Return a problem that names the worktree that already has the branch checked out, or None."""
    where = next((known.path for known in registered(git) if known.branch == ref), "")
    if not where:
        return None
    return GitProblem(
        f"{ref.removeprefix(refs.BRANCHES)}, the branch of {at.task}, is already checked out in {where}",
        next_step=in_turn(shell("cd", where), fe("start", at.task, "--here"), joint=" && "),
    )


def _fill(git: Git, place: Located) -> None:
    """Write the files, unless that was done before. Without an index, nothing was ever committed or staged here."""
    ready = join(place.git_dir, hooks.FOLDER, "ready")
    if exists(ready):
        return
    if not exists(join(place.git_dir, "index")):
        try:
            git.own(
                *_users_way(git, place), "reset", "--hard", "--quiet", "--no-recurse-submodules", cwd=place.worktree
            )
        except GitProblem as problem:
            raise explained(problem.message) from problem
    with folders.folder(join(place.git_dir, hooks.FOLDER)) as handle:
        folders.replace(handle, "ready", b"", 0o644, durable=False)


def _users_way(git: Git, place: Located) -> tuple[str, ...]:
    return (*_QUIET, *silenced(git.settings(place.git_dir), users_settings(git.own)))


def unlock(git: Git, at: TaskWorktree) -> str:
    """Remove a dead process's `index.lock` and return the checked-out branch, or an empty string.

    Raise GitProblem for a symbolic branch, because commits would go to another branch.
    """
    place = _must_be_checkout(git, at)
    with suppress(FileNotFoundError):
        os.unlink(join(place.git_dir, "index.lock"))
    ref = head_ref(git, place.git_dir)
    if ref == DETACHED:
        return ""
    if symbolic := refs.at(git, ref).symbolic:
        name = ref.removeprefix(refs.BRANCHES)
        raise GitProblem(
            f"{name} is a symbolic ref to {flat(symbolic)}, not a branch of its own",
            next_step=shell("git", "symbolic-ref", ref),
        )
    return ref


def drop(git: Git, at: TaskWorktree, *, only_try: bool = False) -> Dropped:
    """Remove the worktree of a task if nothing would be lost. With `only_try`, only report the outcome."""
    with _registering(at) as lock:
        known = _known(git, at)
        if known is None:
            return Dropped(f"{shown_path(at.path)} is not a worktree of this repository" if lexists(at.path) else "")
        if known.locked == _BEING_MADE:
            return Dropped("" if only_try else _cleared(git, at))
        if known.locked is not None:
            return Dropped(f"{shown_path(at.path)} is locked" + (f": {flat(known.locked)}" if known.locked else ""))
        if not lexists(at.path) or _is_empty(at.path):
            if not only_try:
                _forget(git, at)
            return Dropped()
        place, since = _must_be_checkout(git, at), _disks_time(lock)
    with _locked(place):
        return _dropped(git, at, place, since, only_try=only_try) if exists(place.git_dir) else Dropped()


def _is_empty(path: str) -> bool:
    """Return True for the empty folder left by an interrupted removal."""
    return isdir(path) and not islink(path) and not os.listdir(path)


def _forget(git: Git, at: TaskWorktree) -> None:
    with suppress(FileNotFoundError):
        os.rmdir(at.path)
    git.real("worktree", "remove", at.path)


def _disks_time(lock: int) -> int:
    """Return the current time by the disk of the worktrees, which may be on another machine."""
    os.utime(lock)
    return os.fstat(lock).st_ctime_ns


def _dropped(git: Git, at: TaskWorktree, place: Located, since: int, *, only_try: bool) -> Dropped:
    if occupied := _occupied(git, place):
        return Dropped(occupied)
    index = listed(git, place)
    changed, ignored = unsaved_and_ignored(git, place)
    gone, lost = goes_along(place.worktree, at.root, ignored, _copies(place))
    stays = _reason_to_stay(git, place, index, changed, lost)
    stays = stays or ("" if only_try else _gone(git, place, index, ignored, since))
    return Dropped(stays) if stays else Dropped(gone=tuple(gone))


def _copies(place: Located) -> Callable[[bytes], bool]:
    """Return a test for ignored files that are unchanged copies."""
    from foureyes.adapters.git.checkouts.worktree_files import is_copy, record_of

    record = record_of(place.git_dir)
    return lambda path: is_copy(os.fsencode(place.worktree), path, record)


def _cleared(git: Git, at: TaskWorktree) -> str:
    try:
        _clear_half_made(git, at)
    except GitProblem as problem:
        return problem.message
    return ""


def _occupied(git: Git, place: Located) -> str:
    if _is_cwd_in(place.worktree) or place.git_dir == realpath(git.git_dir):
        return f"your shell is in {shown_path(place.worktree)}"
    doing = in_progress(place)
    return f"{doing} is in progress in {shown_path(place.worktree)}" if doing else ""


def _reason_to_stay(git: Git, place: Located, index: Listed, changed: list[str], lost: list[str]) -> str:
    if changed:
        return _not_committed(place, changed)
    if lost:
        it_is = "it is" if len(lost) == 1 else "they are"
        return f"git ignores {some(lost)} in {shown_path(place.worktree)}, and {it_is} stored nowhere else"
    if head_ref(git, place.git_dir) == DETACHED and not _is_reachable(git, place):
        return f"the commit checked out in {shown_path(place.worktree)} is on no branch"
    return hidden_change(place, index)


def _not_committed(place: Located, changed: list[str]) -> str:
    return f"{some(changed)} {'is' if len(changed) == 1 else 'are'} not committed in {shown_path(place.worktree)}"


def _is_cwd_in(path: str) -> bool:
    try:
        here = realpath(os.getcwd())
    except OSError:  # a directory that is gone is not inside
        return False
    return here == path or here.startswith(path + "/")


def _is_reachable(git: Git, place: Located) -> bool:
    head = as_text(git.real("rev-parse", "--verify", "HEAD", git_dir=place.git_dir).out.strip())
    return bool(git.real("for-each-ref", "--count=1", f"--contains={head}").out)


def _gone(git: Git, place: Located, index: Listed, ignored: list[bytes], since: int) -> str:
    """Remove a worktree. Return why it stays, or "".

    If it has only plain committed files, they are deleted one by one, so that anything written since the check
    survives. Otherwise, or if the clock went back, git removes it.
    """
    if ignored or index.odd or lexists(join(place.worktree, ".foureyes")) or any(map(is_too_deep, index.folders)):
        return _removed(git, place, ignored)
    try:
        left = take_away(place.worktree, index.paths, since)
    except OSError as problem:
        return f"{shown_path(place.worktree)} cannot be removed: {problem.strerror}"
    if left and len(left) == len(index.paths):
        return _removed(git, place, ignored)
    if left:
        came = f"{some(left)} in {shown_path(place.worktree)} came or changed while it was removed"
        return f"{came}. Everything that was committed there is on its branch"
    git.real("worktree", "remove", place.worktree)
    return ""


def _removed(git: Git, place: Located, ignored: list[bytes]) -> str:
    """Remove a worktree with git, which checks again right before deleting. A file written since our check keeps the
    worktree."""
    excludes = users_excludes(git) if ignored else "/dev/null"
    check = (*STATUS_LOOK, "-c", f"core.excludesFile={excludes}", "-c", "status.showUntrackedFiles=all")
    remove = (*check, *silenced(git.settings(place.git_dir)), "worktree", "remove")
    try:
        git.real(*remove, place.worktree)
    except GitProblem as problem:
        if changed := uncommitted(git, place, missing=False):
            return _not_committed(place, changed)
        if not uncommitted(git, place) and not _only_lists_submodules(git, place):
            return problem.message
        try:
            git.real(*remove, "--force", place.worktree)
        except GitProblem as again:
            return again.message
    return ""


def _only_lists_submodules(git: Git, place: Located) -> bool:
    """Return True if the worktree lists submodules but none was ever cloned, so nothing is lost. Git alone refuses to
    remove such a worktree."""
    index = listed(git, place)
    has_any = any(row.mode == MODULE for row in index.odd)
    return has_any and not isdir(join(place.git_dir, "modules")) and not hidden_change(place, index)


# ---- The state of a task's worktree, read from files ----

MOST_FILES = 20_000
"""Number of files after which counting stops. The size is then an estimate."""


def state(git: Git, at: TaskWorktree) -> WorktreeState:
    """Return the branch and size of a worktree, or the reason it is unusable."""
    size, more = _size(at.path)
    try:
        place = checkout_at(git, at.path)
        if place is None or os.path.realpath(place.worktree) != at.path:
            return WorktreeState(bytes=size, more=more, wrong="it is not a worktree of this repository")
        ref = head_ref(git, place.git_dir)
    except GitProblem as problem:
        return WorktreeState(bytes=size, more=more, wrong=problem.message)
    return WorktreeState(
        branch="" if ref == DETACHED else ref.removeprefix(refs.BRANCHES),
        bytes=size,
        more=more,
    )


def _size(path: str) -> tuple[int, bool]:
    """Return the bytes of the files below a directory, and True if the count was cut short."""
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
        except OSError:  # deleted meanwhile, or another user's
            continue
    return total, False


# ---- Removing a worktree file by file (K1) ----

DEEPEST = 100
"""Deepest nesting that is removed file by file. Each folder stays open while its contents are deleted."""
GIT_LINK = b".git"
"""File that makes a folder a worktree. It is deleted last."""


class _Folder:
    """The listed files and subfolders of a folder."""

    def __init__(self) -> None:
        self.files: list[bytes] = []
        self.folders: dict[bytes, _Folder] = {}


def is_too_deep(path: bytes) -> bool:
    return path.count(b"/") >= DEEPEST


def take_away(top: str, paths: Iterable[bytes], since: int) -> list[str]:
    """Remove these files of a worktree, its folders and its `.git`. Return the paths that remain.

    Any other file is kept, and any file changed at `since` or later, in nanoseconds by that disk's clock. If anything
    remains, `.git` remains too. No link is followed.
    """
    with folders.folder(top) as handle:
        left = _emptied(handle, _sorted(paths), b"", since)
        if left:
            return sorted(as_text(path) for path in left)
        link = folders.content(handle, as_text(GIT_LINK), folders.MB)
        os.unlink(GIT_LINK, dir_fd=handle)
        try:
            os.rmdir(top)
        except OSError:  # something came at the last moment
            folders.replace(handle, as_text(GIT_LINK), link, 0o644, durable=False)
            return sorted(as_text(name) for name in map(os.fsencode, os.listdir(handle)) if name != GIT_LINK)
    return []


def _sorted(paths: Iterable[bytes]) -> _Folder:
    known: dict[bytes, _Folder] = {b"": _Folder()}

    def at(path: bytes) -> _Folder:
        inside = known.get(path)
        if inside is None:
            above, _, name = path.rpartition(b"/")
            inside = known[path] = at(above).folders[name] = _Folder()
        return inside

    for path in paths:
        folder, _, name = path.rpartition(b"/")
        at(folder).files.append(name)
    return known[b""]


def _emptied(handle: int, inside: _Folder, where: bytes, since: int) -> list[bytes]:
    """Delete the listed files of a folder. Return the remaining paths."""
    check, unlink = os.stat, os.unlink
    for name in inside.files:
        with suppress(OSError):  # gone, or replaced, which the returned paths show
            if check(name, dir_fd=handle, follow_symlinks=False).st_ctime_ns < since:
                unlink(name, dir_fd=handle)
    left: list[bytes] = []
    for name in map(os.fsencode, os.listdir(handle)):
        if where or name != GIT_LINK:
            left += _folder_gone(handle, name, inside.folders.get(name) or _Folder(), where + name, since)
    return left


def _folder_gone(handle: int, name: bytes, inside: _Folder, path: bytes, since: int) -> list[bytes]:
    """Remove a folder and return its remaining paths. Empty unlisted folders go too, and so do sockets and pipes, which
    no commit can hold."""
    try:
        mode = os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode
        if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
            os.unlink(name, dir_fd=handle)
            return []
        with folders.entered(name, handle) as below:
            left = [path] if is_too_deep(path) else _emptied(below, inside, path + b"/", since)
        if not left:
            os.rmdir(name, dir_fd=handle)
    except OSError:
        return [path]
    return left


# ---- Ignored files in a worktree to be removed (K1, G4) ----

# Ignored files are never committed, so they may exist only here: a local database, an `.env`, notes. Recreatable files
# (packages, caches, build results) must not count, or every worktree would stay forever.

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
"""Names of files and folders that a tool can create again with all their contents."""

RESULTS = frozenset(
    {
        "build", "dist", "target", "out", "obj", "_build", "coverage", "htmlcov", "test-results", "playwright-report",
        "eggs",
    }
)  # fmt: skip
"""Folders with build or test results, if git ignores them as a whole. People use these names for other folders too, so
an ignored file inside a committed folder is kept.
"""

ENDINGS = (".pyc", ".pyo", ".o", ".class", ".tsbuildinfo", ".egg-info")


def goes_along(
    worktree: str, root: str, paths: Iterable[bytes], is_copy: Callable[[bytes], bool] = lambda path: False
) -> tuple[list[str], list[str]]:
    """Split the ignored paths of a worktree into deletable ones, by their shortest names, and ones whose loss matters.

    `root` is the main checkout. A file with an identical copy there is deletable, and so is one for which `is_copy` is
    true. A repository inside a folder is always kept.
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
    """Return True if a tool can create files of this name again."""
    return name in MADE_AGAIN or name.endswith(ENDINGS)


def _is_elsewhere(worktree: bytes, root: bytes, path: bytes) -> bool:
    """Return True if an ignored file is a link or an identical copy of the one in the main checkout."""
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


# ---- Contents that git's status does not show (K1) ----

_PLAIN = tuple(b"H " + mode + b" " for mode in (FILE, PROGRAM, LINK))
_FOLDER = re.compile(rb" [0-3]\t([^\0]*)/[^\0]*")
"""Pattern for the folder in a row of `ls-files --stage -z`."""
_PATH = re.compile(rb" [0-3]\t([^\0]*)")
_BARE = {b"HEAD", b"objects", b"refs"}


class IndexEntry(NamedTuple):
    """A row of the index. `tag` is the status letter of `ls-files -v`."""

    tag: bytes
    mode: bytes
    sha: bytes
    path: bytes

    @property
    def is_hidden(self) -> bool:
        """True if git is set to ignore changes of the file (`assume-unchanged`, `skip-worktree`)."""
        return self.tag.islower() or self.tag == b"S"


class Listed(NamedTuple):
    """The contents of an index: all paths, the folders with files, and the rows that are not plain visible files or
    links."""

    paths: list[bytes]
    folders: frozenset[bytes]
    odd: list[IndexEntry]


def listed(git: Git, place: Located) -> Listed:
    """Return the index of a worktree."""
    out = git.real("ls-files", "-v", "--stage", "-z", git_dir=place.git_dir, work_tree=place.worktree).out
    nearest = set(_FOLDER.findall(out))
    above = {b"/".join(parts[:n]) for parts in (path.split(b"/") for path in nearest) for n in range(1, len(parts))}
    return Listed(_PATH.findall(out), frozenset(nearest | above), _odd_rows(b"\0" + out))


def _odd_rows(out: bytes) -> list[IndexEntry]:
    """Return the rows that are not plain. Counts the plain ones first, because usually all are."""
    if sum(out.count(b"\0" + plain) for plain in _PLAIN) == out.count(b"\0") - 1:
        return []
    return [_entry(row) for row in out.split(b"\0")[1:-1] if not row.startswith(_PLAIN)]


def _entry(row: bytes) -> IndexEntry:
    about, _, path = row.partition(b"\t")
    tag, mode, sha, _ = about.split(b" ")
    return IndexEntry(tag, mode, sha, path)


def hidden_change(place: Located, index: Listed) -> str:
    """Return a reason to keep the worktree that git's status does not show, or an empty string."""
    where = shown_path(place.worktree)
    if inside := _repositories(os.fsencode(place.worktree), index):
        return f"{some(inside)} in {where} {'is a repository' if len(inside) == 1 else 'are repositories'} of its own"
    if hidden := [as_text(row.path) for row in index.odd if row.is_hidden and _differs(place, row)]:
        return f"{some(hidden)} in {where} {'is' if len(hidden) == 1 else 'are'} changed, and git is set to ignore that"
    if own := _own_refs(place):
        return f"{some(own)} {'is' if len(own) == 1 else 'are'} known only to {where}"
    return ""


def _repositories(top: bytes, index: Listed) -> list[str]:
    """Return tracked folders that are also repositories, and submodules with contents. Git lists other repositories as
    untracked or ignored."""
    paths = {folder for folder in index.folders if lexists(join(top, folder, b".git"))}
    paths |= {row.path for row in index.odd if row.mode == MODULE and _is_filled(join(top, row.path))}
    return sorted(as_text(path) for path in paths)


def _is_filled(path: bytes) -> bool:
    return bool(os.listdir(path)) if isdir(path) and not islink(path) else lexists(path)


def _differs(place: Located, row: IndexEntry) -> bool:
    """Return True if a file exists and its bytes differ from the index."""
    path = join(os.fsencode(place.worktree), row.path)
    try:
        mode = os.lstat(path).st_mode
    except OSError:  # a sparse checkout leaves it out
        return False
    if stat.S_ISLNK(mode):
        return row.mode != LINK or _is_otherwise(os.readlink(path), row)
    if not stat.S_ISREG(mode) or row.mode == LINK or bool(mode & stat.S_IXUSR) != (row.mode == PROGRAM):
        return True
    try:
        return _is_otherwise(read(os.fsdecode(path), LARGEST_INDEX), row)
    except OSError:  # it cannot be read, or not as a whole
        return True


def _is_otherwise(content: bytes, row: IndexEntry) -> bool:
    return named_by(b"blob", content, len(row.sha)) != row.sha.decode()


def _own_refs(place: Located) -> list[str]:
    paths = (join(folder, name) for folder, _, names in walked(join(place.git_dir, "refs")) for name in names)
    return sorted(shown_path(os.path.relpath(path, place.git_dir)) for path in paths)


def repository_below(path: bytes) -> bytes | None:
    """Return the first repository at or below a folder, bare ones included, or None."""
    for folder, inner, files in walked(path):
        if b".git" in inner or b".git" in files or {*inner, *files} >= _BARE:
            return folder
    return None
