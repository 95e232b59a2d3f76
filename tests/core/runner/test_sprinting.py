"""X2, X3: while there are sprints new tasks begin only out of those that run; what was begun goes on."""

from __future__ import annotations

from typing import Any

import pytest

from foureyes.core.nouns.sprint import Sprint, SprintId
from foureyes.core.runner.plan import is_bound, kept_back, plan
from foureyes.core.runner.snapshot import Snapshot
from foureyes.core.runner.steps import EndSprint, Finish, PauseSprint, ResumeSprint, StartRun, Wait
from foureyes.core.sprint.progress import Progress, SprintNow, SprintRunEnd

from tests.core.runner.scene import live, past, scene, task

NOW = "2026-11-18T01:00:00.000Z"
LEFT = Progress(of=5, todo=5, ready=5)


def sprint(name: str = "s-01", progress: Progress = LEFT, **fields: Any) -> SprintNow:
    ends = fields.pop("ends", ())
    usual: dict[str, Any] = {"n": 1, "state": "running", "kind": "until", "ends_at": "2026-11-18T08:00:00.000Z"}
    return SprintNow(sprint=Sprint(id=SprintId(name), **(usual | fields)), progress=progress, ends=ends)


def began(**fields: Any) -> list[str]:
    found = plan(scene(**({"at": NOW} | fields)))
    return [step.task for step in found if isinstance(step, StartRun)]


def moved(**fields: Any) -> list[tuple[str, str]]:
    found = plan(scene(**({"at": NOW} | fields)))
    steps = [step for step in found if isinstance(step, EndSprint | PauseSprint | ResumeSprint)]
    return [(type(step).__name__, step.why) for step in steps]


IN, OUT = task("in", sprint="s-01"), task("out")
FIX, RETRY = task("fix", has_feedback=True), task("retry", past=(past(),))


def test_without_a_sprint_everything_that_is_ready_begins_X2() -> None:
    assert began(tasks=(OUT, IN)) == ["out", "in"]
    assert not is_bound(Snapshot())


@pytest.mark.parametrize(
    ("sprints", "begins"),
    [
        ((sprint(),), ["fix", "retry", "in"]),
        ((sprint(state="paused"),), ["fix", "retry"]),
        ((sprint("s-02"),), ["fix", "retry"]),
        ((sprint("s-02", state="paused"), sprint()), ["fix", "retry", "in"]),
    ],
)
def test_new_tasks_begin_only_out_of_sprints_that_run_and_what_was_begun_goes_on_X2(
    sprints: tuple[SprintNow, ...], begins: list[str]
) -> None:
    assert began(agents=9, slots=_many(), tasks=(IN, OUT, FIX, RETRY), sprints=sprints) == begins


def _many() -> Any:
    from foureyes.core.runner.snapshot import Slot

    return (Slot(profile="claude", slots=9), Slot(profile="codex", slots=9))


def test_no_more_begin_than_are_to_be_completed_X2() -> None:
    tasks = tuple(task(name, sprint="s-01") for name in "abcd")
    three = sprint(kind="tasks", tasks=3, ends_at="", progress=Progress(done=1, of=3, reviewing=1, todo=4, ready=4))
    assert began(agents=9, slots=_many(), tasks=tasks, sprints=(three,)) == ["a", "b"]
    under_way = sprint(kind="tasks", tasks=3, ends_at="", progress=Progress(done=1, running=2, of=3, todo=4, ready=4))
    assert began(agents=9, slots=_many(), tasks=tasks, sprints=(under_way,)) == []


def test_at_its_end_none_begins_in_the_same_look_and_what_runs_goes_on_X2() -> None:
    over = sprint(ends_at="2026-11-18T00:59:59.000Z")
    assert began(tasks=(IN, FIX), sprints=(over,), runs=(live(),)) == ["fix"]
    assert moved(tasks=(IN,), sprints=(over,)) == [("EndSprint", "its time is over")]


def test_three_errors_a_hold_and_a_full_disk_pause_it_and_nothing_begins_in_that_look_X3() -> None:
    failed = SprintRunEnd(task="fe-1", ending="failed", text="no")
    bad = sprint(ends=(failed, failed, failed))
    assert moved(tasks=(IN,), sprints=(bad,)) == [("PauseSprint", "three errors in a row: fe-1 no; fe-1 no; fe-1 no")]
    assert began(tasks=(IN,), sprints=(bad,)) == []
    assert moved(sprints=(sprint(),), held="legal") == [("PauseSprint", "the project is held: legal")]
    assert moved(sprints=(sprint(),), no_room="the disk is full") == [("PauseSprint", "the disk is full")]


def test_what_paused_it_and_is_gone_lets_it_go_on_X3() -> None:
    paused = sprint(state="paused", pause_kind="hold", why="the project is held: legal")
    assert moved(sprints=(paused,), held="legal") == []
    assert moved(sprints=(paused,)) == [("ResumeSprint", "the hold was lifted")]
    assert moved(sprints=(sprint(state="paused", pause_kind="errors"),)) == []


def test_until_nothing_is_ready_ends_only_when_the_runner_has_nothing_else_to_do_X1() -> None:
    empty = sprint(kind="idle", ends_at="", progress=Progress(failed=1, todo=1, of=2))
    assert moved(sprints=(empty,)) == [("EndSprint", "none of its tasks is ready")]
    assert moved(sprints=(empty,), checks_running=1) == []
    assert moved(sprints=(empty,), merges_due=(task("m").id,)) == []
    assert moved(sprints=(empty,), worth_waiting=True) == []
    assert moved(sprints=(sprint(progress=Progress(todo=1, of=1)),)) == [], "a clock ends the others"


def test_a_runner_that_saw_a_sprint_end_begins_nothing_new_and_says_so_X2() -> None:
    over = "s-01 is over (its time is over): nothing new begins"
    assert began(tasks=(OUT, FIX), sprint_over=over) == ["fix"]
    assert [it.text for it in kept_back(scene(at=NOW, sprint_over=over))] == [over]


def test_a_runner_for_sprints_ends_with_them_and_waits_while_one_is_paused_X2() -> None:
    last = plan(scene(at=NOW, agents=1, only_sprints=True, sprint_over="s-01 is over"))[-1]
    assert isinstance(last, Finish)
    assert (last.why, last.left) == ("s-01 is over", ()), "it is said once"
    paused = sprint(state="paused", pause_kind="errors", why="three errors in a row")
    assert isinstance(plan(scene(at=NOW, only_sprints=True, sprints=(paused,)))[-1], Wait)
    ended = plan(scene(at=NOW, until_idle=True, sprints=(paused,)))[-1]
    assert isinstance(ended, Finish)
    assert ended.why == "s-01 is paused: three errors in a row (fe sprint start s-01)"
    assert ended.left == (), "it is said once"


def test_a_person_is_told_of_a_pause_that_only_a_person_lifts_X3() -> None:
    texts = {
        kind: [it.person for it in kept_back(scene(at=NOW, sprints=(sprint(state="paused", pause_kind=kind),)))]
        for kind in ("errors", "hold")
    }
    assert texts == {"errors": [True], "hold": [False]}
