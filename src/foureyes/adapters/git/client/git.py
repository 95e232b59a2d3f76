"""The gate's own git: what `Git` does, without the programs that a repository's configuration names, and able to write.

`store` makes objects: in the clean room, where nothing but objects can have a say, into the repository's object store.
`real` with a worktree's files minds no filter of the repository's own configuration; hooks are off everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from os.path import join

from foureyes.adapters import process
from foureyes.adapters.git.client.calls import Git, as_sha, last_words
from foureyes.adapters.git.client.config_file import read_settings
from foureyes.adapters.git.client.programs import own_settings, silenced
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem

NAME, EMAIL = "Foureyes gate", "foureyes@localhost"
DURABLE = ("-c", "core.fsync=objects,reference")
"""The journal survives a power cut (`synchronous=FULL`), so what it says was merged must too; git's default is less."""


class GateGit(Git):
    """git for the gate, in one repository."""

    def __init__(self, git_dir: str, common_dir: str) -> None:
        super().__init__(git_dir, common_dir)
        self.common_dir = common_dir

    @property
    def room_path(self) -> str:
        """Where the clean room is; its files may be added to."""
        return self._room.path

    @contextmanager
    def scratch_index(self) -> Iterator[dict[str, str]]:
        """The environment for calls in the clean room that share an index, which is gone afterwards."""
        path = join(self.room_path, f"index-{os.urandom(8).hex()}")
        try:
            yield {"GIT_INDEX_FILE": path}
        finally:
            with suppress(OSError):
                os.unlink(path)

    def store(
        self, *args: str, stdin: bytes = b"", ok: tuple[int, ...] = (0,), env: Mapping[str, str] | None = None
    ) -> process.Finished:
        """Ask in the clean room; objects that come of it are written to the repository's store."""
        shared = read_settings(join(self.common_dir, "config")).get("core.sharedrepository")
        mode = ("-c", f"core.sharedRepository={shared}") if shared else ()
        where = {"GIT_OBJECT_DIRECTORY": join(self.common_dir, "objects"), **(env or {})}
        return self.room(*DURABLE, *mode, *args, stdin=stdin, ok=ok, env=where)

    def real(
        self,
        *args: str,
        stdin: bytes = b"",
        ok: tuple[int, ...] = (0,),
        git_dir: str = "",
        work_tree: str = "",
    ) -> process.Finished:
        """Ask in the repository. Where files are looked at or written, no filter of its configuration is run."""
        quiet = silenced(own_settings(super().real, git_dir)) if work_tree else ()
        return super().real(*quiet, *args, stdin=stdin, ok=ok, git_dir=git_dir, work_tree=work_tree)


def must_be_sha(text: str) -> Sha:
    """A full object id; anything else could be an option or an expression."""
    if (sha := as_sha(text)) is None:
        raise GitProblem(f"{text!r} is not a full object id")
    return sha


def failure(command: str, done: process.Finished) -> GitProblem:
    """Why git failed; a lock that is held, or that a killed git left behind, is named."""
    return explained(f"git {command} failed: {last_words(done)}")


def explained(message: str) -> GitProblem:
    """A problem with git, with what to do about it where that is known."""
    is_lock = ".lock'" in message and "File exists" in message
    return GitProblem(
        message,
        next_step="look whether another git is at work there; if none is, the lock was left by one that was killed"
        if is_lock
        else "",
    )
