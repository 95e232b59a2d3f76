"""X2, X5, G6: every task of a sprint is in one place, and the line that faces show is made from that."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.nouns.sprint import Sprint, SprintId
from foureyes.core.sprint.progress import (
    Progress,
    SprintTask,
    compact,
    full_line,
    pace,
    parts,
    progress_of,
    sentence,
    stage_of,
)

from tests.core.samples import quick

NOW = datetime(2026, 11, 18, 1, 37, tzinfo=UTC)


def sprint(**fields: Any) -> Sprint:
    usual: dict[str, Any] = {
        "state": "running", "kind": "until", "clock": "08:00", "ends_at": "2026-11-18T08:00:00.000Z",
        "started_at": "2026-11-17T22:02:00.000Z", "of": 23,
    }  # fmt: skip
    return Sprint(id=SprintId("s-04"), n=4, **(usual | fields))


def task(status: str = "open", **fields: Any) -> SprintTask:
    return SprintTask(id="fe-1", status=status, **fields)


@pytest.mark.parametrize(
    ("row", "where"),
    [
        (task(), "todo"),
        (task(ready=True), "todo"),
        (task("deferred"), "todo"),
        (task(tried=True), "begun"),
        (task(iteration=1), "begun"),
        (task(at_work=True), "running"),
        (task("in_progress"), "running"),
        (task("in_progress", iteration=2), "running"),
        (task("reviewing", iteration=1), "reviewing"),
        (task("approved", iteration=1), "merging"),
        (task("closed", resolution="merged"), "merged"),
        (task("closed", resolution="approved"), "merged"),
        (task("closed", resolution="closed"), "out"),
        (task("closed", resolution="cancelled"), "out"),
        (task("closed", resolution="merged", deleted=True), "out"),
        (task("blocked"), "failed"),
        (task(waiting_for="lead", iteration=5), "failed"),
        (task("reviewing", waiting_for="user", iteration=5), "failed"),
        (task(stuck=True, tried=True), "failed"),
        (task(hold="legal looks"), "failed"),
        (task("reviewing", iteration=1, hold="a blocker"), "failed"),
        (task(paused="wait for me", tried=True), "failed"),
        (task("in_progress", paused="wait for me"), "running"),
        (task("reviewing", iteration=1, paused="wait for me"), "reviewing"),
        (task("closed", resolution="merged", hold="too late"), "merged"),
        (task("closed", resolution="merged", waiting_for="lead"), "merged"),
    ],
)
def test_done_is_handed_in_and_not_sent_back_and_failed_waits_for_somebody_X5(row: SprintTask, where: str) -> None:
    assert stage_of(row) == where


def test_the_line_is_the_one_of_every_face_X2() -> None:
    how_far = Progress(done=14, failed=2, of=23)
    words = parts(sprint(), how_far, NOW, UTC)
    assert full_line(words) == "14/23 tasks │ 2 failed │ Until 08:00 (6h 23m left)"
    assert sentence(words) == "14/23 tasks, 2 failed, until 08:00 (6h 23m left)"
    assert compact(sprint(), how_far, NOW) == "14/23 · 2 failed · 6h23m"


def test_without_a_clock_the_line_says_what_ends_it_X2() -> None:
    how_far = Progress(done=1, of=20)
    tasks = sprint(kind="tasks", tasks=20, ends_at="")
    assert sentence(parts(tasks, how_far, NOW, UTC)) == "1/20 tasks, until 20 are done"
    assert sentence(parts(sprint(kind="idle", ends_at=""), how_far, NOW, UTC)) == "1/20 tasks, until nothing is ready"
    assert compact(tasks, how_far, NOW) == "1/20"
    ended = sprint(state="ended", ended_at="2026-11-18T08:00:01.000Z")
    assert full_line(parts(ended, how_far, NOW, UTC)) == "1/20 tasks │ Ended 08:00"


def test_the_pace_is_that_of_what_was_done_until_now_X2() -> None:
    began = NOW - timedelta(hours=6)
    running = sprint(started_at=began.isoformat(), ends_at=(NOW + timedelta(hours=3)).isoformat())
    assert pace(running, Progress(done=14, of=23), NOW, UTC) == "~21 of 23 by 04:37"
    assert pace(running, Progress(done=20, of=23), NOW, UTC) == "on pace: all 23 by 04:37"
    assert pace(running, Progress(done=0, of=23), NOW, UTC) == ""
    assert (
        pace(running, Progress(done=20, failed=2, of=23), NOW, UTC) == "on pace: 21 of 23 by 04:37, the others failed"
    )
    assert pace(sprint(started_at=began.isoformat(), ends_at=""), Progress(done=6, of=9), NOW, UTC) == "~3h to go"


rows = st.lists(
    st.builds(
        SprintTask,
        id=st.sampled_from("abc"),
        status=st.sampled_from(["open", "in_progress", "reviewing", "approved", "closed", "blocked", "deferred"]),
        resolution=st.sampled_from(["", "merged", "approved", "cancelled"]),
        waiting_for=st.sampled_from(["", "lead", "user"]),
        iteration=st.integers(0, 3),
        stuck=st.booleans(),
        ready=st.booleans(),
        at_work=st.booleans(),
        hold=st.sampled_from([None, "legal"]),
        paused=st.sampled_from([None, "lunch"]),
    ),
    max_size=20,
)


@quick
@given(rows, st.integers(1, 30))
def test_every_task_is_counted_once_whatever_it_is_X5_G6(tasks: list[SprintTask], many: int) -> None:
    how_far = progress_of(sprint(), tasks)
    assert how_far.counted + how_far.out == len(tasks)
    assert how_far.of == how_far.counted
    assert how_far.done == how_far.merged + how_far.merging + how_far.reviewing
    assert how_far.ready <= how_far.todo + how_far.begun
    some = progress_of(sprint(kind="tasks", tasks=many), tasks)
    assert some.of == min(many, how_far.counted)
