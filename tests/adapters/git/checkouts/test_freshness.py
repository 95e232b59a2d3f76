"""Q5: files alone say that a checkout follows its branch, and never that it does when it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.adapters import process
from foureyes.adapters.git.checkouts.freshness import all_follow

from tests.adapters.git.workshop_project import Bench, bench
from tests.stage.counting import counting


@pytest.fixture
def project(tmp_path: Path) -> Bench:
    return bench(tmp_path / "ein Projekt ü")


def follows(project: Bench) -> bool:
    return all_follow(f"{project.path}/.git", "refs/heads/main")


def move(project: Bench, name: str) -> None:
    """Move main to another commit, and nothing else."""
    project.git("update-ref", "refs/heads/main", project.head(name))


def test_a_checkout_of_the_tip_follows_and_no_program_is_started(project: Bench) -> None:
    project.commit("on", code_py="on\n")
    with counting({"programs": process.run}) as started:
        assert project.workshop().behind("main") == []
    assert follows(project)
    assert started["programs"] == 0


def test_a_checkout_under_which_the_branch_moved_does_not_follow(project: Bench) -> None:
    project.git("checkout", "-q", "-b", "next")
    project.commit("on", code_py="on\n")
    project.git("checkout", "-q", "main")
    assert follows(project)
    move(project, "next")
    assert not follows(project)
    assert len(project.workshop().behind("main")) == 1


def test_a_second_worktree_counts_too(project: Bench, tmp_path: Path) -> None:
    project.git("checkout", "-q", "-b", "next")
    project.commit("on", code_py="on\n")
    project.git("worktree", "add", "-q", str(tmp_path / "second"), "main")
    assert follows(project)
    move(project, "next")
    assert not follows(project)
    assert len(project.workshop().behind("main")) == 1


def test_what_is_staged_is_left_to_git(project: Bench) -> None:
    project.write("code.py", "staged\n")
    project.git("add", "code.py")
    assert not follows(project)
    assert project.workshop().behind("main") == [], "somebody just works there"


@pytest.mark.parametrize("content", [b"", b"DIRC", b"TREE\0\0\0\0", b"DIRC" + b"TREE\0\0\0\x40" + b"\0" * 20])
def test_an_index_that_cannot_be_read_says_nothing(project: Bench, content: bytes) -> None:
    (project.path / ".git/index").write_bytes(content)
    assert not follows(project)


def test_a_packed_branch_is_left_to_git(project: Bench) -> None:
    project.git("pack-refs", "--all")
    assert not follows(project)
    assert project.workshop().behind("main") == []
