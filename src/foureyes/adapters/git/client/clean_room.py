"""The clean room: an empty bare repository in a temporary directory, filled only with objects verified by their hash.

Before git prints a diff, it reads attributes (in the tree, in `info/`, of the user and the system), four levels of
configuration, replace refs, grafts, the commit graph, the index and the worktree. A list that disables each of them
would become outdated. The clean room has none of them, only objects.

Git also does not hash what it reads, so it would accept swapped bytes under an object's name. Therefore the room
borrows no objects, and `entrance` copies in the needed ones. New objects, such as a trial merge, are written here and
deleted with the room, so reading never writes to the real repository.

The doorstep is a second bare repository, next to the room. It borrows the real objects and nothing else: no shallow
file, refs or configuration. Git reads objects there to copy them into the room, but no decision relies on its output.
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

# The commit graph is disabled for the same reason as grafts: it is a separate file that lists parents. Files here need
# not survive a power cut, so fsync is off. Writes to the repository's store enable it.
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
    """A clean room, created on first use and again if its files were deleted. Removed with this object or at exit."""

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
        """Return the extra environment variables for git in the room.

        HOME is set because git reads `~/.config/git/attributes` even with the user's configuration disabled.
        """
        path = self.path
        return {"HOME": path, "XDG_CONFIG_HOME": path, "GIT_INDEX_FILE": join(path, "no-index")}

    def close(self) -> None:
        if self._finalizer is not None:
            self._finalizer()


def borrower(common_dir: str, path: str) -> None:
    """Create an empty bare repository that borrows the objects of the real one and nothing else."""
    _bare(path, _config(common_dir))
    _write(join(path, "objects/info/alternates"), _quoted(join(common_dir, "objects")) + "\n")


def shared_mode(common_dir: str) -> str:
    """Return `core.sharedRepository`, which sets the access to files written to the store. Raise GitProblem for an
    unknown value."""
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
    """Create the room in the temporary directory, or in memory if a sandbox makes that read-only."""
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
    """Return the room's configuration. Only the name of a known hash comes from the repository's own."""
    name = read_settings(join(common_dir, "config")).get("extensions.objectformat", "sha1")
    if name not in _HASHES:
        raise _odd(common_dir, "extensions.objectFormat", name)
    if name == "sha1":
        return _CONFIG.format(version=0, extensions="")
    return _CONFIG.format(version=1, extensions="\tobjectFormat = sha256\n")


def _odd(common_dir: str, key: str, value: str) -> GitProblem:
    return GitProblem(
        f"{key} in {join(common_dir, 'config')!a} is {value!a}, which git does not know",
        next_step=shell("git", "config", "--local", "--list"),
    )


def _quoted(path: str) -> str:
    """Return a path quoted as git does. A line break would otherwise end it."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


def _close(path: str, held: int) -> None:
    os.close(held)
    _remove(path)


def _remove(path: str) -> None:
    """Remove a directory as far as possible. Avoids importing `shutil`, which costs more than everything else here."""
    for folder, _, files in os.walk(path, topdown=False):
        try:
            for name in files:
                os.unlink(join(folder, name))
            os.rmdir(folder)
        except OSError:
            continue
