"""What the remote said is what it answered (Q6): the refs that note it in a clone are anybody's to write."""

from __future__ import annotations

from collections.abc import Callable

from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import tracked

from tests.stage.clones import SHARED, Clone
from tests.stage.gated import merge
from tests.stage.people import ALICE
from tests.stage.wires import MAIN, Wired

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
