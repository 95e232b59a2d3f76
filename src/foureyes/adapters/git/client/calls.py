"""How git is called: where, with which environment, and what a failure becomes.

Three ways. `room`: in the clean room; everything that a decision rests on. `real`: in the repository, without anybody's
environment and user configuration; what refs mean and what files look like. `own`: as the caller's own git; commits.
"""

from __future__ import annotations

import os
from functools import cache

from foureyes.adapters import process
from foureyes.adapters.git.client.clean_room import CleanRoom
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem

OLDEST = (2, 38)
"""The first git with `merge-tree --write-tree` (A3)."""

READ_TIMEOUT = 120.0
COMMIT_TIMEOUT = 1800.0
"""The caller's hooks may run a test suite."""

FETCH = "git fsck; in a partial clone: git fetch --refetch --no-filter"
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
_HEX = frozenset("0123456789abcdef")


class Git:
    """git for one repository, seen from one worktree."""

    def __init__(self, git_dir: str, common_dir: str) -> None:
        self.git_dir = git_dir
        self._room = CleanRoom(common_dir)

    def room(
        self, *args: str, stdin: bytes = b"", ok: tuple[int, ...] = (0,), env: dict[str, str] | None = None
    ) -> process.Finished:
        """Ask in the clean room. An exit code that is not among `ok` is a `GitProblem`."""
        where = self._room.path
        environment = scrubbed() | self._room.environment() | (env or {})
        return _run([f"--git-dir={where}", *_ALWAYS], args, where, environment, stdin, ok)

    def real(
        self,
        *args: str,
        stdin: bytes = b"",
        ok: tuple[int, ...] = (0,),
        git_dir: str = "",
        work_tree: str = "",
    ) -> process.Finished:
        """Ask in the repository. Nothing is written, the index's stat cache included."""
        where = git_dir or self.git_dir
        before = [f"--git-dir={where}", *_ALWAYS]
        if work_tree:
            before.append(f"--work-tree={work_tree}")
        return _run(before, args, work_tree or where, scrubbed(), stdin, ok)

    def own(self, *args: str, cwd: str, ok: tuple[int, ...] = (0,)) -> process.Finished:
        """Run as the caller's own git would: its configuration, hooks and identity; the repository found from `cwd`."""
        return _run([], args, cwd, callers_own(), b"", ok, timeout=COMMIT_TIMEOUT)

    def users_setting(self, key: str) -> str:
        """A path that the user or the system configured, and no repository; empty when there is none."""
        before = [f"--git-dir={self._room.path}"]
        args = ("config", "--null", "--type=path", "--get-all", key)
        found = _run(before, args, self._room.path, callers_own(), b"", (0, 1))
        values = [value for value in found.out.split(b"\0") if value]
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
    found = _version(os.environ.get("PATH", ""))
    if found < OLDEST:
        raise GitProblem(
            f"git {_dotted(found)} is too old: Foureyes needs git {_dotted(OLDEST)} or newer",
            next_step=f"install git {_dotted(OLDEST)} or newer",
        )


@cache
def _version(path: str) -> tuple[int, ...]:
    said = _start(["git", "--version"], None, {**scrubbed(), "PATH": path}, b"", READ_TIMEOUT).out
    words = said.decode("ascii", "replace").split()
    numbers = words[2].split(".")[:3] if len(words) > 2 and words[:2] == ["git", "version"] else []
    version = tuple(int(number) for number in numbers if number.isdecimal())
    if len(version) < 2:
        raise GitProblem(f"git does not say its version, but {' '.join(words)[:80]!r}", next_step="git --version")
    return version


def _run(
    before: list[str],
    args: tuple[str, ...],
    cwd: str,
    env: dict[str, str],
    stdin: bytes,
    ok: tuple[int, ...],
    timeout: float = READ_TIMEOUT,
) -> process.Finished:
    check_version()
    done = _start(["git", *before, *args], cwd, env, stdin, timeout)
    if done.rc not in ok:
        command = next((word for word in args if not word.startswith("-") and "=" not in word), args[0])
        words = last_words(done)
        raise GitProblem(f"git {command} failed: {words}", next_step=FETCH if "unable to read" in words else "")
    return done


def _start(argv: list[str], cwd: str | None, env: dict[str, str], stdin: bytes, timeout: float) -> process.Finished:
    try:
        return process.run(argv, cwd=cwd, env=env, input=stdin, timeout=timeout)
    except process.ProgramMissing as missing:
        raise GitProblem(
            "git was not found on the PATH", next_step=f"install git {_dotted(OLDEST)} or newer"
        ) from missing
    except process.ProcessProblem as problem:
        raise GitProblem(str(problem)) from problem


def last_words(done: process.Finished) -> str:
    """Why git failed, in one line: its `fatal:` lines without the advice around them, else what it said last."""
    lines = [line.strip() for line in shown(done.err or done.out).splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith("fatal:")]
    return "; ".join(fatal or lines[-4:]) or f"exit code {done.rc}, no message"


def shown(raw: bytes) -> str:
    """Bytes of git (paths, names) as text that can be stored and printed, whatever they are."""
    return raw.decode("utf-8", "backslashreplace")


def as_sha(raw: bytes | str) -> Sha | None:
    """A full object id, or None. What came from outside is checked here before it becomes an argument."""
    text = raw.decode("ascii", "replace") if isinstance(raw, bytes) else raw
    return Sha(text) if len(text) in (40, 64) and _HEX.issuperset(text) else None


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(number) for number in version)
