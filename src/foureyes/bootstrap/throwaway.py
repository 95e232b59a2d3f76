"""A project of its own in a place of its own, for who tries something out: nothing of it stays, and nothing of it comes
near anybody's repository or store.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from foureyes.adapters.checks.scratch import remove
from foureyes.adapters.folders import folder, replace
from foureyes.app.ports import TreeContent
from foureyes.bootstrap.creating import create_project
from foureyes.bootstrap.places import git, repository
from foureyes.bootstrap.wiring import open_project
from foureyes.config.settings import FILE
from foureyes.errors import EnvironmentProblem
from foureyes.steps import prose

if TYPE_CHECKING:
    from foureyes.adapters.git.repo import GitRepo
    from foureyes.app.application import Application
    from foureyes.core.nouns.session import Actor

PREFIX = "foureyes-throwaway-"
OLD = 7 * 24 * 3600.0
"""No calibration takes so long."""
OURS = "FOUREYES_"
GIT = ".git"


@contextmanager
def throwaway(
    environ: Mapping[str, str], starter: Actor, settings: str, files: TreeContent
) -> Iterator[ThrowawayProject]:
    """`Outside.throwaway`."""
    own = {name: value for name, value in environ.items() if not name.startswith(OURS)}
    sweep(tempfile.gettempdir())
    try:
        top = tempfile.mkdtemp(prefix=PREFIX)
    except OSError as problem:
        raise EnvironmentProblem(
            f"there is no place for a throwaway project: {problem.strerror}",
            next_step=prose("make room in the temporary directory"),
        ) from problem
    try:
        root = os.path.join(top, "project")
        _begin(root, own, starter, settings, files)
        app = open_project(root, own)
        try:
            app.policy.accept(starter, own=settings)
            yield ThrowawayProject(app, root, own, settings)
        finally:
            app.close()
    finally:
        remove(top)


def sweep(around: str) -> None:
    """Remove what those left that were killed long ago."""
    with suppress(OSError), os.scandir(around) as entries:
        for entry in entries:
            if not entry.name.startswith(PREFIX) or not entry.is_dir(follow_symlinks=False):
                continue
            about = entry.stat(follow_symlinks=False)
            if about.st_uid == os.geteuid() and time.time() - about.st_mtime > OLD:
                remove(entry.path)


def _begin(root: str, environ: Mapping[str, str], starter: Actor, settings: str, files: TreeContent) -> None:
    from foureyes.adapters.git.checkouts.anew import BRANCH, begin

    os.mkdir(root)
    write(root, files, settings)
    begin(root, "Begin")
    create_project(root, environ, starter, prefix="fe", target=BRANCH, commit=False)


def write(root: str, files: TreeContent, settings: str) -> None:
    """The files of a tree, with these settings in the place of whatever it has."""
    if callable(files):
        files(root)
    else:
        for name, text in files.items():
            _write(os.path.join(root, name), text)
    _write(os.path.join(root, FILE), settings)


def _write(path: str, text: str) -> None:
    around, name = os.path.split(path)
    with folder(around, make=True) as place:
        replace(place, name, text.encode(), 0o644, durable=False)


class ThrowawayProject:
    """One of them, as long as it is there."""

    def __init__(self, app: Application, root: str, environ: Mapping[str, str], settings: str) -> None:
        self._root = root
        self._environ = environ
        self._settings = settings
        self._place = repository(root)
        self.store = app.context.store
        self.outside = app.context.outside

    def repo(self) -> GitRepo:
        return git(self._place)

    def put(self, worktree: str, files: TreeContent) -> None:
        if not callable(files):
            write(worktree, files, self._settings)
            return
        beside = f"{self._root}.files"
        os.mkdir(beside)
        write(beside, files, self._settings)
        for name in os.listdir(worktree):
            if name != GIT:
                _remove(os.path.join(worktree, name))
        for name in os.listdir(beside):
            if name != GIT:
                os.rename(os.path.join(beside, name), os.path.join(worktree, name))
        _remove(beside)

    def review(self, starter: Actor, agents: int, tell: Callable[[str, str], None]) -> None:
        from foureyes.app.run.in_hand import Options
        from foureyes.bootstrap.running import Running

        options = Options(agents=agents, until_idle=True, reviews=True)
        Running(self._root, self._environ, options).run(tell, lambda _: None, starter=starter)


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        remove(path)
    else:
        os.unlink(path)
