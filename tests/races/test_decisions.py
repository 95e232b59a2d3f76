"""Decisions at once: never an approval for something else than what is submitted (D4, D7), never two for one."""

from __future__ import annotations

from foureyes.errors import Conflict, FoureyesError, Refused

from tests.races.crowd import founded, opened, sound, worker
from tests.stage.fork import Gate, swarm
from tests.stage.night import plays
from tests.stage.people import BOB, CLAUDE, CODEX, GEMINI
from tests.stage.places import Place
from tests.stage.scripted_git import ScriptedRepo

ROUNDS = plays("rounds of a race of two")


def test_of_two_approvals_at_once_one_counts_and_the_task_is_approved_once_D1(place: Place) -> None:
    desk = founded(place)
    for _ in range(ROUNDS):
        task = desk.submitted_task()
        seen = desk.seen(task)
        desk.close()

        def approve(number: int, gate: Gate, task: str = task, seen: str = seen) -> str:
            with opened(place, desk.script) as app:
                gate.wait()
                try:
                    return "yes" if app.decisions.approve((CODEX, GEMINI)[number], task, seen=seen).changed else "again"
                except FoureyesError as problem:
                    return " ".join([problem.message, *[reason.message for reason in problem.reasons]])

        said = swarm(2, approve)
        assert said.count("yes") == 1, said
        other = next(words for words in said if words != "yes")
        assert task in other, said
        assert [row.kind for row in sound(place) if row.task == task].count("Approved") == 1


def test_of_two_approvals_by_one_session_at_once_the_second_changes_nothing_D1(place: Place) -> None:
    desk = founded(place)
    task = desk.submitted_task()
    seen = desk.seen(task)
    desk.close()

    def approve(number: int, gate: Gate) -> bool:
        with opened(place, desk.script) as app:
            gate.wait()
            return app.decisions.approve(CODEX, task, seen=seen).changed

    assert sorted(swarm(4, approve)) == [False, False, False, True]
    assert [row.kind for row in sound(place) if row.task == task].count("Approved") == 1


def test_of_submits_at_once_one_attempt_is_frozen_A1(place: Place) -> None:
    desk = founded(place)
    task = desk.started()
    desk.script.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.close()

    def submit(number: int, gate: Gate) -> str:
        with opened(place, desk.script) as app:
            gate.wait()
            try:
                return "yes" if app.attempts.submit(CLAUDE, task).changed else "again"
            except Conflict as problem:
                return f"{problem.exit_code} {problem.message}"

    said = swarm(4, submit)
    assert said.count("yes") == 1, said
    assert all(
        words == "again" or (words.startswith("4 ") and "claude" in words) for words in said if words != "yes"
    ), said
    assert [row.kind for row in sound(place) if row.task == task].count("AttemptSubmitted") == 1


def test_an_approval_never_meets_an_attempt_that_it_did_not_see_D4_D7(place: Place) -> None:
    """One submits again while another approves what was there: whichever is first, no approval for the unseen diff
    stands.
    """
    desk = founded(place)
    for _ in range(ROUNDS):
        task = desk.submitted_task()
        seen, diff_id = desk.seen(task), desk.show(task).attempts[-1].diff_id
        desk.close()
        moved = moved_repo(desk.script, task)

        def act(number: int, gate: Gate, task: str = task, seen: str = seen, moved: ScriptedRepo = moved) -> str:
            with opened(place, moved if number else desk.script) as app:
                gate.wait()
                try:
                    if number:
                        app.attempts.submit(CLAUDE, task)
                    else:
                        app.decisions.approve(CODEX, task, seen=seen)
                    return "yes"
                except (Conflict, Refused) as problem:
                    return problem.message

        said = swarm(2, act)
        assert "yes" in said, said
        with opened(place, desk.script) as app:
            shown = app.lists.show(BOB, task)
        active = [approval for approval in shown.approvals if shown.task.status == "approved"]
        assert all(approval.diff_id == shown.attempts[-1].diff_id == diff_id for approval in active)
        assert all(approval.seen == shown.attempts[-1].seen == seen for approval in active)
        assert (shown.task.status == "approved") == (said[0] == "yes" and len(shown.attempts) == 1)
        sound(place)


def moved_repo(before: ScriptedRepo, task: str) -> ScriptedRepo:
    """The same repository, with one more commit on the task's branch."""
    after = ScriptedRepo()
    after.branches = {name: list(commits) for name, commits in before.branches.items()}
    after.sessions, after.lines, after._count = dict(before.sessions), dict(before.lines), before._count + 1000
    after.commit(f"fe/{task}", sessions=[CLAUDE.session])
    return after


def test_closing_and_approving_at_once_leaves_one_of_both_C3(place: Place) -> None:
    desk = founded(place)
    task = desk.submitted_task()
    seen = desk.seen(task)
    desk.close()

    def act(number: int, gate: Gate) -> bool:
        with opened(place, desk.script) as app:
            gate.wait()
            try:
                if number:
                    return app.closing.close(worker(9), task, reason="not needed").changed
                return app.decisions.approve(CODEX, task, seen=seen).changed
            except (Conflict, Refused):
                return False

    done = swarm(2, act)
    kinds = [row.kind for row in sound(place) if row.task == task]
    assert done[0] == ("Approved" in kinds)
    assert done[1] == ("TaskClosed" in kinds)
    assert done != [False, False]
