"""The first hour of a project whose own rules are in the way: what is said, and what nobody may do until then."""

from __future__ import annotations

from pathlib import Path

from tests.stage.commands import Cast, Stage, new_repository

WANTS_A_TYPE = "#!/bin/sh\ngrep -q '^chore: ' \"$1\" || { echo 'type may not be empty [type-empty]' >&2; exit 1; }\n"


def test_P12_agents_wait_where_a_hook_refuses_the_commit_of_init(tmp_path: Path, cast: Cast) -> None:
    stage = Stage(new_repository(tmp_path / "own"), cast)
    hook = stage.repo / ".git" / "hooks" / "commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(WANTS_A_TYPE)
    hook.chmod(0o755)
    made = stage.run(cast.alice, "init")
    assert "type may not be empty" in made.out
    assert made.out.splitlines()[-1] == (
        'next: git add foureyes.toml, then: git commit -m "a message that git accepts", then: fe config accept'
    )
    hook.rename(hook.with_name("aside"))

    skipped, work = stage.create(cast.alice, "-l", "review:skip"), stage.in_review(cast.alice, cast.claude)
    stage.submit_work(cast.claude, skipped)
    assert stage.status(skipped) == "reviewing", "no rule approves"
    refused = stage.may_not_approve(cast.codex, work, rules=["P12"])
    assert "no foureyes.toml is in force yet, so only a person may approve" in refused.text

    hook.with_name("aside").rename(hook)
    stage.git("add", "foureyes.toml")
    stage.git("commit", "-q", "-m", "chore: set up Foureyes")
    stage.may_not_approve(cast.codex, work, rules=["P12"])
    stage.accept_policy(cast.alice)
    stage.approve(cast.codex, work)


def test_P12_without_a_configuration_a_person_may_approve(tmp_path: Path, cast: Cast) -> None:
    stage = Stage(new_repository(tmp_path / "own"), cast)
    stage.done(cast.alice, "init", "--no-commit")
    stage.approve(cast.alice, stage.in_review(cast.alice, cast.claude))
