"""What somebody may put into the place of a file: each by its name in a sentence."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ODD = ("a named pipe", "a link", "a link to a device", "a link to nothing", "a directory", "a socket")
"""What is no file of its own."""
HUGE = 1 << 40


def put_odd(path: Path, kind: str) -> None:
    """Put something odd where nothing is."""
    match kind:
        case "a named pipe":
            os.mkfifo(path)
        case "a link":
            victim = path.with_name(f"{path.name}.victim")
            victim.write_text("somebody's\n")
            path.symlink_to(victim)
        case "a link to a device":
            path.symlink_to("/dev/zero")
        case "a link to nothing":
            path.symlink_to("/nowhere/at/all")
        case "a directory":
            path.mkdir()
            (path / "somebody's").write_text("somebody's\n")
        case "a socket":
            _socket(path)
        case "a huge file":
            path.touch()
            os.truncate(path, HUGE)
        case "garbage":
            path.write_bytes(b"\xff\0 garbage \n" * 100)
        case _:
            raise AssertionError(kind)


def _socket(path: Path) -> None:
    """A socket's address is short, so it is bound where one stands."""
    with socket.socket(socket.AF_UNIX) as bound:
        before = os.getcwd()
        os.chdir(path.parent)
        try:
            bound.bind(path.name)
        finally:
            os.chdir(before)


@contextmanager
def in_place_of(path: Path, kind: str) -> Iterator[Path]:
    """Something odd for a while; afterwards everything is as it was, also what was set aside."""
    before, kept = set(os.listdir(path.parent)), path.with_name(f"{path.name}.kept")
    if os.path.lexists(path):
        path.rename(kept)
    put_odd(path, kind)
    try:
        yield path
        victim = path.with_name(f"{path.name}.victim")
        assert not victim.exists() or victim.read_text() == "somebody's\n", f"{path} was followed"
    finally:
        for name in set(os.listdir(path.parent)) - before | ({path.name} if path.name not in before else set()):
            if name != kept.name:
                remove(path.with_name(name))
        if kept.exists():
            remove(path)
            kept.rename(path)


def remove(path: Path) -> None:
    """Whatever it is."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


DEEP = 1200
"""More folders in each other than Python calls a function from itself."""


@contextmanager
def deep(top: Path, file: str = "") -> Iterator[str]:
    """So many folders in each other below one, with a file in the last; gone afterwards, as nobody else would."""
    path = f"{top}" + "/a" * DEEP
    try:
        subprocess.run(["mkdir", "-p", path], check=True)
        if file:
            (Path(path) / file).touch()
        yield path
    finally:
        subprocess.run(["rm", "-rf", f"{top}/a"], check=True)
