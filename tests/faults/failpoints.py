"""Failpoints: before each statement and each outside step of a command a process can kill itself. Installed in forked
children only.

Nothing of the product is changed: the children's own drivers, os functions and starter of programs are wrapped.
"""

from __future__ import annotations

import builtins
import fcntl
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import apsw
import psycopg

from foureyes.adapters import process
from foureyes.adapters.checks import pipeline

CALLS = ("pwrite", "fsync", "replace", "rename", "ftruncate", "open", "remove", "unlink", "mkdir", "rmdir", "link")
WRITING = frozenset("wax+")


class Failpoints:
    """Counts steps and ends the process before step `at`. With 0 it only counts."""

    def __init__(self, at: int = 0) -> None:
        self.at = at
        self.steps: list[str] = []
        self._quiet = 0

    def step(self, name: str) -> None:
        """One is about to happen."""
        if self._quiet == 0:
            self.steps.append(name)
            if len(self.steps) == self.at:
                die()

    @contextmanager
    def one(self, name: str) -> Iterator[None]:
        """A step whose own parts are not counted."""
        self.step(name)
        self._quiet += 1
        try:
            yield
        finally:
            self._quiet -= 1

    def torn(self, name: str, data: Any, write: Callable[[Any], object]) -> None:
        """A write that a crash cuts in the middle."""
        if self._quiet == 0 and len(self.steps) + 1 == self.at:
            write(data[: len(data) // 2])
        self.step(f"{name} (torn)")


def die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    signal.pause()
    raise AssertionError("alive")


def install(points: Failpoints) -> Failpoints:
    """Wrap everything in this process that touches the outside."""
    _sqlite(points)
    _postgres(points)
    _system(points)
    _files(points)
    _programs(points)
    return points


def _sqlite(points: Failpoints) -> None:
    class Connection(apsw.Connection):
        def execute(self, *args: Any, **options: Any) -> Any:
            with points.one(f"sqlite: {first_words(args[0])}"):
                return super().execute(*args, **options)

        def pragma(self, *args: Any, **options: Any) -> Any:
            with points.one(f"sqlite: pragma {args[0]}"):
                return super().pragma(*args, **options)

        def backup(self, *args: Any) -> Any:
            points.step("sqlite: backup")
            return super().backup(*args)

        def close(self, *args: Any) -> None:
            with points.one("sqlite: close"):
                super().close(*args)

    setattr(apsw, "Connection", Connection)  # noqa: B010


def _postgres(points: Failpoints) -> None:
    connection, cursor = psycopg.Connection, psycopg.ServerCursor
    for owner, name in ((psycopg, "connect"), (connection, "execute"), (connection, "close"), (cursor, "execute")):
        setattr(owner, name, _counted(points, f"postgres: {name}", getattr(owner, name)))


def _system(points: Failpoints) -> None:
    for name in CALLS:
        setattr(os, name, _counted(points, f"os.{name}", getattr(os, name)))
    setattr(fcntl, "flock", _counted(points, "flock", fcntl.flock))  # noqa: B010
    write = os.write

    def torn_write(fd: int, data: bytes) -> int:
        points.step("os.write")
        points.torn("os.write", data, lambda part: write(fd, part))
        return write(fd, data)

    setattr(os, "write", torn_write)  # noqa: B010


def _counted(points: Failpoints, name: str, original: Any) -> Any:
    def counted(*args: Any, **options: Any) -> Any:
        said = next((first_words(arg) for arg in args if isinstance(arg, str)), "")
        with points.one(f"{name} {said}"):
            return original(*args, **options)

    return counted


def _files(points: Failpoints) -> None:
    """Files written through Python's own objects: opening, writing, and what is written half."""
    original = builtins.open

    class Written:
        def __init__(self, file: Any, name: str) -> None:
            self._file = file
            self._name = f"file.write {name}"

        def write(self, data: Any) -> int:
            points.step(self._name)
            points.torn(self._name, data, lambda part: (self._file.write(part), self._file.flush()))
            return int(self._file.write(data))

        def __enter__(self) -> Written:
            return self

        def __exit__(self, *_: object) -> None:
            self._file.close()

        def __getattr__(self, name: str) -> Any:
            return getattr(self._file, name)

    def opening(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        if not WRITING & set(mode):
            return original(file, mode, *args, **options)
        name = os.path.basename(str(file))
        points.step(f"open {mode} {name}")
        return Written(original(file, mode, *args, **options), name)

    setattr(builtins, "open", opening)  # noqa: B010


def _programs(points: Failpoints) -> None:
    original = process.run

    def run(argv: Any, **options: Any) -> Any:
        words = [part for part in argv[1:] if not part.startswith("-") and "=" not in part]
        with points.one(f"{argv[0]} {' '.join(words[: 2 if words[:1] == ['worktree'] else 1])}"):
            return original(argv, **options)

    setattr(process, "run", run)  # noqa: B010
    setattr(pipeline, "supervise", _counted(points, "check", process.supervise))  # noqa: B010
    setattr(shutil, "rmtree", _counted(points, "rmtree", shutil.rmtree))  # noqa: B010


def first_words(statement: str) -> str:
    return " ".join(statement.split()[:3])
