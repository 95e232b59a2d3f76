"""The plan, row by row: what the runner does about one thing that a snapshot shows (S, E2, E4, Q1, V9, J4)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.run import RunId, RunOutcome
from foureyes.core.runner.plan import plan
from foureyes.core.runner.snapshot import AttentionItem, Left, Slot, Snapshot
from foureyes.core.runner.steps import (
    CoolProfile,
    Finish,
    FinishRun,
    FreeClaim,
    Merge,
    Notify,
    RunChecks,
    RunStep,
    StartRun,
    Stick,
    StopRun,
    TakeOver,
    TidyRun,
    Wait,
)
from foureyes.core.words.ids import TaskId

from tests.core.runner.scene import ENDED, live, over, past, run, scene, task


def steps(snapshot: Snapshot) -> list[RunStep]:
    """All but the last, and without what is only said to people."""
    return [replace(step, why="") for step in plan(snapshot)[:-1]]


R = RunId("r")


def T(name: str) -> TaskId:
    return TaskId(name)


ROWS: list[tuple[str, dict[str, Any], list[RunStep]]] = [
    ("a ready task is started", {"tasks": (task(),)}, [StartRun(task=T("t"), profile="claude")]),
    ("one that is not ready waits", {"tasks": (task(ready=False),)}, []),
    ("a run that was asked to end already is left to it", {"runs": (live(stop="held", asked=True),)}, []),
    ("one that is held, paused or stuck waits", {"tasks": (task(stopped="held"),)}, []),
    ("a person's turn is no runner's", {"tasks": (task(profile=""),)}, []),
    ("none begins while everything is paused", {"tasks": (task(),), "paused": "lunch"}, []),
    ("none begins without agents", {"tasks": (task(),), "agents": 0}, []),
    ("none begins when the runner is to end", {"tasks": (task(),), "stopping": "finish"}, []),
    ("none begins after the first tick of once", {"tasks": (task(),), "starting": False}, []),
    (
        "review_limit keeps new tasks back, not fixes",
        {"tasks": (task("new"), task("fix", has_feedback=True, n=9)), "full": "20 wait"},
        [StartRun(task=T("fix"), profile="claude")],
    ),
    (
        "fixes, and decisions of the lead, go before new tasks, then by priority and age",
        {
            "agents": 9,
            "slots": (Slot(profile="claude", slots=9),),
            "tasks": (
                task("new", priority=0),
                task("fix", has_feedback=True, n=5),
                task("lead", purpose="lead", n=4),
                task("old", n=1, has_feedback=True),
            ),
        },
        [
            StartRun(task=T("old"), profile="claude"),
            StartRun(task=T("lead"), profile="claude", purpose="lead"),
            StartRun(task=T("fix"), profile="claude"),
            StartRun(task=T("new"), profile="claude"),
        ],
    ),
    (
        "no more runs at once than agents",
        {"agents": 1, "tasks": (task("a"), task("b", n=1))},
        [StartRun(task=T("a"), profile="claude")],
    ),
    (
        "no more runs of a profile than it has slots, of whomever they are",
        {
            "tasks": (task("a"), task("b", n=1)),
            "runs": (live("x", "other", mine=False),),
        },
        [StartRun(task=T("a"), profile="claude")],
    ),
    (
        "a run on another host takes no slot here",
        {"tasks": (task("a"), task("b", n=1)), "runs": (live(run=run("x", "o", host="there"), mine=False),)},
        [StartRun(task=T("a"), profile="claude"), StartRun(task=T("b"), profile="claude")],
    ),
    ("a task with a live run gets no second one", {"tasks": (task(),), "runs": (live(),)}, []),
    (
        "a person chooses who does it",
        {"tasks": (task(),), "assigned": (("t", "codex"),)},
        [StartRun(task=T("t"), profile="codex")],
    ),
    (
        "a profile that cools down is stood in for by the next in order",
        {"tasks": (task(),), "slots": (Slot(profile="claude", cooled=True), Slot(profile="codex"))},
        [StartRun(task=T("t"), profile="codex")],
    ),
    (
        "one that is not installed, too",
        {"tasks": (task(),), "slots": (Slot(profile="claude", available=False), Slot(profile="codex"))},
        [CoolProfile(profile="claude", error="missing"), StartRun(task=T("t"), profile="codex")],
    ),
    (
        "one that is only busy is waited for (E4)",
        {
            "tasks": (task(),),
            "slots": (Slot(profile="claude", slots=1), Slot(profile="codex")),
            "runs": (live("x", "o"),),
        },
        [],
    ),
    (
        "nobody stands in for whom a person chose",
        {"tasks": (task(),), "assigned": (("t", "claude"),), "slots": (Slot(profile="claude", cooled=True),)},
        [],
    ),
    (
        "nobody stands in for the lead (E3)",
        {
            "tasks": (task(purpose="lead"),),
            "slots": (Slot(profile="claude", cooled=True), Slot(profile="codex")),
        },
        [],
    ),
    (
        "a run that lost its runner is taken over (J4)",
        {"runs": (live(mine=False, lost=True),)},
        [TakeOver(run=R, task=T("t"))],
    ),
    ("another's run is skipped", {"runs": (live(mine=False, stop="held"),)}, []),
    ("a run that somebody wants to end is ended", {"runs": (live(stop="held"),)}, [StopRun(run=R, task=T("t"))]),
    (
        "one that was asked for by `fe pause --now`, too",
        {"runs": (live(run=run(stop_asked="enough")),)},
        [StopRun(run=R, task=T("t"))],
    ),
    (
        "a runner that ends at once ends its runs",
        {"runs": (live(),), "stopping": "now"},
        [StopRun(run=R, task=T("t"))],
    ),
    ("one that finishes what runs does not", {"runs": (live(),), "stopping": "finish"}, []),
    ("a program that ended is tidied up after", {"runs": (live(outcome=ENDED),)}, [TidyRun(run=R, task=T("t"))]),
    (
        "and settled, also while the runner ends",
        {"runs": (over(replace(ENDED, signal="DONE")),), "stopping": "now"},
        [FinishRun(run=R, task=T("t"), then="submit_work")],
    ),
    ("a claim that a run left is freed", {"tasks": (task(ready=False, left_claim=True),)}, [FreeClaim(task=T("t"))]),
    (
        "so many checks run at once",
        {"checks_due": (T("a"), T("b"), T("c")), "checks_at_once": 2, "checks_running": 1},
        [RunChecks(task=T("a"))],
    ),
    ("what is approved is merged (Q1)", {"merges_due": (T("m"),)}, [Merge(tasks=(T("m"),))]),
    ("one merge at a time", {"merges_due": (T("m"),), "merging": True}, []),
    (
        "no check and no merge begins when the runner is to end",
        {"merges_due": (T("m"),), "checks_due": (T("a"),), "stopping": "finish"},
        [],
    ),
    (
        "a person is told once",
        {"attention": (AttentionItem(key="a", text="x"), AttentionItem(key="b", text="y")), "shown": frozenset({"a"})},
        [Notify(key="b", text="y")],
    ),
    (
        "a task that costs too much goes to a person",
        {"tasks": (task(cost_micros=5),), "spend_micros": 5},
        [Stick(task=T("t"), kind="spend")],
    ),
    (
        "one that runs come to nothing on, too",
        {"tasks": (task(past=(past(), past(), past(profile="codex"), past(profile="codex"))),)},
        [Stick(task=T("t"), kind="retries")],
    ),
]


@pytest.mark.parametrize(("says", "shows", "wanted"), ROWS, ids=[row[0] for row in ROWS])
def test_what_a_snapshot_shows_is_what_is_done_S_E2_E4(says: str, shows: dict[str, Any], wanted: list[RunStep]) -> None:
    assert steps(scene(**shows)) == wanted


LAST: list[tuple[str, dict[str, Any], RunStep]] = [
    ("nothing to do is idle", {}, Wait(idle=True)),
    ("what runs is waited for", {"runs": (live(),)}, Wait()),
    ("a check that runs, too", {"checks_running": 1}, Wait()),
    ("a look that was cut short is no rest", {"more": True}, Wait()),
    ("until a time", {"wake_at": "2026-01-01T00:00:00.000Z"}, Wait(until="2026-01-01T00:00:00.000Z", idle=True)),
    ("until idle: it ends", {"until_idle": True}, Finish()),
    ("until idle, and something settles: not yet", {"until_idle": True, "worth_waiting": True}, Wait(idle=True)),
    ("until idle, and something begins: not yet", {"until_idle": True, "tasks": (task(),)}, Wait()),
    ("asked to end with nothing running: it ends", {"stopping": "finish", "tasks": (task(),)}, Finish()),
    ("asked to end with something running: not yet", {"stopping": "now", "runs": (live(),)}, Wait()),
    ("another's run keeps nobody", {"stopping": "now", "runs": (live(mine=False),)}, Finish()),
]


@pytest.mark.parametrize(("says", "shows", "wanted"), LAST, ids=[row[0] for row in LAST])
def test_the_last_step_says_whether_there_is_anything_to_wait_for(
    says: str, shows: dict[str, Any], wanted: RunStep
) -> None:
    assert replace(plan(scene(**shows))[-1], why="") == wanted


def test_what_is_over_comes_before_what_is_due_and_that_before_what_begins() -> None:
    found = plan(
        scene(
            tasks=(task("new"),),
            runs=(over(RunOutcome(ended=False, rc=1), Left()), live("l", "lost", mine=False, lost=True)),
            agents=5,
            slots=(Slot(profile="claude", slots=5),),
            merges_due=(T("m"),),
            checks_due=(T("c"),),
            attention=(AttentionItem(key="k", text="look"),),
        )
    )
    assert [type(step).__name__ for step in found] == [
        "FinishRun", "TakeOver", "RunChecks", "Merge", "StartRun", "Notify", "Wait",
    ]  # fmt: skip


def test_a_stand_in_says_for_whom() -> None:
    cooled = (Slot(profile="claude", cooled=True), Slot(profile="codex"))
    (start, _) = plan(scene(tasks=(task(),), slots=cooled))
    assert start.why == "in place of claude"


def test_whom_a_person_chose_stands_in_for_nobody() -> None:
    (start, _) = plan(scene(tasks=(task(),), assigned=((task().id, "codex"),)))
    assert isinstance(start, StartRun)
    assert (start.profile, start.why) == ("codex", "")
