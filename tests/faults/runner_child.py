"""`fe run` that is killed at a step of its own: `python runner_child.py before:bind fe-arguments…`; with `-` it is not.

A step is a word of STEPS, and `before` or `after` says when: before anything of it happened, or once all of it has.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
STEPS = {
    "begin": "foureyes.app.run.runs.Runs.begin",
    "reserve": "foureyes.app.run.runs.Runs.reserve",
    "worktree": "foureyes.app.run.starting.make_worktree",
    "prepare": "foureyes.adapters.agents.programs.AgentPrograms.prepare",
    "bind": "foureyes.app.run.runs.Runs.bind",
    "go": "foureyes.adapters.agents.live.LiveProgram.go",
    "tidy": "foureyes.app.run.performing.tidy",
    "commit": "foureyes.adapters.git.workshop.GitWorkshop.commit_all",
    "hand in": "foureyes.app.run.runs.Runs.hand_in",
    "end": "foureyes.app.run.runs.Runs.end",
    "check": "foureyes.app.gate.checks.Checks.run",
    "lease a merge": "foureyes.app.gate.merging.Merges._lease",
    "move": "foureyes.adapters.git.workshop.GitWorkshop.move",
    "merge": "foureyes.app.gate.merging.Merges.process",
    "finish": "foureyes.app.run.runs.Runs.finish",
}
"""From the first to the last; each happens once in a run of one task, or its first time counts."""


def main() -> None:
    """Wrap the step, then be the command line."""
    at, *args = sys.argv[1:]
    if at != "-":
        when, _, word = at.partition(":")
        wrap(STEPS[word], when)
    from foureyes.ui.cli.main import main as run

    sys.argv = ["fe", *args]
    run()


def wrap(name: str, when: str) -> None:
    """Let the process die before or after a function is called."""
    owner, _, last = name.rpartition(".")
    place = found(owner)
    original: Callable[..., Any] = getattr(place, last)

    def wrapped(*args: Any, **options: Any) -> Any:
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        done = original(*args, **options)
        os.kill(os.getpid(), signal.SIGKILL)
        return done

    setattr(place, last, wrapped)


def found(name: str) -> Any:
    """A module, or a class in one."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        owner, _, last = name.rpartition(".")
        return getattr(importlib.import_module(owner), last)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
