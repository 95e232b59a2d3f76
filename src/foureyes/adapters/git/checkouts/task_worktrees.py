"""K1: the worktrees of tasks, below the project's folder. Made in steps that the next call finishes; removed only when
nothing is lost.

Their files are written as the user's own git would (its filters, say for large files), because somebody works with
them; hooks and filters that only the repository's configuration names are not run.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from os.path import dirname, exists, isdir, isfile, islink, join, lexists, realpath
from shlex import quote
from time import monotonic, sleep
from typing import NamedTuple

from foureyes.adapters import folders
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
from foureyes.adapters.git.checkouts.ignored import goes_along
from foureyes.adapters.git.checkouts.overlooked import Listed, listed, overlooked
from foureyes.adapters.git.checkouts.status import LOOK as STATUS_LOOK
from foureyes.adapters.git.checkouts.status import head_ref, uncommitted, unsaved_and_ignored, users_excludes
from foureyes.adapters.git.checkouts.taking_away import is_too_deep, take_away
from foureyes.adapters.git.client.answers import as_text, explained
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.locate import LOOK, Located
from foureyes.adapters.git.client.object_form import MODULE
from foureyes.adapters.git.client.programs import silenced, users_settings
from foureyes.adapters.git.objects import refs
from foureyes.adapters.git.reading import history
from foureyes.app.views.work import Dropped
from foureyes.core.words.ids import TASK_INPUT, Sha
from foureyes.core.words.refs import DETACHED, exactly
from foureyes.core.words.text import flat
from foureyes.errors import BadInput, GitProblem
from foureyes.steps import Steps, fe, in_turn, prose, shell

_BEING_MADE = "initializing"
"""The reason of the lock that `git worktree add` holds while it works."""

_PATIENCE, _PAUSE = 300.0, 0.05
"""Seconds: the files of a large repository take a while to write."""
_QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")


class TaskWorktree(NamedTuple):
    """Where the worktree of a task is, or is to be."""

    task: str
    path: str

    @property
    def root(self) -> str:
        """The checkout in which the project's folder lies."""
        return dirname(dirname(dirname(self.path)))


def desk(folder: str, task: str) -> TaskWorktree:
    """The place of a task's worktree."""
    if not TASK_INPUT.match(task):
        raise BadInput(f"{task!r} is not the id of a task")
    return TaskWorktree(task, join(realpath(folder), "worktrees", task))


def is_desk(place: str, name: str) -> bool:
    """Whether something in the folder of worktrees is one: a folder called like a task."""
    return bool(TASK_INPUT.match(name)) and isdir(join(place, name))


def add(git: Git, at: TaskWorktree, *, branch: str, base: Sha, session: str) -> str:
    """The worktree of a task, made or found again; its path."""
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
    """One process at a time writes or removes the files of a worktree; the others go on with theirs."""
    with ExitStack() as stack:
        with suppress(FileNotFoundError):  # it was removed: nothing to write, nothing to remove
            _take(stack.enter_context(folders.entered(place.git_dir)), place.git_dir)
        yield


@contextmanager
def _registering(at: TaskWorktree) -> Iterator[int]:
    """One process at a time adds worktrees, so a half-made one is left from a crash. Held shortly, never while files
    are written. The lock.
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
    """Wait for the lock; not for one that is never released."""
    end = monotonic() + _PATIENCE
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() > end:
                message = f"another process has held the lock of {path} for {_PATIENCE:.0f} seconds"
                raise GitProblem(message, next_step=prose("see what it does, then try again")) from None
            sleep(_PAUSE)


def _known(git: Git, at: TaskWorktree) -> Registered | None:
    """What git knows of a task's worktree; without any linked one it need not be asked."""
    if not lexists(at.path) and not isdir(join(git.common_dir, "worktrees")):
        return None
    return next((each for each in registered(git) if realpath(each.path) == at.path), None)


def _existing(git: Git, at: TaskWorktree, ref: str) -> Located | None:
    """The worktree if it is there, for this branch. What is left of one that is not is cleared away."""
    known = _known(git, at)
    if known is not None and known.locked == _BEING_MADE:
        _clear_half_made(git, at)
        return None
    if known is None:
        if islink(at.path) or (isdir(at.path) and os.listdir(at.path)):
            raise GitProblem(
                f"{at.path} is there already, and is no worktree of this repository",
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
            f"{at.path} is damaged: it is not the worktree that the repository knows",
            next_step=shell("git", "worktree", "repair"),
        )
    return place


def _branch_of(git: Git, place: Located) -> str:
    """The branch checked out, also in the middle of its rebase."""
    ref = head_ref(git, place.git_dir)
    for name in ("rebase-merge", "rebase-apply"):
        path = join(place.git_dir, name, "head-name")
        if ref == DETACHED and exists(path):
            ref = noted(path) or DETACHED
    return "" if ref == DETACHED else ref


def _clear_half_made(git: Git, at: TaskWorktree) -> None:
    """Take away what a killed `git worktree add` left: at most its `.git` file."""
    if isdir(at.path):
        if set(os.listdir(at.path)) - {".git"}:
            raise GitProblem(
                f"{at.path} was never finished, and there are files in it", next_step=prose("move it away")
            )
        if exists(join(at.path, ".git")):
            os.unlink(join(at.path, ".git"))
        os.rmdir(at.path)
    git.real("worktree", "remove", "--force", "--force", at.path)


def _repair_or_move(path: str) -> Steps:
    """A worktree that was moved with its repository is named to git; what else is there belongs to somebody."""
    if isfile(join(path, ".git")):
        return shell("git", "worktree", "repair", path, after=", if the repository was moved; else move it away")
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
    """git checks a branch out once; who works on it goes where it is."""
    where = next((known.path for known in registered(git) if known.branch == ref), "")
    if not where:
        return None
    return GitProblem(
        f"{ref.removeprefix(refs.BRANCHES)}, the branch of {at.task}, is checked out in {where} already",
        next_step=in_turn(shell("cd", where), fe("start", at.task, "--here"), joint=" && "),
    )


def _fill(git: Git, place: Located) -> None:
    """Write the files, if nobody did yet. Without an index nothing was ever committed or staged here."""
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
    """Remove an `index.lock` that a dead process left; the branch that is checked out, else empty. A branch that stands
    for another one is none: what is committed there would go elsewhere.
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
    """Remove the worktree of a task if nothing is lost by it; `only_try`: say what would become of it."""
    with _registering(at) as lock:
        known = _known(git, at)
        if known is None:
            return Dropped(f"{shown_path(at.path)} is no worktree of this repository" if lexists(at.path) else "")
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
    """Whether a removal was cut off after its last file: the folder is left, without `.git`."""
    return isdir(path) and not islink(path) and not os.listdir(path)


def _forget(git: Git, at: TaskWorktree) -> None:
    with suppress(FileNotFoundError):
        os.rmdir(at.path)
    git.real("worktree", "remove", at.path)


def _disks_time(lock: int) -> int:
    """What time it is on the disk of the worktrees, which may be another machine's."""
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
    """Whether something ignored there is a copy that nobody changed."""
    from foureyes.adapters.git.checkouts.copied import is_copy, record_of

    record = record_of(place.git_dir)
    return lambda path: is_copy(os.fsencode(place.worktree), path, record)


def _cleared(git: Git, at: TaskWorktree) -> str:
    try:
        _clear_half_made(git, at)
    except GitProblem as problem:
        return problem.message
    return ""


def _occupied(git: Git, place: Located) -> str:
    if _stands_in(place.worktree) or place.git_dir == realpath(git.git_dir):
        return f"your shell is in {shown_path(place.worktree)}"
    doing = in_progress(place)
    return f"{doing} is in progress in {shown_path(place.worktree)}" if doing else ""


def _reason_to_stay(git: Git, place: Located, index: Listed, changed: list[str], lost: list[str]) -> str:
    if changed:
        return _not_committed(place, changed)
    if lost:
        it_is = "it is" if len(lost) == 1 else "they are"
        return f"git ignores {some(lost)} in {shown_path(place.worktree)}, and {it_is} nowhere else"
    if head_ref(git, place.git_dir) == DETACHED and not _is_reachable(git, place):
        return f"the commit checked out in {shown_path(place.worktree)} is on no branch"
    return overlooked(place, index)


def _not_committed(place: Located, changed: list[str]) -> str:
    return f"{some(changed)} {'is' if len(changed) == 1 else 'are'} not committed in {shown_path(place.worktree)}"


def _stands_in(path: str) -> bool:
    try:
        here = realpath(os.getcwd())
    except OSError:  # a directory that is gone is not inside
        return False
    return here == path or here.startswith(path + "/")


def _is_reachable(git: Git, place: Located) -> bool:
    head = as_text(git.real("rev-parse", "--verify", "HEAD", git_dir=place.git_dir).out.strip())
    return bool(git.real("for-each-ref", "--count=1", f"--contains={head}").out)


def _gone(git: Git, place: Located, index: Listed, ignored: list[bytes], since: int) -> str:
    """Remove it; why it stays. Where there is nothing in it but plain files that are committed, they go one by one, so
    that what is written since our look stays; else, or where the clock went back, git removes it.
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
        return f"{came}; all that was committed there is on its branch"
    git.real("worktree", "remove", place.worktree)
    return ""


def _removed(git: Git, place: Located, ignored: list[bytes]) -> str:
    """git looks again, as we did, right before it deletes: what was written since our look keeps the worktree."""
    excludes = users_excludes(git) if ignored else "/dev/null"
    look = (*STATUS_LOOK, "-c", f"core.excludesFile={excludes}", "-c", "status.showUntrackedFiles=all")
    remove = (*look, *silenced(git.settings(place.git_dir)), "worktree", "remove")
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
    """git never removes a worktree that lists submodules; where none was ever cloned there is nothing in them to lose,
    and nothing beside them either.
    """
    index = listed(git, place)
    has_any = any(row.mode == MODULE for row in index.odd)
    return has_any and not isdir(join(place.git_dir, "modules")) and not overlooked(place, index)
