"""What the remote said is what it answered (Q6): the refs that note it in a clone are anybody's to write."""

from __future__ import annotations

from collections.abc import Callable

from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import tracked

from tests.stage.clones import SHARED, Clone
from tests.stage.gated import approved, merge, merge_rows
from tests.stage.people import ALICE, CLAUDE, CODEX
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
    said = alpha.app.merges.accept(ALICE, "it was meant")
    assert [task in note for note in said.notes] == [True]


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


def on_top_of(world: Clone, lower: str) -> str:
    """An agent has its work counted from another task's: it moves the refs that say where the target is, hands in while
    nobody can be asked, and moves them back.
    """
    git, task, before = world.checkout.git, world.create(priority=1), world.checkout.head("main")
    world.start(CLAUDE, task)
    git("switch", "-q", "-c", f"fe/{task}", f"fe/{lower}")
    git("rm", "-q", f"{lower}.py")
    git("commit", "-q", "-m", "away")
    for ref in (MAIN, NOTED):
        git("update-ref", ref, world.checkout.head())
    world.checkout.commit("harmless.py", "harmless\n", session=CLAUDE)
    world.submit(CLAUDE, task)
    for ref in (MAIN, NOTED):
        git("update-ref", ref, before)
    git("switch", "-q", "main")
    return task


def test_a_change_that_is_counted_from_what_the_target_lacks_is_not_merged_Q2(clones: Wired) -> None:
    alpha = clones.alpha
    fix = clones.approved(alpha)
    clones.wire(alpha).down = "kept away"
    task = on_top_of(alpha, fix)
    clones.wire(alpha).down = ""
    alpha.approve(CODEX, task)
    rows = merge_rows(alpha)
    assert {name: row.outcome for name, row in rows.items()} == {fix: "merged", task: "stuck"}
    assert "which main does not have (Q2)" in rows[task].message
    assert f"{fix}.py" in clones.remote.git("ls-tree", "--name-only", "main")
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
