"""P12: the target is another branch when a person accepts the foureyes.toml that says so, and all agrees then."""

from __future__ import annotations

import pytest

from foureyes.config import FILE
from foureyes.errors import Conflict, NotFound

from tests.stage.people import ALICE, CI, CLAUDE
from tests.stage.world import GitWorld

TEXT = '[project]\nid = "{id}"\ntarget = "{target}"\n'


def file(world: GitWorld, target: str) -> None:
    """A commit on the branch that is checked out, whose foureyes.toml names a target."""
    world.checkout.write(FILE, TEXT.format(id=world.store.project, target=target))
    world.checkout.git("add", FILE)
    world.checkout.git("commit", "-qm", f"the target is {target}")


def test_a_renamed_target_is_accepted_by_a_person_and_everything_goes_on_there_P12(world: GitWorld) -> None:
    file(world, "main")
    world.app.policy.accept(ALICE)
    task = world.submitted_task(CLAUDE)
    world.checkout.git("switch", "-q", "main")
    world.checkout.git("branch", "-m", "main", "trunk")
    with pytest.raises(NotFound):
        world.app.policy.accept(ALICE)
    file(world, "trunk")
    (check,) = [row for row in world.app.doctor.examine(ALICE) if row.check == "target"]
    assert (check.result, "trunk names trunk as the target now" in check.message) == ("fail", True)
    assert [row.message for row in world.app.doctor.examine(ALICE) if "trunk as the target now" in row.message] == [
        check.message
    ]
    with world.refused("P12") as caught:
        world.app.merges.process(CI)
    assert caught[0].reasons[0].message == check.message
    with world.refused("P12"):
        world.app.policy.accept(CLAUDE)
    offer = world.app.policy.offered(ALICE)
    assert (offer.target, [row.text for row in offer.changed]) == ("trunk", ["project.target: main → trunk"])
    assert world.app.policy.accept(ALICE, seen=offer.seen).new
    assert (world.app.projects.get().target, world.app.status.show(ALICE).target) == ("trunk", "trunk")
    assert not [row for row in world.app.doctor.examine(ALICE) if row.result == "fail"]
    assert not world.app.policy.offered(ALICE).new
    world.approve(ALICE, task)
    world.clock.advance(minutes=1)
    assert [row.outcome for row in world.app.merges.process(ALICE)] == ["merged"]
    assert world.checkout.git("log", "--format=%s", "-1", "trunk").startswith("Merge")


def test_a_target_that_is_named_and_not_there_is_refused_with_the_way_P12(world: GitWorld) -> None:
    file(world, "trunk")
    with world.refused("P12"):
        world.app.policy.offered(ALICE)
    with world.refused("P12"):
        world.app.merges.process(ALICE)
    world.checkout.git("branch", "trunk", "main~1")
    with world.refused("P12"):
        world.app.policy.accept(ALICE)
    world.checkout.git("branch", "-f", "trunk", "main")
    assert world.app.policy.accept(ALICE).new
    assert world.app.projects.get().target == "trunk"


def test_a_file_of_another_project_leads_to_the_store_that_it_is_of_and_not_in_a_circle_P12(world: GitWorld) -> None:
    world.checkout.write(FILE, TEXT.format(id="9999999999999999", target="main"))
    world.checkout.git("add", FILE)
    world.checkout.git("commit", "-qm", "another's")
    checks = {row.check: row for row in world.app.doctor.examine(ALICE)}
    with world.refused() as caught:
        world.app.policy.accept(ALICE)
    notes = world.app.status.show(ALICE).unaccepted
    assert notes is not None
    for steps in (checks["configuration"].next, caught[0].next_step, notes):
        assert [step.argv[2] for step in steps.steps if step.argv] == ["backup", "restore"]


def test_what_is_on_another_target_is_shown_before_it_is_accepted_P12(world: GitWorld) -> None:
    file(world, "main")
    world.app.policy.accept(ALICE)
    world.checkout.git("branch", "-m", "main", "trunk")
    file(world, "trunk")
    offer = world.app.policy.offered(ALICE)
    assert [line for line in offer.lines if line.startswith("trunk brings")] == [
        f"trunk brings {world.checkout.head('trunk')[:12]} the target is trunk"
    ], "where main was is known from init on"
    world.checkout.git("branch", "main", "trunk~1")
    world.started(CLAUDE)
    world.checkout.git("branch", "-D", "main")
    stray = world.checkout.commit("backdoor.py", message="harmless")
    offer = world.app.policy.offered(ALICE)
    assert f"trunk brings {stray[:12]} harmless" in offer.lines
    assert len([line for line in offer.lines if line.startswith("trunk brings")]) == 2
    world.checkout.commit("more.py", message="meanwhile")
    with pytest.raises(Conflict):
        world.app.policy.accept(ALICE, seen=offer.seen)


def told(world: GitWorld) -> tuple[str, str, str]:
    """What status, doctor and validate say about the target."""
    status = " ".join(step.before for note in world.app.status.show(ALICE).notes for step in note.steps)
    (doctor,) = [check.message for check in world.app.doctor.examine(ALICE) if check.check == "target"]
    return status, doctor, " ".join(world.app.validation.validate(ALICE).notes)


def test_what_comes_to_another_target_by_hand_is_told_by_all_though_nothing_began_before_P12_Q5(
    world: GitWorld,
) -> None:
    """Where nothing was begun or merged, what came since init is shown to the person who accepts."""
    file(world, "main")
    world.app.policy.accept(ALICE)
    world.checkout.git("branch", "-m", "main", "trunk")
    file(world, "trunk")
    accepted = world.checkout.git("rev-parse", "trunk")
    offer = world.app.policy.offered(ALICE)
    assert f"trunk brings {accepted[:12]} the target is trunk" in offer.lines
    world.app.policy.accept(ALICE, seen=offer.seen)
    status, doctor, validate = told(world)
    assert "to no task" not in status + doctor + validate, "it was shown, and accepted as it was"
    stray = world.checkout.commit("backdoor.py", message="harmless")
    for text in told(world):
        assert f"1 commit on trunk belongs to no task: {stray[:7]} harmless" in text
    task = world.submitted_task(CLAUDE)
    world.approve(ALICE, task)
    world.clock.advance(minutes=1)
    assert [row.outcome for row in world.app.merges.process(ALICE)] == ["merged"]
    status, doctor, validate = told(world)
    assert stray[:7] not in status, "until the next merge, like any other"
    assert stray[:7] in doctor
    assert stray[:7] in validate
