"""The clean room: an empty bare repository in a temporary directory. What is in it came in by the hash of its bytes.

Git asks so many places before it prints a diff (attributes in the tree, in `info/`, of the user and of the system; four
levels of configuration; replace refs, grafts, the commit graph, the index and the worktree's files) that switching each
of them off is a list that ages. In here none of them exists; what is left is objects. And git does not hash what it
reads: bytes that were swapped under an object's name would be believed. So the room borrows nothing; `entrance` lets in
what a question needs. New objects (a trial merge) are written here and vanish with it, so reading never writes to the
real repository.

Beside it stands the doorstep, a second bare repository that borrows the objects of the real one, and nothing else of
it: no shallow file, no refs, no configuration. Git reads there what is to be let in; nothing is decided by its word.
"""

from __future__ import annotations

import os
import weakref
from contextlib import suppress
from os.path import isfile, join

from foureyes.adapters.folders import abandoned, scratch
from foureyes.adapters.git.client.config_file import read_settings
from foureyes.errors import GitProblem
from foureyes.steps import prose, shell

# The commit graph is off for the reason that grafts are: it is a file beside the objects that says what parents are.
# Nothing in here has to survive a power cut; what goes to the repository's store says so itself.
_CONFIG = """[core]
\trepositoryformatversion = {version}
\tbare = true
\tattributesFile = /dev/null
\tcommitGraph = false
\tfsync = none
[gc]
\tauto = 0
[extensions]
{extensions}"""
MEMORY = "/dev/shm"  # noqa: S108 (as above: whatever is made here has a new name)
ROOM = "foureyes-git-"
_HASHES = ("sha1", "sha256")
_SHARED = frozenset({"umask", "group", "all", "world", "everybody", "true", "false", "yes", "no", "on", "off"})


class CleanRoom:
    """Made when first used; removed with the object or at exit; made again if somebody tidied it away."""

    def __init__(self, common_dir: str) -> None:
        self._common_dir = common_dir
        self._path = ""
        self._finalizer: weakref.finalize[[str, int], CleanRoom] | None = None

    @property
    def path(self) -> str:
        if not self._path or not isfile(join(self._path, "HEAD")):
            self._path, held = _build(self._common_dir)
            self._finalizer = weakref.finalize(self, _close, self._path, held)
        return self._path

    @property
    def doorstep(self) -> str:
        return join(self.path, "doorstep")

    def environment(self) -> dict[str, str]:
        """What git needs in here beside a scrubbed environment.

        HOME, because git reads `~/.config/git/attributes` even when the user's configuration is switched off.
        """
        path = self.path
        return {"HOME": path, "XDG_CONFIG_HOME": path, "GIT_INDEX_FILE": join(path, "no-index")}

    def close(self) -> None:
        if self._finalizer is not None:
            self._finalizer()


def borrower(common_dir: str, path: str) -> None:
    """Make an empty bare repository that has the objects of the real one and nothing else of it."""
    _bare(path, _config(common_dir))
    _write(join(path, "objects/info/alternates"), _quoted(join(common_dir, "objects")) + "\n")


def shared_mode(common_dir: str) -> str:
    """`core.sharedRepository` as it may be told to git: who may read what is written to the store."""
    value = read_settings(join(common_dir, "config")).get("core.sharedrepository", "")
    if value and value.lower() not in _SHARED and not (len(value) <= 4 and set(value) <= set("01234567")):
        raise _odd(common_dir, "core.sharedRepository", value)
    return value


def _build(common_dir: str) -> tuple[str, int]:
    config = _config(common_dir)
    try:
        path, held = _first_room(config)
        borrower(common_dir, join(path, "doorstep"))
    except OSError as problem:
        raise GitProblem(
            f"a temporary directory for git cannot be made: {problem}",
            next_step=prose("set TMPDIR to a directory you can write"),
        ) from problem
    return path, held


def _first_room(config: str) -> tuple[str, int]:
    """In the temporary directory; where that is shut, in memory: a sandbox may let only that be written."""
    try:
        return _room(os.environ.get("TMPDIR") or "/tmp", config)  # noqa: S108 (mkdir refuses a path that exists)
    except OSError:
        with suppress(OSError):
            return _room(MEMORY, config)
        raise


def _room(around: str, config: str) -> tuple[str, int]:
    for left in abandoned(around, ROOM):
        _remove(left)
    path, held = scratch(around, ROOM)
    _bare(path, config)
    return path, held


def _bare(path: str, config: str) -> None:
    for folder in ("refs", "objects", "objects/info", "objects/pack"):
        os.makedirs(join(path, folder), 0o700)
    _write(join(path, "HEAD"), "ref: refs/heads/none\n")
    _write(join(path, "config"), config)


def _config(common_dir: str) -> str:
    """Of the repository's own configuration only the name of a hash that git has, and no other word, gets here."""
    name = read_settings(join(common_dir, "config")).get("extensions.objectformat", "sha1")
    if name not in _HASHES:
        raise _odd(common_dir, "extensions.objectFormat", name)
    if name == "sha1":
        return _CONFIG.format(version=0, extensions="")
    return _CONFIG.format(version=1, extensions="\tobjectFormat = sha256\n")


def _odd(common_dir: str, key: str, value: str) -> GitProblem:
    return GitProblem(
        f"{key} in {join(common_dir, 'config')!a} is {value!a}, which git knows nothing of",
        next_step=shell("git", "config", "--local", "--list"),
    )


def _quoted(path: str) -> str:
    """As git quotes a path; unquoted, a line break in it would end it."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


def _close(path: str, held: int) -> None:
    os.close(held)
    _remove(path)


def _remove(path: str) -> None:
    """As far as it goes. Not `shutil.rmtree`: importing it costs more than all of this."""
    for folder, _, files in os.walk(path, topdown=False):
        try:
            for name in files:
                os.unlink(join(folder, name))
            os.rmdir(folder)
        except OSError:
            continue
