"""`fe sprint plan|start|status|stop|list|report|undo`: what they print and answer, how they exit."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from msgspec.structs import replace

from foureyes.app.results.run import RunnerView
from foureyes.app.results.sprint import (
    ReportedTask,
    SprintPlanView,
    SprintReport,
    SprintSummary,
    SprintTargetView,
    SprintView,
)
from foureyes.core.nouns.sprint import SprintState
from foureyes.steps import fe
from foureyes.ui.cli.command import Session
from foureyes.ui.cli.sprints import _there
from foureyes.ui.cli.status import unattended
from foureyes.ui.cli.text.sprint import report_markdown, report_text, status_text

from tests.stage.commands import Cast
from tests.ui.cli.counter import Counter, counter

UNTIL = SprintTargetView(kind="until", at="2026-11-18T08:00:00.000Z", zone="UTC", words="run until 08:00")


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Counter:
    return counter(template, tmp_path, cast, "")


def test_a_plan_is_shown_stored_and_taken_back_X1(shop: Counter) -> None:
    alice = shop.cast.alice
    assert shop.text(alice, "sprint", "list") == "no sprints\nnext: fe sprint plan\n"
    shop.create(alice)
    said = shop.text(alice, "sprint", "plan", "--hours", "8").splitlines()
    assert said[0] == "s-01 planned: 1 task, run for 8h"
    assert said[1] == "  est. ~20m with 3 agents (no past runs: default 20 m) · 1 waits in the queue (batch)"
    assert said[3].split()[:2] == ["T1", "P2"]
    assert said[-1] == "next: fe sprint start s-01"
    view = json.loads(shop.text(alice, "sprint", "status", "--json"))
    assert list(view)[:9] == ["id", "state", "target", "done", "of", "failed", "seconds_left", "waiting", "blocking"]
    assert (view["id"], view["state"], view["of"]) == ("s-01", "planned", 1)
    assert shop.text(alice, "sprint", "stop", "s-01") == "dropped s-01, which was only a plan\n"
    shop.no(shop.cast.claude, "sprint", "plan", rules=["I5"])


def test_without_a_name_what_is_planned_begins_and_of_several_somebody_says_which_X2(shop: Counter) -> None:
    alice = shop.cast.alice
    shop.create(alice)
    for _ in range(2):
        shop.text(alice, "sprint", "plan", "--hours", "8")
    assert "s-01 and s-02 can start or continue. Which one do you mean?" in shop.run(alice, "sprint", "start").err


@pytest.mark.parametrize(
    ("states", "meant"), [((), ""), (("ended", "planned"), "s-02"), (("paused", "ended"), "s-01"), (("running",), "")]
)
def test_a_plan_or_a_pause_is_what_a_start_without_words_means_X2(states: tuple[SprintState, ...], meant: str) -> None:
    rows = [replace(STATUS, id=f"s-{number:02}", state=state) for number, state in enumerate(states, 1)]
    sprints = SimpleNamespace(listed=lambda limit: rows[::-1])
    assert _there(cast("Session", SimpleNamespace(app=SimpleNamespace(sprints=sprints)))) == meant


STATUS = SprintView(
    id="s-04", state="running", target=UNTIL, done=14, of=23, failed=1, seconds_left=22980, waiting=4,
    blocking=("fe-q4d",), merged=9, merging=1, by_rule=2, running=3, todo=5, started_at="2026-11-17T22:02:00Z",
    clock="22:02", sentence="14/23 tasks, 1 failed, until 08:00 (6h 23m left)", pace="~21 of 23 by 08:00",
    incomplete=("fe-1 is waiting for review",),
)  # fmt: skip


def test_the_status_says_how_far_what_failed_and_why_it_is_not_complete_X2_X4() -> None:
    assert status_text(STATUS).splitlines() == [
        "s-04  14/23 tasks, 1 failed, until 08:00 (6h 23m left)     running since 22:02",
        "  merged 9 · merging 1 · by rule 2 · in review 4 · running 3 · failed 1 · to do 5",
        "  pace    ~21 of 23 by 08:00",
        "  not complete: 4 unreviewed, 1 with open blocking findings (fe-q4d)   fe check complete --sprint s-04",
    ]


REPORT = SprintReport(
    id="s-04", state="ended", target=UNTIL, sentence="2/3 tasks, 1 failed, ended 08:00", why="its time is over",
    started_at="2026-11-17T22:02:00Z", ended_at="2026-11-18T08:00:00Z", elapsed_seconds=35880, work_seconds=7200,
    runs=4, cost_micros=1_250_000, input_tokens=1000, output_tokens=234,
    merged=(ReportedTask(task="fe-1", title="Add `rm -rf`", sha="abcdef0123", by="rule"),),
    waiting=(ReportedTask(task="fe-2", title="<b>|x", risk="high", why="look closely"),),
    failed=(ReportedTask(task="fe-3", title="Three", why="4 runs failed"),),
    findings={"HIGH": 1, "open": 1}, open_findings=("fe-2",), halts=("02:00 paused: the project is held: x",),
    next=fe("queue"),
)  # fmt: skip


def test_the_report_has_everything_that_a_person_reads_in_the_morning_X() -> None:
    text = report_text(REPORT)
    for part in (
        "merged 1", "abcdef0 by rule", "waiting for you 1", "look closely", "failed 1", "4 runs failed",
        "findings  1 HIGH raised, 1 open, still blocking: fe-2", "cost      1.25, 1,234 tokens", "in 4 runs", "02:00 paused",
        "next: fe queue",
    ):  # fmt: skip
        assert part in text, part


def test_as_markdown_no_title_does_anything_to_the_page_X() -> None:
    page = report_markdown(REPORT)
    assert "| `fe-2` | \\<b\\>\\|x | look closely |" in page
    assert "Add \\`rm -rf\\`" in page
    assert next(line for line in page.splitlines() if line.startswith("#")) == "# Sprint s-04"


def test_a_plan_of_one_knows_its_plural() -> None:
    from foureyes.ui.cli.text.sprint import plan_text

    view = SprintPlanView(target=UNTIL, tasks=(), agents=1, minutes=125, past=61, need_person=4, seconds_left=35880)
    assert plan_text(view, short=True).splitlines() == [
        "0 tasks, run until 08:00, in 9h 58m",
        "  est. ~2h 5m with 1 agent (medians of 61 past tasks) · 4 will need you",
    ]


def test_a_sprint_that_lost_its_runner_is_said_in_the_status_X5() -> None:
    live = RunnerView(
        session="ses-1", starter="alice", process="", host="here", agents=3, state="live", started_at="", until=""
    )
    running = SprintSummary(id="s-04", state="running")
    (said,) = unattended(running, [replace(live, state="gone"), replace(live, agents=0)])
    assert said == "  NO RUNNER for the tasks of s-04. To start one: fe sprint start s-04"
    assert unattended(running, [live]) == unattended(replace(running, state="ended"), []) == unattended(None, []) == []
