"""Two runners on one store, by real processes: one is killed, one sleeps past its lease and wakes (J4)."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.stage.commands import Cast, new_repository
from tests.stage.runner_child import CHILD
from tests.stage.shop import Shop
from tests.stage.theatre import DONE, SETTINGS, Theatre, is_alive, wait_for

TASKS = 2
SHORT = "lease:4"


class Pair:
    """Two runners, each with an agent at work that waits for a word."""

    def __init__(self, theatre: Theatre, folder: Path) -> None:
        self.theatre, self.shop = theatre, theatre.shop
        self._folder = folder
        self.go = folder / "go"
        self.pids: list[int] = []
        tell = ["sh", "-c", f"echo $PPID > {folder}/new.$PPID; mv {folder}/new.$PPID {folder}/{{task}}.pid"]
        steps: list[dict[str, object]] = [
            {"write": "src/{task}.py", "text": "fine\n"},
            {"commit": "Write it", "fails": True},  # another run finds it committed
            {"run": tell},
            {"until": str(self.go)},
            DONE,
        ]
        theatre.play({"plays": [{"steps": steps}]})
        self.tasks = [self.shop.create(self.shop.cast.alice, "--label", "review:auto") for _ in range(TASKS)]

    def begin(self, how: str) -> int:
        """A runner with one agent, in the background; once that is at work."""
        before = set(self._folder.glob("*.pid"))
        words = [sys.executable, CHILD, how, "run", "--agents", "1", "--detach", "--json"]
        begun = self.shop.cast.alice.run(words, cwd=self.shop.repo)
        assert begun.rc == 0, begun
        self.pids.append(json.loads(begun.out)["pid"])
        wait_for(lambda: len(set(self._folder.glob("*.pid")) - before) == 1)
        return self.pids[-1]

    def agents(self) -> dict[str, int]:
        return {path.stem: int(path.read_text()) for path in self._folder.glob("*.pid")}

    def kinds(self) -> list[str]:
        return self.theatre.kinds()

    def finish(self) -> None:
        """The agents may go on; until everything is merged."""
        self.go.touch()
        wait_for(lambda: self.kinds().count("TaskMerged") == TASKS)

    def end(self) -> None:
        for pid in self.pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
                os.kill(pid, signal.SIGTERM)
        wait_for(lambda: not any(map(is_alive, self.pids)))


@pytest.fixture
def pair(tmp_path: Path, stored: Cast) -> Iterator[Pair]:
    shop = Shop(new_repository(tmp_path / "shop"), stored)
    shop.done(stored.alice, "init")
    made = Pair(Theatre(shop, tmp_path, SETTINGS), tmp_path)
    yield made
    made.end()


def check(pair: Pair) -> None:
    """Nothing was lost, and nothing ran to a merge twice."""
    pair.end()
    assert {pair.shop.status(task) for task in pair.tasks} == {"closed"}
    kinds = pair.kinds()
    assert (kinds.count("TaskMerged"), kinds.count("AttemptSubmitted")) == (TASKS, TASKS)
    pair.theatre.check_nothing_left(pair.tasks)


def test_a_runner_that_slept_past_its_lease_ends_its_agents_and_nothing_is_merged_twice_J4(pair: Pair) -> None:
    first = pair.begin(SHORT)
    (mine,) = pair.agents()
    agent = pair.agents()[mine]
    os.kill(first, signal.SIGSTOP)
    pair.begin(SHORT)
    wait_for(lambda: "RunTaken" in pair.kinds())
    wait_for(lambda: not is_alive(agent))
    pair.go.touch()
    os.kill(first, signal.SIGCONT)
    pair.finish()
    check(pair)
