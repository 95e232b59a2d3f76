"""Programs that answer one question after another, and pairs of piped programs, all started by `process`.

Every wait is limited. A program that does not answer in time is ended with its process group.
"""

from __future__ import annotations

import os
import select
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from foureyes.adapters import process

CHUNK = 1 << 16
SAID = 4096
"""The bytes kept of a program's error output."""


class Both(NamedTuple):
    """The results of two piped programs."""

    first: process.Finished
    second: process.Finished


class AskedProgram:
    """A program that answers each line of input. Each wait takes at most `timeout` seconds."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        env: Mapping[str, str],
        timeout: float,
        held: Callable[[], str] | None = None,
    ) -> None:
        self._name = argv[0]
        self._timeout = timeout
        self._held = held or str
        self._owner = os.getpid()
        self._child = process.start(argv, cwd, env, has_input=True)
        self._said, self._at = b"", 0
        self._finalizer = weakref.finalize(self, _end, self._child, self._owner)

    @property
    def is_open(self) -> bool:
        """True if the program runs and this process started it."""
        return self._owner == os.getpid() and self._child.poll() is None

    def say(self, text: bytes) -> None:
        """Send questions, never more than a pipe holds (64 KiB), because nobody reads the answers meanwhile."""
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(text)
            self._child.stdin.flush()
        except OSError as problem:
            raise self._ended() from problem

    def line(self) -> bytes:
        """Return the rest of the next line, without its end."""
        while (end := self._said.find(b"\n", self._at)) < 0:
            self._said, self._at = self._said[self._at :] + self._more(), 0
        line, self._at = self._said[self._at : end], end + 1
        return line

    def exactly(self, size: int, end: bytes = b"") -> bytes:
        """Return the next `size` bytes, or fewer if `end` comes first. After `end` the program sends nothing."""
        have = len(self._said) - self._at
        if have < size:
            parts = [self._said[self._at :]]
            while have < size and not (end and b"".join(part[-len(end) :] for part in parts[-2:]).endswith(end)):
                parts.append(self._more())
                have += len(parts[-1])
            self._said, self._at = b"".join(parts), 0
        text = self._said[self._at : self._at + size]
        self._at += len(text)
        return text

    def _more(self) -> bytes:
        assert self._child.stdout is not None
        pipe = self._child.stdout.fileno()
        start, pause = time.monotonic(), process.PATIENT
        while not select.select([pipe], [], [], min(pause, self._timeout))[0]:
            pause *= 2
            if why := self._held():
                self.close()
                raise process.ProgramHung(why)
            if time.monotonic() >= start + self._timeout:
                self.close()
                raise process.ProgramTimedOut(
                    f"{self._name} did not answer for {self._timeout:g} seconds and was ended"
                )
        part = os.read(pipe, CHUNK)
        if not part:
            raise self._ended()
        return part

    def _ended(self) -> process.ProcessProblem:
        """Return the error for a program that ended, with its last output."""
        words = b""
        if self._child.stderr is not None:
            ready, _, _ = select.select([self._child.stderr], [], [], process.TICK)
            words = os.read(self._child.stderr.fileno(), SAID) if ready else b""
        self.close()
        return process.ProcessProblem(words.decode("utf-8", "backslashreplace").strip() or f"{self._name} ended")

    def close(self) -> None:
        """End the program. In a forked process that shares it, only close this side."""
        self._finalizer()


def _end(child: Any, owner: int) -> None:
    if owner == os.getpid():
        process.end_group(child)


def through(first: Sequence[str], second: Sequence[str], *, input: bytes, timeout: float, **where: Any) -> Both:
    """Run two programs, with the output of the first as input of the second.

    `input` is a list of names that the first one reads before it writes. `where` has `cwd`, `held`, `env` and
    `second_env`.
    """
    cwd, env, second_env = where["cwd"], where["env"], where["second_env"]
    source = process.start(first, cwd, env, has_input=True)
    try:
        assert source.stdin is not None and source.stdout is not None and source.stderr is not None  # noqa: PT018
        with suppress(BrokenPipeError):  # it says why itself
            source.stdin.write(input)
            source.stdin.close()
        pipe = source.stdout.fileno()
        done = process.run(second, cwd=cwd, env=second_env, timeout=timeout, held=where.get("held"), reads=pipe)
        source.stdout.close()
        words = source.stderr.read()[:SAID]
        source.stderr.close()
        return Both(process.Finished(source.wait(), b"", words), done)
    finally:
        if source.returncode is None:
            process.end_group(source)
