"""What the remote said is what it answered (Q6): the refs that note it in a clone are anybody's to write."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from foureyes.app.git_ports import TargetHistory
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import FENCE, tracked
from foureyes.ui.steps import steps_text

from tests.stage.clones import SHARED, Clone
from tests.stage.gated import approved, merge, merge_rows
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX
from tests.stage.wires import MAIN, Wired
from tests.stage.world import GitWorld

NOTED = tracked("origin", MAIN)


def planted(world: Clone, task: str) -> Sha:
    """A merge of a task with something more in it, which nobody saw, made by whoever can write to the repository."""
    git = world.checkout.git
    git("switch", "-q", "--detach", "main")
    git("merge", "-q", "--no-ff", "--no-commit", f"fe/{task}")
    world.checkout.write("evil.py", "evil\n")
    git("add", "evil.py")
    git("commit", "-q", "-m", "Merge")
    made = world.checkout.head()
    git("switch", "-q", "main")
    return made


def forging(world: Clone, commit: str) -> Callable[[], object]:
    return lambda: world.checkout.git("update-ref", NOTED, commit)


def test_a_ref_that_somebody_writes_after_the_remote_answered_is_not_what_it_said_Q6(clones: Wired) -> None:
    alpha = clones.alpha
    task = clones.approved(alpha)
    clones.wire(alpha).heard = forging(alpha, planted(alpha, task))
    assert merge(alpha) == {task: "merged"}
    assert "evil.py" not in clones.remote.git("ls-tree", "--name-only", "main")
    assert alpha.checkout.head("main") == clones.main()
    assert not (alpha.checkout.path / "evil.py").exists()
    assert alpha.app.audit.exceptions() == []


def test_a_target_that_was_pushed_over_is_seen_whatever_the_ref_says_Q6(clones: Wired) -> None:
    alpha, before = clones.alpha, clones.main()
    task = clones.approved(alpha)
    assert merge(alpha) == {task: "merged"}
    made = clones.main()
    waits = clones.approved(alpha)
    clones.remote.git("update-ref", MAIN, before)
    clones.wire(alpha).heard = forging(alpha, made)
    with alpha.refused("Q6"):
        merge(alpha)
    assert alpha.status(waits) == "approved"
    assert [task in found.message for found in alpha.app.audit.verify().findings] == [True]
    assert {line.check: line for line in alpha.app.doctor.examine(ALICE)}["target"].result == "fail"
    said = alpha.app.merges.accept(ALICE, "it was meant", before)
    assert [task in note for note in said.notes] == [True]


def test_a_clone_that_never_had_the_merge_is_told_that_the_target_lacks_it_and_can_bring_it_back_Q6(
    clones: Wired,
) -> None:
    alpha, beta, before = clones.alpha, clones.beta, clones.main()
    task = clones.approved(alpha)
    assert merge(alpha) == {task: "merged"}
    made = clones.main()
    assert not [note for note in beta.app.status.show(ALICE).notes if task in steps_text(note)]  # behind, not set back
    clones.remote.git("update-ref", MAIN, before)
    assert [task in found.message for found in beta.app.audit.verify().findings] == [True]
    line = {line.check: line for line in beta.app.doctor.examine(ALICE)}["target"]
    assert (line.result, task in line.message) == ("fail", True)
    view = beta.app.status.show(ALICE)
    assert ([task in steps_text(note) for note in view.notes], view.notes[0]) == ([True], view.stopped)
    push = next(step.argv for step in line.next.steps if step.argv[:2] == ("git", "push"))
    assert push == ("git", "push", "origin", f"{made}^{{commit}}:{MAIN}")
    for digits in (made, made[:12]):  # a ref that is called so is no hash, and anybody can make one
        beta.checkout.git("update-ref", f"refs/heads/{digits}", before)
    beta.checkout.git(*map(str, push[1:]))
    assert clones.main() == made
    assert {line.check: line for line in beta.app.doctor.examine(ALICE)}["target"].result == "ok"


def test_a_merge_that_is_nowhere_on_the_remote_is_missing_for_who_asked_unless_the_clone_ends_early_Q6(
    clones: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    alpha, beta, before = clones.alpha, clones.beta, clones.main()
    task = clones.approved(alpha)
    assert merge(alpha) == {task: "merged"}
    for ref in (MAIN, FENCE):
        clones.remote.git("update-ref", ref, before)
    line = {line.check: line for line in beta.app.doctor.examine(ALICE)}["target"]
    assert (line.result, task in line.message) == ("fail", True)
    assert "git push" not in steps_text(line.next)
    whole = beta.app.context.repo.history

    def ends(target: str, most: int) -> TargetHistory:
        return msgspec.structs.replace(whole(target, most), lacks=frozenset({before}))

    monkeypatch.setattr(beta.app.context.repo, "history", ends)
    assert {line.check: line for line in beta.app.doctor.examine(ALICE)}["target"].result != "fail"


def test_the_configuration_that_is_accepted_is_the_one_that_the_remote_named_P12_Q6(clones: Wired) -> None:
    alpha = clones.alpha
    alpha.checkout.commit("foureyes.toml", SHARED + '\n[review]\npolicy = "strict"\n')
    alpha.checkout.git("push", "-q", "origin", "main")
    meant = alpha.checkout.head()
    looser = alpha.checkout.commit("foureyes.toml", SHARED + "\n[minor]\nchecks = false\n")
    alpha.checkout.git("reset", "-q", "--hard", meant)
    clones.wire(alpha).heard = forging(alpha, looser)
    alpha.app.policy.accept(ALICE)
    with alpha.store.read() as tx:
        assert "strict" in (alpha.app.context.project(tx).accepted_text or "")


def on_top_of(clones: Wired, lower: str) -> str:
    """An agent would have its work counted from another task's: it moves the refs that say where the target is, hands
    in while nobody can be asked, and moves them back.
    """
    world = clones.alpha
    git, task, before = world.checkout.git, world.create(priority=1), world.checkout.head("main")
    world.start(CLAUDE, task)
    git("switch", "-q", "-c", f"fe/{task}", f"fe/{lower}")
    git("rm", "-q", f"{lower}.py")
    git("commit", "-q", "-m", "away")
    for ref in (MAIN, NOTED):
        git("update-ref", ref, world.checkout.head())
    world.checkout.commit("harmless.py", "harmless\n", session=CLAUDE)
    clones.wire(world).down = "kept away"
    world.submit(CLAUDE, task)
    clones.wire(world).down = ""
    for ref in (MAIN, NOTED):
        git("update-ref", ref, before)
    git("switch", "-q", "main")
    return task


def test_work_is_counted_from_where_it_began_whatever_refs_say_while_nobody_can_be_asked_K4_Q6(clones: Wired) -> None:
    alpha, before = clones.alpha, clones.main()
    fix = clones.approved(alpha)
    task = on_top_of(clones, fix)
    (attempt,) = alpha.show(task, ALICE).attempts
    assert (attempt.base, len(attempt.commits)) == (before, 3)


def test_a_change_that_is_counted_from_what_the_target_lacks_is_not_merged_Q2(clones: Wired) -> None:
    alpha, before = clones.alpha, clones.main()
    alpha.checkout.commit("hand.py", "by hand\n")
    alpha.checkout.git("push", "-q", "origin", "main")
    task = clones.approved(alpha)
    clones.remote.git("update-ref", MAIN, before)
    rows = merge_rows(alpha)
    assert {name: row.outcome for name, row in rows.items()} == {task: "stuck"}
    assert "which main does not contain (Q2)" in rows[task].message
    alpha.app.merges.retry(ALICE, task)
    assert merge(alpha) == {task: "stuck"}


def test_without_a_remote_neither_Q2(world: GitWorld) -> None:
    world.checkout.write(".git/info/exclude", ".foureyes/\n")
    fix = approved(world, by=CODEX)
    git, task, before = world.checkout.git, world.create(priority=1), world.checkout.head("main")
    world.start(CLAUDE, task)
    git("switch", "-q", "-c", f"fe/{task}", f"fe/{fix}")
    git("update-ref", MAIN, world.checkout.head())
    world.checkout.commit("harmless.py", "harmless\n", session=CLAUDE)
    world.submit(CLAUDE, task)
    git("update-ref", MAIN, before)
    git("switch", "-q", "main")
    world.approve(CODEX, task)
    rows = merge_rows(world)
    assert {name: row.outcome for name, row in rows.items()} == {fix: "merged", task: "stuck"}
    assert (world.checkout.path / f"{fix}.py").exists()
    world.app.merges.retry(ALICE, task)
    assert merge(world) == {task: "merged"}, "the target has it by now"
    assert (world.checkout.path / f"{fix}.py").exists()


def test_an_approval_is_taken_back_whatever_the_ref_says_Q4(clones: Wired) -> None:
    alpha = clones.alpha
    first, second, third = clones.approved(alpha), clones.approved(alpha), clones.approved(alpha)
    alpha.checkout.git("update-ref", NOTED, f"fe/{first}")
    alpha.app.decisions.withdraw(CODEX, first)
    assert alpha.status(first) == "reviewing"
    alpha.checkout.git("update-ref", NOTED, f"fe/{second}")
    alpha.app.feedback.redo(ALICE, second, "not so")
    assert alpha.status(second) == "open"
    clones.wire(alpha).down = "no route"
    alpha.app.decisions.withdraw(CODEX, third)
    assert alpha.status(third) == "reviewing", "what cannot be asked hinders nobody"


def test_what_somebody_pushed_to_the_target_is_not_taken_back_by_a_word_Q4(clones: Wired) -> None:
    alpha = clones.alpha
    task = clones.approved(alpha)
    clones.beta.checkout.git("fetch", "-q", "origin", f"fe/{task}")
    clones.beta.checkout.git("push", "-q", "origin", "FETCH_HEAD:refs/heads/main")
    with alpha.refused("Q4"):
        alpha.app.decisions.withdraw(CODEX, task)
    with alpha.refused("Q4"):
        alpha.app.feedback.redo(ALICE, task, "not so")


def test_what_is_on_the_target_of_a_clone_alone_did_not_land_Q6_A3(clones: Wired) -> None:
    """A commit on the clone's own target while the remote is away; and one that a forged ref says to be there."""
    alpha, wire = clones.alpha, clones.wire(clones.alpha)
    for name in ("one.py", "two.py"):
        task = alpha.create()
        alpha.start(CLAUDE, task)
        alpha.checkout.commit(name, f"{name}\n", session=CLAUDE)
        wire.down = "no route"
        if name == "two.py":
            alpha.checkout.git("update-ref", NOTED, "main")
        alpha.submit(CLAUDE, task)
        wire.down = ""
        (attempt,) = alpha.show(task, ALICE).attempts
        assert not attempt.landed
        alpha.approve(CODEX, task)
        assert merge(alpha) == {task: "merged"}
        assert name in clones.remote.git("ls-tree", "--name-only", "main")


def test_landed_work_is_approved_only_while_the_remote_has_it_D4_Q6(clones: Wired) -> None:
    alpha, before = clones.alpha, clones.main()
    task = alpha.create()
    alpha.start(CLAUDE, task)
    head = alpha.checkout.commit("one.py", "one\n", session=CLAUDE)
    alpha.checkout.git("push", "-q", "origin", "main")
    alpha.submit(CLAUDE, task)
    (attempt,) = alpha.show(task, ALICE).attempts
    assert attempt.landed
    clones.remote.git("update-ref", MAIN, before)
    with alpha.refused("D4"):
        alpha.approve(CODEX, task)
    clones.wire(alpha).down = "no route"
    with alpha.refused("D4"):
        alpha.approve(CODEX, task)
    clones.wire(alpha).down = ""
    clones.remote.git("update-ref", MAIN, head)
    alpha.approve(CODEX, task)
    assert alpha.status(task) == "closed"


def test_landed_work_is_approved_by_a_signature_too_from_what_the_remote_said_before_D4_I9(clones: Wired) -> None:
    alpha, beta = clones.alpha, clones.beta
    task = alpha.create(labels=["security"])
    alpha.start(CLAUDE, task)
    alpha.checkout.commit("one.py", "one\n", session=CLAUDE)
    alpha.checkout.git("push", "-q", "origin", "main")
    alpha.submit(CLAUDE, task)
    beta.app.keys.new(BOB)
    clones.remote.git("update-ref", MAIN, f"{MAIN}~1")
    with beta.refused("D4"):
        beta.approve(BOB, task)
    clones.remote.git("update-ref", MAIN, alpha.checkout.head("main"))
    beta.approve(BOB, task)
    assert (beta.status(task), len(beta.keys.signed)) == ("closed", 1)


def test_work_begins_at_what_the_remote_has_and_not_at_what_is_noted_of_it_K1_Q6(clones: Wired) -> None:
    alpha, before = clones.alpha, clones.main()
    alpha.checkout.git("switch", "-q", "--detach")
    planted = alpha.checkout.commit("planted.py", "planted\n")
    alpha.checkout.git("switch", "-q", "main")
    alpha.checkout.git("update-ref", NOTED, planted)
    task = alpha.create()
    alpha.app.claims.start(CODEX, task, worktree=True)
    assert alpha.checkout.head(f"fe/{task}") == before


def test_what_is_on_the_target_by_history_alone_is_not_merged_and_can_be_sent_back_Q2_Q4(world: GitWorld) -> None:
    world.checkout.write(".git/info/exclude", ".foureyes/\n")
    fix = approved(world, by=CODEX)
    world.checkout.git("merge", "-q", "-s", "ours", "--no-ff", "-m", "nothing of it", f"fe/{fix}")
    row = merge_rows(world)[fix]
    assert (row.outcome, "does not contain the approved change" in row.message) == ("stuck", True)
    assert merge(world) == {fix: "stuck"}
    assert world.status(fix) == "approved"
    world.app.feedback.redo(ALICE, fix, "bring it again")
    assert world.status(fix) == "open"
