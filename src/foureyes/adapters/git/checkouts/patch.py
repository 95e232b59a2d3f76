"""Tries a proposed patch (L3) on the caller's files, and applies all of it or nothing.

Git refuses paths outside the worktree, in `.git` and behind a link. It checks everything before it writes, but removes
every old file before it writes the new ones. So the old contents are kept until it is done.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from typing import NamedTuple

from foureyes.adapters.folders import MB, NEW, read
from foureyes.adapters.git.checkouts.status import STORE
from foureyes.adapters.git.client.answers import as_text, last_words
from foureyes.adapters.git.client.git import Git
from foureyes.core.words.text import visible
from foureyes.errors import GitProblem

LARGEST_PATCH = 1_000_000
MAX_REASON = 300
LARGEST = 1024 * MB

# No automatic white space fixes and no looser settings from the repository: the patch fits as it is, or not.
_APPLY = (
    "-c",
    "core.protectHFS=true",
    "-c",
    "core.protectNTFS=true",
    "apply",
    "--whitespace=nowarn",
    "--no-ignore-whitespace",
    "-p1",
)
_UNIFIED = re.compile(r"^(?:diff --git |--- [^\n]+\n\+\+\+ [^\n]+\n@@ -[0-9])", re.MULTILINE)
_BINARY = re.compile(r"^(?:GIT binary patch|Binary files )", re.MULTILINE)


class _Kept(NamedTuple):
    """The earlier state of a path: a file's content, a link's target, or None for nothing."""

    path: bytes
    content: bytes | None
    mode: int = 0


def apply_patch(git: Git, worktree: str, patch: str, *, only_try: bool) -> str:
    """Apply a patch, or with `only_try` only check it. Return why it does not fit, or ""."""
    if worktree == git.git_dir:
        return "there are no files here: this is a bare repository"
    raw, why = _raw(patch)
    if why:
        return why
    paths, why = _affected(git, worktree, raw)
    if why or only_try:
        return why
    return _apply(git, worktree, raw, [_keep(os.path.join(os.fsencode(worktree), path)) for path in paths])


def _raw(patch: str) -> tuple[bytes, str]:
    """Return the patch as bytes, or the reason it is not a text patch that git can apply."""
    if len(patch) > LARGEST_PATCH:
        return b"", f"the patch is larger than {LARGEST_PATCH // 1_000_000} MB"
    try:
        raw = (patch if patch.endswith("\n") else patch + "\n").encode("utf-8")
    except UnicodeEncodeError:
        return b"", "the patch is not valid UTF-8"
    if len(raw) > LARGEST_PATCH:
        return b"", f"the patch is larger than {LARGEST_PATCH // 1_000_000} MB"
    if "\0" in patch or _BINARY.search(patch):
        return b"", "the patch changes a binary file, which cannot be reviewed"
    return raw, "" if _UNIFIED.search(patch) else "this is not a unified diff"


def _affected(git: Git, worktree: str, raw: bytes) -> tuple[list[bytes], str]:
    """Return every path the patch would write or remove, under old and new names, or the reason it does not fit."""
    tried = git.real(*_APPLY, "--check", "--numstat", "-z", stdin=raw, ok=(0, 1, 128), work_tree=worktree)
    if tried.rc != 0:
        return [], f"the patch does not fit: {_reason(last_words(tried))}"
    back = git.real(*_APPLY, "--reverse", "--numstat", "-z", stdin=raw, work_tree=worktree)
    paths = sorted({row.split(b"\t", 2)[2] for row in (tried.out + back.out).split(b"\0")[:-1]})
    if any(path.startswith(STORE) for path in paths):
        return [], "the patch changes the project's store, which no one may edit"
    return paths, ""


def _apply(git: Git, worktree: str, raw: bytes, kept: list[_Kept]) -> str:
    try:
        done = git.real(*_APPLY, stdin=raw, ok=(0, 1, 128), work_tree=worktree)
    except BaseException:
        _put_back(kept)
        raise
    if done.rc == 0:
        return ""
    lost = _put_back(kept)
    beyond = f". {', '.join(lost)} could not be restored" if lost else ""
    return f"the patch could not be applied: {_reason(last_words(done))}{beyond}"


def _reason(message: str) -> str:
    words = visible(" ".join(message.replace("error: ", "").replace("fatal: ", "").split()))
    return words if len(words) <= MAX_REASON else words[: MAX_REASON - 1] + "…"


def _keep(path: bytes) -> _Kept:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return _Kept(path, None)
    if stat.S_ISLNK(mode):
        return _Kept(path, os.readlink(path), mode)
    if not stat.S_ISREG(mode):
        return _Kept(path, None)
    try:
        return _Kept(path, read(os.fsdecode(path), LARGEST), mode)
    except OSError as problem:
        raise GitProblem(f"{visible(as_text(path))} cannot be read: {problem.strerror}") from problem


def _put_back(kept: list[_Kept]) -> list[str]:
    """Restore the files and return those that could not be restored. Removes all changed paths first, so that none
    blocks another."""
    changed = [file for file in kept if _keep(file.path) != file]
    for file in changed:
        with suppress(OSError):
            os.unlink(file.path)
    return [visible(as_text(file.path)) for file in changed if not _is_back(file)]


def _is_back(kept: _Kept) -> bool:
    if kept.content is None:
        return not os.path.lexists(kept.path)
    try:
        os.makedirs(os.path.dirname(kept.path), exist_ok=True)
        if stat.S_ISLNK(kept.mode):
            os.symlink(kept.content, kept.path)
            return True
        with open(os.open(kept.path, NEW, 0o600), "wb") as file:
            file.write(kept.content)
        os.chmod(kept.path, stat.S_IMODE(kept.mode))
    except (OSError, RecursionError):  # more folders than `makedirs` makes
        return False
    return True
