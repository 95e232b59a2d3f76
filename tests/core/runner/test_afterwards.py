"""What becomes of a run, row by row: by its signal and by what it changed (S1, S2, S4, L17)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.run import RunOutcome
from foureyes.core.runner.plan import becomes_of, how_it_failed
from foureyes.core.runner.snapshot import Left

from tests.core.runner.scene import CHANGED, ENDED, over, run

NOTHING = Left()
ROWS: list[tuple[str, RunOutcome, Left, dict[str, Any], str]] = [
    ("done with a change is submitted", replace(ENDED, signal="DONE"), CHANGED, {}, "submit_work"),
    ("done without one is a round without progress", replace(ENDED, signal="DONE"), NOTHING, {}, "no_change"),
    ("a review is asked for", replace(ENDED, signal="NEEDS_REVIEW"), CHANGED, {}, "needs_review"),
    ("no signal: it is asked once", ENDED, CHANGED, {}, "ask_signal"),
    ("also without a change", ENDED, NOTHING, {}, "ask_signal"),
    ("asked and silent again: submitted, never by rule", ENDED, CHANGED, {"run": run(resumes="c1")}, "needs_review"),
    ("asked and silent, and nothing there", ENDED, NOTHING, {"run": run(resumes="c1")}, "no_change"),
    ("nobody can be asked: submitted", replace(ENDED, conversation=""), CHANGED, {}, "needs_review"),
    ("blocked", replace(ENDED, signal="BLOCKED"), CHANGED, {}, "blocked"),
    ("failed in its own words", replace(ENDED, signal="FAILED"), CHANGED, {}, "retry"),
    ("what it said by fe agent signal counts", ENDED, CHANGED, {"run": run(signal="DONE")}, "submit_work"),
    ("the last word counts", replace(ENDED, signal="BLOCKED"), CHANGED, {"run": run(signal="DONE")}, "blocked"),
    ("HEAD elsewhere is sent back", replace(ENDED, signal="DONE"), Left(changed=True, problem="x"), {}, "send_back"),
    ("a crash is never a submission", replace(ENDED, rc=1, signal="DONE"), CHANGED, {}, "retry"),
    ("nor is output that broke off", replace(ENDED, ended=False, signal="DONE"), CHANGED, {}, "retry"),
    ("nor a deadline", replace(ENDED, timed_out="deadline", signal="DONE"), CHANGED, {}, "retry"),
    ("out of quota", replace(ENDED, rc=1, error="quota"), CHANGED, {}, "cool"),
    ("logged out", replace(ENDED, rc=1, error="auth"), CHANGED, {}, "cool"),
    ("not there", RunOutcome(ended=False, error="missing"), NOTHING, {}, "cool"),
    ("the service refused", replace(ENDED, error="refused"), CHANGED, {}, "retry"),
    ("stopped", replace(ENDED, stopped=True), CHANGED, {}, "stopped"),
    ("it submitted its work", replace(ENDED, rc=1), CHANGED, {"done": True}, "finished"),
    ("it submitted its work, and was stopped then", replace(ENDED, stopped=True), CHANGED, {"done": True}, "finished"),
    ("the lead decided", ENDED, NOTHING, {"run": run(purpose="lead"), "done": True}, "finished"),
    ("the lead did not decide", replace(ENDED, signal="DONE"), NOTHING, {"run": run(purpose="lead")}, "retry"),
]


@pytest.mark.parametrize(("says", "outcome", "left", "fields", "then"), ROWS, ids=[row[0] for row in ROWS])
def test_signal_and_change_say_what_becomes_of_a_run_S1_S2_S4(
    says: str, outcome: RunOutcome, left: Left, fields: dict[str, Any], then: str
) -> None:
    assert becomes_of(over(outcome, left, **fields))[0] == then


def test_the_words_of_a_final_message_decide_nothing() -> None:
    """`not done yet` is no DONE, and a blocker in prose is no BLOCKED."""
    for words in ("not done yet", "DONE", "All done!", "BLOCKED by nothing"):
        assert becomes_of(over(replace(ENDED, final=words)))[0] == "ask_signal"


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (RunOutcome(ended=False, timed_out="deadline"), "it took too long"),
        (RunOutcome(ended=False, timed_out="idle"), "it was silent for too long"),
        (RunOutcome(ended=True, rc=3), "it ended with exit code 3"),
        (RunOutcome(ended=False, rc=0), "its output ended early"),
        (RunOutcome(ended=True, rc=1, error_text="no such model"), "no such model"),
    ],
)
def test_a_failure_is_told_in_a_sentence_S2(outcome: RunOutcome, words: str) -> None:
    assert how_it_failed(outcome) == words
