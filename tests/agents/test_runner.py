"""The real programs driven by `fe run`, from a ready task to the merge: work, hand-in, checks, and nobody sits there
(S1, D5, Q1); a program that is refused leaves the task to the next one (S2).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.ground import DONE, EACH, ESCAPE
from tests.agents.house import House, told
from tests.sandboxes.scripted_model import Asked
from tests.stage.commands import Stage


@EACH
def test_from_a_ready_task_to_the_merge_while_nobody_sits_there_S1_D5_Q1(
    name: str, stage: Stage, tmp_path: Path
) -> None:
    house = House(stage, tmp_path, name)
    shop, task = house.shop, house.create()
    lines = house.run(task, {"write": "src/hello.py", "content": "print('hello')\n"}, DONE)
    assert shop.status(task) == "closed", lines
    assert "hello" in shop.git("show", "main:src/hello.py")
    page = shop.show(task)
    assert page["task"]["implementer"]
    assert [path.name for path in (shop.folder / "runs").iterdir()] == []
    assert "hello.txt is there" in (shop.folder / "logs" / f"{task}.log").read_text()


@pytest.mark.parametrize("name", ["codex"])
def test_a_program_whose_key_is_not_valid_cools_and_the_task_is_nobodys_S2(
    name: str, stage: Stage, tmp_path: Path
) -> None:
    house = House(stage, tmp_path, name)
    task = house.create()
    lines = house.run(task, {"trouble": "401"}, options=("--once",))
    assert house.shop.status(task) == "open", lines
    assert any("Incorrect API key" in line["text"] for line in lines if "text" in line), lines


def test_where_one_is_refused_the_next_in_order_takes_over_E2_S2(stage: Stage, tmp_path: Path) -> None:
    house = House(stage, tmp_path, "codex", "claude")
    task = house.create()
    hello: Asked = {"write": "src/hello.py", "content": "print('hello')\n"}
    lines = house.run(task, {"trouble": "limit", "times": 1}, hello, DONE)
    assert house.shop.status(task) == "closed", lines
    assert "started: codex" in told(lines)
    assert "started: claude" in told(lines)


@pytest.mark.parametrize("name", ["codex", "claude"])
def test_over_its_own_server_of_tools_a_run_hands_in_and_may_not_approve_that_I2(
    name: str, stage: Stage, tmp_path: Path
) -> None:
    house = House(stage, tmp_path, name)
    shop = house.shop
    task = shop.create(shop.cast.alice, title="Say hello")
    lines = house.run(
        task,
        {"write": "src/hello.py", "content": "print('hello')\n"},
        {"tool": "task_submit", "args": {"task": task, "commit": "Say hello", "message": "done"}},
        {"tool": "task_approve", "args": {"task": task, "seen": "@SEEN@", "reason": "mine"}},
        DONE,
    )
    printed = house.told["printed"]
    assert '"attempt":1' in printed[1], printed
    assert '"rule":"I2"' in printed[2], printed
    assert shop.status(task) == "reviewing", lines
    log = shop.git("log", "-1", "--format=%s %(trailers:key=Foureyes-Session,valueonly)", f"fe/{task}")
    assert log.split()[-1] == shop.show(task)["task"]["implementer"]


@pytest.mark.parametrize("name", ["codex", "claude", "gemini"])
def test_a_runner_that_is_killed_takes_its_program_along_and_the_next_one_goes_on_J4(
    name: str, stage: Stage, tmp_path: Path
) -> None:
    house = House(stage, tmp_path, name)
    task = house.create()
    house.run(task, f"{ESCAPE}touch started; sleep 1000", DONE, kill_when="started")
    (house.shop.folder / "worktrees" / task / "started").unlink()
    lines = house.run(task, {"write": "src/hello.py", "content": "print('hello')\n"}, DONE)
    assert house.shop.status(task) == "closed", lines
