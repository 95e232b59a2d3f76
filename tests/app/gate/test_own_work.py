"""Whose work a submission is: what was merged for others is theirs, and so is what another task submitted (A5, K4)."""

from __future__ import annotations

from foureyes.ui.steps import steps_text

from tests.stage.checkout import AT_ONCE
from tests.stage.gated import configure, deliver, merge
from tests.stage.people import BOB, CLAUDE, CODEX
from tests.stage.world import GitWorld


def merged(world: GitWorld) -> str:
    task = deliver(world, actor=CODEX)
    world.approve(BOB, task)
    assert merge(world) == {task: "merged"}
    return task


def test_what_the_gate_merged_for_another_task_is_not_this_ones_K4_A5(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = world.started(CLAUDE)
    other = merged(world)
    with world.refused("A5") as caught:
        world.submit(CLAUDE, task)
    (reason,) = caught[0].reasons
    assert f"only the merges of {other}" in reason.message
    assert steps_text(reason.next).endswith(f"fe submit {task} --no-code")
    world.checkout.commit("mine.py", "mine\n", session=CLAUDE)
    done = world.submit(CLAUDE, task)
    paths = {file.path for file in world.show(task).attempts[-1].files}
    assert (done.landed, "mine.py" in paths, f"{other}.py" in paths) == (True, True, False)
    assert CODEX.session not in world.show(task).authors


def test_work_on_the_target_on_both_sides_of_a_merge_is_shown_with_it_K4(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = world.started(CLAUDE)
    world.checkout.commit("before.py", "before\n", session=CLAUDE)
    merged(world)
    world.checkout.commit("after.py", "after\n", session=CLAUDE)
    world.submit(CLAUDE, task)
    assert {"before.py", "after.py"} < {file.path for file in world.show(task).attempts[-1].files}


def test_a_hand_in_with_nothing_of_its_own_beyond_another_task_is_refused_A5(world: GitWorld) -> None:
    one = deliver(world)
    two = world.started(CLAUDE)
    world.checkout.switch(f"fe/{one}")
    with world.refused("A5") as caught:
        world.submit(CLAUDE, two)
    (reason,) = caught[0].reasons
    assert f"fe/{one} contains only the work of {one} (in review)" in reason.message
    assert steps_text(reason.next) == f"commit the changes for {two}, then: fe submit {two}"
    world.checkout.commit("two.py", "two\n", session=CLAUDE)
    done = world.submit(CLAUDE, two)
    assert done.notes == (
        f"it came from fe/{one}, the branch of {one}. The next commit there makes this attempt stale.",
    )
    world.checkout.branch(f"fe/{two}")
    world.checkout.commit("two.py", "two more\n", session=CLAUDE)
    done = world.submit(CLAUDE, two)
    assert done.notes == (f"attempt 1 came from fe/{one}, this one from fe/{two}",)


def test_a_task_without_code_is_handed_in_though_others_were_merged_meanwhile_A5(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = world.started(CLAUDE)
    merged(world)
    assert world.submit(CLAUDE, task, no_code=True).no_code
