"""Who may close and approve, line by line, under strict: by commands of several agents and a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage.checkout import copied
from tests.stage.commands import Cast, Stage

WAYS = {
    "config set": ("config", "set", "review.policy", "strict"),
    "the alias": ("config", "set", "review_policy_mode", "strict"),
    "feature flag": ("config", "set", "balanced_review_policy", "false"),
}


@pytest.fixture(scope="module")
def strict_template(tmp_path_factory: pytest.TempPathFactory, template: Path, cast: Cast) -> Path:
    stage = Stage(copied(template, tmp_path_factory.mktemp("strict") / "shop"), cast)
    stage.done(cast.alice, *WAYS["config set"])
    return stage.repo


@pytest.fixture
def strict(tmp_path: Path, strict_template: Path, cast: Cast) -> Stage:
    return Stage(copied(strict_template, tmp_path / "strict"), cast)


def test_C1_the_creator_closes_what_nobody_implemented_refused_and_cancel_is_offered(strict: Stage) -> None:
    task = strict.create(strict.cast.claude)
    refused = strict.no(strict.cast.claude, "close", task, "-m", "not needed", rules=["C1"])
    assert f"fe cancel {task}" in refused.hints
    assert strict.status(task) == "open"


def test_C1_a_person_who_planned_it_cannot_close_what_nobody_implemented_either(strict: Stage) -> None:
    strict.no(strict.cast.alice, "close", strict.create(strict.cast.alice), rules=["C1"])


def test_C1_the_creator_closes_what_another_implemented_allowed_and_not_merged(strict: Stage) -> None:
    work = strict.in_review(strict.cast.claude, strict.cast.codex)
    assert strict.done(strict.cast.claude, "close", work.task)["status"] == "closed"
    assert [row["id"] for row in strict.lines(strict.cast.claude, "list", "--unmerged")] == [work.task]


def test_C1_the_creator_may_close_it_while_another_is_still_at_it(strict: Stage) -> None:
    task = strict.create(strict.cast.claude)
    strict.done(strict.cast.codex, "start", task)
    strict.no(strict.cast.gemini, "close", task, rules=["C1"])
    assert strict.done(strict.cast.claude, "close", task)["status"] == "closed"


def test_C1_the_implementer_closes_refused_in_progress_and_in_review(strict: Stage) -> None:
    task = strict.create(strict.cast.claude)
    strict.done(strict.cast.codex, "start", task)
    strict.no(strict.cast.codex, "close", task, rules=["C1"])
    strict.commit(f"fe/{task}", {"x.txt": "x\n"})
    strict.submit(strict.cast.codex, task)
    strict.no(strict.cast.codex, "close", task, "-m", "done", rules=["C1"])
    assert strict.status(task) == "reviewing"


def test_P2_a_session_that_unstarted_approves_or_closes_refused(strict: Stage) -> None:
    task = strict.create(strict.cast.claude)
    strict.done(strict.cast.gemini, "start", task)
    strict.done(strict.cast.gemini, "unstart", task)
    work = strict.submit_work(strict.cast.codex, task)
    strict.may_not_approve(strict.cast.gemini, work, "-m", "fine", rules=["P2"])
    strict.no(strict.cast.gemini, "close", task, rules=["C1"])
    assert task not in strict.reviewable(strict.cast.gemini)


@pytest.mark.parametrize("way", WAYS)
def test_P3_the_creator_approves_refused_with_or_without_a_reason_however_strict_was_set(
    stage: Stage, way: str
) -> None:
    stage.done(stage.cast.alice, *WAYS[way])
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    stage.may_not_approve(stage.cast.claude, work, rules=["P3"])
    stage.may_not_approve(stage.cast.claude, work, "-m", "I read all of it", rules=["P3"])
    assert stage.reviewable(stage.cast.claude) == {}
    assert stage.status(work.task) == "reviewing"


def test_P3_an_agent_that_the_creator_started_is_the_creator(strict: Stage) -> None:
    work = strict.in_review(strict.cast.claude, strict.cast.codex)
    strict.may_not_approve(strict.cast.helper, work, "-m", "fine", rules=["P3"])


def test_P3_a_person_who_created_it_is_refused_too(strict: Stage) -> None:
    work = strict.in_review(strict.cast.alice, strict.cast.codex)
    strict.may_not_approve(strict.cast.alice, work, "-m", "fine", rules=["P3"])


def test_P1_a_minor_task_is_self_approved_and_that_is_on_record(strict: Stage) -> None:
    work = strict.in_review(strict.cast.claude, strict.cast.codex, "--minor")
    done = strict.approve(strict.cast.codex, work)
    assert (done["rule"], done["exception"], done["status"]) == ("P1", True, "approved")
    (event,) = strict.lines(strict.cast.alice, "security")
    assert (event["kind"], event["task"], event["session"]) == ("minor", work.task, strict.session(strict.cast.codex))


def test_P10_a_minor_task_of_more_than_fifty_lines_is_not_minor(strict: Stage) -> None:
    work = strict.in_review(strict.cast.claude, strict.cast.codex, "--minor", lines=51)
    strict.may_not_approve(strict.cast.codex, work, rules=["P2"])


def test_P10_a_change_of_the_rules_themselves_is_never_minor(strict: Stage) -> None:
    task = strict.create(strict.cast.claude, "--minor")
    strict.done(strict.cast.codex, "start", task)
    strict.commit(f"fe/{task}", {"foureyes.toml": '[review]\npolicy = "trusted"\n'})
    strict.may_not_approve(strict.cast.codex, strict.submit(strict.cast.codex, task), rules=["P6"])


def test_P7_an_unrelated_session_approves_allowed_without_a_reason(strict: Stage) -> None:
    work = strict.in_review(strict.cast.claude, strict.cast.codex)
    done = strict.approve(strict.cast.gemini, work)
    assert (done["rule"], done["exception"], done["status"]) == ("P7", False, "approved")
    assert strict.lines(strict.cast.alice, "security") == []


def test_P5_who_approved_an_earlier_attempt_is_refused(strict: Stage) -> None:
    work = strict.in_review(strict.cast.claude, strict.cast.codex)
    strict.approve(strict.cast.gemini, work)
    strict.done(strict.cast.alice, "redo", work.task, "-m", "add a test")
    again = strict.submit_work(strict.cast.codex, work.task)
    strict.may_not_approve(strict.cast.gemini, again, "-m", "still fine", rules=["P5"])
    assert strict.approve(strict.cast.opencode, again)["rule"] == "P7"


def test_the_answer_is_one_list_of_all_reasons_D_before_P(strict: Stage) -> None:
    work = strict.in_review(strict.cast.claude, strict.cast.codex)
    strict.done(strict.cast.alice, "hold", work.task, "-m", "legal first")
    strict.commit(work.branch, {"late.txt": "late\n"})
    strict.no(strict.cast.codex, "approve", work.task, rules=["D3", "D4", "D7", "P2"])
