"""An agent hears of its own unfinished work before it is given new work (T4, L6, D5)."""

from __future__ import annotations

import pytest

from tests.stage.commands import Stage, SubmissionTime
from tests.stage.processes import FakeAgent
from tests.stage.shop import Shop


@pytest.fixture
def work(stage: Stage) -> SubmissionTime:
    return stage.in_review(stage.cast.alice, stage.cast.claude)


def bare(stage: Stage, who: FakeAgent) -> list[str]:
    """What `fe` alone says to an agent before the primer."""
    said = stage.run(who)
    before, primer, _ = said.out.partition("Foureyes:")
    assert (said.rc, primer) == (0, "Foureyes:"), said
    head, *lines = before.splitlines() or [""]
    assert head == ("YOUR OWN WORK FIRST" if lines else "")
    return [line.strip() for line in lines]


def test_T4_work_that_was_sent_back_comes_before_new_work(stage: Stage, work: SubmissionTime) -> None:
    claude, codex = stage.cast.claude, stage.cast.codex
    assert bare(stage, claude) == []
    stage.done(stage.cast.alice, "redo", work.task, "-m", "say why")
    stage.create(stage.cast.alice, "--priority", "0")
    line = f"{work.task} was sent back to you: fe start {work.task}, then fe show {work.task} --context"
    assert bare(stage, claude)[:1] == [line]
    assert bare(stage, codex) == []
    assert stage.done(claude, "next")["task"] == work.task
    assert bare(stage, claude) == []


def test_L6_a_finding_to_answer_is_named_before_new_work(stage: Stage, work: SubmissionTime) -> None:
    claude = stage.cast.claude
    stage.done(stage.cast.codex, "finding", "add", work.task, f"{work.task}.txt:1", "-m", "It fails")
    urgent = stage.create(stage.cast.alice, "--priority", "0")
    line = f"{work.task} has 1 finding for you to answer: fe finding list {work.task} --open"
    assert bare(stage, claude)[:1] == [line]
    given = stage.done(claude, "next")
    assert (given["task"], given["notes"][0]) == (urgent, line)
    assert line in stage.no(claude, "next", rc=3).message


def test_D5_red_checks_are_named_to_the_author_also_to_the_next_process(stage: Stage) -> None:
    shop, alice = Shop(stage.repo, stage.cast), stage.cast.alice
    shop.configure('\n[[checks]]\nname = "tests"\nrun = "test ! -e src/bad.py || kill -9 $$"\n')
    claude = stage.cast.people.agent("claude")
    task = shop.deliver(claude, shop.create(alice), {"src/bad.py": "x\n"}).task
    shop.checked(stage.cast.job, task, rc=6)
    line = f"{task} is in review, but a required check did not pass (tests crashed): fe check show {task}"
    assert bare(stage, claude)[:1] == [line]
    assert bare(stage, stage.cast.codex) == []
    claude.close()
    assert bare(stage, stage.cast.people.agent("claude"))[:1] == [line]
