"""The line of a command to its runner: there or not, and nothing is sent twice."""

from __future__ import annotations

import _socket
import os
import socket
import threading
from pathlib import Path

import pytest

from foureyes.adapters.remote import connection as module
from foureyes.adapters.remote.connection import RunnerLine
from foureyes.errors import BadInput, EnvironmentProblem


def listening(directory: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(directory / "socket"))
    listener.listen()
    return listener


def test_nobody_answers_where_there_is_no_socket_a_stale_one_a_file_or_a_link(tmp_path: Path) -> None:
    assert not RunnerLine(str(tmp_path / "nowhere")).connect()
    assert not RunnerLine(str(tmp_path)).connect()
    listening(tmp_path).close()
    assert not RunnerLine(str(tmp_path)).connect(), "whoever listened there is gone"
    other = tmp_path / "other"
    other.mkdir()
    with listening(other):
        (tmp_path / "socket").unlink()
        os.symlink(other / "socket", tmp_path / "socket")
        assert not RunnerLine(str(tmp_path)).connect()
        os.symlink(other, tmp_path / "link")
        assert not RunnerLine(str(tmp_path / "link")).connect()
        line = RunnerLine(str(other))
        assert line.connect()
        line.close()
    (tmp_path / "socket").unlink()
    (tmp_path / "socket").write_text("")
    assert not RunnerLine(str(tmp_path)).connect()


def test_a_runner_that_ends_before_it_answers_is_told_and_not_asked_again(tmp_path: Path) -> None:
    heard: list[bytes] = []

    def hang_up() -> None:
        connection, _ = listener.accept()
        with connection:
            heard.append(connection.recv(100))

    with listening(tmp_path) as listener:
        thread = threading.Thread(target=hang_up)
        thread.start()
        line = RunnerLine(str(tmp_path))
        assert line.connect()
        with pytest.raises(EnvironmentProblem, match="before it answered"):
            line.ask(b"do it")
        thread.join()
    assert heard == [b"\x00\x00\x00\x05do it"]
    with pytest.raises(EnvironmentProblem, match="nothing was done"):
        line.ask(b"again")


def test_a_line_that_lay_idle_is_made_anew_before_something_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FRESH", -1.0)

    def answer() -> None:
        for _ in range(2):
            connection, _ = listener.accept()
            while connection.recv(100):
                connection.sendall(b"\x00\x00\x00\x02ok")
            connection.close()

    with listening(tmp_path) as listener:
        thread = threading.Thread(target=answer)
        thread.start()
        line = RunnerLine(str(tmp_path))
        assert [line.connect(), line.ask(b"x")] == [True, b"ok"]
        line.close()
        thread.join()


class Lonely(_socket.socket):
    def connect(self, address: object) -> None:
        raise PermissionError(1, "Operation not permitted")


class Forbidding:
    """A system whose sandbox lets nobody connect."""

    socket = Lonely

    def __getattr__(self, name: str) -> object:
        return getattr(_socket, name)


def test_a_sandbox_that_forbids_to_connect_is_nobody_who_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening(tmp_path):
        monkeypatch.setattr(module, "_socket", Forbidding())
        assert not RunnerLine(str(tmp_path)).connect()


def test_more_than_fits_into_a_frame_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST", 3)
    with pytest.raises(BadInput):
        RunnerLine(str(tmp_path)).ask(b"more")
