"""P12: what is said about the foureyes.toml on the target where it is not the one in force."""

from __future__ import annotations

from foureyes.app.project.accepted_config import unaccepted
from foureyes.ui.steps import steps_text

from tests.stage.people import BOB
from tests.stage.world import GitWorld


def test_a_target_that_was_renamed_is_missed_as_a_branch_not_as_a_file_P12(world: GitWorld) -> None:
    world.checkout.git("branch", "-m", "main", "trunk")
    left = unaccepted(world.app.context, world.app.projects.get())
    assert left is not None
    assert left.text == "the target branch of this project, main, does not exist"
    wanted = "a person restores the branch from its current commit: git branch main BRANCH-OR-COMMIT"
    assert steps_text(left.next).startswith(wanted)
    found = {check.check: check for check in world.app.doctor.examine(BOB)}
    assert (found["target"].result, found["place"].result) == ("fail", "warn"), "nobody is told to adopt the store"
    assert not found["place"].next
