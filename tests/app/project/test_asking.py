"""P12 with a remote: a person decides about the foureyes.toml that is there, whatever their own clone has."""

from __future__ import annotations

import pytest

from foureyes.app.project.accepted_config import unaccepted
from foureyes.ui.steps import steps_text

from tests.stage.clones import SHARED, Clone, Clones
from tests.stage.people import ALICE, BOB

pytestmark = pytest.mark.on("sqlite")

STRICT = f'{SHARED}\n[work]\ncopy = [".env"]\n'
KEY = "work.copy"


def pushed(clone: Clone, settings: str = STRICT) -> None:
    """A change of the file that one machine commits on the target and pushes."""
    clone.checkout.commit("foureyes.toml", settings)
    clone.checkout.git("push", "-q", "origin", "main")


def configuration(clone: Clone) -> tuple[str, str]:
    (line,) = [each for each in clone.app.doctor.examine(ALICE) if each.check == "configuration"]
    return line.result, line.message


def test_a_clone_that_is_behind_is_offered_the_file_of_the_remote_and_no_branch_moves_P12(clones: Clones) -> None:
    before = clones.beta.checkout.head("main")
    pushed(clones.alpha)
    offer = clones.beta.app.policy.offered(BOB)
    assert [setting.key for setting in offer.changed] == [KEY]
    assert clones.beta.app.policy.accept(BOB, seen=offer.seen).new
    assert clones.beta.checkout.head("main") == before
    (value,) = [row.value for row in clones.beta.app.policy.show(BOB) if row.key == KEY]
    assert value == (".env",)


def test_an_old_file_of_a_clone_does_not_come_back_into_force_P12(clones: Clones) -> None:
    pushed(clones.alpha)
    clones.alpha.app.policy.accept(ALICE)
    digest = clones.alpha.app.projects.get().accepted_digest
    assert not clones.beta.app.policy.offered(BOB).new
    assert not clones.beta.app.policy.accept(BOB).new
    assert clones.beta.app.projects.get().accepted_digest == digest
    assert configuration(clones.beta)[0] == "ok"


def test_a_remote_that_cannot_be_asked_means_that_nothing_is_accepted_P12(clones: Clones) -> None:
    pushed(clones.alpha)
    for verb in (clones.beta.app.policy.offered, clones.beta.app.policy.accept):
        with clones.cut(), clones.beta.refused("P12") as caught:
            verb(BOB)
        assert "on main of origin is unknown: origin cannot be asked" in caught[0].reasons[0].message
        assert steps_text(caught[0].next_step).startswith("git ls-remote origin")


def test_a_file_that_only_this_clone_has_is_pushed_first_P12(clones: Clones) -> None:
    clones.beta.checkout.commit("foureyes.toml", STRICT)
    with clones.beta.refused("P12") as caught:
        clones.beta.app.policy.offered(BOB)
    assert "git push origin main" in steps_text(caught[0].next_step)
    clones.beta.checkout.git("push", "-q", "origin", "main")
    assert clones.beta.app.policy.accept(BOB).new


def test_doctor_in_a_clone_that_is_behind_tells_what_was_never_accepted_there_P12(clones: Clones) -> None:
    pushed(clones.alpha)
    assert configuration(clones.beta) == (
        "warn",
        "foureyes.toml on main of origin has changes that were not accepted, so it is not used",
    )


def test_a_clone_that_was_pulled_since_the_remote_was_asked_is_believed_P12(clones: Clones) -> None:
    clones.beta.app.policy.offered(BOB)
    pushed(clones.alpha)
    clones.alpha.app.policy.accept(ALICE)
    clones.beta.pull()
    assert unaccepted(clones.beta.app.context, clones.beta.app.projects.get()) is None


def test_the_branch_that_is_to_be_the_target_is_asked_for_too_P12(clones: Clones) -> None:
    alpha = clones.alpha
    alpha.checkout.git("switch", "-q", "-c", "trunk")
    moved = SHARED.replace("[project]\n", '[project]\ntarget = "trunk"\n', 1)
    alpha.checkout.commit("foureyes.toml", moved)
    alpha.checkout.git("push", "-q", "origin", "trunk", "trunk:main")
    assert clones.beta.app.policy.offered(BOB).target == "trunk"
