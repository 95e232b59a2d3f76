"""`fe review …`: what it prints, what it answers as JSON, how it exits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.stage.commands import Cast
from tests.ui.cli.counter import keys
from tests.ui.cli.rounds import HARD, LIMIT, NO_TEST, Rounds, rounds


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Rounds:
    return rounds(template, tmp_path, cast)


def test_a_review_says_what_it_comes_to_V3_L5(shop: Rounds) -> None:
    task = shop.work(LIMIT)
    document = shop.file("review.json", shop.result(task, HARD, NO_TEST))
    assert shop.text(shop.cast.codex, "review", "submit", task, document) == (
        "reviewed T1, attempt 1: concerns, 2 findings. 1 blocking finding is still open, so the task was sent back\n"
        "  found TL-T1-1-001\n"
        "  found TL-T1-1-002\n"
        "  c-1 is decided: codex#1 has concerns (R3)\n"
        "next: fe finding list T1 --open\n"
    )
    assert shop.status(task) == "open"


def test_the_document_of_the_workflow_is_taken_as_it_is_V3(shop: Rounds) -> None:
    """Only verdict and timestamp are filled in: no title, no files, a severity in small letters, a program's name."""
    task = shop.work({"auth_controller.py": "md5\n"})
    issue = {
        "severity": "high",
        "description": "Password hashing is using MD5, must use Argon2. Old hashes stay.",
        "file": "auth_controller.py",
    }
    summary = "Auth logic looks solid, but missing salt in hash."
    document = {
        "type": "review_result",
        "reviewer": "Codex",
        "timestamp": "2026-11-18T12:00:00Z",
        "payload": {"verdict": "concerns", "summary": summary, "issues": [issue]},
    }
    seen = shop.show(task)["attempts"][-1]["diff_id"]
    file = shop.file("review.json", document)
    done = shop.done(shop.cast.codex, "review", "submit", task, file, "--seen", seen)
    assert (done["verdict"], done["missing"], done["sent_back"]) == ("concerns", ["auth_controller.py"], True)
    (found,) = shop.lines(shop.cast.alice, "finding", "list", task)
    assert (found["severity"], found["title"]) == ("HIGH", "Password hashing is using MD5, must use Argon2")
    other = shop.work({"src/b.py": "b\n"})
    document["payload"] = {"verdict": "approved", "summary": summary}
    seen = shop.show(other)["attempts"][-1]["diff_id"]
    said = shop.text(shop.cast.codex, "review", "submit", other, shop.file("r.json", document), "--seen", seen)
    assert (
        "  the approval is incomplete, because 1 changed file is not in files_reviewed: src/b.py (V6)"
        in said.splitlines()
    )


def test_an_agreeing_review_counts_and_the_approval_rests_on_it_D9(shop: Rounds) -> None:
    task = shop.work(LIMIT)
    given = json.dumps(shop.result(task))
    done = shop.done(shop.cast.codex, "review", "submit", task, "-", input=given)
    assert (
        keys(
            done,
            "task attempt diff_id verdict effective status counts raised ruled missing sent_back task_status "
            "message notes next",
        )
        == set()
    )
    assert (done["counts"], done["status"]) == (True, "APPROVED")
    shop.done(shop.cast.codex, "approve", task, "--seen", done["diff_id"])
    assert "with a counting review" in shop.text(shop.cast.alice, "show", task)
    other = shop.work({"src/b.py": "b\n"})
    diff = shop.show(other)["attempts"][-1]["diff_id"]
    shop.done(shop.cast.codex, "approve", other, "--seen", diff, "-m", "read it")
    assert "without a review" in shop.text(shop.cast.alice, "show", other)


def test_prose_is_no_review_and_every_wrong_field_is_named_V3(shop: Rounds) -> None:
    task = shop.work(LIMIT)
    assert shop.no(shop.cast.codex, "review", "submit", task, shop.file("r.md", "looks good to me"), rc=2).rules == (
        "V3",
    )
    wrong = shop.result(task, {**HARD, "severity": "huge"})
    wrong["payload"]["verdict"] = "fine"
    assert len(shop.no(shop.cast.codex, "review", "submit", task, shop.file("r.json", wrong), rc=2).rules) == 2
    assert shop.no(shop.cast.codex, "review", "submit", task, "nosuch.json", rc=2).code == "usage"
    assert shop.no(shop.cast.job, "review", "submit", task, shop.file("r.json", shop.result(task))).rules == ("I5",)
    assert shop.show(task)["reviews"] == []


def test_show_lists_who_said_what_and_why_it_does_not_count_V5_V6(shop: Rounds) -> None:
    task = shop.work(LIMIT)
    assert shop.text(shop.cast.alice, "review", "show", task) == "no review of T1 yet\nnext: fe review request T1\n"
    partly = shop.result(task)
    partly["payload"]["files_reviewed"] = []
    shop.done(shop.cast.gemini, "review", "submit", task, shop.file("partly.json", partly))
    shop.reviewed(task, {"severity": "FYI", "title": "nice"})
    shop.reviewed(task, HARD, by=shop.cast.qwen, verdict="approved")
    text = shop.text(shop.cast.alice, "review", "show", task)
    for name in ("gemini", "codex", "qwen"):
        text = text.replace(f"({shop.session(getattr(shop.cast, name))})", "(SES)")
    assert text == (
        "attempt 1  gemini#1 (SES)  approved  does not count: incomplete, 1 file not read (V6)  TIME\n"
        "    read all of it\n"
        "    not read: src/limit.py\n"
        "attempt 1  codex#1 (SES)  approved  counts  TIME\n"
        "    read all of it\n"
        "    note: nice\n"
        "attempt 1  qwen#1 (SES)  stated approved, counts as concerns (V5)  does not "
        "count: its verdict is concerns  TIME\n"
        "    read all of it\n"
        "    found: 1 finding, 1 blocking\n"
    )
    rows = shop.lines(shop.cast.alice, "review", "show", task)
    assert [row["counts"] for row in rows] == [False, True, False]


def test_a_review_of_an_earlier_change_does_not_count(shop: Rounds) -> None:
    task = shop.work(LIMIT)
    shop.reviewed(task)
    shop.commit(f"fe/{task}", {"src/limit.py": "other\n"})
    shop.submit(shop.cast.claude, task)
    assert "does not count: it is about an earlier attempt" in shop.text(shop.cast.alice, "review", "show", task)


def test_a_request_is_a_document_and_with_prompt_a_prompt_V2(shop: Rounds) -> None:
    task = shop.work(LIMIT)
    text = shop.run(shop.cast.codex, "review", "request", task, "--reviewer", "gemini").out
    asked = json.loads(text)
    assert text.startswith('{\n  "type": "review_request"')
    assert (asked["reviewer"], asked["task"], asked["is_re_review"]) == ("gemini", task, False)
    assert shop.done(shop.cast.codex, "review", "request", task)["diff_id"] == asked["diff_id"]
    prompt = shop.run(shop.cast.codex, "review", "request", task, "--prompt").out
    assert asked["diff_id"] in prompt
    shop.reviewed(task, HARD)
    shop.again(task, "def allow(n):\n    return n < LIMIT\n", *shop.ids(task))
    assert shop.done(shop.cast.codex, "review", "request", task, "--prompt")["for"] == "rereview"
    assert shop.no(shop.cast.codex, "review", "request", shop.create(shop.cast.alice), rc=3).code == "not_found"


def test_concerns_of_reviewers_are_listed_apart_from_findings(shop: Rounds) -> None:
    assert shop.text(shop.cast.alice, "finding", "list", "--concerns") == "no concerns and no missing reviews\n"
    flagged = shop.found(HARD)
    assert [row["task"] for row in shop.lines(shop.cast.alice, "finding", "list", "--concerns")] == [flagged]


def test_a_word_that_is_no_verb_is_a_task_and_options_may_come_first(shop: Rounds) -> None:
    task = shop.create(shop.cast.alice)
    hints = shop.no(shop.cast.codex, "review", task, rc=2).hints[0]
    assert f"fe submit {task}" in hints
    assert f"fe review show {task}" in hints
    assert shop.run(shop.cast.codex, "review").rc == 2
    shop.done(shop.cast.codex, "start", task)
    shop.commit("mine", {"x.txt": "x\n"})
    assert shop.done(shop.cast.codex, "review", "-m", "done", task, "--branch", "mine")["status"] == "reviewing"
