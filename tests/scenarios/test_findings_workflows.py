"""The findings loop as stories on the command line: the four workflows, the six integration tests, the tables of L12
and L13.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.stage.commands import Cast, SubmissionTime
from tests.stage.shop import RUNNER
from tests.stage.shop import TESTS as TESTS_CHECK
from tests.stage.shop_loop import ATOMIC, CODED, EMPTY, LIMIT_PY, NAMED, WHY, Loop, loop_at, loop_template, nth

pytestmark = pytest.mark.scenario

SIX = {"six.py": "".join(f"VALUE_{number} = {number}\n" for number in range(6))}
ISSUES = [
    {
        "severity": "HIGH",
        "title": f"value {n} is a guess",
        "location": f"six.py:{n + 1}",
        "fix": "measure it",
        "quote": f"VALUE_{n} = {n}",
    }
    for n in range(6)
]
SAME = ("tier", "round", "no_progress", "warning", "waiting_for", "why")
FIXED = LIMIT_PY.replace("< 1000", "< LIMIT").replace(
    "    seen[key] += 1\n", "    with lock:\n        seen[key] += 1\n"
)
WARNS = "One more round without fixes escalates"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, template: Path, cast: Cast) -> Path:
    """A project where an approval settles at once."""
    return loop_template(tmp_path_factory.mktemp("loops"), template, cast)


@pytest.fixture
def loop(tmp_path: Path, project: Path, cast: Cast) -> Loop:
    """A fresh copy of it."""
    return loop_at(tmp_path / "shop", project, cast)


def agree(loop: Loop, task: str, purpose: str = "respond") -> Any:
    """Every face says the same about the loop; what `fe show --rounds` says."""
    said = loop.loop(task)
    page = loop.show(task)
    assert page["loop"] == {key: said[key] for key in page["loop"]}
    assert {key: said[key] for key in SAME} == {key: page["loop"][key] for key in SAME}
    prompt, context = loop.prompt(task, purpose), loop.context(task)
    for words in (said["warning"], said["why"] if said["waiting_for"] else ""):
        assert all(words in face for face in (prompt, context, page["escalation"]))
    for row in said["rounds"] if purpose == "lead" else ():
        assert (
            f"iteration {row['n']} ({row['tier']}): found {row['raised']}, fixed {row['fixed'] if row['n'] > 1 else '–'}"
            in prompt
        )
    return said


def table(said: Any) -> list[tuple[Any, ...]]:
    """The rounds as L12 writes them: iteration, found, fixed, no_progress, action."""
    return [(row["n"], row["raised"], row["fixed"], row["no_progress"], row["action"]) for row in said["rounds"]]


def played(
    loop: Loop, work: SubmissionTime, names: Sequence[str], fixed: Sequence[int]
) -> tuple[SubmissionTime, list[str]]:
    """Rounds in which everything open is claimed to be fixed, and the reviewer verifies as many as told."""
    left = list(names)
    for number in fixed:
        work = loop.again(work.task, {**SIX, "round.py": f"ROUND = {work.attempt + 1}\n"}, dict.fromkeys(left, "FIXED"))
        rulings = {name: "VERIFIED" if n < number else "NOT_FIXED" for n, name in enumerate(left)}
        assert loop.review(work, rulings=rulings)["sent_back"] is bool(left[number:])
        left = left[number:]
    return work, left


# The diagrams


def test_the_happy_path_notes_only_approved_with_notes_merged_and_the_notes_become_tasks_L5_L16(loop: Loop) -> None:
    work = loop.handed()
    done = loop.review(work, [NAMED, EMPTY], status="APPROVED_WITH_NOTES")
    assert (done["status"], done["counts"], done["sent_back"], done["task_status"]) == (
        "APPROVED_WITH_NOTES",
        True,
        False,
        "reviewing",
    )
    loop.approve(loop.cast.codex, work)
    assert loop.merge() == {work.task: "merged"}
    planned = loop.done(loop.cast.alice, "finding", "track", "--task", work.task)
    assert planned["message"] == "planned 2 follow-up tasks"
    notes = {row["title"]: row for row in loop.lines(loop.cast.alice, "list") if "tech-debt" in row["labels"]}
    assert set(notes) == {NAMED["title"], EMPTY["title"]}
    assert not loop.done(loop.cast.alice, "finding", "track", "--task", work.task)["changed"]
    assert loop.done(loop.cast.alice, "validate")["complete"]
    loop.verify()


def test_the_standard_loop_fixes_two_defers_one_skips_one_is_looked_at_again_approved_and_merged_L6_L8_L15(
    loop: Loop,
) -> None:
    cast, work = loop.cast, loop.handed()
    first = loop.review(work, [ATOMIC, CODED, NAMED, EMPTY], status="CHANGES_REQUIRED")
    assert (first["status"], first["sent_back"], first["task_status"]) == ("CHANGES_REQUESTED", True, "open")
    atomic, coded, named, empty = first["raised"]
    assert [name.rpartition("-")[2] for name in first["raised"]] == ["001", "002", "003", "004"]
    started = loop.run(cast.claude, "start", work.task)
    assert "4 findings are open" in started.out
    prompt = loop.prompt(work.task, "respond")
    assert all(name in prompt for name in (atomic, coded, named, empty))
    loop.answer(work.task, {atomic: "FIXED", coded: "FIXED", named: "DEFERRED"})
    loop.commit(f"fe/{work.task}", {"limit.py": FIXED})
    again = loop.submit(cast.claude, work.task)
    assert loop.states(work.task) == {atomic: "claimed", coded: "claimed", named: "deferred", empty: "skipped"}
    assert [row["title"] for row in loop.lines(cast.alice, "list") if "tech-debt" in row["labels"]] == [NAMED["title"]]
    asked = loop.done(cast.codex, "review", "request", work.task)
    assert (asked["is_re_review"], asked["iteration"]) == (True, 2)
    assert {one["id"]: one["answer"] for one in asked["context"]["open_findings"]} == {atomic: "FIXED", coded: "FIXED"}
    second = loop.review(again, rulings={atomic: "VERIFIED", coded: "VERIFIED"})
    assert (second["status"], second["counts"], second["ruled"]) == (
        "APPROVED",
        True,
        [f"{atomic} VERIFIED", f"{coded} VERIFIED"],
    )
    loop.approve(cast.codex, again, "-m", "both are fixed")
    assert (loop.merge(), loop.on_main("limit.py") + "\n") == ({work.task: "merged"}, FIXED)
    assert table(loop.loop(work.task))[1][:4] == (2, 0, 2, 0)
    loop.verify()


def test_the_developer_rejects_with_a_reason_the_reviewer_accepts_and_it_is_never_raised_again_as_it_was_L7_L9(
    loop: Loop,
) -> None:
    cast, work = loop.cast, loop.handed()
    atomic, coded = loop.review(work, [ATOMIC, CODED])["raised"]
    loop.done(cast.claude, "start", work.task)
    for words in (
        ("-m", WHY),
        ("--ground", "false_positive", "-m", "too hard"),
        ("--ground", "false_positive", "-m", "I disagree."),
    ):
        assert "L7" in loop.no(cast.claude, "finding", "answer", atomic, "--rejected", *words).rules
    loop.answer(work.task, {atomic: "REJECTED", coded: "FIXED"})
    loop.commit(f"fe/{work.task}", {"limit.py": LIMIT_PY.replace("< 1000", "< LIMIT")})
    again = loop.submit(cast.claude, work.task)
    assert WHY in loop.prompt(work.task, "rereview")
    assert loop.states(work.task) == {atomic: "disputed", coded: "claimed"}
    done = loop.review(again, rulings={atomic: "ACCEPTED", coded: "VERIFIED"})
    assert (done["status"], done["counts"]) == ("APPROVED", True)
    before = loop.head()
    same = loop.send(again, loop.document(again, [ATOMIC]), by=cast.gemini)
    assert (same.rc, "L9" in same.out) == (1, True)
    assert loop.head() == before
    loop.approve(cast.gemini, again)
    assert loop.merge() == {work.task: "merged"}


@pytest.fixture(scope="module")
def at_the_lead(
    tmp_path_factory: pytest.TempPathFactory, project: Path, cast: Cast
) -> tuple[Path, SubmissionTime, list[str]]:
    """L12's first table, and two more rounds of tier senior without progress: the loop waits for the lead."""
    loop = loop_at(tmp_path_factory.mktemp("lead") / "shop", project, cast)
    work = loop.handed(files=SIX)
    names = loop.review(work, ISSUES)["raised"]
    work, left = played(loop, work, names, (4, 1, 0))
    near = agree(loop, work.task)
    assert (near["tier"], near["no_progress"], WARNS in near["warning"]) == ("developer", 1, True)
    work, left = played(loop, work, left, (0,))
    senior = agree(loop, work.task)
    assert table(senior) == [
        (1, 6, 0, 0, "continue"),
        (2, 0, 4, 0, "continue"),
        (3, 0, 1, 0, "continue"),
        (4, 0, 0, 1, "warn"),
        (5, 0, 0, 2, "escalate"),
    ]
    assert (senior["tier"], senior["round"], senior["no_progress"], senior["escalations"]) == ("senior", 0, 0, 1)
    work, left = played(loop, work, left, (0, 0))
    return loop.repo, work, left


def test_L12_the_first_table_escalates_to_senior_then_the_lead_and_every_face_says_so_E1_E5(
    tmp_path: Path, at_the_lead: tuple[Path, SubmissionTime, list[str]], cast: Cast
) -> None:
    loop, work = loop_at(tmp_path / "shop", at_the_lead[0], cast), at_the_lead[1]
    said = agree(loop, work.task, "lead")
    assert (said["tier"], said["waiting_for"], said["escalations"], len(said["rounds"])) == ("lead", "lead", 2, 7)
    assert [(row["tier"], row["action"]) for row in said["rounds"][5:]] == [("senior", "warn"), ("senior", "escalate")]
    assert said["why"] in loop.run(cast.alice, "show", work.task).out
    prompt = loop.prompt(work.task, "lead")
    assert all(f"fe lead {option} {work.task}" in prompt for option in ("split", "senior", "fresh", "ask", "continue"))
    loop.no(cast.alice, "approve", work.task, "--break-glass", "we ship today")
    for who in (cast.claude, cast.codex):
        assert "E2" in loop.no(who, "lead", "senior", work.task, "-m", "go on").rules
    loop.no(cast.alice, "lead", "senior", work.task, rules=["T2"])


@pytest.mark.parametrize(
    ("option", "tier", "waits", "status"),
    [
        ("continue", "senior", "", "open"), ("senior", "senior", "", "open"), ("fresh", "developer", "", "open"),
        ("ask", "user", "user", "open"), ("split", "developer", "", "open"),
    ],
)  # fmt: skip
def test_the_leads_options_and_none_of_them_approves_E3_D2(
    tmp_path: Path,
    at_the_lead: tuple[Path, SubmissionTime, list[str]],
    cast: Cast,
    option: str,
    tier: str,
    waits: str,
    status: str,
) -> None:
    made, work, left = at_the_lead
    loop = loop_at(tmp_path / "shop", made, cast)
    parts = ("--into", "Measure the last value") if option == "split" else ()
    loop.done(cast.alice, "lead", option, work.task, "-m", "measure first", *parts)
    said = loop.loop(work.task)
    assert (said["tier"], said["waiting_for"], loop.status(work.task)) == (tier, waits, status)
    assert loop.open_ids(work.task) == left
    if option == "split":
        (part,) = [row["id"] for row in loop.lines(cast.alice, "list") if row["title"] == "Measure the last value"]
        assert [row["id"] for row in loop.lines(cast.alice, "ready")] == [part]
    if option == "continue":
        again = loop.again(work.task, {"round.py": "ROUND = 8\n"}, dict.fromkeys(left, "FIXED"))
        loop.no(cast.alice, "approve", work.task, "--break-glass", "we ship today", rules=["D2"])
        assert loop.review(again, rulings=dict.fromkeys(left, "NOT_FIXED"))["sent_back"]


# The six integration tests


def test_one_loop_without_issues_is_approved(loop: Loop) -> None:
    work = loop.handed()
    done = loop.review(work, status="APPROVED")
    assert (done["status"], done["counts"], done["raised"]) == ("APPROVED", True, [])
    loop.approve(loop.cast.gemini, work)
    assert loop.merge() == {work.task: "merged"}
    assert loop.findings(work.task) == []


def test_a_new_critical_in_the_second_look_sends_it_back_and_new_notes_do_not_L10_L11(loop: Loop) -> None:
    work = loop.handed()
    (coded,) = loop.review(work, [CODED])["raised"]
    again = loop.again(work.task, nth(2), {coded: "FIXED"})
    done = loop.review(again, [ATOMIC, EMPTY], {coded: "VERIFIED"})
    assert (done["status"], done["sent_back"], len(done["raised"])) == ("CHANGES_REQUESTED", True, 2)
    rows = {row["title"]: row for row in loop.findings(work.task)}
    assert (rows[ATOMIC["title"]]["blocking"], rows[EMPTY["title"]]["note"]) == (True, True)
    assert table(loop.loop(work.task)) == [(1, 1, 0, 0, "continue"), (2, 1, 1, 0, "continue")]
    third = loop.again(work.task, {"limit.py": FIXED}, {done["raised"][0]: "FIXED"})
    assert loop.review(third, rulings={done["raised"][0]: "VERIFIED"})["status"] == "APPROVED"


def test_the_iteration_limit_escalates_L12_second_table_E1(loop: Loop) -> None:
    work = loop.handed(files=SIX)
    names = loop.review(work, ISSUES)["raised"]
    work, left = played(loop, work, names, (0, 2, 1))
    near = loop.loop(work.task)
    assert (near["no_progress"], "limit 5" in near["warning"]) == (0, True)
    played(loop, work, left, (1,))
    said = agree(loop, work.task)
    assert table(said) == [
        (1, 6, 0, 0, "continue"),
        (2, 0, 0, 1, "warn"),
        (3, 0, 2, 0, "continue"),
        (4, 0, 1, 0, "warn"),
        (5, 0, 1, 0, "escalate"),
    ]
    assert (said["tier"], said["no_progress"]) == ("senior", 0)


def test_the_validator_refuses_while_blocking_issues_are_unresolved_and_names_them_X4(loop: Loop) -> None:
    work = loop.handed()
    atomic, coded = loop.review(work, [ATOMIC, CODED])["raised"]
    for answers in ({}, {atomic: "FIXED", coded: "REJECTED"}):
        if answers:
            loop.again(work.task, nth(2), answers)
        refused = loop.run(loop.cast.alice, "validate")
        assert refused.rc == 6
        assert f"Unresolved blocking review issues: {atomic}, {coded} ({work.task})" in refused.out + refused.err
    for who in (loop.cast.claude, loop.cast.job):
        assert loop.run(who, "validate", "--json").rc == 6


# L13


def test_L13_failing_tests_loop_by_what_the_check_says_and_only_new_failures_are_no_progress(loop: Loop) -> None:
    loop.configure(TESTS_CHECK, {"tests/run.sh": RUNNER, "tests/test_base.sh": "true\n"})
    task = loop.plan()
    tests = {f"tests/test_{name}.sh": f"grep -q {name} done.txt\n" for name in "abcde"}
    new = {f"tests/test_{name}.sh": f"grep -q {name} done.txt\n" for name in "fg"}
    rounds: list[dict[str, str]] = [
        {**tests, "done.txt": "-\n"},
        {"done.txt": "abc\n"},
        {**new, "done.txt": "abc!\n"},
        {"done.txt": "abcde\n"},
    ]
    made = []
    for files in rounds:
        loop.deliver(loop.cast.claude, task, files)
        report = loop.checked(loop.cast.job, task, rc=6)
        made.append(loop.done(loop.cast.alice, "export", "handoff", task, "--role", "qa"))
        if report["status"] == "reviewing":
            loop.done(loop.cast.alice, "redo", task, "-m", "tests fail")
    assert [row["progress_made"] for row in made] == [False, True, False, True]
    assert [len(row["test_tracking"]["fixed_since_start"]) for row in made] == [0, 3, 3, 5]
    assert [len(row["test_tracking"]["new_failures"]) for row in made] == [0, 0, 2, 2]
    said = agree(loop, task)
    assert [(row["raised"], row["fixed"], row["no_progress"]) for row in said["rounds"]] == [
        (5, 0, 0),
        (0, 3, 0),
        (2, 0, 1),
        (0, 2, 0),
    ]
