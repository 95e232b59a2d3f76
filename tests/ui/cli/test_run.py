"""The lines of a runner at a terminal."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from foureyes.app.results.run import BlockedWork, RunnerSummary, RunnerView
from foureyes.core.nouns.run import Run, RunId
from foureyes.core.words.ids import TaskId
from foureyes.ui.cli.run import StatusLine, others_text, summary_text
from foureyes.ui.cli.status import running_lines


class Terminal(io.StringIO):
    """What is written to it is seen."""

    def isatty(self) -> bool:
        return True


def test_the_bell_rings_beside_the_line_and_a_bell_in_the_text_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Terminal()
    monkeypatch.setattr(sys, "stderr", seen)
    notes: list[str] = []
    session: Any = SimpleNamespace(json=False, note=notes.append)
    line = StatusLine(session)
    line.tell("fe-a", "! look")
    assert seen.getvalue().count("\a") == 1
    assert notes[0].endswith("fe-a  ! look")
    line.tell("fe-a", "x\a")
    assert seen.getvalue().count("\a") == 1


def test_a_runner_without_work_says_what_it_waits_for_and_how_it_ends() -> None:
    assert summary_text(RunnerSummary(agents=1)) == "0/1 agents busy  waiting for work, Ctrl-C ends it"
    assert summary_text(RunnerSummary(agents=1, waits="paused")) == "0/1 agents busy  paused"
    assert summary_text(RunnerSummary(agents=1, checking=1)) == "0/1 agents busy  checking 1"
    assert (
        summary_text(RunnerSummary(agents=1, stopping="finish"))
        == "0/1 agents busy  stopping when the current runs finish"
    )


def _runner(**fields: Any) -> RunnerView:
    given: dict[str, Any] = {"state": "live", "started_at": "2020-01-01T00:00:00+00:00", "until": "", **fields}
    return RunnerView(session="s", starter="alice", process="p", host="box", agents=2, **given)


def test_who_starts_a_second_runner_is_told_of_the_first_J4() -> None:
    assert others_text([_runner(), _runner(state="gone")]) == [
        "alice also has a runner on box, and both share the tasks"
    ]


def test_the_status_says_how_long_a_runner_is_at_work() -> None:
    (line,) = running_lines([_runner()], BlockedWork())
    assert line.startswith("  runner    0 of 2 agents busy, for ")
    assert line.endswith(" d, started by alice on box")


def test_the_status_does_not_call_a_run_running_whose_runner_is_gone_J4() -> None:
    run = Run(
        id=RunId("run-1"), task=TaskId("fe-1"), purpose="implement", profile="claude", role="implement", state="running"
    )
    assert (
        running_lines([_runner(runs=[run])], BlockedWork())[1]
        == "  run       fe-1  claude  running: fe agent attach fe-1"
    )
    first, second = running_lines([_runner(state="gone", runs=[run])], BlockedWork())
    assert first.startswith("  runner    0 of 2 agents busy")
    assert second == "  run       fe-1  claude  its runner is gone. fe run continues it"
