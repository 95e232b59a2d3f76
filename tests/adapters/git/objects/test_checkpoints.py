"""K2: commits under names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from foureyes.core.words.ids import Sha
from foureyes.errors import BadInput, Conflict, GitProblem

from tests.adapters.git.workshop_project import Bench, bench

NOW = datetime(2026, 3, 1, 12, 0, 0, 250_000, tzinfo=UTC)


@pytest.fixture
def project(tmp_path: Path) -> Bench:
    return bench(tmp_path / "project")


def test_checkpoints_are_listed_with_commit_subject_and_time_the_newest_first_K2(project: Bench) -> None:
    project.set_traps()
    workshop, first = project.workshop(), project.head()
    workshop.add_checkpoint("fe-7k2", "before.merge", first, at=NOW)
    project.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "zweiter ü\n\nmore")
    project.mark.unlink(missing_ok=True)
    workshop.add_checkpoint("", "a_start-1", project.head(), at=NOW + timedelta(milliseconds=1))
    newest, oldest = workshop.checkpoints()
    assert (newest.task, newest.name, newest.sha, newest.subject) == ("", "a_start-1", project.head(), "zweiter ü")
    assert (oldest.task, oldest.name, oldest.sha, oldest.subject) == ("fe-7k2", "before.merge", first, "first")
    assert (newest.at, oldest.at) == ("2026-03-01T12:00:00.251Z", "2026-03-01T12:00:00.250Z")
    assert project.sprung() == ""


def test_the_same_again_is_no_error_and_another_commit_is_a_conflict_K2(project: Bench) -> None:
    workshop, first = project.workshop(), project.head()
    workshop.add_checkpoint("", "start", first, at=NOW)
    workshop.add_checkpoint("", "start", first, at=NOW)
    with pytest.raises(Conflict, match="start"):
        workshop.add_checkpoint("", "start", project.commit("second"), at=NOW)
    workshop.add_checkpoint("fe-1", "start", project.head(), at=NOW)
    assert {(each.task, each.sha) for each in workshop.checkpoints()} == {("", first), ("fe-1", project.head())}


def test_a_checkpoint_keeps_its_commit(project: Bench) -> None:
    lost = project.commit("lost")
    project.workshop().add_checkpoint("", "keep", lost, at=NOW)
    project.git("reset", "-q", "--hard", "HEAD~1")
    project.git("reflog", "expire", "--expire=now", "--all")
    project.git("gc", "-q", "--prune=now")
    assert project.workshop().checkpoints()[0].sha == lost


@pytest.mark.parametrize("name", ["", "a b", "a/b", "..", ".hidden", "a..b", "x.lock", "dot.", "ü", "-x\n", "a" * 65])
def test_a_name_that_git_or_a_shell_would_trip_over_is_refused_K2(project: Bench, name: str) -> None:
    with pytest.raises(BadInput):
        project.workshop().add_checkpoint("", name, project.head(), at=NOW)
    assert project.workshop().checkpoints() == []


@pytest.mark.parametrize("task", ["_", "../x", "A", "a/b", "-x"])
def test_only_a_task_id_names_a_task(project: Bench, task: str) -> None:
    with pytest.raises(BadInput):
        project.workshop().add_checkpoint(task, "x", project.head(), at=NOW)


def test_only_a_commit_can_be_a_checkpoint(project: Bench) -> None:
    for other in (project.tree(), Sha("1" * 40), Sha("HEAD")):
        with pytest.raises(GitProblem):
            project.workshop().add_checkpoint("", "x", other, at=NOW)


def test_a_checkpoint_is_forgotten_only_at_its_commit_K2(project: Bench) -> None:
    workshop, first = project.workshop(), project.head()
    workshop.add_checkpoint("", "start", first, at=NOW)
    assert not workshop.drop_checkpoint("", "start", project.commit("second"))
    assert not workshop.drop_checkpoint("", "none", first)
    assert workshop.drop_checkpoint("", "start", first)
    assert not workshop.drop_checkpoint("", "start", first)
    assert workshop.checkpoints() == []


def test_refs_that_others_put_there_are_read_as_far_as_they_are_checkpoints(project: Bench) -> None:
    project.git("update-ref", "refs/foureyes/checkpoints/_/plain", "HEAD")
    project.git("update-ref", "refs/foureyes/checkpoints/_/tree", project.tree())
    project.git("update-ref", "refs/foureyes/checkpoints/_/a/b", "HEAD")
    (found,) = project.workshop().checkpoints()
    assert (found.name, found.sha, found.subject) == ("plain", project.head(), "first")
    assert project.workshop().drop_checkpoint("", "plain", project.head())
