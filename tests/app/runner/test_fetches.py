"""What another machine submitted comes here beside everything else; its review waits for it and is not failed (Q6)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from foureyes.app.context import Context
from foureyes.app.runner.background_jobs import AtOnce, Done, Job
from foureyes.core.runner.steps import Wait
from foureyes.core.words.refs import attempt_ref

from tests.stage.clones import SERVER
from tests.stage.peers import ONE, Peers
from tests.stage.people import ALICE, CLAUDE
from tests.stage.scripted_git import ScriptedRemote


class Slow(AtOnce):
    """Brings nothing to its end before a test says so; everything at once after that."""

    at_work: dict[str, Job] | None

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.at_work = {}

    def start(self, key: str, job: Job) -> None:
        if self.at_work is None:
            super().start(key, job)
        else:
            self.at_work[key] = job

    def go(self) -> None:
        jobs, self.at_work = self.at_work or {}, None
        for key, job in jobs.items():
            super().start(key, job)

    def close(self) -> list[Done]:
        self.go()
        return super().close()


@pytest.fixture
def peers() -> Iterator[Peers]:
    peers = Peers()
    peers.store.place = SERVER
    yield peers
    peers.sound()
    peers.app.close()


@pytest.fixture
def remote(peers: Peers) -> ScriptedRemote:
    return peers.shared(ONE)


def made_elsewhere(peers: Peers, remote: ScriptedRemote) -> str:
    """A task that another machine submitted and pushed, and of which nothing is here."""
    here, peers.outside.here = peers.outside.here, "alpha:0123456789ab"
    task = peers.submitted_task(CLAUDE)
    peers.outside.here = here
    assert attempt_ref(task, 1) in remote.lines
    del peers.repo.branches[f"refs/heads/fe/{task}"]
    for ref in [ref for ref in peers.repo.refs if task in ref]:
        del peers.repo.refs[ref]
    peers.repo.here = "refs/heads/main"
    remote.asked.clear()
    return task


def test_the_review_of_what_another_machine_made_begins_once_it_is_here_Q6(
    peers: Peers, remote: ScriptedRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = made_elsewhere(peers, remote)
    monkeypatch.setattr("tests.stage.playground.AtOnce", Slow)
    runner = peers.runner(agents=3, until_idle=True)
    crew = runner._crew
    assert isinstance(crew, Slow)
    last = [runner.tick() for _ in range(5)][-1]
    assert f"fetch:{task}" in (crew.at_work or {})
    assert remote.asked == [], "nobody is asked within a tick"
    assert last is not None
    assert not getattr(last, "idle", True), "it waits for what is fetched"
    assert peers.runs_of(task) == []
    crew.go()
    peers.settle(runner)
    (run,) = peers.reviews_of(task)
    assert (run.ending, run.error) == ("finished", "none")
    assert f"attempt 1 of {task}: not in this clone, fetched from origin" in peers.lines(task)


def test_a_review_is_not_failed_by_a_remote_that_is_away_Q6(peers: Peers, remote: ScriptedRemote) -> None:
    task = made_elsewhere(peers, remote)
    remote.down = "no route to it"
    runner = peers.runner(agents=3, until_idle=True)
    while not any("cannot be fetched: origin cannot be asked" in line for line in peers.lines(task)):
        runner.tick()
    assert isinstance(runner.tick(), Wait), "it waits for the remote"
    assert peers.runs_of(task) == []
    assert peers.became() == {"codex": "asked"}
    remote.down = ""
    peers.settle(runner)
    (run,) = peers.reviews_of(task)
    assert (run.ending, peers.became()) == ("finished", {"codex": "answered"})


def test_work_begins_without_a_target_that_cannot_be_had_and_asks_for_it_once_Q6(
    peers: Peers, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def catch_up(_: Context, *, asks: bool = True) -> str:
        asked.append(asks)
        return "main of this clone lacks the latest merges: origin cannot be asked"

    monkeypatch.setattr("foureyes.app.runner.execution.catch_up", catch_up)
    monkeypatch.setattr("foureyes.app.work.worktrees.catch_up", catch_up)
    task = peers.create(ALICE)
    runner = peers.runner()
    runner.tick()
    assert peers.runs_of(task) == []
    peers.settle(runner)
    assert peers.status(task) == "reviewing"
    assert asked.count(True) == 1, "by the crew, and by nobody who starts a run"


def test_before_the_first_merge_a_run_begins_where_the_remote_has_the_target_and_waits_for_its_answer_Q6(
    peers: Peers, remote: ScriptedRemote
) -> None:
    there = remote.commit("refs/heads/main")
    remote.down = "no route to it"
    task = peers.create(ALICE)
    runner = peers.runner()
    for _ in range(5):
        runner.tick()
    assert (peers.runs_of(task), peers.status(task)) == ([], "open")
    assert any("only origin knows where main is" in line for line in peers.lines(task))
    remote.down = ""
    peers.clock.advance(minutes=2)
    peers.settle(runner)
    assert peers.show(task).task.start_target == there
