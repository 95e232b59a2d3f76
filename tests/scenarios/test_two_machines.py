"""Two clones of one remote on one PostgreSQL, by real processes (Q6): one target, whoever merges where."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import engines
from tests.scenarios.test_shared_store import project_of
from tests.stage.checkout import AT_ONCE
from tests.stage.commands import Stage, SubmissionTime, git

pytestmark = pytest.mark.scenario


@pytest.fixture
def clones(stage: Stage, server: engines.Server, tmp_path: Path) -> tuple[Stage, Stage, Path]:
    """alpha, beta, and the remote between them; whoever opens alpha's project first moves the store to the server."""
    engines.Run.projects.append(project_of(stage))
    settings = stage.repo / "foureyes.toml"
    settings.write_text(settings.read_text() + f'\n[git]\nremote = "origin"\n{AT_ONCE}')
    stage.git("commit", "-q", "-am", "settings")
    stage.accept_policy(stage.cast.alice)
    remote, clone = tmp_path / "remote.git", tmp_path / "beta"
    stage.git("clone", "-q", "--bare", ".", str(remote))
    stage.git("remote", "add", "origin", str(remote))
    assert stage.cast.alice.fe("store", "copy", server.url, cwd=stage.repo).rc == 0
    git(tmp_path, "clone", "-q", str(remote), str(clone))
    assert stage.cast.alice.fe("store", "join", server.url, cwd=clone).rc == 0
    return stage, Stage(clone, stage.cast), remote


def approved(made: Stage, other: Stage) -> SubmissionTime:
    """Made in one clone, looked at and approved in the other."""
    work = made.in_review(made.cast.alice, made.cast.claude)
    shown = other.run(other.cast.codex, "show", work.task, "--diff")
    assert (shown.rc, f"{work.task}.txt" in shown.out) == (0, True), shown
    other.done(other.cast.codex, "approve", work.task, "--seen", work.seen, "-m", "read it")
    return work


def merged(stage: Stage) -> dict[str, str]:
    return {row["task"]: row["outcome"] for row in stage.lines(stage.cast.job, "merge")}


def tip(repo: Path) -> str:
    return git(repo, "rev-parse", "refs/heads/main")


def test_what_is_made_on_either_machine_is_merged_on_either_and_there_is_one_main_A1_A2_Q6(
    clones: tuple[Stage, Stage, Path],
) -> None:
    alpha, beta, remote = clones
    first, second = approved(alpha, beta), approved(beta, alpha)
    assert merged(alpha) == {first.task: "merged", second.task: "merged"}
    assert tip(alpha.repo) == tip(remote)
    third = approved(alpha, beta)
    assert merged(beta) == {third.task: "merged"}
    assert tip(beta.repo) == tip(remote) != tip(alpha.repo)
    assert merged(alpha) == {}
    assert tip(alpha.repo) == tip(remote)
    assert git(alpha.repo, "status", "--porcelain") == git(beta.repo, "status", "--porcelain") == ""
    for stage in (alpha, beta):
        assert stage.run(stage.cast.alice, "audit", "verify").rc == 0
