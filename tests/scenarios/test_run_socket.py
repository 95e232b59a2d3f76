"""Runs that talk to their runner, by real processes: `fe run` starts a scripted agent whose commands have no way to the
store but the socket in the run's directory (I2, I5).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from foureyes.adapters.store.shared_store import Pointer, write_pointer

from tests import engines
from tests.scenarios.test_shared_store import project_of
from tests.stage.commands import Stage
from tests.stage.processes import SOURCE
from tests.stage.shop import Shop
from tests.stage.theatre import DONE, Theatre

TALK = """
import json, os, sys
import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

async def talk(python, task, out):
    args = ["-P", "-m", "foureyes", "mcp", "--run", os.environ["FOUREYES_RUN_DIR"], "--all"]
    server = StdioServerParameters(command=python, args=args, env={"PYTHONPATH": os.environ["PYTHONPATH"]})
    calls = [
        ("session_whoami", {}), ("task_show", {"task": task}), ("task_log", {"task": task, "text": "by a tool"}),
        ("task_approve", {"task": task, "seen": "1.abc"}), ("emit", {"type": "progress", "summary": "half"}),
        ("task_submit", {"task": task, "commit": "by a tool"}),
    ]
    async with Client(server) as client:
        with open(out, "w") as file:
            for name, given in calls:
                done = await client.call_tool(name, given)
                print(json.dumps([name, done.is_error, done.structured_content]), file=file, flush=True)

anyio.run(talk, *sys.argv[1:])
"""


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


def test_I2_on_postgresql_a_run_that_has_no_address_of_the_store_works_by_its_socket_alone_I5(
    theatre: Theatre, told: Told, server: engines.Server
) -> None:
    shop = theatre.shop
    project = project_of(shop)
    engines.Run.projects.append(project)
    moved = shop.cast.alice.fe("store", "copy", server.url, cwd=shop.repo)
    assert moved.rc == 0, moved
    write_pointer(str(shop.folder), Pointer(project))
    env = {"FOUREYES_STORE": server.url}
    alone = [
        {"run": ["sh", "-c", "mv $FOUREYES_RUN_DIR/socket $FOUREYES_RUN_DIR/away"]},
        told.step("alone", "fe show {task} --json"),
        {"run": ["sh", "-c", "mv $FOUREYES_RUN_DIR/away $FOUREYES_RUN_DIR/socket"]},
        told.step("check", "fe check run {task} --json"),
    ]
    theatre.play({"plays": [{"steps": [*alone, *steps(told), DONE]}]})
    shop.create = lambda *given, title="": created(shop, title, env)  # type: ignore[method-assign]
    works(theatre, told, env)
    for name in ("alone", "check"):
        assert (told.rc(name), json.loads(told.text(name))["error"]["code"]) == (5, "store"), told.text(name)
    assert "the runner of this run does not answer" in told.text("alone")
    assert "it starts programs of the tree" in told.text("check")
    sound = shop.cast.alice.fe("audit", "verify", "--json", cwd=shop.repo, env=env)
    assert sound.json["ok"], sound


def created(shop: Shop, title: str, env: dict[str, str]) -> str:
    return str(shop.cast.alice.fe("create", title, "--json", cwd=shop.repo, env=env).json["task"])


def test_I2_the_token_of_a_run_holds_through_a_whole_conversation_of_fe_mcp(
    theatre: Theatre, told: Told, tmp_path: Path
) -> None:
    shop, script, out = theatre.shop, tmp_path / "talk.py", tmp_path / "answers"
    script.write_text(TALK)
    talking = f"PYTHONPATH={SOURCE} {sys.executable} {script} {sys.executable} {{task}} {out}"
    theatre.play({"plays": [{"steps": [{"write": "src/tool.py", "text": "x\n"}, told.step("talk", talking), DONE]}]})
    task = shop.create(shop.cast.alice)
    theatre.run("--until-idle")
    assert told.rc("talk") == 0, told.text("talk")
    answers = {name: (wrong, found) for name, wrong, found in map(json.loads, out.read_text().splitlines())}
    me = answers["session_whoami"][1]
    assert (me["trust"], me["role"], me["task"]) == ("issued", "implement", task)
    assert [name for name, (wrong, _) in answers.items() if wrong] == ["task_approve"], answers
    assert [reason["rule"] for reason in answers["task_approve"][1]["error"]["reasons"]] == ["I2"]
    shown = shop.show(task)
    assert (shown["task"]["status"], shown["attempts"][0]["files"][0]["path"]) == ("reviewing", "src/tool.py")
    assert [row["session"] for row in shown["logs"] if row["text"] == "by a tool"] == [me["session"]]
