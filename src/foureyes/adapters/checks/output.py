"""Keeps the output of a check and reports progress while it runs."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from foureyes.core.words.text import readable

HEAD, TAIL = 8_192, 57_344
"""Bytes kept from the start and the end of the output. Most tools print their summary last."""
LINE = 200
BETWEEN, BEAT = 0.2, 1.0
"""Seconds between two lines of progress, with and without new output."""

COLOUR = re.compile(rb"\x1b\[[0-9;:]*[mK]")
"""Colour and line-clearing codes, which have no meaning in stored text."""

TellLine = Callable[[str], None]


class _Stage(msgspec.Struct, frozen=True):
    """A step before the check itself, with its start time."""

    what: str
    command: str
    since: float
    size: int
    """Number of bytes printed before the step."""

    def words(self) -> str:
        return f"{self.what}, {time.monotonic() - self.since:.0f} s"

    def line(self, printed: str) -> str:
        return f"{self.words()}: {printed or self.command}"[:LINE]


class Output:
    """The start and end of a check's output. From time to time it reports the last line as progress."""

    def __init__(self, progress: TellLine | None = None) -> None:
        self._progress = progress
        self._next = 0.0
        self._head = b""
        self._tail = bytearray()
        self._size = 0
        self._stage: _Stage | None = None

    @contextmanager
    def during(self, what: str, command: str) -> Iterator[None]:
        """Prefix every progress line with the name and duration of a preparation step."""
        self._stage = _Stage(what, command, time.monotonic(), self._size)
        self.beat()
        try:
            yield
        finally:
            ended, self._stage = self._stage, None
            if self._progress is not None:
                self._progress(f"{ended.words()}: ended")

    def beat(self) -> None:
        """Report progress if due, even without new output."""
        if self._stage is not None and self._progress is not None and time.monotonic() >= self._next:
            self._next = time.monotonic() + BEAT
            self._progress(self._stage.line(self._last_line() if self._size > self._stage.size else ""))

    def beating(self, stop: Callable[[], bool]) -> Callable[[int], bool]:
        """Return a stop function that also reports progress whenever it is called."""

        def asked(_: int) -> bool:
            self.beat()
            return stop()

        return asked

    def hear(self, part: bytes) -> None:
        """Append a piece of output."""
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
        """Return the kept output as text, with a line for the omitted part."""
        left_out = self._size - len(self._head) - len(self._tail)
        if not left_out:
            return _uncoloured(self._head + self._tail)
        return f"{_uncoloured(self._head)}\n[… {left_out:,} bytes left out of the middle …]\n{_uncoloured(bytes(self._tail))}"

    def raw(self) -> bytes:
        """Return the kept output as bytes."""
        return self._head + bytes(self._tail)

    def _last_line(self) -> str:
        lines = COLOUR.sub(b"", (self._head + self._tail)[-LINE * 4 :]).replace(b"\r", b"\n").split(b"\n")
        line = next((line for line in reversed(lines) if line.strip()), b"")
        return readable(line.strip())[:LINE]


def _uncoloured(data: bytes) -> str:
    return readable(COLOUR.sub(b"", data))
