"""A commit that a printed command names, where a ref is called by the same digits: git goes by the hash (Q6)."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.core.words.refs import exactly

from tests.adapters.git.conftest import Project

PLACES = ("refs/heads", "refs/tags", "refs/remotes", "refs")


@pytest.fixture(params=PLACES)
def planted(project: Project, request: pytest.FixtureRequest) -> str:
    """The hash of a commit after `main`, which is the name of a ref of another one, too."""
    project.git("switch", "-q", "-c", "side")
    seen = project.commit("seen", seen_py="seen\n")
    other = project.commit("other", other_py="other\n")
    project.git("switch", "-q", "main")
    project.git("update-ref", f"{request.param}/{seen}", other)
    return seen


def test_a_pushed_commit_is_the_one_that_was_named_Q6(project: Project, bare: Path, planted: str) -> None:
    project.git("push", "-q", str(bare), f"{exactly(planted)}:refs/heads/new")
    assert project.git("ls-remote", str(bare), "refs/heads/new").split()[0] == planted


@pytest.mark.parametrize(
    "way", [("switch", "-q", "--detach"), ("switch", "-q", "-c", "new"), ("checkout", "-q", "-b", "new")]
)
def test_a_commit_is_switched_to_by_its_hash_Q6(project: Project, planted: str, way: tuple[str, ...]) -> None:
    project.git(*way, exactly(planted))
    assert project.head() == planted


def test_a_branch_begins_at_the_commit_that_was_named_Q6(project: Project, planted: str) -> None:
    project.git("branch", "new", exactly(planted))
    assert project.head("refs/heads/new") == planted


@pytest.mark.parametrize("way", [("merge", "-q", "--ff-only"), ("reset", "-q", "--keep"), ("rebase", "-q", "--onto")])
def test_the_whole_hash_is_enough_to_merge_reset_and_rebase_Q6(
    project: Project, planted: str, way: tuple[str, ...]
) -> None:
    project.git(*way, planted, *(["main", "main"] if way[0] == "rebase" else []))
    assert project.head() == planted


def test_the_whole_hash_is_enough_to_look_at_it_Q6(project: Project, planted: str) -> None:
    assert project.git("show", "-s", "--format=%H", planted) == planted
    assert project.git("log", "--format=%H", f"refs/heads/main..{planted}") == planted
    assert project.git("log", "--format=%s", f"{planted}..refs/heads/side") == "other"


def test_a_commit_is_picked_by_its_whole_hash_Q6(project: Project, planted: str) -> None:
    project.git("cherry-pick", planted)
    assert project.git("log", "-1", "--format=%s") == "seen"
