"""H1: how closely a waiting task wants to be looked at; every reason, worst first, from git, checks and the journal
only.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from foureyes.core.nouns.attempt import Attempt, ChangedFile, Mark, MarkKind
from foureyes.core.nouns.check import CheckResult
from foureyes.core.rules.check_states import check_states
from foureyes.core.rules.facts import Facts, HistoryEntry
from foureyes.core.rules.modes import ModeChoice, mode_of
from foureyes.core.rules.policy import LabelRule, ReviewPolicy, RiskRule
from foureyes.core.rules.risk import CLASSES, Around, Risk, raised_by, risk_of
from foureyes.core.words.ids import SessionId
from foureyes.errors import Reason

from tests.core.samples import CREATOR, CRON, LINT, MAKER, TESTS, agent, attempt, made, quick, ran, rules, touching

POLICY = rules(checks=(TESTS, LINT))
GREEN: tuple[CheckResult, ...] = (ran(), ran(LINT))
CALM = touching("src/a.py", "tests/test_a.py")


def risk(
    facts: Facts, policy: ReviewPolicy = POLICY, *, not_by_itself: tuple[Reason, ...] = (), around: Around = Around()
) -> Risk:
    alone = risk_of(facts, policy, mode_of(facts, policy), check_states(facts, policy), not_by_itself)
    return raised_by(alone, around, policy)


def work(attempt_: Attempt = CALM, *, results: tuple[CheckResult, ...] = GREEN, **fields: Any) -> Facts:
    return replace(made(MAKER, CREATOR, CRON, attempt_=attempt_, **fields), results=results)


def said(found: Risk) -> list[str]:
    assert all(reason.rule == "H1" for reason in found.reasons)
    return [reason.message for reason in found.reasons]


def test_a_review_by_another_process_of_the_authors_program_is_named_H1_I6() -> None:
    one, two = (replace(agent(name), agent="claude") for name in ("one", "two"))
    facts = replace(made(one, CREATOR, two, attempt_=CALM), results=GREEN, reviewers=frozenset({two.session}))
    assert "reviewed by another claude" in said(risk(facts))


def with_marks(kind: MarkKind, path: str = "tests/test_a.py") -> Facts:
    return work(replace(CALM, marks=[Mark(kind, path)]))


def test_a_small_change_with_its_test_and_green_checks_is_routine_H1() -> None:
    assert risk(work()) == Risk("low", ())
    assert risk(work(touching("README.md"))) == Risk("low", ()), "documents need no test"


big = attempt(added=380, removed=21, files=CALM.files)
HIGH: dict[str, tuple[Facts, str]] = {
    "gate file": (work(touching("foureyes.toml", "tests/test_a.py")), "gate file foureyes.toml"),
    "instructions": (work(touching("CLAUDE.md")), "gate file CLAUDE.md"),
    "label that bars": (work(labels=["security"]), "security label"),
    "escalated": (work(tier="senior"), "escalated to senior"),
    "iterations": (work(replace(CALM, n=3)), "iteration 3"),
    "landed": (work(replace(CALM, landed=True)), "landed before review"),
    "no history": (replace(work(), history=None), "incomplete history"),
    "legacy": (replace(work(), history=(HistoryEntry(SessionId(""), "created"),)), "incomplete history"),
    "red": (work(results=(ran(outcome="failed"), ran(LINT))), "tests failed"),
    "crashed": (work(results=(ran(outcome="crashed"), ran(LINT))), "tests crashed"),
    "unsound": (work(results=(ran(outcome="unsound"), ran(LINT))), "tests unsound"),
    "timed out": (work(results=(ran(outcome="timed_out"), ran(LINT))), "tests timed out"),
    "flaky": (
        work(results=(ran(outcome="failed"), ran(seq=2), ran(LINT))),
        "tests is flaky: it passed and failed on the same files",
    ),
    "test lines": (work(attempt(files=[ChangedFile("tests/test_a.py", 1, 9)])), "8 fewer test lines"),
    "test deleted": (with_marks("deleted"), "test file deleted: tests/test_a.py"),
    "test skipped": (with_marks("skip"), "test skipped: tests/test_a.py"),
    "assertions": (with_marks("assert"), "assertions removed: tests/test_a.py"),
    "how checks run": (work(touching("Makefile", "tests/test_a.py")), "changes how checks run: Makefile"),
    "lock file": (work(touching("poetry.lock", "tests/test_a.py")), "touches poetry.lock"),
    "migration": (work(touching("app/migrations/1.sql", "tests/test_a.py")), "touches app/migrations/1.sql"),
    "continuous integration": (work(touching(".gitlab-ci.yml", "tests/test_a.py")), "touches .gitlab-ci.yml"),
    "container": (work(touching("Dockerfile", "tests/test_a.py")), "touches Dockerfile"),
    "executable": (with_marks("executable", "run.sh"), "executable bit set: run.sh"),
    "link": (with_marks("link", "conf"), "symbolic link: conf"),
    "binary": (with_marks("binary", "a.bin"), "binary file: a.bin"),
    "hidden": (with_marks("hidden", "src/a.py"), "hidden characters: src/a.py"),
    "long line": (with_marks("long", "web/app.js"), "line of more than 500 characters: web/app.js"),
    "many lines": (work(big), "401 lines in 2 files"),
    "many files": (work(touching(*[f"tests/test_{n}.py" for n in range(21)])), "4 lines in 21 files"),
}


@pytest.mark.parametrize("case", HIGH)
def test_each_of_these_is_to_be_looked_at_closely_H1(case: str) -> None:
    facts, words = HIGH[case]
    found = risk(facts)
    assert found.level == "high"
    assert words in said(found)


def test_a_policy_that_asks_for_a_person_is_a_reason_H1() -> None:
    assert "review.independence requires a person" in said(risk(work(), replace(POLICY, independence="human")))
    by_label = replace(POLICY, label_rules={"law": LabelRule(independence="human")})
    assert "label law requires a person" in said(risk(work(labels=["law"]), by_label))
    assert risk(work(), replace(POLICY, independence="vendor")).level == "low"


MEDIUM: dict[str, tuple[Facts, str]] = {
    "no test": (work(touching("src/a.py")), "code changed, no test changed"),
    "a hundred lines": (work(attempt(added=60, removed=40, files=CALM.files)), "100 changed lines"),
    "four hundred lines": (work(attempt(added=400, removed=0, files=CALM.files)), "400 changed lines"),
    "optional check": (
        work(results=(ran(), ran(LINT, outcome="failed", summary="2 errors"))),
        "optional check lint 2 errors",
    ),
    "not run": (work(results=(ran(LINT),)), "required check tests not run"),
    "signal": (work(replace(CALM, signal="NEEDS_REVIEW")), "signal NEEDS_REVIEW"),
}


@pytest.mark.parametrize("case", MEDIUM)
def test_each_of_these_is_to_be_looked_at_H1(case: str) -> None:
    facts, words = MEDIUM[case]
    found = risk(facts)
    assert (found.level, said(found)) == ("medium", [words])


def test_why_it_did_not_approve_itself_is_said_where_it_wanted_to_H1_M4() -> None:
    why = (Reason("M4", "iteration 4, limit 3"), Reason("M4", "no check"))
    facts = work()
    chosen = ModeChoice("auto-approve", (Reason("M3", "label trivial"),))
    found = risk_of(facts, POLICY, chosen, check_states(facts, POLICY), why)
    assert (found.level, said(found)) == ("medium", ["not auto-approved: iteration 4, limit 3, no check"])
    assert risk(facts, not_by_itself=why) == Risk("low", ()), "a task in batch mode never wanted to"


def test_checks_that_did_not_run_are_said_once_H1() -> None:
    policy = replace(POLICY, checks=(*POLICY.checks, replace(TESTS, name="types")))
    why = tuple(Reason("D5", f"required check {name} was not run") for name in ("tests", "types"))
    chosen, facts = ModeChoice("auto-approve", (Reason("M3", "label trivial"),)), work(results=(ran(LINT),))
    found = risk_of(facts, policy, chosen, check_states(facts, policy), why)
    assert said(found) == ["required checks tests, types not run"]


@pytest.mark.parametrize(("decided", "level"), [(0, "medium"), (4, "medium"), (5, "low"), (None, "low")])
def test_the_first_attempts_of_an_agent_are_looked_at_H1(decided: int | None, level: str) -> None:
    found = risk(work(), around=Around(decided=decided))
    assert found.level == level
    assert bool(said(found)) == (level == "medium")


def test_a_file_that_another_waiting_task_touches_is_named_H1() -> None:
    assert said(risk(work(), around=Around(shared=("src/a.py", "src/b.py")))) == [
        "src/a.py is touched by another waiting task"
    ]


def test_what_makers_claim_to_have_run_is_red_when_it_is_and_never_hides_a_red_one_H1() -> None:
    assert risk(work(results=(ran(by=MAKER, outcome="failed"), ran(LINT)))).level == "high"
    assert "tests failed" in said(risk(work(results=(ran(outcome="failed", seq=1), ran(by=MAKER, seq=2), ran(LINT)))))


def test_all_reasons_are_kept_worst_first_H1_G2() -> None:
    bad = attempt(
        4,
        added=500,
        files=[ChangedFile("Makefile", 500, 1)],
        landed=True,
        signal="BLOCKED",
        marks=[Mark("hidden", "Makefile")],
    )
    facts = work(bad, results=(ran(outcome="failed"), ran(LINT, outcome="failed")), labels=["security"], tier="lead")
    found = risk(facts, around=Around(decided=1, shared=("Makefile",)))
    assert found.level == "high"
    assert said(found) == [
        "security label", "escalated to lead", "iteration 4", "landed before review", "tests failed",
        "changes how checks run: Makefile", "hidden characters: Makefile", "501 lines in 1 file",
        "code changed, no test changed", "optional check lint 3/3 passed", "signal BLOCKED",
        "a new agent: only 1 of its attempts were decided so far", "Makefile is touched by another waiting task",
    ]  # fmt: skip


def test_thresholds_and_globs_come_from_the_configuration_H1() -> None:
    mine = RiskRule(large_change=3, test_paths=("proofs/**",), watched_paths=("src/**",))
    policy = replace(POLICY, risk=mine)
    assert said(risk(work(), policy)) == ["touches src/a.py", "4 lines in 2 files", "code changed, no test changed"]
    quiet = replace(mine, large_change=9, watched_paths=())
    proof = attempt(added=1, removed=0, files=[ChangedFile("proofs/a.py", 1, 0)])
    assert risk(work(proof), replace(POLICY, risk=quiet)).level == "low"


PROSE = st.text(max_size=40)


@quick
@given(PROSE, PROSE, PROSE, PROSE, st.sampled_from([CALM, big, touching("src/a.py")]))
def test_nothing_that_an_author_writes_changes_it_H1(
    title: str, description: str, acceptance: str, message: str, attempt_: Attempt
) -> None:
    plain = work(attempt_)
    told = work(replace(attempt_, message=message), title=title, description=description, acceptance=acceptance)
    assert risk(told) == risk(plain)


@quick
@given(st.lists(st.sampled_from(sorted(HIGH) + sorted(MEDIUM)), min_size=1, max_size=2))
def test_the_highest_class_with_a_reason_wins_H1(cases: list[str]) -> None:
    for case in cases:
        found = risk({**HIGH, **MEDIUM}[case][0])
        assert found.level == ("high" if case in HIGH else "medium")
        assert found.level in CLASSES
