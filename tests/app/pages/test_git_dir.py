"""What lies in git's own directory in the way of refs of ours is told, and decides nothing (A1, Q6)."""

from __future__ import annotations

import pytest

from foureyes.adapters.git.objects import refs
from foureyes.core.words.refs import attempt_ref, tracked
from foureyes.errors import GitProblem
from foureyes.ui.steps import steps_text

from tests.stage.clones import Clone
from tests.stage.gated import merge
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX
from tests.stage.wires import MAIN, Wired

NOTED = tracked("origin", MAIN)


def told(world: Clone) -> list[tuple[str, str]]:
    """What doctor says about refs, and what to type."""
    lines = [line for line in world.app.doctor.examine(BOB) if line.check == "refs"]
    return [(line.message, steps_text(line.next)) for line in lines]


def test_a_ref_below_the_note_of_the_target_hinders_nobody_and_doctor_tells_it_Q4_Q6(clones: Wired) -> None:
    alpha, git = clones.alpha, clones.alpha.checkout.git
    first, second, third = clones.approved(alpha), clones.approved(alpha), clones.approved(alpha)
    alpha.app.doctor.examine(BOB)
    git("update-ref", "-d", NOTED)
    git("update-ref", f"{NOTED}/x", "HEAD")
    alpha.app.decisions.withdraw(CODEX, first)
    alpha.app.feedback.redo(ALICE, second, "not so")
    assert merge(alpha) == {third: "merged"}
    task = alpha.create()
    alpha.app.claims.start(CLAUDE, task, worktree=True)
    assert alpha.checkout.head(f"fe/{task}") == clones.main()
    ((text, step),) = told(alpha)
    assert text == f"{NOTED} cannot be created, because there is a ref called {NOTED}/x"
    git(*step.split(" ")[1:])
    assert told(alpha) == []
    assert git("rev-parse", NOTED) == clones.main()


def test_a_lock_that_a_killed_git_left_hinders_nobody_and_doctor_tells_it_Q6(
    clones: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    alpha = clones.alpha
    monkeypatch.setattr(refs, "_WRITE", [word.replace("=1000", "=1") for word in refs._WRITE])  # nobody waits for it
    task = clones.approved(alpha)
    alpha.checkout.git("update-ref", "-d", NOTED)
    lock = alpha.checkout.path / ".git" / f"{NOTED}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    alpha.app.decisions.withdraw(CODEX, task)
    assert alpha.status(task) == "reviewing"
    ((text, step),) = told(alpha)
    assert f"there is {lock}: another git is writing it, or was killed" in text
    assert step == f"if no git is running here: mv {lock} ELSEWHERE"


def test_a_lock_beside_any_note_of_what_the_remote_has_is_told_by_doctor_D4_Q6(clones: Wired) -> None:
    """While it is there a note stays as somebody wrote it, and pages show what it says."""
    task = clones.alpha.submitted_task(CLAUDE)
    folder, noted = clones.alpha.checkout.path / ".git", tracked("origin", f"refs/heads/fe/{task}")
    for odd in ("x y", "a..b", "~"):  # no name of a ref, so in nobody's way
        (folder / noted).with_name(f"{odd}.lock").touch()
    assert told(clones.alpha) == []
    lock = folder / f"{noted}.lock"
    lock.touch()
    ((text, step),) = told(clones.alpha)
    assert text.startswith(
        f"{noted} cannot be written, because there is {lock}: another git is writing it, or was killed"
    )
    assert step == f"if no git is running here: mv {lock} ELSEWHERE"
    lock.unlink()
    assert told(clones.alpha) == []


def test_a_ref_below_where_an_attempt_is_kept_is_named_by_the_hand_in_and_by_doctor_A1(clones: Wired) -> None:
    alpha, git = clones.alpha, clones.alpha.checkout.git
    task = alpha.create()
    own, odd = attempt_ref(task, 1), f"{attempt_ref(task, 1)}/x"
    alpha.start(CLAUDE, task)
    git("switch", "-q", "-c", f"fe/{task}")
    alpha.checkout.commit("one.py", "one\n", session=CLAUDE)
    git("update-ref", odd, "HEAD")
    why = f"{own} cannot be created, because there is a ref called {odd}"
    with pytest.raises(GitProblem, match=why) as refused:
        alpha.submit(CLAUDE, task)
    step = f"git update-ref -d {odd}"
    assert steps_text(refused.value.next_step) == step
    assert told(alpha) == [(why, step)]
    git(*step.split(" ")[1:])
    alpha.submit(CLAUDE, task)
    assert own in clones.refs()
    assert told(alpha) == []


def test_a_ref_where_a_folder_of_ours_belongs_is_told_A1(clones: Wired) -> None:
    clones.alpha.checkout.git("update-ref", "refs/foureyes/left/fe-7k2", "HEAD")
    ((_, step),) = told(clones.alpha)
    assert step == "git update-ref -d refs/foureyes/left/fe-7k2"


def test_a_shallow_clone_is_led_to_the_rest_of_its_history_Q6(clones: Wired) -> None:
    alpha, git = clones.alpha, clones.alpha.checkout.git
    task = clones.approved(clones.beta)
    assert merge(clones.beta) == {task: "merged"}
    far = f"file://{clones.remote.path}"
    git("fetch", "-q", "--depth", "1", far, "main")
    git("reset", "-q", "--hard", "FETCH_HEAD")
    (line,) = [line for line in alpha.app.doctor.examine(BOB) if line.check == "history"]
    assert (line.result, steps_text(line.next)) == ("warn", "git fetch --unshallow origin")
    assert line.message == "this clone lacks part of the history of main, which a merge may need"
    other = clones.approved(clones.beta)
    assert merge(alpha) == {other: "merged"}, "from the last merge on it has all that this one needs"
    git("fetch", "-q", "--unshallow", far)
    assert [line for line in alpha.app.doctor.examine(BOB) if line.check == "history"] == []


def test_doctor_names_what_makes_git_show_another_commit_than_there_is_Q5_Q6(clones: Wired) -> None:
    """A person who types the `git show` that they are given sees what is put in the place of the commit."""
    alpha, git = clones.alpha, clones.alpha.checkout.git

    def warned() -> list[tuple[str, str]]:
        lines = [line for line in alpha.app.doctor.examine(BOB) if line.check == "replaced"]
        return [(line.message, steps_text(line.next)) for line in lines]

    assert warned() == []
    evil = git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "evil")
    git("replace", evil, git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "nice"))
    assert git("show", "--format=%s", evil) == "nice"
    alpha.checkout.write(".git/info/grafts", f"{evil}\n")
    shown = (
        f"git in this clone shows something other than the real objects, because of refs/replace/{evil}, info/grafts"
    )
    ((text, step),) = warned()
    assert (text.startswith(shown), "git --no-replace-objects" in step) == (True, True)
