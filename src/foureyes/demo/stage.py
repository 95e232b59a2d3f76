"""A stage for the demo: a person that looks the same under an agent, in CI without a terminal and on a desk.

Foureyes tells who is calling from the processes above. So a player is a process of its own, detached from whatever
started the demo, with an empty environment; it runs what it is told over a socket. A person's commands each get a
pseudo-terminal. The lower half runs in the players, isolated.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import socket
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any, NamedTuple

SOURCE = Path(__file__).resolve().parents[2]
LIMIT = 600.0


class Answer(NamedTuple):
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

    def run(self, argv: list[str], cwd: Path) -> Answer:
        """Run a program as this player and wait for its end."""
        request = {"argv": argv, "cwd": str(cwd), "env": self._env, "terminal": self.person, "limit": LIMIT}
        self._wire.write(json.dumps(request) + "\n")
        self._wire.flush()
        return Answer(*json.loads(self._wire.readline()))

    def close(self) -> None:
        """Let the player end: it does when the line is cut."""
        self._wire.close()
        self._socket.close()


# ---------------------------------------------------------------------------------------- inside a player's process


def play(number: int) -> None:
    """Detach by forking twice, then run commands until the line is cut."""
    if second := os.fork():
        os.waitpid(second, 0)
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    with socket.socket(fileno=number).makefile("rw", encoding="utf-8") as wire:
        for line in wire:
            wire.write(json.dumps(perform(**json.loads(line))) + "\n")
            wire.flush()


def perform(argv: list[str], cwd: str, env: dict[str, str], terminal: bool, limit: float) -> list[Any]:
    """Run one command, with a terminal of its own or without one."""
    master, slave = os.openpty() if terminal else (-1, -1)
    try:
        done = subprocess.run(
            argv,
            cwd=cwd,
            env=env,
            stdin=slave if terminal else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=take_terminal if terminal else None,
            timeout=limit,
            check=False,
        )
        return [done.returncode, done.stdout.decode("utf-8", "replace")]
    except (OSError, subprocess.TimeoutExpired) as problem:
        return [127, f"{problem}\n"]
    finally:
        if terminal:
            os.close(master)
            os.close(slave)


def take_terminal() -> None:
    """Make the terminal that is the input the controlling one."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


if __name__ == "__main__":
    play(int(sys.argv[1]))
