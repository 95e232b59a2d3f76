"""`fe show --rounds`, `fe lead …`, `fe prompt`, `fe unstart --how`, and the loop on a task's page and in its context."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from foureyes.app.results.finding import LoopView
from foureyes.core.loop.rounds import LoopState, Round
from foureyes.core.nouns.task import Task
from foureyes.core.words.ids import SessionId, TaskId
from foureyes.core.words.lifecycle import TaskStatus
from foureyes.ui.cli.loops import loop_text

from tests.stage.commands import Cast
from tests.ui.cli.rounds import HARD, LIMIT, NO_TEST, Rounds, rounds


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Rounds:
    return rounds(template, tmp_path, cast)


def table(text: str) -> list[list[str]]:
    return [re.split(r"  +", line) for line in text.splitlines()]


def test_the_round_table_the_warning_one_round_early_and_who_is_next_L12_E4_E5(shop: Rounds) -> None:
    task = shop.found(HARD)
    shop.stuck(task, 1)
    assert table(shop.text(shop.cast.alice, "loop", task)) == [
        ["IT", "FOUND", "FIXED", "NO PROGRESS", "TIER", "ACTION"],
        ["1", "1", "–", "0", "developer", "continue"],
        ["2", "0", "0", "1", "developer", "warn"],
        ["iteration 2, 1 without progress. One more round without fixes escalates to tier senior (E1)"],
        ["the next attempt is for claude (E4)"],
        ["next: fe finding list T1 --open"],
    ]
    found = shop.done(shop.cast.alice, "loop", task)
    assert (found["task"], found["tier"], found["no_progress"], len(found["rounds"])) == (task, "developer", 1, 2)
    shop.stuck(task, 1)
    escalated = shop.done(shop.cast.alice, "loop", task)
    assert (escalated["tier"], escalated["profile"]) == ("senior", "claude-senior")  # E2: the tier says who is next
    assert table(shop.text(shop.cast.alice, "loop", task))[3] == ["3", "0", "0", "2", "developer", "escalate"]


def test_a_task_that_was_not_handed_in_has_no_rounds(shop: Rounds) -> None:
    task = shop.create(shop.cast.alice)
    assert shop.text(shop.cast.alice, "loop", task) == "T1: nothing was submitted yet\nnext: fe show T1\n"


def test_the_lead_decides_and_only_where_it_is_waited_for_E3(shop: Rounds) -> None:
    task = shop.found(HARD)
    assert shop.no(shop.cast.alice, "lead", "senior", task, "-m", "x").rules == ("E3",)
    shop.stuck(task, 4)
    assert shop.show(task)["task"]["waiting_for"] == "lead"
    assert shop.no(shop.cast.codex, "lead", "senior", task, "-m", "x").rules == ("E2",)
    assert shop.no(shop.cast.job, "lead", "senior", task, "-m", "x").rules == ("I5",)
    assert shop.no(shop.cast.claude, "start", task).rules == ("E2",)
    assert shop.no(shop.cast.alice, "lead", "split", task, "-m", "x", rc=2).code == "usage"
    assert "the lead runs: fe lead" in shop.text(shop.cast.alice, "loop", task)
    assert shop.text(
        shop.cast.alice, "lead", "split", task, "--into", "Read it", "--into", "Count it", "-m", "too much"
    ).splitlines() == [
        "T1: was split and waits for its parts",
        "  planned T2",
        "  planned T3",
        "next: an agent runs: fe start T2",
    ]
    assert [link["id"] for link in shop.show(task)["depends_on"]] == sorted(shop.tasks()[1:])


def test_a_crash_with_findings_is_a_round_without_progress_and_a_cancelled_run_is_none_L17(shop: Rounds) -> None:
    task = shop.found(HARD)
    for how, expected in (("cancelled", 0), ("crash", 1)):
        shop.done(shop.cast.claude, "start", task)
        shop.done(shop.cast.claude, "unstart", task, "--how", how)
        assert shop.done(shop.cast.alice, "loop", task)["no_progress"] == expected
    assert shop.no(shop.cast.claude, "unstart", task, "--how", "bored", rc=2).code == "usage"


def test_a_prompt_is_printed_as_it_is_for_every_purpose_F4(shop: Rounds) -> None:
    task = shop.found(HARD)
    (name,) = shop.ids(task)
    for purpose in ("implement", "respond", "review", "rereview", "clarify", "lead"):
        assert name in shop.run(shop.cast.claude, "prompt", task, "--for", purpose).out
    found = shop.done(shop.cast.claude, "prompt", task, "--for", "implement")
    assert found["prompt"] == shop.run(shop.cast.claude, "prompt", task, "--for", "implement").out
    assert shop.no(shop.cast.claude, "prompt", task, "--for", "dance", rc=2).code == "usage"


# The page and the context


def test_the_page_shows_findings_rounds_and_reviews(shop: Rounds) -> None:
    task = shop.found()
    shop.stuck(task, 1)
    lines = shop.text(shop.cast.alice, "show", task).splitlines()
    codex = f"codex#1 ({shop.session(shop.cast.codex)})"
    start = next(n for n, line in enumerate(lines) if line.startswith("  findings"))
    assert lines[start : start + 4] == [
        "  findings    1 open blocking   TL-T1-1-001 HIGH limit is hard-coded   src/limit.py:2",
        "  rounds      it 1 found 1 · it 2 fixed 0   "
        "iteration 2, 1 without progress. One more round without fixes escalates to tier senior (E1)",
        f"  review      attempt 1 by {codex}: concerns, 2 findings, 1 blocking",
        f"  review      attempt 2 by {codex}: concerns",
    ]


def test_all_suggestions_skipped_is_said_L15(shop: Rounds) -> None:
    task = shop.found()
    shop.stuck(task, 1)
    assert "  note        all suggestions of iteration 1 (1) were skipped (L15)" in shop.text(
        shop.cast.alice, "show", task
    )
    other = shop.found()
    note = shop.ids(other)[1]
    shop.done(shop.cast.claude, "start", other)
    shop.done(shop.cast.claude, "finding", "answer", note, "--fixed", "-m", "added")
    shop.stuck(other, 1)
    assert "suggestions" not in shop.text(shop.cast.alice, "show", other)


def test_a_note_in_three_attempts_is_an_alert_L16(shop: Rounds) -> None:
    task = shop.found()
    for n in range(2):
        (name,) = shop.ids(task, "--open", "--blocking")
        assert "tech debt" not in shop.text(shop.cast.alice, "show", task)
        shop.again(task, f"def allow(n):\n    return n < 1000\n# {n}\n", name)
        shop.reviewed(task, {**NO_TEST, "id": shop.ids(task)[1]}, rulings=[(name, "NOT_FIXED")], verdict="concerns")
    page = shop.text(shop.cast.alice, "show", task)
    assert re.search(
        r"note        TL-T1-3-\d+ was noted in 3 attempts. To plan it as tech debt: fe finding answer TL-T1-3-\d+ --track \(L16\)",
        page,
    )


def test_the_context_has_the_open_findings_with_their_answers_and_how_near_escalation_is_E5(shop: Rounds) -> None:
    task = shop.found()
    note = shop.ids(task)[1]
    assert "## Escalation" not in shop.context(task)
    shop.stuck(task, 1)
    text = shop.named(shop.context(task))
    assert "\n## Escalation\niteration 2, 1 without progress. One more round" in text
    assert (
        "### TL-T1-1-001 HIGH, open: limit is hard-coded (src/limit.py:2)\n"
        "problem:\n> 1000 is written in the code\n"
        "fix:\n> read it from the settings\n"
        "quote:\n> return n < 1000\n"
    ) in text
    assert re.search(r"answered FIXED by claude#1 \(ses-\w+\):\n> reads the settings now\n", text)
    assert shop.named(note) not in text


def test_without_findings_page_and_context_say_nothing_of_a_loop_F3(shop: Rounds) -> None:
    task = shop.work(LIMIT)
    said = shop.text(shop.cast.alice, "show", task) + shop.context(task)
    assert not any(word in said for word in ("findings", "rounds", "review  ", "escalation", "Open findings"))


@pytest.mark.parametrize(("status", "warns"), [("open", True), ("reviewing", True), ("closed", False)])
def test_a_closed_task_threatens_no_escalation_E5(status: TaskStatus, warns: bool) -> None:
    task = Task(
        id=TaskId("fe-1"), title="t", status=status, creator=SessionId("s"), version=1, created_at="", updated_at=""
    )
    state = LoopState(rounds=(Round(n=1),), warning="one more round escalates")
    assert ("escalates" in loop_text(LoopView(task=task, state=state, profile=""))) is warns
