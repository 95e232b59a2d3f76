"""Frames on a socket: four bytes that say how long a document is, then the document. Whoever reads knows how long it
waits and how much it takes.
"""

from __future__ import annotations

from time import monotonic
from typing import Protocol

HEADER = 4
LARGEST = 96 << 20
"""Bytes of a frame: the largest document that a command reads, in the letters of JSON."""
PIECE = 1 << 18


class AnySocket(Protocol):
    """A socket, of the standard library or of the C module below it, which loads in no time."""

    def settimeout(self, value: float | None, /) -> None: ...

    def recv(self, bufsize: int, /) -> bytes: ...

    def sendall(self, data: bytes, /) -> None: ...


class BrokenFrame(Exception):
    """The other side sent half a frame, too much, or nothing for too long."""


def receive(wire: AnySocket, *, largest: int = LARGEST) -> bytes | None:
    """The next document, however long it takes; None where the other side is done."""
    length = length_of(wire, first=None, rest=None, largest=largest)
    return None if length is None else take(wire, length, rest=None)


def length_of(wire: AnySocket, *, first: float | None, rest: float | None, largest: int = LARGEST) -> int | None:
    """How long the next document is; None where the other side is done. `first`: how many seconds its first byte may
    take, `rest`: the others.
    """
    wire.settimeout(first)
    head = wire.recv(HEADER)
    if not head:
        return None
    length = int.from_bytes(head + take(wire, HEADER - len(head), rest=rest), "big")
    if length > largest:
        raise BrokenFrame(f"a frame of {length} bytes is longer than any")
    return length


def take(wire: AnySocket, length: int, *, rest: float | None) -> bytes:
    """So many bytes, within so many seconds altogether."""
    end = None if rest is None else monotonic() + rest
    pieces: list[bytes] = []
    while length > 0:
        if end is not None:
            wire.settimeout(max(0.001, end - monotonic()))
        piece = wire.recv(min(length, PIECE))
        if not piece or (end is not None and monotonic() > end):
            raise BrokenFrame("half a frame")
        pieces.append(piece)
        length -= len(piece)
    return b"".join(pieces)


def send(wire: AnySocket, document: bytes, *, within: float | None) -> None:
    """One document; who does not take it in time does not get it."""
    wire.settimeout(within)
    wire.sendall(len(document).to_bytes(HEADER, "big") + document)
