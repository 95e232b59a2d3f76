"""Frames: whole documents or nothing, within their time and their length."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from foureyes.adapters.remote import wire


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    one, other = socket.socketpair()
    with one, other:
        yield one, other


def test_documents_come_one_after_the_other_and_then_the_end(pair: tuple[socket.socket, socket.socket]) -> None:
    one, other = pair
    for document in (b"first", b"", b"x" * 5000):
        wire.send(one, document, within=None)
    one.close()
    assert [wire.receive(other) for _ in range(4)] == [b"first", b"", b"x" * 5000, None]


@pytest.mark.parametrize("sent", [b"\x00\x00", b"\x00\x00\x00\x05hal"])
def test_half_a_frame_is_broken_when_the_other_side_is_gone(
    pair: tuple[socket.socket, socket.socket], sent: bytes
) -> None:
    one, other = pair
    one.sendall(sent)
    one.close()
    with pytest.raises(wire.BrokenFrame):
        wire.receive(other)


def test_half_a_frame_and_then_silence_is_not_waited_for(pair: tuple[socket.socket, socket.socket]) -> None:
    one, other = pair
    one.sendall(b"\x00\x00\x00\x05ha")
    assert wire.length_of(other, first=10, rest=10) == 5
    with pytest.raises(TimeoutError):
        wire.take(other, 5, rest=0.01)


def test_a_frame_that_is_too_long_is_not_read(pair: tuple[socket.socket, socket.socket]) -> None:
    one, other = pair
    one.sendall(b"\xff\xff\xff\xff")
    with pytest.raises(wire.BrokenFrame, match="4294967295"):
        wire.length_of(other, first=10, rest=10)


def test_who_takes_nothing_gets_nothing_more(pair: tuple[socket.socket, socket.socket]) -> None:
    with pytest.raises(TimeoutError):
        wire.send(pair[0], b"x" * (8 << 20), within=0.01)
