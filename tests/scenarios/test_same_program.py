"""A second process of the author's program: another reviewer, said so, unless the project wants another program (I6)."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.scenarios.attack_moves import Through
from tests.stage.commands import Cast, Stage, new_repository
from tests.stage.processes import FakeAgent


def another_claude(stage: Stage) -> FakeAgent:
    return stage.cast.people.agent("claude")


def test_I6_by_default_another_claude_approves_and_that_is_said(stage: Stage) -> None:
    work = stage.in_review(stage.cast.alice, stage.cast.claude)
    other = another_claude(stage)
    document = stage.repo.parent / "review.json"
    document.write_text(
        '{"type": "review_result", "payload": {"verdict": "approved", "status": "APPROVED", "summary": "fine",'
        f' "issues": [], "files_reviewed": ["{work.task}.txt"]}}}}'
    )
    stage.done(other, "review", "submit", work.task, str(document), "--seen", work.seen)
    (row,) = stage.lines(stage.cast.alice, "queue")
    assert "reviewed by another claude" in [reason["message"] for reason in row["risk"]["reasons"]]
    said = stage.run(other, "approve", work.task, "--seen", work.seen)
    assert said.out.startswith(
        f"approved {work.task}: you were not involved in it, though the author is also claude (P7)"
    ), said


def test_I6_a_person_who_says_no_at_init_keeps_one_claude_from_approving_another(tmp_path: Path, cast: Cast) -> None:
    stage = Stage(new_repository(tmp_path / "own"), cast)
    made = stage.run(cast.alice, "init", tty=True, input="n\n")
    assert made.rc == 0, made
    why, _, question = made.out.partition("May one claude approve what another claude made?")
    assert (
        "Two sessions of one program can miss the same mistakes. Unless you say no, each may still review the other."
        in why
    )
    assert question
    assert 'independence = "program"' in (stage.repo / "foureyes.toml").read_text()
    work = stage.in_review(cast.alice, cast.claude)
    refused = stage.may_not_approve(another_claude(stage), work, rules=["P6"])
    assert "both claude" in refused.text
    stage.approve(cast.codex, work)


def test_I6_enter_at_init_leaves_it_as_it_is(tmp_path: Path, cast: Cast) -> None:
    stage = Stage(new_repository(tmp_path / "own"), cast)
    assert stage.run(cast.alice, "init", tty=True, input="\n").rc == 0
    assert "independence" not in (stage.repo / "foureyes.toml").read_text()


def test_I6_init_asks_no_agent_at_a_terminal(tmp_path: Path, cast: Cast) -> None:
    stage = Stage(new_repository(tmp_path / "own"), cast)
    terminal = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
    made = stage.run(Through(cast.codex, sys.executable, "-c", terminal), "init", input="n\n")
    assert (made.rc, "May one claude" in made.out) == (0, False), made
    assert "independence" not in (stage.repo / "foureyes.toml").read_text()


def test_P12_init_says_that_the_store_is_lost_before_it_asks(stage: Stage, tmp_path: Path) -> None:
    stage.git("clone", "-q", str(stage.repo), str(tmp_path / "clone"))
    clone = Stage(tmp_path / "clone", stage.cast)
    said = clone.run(stage.cast.alice, "init", tty=True, input="\n")
    assert (said.rc, "May one claude" in said.out) == (5, False), said
    assert "its store is not in this clone" in said.out
