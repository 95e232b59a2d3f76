"""Q5, Q6: what counts as known on the target: nobody makes it so by a start, by what was sent back, or by a merge that
a person gave up.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.app.results.project import News
from foureyes.app.target_merges import unbrought
from foureyes.errors import BadInput
from foureyes.ui.steps import steps_text

from tests.stage.checkout import AT_ONCE
from tests.stage.clones import Clone, Clones
from tests.stage.gated import approved, configure, deliver, merge
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX
from tests.stage.world import GitWorld


def foreign(clone: Clone) -> str:
    """Push another history over the target: one commit that stands on nothing, and has the project's file."""
    git = clone.checkout.git
    git("switch", "-q", "--detach", "main")
    clone.checkout.write("backdoor.py", "evil\n")
    git("add", "backdoor.py")
    made = git("commit-tree", git("write-tree"), "-m", "first")
    git("push", "-q", "-f", "origin", f"{made}:refs/heads/main")
    git("reset", "-q", "--hard", "main")
    git("switch", "-q", "main")
    return made


def target_of(world: GitWorld) -> str:
    (line,) = [check for check in world.app.doctor.examine(ALICE) if check.check == "target"]
    return line.message


def news_of(world: GitWorld) -> list[str]:
    said: list[News] = []
    world.app.merges.process(ALICE, said.append)
    return [news.text for news in said if "to no task" in news.text]


def shown_by_accept(world: GitWorld) -> list[str]:
    with pytest.raises(BadInput) as caught:
        world.app.merges.accept(ALICE, "why not")
    return [reason.message for reason in caught.value.reasons]


def test_a_start_on_a_foreign_history_does_not_keep_it_from_whom_accepts_it_Q5_Q6(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    alpha.checkout.write(".git/info/exclude", ".foureyes/\n")
    first = approved(alpha)
    assert merge(alpha) == {first: "merged"}
    made = foreign(alpha)
    stray = f"1 commit on main belongs to no task: {made[:7]} first (Ada)"
    before = shown_by_accept(beta)
    assert stray in before
    alpha.checkout.git("reset", "-q", "--hard", made)
    alpha.start(CODEX, alpha.create())
    assert shown_by_accept(beta) == before
    (stop,) = [text for text in before if "does not contain the last recorded merge" in text]
    assert stop.endswith(f". It has commits that belong to no task: {made[:7]} first (Ada)"), (
        "and not what was there at first"
    )
    beta.app.merges.accept(ALICE, "we cleaned the history", made)
    assert unbrought(beta.app.context) is None, "a person saw it, and took it"


def test_validate_asks_the_remote_also_in_a_clone_that_was_made_since_Q5_Q6(clones: Clones, tmp_path: Path) -> None:
    """A clone that has nothing of what is on record cannot tell by itself whether that is only elsewhere."""
    alpha = clones.alpha
    alpha.checkout.write(".git/info/exclude", ".foureyes/\n")
    first = approved(alpha)
    assert merge(alpha) == {first: "merged"}
    made = foreign(alpha)
    alpha.checkout.git("clone", "-q", f"file://{clones.remote.path}", str(tmp_path / "gamma"))
    gamma = Clone(tmp_path / "gamma", alpha)
    stray = f"1 commit on main belongs to no task: {made[:7]} first (Ada) (Q5)"
    for clone in (alpha, gamma):
        assert stray in clone.app.validation.validate(ALICE).notes
    gamma.app.close()


def test_before_the_first_merge_a_start_on_a_foreign_history_does_not_hide_it_either_Q5(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    for clone in (alpha, beta):
        clone.checkout.write(".git/info/exclude", ".foureyes/\n")
    alpha.start(CLAUDE, alpha.create())
    made = foreign(alpha)
    beta.checkout.git("fetch", "-q", "origin")
    beta.checkout.git("reset", "-q", "--hard", "origin/main")
    stray = f"1 commit on main belongs to no task: {made[:7]} first (Ada)"
    task = approved(beta)
    assert stray in target_of(beta)
    assert stray in target_of(alpha), "also where the branch of the clone has what the remote lacks"
    assert news_of(beta) == [stray]
    assert beta.status(task) == "closed"
    assert target_of(beta) == stray
    assert f"{stray} (Q5)" in beta.app.validation.validate(ALICE).notes


def test_what_the_first_task_began_from_is_known_also_where_it_is_on_the_target_no_more_Q5(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    world.checkout.commit("typo.py", message="with a typo")
    world.start(CODEX, world.create())
    world.checkout.git("commit", "-q", "--amend", "-m", "without")
    task = approved(world)
    amended = world.checkout.head("main")
    (row,) = world.app.merges.process(BOB)
    assert (row.task, row.notes) == (
        task,
        (f"it is based on commits that belong to no task: {amended[:7]} without (Ada)",),
    )


def sent_back(world: GitWorld) -> tuple[str, str]:
    """A task with an attempt that was sent back and a clean one that was approved; and the first one's commit."""
    task = deliver(world, {"backdoor.py": "evil\n"})
    head = world.checkout.head(f"fe/{task}")
    world.app.feedback.redo(BOB, task, "no backdoor please")
    world.checkout.git("branch", "-q", "-f", f"fe/{task}", "main")
    deliver(world, {"greet.py": "hello\n"}, task=task)
    world.approve(BOB, task, reason="read it")
    return task, head


def test_what_was_sent_back_is_brought_by_nobody_once_another_attempt_is_merged_Q5_A7(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task, head = sent_back(world)
    world.checkout.git("merge", "-q", "--ff-only", head)
    stray = f"1 commit on main belongs to no task: {head[:7]} work on {task} (Ada)"
    assert news_of(world) == [stray]
    assert world.status(task) == "closed"
    assert target_of(world) == stray
    assert f"{stray} (Q5)" in world.app.validation.validate(ALICE).notes


def test_a_merge_by_hand_of_what_was_sent_back_is_told_with_what_shows_it_Q5(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task, head = sent_back(world)
    assert merge(world) == {task: "merged"}
    assert unbrought(world.app.context) is None, "the attempt that was merged is brought"
    world.checkout.git("merge", "-q", "--no-ff", "-m", f"Merge {task}: again", head)
    made = world.checkout.head("main")
    stray = unbrought(world.app.context)
    assert stray is not None
    assert stray.commits == f"{made[:7]} Merge {task}: again (Ada), {head[:7]} work on {task} (Ada)"
    (step,) = stray.next.steps
    assert step.argv == ("git", "show", "-m", made)
    assert "+evil" in world.checkout.git(*step.argv[1:])


def test_what_a_task_brought_before_it_was_opened_again_stays_brought_Q5(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = approved(world)
    assert merge(world) == {task: "merged"}
    world.app.closing.reopen(ALICE, task, reason="there is more to do")
    assert unbrought(world.app.context) is None
    world.checkout.git("branch", "-q", "-f", f"fe/{task}", "main")
    deliver(world, {"more.py": "more\n"}, task=task)
    world.approve(BOB, task, reason="read it")
    assert merge(world) == {task: "merged"}
    assert unbrought(world.app.context) is None


def test_a_merge_that_a_person_gave_up_and_that_comes_back_is_told_Q5_Q6(world: GitWorld) -> None:
    world.checkout.write(".git/info/exclude", ".foureyes/\n")
    configure(world, AT_ONCE)
    first = approved(world)
    assert merge(world) == {first: "merged"}
    kept = world.checkout.head("main")
    lost = approved(world)
    assert merge(world) == {lost: "merged"}
    made, work = world.checkout.head("main"), world.checkout.head("main^2")
    world.checkout.git("reset", "-q", "--hard", kept)
    world.app.merges.accept(ALICE, "a secret was in it", kept)
    assert unbrought(world.app.context) is None
    world.checkout.git("merge", "-q", "--ff-only", made)
    words = f"{made[:7]} Merge {lost}: a task (Foureyes gate), {work[:7]} work on {lost} (Ada)"
    stray = f"2 commits on main belong to no task: {words}"
    assert target_of(world) == stray
    assert any(stray in steps_text(note) for note in world.app.status.show(ALICE).notes)
    approved(world)
    assert news_of(world) == [stray]
