"""The log of a task: both streams of every run, appended line by line, so that it can be read while it grows.

Each run begins with a line of its own, and so does what it writes after another run wrote in between. A line of one
stream is never cut by one of the other. A run may write so much and no more; its token is not in it. A program's own
line that looks like one of ours is moved in by a space.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.adapters.supervised import PipeName

MOST_BYTES = 64 << 20
"""Bytes of one run."""
LONGEST = 1 << 20
"""Bytes of a line that are waited for; a longer one is written in pieces."""
HEADER = "==== "
CUT = b"==== the rest of this run is not in the log\n"
HIDDEN = b"[token]"
LIKE_OURS = re.compile(rb"(^|[\r\n\v\f\x1c-\x1e]|\xc2\x85|\xe2\x80[\xa8\xa9])(?=====)")
"""Where a line begins as ours do, for whoever reads text by its lines: some know more ends of a line than one."""


class RunLog:
    """The end of a log, for one run. A log that cannot be written (a full disk) stops nothing."""

    def __init__(self, handle: int, header: str, *, secret: str = "", most: int = MOST_BYTES) -> None:
        self._handle = handle
        self._name = " ".join(header.split()[:2])
        about = os.fstat(handle)
        self._file = (about.st_dev, about.st_ino)
        self._secret = secret.encode()
        self._left = most
        self._rest: dict[PipeName, bytes] = {"out": b"", "err": b""}
        self._put(_ours(header))
        LAST[self._file] = self

    def hear(self, stream: PipeName, part: bytes) -> None:
        """Take the next piece; whole lines are written at once."""
        whole, newline, rest = (self._rest[stream] + part).rpartition(b"\n")
        if len(rest) > LONGEST:
            whole, newline, rest = whole + newline + rest, b"\n", b""
        self._rest[stream] = rest
        if newline:
            self._limited(whole + newline)

    def close(self, last: str) -> None:
        """Write what is left of both streams, and a last line."""
        for stream, rest in self._rest.items():
            if rest:
                self._rest[stream] = b""
                self._limited(rest + b"\n")
        self._put(_ours(last))
        if LAST.get(self._file) is self:
            del LAST[self._file]
        os.close(self._handle)

    def _limited(self, text: bytes) -> None:
        if self._left <= 0:
            return
        if self._secret:
            text = text.replace(self._secret, HIDDEN)
        text = LIKE_OURS.sub(rb"\1 ", text)
        if len(text) > self._left:
            text = text[: self._left].rpartition(b"\n")[0] + b"\n" + CUT
            self._left = 0
        self._left -= len(text)
        if LAST.get(self._file) is not self:  # another run of the task wrote in between
            LAST[self._file] = self
            self._put(_ours(f"{self._name} goes on"))
        self._put(text)

    def _put(self, text: bytes) -> None:
        with suppress(OSError):
            while text:
                text = text[os.write(self._handle, text) :]


LAST: dict[tuple[int, int], RunLog] = {}
"""Which run of this process wrote to a log last, by the file: two reviewers of one task write to the same."""


def _ours(text: str) -> bytes:
    """A line of ours: exactly one, whatever a program said of itself."""
    return f"{HEADER}{' '.join(text.splitlines())}\n".encode("utf-8", "backslashreplace")
