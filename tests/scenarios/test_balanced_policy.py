"""Every rule under balanced, the audit of exceptions (P8), and the rollback (P12)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.stage.commands import Stage, SubmissionTime

FLAG = "balanced_review_policy"
OURS, TDS = f"FOUREYES_FEATURE_{FLAG.upper()}", f"TD_FEATURE_{FLAG.upper()}"


def audited(stage: Stage, work: SubmissionTime) -> list[Any]:
    """The exceptions on record, which four places must agree about (P8)."""
    listed = stage.lines(stage.cast.alice, "security")
    assert stage.lines(stage.cast.claude, "audit", "exceptions") == listed
    mirror = stage.folder / "security_events.jsonl"
    lines = [json.loads(line) for line in mirror.read_text().splitlines()] if mirror.exists() else []
    assert [line["seq"] for line in lines] == [row["seq"] for row in reversed(listed)]
    logged = [entry for entry in stage.show(work.task)["logs"] if entry["type"] == "security"]
    assert len(logged) == len(listed)
    for entry, row in zip(logged, reversed(listed), strict=True):
        assert (entry["seq"], entry["session"]) == (row["seq"], row["session"])
        assert row["kind"] in entry["text"]
        assert row["reason"] in entry["text"]
    return listed


def test_the_implementer_is_blocked_and_so_is_who_ever_started_or_unstarted(stage: Stage) -> None:
    cast = stage.cast
    task = stage.create(cast.claude)
    stage.done(cast.gemini, "start", task)
    stage.done(cast.gemini, "unstart", task)
    work = stage.submit_work(cast.codex, task)
    stage.may_not_approve(cast.codex, work, "-m", "fine", rules=["P2"])
    stage.may_not_approve(cast.gemini, work, "-m", "fine", rules=["P2"])
    assert stage.reviewable(cast.codex) == stage.reviewable(cast.gemini) == {}
    assert stage.lines(cast.alice, "security") == []


def test_the_creator_approves_with_a_reason_and_four_places_say_so(stage: Stage) -> None:
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    assert stage.reviewable(stage.cast.claude)[work.task]["needs_reason"] is True
    refused = stage.may_not_approve(stage.cast.claude, work, rules=["P3"])
    assert any(hint.startswith(f"fe approve {work.task} --seen {work.seen} -m") for hint in refused.hints)
    stage.may_not_approve(stage.cast.claude, work, "--reason", " \t ", rules=["P3"])
    assert audited(stage, work) == []
    done = stage.approve(stage.cast.claude, work, "-m", "read it, ran it")
    assert (done["rule"], done["exception"], done["status"]) == ("P3", True, "approved")
    (row,) = audited(stage, work)
    assert row["seq"] == done["security_event"]
    assert (row["kind"], row["rule"], row["task"], row["reason"]) == (
        "creator_approval",
        "P3",
        work.task,
        "read it, ran it",
    )
    assert row["session"] == stage.session(stage.cast.claude)
    text = stage.run(stage.cast.alice, "security").out
    assert "creator_approval 1" in text
    assert "read it, ran it" in text
    assert stage.run(stage.cast.alice, "audit", "exceptions").out == text


def test_a_person_who_created_it_needs_no_reason_and_is_no_exception(stage: Stage) -> None:
    work = stage.in_review(stage.cast.alice, stage.cast.codex)
    assert stage.reviewable(stage.cast.alice)[work.task]["needs_reason"] is False
    done = stage.done(stage.cast.alice, "approve", work.task)
    assert (done["rule"], done["exception"]) == ("P3", False)
    assert "creator" in done["message"]
    assert audited(stage, work) == []


def test_not_for_a_creator_who_had_a_hand_in_it(stage: Stage) -> None:
    task = stage.create(stage.cast.claude)
    stage.done(stage.cast.claude, "start", task)
    stage.done(stage.cast.claude, "unstart", task)
    work = stage.submit_work(stage.cast.codex, task)
    stage.may_not_approve(stage.cast.claude, work, "-m", "fine", rules=["P2"])


def test_not_for_a_creator_who_implemented_it_alone(stage: Stage) -> None:
    work = stage.in_review(stage.cast.claude, stage.cast.claude)
    stage.may_not_approve(stage.cast.claude, work, "-m", "fine", rules=["P2"])
    helper = stage.may_not_approve(stage.cast.helper, work, "-m", "fine", rules=["P2"])
    assert "origin" in helper.message or "origin" in helper.text


def test_who_approved_an_earlier_attempt_needs_a_reason_and_is_audited(stage: Stage) -> None:
    cast = stage.cast
    work = stage.in_review(cast.alice, cast.codex)
    stage.approve(cast.gemini, work)
    stage.done(cast.alice, "redo", work.task, "-m", "add a test")
    again = stage.submit_work(cast.codex, work.task)
    assert stage.reviewable(cast.gemini)[work.task] == {
        "may_approve": True, "rule": "P5", "needs_reason": True, "stale": False, "reasons": [], "unseen": "note",
    }  # fmt: skip
    stage.may_not_approve(cast.gemini, again, rules=["P5"])
    done = stage.approve(cast.gemini, again, "--comment", "the test is there now")
    assert (done["rule"], done["exception"]) == ("P5", True)
    (row,) = audited(stage, again)
    assert (row["kind"], row["rule"], row["reason"]) == ("repeat_reviewer", "P5", "the test is there now")


def test_P5_a_person_who_approved_an_earlier_attempt_needs_no_reason(stage: Stage) -> None:
    cast = stage.cast
    work = stage.in_review(cast.claude, cast.codex)
    stage.approve(cast.alice, work)
    stage.done(cast.alice, "redo", work.task, "-m", "add a test")
    again = stage.submit_work(cast.codex, work.task)
    done = stage.done(cast.alice, "approve", work.task)
    assert (done["rule"], done["exception"]) == ("P5", False)
    assert audited(stage, again) == []


def test_I7_who_asked_for_a_change_may_judge_the_change_without_a_reason(stage: Stage) -> None:
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    stage.done(stage.cast.gemini, "redo", work.task, "-m", "the token is never rotated")
    again = stage.submit_work(stage.cast.codex, work.task)
    assert stage.approve(stage.cast.gemini, again)["rule"] == "P7"


def test_minor_is_a_full_bypass_and_audited_for_an_author(stage: Stage) -> None:
    work = stage.in_review(stage.cast.claude, stage.cast.codex, "--minor")
    assert stage.reviewable(stage.cast.codex)[work.task]["rule"] == "P1"
    assert stage.approve(stage.cast.codex, work)["rule"] == "P1"
    assert [row["kind"] for row in audited(stage, work)] == ["minor"]


def test_P10_self_approvals_of_minor_tasks_run_out(stage: Stage) -> None:
    stage.done(stage.cast.alice, "config", "set", "minor.self_approvals_per_day", "1")
    first = stage.in_review(stage.cast.claude, stage.cast.codex, "--minor")
    second = stage.in_review(stage.cast.claude, stage.cast.codex, "--minor")
    stage.approve(stage.cast.codex, first)
    stage.may_not_approve(stage.cast.codex, second, rules=["P2"])
    assert stage.approve(stage.cast.gemini, second)["exception"] is False


@pytest.mark.parametrize("gone", ["minor.self", "minor.max_lines"])
def test_P10_minor_ends_where_its_bounds_end(stage: Stage, gone: str) -> None:
    stage.done(stage.cast.alice, "config", "set", gone, "false" if gone == "minor.self" else "0")
    work = stage.in_review(stage.cast.claude, stage.cast.codex, "--minor")
    stage.may_not_approve(stage.cast.codex, work, rules=["P2"])


def test_rollback_by_the_feature_flag_and_back_again(stage: Stage) -> None:
    cast = stage.cast
    work = stage.in_review(cast.claude, cast.codex)
    said = stage.done(cast.alice, "config", "set", FLAG, "false")
    assert (said["value"], said["source"]) == (False, "store")
    assert stage.done(cast.claude, "config", "show", FLAG)["value"] is False
    assert stage.reviewable(cast.claude) == {}
    stage.may_not_approve(cast.claude, work, "-m", "fine", rules=["P3"])
    assert stage.done(cast.claude, "status")["policy"] == "strict"
    stage.done(cast.alice, "config", "set", FLAG, "true")
    assert list(stage.reviewable(cast.claude)) == [work.task]
    assert stage.approve(cast.claude, work, "-m", "fine")["rule"] == "P3"
    stage.done(cast.alice, "config", "unset", FLAG)
    assert stage.done(cast.claude, "config", "show", FLAG)["source"] == "default"
    changes = [
        json.loads(row["payload"]) for row in stage.lines(cast.alice, "audit", "log") if row["kind"] == "SettingChanged"
    ]
    assert [(change["old"], change["new"]) for change in changes] == [
        (None, "false"),
        ("false", "true"),
        ("true", None),
    ]


@pytest.mark.parametrize("variable", [OURS, TDS, "FOUREYES_REVIEW_POLICY"])
def test_rollback_by_the_environment_of_one_process(stage: Stage, variable: str) -> None:
    env = {variable: "strict" if variable.endswith("_REVIEW_POLICY") and "FEATURE" not in variable else "false"}
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    assert stage.reviewable(stage.cast.claude, env=env) == {}
    stage.may_not_approve(stage.cast.claude, work, "-m", "fine", rules=["P3"], env=env)
    assert list(stage.reviewable(stage.cast.claude)) == [work.task]
    assert stage.done(stage.cast.claude, "status", env=env)["policy_source"] == "environment"


@pytest.mark.parametrize(
    "env",
    [
        {OURS: "true"},
        {TDS: "true"},
        {"FOUREYES_REVIEW_POLICY": "trusted"},
        {"FOUREYES_REVIEW_POLICY_MODE": "delegated"},
    ],
)
def test_P12_an_agent_cannot_loosen_by_the_environment_and_is_told_so(stage: Stage, env: dict[str, str]) -> None:
    stage.done(stage.cast.alice, "config", "set", "review.policy", "strict")
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    assert stage.reviewable(stage.cast.claude, env=env) == {}
    stage.may_not_approve(stage.cast.claude, work, "-m", "fine", rules=["P3"], env=env)
    view = stage.done(stage.cast.claude, "status", env=env)
    assert view["policy"] == "strict"
    assert "P12" in " ".join(view["notes"])


def test_P12_an_agent_that_sets_the_flag_in_its_environment_is_told_the_value_in_force(stage: Stage) -> None:
    stage.done(stage.cast.alice, "config", "set", FLAG, "false")
    assert stage.done(stage.cast.claude, "config", "show", FLAG, env={OURS: "true"})["value"] is False


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("FOUREYES_MINOR_SELF", "true"),
        ("FOUREYES_MINOR_MAX_LINES", "9999"),
        ("FOUREYES_REVIEW_INDEPENDENCE", "session"),
    ],
)
def test_P12_no_other_key_can_be_loosened_by_an_agent_either(stage: Stage, variable: str, value: str) -> None:
    for key, strict in (("minor.self", "false"), ("minor.max_lines", "3"), ("review.independence", "human")):
        if variable.endswith(key.replace(".", "_").upper()):
            stage.done(stage.cast.alice, "config", "set", key, strict)
    work = stage.in_review(stage.cast.claude, stage.cast.codex, "--minor", lines=5)
    plain = stage.may_not_approve(stage.cast.codex, work, rules=["P6" if "INDEP" in variable else "P2"])
    assert stage.may_not_approve(stage.cast.codex, work, rules=plain.rules, env={variable: value}).rules == plain.rules


def test_P12_a_person_may_loosen_by_the_environment(stage: Stage) -> None:
    stage.done(stage.cast.alice, "config", "set", "review.policy", "strict")
    work = stage.in_review(stage.cast.alice, stage.cast.codex)
    stage.no(stage.cast.alice, "approve", work.task, rules=["P3"])
    assert stage.done(stage.cast.alice, "approve", work.task, env={OURS: "true"})["rule"] == "P3"


def test_P12_names_that_mean_the_same_must_agree_within_the_environment(stage: Stage) -> None:
    problem = stage.no(
        stage.cast.claude, "config", "show", rc=2, env={OURS: "false", "FOUREYES_REVIEW_POLICY": "trusted"}
    )
    assert OURS in problem.message
    assert "FOUREYES_REVIEW_POLICY" in problem.message


def test_P12_policy_and_flags_are_for_people_and_old_and_new_value_are_on_record(stage: Stage) -> None:
    before = stage.head()
    for who in (stage.cast.claude, stage.cast.job):
        stage.no(who, "config", "set", FLAG, "true", rules=["P12"])
        stage.no(who, "config", "unset", FLAG, rules=["P12"])
        stage.no(who, "config", "set", "review.policy", "trusted", rules=["P12"])
        stage.no(who, "config", "unset", "review.policy", rules=["P12"])
    assert stage.head() == before


def test_P12_the_file_of_the_target_decides_not_the_one_in_the_worktree_or_on_a_branch(stage: Stage) -> None:
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    loose = (stage.repo / "foureyes.toml").read_text().replace('"balanced"', '"trusted"')
    (stage.repo / "foureyes.toml").write_text(loose)
    stage.commit("side", {"foureyes.toml": loose})
    assert stage.done(stage.cast.claude, "status")["policy"] == "balanced"
    stage.may_not_approve(stage.cast.claude, work, rules=["P3"])
    for name in ("FOUREYES_SERVER", "FOUREYES_ASCII", "FOUREYES_REPORT"):
        assert stage.done(stage.cast.claude, "status", env={name: "x"})["policy"] == "balanced"
    stage.git("commit", "-q", "-am", "loosen it by hand")
    assert stage.done(stage.cast.claude, "status")["policy"] == "balanced", "on the target, and nobody accepted it"
    stage.no(stage.cast.claude, "config", "accept", rules=["P12"])
    assert stage.accept_policy(stage.cast.alice)["changed"] == ["review.policy: balanced → trusted (looser)"]
    assert stage.done(stage.cast.claude, "status")["policy"] == "trusted"
