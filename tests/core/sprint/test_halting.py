"""X2, X3: a sprint ends once, pauses with why, and goes on by itself only where its reason is gone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from foureyes.core.nouns.sprint import Sprint, SprintId
from foureyes.core.sprint.progress import (
    Progress,
    SprintNow,
    SprintRunEnd,
    SprintTask,
    is_error,
    is_exhausted,
    progress_of,
    why_end,
    why_go_on,
    why_pause,
)

from tests.core.samples import quick

NOW = "2026-11-18T01:00:00.000Z"
LEFT = Progress(done=1, of=3, merged=1, todo=2, ready=2)
FAILED = SprintRunEnd(task="fe-1", ending="failed", text="tests red")
FINE = SprintRunEnd(task="fe-2", ending="finished", signal="DONE")


def it(progress: Progress = LEFT, ends: tuple[SprintRunEnd, ...] = (), cost: int = 0, **fields: Any) -> SprintNow:
    usual: dict[str, Any] = {"state": "running", "kind": "until", "ends_at": "2026-11-18T08:00:00.000Z"}
    sprint = Sprint(id=SprintId("s-01"), n=1, **(usual | fields))
    return SprintNow(sprint=sprint, progress=progress, ends=ends, cost_micros=cost)


def pauses(now: SprintNow, *, held: str = "", disk: str = "", spend: int = 0) -> str:
    found = why_pause(now, held=held, disk=disk, spend_micros=spend)
    return found[0] if found else ""


def test_a_sprint_ends_by_the_clock_by_its_number_or_because_nothing_is_left_X2() -> None:
    assert why_end(it(), NOW) is None
    assert why_end(it(), "2026-11-18T08:00:00.000Z") == ("time", "its time is over")
    assert why_end(it(state="paused"), "2026-11-18T09:00:00.000Z") == ("time", "its time is over")
    several = Progress(done=2, of=2, reviewing=2, todo=5, ready=5)
    assert why_end(it(several, kind="tasks", tasks=2, ends_at=""), NOW) == ("target", "2 tasks are done")
    more = Progress(done=2, of=3, reviewing=2, todo=5, ready=5)
    assert why_end(it(more, kind="tasks", tasks=3, ends_at=""), NOW) is None
    through = Progress(done=3, of=3, merged=3)
    assert why_end(it(through), NOW) == ("closed", "all its tasks are done")
    assert why_end(it(Progress(out=2)), NOW) == ("closed", "no tasks are left")


def test_until_nothing_is_ready_waits_for_what_is_at_work_X1() -> None:
    assert is_exhausted(it(Progress(failed=1, todo=2), kind="idle", ends_at=""))
    for more in (Progress(ready=1, todo=1), Progress(running=1), Progress(begun=1, ready=1)):
        assert not is_exhausted(it(more, kind="idle", ends_at=""))
    assert not is_exhausted(it(Progress(todo=2)))
    assert is_exhausted(it(Progress(begun=1), kind="idle", ends_at="")), "it waits for something outside of the sprint"


def test_a_number_of_tasks_is_reached_without_those_that_came_to_nothing_X2() -> None:
    tasks = [SprintTask(id="fe-1", status="reviewing"), SprintTask(id="fe-2", status="closed", resolution="cancelled")]
    now = it(kind="tasks", tasks=2, ends_at="")
    cancelled = replace(now, progress=progress_of(now.sprint, tasks))
    assert why_end(cancelled, NOW) == ("target", "1 task is done")
    held = replace(now, progress=progress_of(now.sprint, [tasks[0], SprintTask(id="fe-2", hold="legal")]))
    assert why_end(held, NOW) is None
    assert is_exhausted(held), "it waits for a person, and none of its tasks is ready"


def test_so_many_are_begun_as_are_to_be_completed_and_none_while_it_is_paused_X2() -> None:
    assert it().room is None
    assert it(state="paused").room == 0
    under_way = Progress(done=1, running=1, begun=1, failed=1, todo=9)
    assert it(under_way, kind="tasks", tasks=5).room == 2
    assert it(under_way, kind="tasks", tasks=2).room == 0


@pytest.mark.parametrize(
    ("end", "counts"),
    [
        (FAILED, True), (FINE, False), (SprintRunEnd(task="t", ending="timeout"), True),
        (SprintRunEnd(task="t", ending="unstarted"), True),
        (SprintRunEnd(task="t", ending="finished", signal="FAILED"), True),
        (SprintRunEnd(task="t", ending="stopped"), False), (SprintRunEnd(task="t", ending="lost"), False),
        (SprintRunEnd(task="t", ending="failed", error="quota"), False),
        (SprintRunEnd(task="t", ending="finished"), False),
    ],
    ids=str,
)  # fmt: skip
def test_an_error_is_a_run_that_came_to_nothing_by_itself_X3(end: SprintRunEnd, counts: bool) -> None:
    assert is_error(end) is counts


def test_it_pauses_on_three_errors_in_a_row_and_on_the_first_where_that_was_chosen_X3() -> None:
    assert pauses(it(ends=(FAILED, FAILED))) == ""
    assert pauses(it(ends=(FAILED, FAILED, FAILED))) == "errors"
    assert pauses(it(ends=(FAILED, FAILED, FINE, FAILED))) == ""
    lost = SprintRunEnd(task="fe-3", ending="lost")
    assert pauses(it(ends=(FAILED, lost, FAILED, FAILED))) == "errors", "a lost runner is no end of the row"
    assert pauses(it(ends=(FINE, FAILED), pause_on_error=True)) == "error"
    assert pauses(it(ends=(FINE,), pause_on_error=True)) == ""
    found = why_pause(it(ends=(FAILED,) * 3), held="", disk="", spend_micros=0)
    assert found is not None
    assert found[1] == "three errors in a row: fe-1 tests red; fe-1 tests red; fe-1 tests red"


def test_a_hold_a_full_disk_and_what_it_may_cost_pause_it_X3() -> None:
    assert pauses(it(), held="legal") == "hold"
    assert pauses(it(), disk="no room on /") == "disk"
    assert pauses(it(cost=2_000_000), spend=2_000_000) == "spend"
    assert pauses(it(cost=1_999_999), spend=2_000_000) == ""
    assert pauses(it(state="paused"), held="legal") == "", "what is paused is not paused once more"


def test_only_what_passes_lets_it_go_on_by_itself_X3() -> None:
    assert why_go_on(it(state="paused", pause_kind="hold"), held="", disk="") == "the hold was lifted"
    assert why_go_on(it(state="paused", pause_kind="hold"), held="legal", disk="") == ""
    assert why_go_on(it(state="paused", pause_kind="disk"), held="", disk="") == "there is free disk space again"
    for kind in ("person", "error", "errors", "spend", "runner"):
        assert why_go_on(it(state="paused", pause_kind=kind), held="", disk="") == ""


ends = st.builds(
    SprintRunEnd,
    task=st.just("t"),
    ending=st.sampled_from(["finished", "failed", "timeout", "stopped", "lost", "unstarted"]),
    error=st.sampled_from(["none", "quota", "crash"]),
    signal=st.sampled_from(["", "DONE", "FAILED"]),
)


@quick
@given(st.lists(ends, max_size=8), st.booleans(), st.sampled_from(["", "legal"]), st.integers(0, 3))
def test_every_pause_says_why_and_none_comes_without_a_reason_X3(
    found: list[SprintRunEnd], chosen: bool, held: str, cost: int
) -> None:
    now = it(ends=tuple(found), pause_on_error=chosen, cost=cost)
    why = why_pause(now, held=held, disk="", spend_micros=2)
    has_reason = bool(held) or cost >= 2 or any(map(is_error, found))
    assert why is None or (bool(why[1]) and has_reason)
    if held or cost >= 2 or (chosen and any(map(is_error, found))):
        assert why is not None
