"""Attempts travel: with the submission, or with the next command that sends (A1, Q6)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from foureyes.app.facts import attempt_of
from foureyes.app.git_ports import Moved, Pushed, RefUpdate
from foureyes.app.results.attempt import SubmitOutcome
from foureyes.app.results.project import News
from foureyes.app.work import remote_attempts
from foureyes.app.work.remote_attempts import branch_there, bring, lacking_there
from foureyes.core.words.ids import TaskId
from foureyes.core.words.refs import attempt_ref, attempt_refs, tracked
from foureyes.errors import RemoteProblem
from foureyes.ui.steps import steps_text

from tests.stage.clones import Clones
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX

pytestmark = pytest.mark.on("sqlite")


def worked(clones: Clones) -> tuple[str, SubmitOutcome]:
    task = clones.alpha.work(CLAUDE, clones.alpha.create())
    return task, clones.alpha.submit(CLAUDE, task)


def test_a_hand_in_pushes_the_attempt_and_its_branch_Q6(clones: Clones) -> None:
    before = clones.refs()
    task, made = worked(clones)
    assert made.sent == "pushed to origin"
    new = {ref: sha for ref, sha in clones.refs().items() if ref not in before}
    assert new == {attempt_ref(task, 1): made.head, f"refs/heads/fe/{task}": made.head}
    assert clones.refs()["refs/heads/main"] == before["refs/heads/main"]


def test_a_push_that_fails_loses_nothing_and_the_same_command_tries_again_Q6(clones: Clones) -> None:
    with clones.cut():
        task, made = worked(clones)
        assert made.changed
        assert made.sent.startswith("not pushed yet: origin cannot be asked:")
        assert made.next.steps[0].argv == ("fe", "submit", task)
    again = clones.alpha.submit(CLAUDE, task)
    assert (again.changed, again.sent) == (False, "pushed to origin")
    assert clones.refs()[attempt_ref(task, 1)] == made.head


def test_to_try_again_names_the_branch_that_is_not_checked_out_Q6(clones: Clones) -> None:
    alpha = clones.alpha
    task = alpha.work(CLAUDE, alpha.create())
    alpha.checkout.switch("main")
    with clones.cut():
        made = alpha.submit(CLAUDE, task, branch=f"fe/{task}")
    assert made.next.steps[0].argv == ("fe", "submit", task, "--branch", f"fe/{task}")
    assert alpha.submit(CLAUDE, task, branch=f"fe/{task}").sent == "pushed to origin"


def test_what_was_left_behind_goes_with_the_next_hand_in_and_with_a_merge(clones: Clones) -> None:
    with clones.cut():
        first, _ = worked(clones)
    clones.alpha.checkout.switch("main")
    second = clones.alpha.submitted_task(CLAUDE, text="other\n")
    assert {attempt_ref(task, 1) for task in (first, second)} <= set(clones.refs())
    with clones.cut():
        clones.alpha.checkout.switch("main")
        third = clones.alpha.submitted_task(CLAUDE, text="third\n")
    said: list[News] = []
    clones.alpha.app.merges.process(ALICE, said.append)
    assert attempt_ref(third, 1) in clones.refs()
    assert said[0].text == f"pushed to origin, submitted earlier: {third}"


def test_a_reworked_branch_takes_the_place_of_what_was_handed_in_from_it(clones: Clones) -> None:
    task, _ = worked(clones)
    clones.alpha.app.feedback.redo(ALICE, task, text="again")
    clones.alpha.start(CLAUDE, task)
    clones.alpha.checkout.git("reset", "-q", "--hard", "main")
    clones.alpha.checkout.commit("again.py", session=CLAUDE)
    made = clones.alpha.submit(CLAUDE, task)
    assert made.sent == "pushed to origin"
    assert clones.refs()[f"refs/heads/fe/{task}"] == made.head


def test_what_somebody_else_pushed_to_the_branch_stays_and_the_attempt_goes(clones: Clones) -> None:
    task = clones.alpha.work(CLAUDE, clones.alpha.create())
    beta = clones.beta.checkout
    beta.commit("theirs.py")
    beta.git("push", "-q", "origin", f"HEAD:refs/heads/fe/{task}")
    made = clones.alpha.submit(CLAUDE, task)
    assert made.sent.startswith(f"pushed to origin. fe/{task} on origin is at {beta.head()[:7]}")
    assert clones.refs()[f"refs/heads/fe/{task}"] == beta.head()
    assert clones.refs()[attempt_ref(task, 1)] == made.head


def test_a_branch_that_another_machine_handed_in_is_not_pushed_over_Q6(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    task, first = worked(clones)
    alpha.app.feedback.redo(ALICE, task, text="more")
    beta.checkout.git("fetch", "-q", "origin")
    beta.checkout.git("switch", "-q", "-c", f"fe/{task}", first.head)
    beta.start(CODEX, task)
    beta.checkout.commit("theirs.py", session=CODEX)
    second = beta.submit(CODEX, task)
    assert second.sent == "pushed to origin"
    beta.app.feedback.redo(ALICE, task, text="more")
    alpha.start(CLAUDE, task)
    alpha.checkout.commit("mine.py", session=CLAUDE)
    made = alpha.submit(CLAUDE, task, branch=f"fe/{task}")
    assert f"is at {second.head[:7]}, which is not part of this" in made.sent
    assert clones.refs()[f"refs/heads/fe/{task}"] == second.head
    assert clones.refs()[attempt_ref(task, 3)] == made.head


def test_what_a_redo_set_back_is_pushed_over_by_whom_it_comes_to_F1(clones: Clones) -> None:
    task, _ = worked(clones)
    clones.alpha.app.feedback.redo(ALICE, task, text="again", option="fresh")
    beta = clones.beta
    made = beta.submit(CODEX, beta.work(CODEX, task))
    assert made.sent == "pushed to origin"
    assert clones.refs()[f"refs/heads/fe/{task}"] == made.head


def test_a_remote_that_takes_no_rewritten_branch_takes_the_attempts_and_others_are_not_kept_Q6(clones: Clones) -> None:
    clones.remote.git("config", "receive.denyNonFastForwards", "true")
    alpha = clones.alpha
    task, first = worked(clones)
    alpha.app.feedback.redo(ALICE, task, text="again")
    alpha.start(CLAUDE, task)
    alpha.checkout.git("reset", "-q", "--hard", "main")
    alpha.checkout.commit("again.py", session=CLAUDE)
    made = alpha.submit(CLAUDE, task)
    assert made.sent.startswith(
        f"pushed to origin. fe/{task} was left as it is there, because origin did not take the push: "
    )
    assert clones.refs()[attempt_ref(task, 2)] == made.head
    assert clones.refs()[f"refs/heads/fe/{task}"] == first.head
    clones.beta.approve(BOB, task)
    alpha.checkout.switch("main")
    other = alpha.submitted_task(CLAUDE, text="other\n")
    assert {attempt_ref(other, 1), f"refs/heads/fe/{other}"} <= set(clones.refs())


def test_an_attempt_whose_name_is_taken_goes_by_its_own_and_is_read_and_merged_everywhere_Q6(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    with clones.cut():
        task, made = worked(clones)
    clones.remote.git("update-ref", attempt_ref(task, 1), "main")
    taken, own = clones.refs()[attempt_ref(task, 1)], attempt_refs(task, 1, made.head)[1]
    again = alpha.submit(CLAUDE, task)
    assert again.sent.startswith(f"pushed to origin. origin has {taken[:7]} as {attempt_ref(task, 1)}, ")
    assert again.sent.endswith(f"Attempt 1 of {task} is stored there as {own}")
    assert alpha.submit(CLAUDE, task).sent == ""
    assert lacking_there(alpha.app.context) == ([], [])
    assert bring(beta.app.context, TaskId(task)) == (f"attempt 1 of {task}: not in this clone, fetched from origin",)
    beta.approve(BOB, task)
    assert [row.outcome for row in beta.app.merges.process(ALICE)] == ["merged"]
    there = clones.refs()
    assert (there[attempt_ref(task, 1)], there[own]) == (taken, made.head)


def test_what_somebody_wrote_in_the_place_of_one_attempt_keeps_no_other_from_travelling(clones: Clones) -> None:
    alpha = clones.alpha
    with clones.cut():
        task, made = worked(clones)
    for ref in attempt_refs(task, 1, made.head):
        clones.remote.git("update-ref", ref, "main")
    again = alpha.submit(CLAUDE, task)
    assert f"attempt 1 of {task} was not pushed: origin has other commits under both of its names: " in again.sent
    alpha.checkout.switch("main")
    other = alpha.work(CLAUDE, alpha.create(), text="other\n")
    made = alpha.submit(CLAUDE, other)
    assert made.sent.startswith("pushed to origin. ")
    assert f"attempt 1 of {task} was not pushed: " in made.sent
    assert clones.refs()[attempt_ref(other, 1)] == made.head


def test_both_names_of_an_attempt_taken_are_told_with_the_push_that_takes_one_away_A1_Q6(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    with clones.cut():
        task, made = worked(clones)
    names = attempt_refs(task, 1, made.head)
    for ref in names:
        clones.remote.git("update-ref", ref, "main")
    taken, away = clones.refs()[names[0]][:7], ("git", "push", "origin", f":{names[1]}")
    again = alpha.submit(CLAUDE, task)
    both = f"origin has other commits under both of its names: {taken} as {names[0]}, {taken} as {names[1]}"
    assert again.sent == f"attempt 1 of {task} was not pushed: {both}"
    assert [step.argv for step in again.next.steps][:2] == [away, ("fe", "submit", task)]
    with pytest.raises(RemoteProblem, match=both) as problem:
        bring(beta.app.context, TaskId(task))
    assert [step.argv for step in problem.value.next_step.steps] == [away, ("fe", "submit", task)]
    alpha.checkout.git(*away[1:])
    assert f"Attempt 1 of {task} is stored there as {names[1]}" in alpha.submit(CLAUDE, task).sent
    assert bring(beta.app.context, TaskId(task)) == (f"attempt 1 of {task}: not in this clone, fetched from origin",)


def test_all_that_waits_goes_and_what_was_just_handed_in_goes_first(
    clones: Clones, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_attempts, "ATTEMPTS_IN_A_PUSH", 1)
    alpha, tasks = clones.alpha, []
    with clones.cut():
        for number in range(3):
            alpha.checkout.switch("main")
            tasks.append(alpha.submitted_task(CLAUDE, text=f"{number}\n"))
    last = max(tasks)
    pushed: list[str] = []
    origin = alpha.outside.remotes["origin"]
    push = origin.push

    def noted(updates: Sequence[RefUpdate]) -> Pushed | Moved:
        pushed.append(updates[0].ref)
        return push(updates)

    monkeypatch.setattr(origin, "push", noted)
    assert alpha.submit(CLAUDE, last, branch=f"fe/{last}").sent == "pushed to origin"
    assert pushed == [attempt_ref(task, 1) for task in (last, *sorted(set(tasks) - {last}))]


def test_what_was_pushed_is_told_apart_from_what_still_waits(clones: Clones) -> None:
    alpha = clones.alpha
    with clones.cut():
        first, _ = worked(clones)
    hook = clones.remote.path / "hooks" / "update"
    hook.write_text(f"#!/bin/sh\ncase $1 in *{first}*) echo not this one; exit 1;; esac\n")
    hook.chmod(0o755)
    alpha.checkout.switch("main")
    second = alpha.work(CLAUDE, alpha.create(), text="other\n")
    made = alpha.submit(CLAUDE, second)
    assert made.sent.startswith("pushed to origin. 1 more waits. origin did not take the push: not this one")


def test_a_hand_in_that_the_remote_refuses_says_who_has_to_be_let_push_what_Q6(clones: Clones) -> None:
    hook = clones.remote.path / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho readers only; exit 1\n")
    hook.chmod(0o755)
    task = clones.alpha.work(CLAUDE, clones.alpha.create())
    made = clones.alpha.submit(CLAUDE, task)
    assert made.sent.startswith("not pushed yet: origin did not take the push: readers only")
    allow = "on origin, allow the submitting account to push refs/foureyes/attempts/*, refs/foureyes/left/* and fe/*"
    assert steps_text(made.next).startswith(f"{allow}, then: to try again: fe submit {task}")


def test_a_branch_that_was_left_makes_the_attempt_stale_nowhere_D4(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    task = alpha.work(CLAUDE, alpha.create())
    alpha.checkout.git("push", "-q", "origin", f"HEAD:refs/heads/fe/{task}")
    alpha.checkout.git("commit", "-q", "--amend", "-m", "better words")
    made = alpha.submit(CLAUDE, task)
    assert "it was left as it is" in made.sent
    assert [step.argv[:2] for step in made.next.steps if step.argv][-1] == ("git", "log")
    seen = beta.seen(task)
    beta.approve(BOB, task, seen=seen)
    assert beta.status(task) == "approved"
    with beta.app.context.store.read() as tx:
        attempt = attempt_of(tx, TaskId(task))
        assert attempt is not None
        assert branch_there(beta.app.context, task, attempt, tx).head == made.head
        alpha.checkout.commit("more.py", session=CLAUDE)
        alpha.checkout.git("push", "-q", "-f", "origin", f"fe/{task}")
    assert branch_there(beta.app.context, task, attempt).head == alpha.checkout.head(), "moved since, it is"


def test_a_branch_of_another_name_stays_where_it_is_on_the_remote_whoever_sends_A1_Q6(clones: Clones) -> None:
    alpha = clones.alpha
    clones.remote.git("branch", "production", "main")
    before = clones.refs()
    task = alpha.create()
    alpha.start(CLAUDE, task)
    alpha.checkout.git("switch", "-q", "-c", "production")
    alpha.checkout.commit("deployed.py", session=CLAUDE)
    with clones.cut():
        made = alpha.submit(CLAUDE, task, branch="production")
    alpha.checkout.switch("main")
    alpha.app.merges.process(ALICE)
    assert clones.refs() == before | {attempt_ref(task, 1): made.head}


def test_it_is_said_that_a_branch_of_another_name_was_left(clones: Clones) -> None:
    alpha = clones.alpha
    task = alpha.create()
    alpha.start(CLAUDE, task)
    alpha.checkout.git("switch", "-q", "-c", "feature")
    alpha.checkout.commit("work.py", session=CLAUDE)
    made = alpha.submit(CLAUDE, task, branch="feature")
    assert made.sent.startswith("pushed to origin. the branch feature was left")
    assert "refs/heads/feature" not in clones.refs()


def test_a_hook_of_the_remote_that_refuses_is_quoted(clones: Clones) -> None:
    hook = clones.remote.path / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho no pushes on Fridays\nexit 1\n")
    hook.chmod(0o755)
    _, made = worked(clones)
    assert "no pushes on Fridays" in made.sent


def test_without_a_remote_nothing_is_said_about_one(strangers: Clones) -> None:
    task, made = worked(strangers)
    assert made.sent == ""
    assert attempt_ref(task, 1) not in strangers.refs()


def test_the_branch_of_what_is_merged_is_not_pushed_again_K1(clones: Clones) -> None:
    alpha = clones.alpha
    with clones.cut():
        task, made = worked(clones)
    alpha.checkout.switch("main")
    alpha.checkout.git("merge", "-q", "--ff-only", f"fe/{task}")
    alpha.checkout.git("push", "-q", "origin", "main")
    alpha.approve(BOB, task)
    assert [row.outcome for row in alpha.app.merges.process(ALICE)] == ["found"]
    alpha.checkout.git("update-ref", "-d", f"refs/foureyes/remote/origin/foureyes/attempts/{task}/1")
    alpha.app.merges.process(ALICE)
    assert clones.refs()[attempt_ref(task, 1)] == made.head
    assert f"refs/heads/fe/{task}" not in clones.refs()


def test_a_note_that_says_an_attempt_was_pushed_keeps_no_hand_in_from_pushing_it_Q6(clones: Clones) -> None:
    with clones.cut():
        task, made = worked(clones)
    own = attempt_ref(task, 1)
    clones.alpha.checkout.git("update-ref", tracked("origin", own), made.head)
    again = clones.alpha.submit(CLAUDE, task)
    assert (again.changed, again.sent) == (False, "pushed to origin")
    assert clones.refs()[own] == made.head


def test_a_ref_below_the_name_of_an_attempt_keeps_that_one_back_and_no_other_Q6(clones: Clones) -> None:
    alpha = clones.alpha
    with clones.cut():
        first, _ = worked(clones)
        alpha.checkout.switch("main")
        second = alpha.submitted_task(CLAUDE, text="second\n")
    odd = f"{attempt_ref(first, 1)}/x"
    clones.remote.git("update-ref", odd, "main")
    alpha.checkout.switch("main")
    third = alpha.work(CLAUDE, alpha.create(), text="third\n")
    said = alpha.submit(CLAUDE, third).sent
    assert f"The ref {odd} is in the way until" in said
    assert f"git push origin :{odd}" in said
    there = clones.refs()
    assert {attempt_ref(second, 1), attempt_ref(third, 1)} <= set(there)
    assert attempt_ref(first, 1) not in there
    alpha.checkout.git("push", "-q", "origin", f":{odd}")
    alpha.app.merges.process(ALICE)
    assert attempt_ref(first, 1) in clones.refs()
