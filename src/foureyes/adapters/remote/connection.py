"""The connection from a command to its runner: one socket, one request at a time. Every command of a run uses it, so it
needs only the C module below `socket`.
"""

from __future__ import annotations

import _socket
import os
import stat
import sys
from time import monotonic

from foureyes.adapters.folders import entered
from foureyes.adapters.remote.wire import LARGEST, BrokenFrame, receive, send
from foureyes.core.nouns.session import RUN_SOCKET
from foureyes.errors import BadInput, EnvironmentProblem
from foureyes.steps import prose

LONGEST_ADDRESS = 107
PATIENCE = 30
"""Seconds to wait for a free place among other callers."""
FRESH = 3.0
"""Seconds after which the runner may have closed an idle connection."""


class RunnerLine:
    """A connection to the runner of a run, if available (`connect`)."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._wire: _socket.socket | None = None
        self._used = 0.0

    def connect(self) -> bool:
        """Connect to the runner. Return False if no process of this OS user answers or a sandbox forbids it."""
        self.close()
        wire = None
        try:
            with entered(self._directory) as handle:
                about = os.stat(RUN_SOCKET, dir_fd=handle, follow_symlinks=False)
                if not stat.S_ISSOCK(about.st_mode) or about.st_uid != os.geteuid():
                    return False
                wire = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
                wire.setsockopt(_socket.SOL_SOCKET, _socket.SO_SNDTIMEO, _seconds(PATIENCE))
                wire.connect(self._address(handle))
        except OSError as problem:
            if wire is not None:
                wire.close()
            if isinstance(problem, BlockingIOError):
                busy = "the runner of this run is busy with its other commands."
                raise EnvironmentProblem(busy, next_step=prose("try it again")) from problem
            return False
        self._wire, self._used = wire, monotonic()
        return True

    def _address(self, handle: int) -> str:
        path = os.path.join(self._directory, RUN_SOCKET)
        return path if len(os.fsencode(path)) <= LONGEST_ADDRESS else f"/proc/self/fd/{handle}/{RUN_SOCKET}"

    def ask(self, document: bytes) -> bytes:
        """Send a document and return the answer. It is never sent twice, because it may have been processed even if no
        answer came.
        """
        if len(document) > LARGEST:
            raise BadInput(f"that is more than {LARGEST >> 20} MB.", next_step=prose("send a smaller part of it"))
        if (self._wire is None or monotonic() - self._used > FRESH) and not self.connect():
            raise EnvironmentProblem("the runner of this run is gone, and nothing was done.", next_step=_WAIT)
        assert self._wire is not None
        try:
            send(self._wire, document, within=None)
            answer = receive(self._wire)
        except (OSError, BrokenFrame):
            answer = None
        if answer is None:
            self.close()
            raise EnvironmentProblem(
                "the runner of this run ended before it answered.",
                next_step=prose("check what was done before you do it again"),
            )
        self._used = monotonic()
        return answer

    def close(self) -> None:
        if self._wire is not None:
            self._wire.close()
            self._wire = None


_WAIT = prose("stop here. Your work stays on its branch, and the next runner continues from there")


def _seconds(number: int) -> bytes:
    """Return a `timeval`: two longs."""
    size = 8 if sys.maxsize > 1 << 32 else 4
    return number.to_bytes(size, sys.byteorder) + bytes(size)
