"""The sockets of runs, each in the directory of its run, and their callers. (I2)

Each run has its own threads and a limit of callers, so that it never delays another run or the runner. Linux only,
because other systems cannot identify the peer.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import nullcontext, suppress
from threading import BoundedSemaphore, Lock, Thread

from foureyes.adapters.folders import folder
from foureyes.adapters.remote.wire import BrokenFrame, length_of, send, take
from foureyes.core.nouns.session import RUN_SOCKET

AT_ONCE = 16
"""Largest number of simultaneous callers of one run. Others wait."""
WAITING = 64
SMALL = 1 << 20
"""Size of a request in bytes above which only one is handled at a time."""
SECONDS = 10.0
"""Longest time for an idle caller, for a frame and for sending an answer."""
PEER_PIDFD = 77
"""SO_PEERPIDFD: a handle of the process that stays valid if its pid is reused (Linux 6.5)."""


class Peer:
    """The process at the other end, as the kernel reports it."""

    def __init__(self, connection: socket.socket) -> None:
        packed = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        self.pid, self.uid, _ = struct.unpack("3i", packed)
        self._handle = _handle_of(connection, self.pid)

    def is_there(self) -> bool:
        """Return True if the process still runs. Then everything read under its pid so far was its own."""
        if self._handle < 0:
            return False
        watched = select.poll()
        watched.register(self._handle, select.POLLIN)
        return not watched.poll(0)

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def _handle_of(connection: socket.socket, pid: int) -> int:
    """Return a handle of the process, or -1 if it ended or is not visible."""
    try:
        packed = connection.getsockopt(socket.SOL_SOCKET, PEER_PIDFD, struct.calcsize("i"))
        return int(struct.unpack("i", packed)[0])
    except OSError:
        pass
    try:
        return os.pidfd_open(pid) if pid > 0 else -1
    except OSError:
        return -1


Answering = Callable[[Peer, bytes], bytes]
"""A function that returns the answer to a peer's document. Errors are answers too."""


class Door:
    """The socket of one run."""

    def __init__(self, directory: str, answer: Answering, *, seconds: float = SECONDS, at_once: int = AT_ONCE) -> None:
        self._directory, self._answer, self._seconds = directory, answer, seconds
        self._slots, self._large = BoundedSemaphore(at_once), Lock()
        self._lock = Lock()
        self._inside: set[socket.socket] = set()
        self._at_work = 0
        self._is_shut = False
        self._listener = _listening(directory)
        Thread(target=self._wait, name=f"door of {os.path.basename(directory)}", daemon=True).start()

    def shut(self) -> bool:
        """Stop accepting callers and delete the socket. Return True if no request is in progress."""
        with self._lock:
            if not self._is_shut:
                self._is_shut = True
                with suppress(OSError):
                    self._listener.shutdown(socket.SHUT_RDWR)  # wakes the waiting thread
                self._listener.close()
                with suppress(OSError), folder(self._directory) as handle:
                    os.unlink(RUN_SOCKET, dir_fd=handle)
                for connection in self._inside:
                    with suppress(OSError):
                        connection.shutdown(socket.SHUT_RD)  # what was asked is answered
            return self._at_work == 0

    def _wait(self) -> None:
        while True:
            self._slots.acquire()
            try:
                connection, _ = self._listener.accept()
            except OSError:
                if self._is_shut:
                    return
                self._slots.release()
                select.select([], [], [], 0.1)  # no handles left, or the caller is gone
                continue
            with self._lock:
                self._inside.add(connection)
            Thread(target=self._attend, args=(connection,), daemon=True).start()

    def _attend(self, connection: socket.socket) -> None:
        try:
            self._serve(connection)
        except (
            OSError,
            BrokenFrame,
        ):  # the caller left, timed out or sent garbage, so there is no one to answer
            pass
        finally:
            with self._lock:
                self._inside.discard(connection)
            connection.close()
            self._slots.release()

    def _serve(self, connection: socket.socket) -> None:
        peer = Peer(connection)
        try:
            while (length := length_of(connection, first=self._seconds, rest=self._seconds)) is not None:
                with self._large if length > SMALL else nullcontext():
                    answer = self._answered(connection, peer, length)
                if answer is None:
                    return
                send(connection, answer, within=self._seconds)
        finally:
            peer.close()

    def _answered(self, connection: socket.socket, peer: Peer, length: int) -> bytes | None:
        """Return the answer to the next document, or None if the caller hung up or the socket is closed."""
        document = take(connection, length, rest=self._seconds)
        if not _waits(connection) or not self._begin():
            return None
        try:
            return self._answer(peer, document)
        finally:
            self._end()

    def _begin(self) -> bool:
        with self._lock:
            self._at_work += not self._is_shut
            return not self._is_shut

    def _end(self) -> None:
        with self._lock:
            self._at_work -= 1


def _waits(connection: socket.socket) -> bool:
    """Return True if the caller still waits, so that no work starts for one that hung up."""
    watched = select.poll()
    watched.register(connection, 0)
    return not watched.poll(0)


def _listening(directory: str) -> socket.socket:
    """Create a socket in the private directory of a run. Addresses are limited to 108 bytes, so it is bound through the
    directory's handle."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with folder(directory) as handle:
            listener.bind(f"/proc/self/fd/{handle}/{RUN_SOCKET}")
            os.chmod(RUN_SOCKET, 0o600, dir_fd=handle)
        listener.listen(WAITING)
    except BaseException:
        listener.close()
        raise
    return listener


def can_be() -> bool:
    """Return True if this system supports these sockets."""
    return sys.platform.startswith("linux")
