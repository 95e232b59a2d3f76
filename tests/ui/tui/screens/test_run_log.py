"""The log of a task's runs: followed as it grows, and shown as text whatever a program prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.ui.tui.screens import run_log

from tests.ui.tui.stage import Player, Seat, play
from tests.ui.tui.test_stopping import run_of


def log_of(seat: Seat, task: str) -> Path:
    folder = seat.repo / ".foureyes" / "logs"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"{task}.log"


def test_L_in_the_agents_pane_follows_what_the_program_prints(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_log, "TICK", 0.1)
    task = seat.create("Export orders")
    run_of(seat, task)
    log = log_of(seat, task)
    log.write_text("==== run-1 codex implement\nreading \x1b[2Jthe exporter\n")

    async def story(at: Player) -> None:
        screen = await at.press("tab", "l")
        assert f"RUN LOG {task}" in screen
        assert "reading" in await at.until("the exporter")
        assert "\x1b[2J" not in at.screen
        with log.open("a") as file:
            file.write("tests are green\n")
        await at.until("tests are green")

    play(seat.sit(), story)


def test_a_log_that_is_not_there_is_said(seat: Seat) -> None:
    task = seat.create("Export orders")
    run_of(seat, task)

    async def story(at: Player) -> None:
        await at.hit("tab", "l")
        await at.until("there is no log of")

    play(seat.sit(), story)
