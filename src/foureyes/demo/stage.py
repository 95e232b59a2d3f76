"""A stage for the demo: a person that looks the same under an agent, in CI without a terminal and on a desk.

Foureyes tells who is calling from the processes above. So a player is a process of its own, detached from whatever
started the demo, with an empty environment; it runs what it is told over a socket. A person's commands each get a
pseudo-terminal. The lower half runs in the players, isolated.
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
"""Seconds for what is asked to end; what does not is killed."""


class CommandResult(NamedTuple):
    """How a command ended, and all it printed."""

    rc: int
    text: str


class Player:
    """Somebody who types commands."""

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
        """Run a program as this player, which goes on until it is waited for, or `close`."""
        request = {"argv": argv, "cwd": str(cwd), "env": self._env, "terminal": self.person, "limit": LIMIT}
        self._wire.write(json.dumps(request) + "\n")
        self._wire.flush()

    def wait(self) -> CommandResult:
        """Wait for the end of what was begun."""
        return CommandResult(*json.loads(self._wire.readline()))

    @property
    def has_answered(self) -> bool:
        """Whether what was begun has ended by itself."""
        return bool(select.select([self._socket], [], [], 0)[0])

    def close(self) -> str:
        """Cut the line, which ends the player and what it runs, and wait until both are gone. What was printed last."""
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
    """Detach by forking twice, then run commands until the line is cut."""
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
    """Run one command, with a terminal of its own or without one, and end it when the line is cut."""
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
    """All that a command prints. Nothing comes over the line while one runs but its end."""
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
    """Ask a command to end, and make it end."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(PATIENCE)
            return


def take_terminal() -> None:
    """Make the terminal that is the input the controlling one."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


if __name__ == "__main__":
    play(int(sys.argv[1]))
