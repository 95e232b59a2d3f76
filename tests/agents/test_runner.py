"""The real programs driven by `fe run`, from a ready task to the merge: work, submission, checks, and nobody sits there
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


REJECTED = {"action": "REJECTED", "ground": "false_positive", "text": "it greets everybody, as the task asks"}


def test_codex_answers_by_tools_as_its_prompt_and_its_shell_say_I2_L6(stage: Stage, tmp_path: Path) -> None:
    """No command reaches the store from the sandbox of its shell."""
    house = House(stage, tmp_path, "codex")
    shop, alice = house.shop, house.shop.cast.alice
    task = shop.create(alice, title="Say hello")
    house.run(task, {"write": "src/hello.py", "content": "print('hello')\n"}, DONE)
    shop.done(alice, "finding", "add", task, "src/hello.py:1", "-m", "nobody is greeted")
    shop.done(alice, "redo", task, "-m", "greet somebody")
    (finding,) = shop.lines(alice, "finding", "list", task)
    answer = {"finding": finding["id"], **REJECTED}
    house.run(
        task, "fe whoami", {"tool": "finding_answer", "args": {"answers": [answer]}},
        {"write": "src/hello.txt", "content": "hello\n"}, DONE,
        options=("--once",), listen=("`fe finding answer`: finding_answer",),
    )  # fmt: skip
    assert "finding_answer" in house.told["printed"][0], "the refusal names the tool"
    assert list(house.told["heard"].values()) == [1], "and so does the prompt"
    (row,) = shop.lines(alice, "finding", "list", task)
    assert (row["state"], row["answer"]) == ("disputed", "REJECTED")
    assert shop.status(task) == "reviewing"


@pytest.mark.parametrize("name", ["codex", "claude", "opencode"])
def test_a_lead_decides_by_a_tool_because_it_has_no_shell_E3(name: str, stage: Stage, tmp_path: Path) -> None:
    """gemini refuses tools that write while it plans, and qwen has none: what they lead goes to a person."""
    house = House(stage, tmp_path, name)
    shop, alice, author = house.shop, house.shop.cast.alice, house.shop.cast.codex
    task = shop.create(alice, title="Say hello")
    shop.deliver(author, task, {"src/hello.py": "print('hello')\n"})
    shop.done(alice, "finding", "add", task, "src/hello.py:1", "-m", "nobody is greeted")
    shop.done(alice, "redo", task, "-m", "greet somebody")
    (finding,) = shop.lines(alice, "finding", "list", task)
    answer = ("--rejected", "--ground", REJECTED["ground"], "-m", REJECTED["text"])
    shop.done(author, "start", task)
    shop.done(author, "finding", "answer", finding["id"], *answer)
    shop.commit(f"fe/{task}", {"src/more.py": "\n"}, message="More")
    shop.submit(author, task)
    assert shop.done(alice, "loop", task)["waiting_for"] == "lead"
    ask = {"tool": "loop_lead", "args": {"task": task, "option": "ask", "reason": "who is to be greeted?"}}
    lines = house.run(task, ask)
    assert shop.done(alice, "loop", task)["waiting_for"] == "user", told(lines)


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
