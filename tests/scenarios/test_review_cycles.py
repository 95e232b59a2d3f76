"""Review cycles as people and agents live them without a runner: by commands, in terminals of their own (V1, V8)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.stage.commands import Cast
from tests.stage.documents import review_result
from tests.stage.shop_loop import ATOMIC, Loop, loop_at, loop_template

PEERS = '\n[review.peers]\nreviewers = ["codex", "gemini"]\nask = 2\n'
CONCERNS: dict[str, Any] = {"verdict": "concerns", "summary": "the counter is not atomic"}


@pytest.fixture
def loop(tmp_path: Path, template: Path, cast: Cast) -> Loop:
    """A project where an approval settles at once."""
    return loop_at(tmp_path / "shop", loop_template(tmp_path / "loops", template, cast), cast)


def test_a_person_lets_reviewers_look_in_the_middle_of_work_and_what_they_find_binds_it_V1(loop: Loop) -> None:
    loop.configure(PEERS)
    cast, task = loop.cast, loop.plan()
    place = Path(loop.done(cast.claude, "start", task, "--worktree")["worktree"])
    place = place if place.is_absolute() else loop.repo / place
    (place / "limit.py").write_text("LIMIT = 1000\n")
    said = loop.run(cast.alice, "review", "now", task, "-m", "is this the way?").out
    assert "opened the review cycle c-1" in said
    assert "c-1  USER_MANUAL" in loop.run(cast.alice, "review", "show", "c-1").out
    issue = {"severity": "HIGH", "title": "limit is hard-coded", "file": "limit.py", "line": 1, "fix": "a setting"}
    shown = loop.run(cast.codex, "review", "show", "c-1").out
    diff = shown.partition(f"about {task} early review 1 (diff ")[2].partition(")")[0]
    document = json.dumps(review_result([issue], verdict="concerns", files_reviewed=["limit.py"], diff_id=diff))
    done = loop.done(cast.codex, "review", "submit", task, "-", input=document)
    assert (len(done["raised"]), done["task_status"]) == (1, "in_progress")
    assert f"{task} early review 1" in loop.run(cast.alice, "review", "list").out
    assert "LIMIT" in loop.git("show", f"refs/foureyes/looks/{task}/1:limit.py")
    loop.verify()


def test_a_blocker_alone_keeps_work_from_main_until_a_person_lifts_it_R1_D3(loop: Loop) -> None:
    cast, work = loop.cast, loop.handed()
    said = loop.run(cast.gemini, "approve", work.task, "--seen", work.seen, "-m", "read it").out
    assert f"approved {work.task}" in said
    recorded = loop.review(work, by=cast.codex, verdict="blocker", summary="MD5 is used", files_reviewed=[])
    assert recorded["message"].startswith("blocker, 0 findings. The task is held")
    assert "codex#1 reported a blocker: MD5 is used" in loop.run(cast.alice, "attention").out
    assert loop.merge(cast.job) == {work.task: "waiting"}
    assert "held: codex#1 reported a blocker" in loop.run(cast.alice, "merge", "--list").out
    loop.done(cast.alice, "resume", work.task, "-m", "it is a test vector")
    assert loop.merge(cast.job) == {work.task: "merged"}
    loop.verify()


def test_a_blocker_in_an_open_cycle_is_not_approved_past_and_its_reviewer_withdraws_it_R1_V8(loop: Loop) -> None:
    loop.configure(PEERS)
    cast, work = loop.cast, loop.handed()
    loop.review(work, by=cast.codex, verdict="blocker", summary="MD5 is used")
    for who in (cast.qwen, cast.alice):
        refused = loop.run(who, "approve", work.task, "--seen", work.seen, "-m", "fine")
        assert (refused.rc, f"{work.task} is held: codex#1 reported a blocker: MD5 is used" in refused.err) == (1, True)
    listed = loop.run(cast.alice, "review", "list").out
    assert "R1: codex reported a blocker" in listed
    assert (
        "A person must resume it, or its reviewer must withdraw the blocker." in loop.run(cast.alice, "attention").out
    )
    agreed = loop.review(work, by=cast.gemini)
    assert ("c-1 was already decided (R1)" in agreed["notes"], agreed["next"]) == (True, f"fe show {work.task}")
    withdrawn = loop.review(work, by=cast.codex)
    assert "your blocker is withdrawn, and the hold is lifted (R1)" in withdrawn["notes"]
    loop.approve(cast.alice, work)
    assert "held" not in loop.run(cast.alice, "attention").out
    assert f"next: fe show {work.task}" in loop.run(cast.alice, "review", "show", "c-1").out
    loop.verify()


def test_two_concerns_that_nobody_asked_for_pause_at_once_R2_R3(loop: Loop) -> None:
    cast, work = loop.cast, loop.handed()
    document = loop.document(work, verdict="concerns", summary="no lock")
    said = loop.run(cast.codex, "review", "submit", work.task, "-", input=json.dumps(document)).out
    assert f"reviewed {work.task}, attempt 1: concerns, 0 findings" in said
    assert "no lock" in loop.run(cast.alice, "finding", "list", "--concerns").out
    loop.review(work, by=cast.gemini, **CONCERNS)
    refused = loop.run(cast.qwen, "approve", work.task, "--seen", work.seen, "-m", "fine")
    assert (refused.rc, "two reviewers have concerns" in refused.err) == (1, True)
    assert "p2 gemini#1: the counter is not atomic" in loop.run(cast.claude, "review", "show", "c-1").out
    assert "PAUSED" in loop.run(cast.alice, "attention").out
    third = loop.review(work, by=cast.qwen)
    assert "c-1 waits for the answers to its questions" in third["notes"]
    assert third["next"] == f"fe show {work.task}", "it could not approve now"
    loop.verify()


def test_the_blocker_of_an_agent_that_nobody_named_is_set_aside_in_one_step_R1_E6(loop: Loop) -> None:
    loop.configure('\n[review.peers]\nreviewers = ["codex"]\n')
    cast, work = loop.cast, loop.handed()
    loop.review(work, by=cast.qwen, verdict="blocker", summary="I do not like it")
    loop.review(work, by=cast.codex)
    assert "R1" in loop.run(cast.gemini, "approve", work.task, "--seen", work.seen, "-m", "fine").err
    (row,) = [row for row in loop.lines(cast.alice, "attention") if "was not asked to review" in row["text"]]
    agent = row["id"].split()[-1]
    said = loop.run(cast.alice, "resume", "--agent", agent, "-m", "it reviews nothing here").out
    assert "the blockers of qwen#1 are dismissed" in said
    loop.approve(cast.gemini, work, "-m", "fine")
    loop.verify()


RED = "test ! -f limit.py || ! grep -q RED limit.py"


def test_nothing_but_a_person_or_its_reviewer_lifts_a_blocker_R1_V9(loop: Loop) -> None:
    loop.configure(f'{PEERS}\n[[checks]]\nname = "lint"\nrun = "{RED}"\n')
    cast, work = loop.cast, loop.handed(files={"limit.py": "RED = 1\n"})

    def stops() -> bool:
        held = str(loop.show(work.task)["task"]["hold"])
        return held == "codex#1 reported a blocker: it deletes the database"

    loop.review(work, by=cast.codex, verdict="blocker", summary="it deletes the database")
    assert (loop.checked(cast.job, work.task, rc=6)["status"], stops()) == ("reviewing", True), "a red check"
    loop.commit(work.branch, {"limit.py": "RED = 2\n"})
    again = loop.submit(cast.claude, work.task)
    assert stops(), "a submission"
    loop.done(cast.alice, "review", "end", "c-2", "-m", "enough")
    assert stops(), "the end of a cycle"
    loop.review(again, [ATOMIC | {"file": "limit.py", "line": 1, "quote": "RED = 2"}], by=cast.gemini)
    assert (loop.status(work.task), stops()) == ("reviewing", True), "findings"
    for who in (cast.codex, cast.gemini, cast.claude):
        assert loop.run(who, "resume", work.task, "-m", "go on").rc == 1
    loop.done(cast.qwen, "redo", work.task, "-m", "no", "--seen", again.seen)
    assert stops(), "an agent's redo"
    assert loop.run(cast.claude, "start", work.task).rc == 1
    loop.done(cast.alice, "resume", work.task, "-m", "I looked")
    loop.done(cast.claude, "start", work.task)
    loop.verify()


@pytest.mark.parametrize("label", ["review:skip", "review:auto"])
def test_a_blocker_stops_what_a_rule_approves_and_a_runner_tells_a_person_R1_M4(
    loop: Loop, tmp_path: Path, label: str
) -> None:
    said = tmp_path / "said"
    loop.configure(f'\n[run]\nnotify = "cat >> {said}"\n\n[[checks]]\nname = "lint"\nrun = "true"\n')
    cast, work = loop.cast, loop.handed("--label", label)
    loop.review(work, by=cast.codex, verdict="blocker", summary="MD5 is used", files_reviewed=[])
    before = loop.status(work.task)
    assert before == ("approved" if label == "review:skip" else "reviewing")
    assert "held by a reviewer" in loop.run(cast.alice, "watch", "--until-idle").err
    assert (loop.status(work.task), loop.merge()) == (before, {work.task: "waiting"} if before == "approved" else {})
    assert f"{work.task} is held by a reviewer: codex#1 reported a blocker: MD5 is used (R1)\n" in said.read_text()
    loop.verify()


def test_the_result_document_of_the_review_specification_is_accepted_as_it_stands_V3_V6(loop: Loop) -> None:
    cast, work = loop.cast, loop.handed(files={"auth_controller.py": "import md5\n"})
    issue = {
        "severity": "high", "description": "Password hashing is using MD5, must use Argon2.", "file": "auth_controller.py",
    }  # fmt: skip
    document: dict[str, Any] = {
        "type": "review_result", "reviewer": "codex", "timestamp": "2026-11-19T22:00:00Z",
        "payload": {
            "verdict": "approved", "summary": "Auth logic looks solid.", "issues": [],
        },
    }  # fmt: skip
    text = json.dumps(document)
    said = loop.run(cast.codex, "review", "submit", work.task, "-", "--seen", work.seen, input=text).out
    assert "approved, 0 findings" in said
    assert (
        "the approval is incomplete, because 1 changed file is not in files_reviewed: auth_controller.py (V6)" in said
    )
    document["payload"] |= {"verdict": "concerns", "issues": [issue]}
    text = json.dumps(document)
    said = loop.run(cast.codex, "review", "submit", work.task, "-", "--seen", work.seen, input=text).out
    assert "concerns, 1 finding. 1 blocking finding is still open, so the task was sent back" in said
    (finding,) = loop.findings(work.task)
    assert (finding["title"], finding["severity"]) == ("Password hashing is using MD5, must use Argon2", "HIGH")
    assert loop.run(cast.gemini, "review", "submit", work.task, "-", "--seen", work.seen, input=text).rc == 1
    loop.verify()
