"""Runners of two machines on one store and one remote, by real processes: one is killed, one sleeps past its lease and
wakes (J4, Q6).
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stage.commands import git
from tests.stage.machines import Machine, Team, team
from tests.stage.server import Server
from tests.stage.theatre import DONE, SETTINGS, is_alive, wait_for

SHORT = "lease:6"
TASKS = 3


class Pair:
    """Both machines; each run of theirs waits for a word."""

    def __init__(self, made: Team, folder: Path) -> None:
        self.team, self._folder = made, folder
        self.go = folder / "go"
        alice = made.alpha.cast.alice
        self.tasks = [made.alpha.create(alice, "--label", "review:auto") for _ in range(TASKS)]

    def begin(self, machine: Machine) -> tuple[int, str]:
        """A runner with one agent; its process and the task that it has, once it is at work."""
        before = self._at_work()
        runner = machine.run_in_background(SHORT)
        wait_for(lambda: len(self._at_work() - before) == 1)
        return runner, (self._at_work() - before).pop().partition(".")[0]

    def _at_work(self) -> set[str]:
        return {path.name for path in self._folder.glob("*.pid")}

    def agent(self, task: str) -> int:
        """The first process that had a task."""
        return int(next(self._folder.glob(f"{task}.*.pid")).read_text())

    def taken(self) -> list[str]:
        """Why runs were taken over."""
        return [json.loads(row["payload"])["why"] for row in self.team.rows() if row["kind"] == "RunTaken"]


@pytest.fixture
def pair(tmp_path: Path, server: Server) -> Iterator[Pair]:
    play = tmp_path / "play.json"
    tell = ["sh", "-c", f"echo $PPID > {tmp_path}/new.$PPID; mv {tmp_path}/new.$PPID {tmp_path}/{{task}}.$PPID.pid"]
    steps: list[dict[str, object]] = [
        {"write": "src/{task}.py", "text": "fine\n"},
        {"commit": "Write it", "fails": True},
        {"run": tell},
        {"until": str(tmp_path / "go")},
        DONE,
    ]
    play.write_text(json.dumps({"plays": [{"steps": steps}]}))
    with team(tmp_path, server.url, SETTINGS.replace("{play}", str(play))) as made:
        yield Pair(made, tmp_path)


def test_one_runner_is_killed_one_sleeps_past_its_lease_and_wakes_and_there_is_one_main_J4_Q6(pair: Pair) -> None:
    alpha, beta = pair.team.alpha, pair.team.beta
    first, mine = pair.begin(alpha)
    second, theirs = pair.begin(beta)
    agent, other = pair.agent(mine), pair.agent(theirs)
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: not is_alive(agent))
    wait_for(lambda: len(pair.taken()) == 1)
    os.kill(second, signal.SIGSTOP)
    pair.begin(alpha)
    wait_for(lambda: len(pair.taken()) == 2)
    assert pair.taken()[1].startswith("its lease ended")
    assert is_alive(other), "nobody ends a process of another machine"
    pair.go.touch()
    wait_for(lambda: pair.team.kinds().count("TaskMerged") == TASKS)
    os.kill(second, signal.SIGCONT)
    wait_for(lambda: not is_alive(other))  # who wakes ends its agents
    alpha.end()
    tip = git(pair.team.remote, "rev-parse", "main")
    more = beta.create(beta.cast.alice, "--label", "review:auto")
    wait_for(lambda: pair.team.kinds().count("TaskMerged") == TASKS + 1)
    beta.end()
    assert git(pair.team.remote, "rev-parse", "main^2^") == tip, "work begins on what the other machine merged"
    kinds = pair.team.kinds()
    assert (kinds.count("TaskMerged"), kinds.count("AttemptSubmitted")) == (TASKS + 1, TASKS + 1)
    pair.team.check_one_main([*pair.tasks, more])
