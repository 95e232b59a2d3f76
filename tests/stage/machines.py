"""Two machines of a team, by real processes: a clone on each, one bare remote, one store on a server.

Each has its people, agents and HOMEs; as root each has a host name of its own. Both see the processes of the other, as
no two machines do: a runner that must not is started `blind` (`runner_child.py`).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path

from tests import engines
from tests.stage.commands import Cast, git, new_repository
from tests.stage.processes import People
from tests.stage.runner_child import CHILD
from tests.stage.shop import Shop
from tests.stage.theatre import is_alive, wait_for

REMOTE = '\n[git]\nremote = "origin"\n'


class Machine(Shop):
    """A clone on a machine, and who works there."""

    def __init__(self, repo: Path, cast: Cast, remote: Path) -> None:
        super().__init__(repo, cast)
        self.remote = remote
        self.runners: list[int] = []

    def run_in_background(self, how: str, agents: int = 1) -> int:
        """A runner of this machine that sees nothing of the other one's processes."""
        words = [sys.executable, CHILD, f"blind,{how}", "run", "--agents", str(agents), "--detach", "--json"]
        begun = self.cast.alice.run(words, cwd=self.repo)
        assert begun.rc == 0, begun
        self.runners.append(int(json.loads(begun.out)["pid"]))
        return self.runners[-1]

    def end(self) -> None:
        """End the runners of this machine."""
        for pid in self.runners:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
                os.kill(pid, signal.SIGTERM)
        wait_for(lambda: not any(map(is_alive, self.runners)))

    def log(self) -> str:
        """What its runners told."""
        path = self.repo / ".foureyes/logs/runner.log"
        return path.read_text() if path.exists() else ""


class Team:
    """Both machines, and the remote between them."""

    def __init__(self, alpha: Machine, beta: Machine) -> None:
        self.alpha, self.beta, self.remote = alpha, beta, alpha.remote

    def push(self) -> None:
        """What was set up on alpha by hand."""
        git(self.alpha.repo, "push", "-q", "origin", "main")

    def merged(self) -> list[str]:
        """The tasks that the remote's target has, each as often as it was merged."""
        return sorted(git(self.remote, "log", "--merges", "--format=%(trailers:key=Task,valueonly)", "main").split())

    def rows(self) -> list[dict[str, str]]:
        """The journal."""
        return self.beta.lines(self.beta.cast.alice, "audit", "export")

    def kinds(self) -> list[str]:
        return [row["kind"] for row in self.rows()]

    def check_one_main(self, tasks: list[str]) -> None:
        """What was planned is on the remote's target once, both clones follow it, and the journal is whole."""
        assert self.merged() == sorted(tasks)
        for machine in (self.alpha, self.beta):
            assert machine.merge(machine.cast.alice) == {}
            assert machine.tip() == git(self.remote, "rev-parse", "main")
            assert machine.verify()


@cache
def has_hosts() -> bool:
    """Whether a process can have a host name of its own here."""
    done = subprocess.run(["unshare", "--uts", "hostname", "elsewhere"], capture_output=True, check=False)
    return done.returncode == 0


def machine(folder: Path, name: str, url: str, stack: ExitStack) -> Cast:
    """Who is at a machine."""
    people = People(folder / f"people-{name}", env={"FOUREYES_STORE": url}, host=name if has_hosts() else "")
    return Cast(stack.enter_context(people))


@contextmanager
def team(folder: Path, url: str, settings: str = "") -> Iterator[Team]:
    """A project that began on alpha, is pushed, and was joined on beta."""
    remote, there = folder / "remote.git", folder / "beta"
    with ExitStack() as stack:
        alpha = Machine(new_repository(folder / "alpha"), machine(folder, "alpha", url, stack), remote)
        project = alpha.done(alpha.cast.alice, "init")["project"]
        engines.Run.projects.append(project)
        git(folder, "clone", "-q", "--bare", str(alpha.repo), str(remote))
        git(alpha.repo, "remote", "add", "origin", str(remote))
        alpha.configure(REMOTE + settings)
        git(alpha.repo, "push", "-q", "origin", "main")
        beta = Machine(cloned(remote, there), machine(folder, "beta", url, stack), remote)
        joined = beta.run(beta.cast.alice, "store", "join", url)
        assert joined.rc == 0, joined
        made = Team(alpha, beta)
        stack.callback(alpha.end)
        stack.callback(beta.end)
        yield made


def cloned(remote: Path, path: Path) -> Path:
    """A clone, and who commits there."""
    git(path.parent, "clone", "-q", str(remote), str(path))
    for key, value in (("user.name", "Dev"), ("user.email", "dev@example.org"), ("gc.auto", "0")):
        git(path, "config", key, value)
    return path
