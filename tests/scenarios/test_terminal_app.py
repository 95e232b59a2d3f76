"""The terminal app as people have it: the real `fe` at a real terminal, by real keys; then the store and git."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.stage.commands import Stage, git
from tests.stage.processes import FE
from tests.stage.shop import with_pipeline
from tests.stage.terminal import Terminal

pytestmark = pytest.mark.scenario

ALTERNATE_SCREEN = (b"\x1b[?1049h", b"\x1b[?1049l")
MOUSE = (b"\x1b[?1000h", b"\x1b[?1000l")
CURSOR = (b"\x1b[?25l", b"\x1b[?25h")


def is_left_as_it_was(terminal: Terminal) -> bool:
    """Whether the modes are those of before, and what was switched on for the app is off again."""
    switched = all(
        terminal.bytes.rfind(on) < terminal.bytes.rfind(off) for on, off in (ALTERNATE_SCREEN, MOUSE, CURSOR)
    )
    return switched and terminal.modes == terminal.before


def test_bare_fe_is_for_an_agent_what_it_has_to_know(stage: Stage) -> None:
    agent = stage.cast.claude
    told = agent.fe(cwd=stage.repo)
    assert told.rc == 0
    assert told.out == agent.fe("prime", cwd=stage.repo).out
    with Terminal(agent, cwd=stage.repo) as terminal:
        assert terminal.end() == 0
    assert ALTERNATE_SCREEN[0] not in terminal.bytes
    assert "fe submit" in terminal.bytes.decode()


def test_without_a_project_Esc_leaves_nothing_and_Enter_sets_one_up(stage: Stage, bare_repo: Path) -> None:
    job = stage.cast.job
    with Terminal(job, cwd=bare_repo) as terminal:
        assert "No Foureyes project here yet" in terminal.until("set it up now (fe init)")
        terminal.type("escape")
        assert terminal.end() != 0
        assert is_left_as_it_was(terminal)
    assert not (bare_repo / ".foureyes").exists()
    with Terminal(job, cwd=bare_repo) as terminal:
        terminal.until("No Foureyes project here yet")
        terminal.press("enter", "Nothing planned yet.")
        terminal.type("q")
        assert terminal.end() == 0
    assert git(bare_repo, "log", "-1", "--format=", "--name-only") == "foureyes.toml"
    assert stage.cast.alice.fe("list", cwd=bare_repo).rc == 0


def test_a_project_that_git_would_not_commit_says_so_on_the_board(stage: Stage, bare_repo: Path) -> None:
    git(bare_repo, "config", "user.useConfigOnly", "true")
    git(bare_repo, "config", "user.name", "")
    git(bare_repo, "config", "user.email", "")
    with Terminal(stage.cast.job, cwd=bare_repo) as terminal:
        terminal.until("Enter")
        screen = terminal.press("enter", "git would not commit it")
        assert "foureyes.toml is written but" in screen
        terminal.type("q")
        assert terminal.end() == 0


def test_a_terminal_that_cannot_be_drawn_on_gets_the_status(stage: Stage) -> None:
    with Terminal(stage.cast.job, cwd=stage.repo, env={"TERM": "dumb"}) as terminal:
        assert terminal.end() == 0
    assert ALTERNATE_SCREEN[0] not in terminal.bytes
    assert "reviewing 0" in terminal.bytes.decode()
    with Terminal(stage.cast.job, [*FE, "tui"], cwd=stage.repo, env={"TERM": "dumb"}) as terminal:
        assert terminal.end() != 0
    assert "needs an interactive terminal" in terminal.bytes.decode()


def test_what_was_typed_and_where_survives_kill_9(stage: Stage) -> None:
    cast = stage.cast
    work = stage.in_review(cast.alice, cast.claude)
    other = stage.in_review(cast.alice, cast.codex)
    with Terminal(cast.job, cwd=stage.repo) as terminal:
        terminal.until("REVIEW PENDING")
        terminal.press("r", "REVIEW SUMMARY")
        assert "2/2" in terminal.press("2", "IF YOU APPROVE")
        terminal.press("r", "REDO WITH FEEDBACK")
        terminal.type(*"the limit is hard-coded")
        terminal.until("the limit is hard-coded")
        kept = stage.folder
        terminal.wait(
            lambda: any("hard-coded" in path.read_text(errors="replace") for path in kept.rglob("drafts/**/*.json")),
            "the draft in its file",
        )
        terminal.signal(signal.SIGKILL)
        assert terminal.end() == -signal.SIGKILL
    with Terminal(cast.job, cwd=stage.repo) as terminal:
        assert ".  R continues" in terminal.until("Welcome back: 2/2 in review, draft redo for ")
        terminal.press("r", "draft redo kept: R opens it")
        terminal.until("IF YOU APPROVE")
        terminal.read()
        terminal.press("r", "kept from an earlier session")
        terminal.until("the limit is hard-coded")
        terminal.press("ctrl+s", "send these kept words (1 line)? Ctrl+S again")
        terminal.read()
        terminal.type("ctrl+s")
        terminal.wait(lambda: "open" in (stage.status(work.task), stage.status(other.task)), "the redo")
        sent = work if stage.status(work.task) == "open" else other
        terminal.type("ctrl+q")
        assert terminal.end() == 0
    assert "> the limit is hard-coded" in stage.run(cast.claude, "context", sent.task).out
    with Terminal(cast.job, cwd=stage.repo) as terminal:
        assert "draft redo" not in terminal.until("REVIEW PENDING │ 1 task")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was(stage: Stage, number: signal.Signals) -> None:
    with Terminal(stage.cast.job, cwd=stage.repo) as terminal:
        terminal.until("Nothing planned yet.")
        assert terminal.modes != terminal.before
        terminal.signal(number)
        terminal.end()
        assert is_left_as_it_was(terminal)


def test_three_reasons_stand_in_the_same_order_in_the_app_the_command_line_and_json(stage: Stage) -> None:
    cast, shop = stage.cast, with_pipeline(stage)
    work = shop.deliver(cast.claude, shop.create(cast.alice), {"src/login.py": "# MESSY\n"})
    shop.done(cast.codex, "finding", "add", work.task, "src/login.py:1", "-m", "Too messy")
    shop.done(cast.alice, "hold", work.task, "-m", "ask legal first")
    shop.checked(cast.alice, work.task, rc=6)
    refused = shop.may_not_approve(cast.alice, work, rules=["D2", "D3", "D5"])
    spoken = shop.run(cast.alice, "approve", work.task, "--seen", work.seen).err
    with Terminal(cast.job, cwd=stage.repo) as terminal:
        terminal.until("REVIEW PENDING")
        terminal.press("r", "[A] Why not?")
        terminal.press("a", "NOT DONE: 3 reasons")
        screen = terminal.read()
        for text in (screen, spoken, refused.text):
            places = [text.index(word) for word in ("D2", "D3", "D5")]
            assert places == sorted(places), text
        assert "Too messy" in terminal.press("1", "FINDING TL-")
        terminal.type("ctrl+q")
        assert terminal.end() == 0
    assert stage.status(work.task) == "reviewing"


def test_an_empty_queue_no_agents_and_a_broken_configuration_each_name_the_next_command(stage: Stage) -> None:
    job, config = stage.cast.job, stage.repo / "foureyes.toml"
    stage.create(stage.cast.alice)
    with Terminal(job, cwd=stage.repo) as terminal:
        terminal.until("Open 1")
        terminal.until("Nobody is at work. fe run")
        terminal.press("r", "Nothing waits for you.")
        terminal.type("q")
        assert terminal.end() == 0
    config.write_text("[review\n")
    stage.git("commit", "-qam", "broken")
    with Terminal(job, cwd=stage.repo) as terminal:
        terminal.until("CONFIG")
        terminal.press("!", "ATTENTION (1)")
        assert "foureyes.toml" in terminal.read()
        terminal.type("ctrl+q")
        assert terminal.end() == 0
