"""Reviews (V3, V5, V6, L5, D7): what a review_result must be, what it comes to, and what is stored of one that is
refused.
"""

from __future__ import annotations

from typing import Any

import pytest

from foureyes.core.nouns.session import Actor
from foureyes.errors import BadInput, NotFound, Refused
from foureyes.ui.steps import steps_text

from tests.stage.documents import review_result
from tests.stage.gated import configure
from tests.stage.looped import about, again, findings, issue, review, send, sent_back_to_its_reviewer, states, texts
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, asserted
from tests.stage.world import DeskWorld

PROSE = b"LGTM. No blocker found, I would merge this."


def test_a_review_without_findings_approves_and_is_kept_whole_V3(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    done = review(desk, task)
    assert (done.verdict, done.effective, done.status, done.counts, done.sent_back) == (
        "approved",
        "approved",
        "APPROVED",
        True,
        False,
    )
    (kept,) = desk.show(task).reviews
    assert (kept.session, kept.attempt, kept.diff_id, kept.is_whole) == (CODEX.session, 1, done.diff_id, True)
    assert desk.status(task) == "reviewing", "a review is no approval"
    assert steps_text(done.next) == f"fe approve {task}"


@pytest.mark.parametrize(
    "raw", [PROSE, b"", b"[]", b"{", b"null", b'"approved"', b"\xff\xfe", b'{"verdict": "approved"}', b"[" * 100_000]
)
def test_what_is_no_review_result_is_no_review_and_goes_back_V3(desk: DeskWorld, raw: bytes) -> None:
    task = desk.submitted_task()
    with sent_back_to_its_reviewer(desk, task, "V3"):
        send(desk, task, raw)
    assert desk.status(task) == "reviewing"


def test_every_wrong_field_is_named_at_once_V3_G2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    said = about(desk, task, [issue("", "WORSE"), {"title": 1}], verdict="fine", surprise=True, files_reviewed="all")
    with sent_back_to_its_reviewer(desk, task, "V3") as reasons:
        send(desk, task, said)
    told = texts(reasons)
    for path in (
        "payload.verdict",
        "issues[0].severity",
        "issues[1].title",
        "issues[1].severity",
        "payload.surprise",
        "payload.files_reviewed",
    ):
        assert path in told, path


WRONG: dict[str, tuple[dict[str, Any], str, str]] = {
    "a severity that is none": (issue(severity="URGENT"), "V3", "severity"),
    "blocking that contradicts its severity": (issue(blocking=False), "L1", "issues[0].blocking"),
    "a note that blocks": (issue(severity="FYI", blocking=True), "L1", "issues[0].blocking"),
    "no title": (issue("  "), "L3", "issues[0].title"),
    "a path that leaves the repository": (issue(file="../secret"), "L3", "issues[0].file"),
    "an absolute path": (issue(location="/etc/passwd:3"), "L3", "issues[0].location"),
    "a line of no file": (issue(line=3), "L3", "issues[0].line"),
    "two places": (issue(file="a.py", location="b.py:3"), "L3", "contradict"),
    "problem and description that differ": (issue(problem="a", description="b"), "L3", "description"),
    "a control character": (issue("\x1b[2Jcleared"), "V3", "title"),
    "a field nobody knows": (issue(state="resolved"), "V3", "issues[0].state"),
    "a root of its own choice": (issue(root="TL-x-1-001"), "V3", "issues[0].root"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_issue_is_named_and_nothing_of_the_review_is_stored_L1_L3(desk: DeskWorld, case: str) -> None:
    wrong, rule, where = WRONG[case]
    task = desk.submitted_task()
    good = issue("a good one", "CRITICAL")
    with sent_back_to_its_reviewer(desk, task, rule) as reasons:
        send(desk, task, about(desk, task, [wrong, good]))
    assert where in texts(reasons)


def test_a_person_whose_document_is_wrong_is_only_told_V3(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    with desk.refused("V3", error=BadInput):
        send(desk, task, PROSE, by=BOB)


# Who reviews


@pytest.mark.parametrize("name", ["gemini", "ses-gemini1", "claude#1", "alice@box"])
def test_a_document_that_names_another_reviewer_is_refused_V3(desk: DeskWorld, name: str) -> None:
    task = desk.submitted_task()
    with desk.refused("V3") as caught:
        send(desk, task, about(desk, task) | {"reviewer": name})
    assert name in caught[0].reasons[0].message


def test_a_reviewer_may_name_itself_by_session_or_name_V3(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task)
    for name in (CODEX.session, "codex#1", "codex", "Codex"):
        assert send(desk, task, about(desk, task) | {"reviewer": name}).counts
    assert send(desk, task, about(desk, task) | {"reviewer": "bob@box"}, by=BOB).counts


@pytest.mark.parametrize(("who", "rule"), [(CI, "I5"), (asserted(CODEX), "I1"), (asserted(BOB), "I1")])
def test_services_and_names_that_somebody_typed_do_not_review_I1_I5(desk: DeskWorld, who: Actor, rule: str) -> None:
    task = desk.submitted_task()
    with desk.refused(rule):
        review(desk, task, by=who)
    with desk.refused(rule):
        send(desk, task, PROSE, by=who)


def test_a_review_token_may_review_its_task_only_I2(desk: DeskWorld) -> None:
    task, other = desk.submitted_task(), desk.submitted_task(GEMINI)
    reviewer = desk.spawn(BOB, task, "review")
    assert review(desk, task, [issue()], by=reviewer).raised
    with desk.refused("I2"):
        review(desk, other, by=reviewer)
    with desk.refused("I2"):
        desk.app.exchange.take_in(reviewer, task, b"{}")


def test_an_implement_token_may_not_review_its_own_task_I2(desk: DeskWorld) -> None:
    task = desk.create()
    worker = desk.spawn(CODEX, task, "implement")
    desk.repo.commit(f"fe/{task}")
    desk.submit(worker, task)
    with desk.refused("I2"):
        review(desk, task, by=worker)


# About what


@pytest.mark.parametrize("diff_id", ["", "sha256:" + "0" * 64, "abc", "  "])
def test_an_agents_review_names_the_diff_that_is_there_D7(desk: DeskWorld, diff_id: str) -> None:
    task = desk.submitted_task()
    with desk.refused("D7"):
        send(desk, task, about(desk, task, diff_id=diff_id))


def test_the_diff_may_be_named_beside_the_document_and_eight_digits_suffice_D7(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    diff = desk.show(task).attempts[-1].diff_id.removeprefix("sha256:")
    assert send(desk, task, about(desk, task, diff_id=""), seen=f"1.{diff[:8]}").counts
    with desk.refused("D7"):
        send(desk, task, about(desk, task, diff_id="", attempt=7), seen=f"1.{diff[:8]}")
    assert send(desk, task, about(desk, task, diff_id=diff[:8], attempt=1)).counts, "both fields are one name"
    for alone in (diff[:8], diff[:20]):
        with desk.refused("D7"):
            send(desk, task, about(desk, task, diff_id=alone))


def test_a_review_of_the_attempt_before_is_refused_once_the_change_has_moved_D7(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    late = about(desk, task)
    again(desk, task)
    with desk.refused("D7") as caught:
        send(desk, task, late)
    assert "moved" in texts(caught[0].reasons)


@pytest.mark.parametrize("status", ["open", "in_progress", "approved", "closed"])
def test_a_review_is_about_an_attempt_in_review_D1(desk: DeskWorld, status: str) -> None:
    task = desk.submitted_task()
    said = about(desk, task)
    if status in ("open", "in_progress"):
        desk.app.feedback.redo(BOB, task, "again")
    if status == "in_progress":
        desk.start(CLAUDE, task)
    if status in ("approved", "closed"):
        desk.approve(BOB, task)
    if status == "closed":
        desk.app.feedback.redo(ALICE, task, "no")
        desk.app.closing.close(BOB, task)
    with desk.refused("D1"):
        send(desk, task, said)


def test_there_is_nothing_to_review_before_a_hand_in_D1(desk: DeskWorld) -> None:
    task = desk.create()
    with desk.unchanged(), pytest.raises(NotFound):
        send(desk, task, review_result())


# Verdict and status


def test_an_approval_that_carries_a_blocking_finding_is_a_concern_and_both_are_stored_V5(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    done = review(desk, task, [issue()], verdict="approved")
    assert (done.verdict, done.effective, done.counts, done.status) == (
        "approved",
        "concerns",
        False,
        "CHANGES_REQUESTED",
    )
    (kept,) = desk.show(task).reviews
    assert (kept.verdict, kept.effective, kept.blocking) == ("approved", "concerns", 1)
    assert any("V5" in note for note in done.notes)


def test_a_blocker_is_only_ever_stated_V5(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    assert review(desk, task, [issue(severity="CRITICAL")], verdict="concerns").effective == "concerns"
    other = desk.submitted_task()
    assert review(desk, other, verdict="blocker").effective == "blocker"
    assert not findings(desk, other)


def test_a_verdict_of_approved_with_a_suggestion_stays_approved_V5_L5(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    done = review(desk, task, [issue(severity="LOW")])
    assert (done.effective, done.status, done.counts) == ("approved", "APPROVED_WITH_NOTES", True)


STATED: list[tuple[str, list[str], bool]] = [
    ("CHANGES_REQUESTED", ["HIGH"], True),
    ("CHANGES_REQUIRED", ["HIGH"], True),
    ("changes required", ["CRITICAL"], True),
    ("APPROVED", ["HIGH"], False),
    ("APPROVED_WITH_NOTES", ["HIGH"], False),
    ("APPROVED_WITH_NOTES", ["LOW"], True),
    ("APPROVED_WITH_NOTES", ["FYI"], True),
    ("APPROVED", ["LOW"], False),
    ("CHANGES_REQUESTED", ["MEDIUM"], False),
    ("CHANGES_REQUIRED", [], False),
    ("APPROVED", [], True),
]


@pytest.mark.parametrize(("stated", "severities", "right"), STATED)
def test_a_status_that_disagrees_with_its_own_findings_is_refused_with_the_difference_L5(
    desk: DeskWorld, stated: str, severities: list[str], right: bool
) -> None:
    task = desk.submitted_task()
    said = about(desk, task, [issue(f"problem {n}", word) for n, word in enumerate(severities)], status=stated)
    if right:
        assert send(desk, task, said).raised or "HIGH" not in severities
        return
    with sent_back_to_its_reviewer(desk, task, "L5") as reasons:
        send(desk, task, said)
    assert "make it" in reasons[0].message


def test_a_status_that_is_none_is_refused_V3(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    with sent_back_to_its_reviewer(desk, task, "V3"):
        send(desk, task, about(desk, task, status="MERGE_IT"))


def test_a_note_is_kept_with_the_review_and_is_no_finding_L1(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    done = review(desk, task, [issue("there is a newer library", "fyi", problem="2.0 is out")])
    assert (done.raised, states(desk, task)) == ((), {})
    (kept,) = desk.show(task).reviews
    assert kept.notes == ["there is a newer library: 2.0 is out"]


# Coverage


def test_a_review_that_did_not_read_every_changed_file_is_incomplete_and_its_findings_are_kept_V6(
    desk: DeskWorld,
) -> None:
    task = desk.submitted_task()
    done = review(desk, task, [issue(severity="LOW")], files_reviewed=[])
    assert (done.counts, done.missing) == (False, (desk.show(task).attempts[-1].files[0].path,))
    assert len(states(desk, task)) == 1
    assert any("incomplete" in note for note in done.notes)


def test_a_review_may_say_that_it_read_more_and_name_files_from_here_V6(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    (file,) = desk.show(task).attempts[-1].files
    assert review(desk, task, files_reviewed=["README.md", f"./{file.path}"]).counts


@pytest.mark.parametrize("path", ["../x.py", "/etc/passwd", "a\\b.py", "."])
def test_a_file_that_cannot_be_meant_is_named_V6(desk: DeskWorld, path: str) -> None:
    task = desk.submitted_task()
    with sent_back_to_its_reviewer(desk, task, "V6"):
        review(desk, task, files_reviewed=[path])


def test_what_the_project_excludes_needs_no_reading_V6(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    assert not review(desk, task, files_reviewed=[]).counts
    configure(desk, '\n[review]\nextra_coverage_exclude = ["*.py"]\n')
    assert review(desk, task, files_reviewed=[]).counts


def test_two_reviews_that_race_are_both_about_the_attempt_that_is_there_D7(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    one, other = about(desk, task), about(desk, task, [issue(severity="LOW")])
    assert send(desk, task, one).counts
    assert send(desk, task, other, by=GEMINI).counts
    assert [row.session for row in desk.show(task).reviews] == [CODEX.session, GEMINI.session]


def test_a_refused_review_says_what_to_do_and_never_something_destructive_G5(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    with pytest.raises((BadInput, Refused)) as caught:
        send(desk, task, PROSE)
    said = steps_text(caught.value.next_step) + texts(caught.value.reasons)
    assert caught.value.next_step
    assert not any(word in said for word in ("rm ", "delete", "reset", "--force"))


def test_the_author_may_look_at_its_own_work_and_that_never_counts_V6_P2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    done = review(desk, task, by=CLAUDE)
    assert not done.counts
    assert any("does not count" in note for note in done.notes)
