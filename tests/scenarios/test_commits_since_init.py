"""The target's tip at `fe init` is on record: what came to it later and no task brought is listed (Q5)."""

from __future__ import annotations

from pathlib import Path

from tests.stage.commands import Cast, Stage


def listed(stage: Stage, text: str = "to no task") -> list[bool]:
    """Whether status and doctor list commits that no task brought, with these words."""
    return [text in stage.cast.alice.fe(page, cwd=stage.repo).out for page in ("status", "doctor")]


def committed(stage: Stage, name: str, message: str) -> str:
    (stage.repo / name).write_text("x\n")
    stage.git("add", name)
    stage.git("commit", "-qm", message)
    return stage.git("rev-parse", "--short=7", "main")


def test_a_commit_before_the_first_task_is_listed_from_init_on_Q5(bare_repo: Path, cast: Cast) -> None:
    stage = Stage(bare_repo, cast)
    assert cast.alice.fe("init", cwd=bare_repo).rc == 0
    assert listed(stage) == [False, False], "the commit of foureyes.toml is part of init"
    stray = committed(stage, "by_hand.py", "straight to main")
    words = f"1 commit on main belongs to no task: {stray} straight to main"
    assert listed(stage, words) == [True, True]
    stage.done(cast.claude, "start", stage.create(cast.alice))
    assert listed(stage, words) == [True, True], "no start makes it known"


def test_what_came_before_the_first_acceptance_is_shown_there_P12_Q5(bare_repo: Path, cast: Cast) -> None:
    stage = Stage(bare_repo, cast)
    assert cast.alice.fe("init", "--no-commit", cwd=bare_repo).rc == 0
    stray = committed(stage, "by_hand.py", "straight to main")
    assert listed(stage, f"{stray} straight to main") == [True, True]
    stage.git("add", "foureyes.toml")
    stage.git("commit", "-qm", "settings")
    shown = cast.alice.fe("config", "accept", cwd=bare_repo, input="y\n", tty=True)
    assert "on main since fe init: " in shown.out, shown
    assert "straight to main" in shown.out, shown
    assert listed(stage) == [False, False], "a person saw them with the configuration, and took them"
