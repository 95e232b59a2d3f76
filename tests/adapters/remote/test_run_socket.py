"""Doors of runs: who comes in, how many at once, and what nobody has to wait for."""

from __future__ import annotations

import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from foureyes.adapters.remote import run_socket
from foureyes.adapters.remote.connection import RunnerLine
from foureyes.adapters.remote.run_socket import Door, Peer
from foureyes.adapters.remote.wire import receive, send

from tests.stage.fork import Child

Open = Callable[..., tuple[Door, Path]]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    made: list[Door] = []

    def open_(answer: run_socket.Answering = lambda peer, sent: sent[::-1], **how: float) -> tuple[Door, Path]:
        directory = tmp_path / f"run-{len(made)}"
        directory.mkdir(mode=0o700)
        door = Door(str(directory), answer, **how)  # type: ignore[arg-type]
        made.append(door)
        return door, directory

    yield open_
    for wire in CALLS:
        wire.close()
    CALLS.clear()
    for door in made:
        door.shut()


CALLS: list[socket.socket] = []


def called(directory: Path) -> socket.socket:
    wire = socket.socket(socket.AF_UNIX)
    CALLS.append(wire)
    wire.connect(str(directory / "socket"))
    return wire


def test_what_is_sent_is_answered_and_the_peer_is_the_process_that_asks_I2(opened: Open) -> None:
    seen: list[tuple[int, int, bool]] = []

    def answer(peer: Peer, sent: bytes) -> bytes:
        seen.append((peer.pid, peer.uid, peer.is_there()))
        return sent.upper()

    _, directory = opened(answer)
    line = RunnerLine(str(directory))
    assert line.connect()
    assert [line.ask(b"one"), line.ask(b"two")] == [b"ONE", b"TWO"]
    line.close()
    assert seen == [(os.getpid(), os.geteuid(), True)] * 2


def test_its_socket_is_for_its_user_alone_and_goes_with_it(opened: Open) -> None:
    door, directory = opened()
    found = os.stat(directory / "socket")
    assert (stat.S_ISSOCK(found.st_mode), stat.S_IMODE(found.st_mode)) == (True, 0o600)
    assert door.shut()
    assert not (directory / "socket").exists()
    assert not RunnerLine(str(directory)).connect()
    assert door.shut(), "a second time changes nothing"


def test_a_directory_whose_name_is_longer_than_any_address_has_a_door_too(tmp_path: Path) -> None:
    deep = tmp_path / ("long" * 30) / "run"
    deep.mkdir(parents=True)
    door = Door(str(deep), lambda peer, sent: sent)
    line = RunnerLine(str(deep))
    assert line.connect()
    assert line.ask(b"hello") == b"hello"
    line.close()
    door.shut()


def test_a_process_that_has_ended_is_not_there_whoever_holds_its_line_I2(opened: Open) -> None:
    there: list[bool] = []

    def answer(peer: Peer, _: bytes) -> bytes:
        there.append(peer.is_there())
        return b""

    _, directory = opened(answer)
    ours, theirs = socket.socketpair()

    def connect_and_hand_over() -> None:
        socket.send_fds(theirs, [b"x"], [called(directory).fileno()])

    Child(connect_and_hand_over).result()
    _, (handle,), *_ = socket.recv_fds(ours, 1, 1)
    with ours, theirs, socket.socket(fileno=handle) as wire:
        send(wire, b"hello", within=None)
        assert receive(wire) == b""
    assert there == [False]


def test_ten_at_once_are_answered_beside_each_other(opened: Open) -> None:
    together = threading.Barrier(10)

    def answer(_: Peer, sent: bytes) -> bytes:
        together.wait(60)
        return sent

    _, directory = opened(answer)
    lines = [called(directory) for _ in range(10)]
    for number, wire in enumerate(lines):
        send(wire, b"%d" % number, within=None)
    assert [receive(wire) for wire in lines] == [b"%d" % number for number in range(10)]


def test_large_documents_are_answered_one_after_the_other_and_small_ones_beside_them(opened: Open) -> None:
    at_work, most, small = threading.Lock(), [0, 0], threading.Event()

    def answer(_: Peer, sent: bytes) -> bytes:
        if len(sent) < 10:
            small.set()
            return sent
        with at_work:
            most[0] += 1
            most[1] = max(most)
        small.wait(60)
        with at_work:
            most[0] -= 1
        return sent[:1]

    _, directory = opened(answer)
    lines = [called(directory) for _ in range(4)]
    threads = [threading.Thread(target=send, args=(wire, b"x" * (2 << 20)), kwargs={"within": 60}) for wire in lines]
    for thread in threads:
        thread.start()
    with called(directory) as beside:
        send(beside, b"small", within=None)
        assert receive(beside) == b"small"
    assert [receive(wire) for wire in lines] == [b"x"] * 4
    for thread in threads:
        thread.join()
    assert most == [0, 1]


def test_I2_a_kernel_that_gives_no_handle_of_the_peer_is_asked_for_one_of_its_number(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_socket, "PEER_PIDFD", 1 << 20)
    seen: list[bool] = []

    def answer(peer: Peer, sent: bytes) -> bytes:
        seen.append(peer.is_there())
        return sent

    _, directory = opened(answer)
    with called(directory) as wire:
        send(wire, b"x", within=None)
        assert receive(wire) == b"x"
    assert seen == [True]


def test_more_than_it_lets_in_wait_before_the_door_and_have_their_turn(opened: Open) -> None:
    _, directory = opened(at_once=2)
    lines = [called(directory) for _ in range(20)]
    for wire in lines:
        send(wire, b"x", within=None)
    for wire in lines:
        assert receive(wire) == b"x"
        wire.close()


@pytest.mark.parametrize(
    "sent", [b"", b"\x00", b"\x00\x00\x00\x09half", b"\xff\xff\xff\xffGET / HTTP/1.1", b"\x04\x00\x00\x01"]
)
def test_who_is_silent_or_speaks_nonsense_is_hung_up_on_and_the_next_one_is_heard(opened: Open, sent: bytes) -> None:
    _, directory = opened(seconds=0.05, at_once=1)
    with called(directory) as odd, called(directory) as wire:
        odd.sendall(sent)
        send(wire, b"abc", within=None)
        with suppress(ConnectionResetError):
            assert odd.recv(1) == b""
        assert receive(wire) == b"cba"


def test_who_never_reads_does_not_keep_others_out(opened: Open) -> None:
    _, directory = opened(lambda peer, sent: sent * (8 << 20), seconds=0.05, at_once=1)
    with called(directory) as deaf, called(directory) as wire:
        send(deaf, b"x", within=None)
        send(wire, b"", within=None)
        assert receive(wire) == b""


def test_for_who_has_hung_up_nothing_is_begun(opened: Open) -> None:
    asked: list[bytes] = []

    def answer(_: Peer, sent: bytes) -> bytes:
        asked.append(sent)
        return b""

    _, directory = opened(answer, at_once=1)
    first = called(directory)
    with called(directory) as gone:
        send(gone, b"gone", within=None)
    first.close()
    with called(directory) as wire:
        send(wire, b"here", within=None)
        assert receive(wire) == b""
    assert asked == [b"here"]


def test_a_door_that_is_shut_answers_what_has_begun_and_says_when_that_is_done(opened: Open) -> None:
    begun, go = threading.Event(), threading.Event()

    def answer(_: Peer, sent: bytes) -> bytes:
        begun.set()
        go.wait(60)
        return sent

    door, directory = opened(answer)
    wire = called(directory)
    send(wire, b"slow", within=None)
    begun.wait(60)
    assert not door.shut(), "somebody is being served"
    assert not RunnerLine(str(directory)).connect()
    go.set()
    assert receive(wire) == b"slow"
    assert receive(wire) is None
    assert door.shut()
