"""Adds files to a task's worktree beyond its commit: copies of ignored files and the environment of checks. (K1, D5)"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from hashlib import sha256
from os.path import isdir, islink, join, lexists

import msgspec

from foureyes.adapters import folders
from foureyes.adapters.git.checkouts import hooks
from foureyes.adapters.git.checkouts.checkouts import checkout_at
from foureyes.adapters.git.checkouts.status import STORE, users_excludes
from foureyes.adapters.git.checkouts.task_worktrees import TaskWorktree, is_made_again
from foureyes.adapters.git.client.answers import as_text
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.locate import Located
from foureyes.adapters.process import run
from foureyes.app.results.work import Copied
from foureyes.core.words.paths import matching

# ---- Copies of ignored files (K1) ----

LARGEST = 64 * folders.MB
MOST_FILES = 1_000
"""Largest number of files to copy. More than this points to a mistake in a pattern."""
RECORD = "copied"
ONLY_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def copy_into(git: Git, at: TaskWorktree, globs: Sequence[str]) -> Copied:
    """Copy files that match the globs from the main checkout into a task's worktree. Overwrites nothing."""
    source, place = checkout_at(git, at.root), checkout_at(git, at.path)
    if source is None or place is None or source.worktree == place.worktree:
        return Copied()
    ignored, bare = _meant(git, source, globs)
    behind = [path for path in ignored[:MOST_FILES] if is_behind_link(place.worktree, path)]
    clear = [path for path in ignored[:MOST_FILES] if path not in behind]
    here = ignored_here(git, place, clear)
    done: list[str] = []
    refused = [f"{as_text(path)}: a link is in the way" for path in behind]
    refused += [f"{as_text(path)}: git does not ignore it" for path in [*bare, *[p for p in clear if p not in here]]]
    known = record_of(place.git_dir)
    for path in here:
        try:
            if (digest := _copy(source.worktree, place.worktree, path)) is not None:
                known[as_text(path)] = digest
                done.append(as_text(path))
        except OSError as problem:
            refused.append(f"{as_text(path)}: {problem.strerror}")
    if done:
        with folders.folder(join(place.git_dir, hooks.FOLDER), make=True) as handle:
            folders.replace(handle, RECORD, msgspec.json.encode(known), 0o600, durable=False)
    if len(ignored) > MOST_FILES:
        refused.append(f"{len(ignored) - MOST_FILES} more: at most {MOST_FILES} files are copied")
    return Copied(tuple(done), tuple(refused))


def record_of(git_dir: str) -> dict[str, str]:
    """Return the digest of each file copied into a worktree. Return an empty dict if the record is unreadable."""
    try:
        with folders.folder(join(git_dir, hooks.FOLDER)) as handle:
            return msgspec.json.decode(folders.content(handle, RECORD, folders.MB), type=dict[str, str])
    except (OSError, msgspec.DecodeError):
        return {}


def is_copy(worktree: bytes, path: bytes, record: dict[str, str]) -> bool:
    """Return True if an ignored file, or every file of an ignored folder, still equals its copied content."""
    if not record:
        return False
    if not path.endswith(b"/"):
        return _digest(worktree, path) == record.get(as_text(path), "none")
    names = [
        os.path.relpath(join(folder, name), worktree)
        for folder, inside, files in folders.walked(join(worktree, path))
        for name in (*files, *[each for each in inside if os.path.islink(join(folder, each))])
    ]
    return bool(names) and all(is_copy(worktree, name, record) for name in names)


def _digest(worktree: bytes, path: bytes) -> str:
    try:
        return sha256(folders.read(os.fsdecode(join(worktree, path)), LARGEST)).hexdigest()
    except OSError:
        return ""


def _meant(git: Git, source: Located, globs: Sequence[str]) -> tuple[list[bytes], list[bytes]]:
    """Return the untracked files that match the globs, split into ignored and not ignored ones."""
    wanted = [f"{glob}**" if glob.endswith("/") else glob for glob in globs]
    specs = [":(top,glob)" + glob.replace("\\", "\\\\").replace("[", "\\[") for glob in wanted]
    excludes = ("-c", f"core.excludesFile={users_excludes(git)}", "ls-files", "--others", "--exclude-standard", "-z")
    lists = []
    for ignored in (("--ignored",), ()):
        out = git.real(*excludes, *ignored, "--", *specs, git_dir=source.git_dir, work_tree=source.worktree).out
        rows = [row for row in out.split(b"\0") if row and not row.startswith(STORE) and not row.endswith(b"/")]
        meant = set(matching(map(as_text, rows), wanted))
        lists.append([row for row in rows if as_text(row) in meant])
    return lists[0], lists[1]


def ignored_here(git: Git, place: Located, paths: list[bytes]) -> list[bytes]:
    """Return the paths that git also ignores in the worktree. Its branch may have other ignore rules or track the file."""
    if not paths:
        return []
    check = ("-c", f"core.excludesFile={users_excludes(git)}", "check-ignore", "-z", "--stdin")
    asked = b"".join(path + b"\0" for path in paths)
    ignored = git.real(*check, stdin=asked, ok=(0, 1), git_dir=place.git_dir, work_tree=place.worktree).out.split(b"\0")
    return [path for path in paths if path in ignored]


def is_behind_link(worktree: str, path: bytes) -> bool:
    """Return True if a parent folder of the path is a symbolic link."""
    parts = path.split(b"/")
    return any(os.path.islink(join(os.fsencode(worktree), *parts[:many])) for many in range(1, len(parts)))


def _copy(source: str, worktree: str, path: bytes) -> str | None:
    """Copy one file and return its digest, or None if the path already exists."""
    *around, name = os.fsdecode(path).split("/")
    with ExitStack() as stack:
        there, here = (stack.enter_context(folders.entered(top)) for top in (source, worktree))
        for part in around:
            there = stack.enter_context(folders.entered(part, there))
            with suppress(FileExistsError):
                os.mkdir(part, 0o777, dir_fd=here)
            here = stack.enter_context(folders.entered(part, here))
        document = folders.read(name, LARGEST, at=there)
        mode = stat.S_IMODE(os.stat(name, dir_fd=there, follow_symlinks=False).st_mode)
        try:
            with open(folders.opened(name, ONLY_NEW, mode & 0o777, at=here), "wb") as file:
                file.write(document)
        except FileExistsError:
            return None
    return sha256(document).hexdigest()


# ---- Copies of a check environment (K1, D5) ----

COPYING = 600.0
LARGEST_LAID = 4 * folders.MB
DEPTH = 6


def lay_into(git: Git, at: TaskWorktree, source: str, was: str) -> tuple[str, ...]:
    """Copy the package folders of a directory into a worktree and return their names. Files in them refer to the path
    `was`, which is replaced."""
    place = checkout_at(git, at.path)
    if place is None:
        return ()
    created = []
    for name in _wanted(git, place, source):
        here = join(place.worktree, name)
        done = run(["/bin/cp", "-a", join(source, name), here], timeout=COPYING)
        if done.rc != 0:
            raise OSError(f"{name} could not be copied")
        _rename(here, was, place.worktree)
        created.append(name)
    return tuple(created)


def _wanted(git: Git, place: Located, source: str) -> list[str]:
    """Return the folders to copy, from the top down. Folders inside one of them are not searched."""
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
    """Replace the old path in text files and link targets."""
    output = run(["/bin/grep", "-rlIFZ", "--", was, folder], timeout=COPYING).out
    for path in filter(None, output.split(b"\0")):
        around, name = os.path.split(os.fsdecode(path))
        with folders.entered(around) as handle:
            mode = os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode & 0o777
            text = folders.content(handle, name, LARGEST_LAID)
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
