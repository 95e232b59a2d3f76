"""The output of a check: what is kept of it, and what is said of it while it comes."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from foureyes.core.words.text import readable

HEAD, TAIL = 8_192, 57_344
"""How many bytes of the output are kept, from its beginning and from its end, where most tools put their summary."""
LINE = 200
BETWEEN, BEAT = 0.2, 1.0
"""Seconds between two lines of progress: where something is printed, and where nothing is."""

COLOUR = re.compile(rb"\x1b\[[0-9;:]*[mK]")
"""What colours a text, and clears the rest of its line: it says nothing where it does nothing."""

TellLine = Callable[[str], None]


class _Stage(msgspec.Struct, frozen=True):
    """What runs before the check itself, and since when."""

    what: str
    command: str
    since: float
    size: int
    """What had been printed before."""

    def words(self) -> str:
        return f"{self.what}, {time.monotonic() - self.since:.0f} s"

    def line(self, printed: str) -> str:
        return f"{self.words()}: {printed or self.command}"[:LINE]


class Output:
    """The beginning and the end of what a check writes, however much that is; and its last line, now and then."""

    def __init__(self, progress: TellLine | None = None) -> None:
        self._progress = progress
        self._next = 0.0
        self._head = b""
        self._tail = bytearray()
        self._size = 0
        self._stage: _Stage | None = None

    @contextmanager
    def during(self, what: str, command: str) -> Iterator[None]:
        """While something else runs than the check itself, every line says what, and how long it has taken."""
        self._stage = _Stage(what, command, time.monotonic(), self._size)
        self.beat()
        try:
            yield
        finally:
            ended, self._stage = self._stage, None
            if self._progress is not None:
                self._progress(f"{ended.words()}: ended")

    def beat(self) -> None:
        """Time passes, also where nothing is printed."""
        if self._stage is not None and self._progress is not None and time.monotonic() >= self._next:
            self._next = time.monotonic() + BEAT
            self._progress(self._stage.line(self._last_line() if self._size > self._stage.size else ""))

    def beating(self, stop: Callable[[], bool]) -> Callable[[int], bool]:
        """Who asks now and then whether a program is to end; time passes meanwhile."""

        def asked(_: int) -> bool:
            self.beat()
            return stop()

        return asked

    def hear(self, part: bytes) -> None:
        """Take the next piece."""
        self._size += len(part)
        missing = HEAD - len(self._head)
        self._head += part[:missing] if missing > 0 else b""
        self._tail += part[max(missing, 0) :]
        if len(self._tail) > TAIL:
            del self._tail[:-TAIL]
        if self._progress is not None and time.monotonic() >= self._next and (line := self._last_line()):
            self._next = time.monotonic() + BETWEEN
            self._progress(self._stage.line(line) if self._stage is not None else line)

    def text(self) -> str:
        """What is kept, readable, with a line for what is not."""
        left_out = self._size - len(self._head) - len(self._tail)
        if not left_out:
            return _uncoloured(self._head + self._tail)
        return f"{_uncoloured(self._head)}\n[… {left_out:,} bytes left out of the middle …]\n{_uncoloured(bytes(self._tail))}"

    def raw(self) -> bytes:
        """What is kept, as it came."""
        return self._head + bytes(self._tail)

    def _last_line(self) -> str:
        lines = COLOUR.sub(b"", (self._head + self._tail)[-LINE * 4 :]).replace(b"\r", b"\n").split(b"\n")
        line = next((line for line in reversed(lines) if line.strip()), b"")
        return readable(line.strip())[:LINE]


def _uncoloured(data: bytes) -> str:
    return readable(COLOUR.sub(b"", data))
