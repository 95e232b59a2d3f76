"""A runner in the test's own process, and runs whose commands are this process: its parent stands for a reaper."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from foureyes.adapters.agents.run_folders import RunFiles
from foureyes.adapters.identity.alive import of
from foureyes.app.application import Application
from foureyes.bootstrap.init import create_project
from foureyes.bootstrap.places import repository
from foureyes.bootstrap.run_client import reach
from foureyes.bootstrap.run_server import RunDoors
from foureyes.bootstrap.wiring import open_project
from foureyes.core.nouns.run import Run
from foureyes.core.nouns.session import Actor

from tests.stage.checkout import Checkout
from tests.stage.people import ALICE


class Lodge(NamedTuple):
    """A run with a door."""

    run: Run
    directory: str
    environ: dict[str, str]


class House:
    """A project, a runner, and what its runs reach."""

    def __init__(self, checkout: Checkout, environ: Mapping[str, str] | None = None) -> None:
        self.root = str(Path(checkout.path).resolve())
        known = environ or {}
        create_project(self.root, known, ALICE, prefix="fe", target=None, commit=False)
        self.app: Application = open_project(self.root, known)
        self.runner: Actor = self.app.runs.begin(ALICE, agents=5).actor
        self.answers = RunDoors(repository(self.root), known)
        self.places = RunFiles(f"{self.root}/.foureyes")
        self._reached: list[Application] = []

    def run(self, process: str = "", worktree: str = "") -> Lodge:
        """A run that is bound below a process, this one's parent as a rule."""
        task = self.app.tasks.create(ALICE, "work").task
        run = self.app.runs.reserve(self.runner, task, profile="claude", purpose="implement")
        secret = f"fe-{run.id}"
        directory = self.places.open_run(run.id, token=secret, prompt="")
        self.answers.open(run.id, directory, secret, worktree or self.root)
        bound = self.app.runs.bind(
            self.runner, run.id, secret=secret, process=process or of(os.getppid()), program="claude"
        )
        return Lodge(bound, directory, {"FOUREYES_RUN_DIR": directory})

    def reach(self, lodge: Lodge, asserted: str = "", *, left: bool = False, **environ: str) -> Application:
        """The project, as a command of the run has it."""
        found = reach(self.root, lodge.environ | environ, asserted, has_left=lambda: left)
        self._reached.append(found)
        return found

    def exceptions(self) -> list[tuple[str, str]]:
        return [(row.kind, row.task) for row in self.app.audit.exceptions()]

    def close(self) -> None:
        for app in self._reached:
            app.close()
        self.answers.close()
        self.app.close()
