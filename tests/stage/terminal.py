"""A terminal that a test sits at: the real program on a pseudo-terminal, real keys, and the screen read back.

The program is started by somebody of `processes.py`, so that nobody above it is an agent; it is the first process of a
session whose controlling terminal this is.

    with Terminal(cast.job, ["fe"], cwd=repository) as terminal:
        terminal.until("REVIEW PENDING")
        terminal.type("r")
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import pyte

from tests.stage.processes import FE, Caller, Result

KEYS = {
    "enter": "\r", "escape": "\x1b", "tab": "\t", "space": " ", "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C",
    "left": "\x1b[D", "ctrl+q": "\x11", "ctrl+s": "\x13",
}  # fmt: skip
SIT_DOWN = """
import os, sys
terminal = os.open(sys.argv[1], os.O_RDWR)
for number in (0, 1, 2):
    os.dup2(terminal, number)
with open(sys.argv[2], "w") as file:
    file.write(str(os.getpid()))
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""Who opens a terminal as the first process of a session has it; its number stays when it becomes the program."""
PATIENCE = 120.0
"""Against what never comes, in seconds. No test says how long something may take."""
READ_SECONDS = 0.5
"""So long somebody looks at a screen before the next key."""
LOOK_SECONDS = 0.05
"""How often something is looked at that cannot tell by itself that it changed."""


class Terminal:
    """A program at a terminal of its own, until it ends."""

    def __init__(
        self,
        who: Caller,
        argv: Sequence[str] = FE,
        *,
        cwd: Path,
        size: tuple[int, int] = (80, 24),
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.bytes = bytearray()
        self._is_there = True
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self._changed = threading.Condition()
        self._master, self._slave = os.openpty()
        termios.tcsetwinsize(self._slave, (size[1], size[0]))
        self.before = termios.tcgetattr(self._slave)
        self._number = who.people.directory / f"terminal-{id(self)}.pid"
        command = [sys.executable, "-I", "-S", "-c", SIT_DOWN, os.ttyname(self._slave), str(self._number), *argv]
        variables = {"TERM": "xterm-256color", **(env or {})}
        self._results: list[Result] = []
        self._hears, self._tells = os.pipe()
        self._reader = threading.Thread(target=self._read)
        self._run = threading.Thread(target=self._start, args=(who, command, cwd, variables))
        self._reader.start()
        self._run.start()

    def _start(self, who: Caller, command: list[str], cwd: Path, env: Mapping[str, str]) -> None:
        self._results.append(who.run(command, cwd=cwd, env=env))
        with self._changed:
            self._changed.notify_all()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # Linux: EIO when the last one has closed the terminal
            while self._master in select.select([self._master, self._hears], [], [])[0]:  # what was printed comes first
                part = os.read(self._master, 65536)
                with self._changed:
                    self.bytes += part
                    self._stream.feed(part)
                    self._changed.notify_all()

    # What is there

    @property
    def text(self) -> str:
        """The screen."""
        with self._changed:
            return "\n".join(line.rstrip() for line in self._screen.display)

    @property
    def pid(self) -> int:
        """The program's process."""
        self.wait(lambda: self._number.exists() and self._number.read_text() != "", "the program's number")
        return int(self._number.read_text())

    @property
    def ended(self) -> bool:
        return bool(self._results)

    @property
    def modes(self) -> list[Any]:
        """How the terminal is set: echo, lines, signals."""
        return termios.tcgetattr(self._slave)

    # What one does

    def type(self, *keys: str) -> None:
        """Press keys, by name or as they are."""
        for key in keys:
            os.write(self._master, KEYS.get(key, key).encode())

    def press(self, key: str, then: str) -> str:
        """Press a key, and look until something is on screen."""
        self.type(key)
        return self.until(then)

    def until(self, text: str) -> str:
        """Look until something is on screen; the screen."""
        self.wait(lambda: text in self.text, f"{text!r} on screen")
        return self.text

    def read(self) -> str:
        """Look at the screen as a person does: until it stands still for a moment; the screen."""
        with self._changed:
            while self._changed.wait(READ_SECONDS):
                pass
        return self.text

    def wait(self, is_so: Callable[[], bool], what: str) -> None:
        """Wait for something that comes by itself."""
        late = time.monotonic() + PATIENCE
        while not is_so():
            with self._changed:
                self._changed.wait(LOOK_SECONDS)
            assert time.monotonic() < late, f"never came: {what}\n{self.text}"

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def end(self) -> int:
        """Wait until the program has ended; its exit code."""
        self._run.join(PATIENCE)
        assert self.ended, f"the program goes on\n{self.text}"
        return self._results[0].rc

    def hang_up(self) -> None:
        """Close the window in which the program runs: whatever it writes fails, and it hears SIGHUP."""
        self._let_go()
        self.signal(signal.SIGHUP)  # the kernel tells only who has it as its controlling terminal

    def _let_go(self) -> None:
        os.write(self._tells, b".")
        self._reader.join()
        os.close(self._slave)
        os.close(self._master)
        self._is_there = False

    def close(self) -> None:
        """Take the terminal away."""
        if not self.ended:
            with contextlib.suppress(ProcessLookupError):
                self.signal(signal.SIGKILL)
            self._run.join()
        if self._is_there:
            self._let_go()
        os.close(self._hears)
        os.close(self._tells)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
