"""`fe finding …`: what it prints, what it answers as JSON, how it exits."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.stage.commands import Cast
from tests.ui.cli.counter import keys
from tests.ui.cli.rounds import HARD, LIMIT, Rounds, rounds

ROW = """id root task kind severity blocking state title location problem fix why quote fix_patch rule source check by raised flagged flags
rounds note anchored waiting must_fix left_diff answer ruling false_fixes waived_until expired tracked alike"""
REASON = "the caller checks this input before it gets here"
PATCH = """--- a/src/limit.py
+++ b/src/limit.py
@@ -1,2 +1,2 @@
 def allow(n):
-    return n < 1000
+    return n < LIMIT
"""


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Rounds:
    return rounds(template, tmp_path, cast)


# list


def test_a_list_has_a_line_each_and_says_how_many_block_L1(shop: Rounds) -> None:
    task = shop.found()
    lines = shop.text(shop.cast.alice, "finding", "list", task).splitlines()
    assert [re.split(r"  +", re.sub(r"^([HM]) ", r"\1  ", line)) for line in lines] == [
        ["H", "TL-T1-1-001", "HIGH", "open", "src/limit.py:2", "limit is hard-coded", "codex#1"],
        ["M", "TL-T1-1-002", "MEDIUM", "note", "no test for the limit", "codex#1"],
        ["1 open blocking of 2"],
        ["next: the next author answers: fe show T1"],
    ]


def test_a_terminal_gets_signs_for_severities(shop: Rounds) -> None:
    task = shop.found()
    shown = shop.run(shop.cast.alice, "finding", "list", task, tty=True).out.splitlines()
    assert [line[0] for line in shown[:2]] == ["▲", "●"]
    latin = shop.run(
        shop.cast.alice, "finding", "list", task, tty=True, env={"PYTHONIOENCODING": "latin-1"}
    ).out.splitlines()
    assert [line[0] for line in latin[:2]] == ["H", "M"]


def test_filters_and_json_with_one_object_per_finding(shop: Rounds) -> None:
    task = shop.found()
    assert len(shop.ids(task)) == 2
    (row,) = shop.lines(shop.cast.alice, "finding", "list", task, "--open", "--blocking")
    assert keys(row, ROW) == set()
    assert (row["severity"], row["blocking"], row["location"]) == ("HIGH", True, {"path": "src/limit.py", "line": 2})
    shop.again(task, "def allow(n):\n    return n < LIMIT\n", row["id"])
    shop.reviewed(task, rulings=[(row["id"], "VERIFIED")])
    assert shop.ids(task, "--open") == []
    assert "VERIFIED" in shop.text(shop.cast.alice, "finding", "list", task).splitlines()[0]
    assert shop.text(shop.cast.alice, "finding", "list", task, "--open") == "no findings\n"


def test_without_a_task_it_is_the_whole_project_and_looking_writes_nothing(shop: Rounds) -> None:
    shop.found()
    shop.found(HARD)
    before = shop.head()
    assert len(shop.lines(shop.cast.job, "finding", "list")) == 3
    assert shop.head() == before
    assert shop.no(shop.cast.job, "finding", "list", "nosuch", rc=3).code == "not_found"


def test_states_are_said_in_short_words(shop: Rounds) -> None:
    task = shop.found({**HARD, "title": "one"}, {**HARD, "title": "two", "location": "src/limit.py:1"})
    one, two = shop.ids(task)
    shop.done(shop.cast.claude, "start", task)
    shop.done(shop.cast.claude, "finding", "answer", one, "--fixed", "-m", "done so")
    shop.done(shop.cast.claude, "finding", "answer", two, "--rejected", "--ground", "false_positive", "-m", REASON)
    assert [line.split("  ")[2].strip() for line in _cells(shop, task)] == ["claimed fixed", "disputed"]
    shop.done(shop.cast.alice, "finding", "waive", two, "--days", "3", "-m", "next release")
    assert re.fullmatch(r"waived until \d{4}-\d\d-\d\d", _cells(shop, task)[1].split("  ")[2].strip())


def _cells(shop: Rounds, task: str) -> list[str]:
    """The lines of a list with two spaces between all cells."""
    lines = shop.text(shop.cast.alice, "finding", "list", task).splitlines()[:-2]
    return [re.sub(r"  +", "  ", line[3:]) for line in lines]


# show


def test_one_finding_in_full_with_its_history(shop: Rounds) -> None:
    task = shop.found({**HARD, "why": "operators cannot change it", "fix_patch": PATCH})
    (name,) = shop.ids(task)
    shop.done(shop.cast.claude, "start", task)
    shop.done(
        shop.cast.claude,
        "finding",
        "answer",
        name,
        "--rejected",
        "--ground",
        "misunderstood_requirement",
        "-m",
        REASON,
    )
    assert shop.text(shop.cast.alice, "finding", "show", name) == (
        "TL-T1-1-001  limit is hard-coded\n"
        "  H HIGH · disputed · src/limit.py:2 · T1\n"
        "  found by    codex#1 in attempt 1\n"
        "  problem     1000 is written in the code\n"
        "  why         operators cannot change it\n"
        "  fix         read it from the settings\n"
        "  quote       return n < 1000\n"
        f"  answered    REJECTED (misunderstood_requirement) by claude#1\n              {REASON}\n"
        "  patch       " + PATCH.rstrip("\n").replace("\n", "\n              ") + "\n"
        "  history     it 1 raised by codex#1, open  TIME\n"
        "  history     it 2 REJECTED by claude#1, open → disputed  TIME\n"
        "next: a reviewer rules on it once the work is in review: fe show T1\n"
    )


def test_the_next_step_depends_on_the_state_and_on_who_asks(shop: Rounds) -> None:
    task = shop.found()
    name, note = shop.ids(task)
    assert _next(shop, name, shop.cast.claude) == f"the next author answers: fe show {task}"
    shop.done(shop.cast.claude, "start", task)
    assert _next(shop, name, shop.cast.claude).startswith(f"fe finding answer {name} --fixed")
    assert _next(shop, name, shop.cast.codex).startswith(f"its implementer runs: fe finding answer {name}")
    assert _next(shop, note, shop.cast.codex) == f"fe finding answer {note} --track"
    shop.again(task, "def allow(n):\n    return n < LIMIT\n", name)
    assert _next(shop, name, shop.cast.codex) == f"fe finding judge {name} (--verified or --not-fixed)"
    assert (
        _next(shop, name, shop.cast.claude)
        == f"someone else rules: fe finding judge {name} (--verified or --not-fixed)"
    )
    shop.done(shop.cast.codex, "finding", "judge", name, "--verified")
    assert _next(shop, name, shop.cast.codex) == f"fe show {task}"


def _next(shop: Rounds, name: str, who: object) -> str:
    return str(shop.done(who, "finding", "show", name)["next"])  # type: ignore[arg-type]


def test_an_unknown_finding_is_3(shop: Rounds) -> None:
    assert shop.no(shop.cast.alice, "finding", "show", "TL-x-1-001", rc=3).code == "not_found"


# add


def test_a_person_points_at_a_line_and_it_blocks_L1(shop: Rounds) -> None:
    task = shop.work(LIMIT)
    said = shop.text(
        shop.cast.alice, "finding", "add", task, "src/limit.py:2", "-m", "limit is hard-coded", "--fix", "settings"
    )
    assert said == "added TL-T1-1-001 HIGH at src/limit.py:2: it blocks\nnext: fe redo T1\n"
    row = shop.lines(shop.cast.alice, "finding", "list", task)[0]
    assert (row["quote"], row["fix"], row["source"]) == ("return n < 1000", "settings", "person")
    assert "D2" in shop.no(shop.cast.alice, "approve", task).rules


def test_on_a_tasks_branch_the_task_may_be_left_out_K1(shop: Rounds) -> None:
    task = shop.work(LIMIT)
    assert (
        "not on a branch fe/TASK"
        in shop.no(shop.cast.alice, "finding", "add", "src/limit.py:2", "-m", "x", rc=2).message
    )
    shop.git("switch", "-q", f"fe/{task}")
    assert (
        shop.done(shop.cast.alice, "finding", "add", "src/limit.py", "-m", "no docstring", "--severity", "nit")["task"]
        == task
    )
    shop.git("switch", "-q", "main")
    whole = shop.done(shop.cast.alice, "finding", "add", task, "-m", "no tests at all", "--severity", "IMPORTANT")
    assert (whole["severity"], whole["location"]["path"]) == ("HIGH", "")


def test_what_is_nowhere_in_the_code_or_no_severity_is_not_added_V7(shop: Rounds) -> None:
    task = shop.work(LIMIT)
    for words in (["src/other.py:1"], ["src/limit.py:99"], ["src/limit.py", "--quote", "nowhere"]):
        assert shop.no(shop.cast.codex, "finding", "add", task, *words, "-m", "x").rules == ("V7",)
    for words in (
        ["src/limit.py", "--severity", "fyi"],
        ["src/limit.py", "--severity", "huge"],
        ["../x.py"],
        ["a", "b", "c"],
    ):
        assert shop.no(shop.cast.codex, "finding", "add", task, *words, "-m", "x", rc=2).code == "usage"
    assert shop.ids(task) == []
    assert shop.no(shop.cast.job, "finding", "add", task, "src/limit.py", "-m", "x").rules == ("I5",)


def test_again_names_the_earlier_finding_L2(shop: Rounds) -> None:
    task = shop.found(HARD)
    (name,) = shop.ids(task)
    shop.again(task, "def allow(n):\n    return n <= 1000\n", name)
    said = shop.text(
        shop.cast.alice, "finding", "add", task, "src/limit.py:2", "-m", "still hard-coded", "--again", name
    )
    assert said.splitlines()[1] == "  the same as TL-T1-1-001, raised in 2 attempts"


# respond


def test_one_answer_for_several_findings_L6(shop: Rounds) -> None:
    task = shop.found({**HARD, "title": "one"}, {**HARD, "title": "two", "location": "src/limit.py:1"})
    one, two = shop.ids(task)
    shop.done(shop.cast.claude, "start", task)
    assert shop.text(shop.cast.claude, "finding", "answer", one, "--fixed", "-m", "done").endswith(
        "TL-T1-1-001 FIXED. 1 blocking left to answer\n"
        'next: fe finding answer TL-T1-1-002 --fixed -m "what you changed" | --rejected --ground …\n'
    )
    assert shop.text(shop.cast.claude, "finding", "answer", one, two, "--fixed", "-m", "done") == (
        "TL-T1-1-001 FIXED, TL-T1-1-002 FIXED. 0 blocking left to answer\nnext: fe submit T1\n"
    )


def test_words_that_are_no_answer_are_2_and_answers_that_are_none_are_1_L7(shop: Rounds) -> None:
    task = shop.found()
    name, note = shop.ids(task)
    shop.done(shop.cast.claude, "start", task)
    for words in (
        [name],
        [name, "--fixed", "--rejected"],
        [name, note],
        ["nosuch.json"],
        [name, "--fixed", "--file", "x"],
    ):
        assert shop.no(shop.cast.claude, "finding", "answer", *words, rc=2).code == "usage"
    respond = ["finding", "answer"]
    assert shop.no(shop.cast.claude, *respond, name, "--skipped").rules == ("L6",)
    assert shop.no(
        shop.cast.claude, *respond, name, "--rejected", "--ground", "false_positive", "-m", "too hard"
    ).rules == ("L7",)
    assert shop.no(shop.cast.codex, *respond, name, "--fixed", "-m", "x").rules == ("L6",)
    assert shop.no(shop.cast.claude, *respond, "TL-x-1-001", "--fixed", "-m", "x", rc=3).code == "not_found"
    assert {row["state"] for row in shop.lines(shop.cast.alice, "finding", "list", task)} == {"open"}


def test_a_deferred_note_becomes_a_task_L6(shop: Rounds) -> None:
    task = shop.found()
    note = shop.ids(task)[1]
    shop.done(shop.cast.claude, "start", task)
    said = shop.text(
        shop.cast.claude, "finding", "answer", note, "--deferred", "--debt", "new", "-m", "after the release"
    )
    assert "  planned T2 for TL-T1-1-002" in said
    assert shop.show(shop.tasks()[1])["task"]["labels"] == ["tech-debt"]


def test_a_document_answers_everything_or_nothing_G6(shop: Rounds) -> None:
    task = shop.found()
    name, note = shop.ids(task)
    shop.done(shop.cast.claude, "start", task)
    answers = [{"issue_id": name, "action": "FIXED", "details": "done"}, {"issue_id": note, "action": "skipped"}]
    wrong = {"issue_responses": answers, "blocking_summary": {"total_blocking": 2, "unaddressed": 1}}
    refused = shop.no(shop.cast.claude, "finding", "answer", task, "--file", shop.file("answers.json", wrong))
    assert refused.rules == ("G6", "G6")
    assert "total_blocking: 2 sent, but the document has 1" in refused.text
    bad = shop.file("bad.json", {"issue_responses": [{"issue_id": name, "action": "DONE"}], "extra": 1})
    assert len(shop.no(shop.cast.claude, "finding", "answer", bad, rc=2).rules) == 2
    right = json.dumps(
        {"issue_responses": answers, "blocking_summary": {"total_blocking": 1, "fixed": 1, "unaddressed": 0}}
    )
    assert shop.done(shop.cast.claude, "finding", "answer", task, "--file", "-", input=right)["task"] == task
    assert shop.done(shop.cast.claude, "finding", "answer", shop.file("right.json", right))["task"] == task
    assert [row["state"] for row in shop.lines(shop.cast.alice, "finding", "list", task)] == ["claimed", "skipped"]


# rule


def test_a_ruling_resolves_can_be_taken_back_and_is_not_for_who_answered_L8_L18(shop: Rounds) -> None:
    task = shop.found(HARD)
    (name,) = shop.ids(task)
    shop.again(task, "def allow(n):\n    return n < LIMIT\n", name)
    assert shop.no(shop.cast.claude, "finding", "judge", name, "--verified").rules == ("L8",)
    assert shop.no(shop.cast.codex, "finding", "judge", name, "--accepted").rules == ("L9",)
    seen = shop.show(task)["attempts"][-1]["seen"]
    assert shop.text(shop.cast.codex, "finding", "judge", name, "--verified") == (
        f"TL-T1-1-001 VERIFIED. No blocking finding is open\nnext: fe approve T1 --seen {seen}\n"
    )
    assert shop.text(shop.cast.codex, "finding", "judge", name, "--take-back").startswith(
        "withdrew VERIFIED on TL-T1-1-001"
    )
    assert shop.text(shop.cast.codex, "finding", "judge", name, "--not-fixed", "-m", "it is not").startswith(
        "TL-T1-1-001 NOT_FIXED. 1 blocking finding is still open, so the task was sent back\n"
    )
    assert shop.status(task) == "open"


@pytest.mark.parametrize(
    "words", [[], ["--verified", "--accepted"], ["--take-back", "--verified"]], ids=["none", "two", "both"]
)
def test_one_ruling_at_a_time(shop: Rounds, words: list[str]) -> None:
    assert shop.no(shop.cast.codex, "finding", "judge", "TL-x-1-001", *words, rc=2).code == "usage"


# waive, track, apply, import, export


def test_a_waiver_is_a_persons_and_stays_on_the_page_E3(shop: Rounds) -> None:
    task = shop.found(HARD)
    (name,) = shop.ids(task)
    assert shop.no(shop.cast.codex, "finding", "waive", name, "-m", "later").rules == ("E3",)
    assert shop.no(shop.cast.alice, "finding", "waive", name, "--days", "0", "-m", "x", rc=2).code == "usage"
    assert shop.text(shop.cast.alice, "finding", "waive", name, "-m", "next release").startswith(
        "waived TL-T1-1-001 until "
    )
    page = shop.text(shop.cast.alice, "show", task)
    assert re.search(
        r'\n  waived      TL-T1-1-001 HIGH limit is hard-coded, until \d{4}-\d\d-\d\d by .*: "next release"\n', page
    )
    assert "findings    0 open blocking of 1" in page


def test_notes_become_tasks_once_L16(shop: Rounds) -> None:
    task = shop.found()
    name, note = shop.ids(task)
    assert shop.no(shop.cast.alice, "finding", "track", name).rules == ("L16",)
    assert shop.no(shop.cast.alice, "finding", "track", rc=2).code == "usage"
    assert shop.text(shop.cast.alice, "finding", "track", "--task", task) == (
        "planned 1 follow-up task\n  TL-T1-1-002 is T2\nnext: fe list --ready\n"
    )
    assert shop.done(shop.cast.alice, "finding", "track", note)["changed"] is False


def test_a_patch_is_tried_and_applied_as_a_whole_and_the_page_says_so_L3(shop: Rounds) -> None:
    task = shop.found({**HARD, "fix_patch": PATCH})
    (name,) = shop.ids(task)
    assert shop.no(shop.cast.claude, "finding", "apply", name).rules == ("L3",)
    shop.git("switch", "-q", f"fe/{task}")
    assert shop.text(shop.cast.claude, "finding", "apply", name, "--try") == (
        "the patch of TL-T1-1-001 applies\nnext: fe finding answer TL-T1-1-001 --apply\n"
    )
    assert "1000" in (shop.repo / "src/limit.py").read_text()
    shop.done(shop.cast.claude, "finding", "apply", name)
    assert "LIMIT" in (shop.repo / "src/limit.py").read_text()
    assert re.search(
        r"\n  patch       TIME claude#1 .* applied the patch of TL-T1-1-001", shop.text(shop.cast.alice, "show", task)
    )


def test_what_a_tool_found_comes_in_and_goes_out_as_sarif(shop: Rounds) -> None:
    task = shop.work(LIMIT)
    place = {"physicalLocation": {"artifactLocation": {"uri": "src/limit.py"}, "region": {"startLine": 2}}}
    result = {"ruleId": "PLR2004", "level": "error", "message": {"text": "magic value"}, "locations": [place]}
    sarif = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "scan"}}, "results": [result]}]}
    said = shop.text(shop.cast.alice, "finding", "import", task, shop.file("scan.sarif", sarif))
    assert said.startswith("1 new, 0 known, 0 unchanged, 0 outside the change\n  CK-T1-1-001\n")
    out = json.loads(shop.run(shop.cast.alice, "finding", "export", task).out)
    assert (out["version"], out["runs"][0]["results"][0]["ruleId"]) == ("2.1.0", "PLR2004")
    assert shop.no(shop.cast.alice, "finding", "import", task, "nosuch.sarif", rc=2).code == "usage"
    assert shop.no(shop.cast.alice, "finding", "import", task, shop.file("x.txt", "prose"), rc=2).code == "usage"


# withdraw


def test_who_raised_a_finding_withdraws_it_with_a_reason_and_others_are_told_who_does_L4(shop: Rounds) -> None:
    task = shop.found(HARD)
    (name,) = shop.ids(task)
    assert "T2" in shop.text(shop.cast.codex, "finding", "withdraw", name, rc=1)
    assert "its reviewer" in shop.text(shop.cast.claude, "finding", "withdraw", name, "-m", REASON, rc=1)
    said = shop.text(shop.cast.codex, "finding", "withdraw", name, "-m", REASON)
    assert said.startswith("withdrew TL-T1-1-001. No blocking finding is open\n")
    (row,) = shop.lines(shop.cast.alice, "finding", "list", task)
    assert (row["state"], row["blocking"]) == ("resolved", True)
    assert "withdrawn" in shop.text(shop.cast.alice, "finding", "show", name)
    assert "is withdrawn already" in shop.text(shop.cast.codex, "finding", "withdraw", name, "-m", REASON, rc=1)
