"""What many tests do first is done once: the project that the same words lead to is kept, and copied the next time.

A word of a stage (`create`, `submit_work`, …) that is said in a project of which everything is known, as it was copied or
as other such words left it, need not run again: what it left is put in place, and its answer is given once more. What
else happens to a project (a command, git, a file that is written) is seen by its files; from then on everything runs.

At night nothing is recalled: every word of every test runs. And nothing that was done more than AGE seconds ago: what
depends on the clock (an age that is shown, a lease) is as it would be on a machine that is a little slower.
"""

from __future__ import annotations

import copy
import functools
import itertools
import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar, cast

from tests.stage import night, scratch
from tests.stage.copies import copy_tree

W = TypeVar("W", bound=Callable[..., Any])
Look = frozenset[tuple[str, int, int]]
AGE = 40.0
COUNT = itertools.count()


class Place(Protocol):
    """A stage with one project; `state` is all that it remembers itself."""

    @property
    def repo(self) -> Path: ...

    def state(self) -> Any: ...

    def resume(self, state: Any) -> None: ...

    def let_go(self) -> None: ...


class Known(NamedTuple):
    """How a project came to be what it is: a template, and the words since."""

    way: tuple[Any, ...]
    seen: Look
    since: float


class Kept(NamedTuple):
    """What a word left, and what it answered."""

    folder: Path
    state: Any
    answer: Any
    since: float

    @property
    def is_fresh(self) -> bool:
        return time.monotonic() - self.since < AGE


class Memory:
    """Of one test process."""

    known: dict[Path, Known] = {}  # noqa: RUF012 - one for the process is meant
    kept: dict[tuple[Any, ...], Kept] = {}  # noqa: RUF012
    is_used = not night.NIGHT


def begin(project: Path, template: Path) -> None:
    """A project was copied from a template that nobody changes."""
    if Memory.is_used:
        Memory.known[project] = Known((str(template),), look(project), time.monotonic())


def forget(project: Path) -> None:
    """Everything runs there from now on."""
    Memory.known.pop(project, None)


def look(folder: Path) -> Look:
    """What every change of a file or a folder changes."""
    found, waiting = [], [str(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                seen = entry.stat(follow_symlinks=False)
                found.append((entry.path, seen.st_ino, seen.st_ctime_ns))
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return frozenset(found)


def recalled(word: W) -> W:
    """A word of a stage: what it leaves, and what it says, depend on the project and its arguments only."""

    @functools.wraps(word)
    def said(stage: Place, /, *args: Any, **options: Any) -> Any:
        known = Memory.known.get(stage.repo)
        if known is None or known.seen != look(stage.repo):
            return word(stage, *args, **options)
        way = (*known.way, word.__qualname__, plain((args, options, stage.state())))
        kept = Memory.kept.get(way)
        if kept is None or not kept.is_fresh:
            answer, since = word(stage, *args, **options), known.since
            stage.let_go()
            keep(stage, way, answer, since)
        else:
            answer, since = copy.deepcopy(kept.answer), kept.since
            replace(stage.repo, kept.folder)
            stage.resume(kept.state)
        Memory.known[stage.repo] = Known(way, look(stage.repo), since)
        return answer

    return cast("W", said)


def plain(value: object) -> Any:
    """The same for equal values; people are who they are, with what lies in their homes."""
    if isinstance(value, Mapping):
        return tuple((name, plain(each)) for name, each in value.items())
    if isinstance(value, list | tuple):
        return tuple(plain(each) for each in value)
    home = getattr(value, "home", None)
    return (value, look(home)) if isinstance(home, Path) else value


def keep(stage: Place, way: tuple[Any, ...], answer: object, since: float) -> None:
    """For the next one; a project that knows where it lies, or that somebody has open, cannot be copied."""
    repo = stage.repo
    if (repo / ".git" / "worktrees").exists() or (repo / ".foureyes" / "store.db-wal").exists():
        return
    if way in Memory.kept:
        shutil.rmtree(Memory.kept.pop(way).folder)
    folder = scratch.Run.folder / f"recalled-{os.getpid()}" / str(next(COUNT))
    copy_tree(repo, folder)
    Memory.kept[way] = Kept(folder, stage.state(), copy.deepcopy(answer), since)


def replace(project: Path, folder: Path) -> None:
    """Other files in place of those of a project."""
    shutil.rmtree(project)
    copy_tree(folder, project)
