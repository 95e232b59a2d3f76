"""The only starter of programs.

Everything that runs another program goes through `run`, so that there is one place that bounds its time, ends what it
leaves behind and says clearly that it is missing. `subprocess` is imported when the first program is started: most
commands start none.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import subprocess

DEFAULT_TIMEOUT = 60.0
GRACE = 2.0
"""Seconds between asking a process group to end (git removes its lock files then) and ending it."""


class ProcessProblem(Exception):
    """A program could not be started or did not end."""


class ProgramMissing(ProcessProblem):
    """There is no such program on the path."""


class ProgramTimedOut(ProcessProblem):
    """The program was still running at its time limit and was ended with everything it had started."""


class Finished(msgspec.Struct, frozen=True):
    """How a program ended and what it wrote."""

    rc: int
    out: bytes
    err: bytes


def run(
    argv: Sequence[str],
    *,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    input: bytes = b"",
    timeout: float = DEFAULT_TIMEOUT,
) -> Finished:
    """Run a program to its end. Never through a shell; any exit code is an answer, not an exception."""
    import subprocess

    child = _start(argv, cwd, env, has_input=bool(input))
    try:
        out, err = child.communicate(input or None, timeout=timeout)
    except subprocess.TimeoutExpired as late:
        _end_group(child)
        raise ProgramTimedOut(f"{argv[0]} was still running after {timeout:g} seconds and was ended") from late
    except BaseException:
        _end_group(child)
        raise
    return Finished(child.returncode, out, err)


def _start(argv: Sequence[str], cwd: str | None, env: Mapping[str, str] | None, *, has_input: bool) -> subprocess.Popen[bytes]:
    """Start it in a session of its own: the group can be ended as one, and nothing can wait at the terminal."""
    import subprocess

    try:
        return subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError as missing:
        if cwd is not None and not os.path.isdir(cwd):
            raise ProcessProblem(f"{argv[0]} cannot run in {cwd}: there is no such directory") from missing
        raise ProgramMissing(f"{argv[0]} was not found") from missing
    except (OSError, ValueError) as problem:
        raise ProcessProblem(f"{argv[0]} could not be started: {problem}") from problem


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """Ask the whole group to end, then make it. Pipes are closed, not read: a survivor elsewhere may hold them."""
    import signal
    import subprocess

    _signal_group(child.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        child.wait(timeout=GRACE)
    _signal_group(child.pid, signal.SIGKILL)
    child.wait()
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _signal_group(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
