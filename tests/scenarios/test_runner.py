"""A runner by real processes: a person starts it, scripted agents work below their reapers, the gate does the rest."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from tests.stage.commands import Stage
from tests.stage.shop import Shop

SETTINGS = """
[tiers]
developer = "dev"
senior = "dev"

[agents.dev]
program = "scripted"
args = ["{play}"]

[[checks]]
name = "lint"
run = "! grep -rn MESSY src"
"""
DONE = {"signal": "DONE", "message": "it is done"}


def write(name: str, text: str) -> list[dict[str, str]]:
    return [{"write": f"src/{name}", "text": text}, {"commit": f"Write {name}"}]


class Theatre:
    """A project whose agents play a script."""

    def __init__(self, shop: Shop, folder: Path) -> None:
        self.shop, self.path = shop, folder / "play.json"
        self.play({"plays": [{"steps": [*write("{task}.py", "fine\n"), DONE]}]})
        shop.configure(SETTINGS.replace("{play}", str(self.path)))

    def play(self, script: object) -> None:
        self.path.write_text(json.dumps(script))

    def run(self, *args: str) -> list[dict[str, str]]:
        """As a person, to its end; what it told."""
        found: list[dict[str, str]] = self.shop.lines(self.shop.cast.alice, "run", *args)
        return found


@pytest.fixture
def theatre(stage: Stage, tmp_path: Path) -> Theatre:
    return Theatre(Shop(stage.repo, stage.cast), tmp_path)


def test_fe_run_takes_tasks_from_the_claim_to_the_merge_S_Q1(theatre: Theatre) -> None:
    shop = theatre.shop
    alice = shop.cast.alice
    tasks = [shop.create(alice, "--label", "review:auto", title=f"Task {n}") for n in range(2)]
    lines = theatre.run("--agents", "2", "--until-idle")
    print(lines)
    assert [shop.status(task) for task in tasks] == ["closed", "closed"], lines


@pytest.mark.scenario
def test_a_runner_in_the_background_is_started_by_who_typed_it_and_outlives_the_terminal_I5(theatre: Theatre) -> None:
    shop = theatre.shop
    task = shop.create(shop.cast.alice, "--label", "review:auto", title="In the background")
    begun = shop.done(shop.cast.alice, "run", "--detach")
    try:
        while shop.status(task) != "closed":
            assert os.path.exists(f"/proc/{begun['pid']}"), Path(begun["log"]).read_text()
    finally:
        os.kill(begun["pid"], signal.SIGTERM)
    assert "merged" in Path(begun["log"]).read_text()
