"""Profiles that fail on one task after the other, and programs that are not there (X3, E6)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from foureyes.core.runner.plan import plan
from foureyes.core.runner.retries import CRASHES, EndedRun, crashed_in_a_row
from foureyes.core.runner.snapshot import Slot
from foureyes.core.runner.steps import CoolProfile, Finish, RunStep, StartRun, Wait, WarmProfile
from foureyes.core.words.ids import TaskId

from tests.core.runner.scene import past, scene, task


def ended(of: str, ending: Any = "failed", error: Any = "crash", **fields: Any) -> EndedRun:
    usual: dict[str, Any] = {"profile": "claude", "error_text": "it broke", "ended_at": "2026-01-02"}
    return EndedRun(task=of, ending=ending, error=error, **(usual | fields))


@pytest.mark.parametrize(
    ("recent", "tasks"),
    [
        ([], []),
        ([ended("c"), ended("b"), ended("a")], ["c", "b", "a"]),
        ([ended("c"), ended("c"), ended("c")], ["c"]),
        ([ended("c"), ended("b", "finished", "none"), ended("a")], ["c"]),
        ([ended("c"), ended("b", "stopped", "none"), ended("a")], ["c", "a"]),
        ([ended("c"), ended("b", "lost", "none"), ended("a", "timeout", "timeout"), ended("d")], ["c", "d"]),
        ([ended("c"), ended("b", "unstarted"), ended("a")], ["c", "a"]),
        ([ended("c"), ended("b", profile="codex"), ended("a")], ["c", "a"]),
        ([ended("c", error="refused", rc=1), ended("b", error="refused", rc=1)], ["c", "b"]),
        ([ended("c", error="refused", rc=0), ended("b")], []),
        ([ended("c", ended_at="2026-01-03"), ended("b"), ended("a")], ["c"]),
    ],
)
def test_what_counts_as_a_crash_in_a_row_X3(recent: list[EndedRun], tasks: list[str]) -> None:
    since = "2026-01-02" if any(run.ended_at > "2026-01-02" for run in recent) else ""
    assert [run.task for run in crashed_in_a_row(recent, "claude", since)] == tasks


CRASHED = tuple(TaskId(name) for name in "abc")
LATER = Wait().until


def planned(**fields: Any) -> list[RunStep]:
    return [replace(step, why="") for step in plan(scene(**fields))[:-1]]


def slots(**claude: Any) -> tuple[Slot, ...]:
    return (Slot(profile="claude", **claude), Slot(profile="codex"))


def test_after_so_many_tasks_in_a_row_a_profile_is_left_alone_and_the_next_takes_over_in_the_same_breath_X3() -> None:
    steps = planned(tasks=(task("a", past=(past(error="crash"),)),), slots=slots(crashed=CRASHED, crash_text="boom"))
    assert steps == [
        CoolProfile(profile="claude", error="crash"),
        StartRun(task=TaskId("a"), profile="codex", asks="failure"),
    ]
    assert len(CRASHED) == CRASHES
    cool = plan(scene(slots=slots(crashed=CRASHED, crash_text="boom")))[0]
    assert cool.why == "it failed on 3 tasks in a row: boom"


@pytest.mark.parametrize(
    ("fields", "steps"),
    [
        ({"slots": slots(crashed=CRASHED[:2])}, []),
        ({"slots": slots(crashed=CRASHED, cooled=True)}, []),
        ({"slots": slots(crashed=CRASHED), "stopping": "finish"}, []),
        ({"slots": slots(available=False)}, []),
        ({"slots": slots(available=False, cooled=True, gone=True)}, []),
        ({"slots": slots(cooled=True, gone=True)}, [WarmProfile(profile="claude")]),
        ({"slots": slots(cooled=True)}, []),
        (
            {"slots": slots(available=False, problem="claude was not found."), "tasks": (task("a"),)},
            [CoolProfile(profile="claude", error="missing"), StartRun(task=TaskId("a"), profile="codex")],
        ),
    ],
)
def test_what_becomes_of_profiles_X3_E6(fields: dict[str, Any], steps: list[RunStep]) -> None:
    assert planned(**fields) == steps


def test_without_room_nothing_begins_is_checked_or_merged_and_it_waits_for_room_X3() -> None:
    due: dict[str, Any] = {
        "tasks": (task("a"),),
        "checks_due": (TaskId("b"),),
        "merges_due": (TaskId("m"),),
        "until_idle": True,
    }
    told, last = plan(scene(**due, no_room="3 MB are free"))
    assert getattr(told, "text", "") == "nothing starts: 3 MB are free"
    assert isinstance(last, Wait)
    assert not last.idle
    assert len(plan(scene(**due))) > 2
    assert isinstance(plan(scene(until_idle=True, no_room="3 MB are free"))[-1], Finish)
