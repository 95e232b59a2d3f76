"""How git is called: where, with which environment, and what a failure becomes.

Four ways. `room`: in the clean room; everything that a decision rests on. `store`: there too, and what is made is
written to the repository's object store. `real`: in the repository, without anybody's environment, user configuration
and hooks, and, where files are looked at or written, without the filters that its configuration names; what refs mean
and what files look like. `own`: as the caller's own git; commits.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from os.path import join

from foureyes.adapters import process
from foureyes.adapters.git.client.answers import last_words
from foureyes.adapters.git.client.clean_room import CleanRoom
from foureyes.adapters.git.client.config_file import read_settings
from foureyes.adapters.git.client.odd_files import LOOK, held_by, refuse_odd, refuse_odd_refs
from foureyes.adapters.git.client.own_config import OwnConfig
from foureyes.adapters.git.client.programs import Setting, own_settings, silenced
from foureyes.errors import GitProblem
from foureyes.steps import NO_STEP, either, prose, shell

NAME, EMAIL = "Foureyes gate", "foureyes@localhost"
DURABLE = ("-c", "core.fsync=objects,reference")
"""The journal survives a power cut (`synchronous=FULL`), so what it says was merged must too; git's default is less."""

OLDEST = (2, 38)
"""The first git with `merge-tree --write-tree` (A3)."""

READ_TIMEOUT = 120.0
COMMIT_TIMEOUT = 1800.0
"""The caller's hooks may run a test suite."""

FETCH = either(
    shell("git", "fsck"), shell("git", "fetch", "--refetch", "--no-filter", before="in a partial clone: "), joint="; "
)
"""Reading never fetches: it would ask a server, with the user's keys, for what a decision rests on."""

_SCRUBBED = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
_ALWAYS = ("--no-replace-objects", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_OWN = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")


class Git:
    """git for one repository, seen from one worktree."""

    def __init__(self, git_dir: str, common_dir: str) -> None:
        self.git_dir = git_dir
        self.common_dir = common_dir
        self._room = CleanRoom(common_dir)
        self._config = OwnConfig(common_dir)
        self._looked_at_refs = False

    @property
    def room_path(self) -> str:
        """Where the clean room is; its files may be added to."""
        return self._room.path

    def room(
        self,
        *args: str,
        stdin: bytes = b"",
        ok: tuple[int, ...] = (0,),
        env: Mapping[str, str] | None = None,
        history: Sequence[str] = (),
        trees: Sequence[str] = (),
    ) -> process.Finished:
        """Ask in the clean room. An exit code that is not among `ok` is a `GitProblem`.

        What the question needs is let in first, by the hash of its bytes: `history` are the commits whose descent is
        asked about, `trees` the commits or trees that are compared or merged. Anything else is missing in there.
        """
        where = self._room.path
        environment = {**scrubbed(), **self._room.environment(), **(env or {})}
        refuse_odd(self.common_dir, self.common_dir)
        held = partial(held_by, self.common_dir)
        return _run([f"--git-dir={where}", *_ALWAYS], args, where, environment, stdin, ok, held=held)

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

    def publish(self, tree: str) -> None:
        """Write what was made in the clean room for a tree (a merge result) to the repository's store, by its hash."""

    def real(
        self, *args: str, stdin: bytes = b"", ok: tuple[int, ...] = (0,), git_dir: str = "", work_tree: str = ""
    ) -> process.Finished:
        """Ask in the repository. The index's stat cache is not written by looking."""
        where = git_dir or self.git_dir
        before = [f"--git-dir={where}", *_ALWAYS]
        if work_tree:
            before += [f"--work-tree={work_tree}", *silenced(self.settings(where))]
        self._look(where)
        held = partial(held_by, self.common_dir, work_tree)
        return _run(before, args, work_tree or where, scrubbed(), stdin, ok, held=held)

    def _look(self, git_dir: str) -> None:
        """Before git is asked: whether one of the files that it reads would hold it for ever."""
        refuse_odd(git_dir, self.common_dir)
        if not self._looked_at_refs:
            refuse_odd_refs(self.common_dir)
            self._looked_at_refs = True

    def settings(self, git_dir: str) -> list[Setting]:
        """The repository's own configuration, as seen from one of its git directories."""
        return self._config.seen_from(git_dir, lambda seen: own_settings(self.real, seen))

    def own(self, *args: str, cwd: str, ok: tuple[int, ...] = (0,)) -> process.Finished:
        """Run as the caller's own git would: its configuration, hooks and identity; the repository found from `cwd`."""
        self._look(self.git_dir)
        held = partial(held_by, self.common_dir, cwd)
        return _run([], args, cwd, callers_own(), b"", ok, timeout=COMMIT_TIMEOUT, held=held)

    def users_setting(self, key: str) -> str:
        """A path that the user or the system configured, and no repository; empty when there is none."""
        before = [f"--git-dir={self._room.path}"]
        args = ("config", "--null", "--type=path", "--get-all", key)
        answer = _run(before, args, self._room.path, callers_own(), b"", (0, 1))
        values = [value for value in answer.out.split(b"\0") if value]
        return os.fsdecode(values[-1]) if values else ""

    def close(self) -> None:
        """Remove the clean room now rather than at exit."""
        self._room.close()


def scrubbed() -> dict[str, str]:
    """The environment without anything that tells git something."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _SCRUBBED


def callers_own() -> dict[str, str]:
    """The environment as it is, except what would make git use another repository, index or object store."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_OWN)}


def check_version() -> None:
    """`GitProblem` when git is missing or older than 2.38. Asked once per PATH."""
    version = _version(os.environ.get("PATH", ""))
    if version < OLDEST:
        raise GitProblem(
            f"git {_dotted(version)} is too old: Foureyes needs git {_dotted(OLDEST)} or newer",
            next_step=prose(f"install git {_dotted(OLDEST)} or newer"),
        )


@cache
def _version(path: str) -> tuple[int, ...]:
    answer = _start(["git", "--version"], None, {**scrubbed(), "PATH": path}, b"", READ_TIMEOUT).out
    words = answer.decode("ascii", "replace").split()
    numbers = words[2].split(".")[:3] if len(words) > 2 and words[:2] == ["git", "version"] else []
    version = tuple(int(number) for number in numbers if number.isdecimal())
    if len(version) < 2:
        raise GitProblem(
            f"git does not say its version, but {' '.join(words)[:80]!r}", next_step=shell("git", "--version")
        )
    return version


def _run(
    before: list[str],
    args: tuple[str, ...],
    cwd: str,
    env: dict[str, str],
    stdin: bytes,
    ok: tuple[int, ...],
    timeout: float = READ_TIMEOUT,
    held: Callable[[], str] | None = None,
) -> process.Finished:
    check_version()
    done = _start(["git", *before, *args], cwd, env, stdin, timeout, held)
    if done.rc not in ok:
        command = next((word for word in args if not word.startswith("-") and "=" not in word), args[0])
        words = last_words(done)
        raise GitProblem(f"git {command} failed: {words}", next_step=FETCH if "unable to read" in words else NO_STEP)
    return done


def _start(
    argv: list[str],
    cwd: str | None,
    env: dict[str, str],
    stdin: bytes,
    timeout: float,
    held: Callable[[], str] | None = None,
) -> process.Finished:
    try:
        return process.run(argv, cwd=cwd, env=env, input=stdin, timeout=timeout, held=held)
    except process.ProgramHeld as problem:
        raise GitProblem(f"{problem}; it was ended", next_step=LOOK) from problem
    except process.ProgramMissing as missing:
        raise GitProblem(
            "git was not found on the PATH", next_step=prose(f"install git {_dotted(OLDEST)} or newer")
        ) from missing
    except process.ProcessProblem as problem:
        raise GitProblem(str(problem)) from problem


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(number) for number in version)
