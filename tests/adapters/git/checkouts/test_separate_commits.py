"""A commit from outside (A1): the checkout of a branch, wherever one stands, and no program of the tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.errors import GitProblem

from tests.adapters.git.conftest import Project

WORK, TASK = "refs/heads/work", "fe-1"
TRAILERS = [("Task", "fe-1"), ("Foureyes-Session", "ses-1")]


@pytest.fixture
def linked(project: Project) -> Path:
    """The worktree of a task, on the branch `work`."""
    place = project.path / ".foureyes" / "worktrees" / TASK
    project.git("worktree", "add", "-q", "-b", "work", str(place))
    return place


def test_everything_in_the_checkout_of_a_branch_is_committed_wherever_one_stands_A1(
    project: Project, linked: Path
) -> None:
    (linked / "new.py").write_text("x\n")
    (linked / "odd\nname").write_text("x\n")
    (linked / "code.py").unlink()
    (linked / "link").symlink_to("new.py")
    project.write("here.py", "x\n")
    head = project.workshop().commit_all("# why\n\nbecause\n", TRAILERS, worktree_of=TASK)
    assert head == project.head(WORK)
    change = project.change()
    (commit,) = change.commits
    assert (commit.subject, commit.tasks, commit.sessions) == ("# why", ("fe-1",), ("ses-1",))
    assert {file.path for file in change.files} == {"code.py", "link", "new.py", "odd\nname"}
    assert project.port().uncommitted(WORK) == []
    assert project.port().uncommitted("refs/heads/main") == ["here.py"]


def test_no_hook_filter_monitor_or_trailer_program_of_the_repository_is_run_A1(
    project: Project, linked: Path, tmp_path: Path
) -> None:
    marker, evil = tmp_path / "ran", tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\necho $0 >> {marker}\ncat\n")
    evil.chmod(0o755)
    for name in ("pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "post-index-change"):
        hook = project.write(f".git/hooks/{name}", evil.read_text())
        hook.chmod(0o755)
    for key in ("core.fsmonitor", "filter.evil.clean", "trailer.task.cmd", "core.sshCommand", "gpg.program"):
        project.git("config", key, str(evil))
    project.git("config", "commit.gpgSign", "true")
    (linked / ".gitattributes").write_text("* filter=evil\n")
    (linked / "new.py").write_text("x\n")
    head = project.workshop().commit_all("all", TRAILERS, worktree_of=TASK)
    assert not marker.exists(), marker.read_text()
    assert project.git("show", f"{head}:new.py") == "x"


def test_what_is_a_repository_of_its_own_is_refused_by_name_and_asked_nothing_A1(
    project: Project, linked: Path, tmp_path: Path
) -> None:
    marker, evil = tmp_path / "ran", tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\necho x >> {marker}\ncat\n")
    evil.chmod(0o755)
    project.git("init", "-q", str(linked / "inner"))
    inner = ["-C", str(linked / "inner")]
    (linked / "inner/file").write_text("x\n")
    project.git(*inner, "add", "file")
    project.git(*inner, "commit", "-q", "-m", "inner")
    with pytest.raises(GitProblem, match=r"inner/ in .* is a separate git repository"):
        project.workshop().commit_all("all", TRAILERS, worktree_of=TASK)
    project.git("-C", str(linked), "add", "inner")
    project.git("-C", str(linked), "commit", "-q", "-m", "a link to it")
    project.git(*inner, "config", "filter.evil.clean", str(evil))
    (linked / "inner/.git/info").mkdir(exist_ok=True)
    (linked / "inner/.git/info/attributes").write_text("* filter=evil\n")
    (linked / "inner/file").write_text("y\n")
    (linked / "new.py").write_text("x\n")
    project.workshop().commit_all("all", TRAILERS, worktree_of=TASK)
    assert project.port().uncommitted(WORK) == []
    assert not marker.exists()


def test_only_the_tasks_own_worktree_is_committed_and_nothing_behind_a_link_A1(project: Project, linked: Path) -> None:
    with pytest.raises(GitProblem, match="fe-2 is not a worktree"):
        project.workshop().commit_all("all", [], worktree_of="fe-2")
    project.git("-C", str(linked), "checkout", "-q", "--detach")
    with pytest.raises(GitProblem, match="fe-1 is not a worktree of this repository on a branch"):
        project.workshop().commit_all("all", [], worktree_of=TASK)
    project.git("-C", str(linked), "checkout", "-q", "work")
    for link in (linked, linked.parent):
        moved = link.rename(link.with_name("moved"))
        link.symlink_to(moved)
        (linked / "new.py").write_text("x\n")
        with pytest.raises(GitProblem, match="fe-1 is not a worktree of this repository on a branch"):
            project.workshop().commit_all("all", [], worktree_of=TASK)
        link.unlink()
        moved.rename(link)


def test_a_trailer_cannot_bring_lines_of_its_own(project: Project, linked: Path) -> None:
    (linked / "new.py").write_text("x\n")
    with pytest.raises(GitProblem, match="one line"):
        project.workshop().commit_all("all", [("Task", "fe-1\nX: y")], worktree_of=TASK)


def test_a_look_is_the_worktree_as_it_is_and_nothing_there_changes_V1(project: Project, linked: Path) -> None:
    (linked / "new.py").write_text("x\n")
    (linked / "code.py").write_text("changed\n")
    project.git("-C", str(linked), "add", "code.py")
    (linked / "code.py").write_text("changed again\n")
    project.git("init", "-q", str(linked / "inner"))
    (linked / "inner" / "file").write_text("x\n")
    before, head = project.git("-C", str(linked), "status", "--porcelain"), project.head(WORK)
    look = project.workshop().snapshot(TASK, "look 1")
    assert project.git("show", f"{look}:code.py") == "changed again"
    assert project.git("show", f"{look}:new.py") == "x"
    assert "inner" not in project.git("ls-tree", "-r", "--name-only", look)
    assert project.git("rev-parse", f"{look}^") == head
    assert (project.git("-C", str(linked), "status", "--porcelain"), project.head(WORK)) == (before, head)


def test_a_look_at_what_is_all_committed_is_its_head_V1(project: Project, linked: Path) -> None:
    assert project.workshop().snapshot(TASK, "look 1") == project.head(WORK)


def test_no_hook_filter_or_monitor_is_run_for_a_look_V1(project: Project, linked: Path, tmp_path: Path) -> None:
    marker, evil = tmp_path / "ran", tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\necho $0 >> {marker}\ncat\n")
    evil.chmod(0o755)
    for name in ("pre-commit", "post-index-change", "post-checkout"):
        project.write(f".git/hooks/{name}", evil.read_text()).chmod(0o755)
    for key in ("core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "gpg.program"):
        project.git("config", key, str(evil))
    project.git("config", "commit.gpgSign", "true")
    (linked / ".gitattributes").write_text("* filter=evil\n")
    (linked / "new.py").write_text("x\n")
    look = project.workshop().snapshot(TASK, "look 1")
    assert not marker.exists(), marker.read_text()
    assert project.git("show", f"{look}:new.py") == "x"
