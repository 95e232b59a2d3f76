"""A second process of the author's program: another reviewer, said so, unless the project wants another program (I6)."""

from __future__ import annotations

from pathlib import Path

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
        f"approved {work.task}: you were not involved in it; the author is another claude (P7)"
    ), said


def test_I6_a_person_who_says_no_at_init_keeps_one_claude_from_approving_another(tmp_path: Path, cast: Cast) -> None:
    stage = Stage(new_repository(tmp_path / "own"), cast)
    made = stage.run(cast.alice, "init", tty=True, input="n\n")
    assert made.rc == 0, made
    assert "May one claude approve what another claude made?" in made.out
    assert 'independence = "program"' in (stage.repo / "foureyes.toml").read_text()
    work = stage.in_review(cast.alice, cast.claude)
    refused = stage.may_not_approve(another_claude(stage), work, rules=["P6"])
    assert "both claude" in refused.text
    stage.approve(cast.codex, work)


def test_I6_enter_at_init_leaves_it_as_it_is(tmp_path: Path, cast: Cast) -> None:
    stage = Stage(new_repository(tmp_path / "own"), cast)
    assert stage.run(cast.alice, "init", tty=True, input="\n").rc == 0
    assert "independence" not in (stage.repo / "foureyes.toml").read_text()
