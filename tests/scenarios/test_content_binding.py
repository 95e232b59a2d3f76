"""An approval is for exactly one content (A2, A3, D4, D7)."""

from __future__ import annotations

import pytest

from tests.stage.commands import APP, Stage, SubmissionTime


def changed(stage: Stage, text: str, path: str = "app.py") -> SubmissionTime:
    """A task whose change is this text of a file."""
    task = stage.create(stage.cast.alice)
    stage.done(stage.cast.codex, "start", task)
    stage.commit(f"fe/{task}", {path: text})
    return stage.submit(stage.cast.codex, task)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (APP.replace("line 3\n", "line three\n"), APP.replace("line 3\n", "line tree\n")),
        (APP.replace("line 3\n", "if x:\n    y()\nz()\n"), APP.replace("line 3\n", "if x:\n    y()\n    z()\n")),
        (APP + "end\n", APP + "end"),
        (APP + "end\n", APP + "end \n"),
    ],
    ids=["a changed line", "a line moved into an if by white space", "no newline at the end", "a trailing space"],
)
def test_D4_a_change_after_submit_makes_the_approval_impossible_until_submitted_again(
    stage: Stage, first: str, then: str
) -> None:
    work = changed(stage, first)
    stage.commit(work.branch, {"app.py": then})
    assert stage.reviewable(stage.cast.gemini)[work.task]["stale"] is True
    refused = stage.may_not_approve(stage.cast.gemini, work, rules=["D4"])
    assert f"its author runs: fe submit {work.task}" in refused.hints
    stage.no(stage.cast.alice, "approve", work.task, rules=["D4"])
    again = stage.submit(stage.cast.codex, work.task)
    assert again.attempt == 2
    assert again.diff_id != work.diff_id
    moved = stage.no(stage.cast.gemini, "approve", work.task, "--seen", work.seen, rc=4, rules=["D7"])
    assert "moved during your review" in moved.text
    assert stage.approve(stage.cast.gemini, again)["diff_id"] == again.diff_id
    assert stage.show(work.task)["attempts"][1]["relation"] == "rework"


def test_D7_an_agent_names_attempt_and_diff_that_it_saw_a_person_need_not(stage: Stage) -> None:
    work = changed(stage, APP + "more\n")
    stage.no(stage.cast.gemini, "approve", work.task, rules=["D7"])
    stage.no(stage.cast.gemini, "approve", work.task, "--seen", work.seen[:-1], rules=["D7"])
    bare = stage.no(stage.cast.gemini, "approve", work.task, "--seen", work.seen[2:], rules=["D7"])
    assert "like 2.9b20c4d1" in bare.text
    assert work.seen not in bare.text, "who did not say what they saw is not told what to say"
    stage.no(stage.cast.gemini, "approve", work.task, "--seen", "1.00000000", rc=4, rules=["D7"])
    done = stage.done(stage.cast.gemini, "approve", work.task, "--seen", work.diff_id)
    assert done["seen"] == work.seen
    stage.done(stage.cast.gemini, "approve", "--withdraw", work.task)
    assert stage.done(stage.cast.alice, "approve", work.task)["seen"] is None
    assert stage.show(work.task)["approvals"][-1]["seen"] == "not shown"


def test_D4_a_branch_that_is_gone_cannot_be_approved(stage: Stage) -> None:
    work = changed(stage, APP + "more\n")
    stage.git("branch", "-q", "-D", work.branch)
    stage.may_not_approve(stage.cast.gemini, work, rules=["D4"])


@pytest.mark.parametrize("how", ["--no-ff", "--ff-only", ""])
def test_A3_a_pure_rebase_keeps_the_approval_and_merge_closes_the_task(stage: Stage, how: str) -> None:
    work = changed(stage, APP.replace("line 18\n", "line eighteen\n"))
    stage.approve(stage.cast.gemini, work)
    (stage.repo / "README.md").write_text("# Shop\n\nNew.\n")
    (stage.repo / "app.py").write_text(APP.replace("line 2\n", "line two\n"))
    stage.git("commit", "-q", "-am", "main goes on")
    stage.git("switch", "-q", work.branch)
    stage.git("rebase", "-q", "main")
    assert stage.git("rev-parse", "HEAD") != work.head
    stage.git("switch", "-q", "main")
    if how:
        stage.git("merge", "-q", how, "-m", "merge", work.branch)
    (row,) = stage.lines(stage.cast.alice, "merge")
    assert row["outcome"] == ("found" if how else "merged"), row["message"]
    assert "trivial_rebase" in row["message"] or not how
    task = stage.show(work.task)["task"]
    assert (task["status"], task["resolution"], task["merge"]) == ("closed", "merged", stage.git("rev-parse", "main"))


def test_A3_a_rebase_submitted_again_in_review_is_marked_as_what_it_is(stage: Stage) -> None:
    work = changed(stage, APP.replace("line 18\n", "line eighteen\n"))
    stage.commit("other", {"README.md": "# Other\n"})
    stage.git("merge", "-q", "--ff-only", "other")
    stage.commit(work.branch, {"app.py": APP.replace("line 18\n", "line eighteen\n")}, onto="main")
    again = stage.submit(stage.cast.codex, work.task)
    assert stage.show(work.task)["attempts"][1]["relation"] == "trivial_rebase"
    assert again.diff_id == work.diff_id


def test_A2_two_tasks_with_the_same_change_have_the_same_diff_id_and_a_mode_change_another(stage: Stage) -> None:
    one, other = changed(stage, APP + "x\n"), changed(stage, APP + "x\n")
    assert one.diff_id == other.diff_id
    stage.git("switch", "-q", other.branch)
    stage.git("update-index", "--chmod=+x", "app.py")
    stage.git("commit", "-q", "-m", "executable")
    stage.git("switch", "-q", "-f", "main")
    assert stage.submit(stage.cast.codex, other.task).diff_id != one.diff_id
