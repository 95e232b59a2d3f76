"""Runs that talk to their runner, by real processes: `fe run` starts a scripted agent whose commands have no way to the
store but the socket in the run's directory (I2, I5).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.stage.commands import Stage
from tests.stage.shop import Shop
from tests.stage.theatre import DONE, Theatre


class Told:
    """What commands of a run answered: each in a file of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def step(self, name: str, command: str) -> dict[str, object]:
        """A step of a play that keeps output and exit code of a command."""
        path = self.folder / name
        return {"run": ["sh", "-c", f"{command} > {path} 2> {path}.err; echo $? > {path}.rc"]}

    def rc(self, name: str) -> int:
        return int((self.folder / f"{name}.rc").read_text())

    def text(self, name: str) -> str:
        return (self.folder / name).read_text() + (self.folder / f"{name}.err").read_text()

    def rules(self, name: str) -> list[str]:
        return [reason["rule"] for reason in json.loads(self.text(name))["error"]["reasons"]]


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path / "told")


@pytest.fixture
def theatre(stage: Stage, tmp_path: Path) -> Theatre:
    return Theatre(Shop(stage.repo, stage.cast), tmp_path)


def steps(told: Told) -> list[dict[str, object]]:
    """What an agent of a run does: it looks, says something, tries what it may not, and submits."""
    say = told.step
    return [
        say("env", "env"),
        say("show", "fe show {task} --json"),
        say("log", "fe log {task} 'half of it' --json"),
        say("findings", "fe finding list {task} --json"),
        say("approve", "fe approve {task} --seen 1.abc --json"),
        say("hold", "fe hold {task} -m stop --json"),
        say("named", "fe log {task} x --as alice --json"),
        say("runner", "fe run --until-idle --json"),
        {"write": "src/made.py", "text": "made\n"},
        say("signal", "fe agent signal DONE -m 'all of it' --json"),
        say("submit", "fe submit {task} --commit 'Make it' --json"),
        say("again", "fe log {task} 'after it' --json"),
    ]


def works(theatre: Theatre, told: Told, env: dict[str, str]) -> str:
    """A task that a run works on; all that every engine shows alike."""
    shop = theatre.shop
    task = shop.create(shop.cast.alice, title="By a run")
    done = shop.cast.alice.fe("run", "--until-idle", "--json", cwd=shop.repo, env=env)
    assert done.rc == 0, done
    assert json.loads(told.text("show"))["task"]["id"] == task, told.text("show")
    assert [told.rc(name) for name in ("log", "findings", "signal", "submit")] == [0, 0, 0, 0], told.text("submit")
    assert (told.rc("approve"), told.rules("approve")) == (1, ["I2"])
    assert (told.rc("hold"), told.rules("hold")) == (1, ["I2"])
    assert (told.rc("named"), told.rules("named")) == (1, ["I2"])
    assert (told.rc("runner"), told.rules("runner")) == (1, ["I2"])
    assert "FOUREYES_STORE" not in told.text("env")
    assert "postgresql://" not in told.text("env")
    shown: Any = json.loads(shop.cast.alice.fe("show", task, "--json", cwd=shop.repo, env=env).out)
    assert (shown["task"]["status"], shown["attempts"][0]["files"][0]["path"]) == ("reviewing", "src/made.py")
    assert {row["text"] for row in shown["logs"]} >= {"half of it"}
    agent = next(row["session"] for row in shown["logs"] if row["text"] == "half of it")
    assert shown["authors"] == [agent], "the runner is no author (I7)"
    assert not list((shop.repo / ".foureyes" / "runs").iterdir()), "a run that is over leaves no socket"
    return task


def test_I2_an_agent_of_a_run_looks_and_hands_in_and_approves_nothing_I5(theatre: Theatre, told: Told) -> None:
    theatre.play({"plays": [{"steps": [*steps(told), DONE]}]})
    works(theatre, told, {})
    assert theatre.shop.verify()
