"""A runner by real processes: a person starts it, scripted agents work below their reapers, the gate does the rest."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.stage.commands import Stage
from tests.stage.documents import review_result
from tests.stage.processes import FE
from tests.stage.shop import Shop
from tests.stage.terminal import Terminal
from tests.stage.theatre import DONE, PLAYER, Theatre, is_alive, wait_for, write


@pytest.fixture
def theatre(stage: Stage, tmp_path: Path) -> Theatre:
    return Theatre(Shop(stage.repo, stage.cast), tmp_path)


def test_fe_run_takes_tasks_from_the_claim_to_the_merge_S_Q1(theatre: Theatre) -> None:
    shop = theatre.shop
    alice = shop.cast.alice
    tasks = [shop.create(alice, "--label", "review:auto", title=f"Task {n}") for n in range(2)]
    lines = theatre.run("--agents", "2", "--until-idle")
    assert [shop.status(task) for task in tasks] == ["closed", "closed"], lines


def test_M6_an_agent_that_wrote_a_task_does_not_let_a_run_approve_itself_until_a_person_says_so(
    theatre: Theatre,
) -> None:
    shop = theatre.shop
    task = shop.create(shop.cast.codex, "--label", "review:auto", title="Apply this patch")
    lines = theatre.run("--until-idle")
    assert shop.status(task) == "reviewing", lines
    assert "M6" in {reason["rule"] for reason in shop.done(shop.cast.alice, "show", task)["mode_reasons"]}
    shop.done(shop.cast.alice, "label", "add", task, "review:auto")
    assert "M6" not in {reason["rule"] for reason in shop.done(shop.cast.alice, "show", task)["mode_reasons"]}


def test_fe_plan_draft_starts_an_agent_that_only_reads_and_keeps_its_plan_M7(theatre: Theatre) -> None:
    shop = theatre.shop
    plan = "## Task 1: Store keys\n\n## Task 2: Sign in\nDepends on: Task 1\n"
    there = "test -e foureyes.toml && ! git status && test -S $FOUREYES_RUN_DIR/socket"
    looks = {"run": ["sh", "-c", f"{there} && fe list"]}
    answers = [{"say": "I think about it."}], [looks, {"say": f"```\n{plan}```"}]
    again = {"prompt": "could not be read as a plan", "steps": answers[1]}
    theatre.play({"plays": [again, {"purpose": "plan", "steps": answers[0]}]})
    drafted = shop.done(shop.cast.alice, "plan", "draft", "Sign in with a passkey")
    assert [row["title"] for row in drafted["rows"]] == ["Store keys", "Sign in"]
    assert Path(drafted["file"]).read_text() == plan
    assert [row["title"] for row in shop.lines(shop.cast.alice, "list")] == ["Goal: Sign in with a passkey"]
    assert not list((shop.repo / ".foureyes/runs").iterdir()), "its home was below its run"


def test_the_loop_says_that_a_run_ended_with_DONE_and_left_a_finding_unanswered_L17_L6(theatre: Theatre) -> None:
    shop = theatre.shop
    task = shop.create(shop.cast.alice)
    theatre.run("--until-idle")
    document = theatre.path.with_name("review.json")
    diff = shop.done(shop.cast.alice, "show", task)["attempts"][-1]["diff_id"]
    issue = {"severity": "HIGH", "title": "no limit"}
    document.write_text(json.dumps(review_result([issue], diff_id=diff)))
    shop.done(shop.cast.codex, "review", "submit", task, str(document))
    theatre.play({"plays": [{"steps": [*write("{task}-{run}.py", "more\n"), DONE]}]})
    theatre.run("--until-idle")
    (finding,) = shop.lines(shop.cast.alice, "finding", "list", task)
    why = f"in the last run it ended with DONE, but {finding['id']} HIGH has no answer: no limit (L6) (L17)"
    assert why in shop.run(shop.cast.alice, "loop", task).out


def test_what_an_agent_left_and_a_lock_that_it_held_are_cleared_up_S4(theatre: Theatre) -> None:
    shop = theatre.shop
    lock = {"run": ["sh", "-c", "touch $(git rev-parse --git-dir)/index.lock"]}
    theatre.play({"plays": [{"steps": [{"write": "src/left.py", "text": "left\n"}, lock, DONE]}]})
    task = shop.create(shop.cast.alice, "--label", "review:auto")
    theatre.run("--until-idle")
    assert shop.status(task) == "closed"
    assert (shop.repo / "src/left.py").read_text() == "left\n"


def test_logs_show_what_a_program_printed_as_text(theatre: Theatre) -> None:
    shop = theatre.shop
    theatre.play({"plays": [{"steps": [{"say": "hello \x1b[2J there"}, *write("a.py", "x\n"), DONE]}]})
    task = shop.create(shop.cast.alice, "--label", "review:auto")
    theatre.run("--until-idle")
    shown = shop.run(shop.cast.alice, "logs", task).out
    assert "hello" in shown
    assert "\x1b" not in shown


@pytest.fixture
def waiting(theatre: Theatre, tmp_path: Path) -> Iterator[tuple[str, int, int, Path]]:
    """An agent at work under a runner in the background, until a file is there: the task, both processes, the file."""
    shop, go, pid = theatre.shop, tmp_path / "go", tmp_path / "pid"
    tell = {"run": ["sh", "-c", f"echo $PPID > {pid}.new; mv {pid}.new {pid}"]}
    theatre.play({"plays": [{"steps": [*write("{task}.py", "fine\n"), tell, {"until": str(go)}, DONE]}]})
    task = shop.create(shop.cast.alice, "--label", "review:auto")
    runner = shop.done(shop.cast.alice, "run", "--detach")["pid"]
    wait_for(pid.exists)
    yield task, runner, int(pid.read_text()), go
    with suppress(ProcessLookupError):
        os.kill(runner, signal.SIGKILL)
    wait_for(lambda: not is_alive(runner))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_being_told_to_end_ends_the_runs_and_their_work_stays(
    theatre: Theatre, waiting: tuple[str, int, int, Path], number: signal.Signals
) -> None:
    shop, (task, runner, agent, _) = theatre.shop, waiting
    os.kill(runner, number)
    wait_for(lambda: not is_alive(runner))
    assert not is_alive(agent)
    assert shop.status(task) == "open"
    assert shop.git("show", f"fe/{task}:src/{task}.py") == "fine"


TAKEN = """
[tiers]
developer = "dev"

[agents.dev]
program = "/bin/sh"
args = ["-c", "touch begun; while :; do sleep 0.05; done"]
attach_args = ["-c", "echo taken > taken.py; git add -A; git commit -qm Take; echo over to $HOME; read answer"]
"""


def test_fe_attach_ends_the_run_and_a_person_goes_on_where_it_was_as_one_of_the_authors_V9_A1(
    stage: Stage, tmp_path: Path
) -> None:
    shop = Shop(stage.repo, stage.cast)
    shop.configure(TAKEN)
    alice = shop.cast.alice
    task = shop.create(alice)
    place = shop.repo / ".foureyes/worktrees" / task
    begun = shop.done(alice, "run", "--detach")
    try:
        wait_for((place / "begun").exists)
        with Terminal(alice, [*FE, "attach", task], cwd=shop.repo) as terminal:
            terminal.until("Continue the conversation of dev?")
            terminal.type("y", "enter")
            terminal.until(f"homes/{task}/dev")
            terminal.type("enter")
            terminal.until(f"{task} is yours and paused")
            assert terminal.end() == 0
    finally:
        os.kill(begun["pid"], signal.SIGTERM)
    shown = shop.done(alice, "show", task)
    assert (shown["task"]["status"], [run["state"] for run in shown["runs"]]) == ("in_progress", ["stopped"])
    assert (place / "taken.py").read_text() == "taken\n"
    shop.done(alice, "submit", task, "-m", "taken over")
    makers = {shown["names"][session] for session in shop.done(alice, "show", task)["authors"]}
    assert any(name.startswith("dev") for name in makers), makers
    assert any("@" in name for name in makers), makers


def test_a_terminal_that_is_closed_ends_the_runner_in_order_J4(theatre: Theatre, tmp_path: Path) -> None:
    shop, pid = theatre.shop, tmp_path / "pid"
    tell = {"run": ["sh", "-c", f"echo $PPID > {pid}.new; mv {pid}.new {pid}"]}
    wait = {"until": str(tmp_path / "never")}
    theatre.play({"plays": [{"steps": [*write("{task}.py", "fine\n"), tell, wait, DONE]}]})
    task = shop.create(shop.cast.alice, "--label", "review:auto")
    with Terminal(shop.cast.alice, [*FE, "run"], cwd=shop.repo) as terminal:
        terminal.until("agents busy")
        wait_for(pid.exists)
        terminal.hang_up()
        assert terminal.end() == 0
    assert not is_alive(int(pid.read_text()))
    assert shop.status(task) == "open"
    assert not list((shop.repo / ".foureyes").rglob("crash*"))
    (run,) = shop.done(shop.cast.alice, "show", task)["runs"]
    assert (run["state"], run["why"]) == ("stopped", "the runner ends")


def test_a_first_ctrl_c_finishes_what_runs(theatre: Theatre, waiting: tuple[str, int, int, Path]) -> None:
    shop, (task, runner, agent, go) = theatre.shop, waiting
    os.kill(runner, signal.SIGINT)
    assert is_alive(agent)
    go.touch()
    wait_for(lambda: not is_alive(runner))
    assert shop.status(task) in ("reviewing", "approved", "closed")


SEVERAL = f"""
[run]
max_runs_per_task = 2

[tiers]
developer = "empty"
senior = "broken"

[agents.empty]
program = "scripted"
args = ["{{empty}}"]

[agents.broken]
program = "{{broken}}"
{PLAYER}"""


@pytest.fixture
def several(stage: Stage, tmp_path: Path) -> Theatre:
    """Three profiles: one is out of quota, one cannot be executed, one plays."""
    empty, broken = tmp_path / "empty.json", tmp_path / "broken"
    empty.write_text(json.dumps({"plays": [{"steps": [{"fail": "usage limit reached", "status": 429}]}]}))
    broken.write_text("#!/nowhere/at/all\n")
    broken.chmod(0o755)
    settings = SEVERAL.replace("{empty}", str(empty)).replace("{broken}", str(broken))
    return Theatre(Shop(stage.repo, stage.cast), tmp_path, settings)
