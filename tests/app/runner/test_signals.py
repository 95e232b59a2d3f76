"""What agents say (S1, S3): by a run's token, or by the claim; each reader has its own place."""

from __future__ import annotations

import pytest

from foureyes.core.runner.signals import Spoken
from foureyes.errors import BadInput, NotFound
from foureyes.ui.steps import steps_text

from tests.stage.people import ALICE, CLAUDE, CODEX
from tests.stage.playground import Playground
from tests.stage.playing import Play
from tests.stage.running import agent_of, bound, runner
from tests.stage.world import DeskWorld


def test_a_run_says_what_happened_and_two_readers_take_nothing_from_each_other_S3(desk: DeskWorld) -> None:
    run = bound(desk, runner(desk), desk.create())
    agent = agent_of(desk)
    desk.app.runs.emit(agent, "MILESTONE", "half  of it\nis there", payload='{"done": 1}')
    desk.app.runs.emit(agent, "request-review", "look at the parser")
    first = desk.app.runs.said()
    assert [(row.word, row.text, row.payload, row.run) for row in first] == [
        ("milestone", "half of it is there", '{"done": 1}', run.id),
        ("request_review", "look at the parser", "", run.id),
    ]
    assert desk.app.runs.said() == first
    desk.app.runs.signal(agent, "needs_review", message="not sure")
    assert [(row.what, row.word) for row in desk.app.runs.said(after=first[-1].seq)] == [("signal", "NEEDS_REVIEW")]
    assert desk.app.runs.of_task(run.task)[0].signal == "NEEDS_REVIEW"


@pytest.mark.parametrize("word", ["done!", "", "not done yet", "OK"])
def test_unknown_words_are_refused_with_the_list_S1_S3(desk: DeskWorld, word: str) -> None:
    desk.started(CLAUDE)
    with desk.refused(error=BadInput) as caught:
        desk.app.runs.signal(CLAUDE, word)
    assert "DONE, BLOCKED, NEEDS_REVIEW, FAILED" in caught[0].message
    with desk.refused(error=BadInput) as caught:
        desk.app.runs.emit(CLAUDE, word, "something")
    assert "milestone, blocker, request_review, progress, question" in caught[0].message


@pytest.mark.parametrize("payload", ["[1]", "no", '"text"', "{", '{"a": 1' + "1" * 30_000 + "}"])
def test_a_payload_is_a_json_object_S3(desk: DeskWorld, payload: str) -> None:
    desk.started(CLAUDE)
    with desk.refused(error=BadInput):
        desk.app.runs.emit(CLAUDE, "progress", "something", payload=payload)


@pytest.mark.parametrize("summary", ["", " \n", "x" * 501, "bell\x07"])
def test_a_summary_is_short_and_says_something_S3(desk: DeskWorld, summary: str) -> None:
    desk.started(CLAUDE)
    with desk.refused(error=BadInput):
        desk.app.runs.emit(CLAUDE, "progress", summary)


@pytest.mark.parametrize(("signal", "step"), [("DONE", "fe submit"), ("BLOCKED", "fe block"), ("FAILED", "fe unstart")])
def test_who_holds_the_claim_says_so_without_a_runner_and_is_told_what_comes_next_S1(
    desk: DeskWorld, signal: str, step: str
) -> None:
    task = desk.started(CLAUDE)
    done = desk.app.runs.signal(CLAUDE, signal, message="so it is")
    assert steps_text(done.next).startswith(f"{step} {task}")
    assert desk.task(task).status == "in_progress"


def test_nobody_speaks_for_another_S1(desk: DeskWorld) -> None:
    task = desk.started(CLAUDE)
    for actor in (CODEX, ALICE):
        with desk.refused("S1"):
            desk.app.runs.signal(actor, "DONE", task=task)
    with desk.refused(error=NotFound):
        desk.app.runs.signal(CODEX, "DONE")
    desk.started(CLAUDE)
    with desk.refused(error=NotFound):
        desk.app.runs.signal(CLAUDE, "DONE")


def test_a_token_speaks_of_its_own_task_and_a_reviewers_says_nothing_of_the_kind_I2(desk: DeskWorld) -> None:
    task, other = desk.create(), desk.create()
    bound(desk, runner(desk), task)
    with desk.refused("I2"):
        desk.app.runs.signal(agent_of(desk), "DONE", task=other)
    reviewer = desk.spawn(ALICE, task, "review")
    with desk.refused("I2"):
        desk.app.runs.emit(reviewer, "progress", "reading")


def test_what_a_run_says_in_its_stream_is_on_record_as_its_own_S3(ground: Playground) -> None:
    task = ground.create(ALICE)
    spoken = Spoken("milestone", "half of it", '{"files":3}')
    ground.plays = [Play(says=[spoken])]
    ground.settle(ground.runner(1, until_idle=True))
    (run,) = ground.runs_of(task)
    (said,) = [each for each in ground.app.runs.said() if each.what == "event"]
    assert (said.word, said.text, said.payload, said.run, said.session) == (
        "milestone", "half of it", '{"files":3}', run.id, run.session
    )  # fmt: skip
    assert "claude: milestone: half of it" in ground.lines(task)


def test_a_cycle_that_nobody_can_be_asked_in_keeps_no_runner_busy_V1(ground: Playground) -> None:
    task = ground.create(ALICE)
    ground.plays = [Play(says=[Spoken("milestone", "half of it")], lasts=60)]
    runner = ground.runner(1)
    ground.agents.missing = {"codex", "gemini", "qwen", "opencode", "claude-senior"}
    ground.ticks(runner, 40)
    told = [line for _, line in ground.said if line.startswith("c-")]
    assert len(told) == len(set(told)), told
    ground.plays = []
    ground.settle(runner)
    assert ground.status(task) in ("reviewing", "closed", "approved")
