"""A program under a reaper that starts it on command. Many can run in parallel, because nothing here blocks.

The program reads its input from a file, and its two outputs stay separate. `fileno` becomes readable when `read` has
data. If this process ends, the reaper's input closes, and the reaper ends the program and everything it started.
"""

from __future__ import annotations

import os
import selectors
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Literal

from foureyes.adapters import process, reaper

PipeName = Literal["out", "err"]
CHUNK = 1 << 16
AT_ONCE = 16
"""Number of chunks read from each stream at once, so that an endless writer does not delay the others."""
REST = 2 * process.PIPE_CHUNKS


class Supervised:
    """A reaper and, once started, the program under it."""

    def __init__(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str], given: str) -> None:
        """Start the reaper. `argv` begins with an absolute path, and `given` is the program's input file."""
        out, writer = os.pipe()
        try:
            command = [reaper.WAITS, str(writer), given, *argv]
            self._child = process.start_below(command, cwd, env, passes=(writer,))
        except BaseException:
            os.close(out)
            raise
        finally:
            os.close(writer)
        assert self._child.stdout is not None and self._child.stderr is not None  # noqa: PT018
        self._said, self._streams = self._child.stdout.fileno(), {out: "out", self._child.stderr.fileno(): "err"}
        self._out = out
        self.pid = self._child.pid
        self.words = process.ReaperReport()
        self._pipes = selectors.DefaultSelector()
        for pipe in (self._said, *self._streams):
            os.set_blocking(pipe, False)
            self._pipes.register(pipe, selectors.EVENT_READ)
        self._asked = self._late = 0.0
        self.is_over = False

    def go(self) -> None:
        """Start the program."""
        self._tell(reaper.GO)

    def ask(self) -> None:
        """Ask the program to end. The reaper kills it a little later, or `read` does if the reaper does not."""
        if not self._asked:
            self._tell(reaper.ASK)
            reaper.tell(-self.pid, signal.SIGCONT)
            self._asked = time.monotonic()

    def _tell(self, word: bytes) -> None:
        assert self._child.stdin is not None
        with suppress(OSError, ValueError):  # it is gone: `read` says so
            self._child.stdin.write(word)
            self._child.stdin.flush()

    def fileno(self) -> int:
        if self.is_over:
            return -1
        return self._pipes.fileno()

    def read(self) -> list[tuple[PipeName, bytes]]:
        """Return the output since the last call, in order where possible. Empty after `is_over`."""
        heard: list[tuple[PipeName, bytes]] = []
        for key, _ in self._pipes.select(0) if not self.is_over else ():
            if key.fd != self._said:
                heard += self._read(key.fd, AT_ONCE)
            elif (part := _part(self._said)) is None:
                continue
            elif part:
                self.words.hear(part)
            else:
                self._end()
                heard += [piece for pipe in self._streams for piece in self._read(pipe, REST)]
                self._close()
                break
        if self._asked and not self.is_over:
            self._hurry()
        return heard

    def _read(self, pipe: int, most: int) -> list[tuple[PipeName, bytes]]:
        stream: PipeName = "out" if pipe == self._out else "err"
        heard: list[tuple[PipeName, bytes]] = []
        for _ in range(most):
            part = _part(pipe)
            if part == b"":
                with suppress(KeyError, ValueError):
                    self._pipes.unregister(pipe)
            if not part:
                break
            heard.append((stream, part))
        return heard

    def _hurry(self) -> None:
        """Do the work of a reaper that was told to end but is stopped or stuck."""
        waited = time.monotonic() - self._asked
        if waited > reaper.PATIENCE + reaper.LIMIT:
            process.close_input(self._child)
        if waited > reaper.PATIENCE + reaper.LIMIT + process.GRACE and not reaper.kill_below(self.pid):
            self._child.kill()

    def _end(self) -> None:
        """Clean up after the reaper ended, including the program if the reaper was killed."""
        process.close_input(self._child)
        self._child.wait()
        program = self.words.after("pid")
        if self._child.returncode != 0 and program.isdigit() and int(program) > 1:
            reaper.tell(-int(program))

    def _close(self) -> None:
        self.is_over = True
        self._pipes.close()
        os.close(self._out)
        process.close(self._child)

    def abandon(self) -> None:
        """End everything now and wait for it."""
        process.close_input(self._child)
        end = time.monotonic() + reaper.LIMIT + process.GRACE
        while not self.is_over and time.monotonic() < end:
            self._pipes.select(process.TICK)
            self.read()
        if not self.is_over:
            process.stand_in(self._child)
            self._end()
            self._close()


def _part(pipe: int) -> bytes | None:
    """Return the next bytes, None if there are none yet, or empty bytes at the end."""
    try:
        return os.read(pipe, CHUNK)
    except BlockingIOError:
        return None
