"""Launcher of runners for a command that has opened the store: a copy of the process, forked before that."""

from __future__ import annotations

import os
import pickle
import signal
import socket
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from foureyes.app.runner.live_runs import Options
    from foureyes.core.nouns.session import Actor


LONGEST = 1 << 20
IGNORED = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGCHLD)
"""Signals that the copy ignores: terminal keys, and ends of runners, which then leave no zombie."""


class StartedProcess(msgspec.Struct):
    """A started process and its answer: that it has begun, or why not."""

    pid: int
    said: str


class Launcher:
    """Handle of the waiting copy."""

    def __init__(self) -> None:
        from foureyes.adapters.process import twin

        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LONGEST)
        self.owner = os.getpid()
        if twin() == 0:
            ours.close()
            _wait(theirs)
        theirs.close()
        self._copy = ours

    def launch(self, root: str, environ: Mapping[str, str], options: Options, starter: Actor) -> StartedProcess:
        """Ask the copy to start a runner. The socket is never passed on, so no other process can ask."""
        self._copy.send(pickle.dumps((root, dict(environ), options, starter)))
        reply = self._copy.recv(LONGEST)
        return (
            msgspec.msgpack.decode(reply, type=StartedProcess)
            if reply
            else StartedProcess(0, "the process that starts runners has ended")
        )

    def close(self) -> None:
        """End the copy."""
        self._copy.close()


_prepared: Launcher | None = None


def prepare() -> None:
    """Fork the copy. Call it before a store or a thread exists."""
    global _prepared
    if _prepared is None or _prepared.owner != os.getpid():
        _prepared = Launcher()


def prepared() -> Launcher | None:
    """Return the launcher of this process, None if prepare() was not called."""
    return _prepared if _prepared is not None and _prepared.owner == os.getpid() else None


def _wait(asks: socket.socket) -> None:
    """Run in the copy: start runners until the original is gone."""
    code = 1
    try:
        for number in IGNORED:
            signal.signal(number, signal.SIG_IGN)
        while asked := asks.recv(LONGEST):
            asks.send(msgspec.msgpack.encode(_start(asked, asks)))
        code = 0
    finally:
        os._exit(code)


def _start(asked: bytes, asks: socket.socket) -> StartedProcess:
    from foureyes.adapters.process import twin
    from foureyes.bootstrap.runner import Running

    root, environ, options, starter = pickle.loads(asked)  # noqa: S301 - from our own process; no other can write here
    readable, written = os.pipe2(os.O_CLOEXEC)
    child = twin()
    if child == 0:
        asks.close()
        os.close(readable)
        for number in IGNORED:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        Running(root, environ, options).be_detached(written, starter)
    os.close(written)
    words = b"".join(iter(lambda: os.read(readable, 4096), b"")).decode(errors="replace")
    os.close(readable)
    return StartedProcess(child, words)
