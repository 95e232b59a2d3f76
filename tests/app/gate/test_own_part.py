"""The own part of a stacked change comes first; what is another task's is folded and says whose it is (A7)."""

from __future__ import annotations

from tests.stage.people import CLAUDE
from tests.stage.world import GitWorld


def stacked(world: GitWorld) -> tuple[str, str]:
    """Two tasks; the second stands on the first and changes one of its two files."""
    one = world.work(CLAUDE, world.create(), name="login.py", text="open\n")
    world.checkout.commit("shared.py", "one\n", session=CLAUDE)
    world.submit(CLAUDE, one)
    two = world.create()
    world.start(CLAUDE, two)
    world.checkout.branch(f"fe/{two}")
    world.checkout.commit("shared.py", "two\n", session=CLAUDE)
    world.checkout.commit("small.py", "small\n", session=CLAUDE)
    world.submit(CLAUDE, two)
    return one, two


def test_files_that_are_as_another_task_left_them_are_folded_after_the_own_ones_A7(world: GitWorld) -> None:
    one, two = stacked(world)
    view = world.app.attempts.changes(two)
    assert [(file.path, file.folded, file.of) for file in view.files] == [
        ("shared.py", False, ()),
        ("small.py", False, ()),
        ("login.py", True, (one,)),
    ]
    assert [row.task for row in view.below] == [one]
    assert all(file.counts for file in view.files)


def test_the_text_of_a_change_has_the_own_part_first_and_leaves_nothing_out_A7(world: GitWorld) -> None:
    one, two = stacked(world)
    own, _, inside = world.app.attempts.diff(two).partition("\n# inside")
    assert ("+two" in own, "+small" in own, "+open" in own) == (True, True, False)
    assert ("+open" in inside, one in inside) == (True, True)
    assert "# inside" not in world.app.attempts.diff(one)
