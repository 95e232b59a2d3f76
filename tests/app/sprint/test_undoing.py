"""X5: what a sprint merged is taken back by tasks, once, and never while it runs."""

from __future__ import annotations

from foureyes.app.results.sprint import SprintAsk

from tests.stage.people import ALICE, BOB
from tests.stage.playground import Playground


def test_a_revert_task_for_each_merge_the_last_one_first_and_only_once_X5() -> None:
    ground = Playground()
    ground.configured('[review]\ndefault_mode = "skip"\n')
    tasks = [ground.create(ALICE, title=f"task {n}", labels=["review:skip"]) for n in range(2)]
    left = ground.create(BOB, title="not begun", depends_on=[ground.create(BOB, title="elsewhere")])
    name = ground.app.sprints.plan(ALICE, SprintAsk(tasks=(*tasks, left))).id
    ground.app.sprints.start(ALICE, name)
    with ground.refused("X5"):
        ground.app.sprints.undo(ALICE, name)
    ground.settle(ground.runner(agents=1, sprints=True))
    assert [ground.status(task) for task in tasks] == ["closed", "closed"]
    done = ground.app.sprints.undo(ALICE, name)
    assert [task for task, _ in done.reverts] == tasks[::-1]
    shown = ground.app.lists.show(ALICE, done.reverts[0][1])
    assert shown.task.title == "Revert " + tasks[1] + ": task 1"
    assert "git revert -m 1 " in shown.task.description
    again = ground.app.sprints.undo(ALICE, name)
    assert (again.reverts, again.already, again.message) == ((), done.reverts, f"{name} was already reverted")
    ground.sound()
    ground.app.close()
