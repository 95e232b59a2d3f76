"""Players of the demo. A person looks the same under an agent, in CI without a terminal, and on a desktop.

Foureyes identifies a caller by its parent processes. So each player is a separate process, detached from the demo's
starter, with an empty environment. It runs the commands it receives over a socket, a person's on a pseudo-terminal. The
second half of this file runs inside the players, isolated.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any, NamedTuple

SOURCE = Path(__file__).resolve().parents[2]
LIMIT = 600.0
PATIENCE = 20.0
"""Seconds that a process gets to end before it is killed."""


class CommandResult(NamedTuple):
    """Exit code of a command and all its output."""

    rc: int
    text: str


class Player:
    """A participant that types commands."""

    def __init__(self, folder: Path, name: str, *, person: bool = False) -> None:
        self.name = name
        self.person = person
        script = folder / "players" / name
        script.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(__file__, script)
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-I", "-S", str(script), str(theirs.fileno())]
        self._env = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(script.parent),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(SOURCE),
        }
        with theirs:
            subprocess.run(
                command, env=self._env, cwd="/", stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], check=True
            )
        self._socket = ours
        self._wire = ours.makefile("rw", encoding="utf-8")

    def run(self, argv: list[str], cwd: Path) -> CommandResult:
        """Run a program as this player and wait for its end."""
        self.begin(argv, cwd)
        return self.wait()

    def begin(self, argv: list[str], cwd: Path) -> None:
        """Start a program as this player. It runs until wait() or close()."""
        request = {"argv": argv, "cwd": str(cwd), "env": self._env, "terminal": self.person, "limit": LIMIT}
        self._wire.write(json.dumps(request) + "\n")
        self._wire.flush()

    def wait(self) -> CommandResult:
        """Wait until the started program ends."""
        return CommandResult(*json.loads(self._wire.readline()))

    @property
    def has_answered(self) -> bool:
        """True if the started program has ended."""
        return bool(select.select([self._socket], [], [], 0)[0])

    def close(self) -> str:
        """Close the connection, which ends the player and its program, wait for both, and return the last output."""
        left = b""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
            self._socket.settimeout(2 * PATIENCE)
            while part := self._socket.recv(65536):
                left += part
        with contextlib.suppress(OSError):
            self._wire.close()
        self._socket.close()
        return left.decode("utf-8", "replace")


# ---------------------------------------------------------------------------------------- inside a player's process


def play(number: int) -> None:
    """Detach by forking twice, then run commands until the connection closes."""
    if second := os.fork():
        os.waitpid(second, 0)
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    line = socket.socket(fileno=number)
    with line.makefile("rw", encoding="utf-8") as wire, contextlib.suppress(OSError):
        for request in wire:
            wire.write(json.dumps(perform(line, **json.loads(request))) + "\n")
            wire.flush()


def perform(line: socket.socket, argv: list[str], cwd: str, env: dict[str, str], terminal: bool, limit: float) -> Any:
    """Run one command, with or without a terminal, and end it when the connection closes."""
    master, slave = os.openpty() if terminal else (-1, -1)
    try:
        child = subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=slave if terminal else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=take_terminal if terminal else None,
        )
        text = heard(child, line, limit)
        return [child.wait(), text.decode("utf-8", "replace")]
    except OSError as problem:
        return [127, f"{problem}\n"]
    finally:
        if terminal:
            os.close(master)
            os.close(slave)


def heard(child: subprocess.Popen[bytes], line: socket.socket, limit: float) -> bytes:
    """Return all output of a command. Any event on the connection means that it was closed, and ends the command."""
    assert child.stdout is not None
    late, text = time.monotonic() + limit, b""
    with child.stdout as printed:
        while True:
            ready = select.select([printed.fileno(), line.fileno()], [], [], max(0.0, late - time.monotonic()))[0]
            if not ready or line.fileno() in ready:
                end(child)
                return text + b"ended by the demo\n"
            part = os.read(printed.fileno(), 65536)
            if not part:
                return text
            text += part


def end(child: subprocess.Popen[bytes]) -> None:
    """Terminate a command, and kill it if it does not end."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(PATIENCE)
            return


def take_terminal() -> None:
    """Make standard input the controlling terminal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


if __name__ == "__main__":
    play(int(sys.argv[1]))
