"""Doors: the sockets of runs, each in the directory of its run, and who comes in by them (I2).

A run has its own threads, and so many callers at once: what one run does, however it does it, is waited for by no other
run, and never by the runner. Linux only: elsewhere nobody can tell who is at the other end.
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
"""Callers of one run at once; further ones wait before the door."""
WAITING = 64
SMALL = 1 << 20
"""Bytes; longer requests are read and answered one after the other."""
SECONDS = 10.0
"""How long a caller may be silent, a frame may take to come, and an answer to be taken."""
PEER_PIDFD = 77
"""SO_PEERPIDFD: a handle of the very process, whoever has its number later (Linux 6.5)."""


class Peer:
    """Who is at the other end: the process that connected, as the kernel says."""

    def __init__(self, connection: socket.socket) -> None:
        packed = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        self.pid, self.uid, _ = struct.unpack("3i", packed)
        self._handle = _handle_of(connection, self.pid)

    def is_there(self) -> bool:
        """Whether that process has not ended: whatever was read of its number until now was read of it."""
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
    """A handle of the process; -1 where it is gone, or in a place of which nothing can be seen."""
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
"""What is answered to a document of a peer; whatever is wrong is an answer, too."""


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
        """Let nobody in any more; whether nobody is being served. The socket is gone."""
        with self._lock:
            if not self._is_shut:
                self._is_shut = True
                with suppress(OSError):
                    self._listener.shutdown(socket.SHUT_RDWR)  # wakes who waits there
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
                select.select([], [], [], 0.1)  # no handles left, or who called is gone: no reason to hurry
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
        ):  # it went, said nothing, took nothing or spoke nonsense: nobody is there to be told
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
        """What is answered to the next document; None where nobody waits for it, or the door is shut."""
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
    """Whether somebody still waits at the other end: for who has hung up nothing is begun."""
    watched = select.poll()
    watched.register(connection, 0)
    return not watched.poll(0)


def _listening(directory: str) -> socket.socket:
    """A socket in the directory of a run, which nobody else can enter. Its address may have 108 bytes only, so it is
    named by the handle of its directory.
    """
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
    """Whether this system has what doors need."""
    return sys.platform.startswith("linux")
