"""The log of a task: both streams of every run, appended line by line, so that it can be read while it grows.

Each run begins with a line of its own. A line of one stream is never cut by one of the other. A run may write so much
and no more; its token is not in it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Literal

MOST = 64 << 20
"""Bytes of one run."""
LONGEST = 1 << 20
"""Bytes of a line that are waited for; a longer one is written in pieces."""
HEADER = "==== "
CUT = b"==== the rest of this run is not in the log\n"
HIDDEN = b"[token]"

Stream = Literal["out", "err"]


class Log:
    """The end of a log, for one run. A log that cannot be written (a full disk) stops nothing."""

    def __init__(self, handle: int, header: str, *, secret: str = "", most: int = MOST) -> None:
        self._handle = handle
        self._secret = secret.encode()
        self._left = most
        self._rest: dict[Stream, bytes] = {"out": b"", "err": b""}
        self._put(f"{HEADER}{header}\n".encode())

    def hear(self, stream: Stream, part: bytes) -> None:
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
        self._put(f"{HEADER}{last}\n".encode())
        os.close(self._handle)

    def _limited(self, text: bytes) -> None:
        if self._left <= 0:
            return
        if self._secret:
            text = text.replace(self._secret, HIDDEN)
        if len(text) > self._left:
            text = text[: self._left].rpartition(b"\n")[0] + b"\n" + CUT
            self._left = 0
        self._left -= len(text)
        self._put(text)

    def _put(self, text: bytes) -> None:
        with suppress(OSError):
            while text:
                text = text[os.write(self._handle, text) :]
