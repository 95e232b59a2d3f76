"""What `fe doctor` says where the store cannot be opened."""

from __future__ import annotations

from foureyes.bootstrap.diagnosis import examined_without

from tests.bootstrap.beginning import init
from tests.stage.checkout import Checkout


def test_git_and_the_target_are_looked_at_all_the_same(checkout: Checkout) -> None:
    project = init(checkout).project
    found = {check.check: (check.result, check.message) for check in examined_without(str(checkout.path))}
    assert found["git"] == ("ok", "git answers")
    assert found["target"] == ("ok", f"target main at {checkout.git('rev-parse', '--short=7', 'main').strip()}")
    assert found["configuration"] == ("ok", f"foureyes.toml names project {project}")


def test_a_repository_that_cannot_be_read_is_said_so(tmp_path: object) -> None:
    found = [(check.check, check.result) for check in examined_without(str(tmp_path))]
    assert found == [("git", "fail")]
