"""An agent that crashed or was restarted goes on with its claim, and nobody needs a person for it (T2, I3)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.stage.commands import Stage
from tests.stage.processes import FakeAgent


@pytest.fixture
def holder(stage: Stage) -> FakeAgent:
    """A claude that will end."""
    return stage.cast.people.agent("claude")


@pytest.fixture
def task(stage: Stage, holder: FakeAgent) -> str:
    """A task that a claude has begun in a worktree, with a commit that it has not submitted."""
    task = stage.create(stage.cast.alice)
    stage.session(holder)
    stage.done(holder, "start", task, "--worktree")
    commit(stage, task, "half.txt")
    return task


def commit(stage: Stage, task: str, name: str) -> None:
    """A new file, committed in the worktree."""
    (worktree(stage, task) / name).write_text("work\n")
    stage.git("add", ".", cwd=worktree(stage, task))
    stage.git("commit", "-q", "-m", name, cwd=worktree(stage, task))


def worktree(stage: Stage, task: str) -> Path:
    return stage.folder / "worktrees" / task


def restarted(stage: Stage, holder: FakeAgent, program: str = "claude") -> FakeAgent:
    """The process that has the claim ends, and another process of a program begins."""
    holder.close()
    return stage.cast.people.agent(program)


def test_T2_a_restarted_agent_submits_from_the_worktree_and_both_processes_are_authors(
    stage: Stage, holder: FakeAgent, task: str
) -> None:
    before = stage.session(holder)
    again = restarted(stage, holder)
    stage.done(again, "submit", task, cwd=worktree(stage, task))
    page = stage.show(task)
    assert (page["task"]["status"], page["task"]["implementer"]) == ("reviewing", stage.session(again))
    assert {before, stage.session(again)} <= set(page["authors"])
    lines = [json.dumps(row) for row in stage.lines(stage.cast.alice, "audit", "log", "--task", task)]
    assert any("its process has ended" in line for line in lines), lines
    seen = page["attempts"][-1]["seen"]
    stage.no(again, "approve", task, "--seen", seen, rules=["P2"])
    stage.verify()


def test_T2_a_restarted_agent_that_submits_work_in_review_is_an_author(
    stage: Stage, holder: FakeAgent, task: str
) -> None:
    stage.done(holder, "submit", task, cwd=worktree(stage, task))
    again = restarted(stage, holder)
    commit(stage, task, "more.txt")
    stage.done(again, "submit", task, cwd=worktree(stage, task))
    page = stage.show(task)
    assert stage.session(again) in page["authors"]
    stage.no(again, "approve", task, "--seen", page["attempts"][-1]["seen"], "-m", "fine", rules=["P2"])


def test_T2_a_restarted_agent_that_answers_in_review_is_an_author(stage: Stage, holder: FakeAgent, task: str) -> None:
    stage.done(holder, "submit", task, cwd=worktree(stage, task))
    finding = stage.done(stage.cast.codex, "finding", "add", task, "half.txt:1", "-m", "the file is empty")["id"]
    again = restarted(stage, holder)
    stage.done(again, "finding", "answer", finding, "--fixed", "-m", "it has a line now", cwd=worktree(stage, task))
    stage.no(again, "finding", "judge", finding, "--verified", "-m", "read it", rules=["L8"])
    seen = stage.show(task)["attempts"][-1]["seen"]
    assert "P2" in stage.run(again, "approve", task, "--seen", seen, "-m", "fine").err


def test_A1_I3_a_commit_for_another_names_both_agents_though_refused(
    stage: Stage, holder: FakeAgent, task: str
) -> None:
    stage.done(holder, "submit", task, cwd=worktree(stage, task))
    finding = stage.done(stage.cast.codex, "finding", "add", task, "half.txt:1", "-m", "empty", "--severity", "HIGH")
    again = restarted(stage, holder)
    (worktree(stage, task) / "more.txt").write_text("work\n")
    refused = stage.run(again, "submit", task, "--commit", "more", cwd=worktree(stage, task))
    assert (refused.rc, "nothing was changed" in refused.err, "more.txt" in refused.err) == (1, False, True)
    third = stage.cast.people.agent("claude")
    stage.done(third, "finding", "answer", finding["id"], "--fixed", "-m", "see more", cwd=worktree(stage, task))
    stage.done(third, "submit", task, cwd=worktree(stage, task))
    seen = stage.show(task)["attempts"][-1]["seen"]
    stage.no(again, "finding", "judge", finding["id"], "--verified", "-m", "read it", rules=["L8"])
    assert "P2" in stage.run(again, "approve", task, "--seen", seen, "-m", "fine").err


def test_T2_next_goes_on_with_the_claim_of_the_ended_process_before_other_work(
    stage: Stage, holder: FakeAgent, task: str
) -> None:
    urgent = stage.create(stage.cast.alice, "--priority", "0")
    again = restarted(stage, holder)
    said = stage.done(again, "next", "--worktree")
    assert (said["task"], Path(said["worktree"])) == (task, worktree(stage, task))
    assert stage.done(again, "next")["task"] == urgent, "once it has a claim, it is given new work"


def test_T2_start_names_it_and_goes_on(stage: Stage, holder: FakeAgent, task: str) -> None:
    again = restarted(stage, holder)
    said = stage.done(again, "start", task)
    assert (said["task"], said["changed"]) == (task, True)
    assert stage.show(task)["task"]["implementer"] == stage.session(again)
    assert stage.done(again, "start", task)["changed"] is False


def test_T2_who_has_a_claim_takes_over_only_in_that_worktree_or_with_that_conversation(
    stage: Stage, holder: FakeAgent, task: str
) -> None:
    talk = {"CLAUDE_CODE_SESSION_ID": "of-that-conversation"}
    stage.done(holder, "log", task, "half done", env=talk)
    again = restarted(stage, holder)
    stage.done(again, "start", stage.create(stage.cast.alice))
    assert stage.no(again, "start", task, rc=4).code == "lost_claim"
    stage.no(again, "submit", task, rules=["A1"])
    stage.done(again, "submit", task, "--branch", f"fe/{task}", env=talk)
    assert stage.show(task)["task"]["implementer"] == stage.session(again)


def test_T2_a_holder_that_runs_and_another_program_keep_the_claim_where_it_is(
    stage: Stage, holder: FakeAgent, task: str
) -> None:
    twin = stage.cast.people.agent("claude")
    for verb in (("start", task), ("submit", task)):
        refused = stage.run(twin, *verb, cwd=worktree(stage, task))
        assert refused.rc in (1, 4), refused
    other = restarted(stage, holder, "codex")
    for verb in (("start", task), ("submit", task)):
        refused = stage.run(other, *verb, cwd=worktree(stage, task))
        assert refused.rc in (1, 4), refused
    assert stage.show(task)["task"]["implementer"] == stage.session(holder)


def test_T2_work_in_review_is_submitted_again_and_a_claim_is_given_back(
    stage: Stage, holder: FakeAgent, task: str
) -> None:
    stage.done(holder, "submit", task, "--branch", f"fe/{task}")
    other = stage.create(stage.cast.alice)
    stage.done(holder, "start", other)
    again = restarted(stage, holder)
    commit(stage, task, "more.txt")
    assert stage.submit(again, task).attempt == 2
    stage.done(again, "unstart", other)
    assert stage.status(other) == "open"
