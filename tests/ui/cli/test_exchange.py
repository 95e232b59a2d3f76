"""`fe finding export --handoff` and `fe finding import --handoff`: what they print, what they answer as JSON, how they exit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.stage.commands import Cast
from tests.ui.cli.counter import LINT
from tests.ui.cli.rounds import HARD, LIMIT, NO_TEST, Rounds, rounds


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Rounds:
    return rounds(template, tmp_path, cast)


def test_a_lead_handoff_goes_out_indented_and_comes_back_as_a_review_V3(shop: Rounds) -> None:
    task = shop.work(LIMIT, "review:per-task")
    shop.reviewed(task, HARD, NO_TEST)
    text = shop.run(shop.cast.alice, "export", "handoff", task, "--role", "tech_lead").out
    assert text.startswith('{\n  "type": "handoff_tech_lead"')
    document = json.loads(text)
    assert document["issue_summary"]["blocking_count"] == 1
    assert document == shop.done(shop.cast.alice, "export", "handoff", task, "--role", "tech_lead")
    back = shop.done(shop.cast.alice, "import", "handoff", task, shop.file("lead.json", document))
    assert (back["type"], back["changed"]) == ("handoff_tech_lead", True)
    assert len(shop.show(task)["reviews"]) == 2
    assert len(shop.lines(shop.cast.alice, "finding", "list", task)) == 2, "the same findings"


def test_a_lead_handoff_drives_the_loop_V3_T2_L8(shop: Rounds) -> None:
    """Findings send the task back, answers go out, what is called resolved is ruled, and it shows in the statistics."""
    cast, task = shop.cast, shop.work(LIMIT)
    wrong = {"issues": [HARD, NO_TEST], "issue_summary": {"high": 2}}
    assert shop.no(cast.codex, "import", "handoff", task, shop.file("lead.json", wrong), rc=2).rules == ("G6",)
    right = {"issues": [HARD, NO_TEST], "issue_summary": {"high": 1}, "status": "CHANGES_REQUIRED"}
    lead = shop.file("lead.json", right)
    assert shop.no(cast.codex, "import", "handoff", task, lead).rules == ("D7",)
    seen = ("--seen", shop.show(task)["attempts"][-1]["diff_id"])
    said = shop.text(cast.codex, "import", "handoff", task, lead, *seen)
    assert "1 blocking finding is still open, so the task was sent back" in said
    assert shop.status(task) == "open"
    assert "codex" in shop.text(cast.alice, "stats")
    name = shop.ids(task)[0]
    shop.again(task, "def allow(n):\n    return n < LIMIT\n", name)
    sent = shop.done(cast.alice, "export", "handoff", task, "--role", "developer")["issue_responses"][0]
    assert (sent["issue_id"], sent["action"], sent["details"]) == (name, "FIXED", "reads the settings now")
    resolved = shop.file("lead.json", {"issues": [], "prior_issues_resolved": [name], "status": "APPROVED"})
    seen = ("--seen", shop.show(task)["attempts"][-1]["diff_id"])
    done = shop.done(cast.codex, "import", "handoff", task, resolved, *seen)
    assert any("src/limit.py" in note and "files_reviewed" in note for note in done["notes"])
    assert shop.done(cast.alice, "finding", "show", name)["state"] == "resolved"


def test_a_developers_handoff_answers_findings_L6(shop: Rounds) -> None:
    task = shop.found()
    name, note = shop.ids(task)
    shop.done(shop.cast.claude, "start", task)
    answers = {"issue_responses": [{"issue_id": name, "action": "FIXED", "details": "done"}]}
    said = shop.text(shop.cast.claude, "import", "handoff", task, "-", input=json.dumps(answers))
    assert said == "TL-T1-1-001 FIXED. 0 blocking left to answer\nnext: fe submit T1\n"
    out = shop.done(shop.cast.alice, "export", "handoff", task, "--role", "developer")
    assert out["blocking_summary"] == {"total_blocking": 1, "fixed": 1, "rejected_with_reason": 0, "unaddressed": 0}
    assert shop.no(shop.cast.codex, "import", "handoff", task, shop.file("dev.json", out)).rules == ("L6",)
    assert shop.done(shop.cast.claude, "import", "handoff", task, shop.file("dev.json", out))["task"] == task
    assert note not in {row["issue_id"] for row in out["issue_responses"]}


def test_qa_is_compared_with_the_checks_and_never_stored_L13(template: Path, tmp_path: Path, cast: Cast) -> None:
    shop = rounds(template, tmp_path, cast, LINT)
    task = shop.work({"src/a.py": "MESSY\n"})
    assert shop.no(cast.alice, "export", "handoff", task, "--role", "qa", rc=3).code == "not_found"
    shop.checked(cast.job, task, rc=6)
    out = shop.done(cast.alice, "export", "handoff", task, "--role", "qa")
    assert (out["status"], out["test_tracking"]["original_failures"]) == ("FAIL", ["lint"])
    before = shop.head()
    same = shop.text(cast.job, "import", "handoff", task, shop.file("qa.json", out))
    assert same == "the checks of T1 agree with it for iteration 1, so nothing was saved\nnext: fe check show T1\n"
    rosy = {"test_tracking": {"iteration": 1, "original_failures": []}, "status": "PASS"}
    refused = shop.no(cast.codex, "import", "handoff", task, shop.file("qa.json", rosy))
    assert "test_tracking.still_failing: none sent, but the checks say lint" in refused.text
    assert "status: PASS sent, but the checks say FAIL" in refused.text
    assert shop.head() == before


@pytest.mark.parametrize(
    "content", ["prose", "", "{}", "[]", '{"type": "review_result"}', '{"type": 7}', "[" * 100_000, "\ufeff{}"]
)
def test_what_is_no_handoff_is_2(shop: Rounds, content: str) -> None:
    task = shop.work()
    assert shop.no(shop.cast.claude, "import", "handoff", task, shop.file("x.json", content), rc=2).code == "usage"


def test_unreadable_and_oversized_files_and_unknown_roles_are_2(shop: Rounds) -> None:
    task = shop.work()
    assert "cannot be read" in shop.no(shop.cast.claude, "import", "handoff", task, "nosuch.json", rc=2).message
    assert "cannot be read" in shop.no(shop.cast.claude, "import", "handoff", task, ".", rc=2).message
    large = shop.file("large.json", '{"issues": ["' + "x" * 6_000_000 + '"]}')
    assert "at most 5,000,000 are read" in shop.no(shop.cast.claude, "import", "handoff", task, large, rc=2).text
    assert shop.no(shop.cast.claude, "export", "handoff", task, "--role", "boss", rc=2).code == "usage"
