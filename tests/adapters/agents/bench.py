"""Runs of agent programs without a runner: prepared, let go, followed to their end."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from foureyes.adapters.agents.live_run import LiveProgram
from foureyes.adapters.agents.programs import AgentPrograms
from foureyes.adapters.identity.alive import of
from foureyes.app.agent_ports import Launch
from foureyes.core.nouns.run import RunId, RunOutcome
from foureyes.core.rules.policy import Profile

PATIENCE = 60.0
"""Seconds after which a test gives up; none of them waits that long."""
TOKEN = "tok-of-the-run"


class Bench:
    """A folder for runs, a worktree, and programs to run in it."""

    def __init__(self, folder: Path, *, minute: float = 60.0) -> None:
        self.folder, self.work, self.home = folder / ".foureyes", folder / "work", folder / "person"
        for path in (self.folder, self.work, self.home):
            path.mkdir()
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "SECRET_OF_MINE": "s3cret",
            "LANG": "C.UTF-8",
        }
        self.agents = AgentPrograms(str(self.folder), self.environ, evidence=of, minute=minute)
        self._runs = 0

    def script(self, *steps: dict[str, Any], **play: Any) -> Profile:
        """A profile that plays these steps."""
        return self.plays({"steps": steps, **play})

    def plays(self, *plays: dict[str, Any], **more: Any) -> Profile:
        path = self.folder.parent / f"script-{len(list(self.folder.parent.iterdir()))}.json"
        path.write_text(json.dumps({"plays": plays, **more}))
        return Profile("scripted", args=(str(path),))

    def shell(self, code: str, **more: Any) -> Profile:
        """A profile that is a shell script."""
        return Profile("/bin/sh", adapter="text", args=("-c", code), **more)

    def python(self, code: str, **more: Any) -> Profile:
        return Profile(sys.executable, adapter="text", args=("-I", "-c", code), **more)

    def prepare(self, profile: Profile, *, prompt: str = "do it", name: str = "dev", **more: Any) -> LiveProgram:
        self._runs += 1
        launch = {
            "run": RunId(f"run-{os.getpid()}-{id(self)}-{self._runs}"), "profile_name": name, "profile": profile,
            "role": "implement", "purpose": "implement", "worktree": str(self.work), "prompt": prompt, "token": TOKEN,
            "task": "fe-1", **more,
        }  # fmt: skip
        return self.agents.prepare(Launch(**launch))

    def run(self, profile: Profile, **more: Any) -> RunOutcome:
        live = self.prepare(profile, **more)
        live.go()
        return finish(live)

    def git(self, *words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=self.work, env=self.environ, check=True, capture_output=True, text=True
        ).stdout

    @property
    def log(self) -> str:
        return (self.folder / "logs" / "fe-1.log").read_text()


def finish(live: LiveProgram) -> RunOutcome:
    """Follow a run to its end, as a runner does: wake when something can be read, or a limit is due."""
    end = time.monotonic() + PATIENCE
    while (outcome := live.poll()) is None:
        assert time.monotonic() < end, "the run does not end"
        select.select([live], [], [], min(live.due_seconds(), 1.0))
    return outcome


def wait_until(live: LiveProgram, path: Path) -> None:
    """Follow a run until its program has made a file."""
    end = time.monotonic() + PATIENCE
    while not path.exists():
        assert live.poll() is None and time.monotonic() < end, f"{path} is not there"  # noqa: PT018
        select.select([live], [], [], 0.05)


_FIFOS: dict[Path, int] = {}


def fifo(folder: Path, name: str = "alive") -> Path:
    """A fifo that shows whether a process lives: whoever opens it for writing holds it until it ends."""
    path = folder / name
    os.mkfifo(path)
    _FIFOS[path] = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    return path


def is_held(path: Path) -> bool:
    """Whether a living process has the fifo open."""
    try:
        return os.read(_FIFOS[path], 1) != b""
    except BlockingIOError:
        return True
