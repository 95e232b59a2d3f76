"""A program of an agent that wants to be somebody else: it sheds its ancestors, takes a terminal, types what is asked
for.

python attack_terminal.py [--detach] [--terminal] [--type TEXT]... [--pause ASKED GO] -- PROGRAM ARGUMENT...

`--detach` forks twice and lets the parent end; `--terminal` gives the program a pseudo-terminal of its own; each
`--type`
answers one question, and what nobody answers gets the end of input. `--pause` names two pipes: at the first question
`asked` is written to the one, and the answer waits until the other has been closed. The standard library only.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import subprocess
import sys
import termios

END_OF_INPUT = b"\x04"
QUESTION = b": "


def main() -> int:
    """Run the program as asked; its exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--detach", action="store_true")
    parser.add_argument("--terminal", action="store_true")
    parser.add_argument("--type", action="append", default=[])
    parser.add_argument("--pause", nargs=2, default=None)
    parser.add_argument("command", nargs="+")
    wanted = parser.parse_args()
    answers = [text.encode() + b"\n" for text in wanted.type]
    pause = tuple(wanted.pause) if wanted.pause else None
    if not wanted.detach:
        return _run(wanted.command, wanted.terminal, answers, pause)
    return _detached(wanted.command, wanted.terminal, answers)


def _detached(command: list[str], terminal: bool, answers: list[bytes]) -> int:
    """Fork twice; the grandchild begins when its parent is gone, so that nobody of ours is above it."""
    begin, said = os.pipe(), os.pipe()
    if (child := os.fork()) == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(begin[1])
            os.read(begin[0], 1)
            os.write(said[1], bytes([_run(command, terminal, answers, None)]))
        os._exit(0)
    os.waitpid(child, 0)
    os.close(said[1])
    os.write(begin[1], b"!")
    return os.read(said[0], 1)[0]


def _run(command: list[str], terminal: bool, answers: list[bytes], pause: tuple[str, str] | None) -> int:
    if not terminal:
        return subprocess.run(command, stdin=subprocess.DEVNULL, start_new_session=True, check=False).returncode
    master, slave = os.openpty()
    take = lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0) and None  # noqa: E731
    process = subprocess.Popen(command, stdin=slave, start_new_session=True, preexec_fn=take)
    os.close(slave)
    _type(master, answers, pause)
    return process.wait()


def _type(master: int, answers: list[bytes], pause: tuple[str, str] | None) -> None:
    """Answer every question on the screen, until the last one has closed the terminal."""
    screen = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:  # Linux: EIO when nobody has the terminal any more
            break
        screen += part
        if screen.endswith(QUESTION):
            screen = b""
            if pause:
                _wait(*pause)
                pause = None
            os.write(master, answers.pop(0) if answers else END_OF_INPUT)
    if pause:
        _say(pause[0], "never asked")


def _wait(asked: str, go: str) -> None:
    """Say that there is a question, and wait to be let go on."""
    _say(asked, "asked")
    with open(go) as pipe:
        pipe.read()


def _say(asked: str, word: str) -> None:
    with open(asked, "w") as pipe:
        pipe.write(word)


if __name__ == "__main__":
    sys.exit(main())
