"""Attacks with a reviewer, or an author, of one's own making: what an agent spawns is never another reviewer
(I4).
"""

from __future__ import annotations

import pytest

from tests.scenarios.attack_moves import detached, holding, kinds, spawned, sub_agents_work
from tests.stage.commands import Stage


def test_I4_a_reviewer_that_the_author_spawned_is_the_author_also_after_session_new_P2(stage: Stage) -> None:
    codex = stage.cast.people.agent("codex")
    mine = stage.in_review(stage.cast.alice, codex)
    stage.may_not_approve(holding(codex, spawned(stage, codex, mine.task, "review")), mine, "-m", "fine", rules=["P2"])
    stage.done(codex, "session", "new")
    stage.may_not_approve(holding(codex, spawned(stage, codex, mine.task, "review")), mine, "-m", "fine", rules=["P2"])
    grandchild = spawned(stage, holding(codex, spawned(stage, codex, mine.task, "review")), mine.task, "review")
    stage.may_not_approve(holding(codex, grandchild), mine, "-m", "fine", rules=["P2"])


@pytest.mark.parametrize("policy", ["strict", "balanced", "delegated"])
def test_I4_two_spawned_siblings_judge_each_other_by_P3_at_best_and_the_exception_is_recorded(
    stage: Stage, policy: str
) -> None:
    lead = stage.cast.claude
    stage.done(stage.cast.alice, "config", "set", "review.policy", policy)
    work, _ = sub_agents_work(stage, lead)
    sibling = holding(lead, spawned(stage, lead, work.task, "review"))
    if policy == "strict":
        stage.may_not_approve(sibling, work, "-m", "fine", rules=["P3"])
    else:
        assert stage.approve(sibling, work, "-m", "fine")["exception"] is (policy == "balanced")
    assert kinds(stage) == (["creator_approval"] if policy == "balanced" else [])


def test_I4_a_lead_that_does_the_work_itself_with_a_token_it_spawned_is_its_delegator_P3_recorded(stage: Stage) -> None:
    """A puppet: nobody but the lead ever runs. docs/threat-model.md has it under "drop the token": worth what the lead
    may do.
    """
    work, token = sub_agents_work(stage, stage.cast.claude)
    stage.may_not_approve(holding(stage.cast.claude, token), work, "-m", "fine", rules=["I2"])
    stage.may_not_approve(stage.cast.claude, work, rules=["P3"])
    stage.approve(stage.cast.claude, work, "-m", "fine")
    assert kinds(stage) == ["creator_approval"]


def test_I3_a_lead_that_submits_or_answers_for_its_child_is_an_author(stage: Stage) -> None:
    lead, task = stage.cast.claude, stage.create(stage.cast.alice)
    spawned(stage, lead, task, "implement")
    stage.commit(f"fe/{task}", {f"{task}.txt": "x\n"})
    work = stage.submit(lead, task)
    stage.may_not_approve(lead, work, "-m", "fine", rules=["P2"])
    other, _ = sub_agents_work(stage, lead)
    finding = stage.done(stage.cast.codex, "finding", "add", other.task, f"{other.task}.txt:1", "-m", "an x")["id"]
    stage.done(lead, "finding", "answer", finding, "--fixed", "-m", "a y")
    stage.no(lead, "finding", "judge", finding, "--verified", "-m", "read it", rules=["L8"])


def test_I5_an_agent_behind_a_service_neither_approves_nor_rules(stage: Stage) -> None:
    codex, mine = stage.cast.codex, stage.in_review(stage.cast.alice, stage.cast.claude)
    stage.commit("codex", {"codex.txt": "x\n"})
    work = stage.submit(detached(codex), mine.task, "codex")
    answer = stage.may_not_approve(codex, work, "-m", "fine", rules=["P2"])
    assert "a person runs" in answer.text
    finding = stage.done(codex, "finding", "add", mine.task, "codex.txt:1", "-m", "an x")["id"]
    stage.done(detached(codex), "finding", "answer", finding, "--fixed", "-m", "a y")
    stage.no(codex, "finding", "judge", finding, "--verified", "-m", "read it", rules=["P2"])
    stage.done(codex, "label", "add", mine.task, "review:auto")
    assert stage.show(mine.task)["mode"] == "batch"
    assert kinds(stage) == []
