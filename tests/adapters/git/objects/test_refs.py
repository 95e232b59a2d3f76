"""Refs that the gate keeps, moves and deletes: by compare-and-swap, with nobody else's say (Q2)."""

from __future__ import annotations

import shlex
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from foureyes.adapters.git.objects import refs
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.ui.steps import steps_text

from tests.adapters.git.workshop_project import Bench, add, bench

NOBODY = Sha("1" * 40)


@pytest.fixture
def project(tmp_path: Path) -> Bench:
    return bench(tmp_path / "ein Ordner mit ü")


def test_a_commit_is_kept_and_again_A1(project: Bench) -> None:
    project.set_traps()
    workshop, ref = project.workshop(), "refs/foureyes/attempts/fe-7k2/1"
    first = project.head()
    for _ in range(2):
        workshop.keep(ref, first)
    assert project.head(ref) == first
    assert project.sprung() == ""


@pytest.mark.parametrize(
    "ref",
    [
        "refs/heads/main",
        "refs/foureyes/",
        "refs/foureyes/../heads/main",
        "HEAD",
        "refs/foureyes/a b",
        "-d",
        "refs/foureyes/x.lock",
    ],
)
def test_nothing_is_kept_outside_our_own_refs(project: Bench, ref: str) -> None:
    before = project.refs()
    with pytest.raises(GitProblem):
        project.workshop().keep(ref, project.head())
    assert project.refs() == before


def test_only_a_commit_is_kept(project: Bench) -> None:
    for other in (project.tree(), NOBODY, Sha("main")):
        with pytest.raises(GitProblem):
            project.workshop().keep("refs/foureyes/x", other)


def test_keeping_never_moves_what_a_symbolic_ref_stands_for(project: Bench) -> None:
    first = project.head()
    second = project.commit("second")
    project.git("symbolic-ref", "refs/foureyes/x", "refs/heads/main")
    project.workshop().keep("refs/foureyes/x", first)
    assert (project.head("main"), project.head("refs/foureyes/x")) == (second, first)


@pytest.mark.parametrize("packed", [False, True])
def test_a_branch_moves_from_where_it_was_said_to_be_Q2(project: Bench, packed: bool) -> None:
    first = project.head()
    second = project.workshop().commit(tree=project.tree(), parents=[first], message="m")
    if packed:
        project.git("pack-refs", "--all")
    project.set_traps()
    workshop = project.workshop()
    assert workshop.move("refs/heads/main", new=second, old=first)
    assert not workshop.move("refs/heads/main", new=second, old=first)
    assert not workshop.move("refs/heads/none", new=second, old=first)
    assert project.head("main") == second
    assert project.sprung() == ""


def test_of_many_who_move_a_branch_at_once_exactly_one_wins_Q1(project: Bench) -> None:
    first, workshop = project.head(), project.workshop()
    news = [workshop.commit(tree=project.tree(), parents=[first], message=f"m{n}") for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda new: workshop.move("refs/heads/main", new=new, old=first), news))
    assert [new for new, yes in zip(news, won, strict=True) if yes] == [project.head("main")]


@pytest.mark.parametrize("ref", ["main", "HEAD", "refs/tags/x", "refs/heads/", "refs/heads/../x", "refs/foureyes/x"])
def test_only_branches_are_moved(project: Bench, ref: str) -> None:
    with pytest.raises(GitProblem):
        project.workshop().move(ref, new=project.head(), old=project.head())


def test_a_branch_that_stands_for_another_is_not_moved(project: Bench) -> None:
    first = project.head()
    second = project.commit("second")
    project.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    with pytest.raises(GitProblem, match="is a symbolic ref to refs/heads/main, so it was not moved"):
        project.workshop().move("refs/heads/alias", new=first, old=second)
    assert project.head("main") == second


def test_the_lock_of_a_killed_git_is_a_problem_that_says_so_and_not_a_lost_race_Q4(
    project: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refs, "_WRITE", [word.replace("=1000", "=1") for word in refs._WRITE])  # nobody waits for it
    first = project.head()
    second = project.workshop().commit(tree=project.tree(), parents=[first], message="m")
    project.write(".git/refs/heads/main.lock", "")
    with pytest.raises(GitProblem, match=r"main\.lock") as caught:
        project.workshop().move("refs/heads/main", new=second, old=first)
    assert "killed" in steps_text(caught.value.next_step)
    assert project.head("main") == first


def test_a_branch_is_never_moved_to_what_is_no_commit_G1(project: Bench) -> None:
    for other in (project.tree(), NOBODY, Sha("main")):
        with pytest.raises(GitProblem):
            project.workshop().move("refs/heads/main", new=other, old=project.head())


def test_a_merged_branch_is_deleted_K1(project: Bench) -> None:
    project.git("branch", "fe/x")
    project.git("pack-refs", "--all")
    project.set_traps()
    assert project.workshop().delete_merged("fe/x", target="main")
    assert "fe/x" not in project.refs()
    assert not project.workshop().delete_merged("fe/x", target="main")
    assert project.sprung() == ""


def test_a_branch_that_is_not_merged_or_in_use_or_the_target_stays_K1(project: Bench, tmp_path: Path) -> None:
    project.branch("ahead")
    project.commit("not merged")
    project.switch("main")
    project.git("worktree", "add", "-q", "-b", "used", str(tmp_path / "used"))
    project.git("worktree", "add", "-q", "-b", "lost", str(tmp_path / "lost"))
    (tmp_path / "lost").rename(tmp_path / "moved away")
    before, workshop = project.refs(), project.workshop()
    for name in ("ahead", "used", "lost", "main", "refs/heads/main", "none"):
        assert not workshop.delete_merged(name, target="main"), name
    assert not workshop.delete_merged("used", target="none")
    assert project.refs() == before


def test_a_branch_in_the_middle_of_its_rebase_stays_K1(project: Bench) -> None:
    project.branch("work")
    project.write(".git/rebase-merge/head-name", "refs/heads/work\n")
    project.git("checkout", "-q", "--detach")
    assert not project.workshop().delete_merged("work", target="main")


@pytest.mark.parametrize("taken", ["refs/heads/fe", "refs/foureyes", "refs/foureyes/attempts"])
def test_a_ref_that_is_called_like_a_folder_of_ours_is_named_with_the_way_to_move_it_K1_A1(
    project: Bench, taken: str
) -> None:
    project.git("update-ref", taken, "main")
    keep = partial(project.workshop().keep, "refs/foureyes/attempts/fe-7k2/1", project.head())
    with pytest.raises(GitProblem, match=f"there is a ref called {taken}$") as refused:
        (partial(add, project) if taken == "refs/heads/fe" else keep)()
    words = shlex.split(steps_text(refused.value.next_step).replace("OTHER-NAME", "other"))
    project.git(*words[1:])
    keep()
    assert add(project).is_dir()
