"""`fe run` with something done to it: `python runner_child.py before:bind fe-arguments…`, several joined by commas.

`before:STEP`, `after:STEP`: it is killed before anything of a step of STEPS happened, or once all of it has.
`lease:SECONDS`: its leases are that short. `minute:SECONDS`: a minute of silence is that short (V1). `blind`: it sees
no process of others, as if they were on another machine.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

CHILD = str(Path(__file__).resolve())
ROOT = Path(__file__).resolve().parents[2]
STEPS = {
    "begin": "foureyes.app.runner.runs.Runs.begin",
    "reserve": "foureyes.app.runner.runs.Runs.reserve",
    "worktree": "foureyes.app.runner.run_start.make_worktree",
    "prepare": "foureyes.adapters.agents.programs.AgentPrograms.prepare",
    "bind": "foureyes.app.runner.runs.Runs.bind",
    "go": "foureyes.adapters.agents.live_run.LiveProgram.go",
    "tidy": "foureyes.app.runner.execution.tidy",
    "commit": "foureyes.adapters.git.workshop.GitWorkshop.commit_all",
    "submit": "foureyes.app.runner.runs.Runs.submit_work",
    "end": "foureyes.app.runner.runs.Runs.end",
    "check": "foureyes.app.gate.checks.Checks.run",
    "lease a merge": "foureyes.app.gate.merger.Merges._lease",
    "move": "foureyes.adapters.git.workshop.GitWorkshop.move",
    "merge": "foureyes.app.gate.merger.Merges.process",
    "finish": "foureyes.app.runner.runs.Runs.finish",
}
"""From the first to the last; each happens once in a run of one task, or its first time counts."""


def main() -> None:
    """Do what is asked for, then be the command line."""
    asked, *args = sys.argv[1:]
    for each in asked.split(","):
        what, _, value = each.partition(":")
        if what == "lease":
            shorten(int(value))
        elif what == "minute":
            importlib.import_module("foureyes.app.runner.due_work").__dict__["MINUTE"] = float(value)
            importlib.import_module("foureyes.app.runner.loop").__dict__["REST_SECONDS"] = 0.5
        elif what == "blind":
            importlib.import_module("foureyes.adapters.identity.alive").__dict__["is_gone"] = lambda process: False
        else:
            wrap(STEPS[value], what)
    from foureyes.ui.cli.main import main as run

    sys.argv = ["fe", *args]
    run()


def shorten(seconds: int) -> None:
    """Leases of so many seconds, renewed several times; what was put off a little comes again soon, and what a runner
    that only sleeps has left is ended soon: its reaper does not end by itself.
    """
    importlib.import_module("foureyes.app.runner.leases").__dict__["LEASE_SECONDS"] = seconds
    importlib.import_module("foureyes.app.runner.loop").__dict__["RENEW_SECONDS"] = seconds / 5
    importlib.import_module("foureyes.app.runner.planner").__dict__["RENEW_SECONDS"] = seconds / 5
    importlib.import_module("foureyes.app.runner.execution").__dict__["AGAIN_SECONDS"] = min(seconds / 5, 5)
    importlib.import_module("foureyes.adapters.agents.programs").__dict__["PATIENCE"] = min(seconds / 5, 7)


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
