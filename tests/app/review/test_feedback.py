"""Redo and reject (F): what is said, where the branch begins again as git sees it, the mirror, work that has landed
(K4).
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from foureyes.core.nouns.finding import ReportedFinding
from foureyes.core.nouns.session import Actor
from foureyes.core.words.vocabulary import QUICK_ISSUES
from foureyes.errors import BadInput, NotFound
from foureyes.ui.steps import steps_text

from tests.stage.checkout import AT_ONCE
from tests.stage.gated import approved, configure, deliver, merge
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, asserted, child_of
from tests.stage.world import DeskWorld, GitWorld


def redo(
    world: DeskWorld | GitWorld, task: str, text: str = "again", actor: Actor = BOB, **options: Any
) -> tuple[str, ...]:
    """Send it back; what there is to say about it."""
    return world.app.feedback.redo(actor, task, text, **options).notes


# What is said


@pytest.mark.parametrize("text", ["", "  \n "])
def test_a_redo_without_a_word_is_refused_and_lists_the_quick_issues_F1(desk: DeskWorld, text: str) -> None:
    task = desk.submitted_task()
    with desk.refused("F1") as caught:
        redo(desk, task, text)
    assert all(issue in steps_text(caught[0].reasons[0].next) for issue in QUICK_ISSUES)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["1"], ["Tests incomplete"]),
        (["security"], ["Security issues"]),
        (["MISSING ERROR HANDLING"], ["Missing error handling"]),
        (["tests", "1", "perf"], ["Tests incomplete", "Performance concerns"]),
    ],
)
def test_a_quick_issue_is_known_by_number_or_beginning_and_said_once_F1(
    desk: DeskWorld, given: list[str], kept: list[str]
) -> None:
    task = desk.submitted_task()
    redo(desk, task, "", issues=given)
    (told,) = desk.show(task).feedback
    assert (told.quick_issues, told.text, told.option, told.priority, told.decision) == (
        kept,
        "",
        "keep",
        "same",
        "redo",
    )


@pytest.mark.parametrize("issue", ["0", "6", "", "wrong", "²"])
def test_an_unknown_quick_issue_lists_those_there_are_F1(desk: DeskWorld, issue: str) -> None:
    task = desk.submitted_task()
    with desk.refused(error=BadInput) as caught:
        redo(desk, task, "text", issues=[issue])
    assert "1 Tests incomplete" in caught[0].message


def test_quick_issues_can_be_configured_F1(desk: DeskWorld) -> None:
    configure(desk, '[review]\nquick_issues = ["Too slow", "Too slowly said"]\n')
    task = desk.submitted_task()
    with desk.refused(error=BadInput):
        redo(desk, task, "", issues=["too slow!"])
    redo(desk, task, "", issues=["too slow"])
    assert desk.show(task).feedback[0].quick_issues == ["Too slow"], "a whole name wins over a beginning"


@pytest.mark.parametrize(
    ("before", "change", "after"), [(2, "bump", 1), (2, "lower", 3), (0, "bump", 0), (4, "lower", 4), (2, "same", 2)]
)
def test_the_priority_moves_by_one_and_stays_within_its_bounds_F1(
    desk: DeskWorld, before: int, change: str, after: int
) -> None:
    task = desk.submitted_task(priority=before)
    redo(desk, task, priority=change)
    assert (desk.task(task).priority, desk.status(task)) == (after, "open")


# Who may


@pytest.mark.parametrize("who", [BOB, ALICE, GEMINI], ids=["a person", "its creator", "a peer"])
def test_a_person_or_who_could_approve_sends_it_back_T_redo(desk: DeskWorld, who: Actor) -> None:
    task = desk.submitted_task()
    redo(desk, task, "again", who)
    assert [entry.action for entry in desk.show(task).history if entry.session == who.session][
        -1
    ] == "requested_changes"


@pytest.mark.parametrize("verb", ["redo", "reject"])
@pytest.mark.parametrize(
    ("who", "rule"),
    [(CLAUDE, "P2"), (child_of(CLAUDE), "P2"), (CI, "I5"), (asserted(ALICE), "I1")],
    ids=["author", "child", "service", "name"],
)
def test_nobody_else_does_T_redo(desk: DeskWorld, verb: str, who: Actor, rule: str) -> None:
    task = desk.submitted_task()
    with desk.refused(rule):
        (desk.app.feedback.redo if verb == "redo" else desk.app.feedback.reject)(who, task, "no")


def test_a_person_may_also_send_back_their_own_work_T_redo(desk: DeskWorld) -> None:
    task = desk.submitted_task(BOB)
    redo(desk, task, "I was wrong", BOB)
    assert desk.status(task) == "open"


@pytest.mark.parametrize("state", ["open", "in_progress", "blocked", "closed"])
def test_only_what_is_in_review_or_approved_goes_back_T2(desk: DeskWorld, state: str) -> None:
    task = desk.create()
    if state == "in_progress":
        desk.start(CLAUDE, task)
    elif state == "blocked":
        desk.app.stops.block(ALICE, task, "waits")
    elif state == "closed":
        desk.app.closing.cancel(ALICE, task, reason="no")
    with desk.refused():
        redo(desk, task)
    with desk.refused():
        desk.app.feedback.reject(BOB, task, "no")


def test_an_approval_ends_with_a_redo_and_rejecting_it_needs_review_again_T(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    desk.approve(BOB, task)
    with desk.refused():
        desk.app.feedback.reject(BOB, task, "no")
    redo(desk, task)
    assert (desk.status(task), [row.state for row in desk.show(task).approvals]) == ("open", ["ended"])


def test_who_asked_for_a_change_may_judge_the_change_I7(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    redo(desk, task, "again", GEMINI)
    desk.start(CLAUDE, task)
    desk.repo.commit(f"fe/{task}")
    desk.submit(CLAUDE, task)
    assert desk.approve(GEMINI, task).rule == "P7"


# Where the branch begins again (F1)


def test_keep_leaves_the_branch_where_it_is_F1(world: GitWorld) -> None:
    task = deliver(world)
    head = world.checkout.head(f"fe/{task}")
    assert redo(world, task) == ()
    assert world.checkout.head(f"fe/{task}") == head
    assert world.checkout.head(f"refs/foureyes/attempts/{task}/1") == head


def test_fresh_begins_where_the_task_began_and_the_old_head_is_kept_F1(world: GitWorld) -> None:
    base = world.checkout.head("main")
    task = deliver(world)
    head = world.checkout.head(f"fe/{task}")
    kept = f"attempt 1 stays as it was, at {head[:7]}: refs/foureyes/attempts/{task}/1"
    assert redo(world, task, option="fresh") == (kept,)
    assert world.checkout.head(f"fe/{task}") == base
    assert world.checkout.head(f"refs/foureyes/attempts/{task}/1") == head
    assert world.checkout.git("cat-file", "-t", head) == "commit"
    again = deliver(world, {"other.py": "another way\n"}, task=task)
    (*_, attempt) = world.show(again).attempts
    assert (attempt.n, attempt.base, [file.path for file in attempt.files]) == (2, base, ["other.py"])
    assert world.checkout.head(f"refs/foureyes/attempts/{task}/1") == head, "for ever"


def test_fresh_takes_the_files_of_a_clean_checkout_along_F1(world: GitWorld) -> None:
    task = deliver(world)
    world.checkout.switch(f"fe/{task}")
    redo(world, task, option="fresh")
    assert world.checkout.git("status", "--porcelain") == ""
    assert not (world.checkout.path / f"{task}.py").exists()


def test_a_dirty_checkout_is_left_alone_and_the_start_does_it_once_it_is_clean_F1(world: GitWorld) -> None:
    task = deliver(world)
    head, base = world.checkout.head(f"fe/{task}"), world.checkout.head("main")
    world.checkout.switch(f"fe/{task}")
    world.checkout.write("mine.txt", "not committed\n")
    (note,) = redo(world, task, option="fresh")
    assert f"branch fe/{task} was not reset" in note
    assert "mine.txt" in note
    assert (world.checkout.head(f"fe/{task}"), (world.checkout.path / "mine.txt").read_text()) == (
        head,
        "not committed\n",
    )
    (world.checkout.path / "mine.txt").unlink()
    assert world.start(CLAUDE, task).notes == ()
    assert world.checkout.head(f"fe/{task}") == base


def test_who_has_gone_on_since_is_left_alone_F1(world: GitWorld) -> None:
    task = deliver(world)
    world.checkout.switch(f"fe/{task}")
    later = world.checkout.commit("later.py")
    (note,) = redo(world, task, option="fresh")
    assert "moved" in note
    world.start(CLAUDE, task)
    assert world.checkout.head(f"fe/{task}") == later


def test_a_reset_that_a_crash_left_undone_is_done_when_the_task_is_started_F1_G4(world: GitWorld) -> None:
    task = deliver(world)
    head, base = world.checkout.head(f"fe/{task}"), world.checkout.head("main")
    redo(world, task, option="fresh")
    world.checkout.git(
        "update-ref", f"refs/heads/fe/{task}", head
    )  # as if the process had ended before it moved the branch
    world.checkout.git("update-ref", "-d", f"refs/foureyes/attempts/{task}/1")
    world.mirrors.documents.clear()
    world.start(CODEX, task)
    assert world.checkout.head(f"fe/{task}") == base
    assert world.checkout.head(f"refs/foureyes/attempts/{task}/1") == head
    assert task in world.mirrors.documents


def test_checkpoint_begins_at_a_commit_of_the_tasks_own_history_F1(world: GitWorld) -> None:
    task = deliver(world)
    world.checkout.switch(f"fe/{task}")
    middle = world.checkout.head()
    world.app.checkpoints.create(CLAUDE, "half", task=task)
    world.checkout.commit("more.py", session=CLAUDE)
    world.submit(CLAUDE, task)
    world.checkout.switch("main")
    (kept,) = redo(world, task, option="checkpoint", checkpoint="half")
    assert f"refs/foureyes/attempts/{task}/2" in kept
    assert world.checkout.head(f"fe/{task}") == middle
    assert world.show(task).feedback[-1].reset_to == middle


def test_a_checkpoint_of_elsewhere_or_of_nobody_is_refused_F1(world: GitWorld) -> None:
    task, other = deliver(world), deliver(world)
    world.checkout.switch(f"fe/{other}")
    world.app.checkpoints.create(CLAUDE, "elsewhere")
    world.app.checkpoints.create(CLAUDE, "theirs", task=other)
    with world.refused("F1") as caught:
        redo(world, task, option="checkpoint", checkpoint="elsewhere")
    assert "is not part of attempt" in caught[0].reasons[0].message
    for name in ("theirs", "nothing"):
        with world.refused(error=NotFound):
            redo(world, task, option="checkpoint", checkpoint=name)
    with world.refused(error=BadInput):
        redo(world, task, option="checkpoint")
    with world.refused(error=BadInput):
        redo(world, task, checkpoint="elsewhere")


def test_work_on_no_branch_of_its_own_cannot_begin_again_F1(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.git("switch", "-q", "--detach")
    world.checkout.commit()
    world.submit(CLAUDE, task)
    with world.refused("F1"):
        redo(world, task, option="fresh")
    assert redo(world, task) == ()


def test_only_the_own_branch_of_a_task_is_set_back_F1(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.branch("feature")
    world.checkout.commit(session=CLAUDE)
    world.submit(CLAUDE, task)
    with world.refused("F1"):
        redo(world, task, option="fresh")


def test_a_branch_that_another_attempt_came_from_is_not_set_back_F1_A7(world: GitWorld) -> None:
    task = deliver(world)
    other = world.create()
    world.start(CODEX, other)
    world.checkout.switch(f"fe/{task}")
    head = world.checkout.commit("other.py", session=CODEX)
    world.app.attempts.submit(CODEX, other, branch=f"fe/{task}")
    with world.refused("F1"):
        redo(world, task, option="fresh")
    assert world.checkout.head(f"fe/{task}") == head


# Work that has landed (K4)


def landed(world: GitWorld) -> str:
    task = world.create(title="quick fix", priority=1)
    world.start(CLAUDE, task)
    world.checkout.commit(session=CLAUDE)
    assert world.submit(CLAUDE, task).landed
    return task


def test_a_redo_of_landed_work_plans_its_revert_K4(world: GitWorld) -> None:
    task = landed(world)
    (note,) = redo(world, task, "it breaks the shop")
    (revert,) = [one for one in world.ids_of() if one != task]
    made = world.task(revert)
    assert revert in note
    assert (made.title, made.type, made.priority, made.status) == (f"Revert {task}: quick fix", "chore", 1, "open")
    attempt = world.show(task).attempts[-1]
    assert f"Revert {attempt.base[:12]}..{attempt.head[:12]}" in made.description
    assert "it breaks the shop" in made.description


@pytest.mark.parametrize("option", ["fresh", "checkpoint"])
def test_landed_work_has_no_branch_to_begin_again_and_the_target_never_moves_F1_K4(
    world: GitWorld, option: str
) -> None:
    task = landed(world)
    head = world.checkout.head("main")
    with world.refused("F1"):
        redo(world, task, option=option, checkpoint="x" if option == "checkpoint" else "")
    assert world.checkout.head("main") == head


# Reject


def test_a_rejected_task_is_blocked_with_its_reason_and_says_by_whom_T_reject(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    with desk.refused():
        desk.app.feedback.reject(BOB, task, " ")
    desk.app.feedback.reject(GEMINI, task, "we do not want it")
    found = desk.task(task)
    assert (found.status, found.blocked_reason, found.rejected_by) == ("blocked", "we do not want it", GEMINI.session)
    with desk.refused():
        desk.app.stops.unblock(CLAUDE, task)
    desk.app.stops.unblock(ALICE, task)
    assert desk.status(task) == "open"


# The mirror (F2)


def mirrored(world: DeskWorld | GitWorld, task: str) -> Any:
    return json.loads(world.mirrors.documents[task])


def test_every_decision_is_mirrored_as_the_document_says_F2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    redo(desk, task, "line one\nline two", issues=["1"], priority="bump")
    stamp = int(desk.clock.time.timestamp() * 1000)
    assert mirrored(desk, task) == {
        "taskId": task,
        "history": [
            {
                "iteration": 1, "timestamp": stamp, "decision": "redo", "quickIssues": ["Tests incomplete"],
                "customFeedback": "line one\nline two", "redoOption": "keep", "priorityChange": "bump",
            }
        ],
    }  # fmt: skip
    desk.start(CLAUDE, task)
    desk.repo.commit(f"fe/{task}")
    desk.submit(CLAUDE, task)
    desk.app.feedback.reject(BOB, task, "never")
    assert mirrored(desk, task)["history"][1] == {
        "iteration": 2,
        "timestamp": stamp,
        "decision": "rejected",
        "rejectReason": "never",
    }


def test_approvals_and_what_the_gate_says_are_in_the_mirror_too_F2(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = approved(world, {"code.py": "mine\n"})
    assert [row["decision"] for row in mirrored(world, task)["history"]] == ["approved"]
    world.checkout.commit("code.py", "theirs\n")
    assert merge(world) == {task: "conflict"}
    assert [row["decision"] for row in mirrored(world, task)["history"]] == ["approved", "redo"]
    assert "code.py" in mirrored(world, task)["history"][1]["customFeedback"]


def test_nothing_is_mirrored_before_anything_was_decided_F2(desk: DeskWorld) -> None:
    desk.submitted_task()
    assert desk.mirrors.documents == {}


def test_what_cannot_be_mirrored_is_a_note_and_not_a_failure_F2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    desk.mirrors.note = "could not be written"
    assert redo(desk, task) == ("could not be written",)
    assert desk.status(task) == "open"


def test_redo_without_words_says_what_is_open_F1(desk: DeskWorld) -> None:
    task = desk.submitted_task(labels=["review:per-task"])
    with desk.refused("F1"):
        desk.app.feedback.redo(BOB, task)
    found = desk.app.findings.add(BOB, task, ReportedFinding(severity="HIGH", title="limit is hard-coded"))
    assert steps_text(found.next) == f"fe redo {task}"
    note = desk.app.findings.add(BOB, task, ReportedFinding(severity="LOW", title="a better name"))
    assert steps_text(note.next) == f"fe finding list {task}"
    own = desk.app.findings.add(CLAUDE, task, ReportedFinding(severity="HIGH", title="it is mine"))
    assert steps_text(own.next) == f"someone else runs: fe redo {task}"
    desk.app.feedback.redo(BOB, task)
    said = desk.show(task).feedback[-1].text
    assert said.startswith("2 blocking findings are open:\n")
    assert f"- {found.id} HIGH limit is hard-coded" in said
    with desk.refused("T2"):
        desk.app.feedback.redo(BOB, task)
