"""K1: the worktrees of tasks."""

from __future__ import annotations

import fcntl
import os
import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from foureyes.adapters.git.client.locate import locate
from foureyes.core.words.ids import Sha
from foureyes.errors import BadInput, GitProblem
from foureyes.ui.steps import steps_text

from tests.adapters.git.workshop_project import TASK, TRAILERS, Bench, add, bench, commit, quietly, tricked
from tests.stage import night


@pytest.fixture(params=["project", night.ODD])
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Bench:
    made = bench(tmp_path / request.param)
    made.write(".git/info/exclude", ".foureyes/\n")
    return made


@pytest.fixture
def project_only(tmp_path: Path) -> Bench:
    return bench(tmp_path / "project")


# What a run left there


def test_a_branch_that_stands_for_another_is_named_and_hides_no_file_S4(project: Bench) -> None:
    at, ref = add(project), f"refs/heads/fe/{TASK}"
    project.git("branch", "elsewhere")
    assert project.workshop().unlock_worktree(TASK) == ref
    project.git("symbolic-ref", ref, "refs/heads/elsewhere")
    (at / "mine.py").write_text("mine\n")
    assert project.port().uncommitted(ref) == ["mine.py"]
    assert project.port().uncommitted("refs/heads/elsewhere") == ["mine.py"]
    with pytest.raises(GitProblem, match=f"fe/{TASK} is a symbolic ref to refs/heads/elsewhere") as problem:
        project.workshop().unlock_worktree(TASK)
    assert steps_text(problem.value.next_step) == f"git symbolic-ref {ref}"


# Made and found


def test_whatever_else_lies_in_the_folder_of_worktrees_is_none_K1(project: Bench) -> None:
    made = add(project)
    place = made.parent
    (place / "four.txt").write_text("x\n")
    (place / "four").write_text("x\n")
    (place / "A Folder").mkdir()
    assert project.workshop().worktrees() == {TASK: str(made)}


def test_a_worktree_is_made_at_its_base_and_found_again_K1(project: Bench) -> None:
    base = project.head()
    project.commit("later", later_py="x\n")
    at = add(project, base=base)
    assert at == project.path / ".foureyes/worktrees" / TASK
    assert project.git("status", "--porcelain", "--branch", cwd=at) == f"## fe/{TASK}"
    assert project.git("rev-parse", "HEAD", cwd=at) == base
    (at / "mine.py").write_text("mine\n")
    assert add(project) == at
    assert (at / "mine.py").read_text() == "mine\n"
    assert project.git("status", "--porcelain") == ""


@pytest.mark.parametrize("where", ["refs/heads", "refs/tags", "refs"])
def test_a_worktree_is_made_at_the_commit_and_at_no_ref_that_is_called_like_it_K1(project: Bench, where: str) -> None:
    base = project.head()
    project.branch("other")
    other = project.commit("other", other_py="x\n")
    project.git("update-ref", f"{where}/{base}", other)
    at = add(project, base=base)
    assert project.git("rev-parse", "HEAD", cwd=at) == base


def test_a_branch_that_exists_is_used_K1(project: Bench) -> None:
    project.branch(f"fe/{TASK}")
    head = project.commit("earlier", earlier_py="x\n")
    project.switch("main")
    at = add(project)
    assert project.git("rev-parse", "HEAD", cwd=at) == head
    assert (at / "earlier.py").exists()


def test_no_hook_and_no_filter_of_the_repository_is_run_while_adding_Q2(project: Bench) -> None:
    project.write(".gitattributes", "*.py filter=x\n")
    project.commit("attributes")
    project.set_traps()
    at = add(project)
    assert (at / "code.py").read_text().startswith("line 1\n")
    assert project.sprung() == ""


def test_a_filter_that_only_the_new_worktree_would_see_is_not_run_either_Q2(project: Bench) -> None:
    project.write(".gitattributes", "*.py filter=y\n")
    project.commit("attributes")
    more = project.write(".git/more", f'[filter "y"]\n\tsmudge = "\\"{project.trap()}\\""\n')
    project.git("config", f"includeIf.onbranch:fe/{TASK}.path", str(more))
    add(project)
    assert project.sprung() == ""


def test_the_users_own_filter_is_run_for_somebody_works_with_these_files_K1(project: Bench) -> None:
    project.write(".gitattributes", "*.py filter=mine\n")
    project.commit("attributes")
    project.git("config", "--global", "filter.mine.smudge", "sed s/line/zeile/")
    project.git("config", "--local", "filter.mine.smudge", project.trap())
    assert (add(project) / "code.py").read_text().startswith("zeile 1\n")
    assert project.sprung() == ""


def test_the_worktree_is_made_beside_the_store_from_wherever_it_is_asked_for_K3(project: Bench, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    project.git("worktree", "add", "-q", str(linked))
    at = add(project, at=linked)
    assert at == project.path / ".foureyes/worktrees" / TASK
    assert commit(project, at) == TRAILERS


def test_the_environment_does_not_lead_a_worktree_elsewhere_K1(
    project: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, workshop = project.head(), project.workshop()
    with monkeypatch.context() as patch:
        tricked(patch, tmp_path / "elsewhere")
        at = Path(workshop.add_worktree(TASK, branch="fe/x", base=base, session="ses-1"))
    assert project.git("status", "--porcelain", "--branch", cwd=at) == "## fe/x"


@pytest.mark.parametrize("task", ["", "..", "../x", "a/b", "A", "-x", "a b", "fe-7k2\n"])
def test_only_a_task_id_names_a_worktree(project_only: Bench, task: str) -> None:
    with pytest.raises(BadInput):
        project_only.workshop().add_worktree(task, branch="fe/x", base=project_only.head(), session="s")
    with pytest.raises(BadInput):
        project_only.workshop().drop_worktree(task)


def test_what_cannot_be_made_is_a_problem_and_leaves_nothing(project_only: Bench) -> None:
    project, workshop = project_only, project_only.workshop()
    before = project.refs()
    for branch, base, session in (
        ("main", project.head(), "s"),
        ("a..b", project.head(), "s"),
        ("x", Sha("1" * 40), "s"),
        ("-x", project.head(), "s"),
    ):
        with pytest.raises(GitProblem):
            workshop.add_worktree(TASK, branch=branch, base=base, session=session)
    assert project.refs() == before
    assert not (project.path / ".foureyes/worktrees" / TASK).exists()


def test_a_worktree_that_was_moved_with_its_repository_is_found_again_by_what_is_said_to_type_K1(
    project_only: Bench, tmp_path: Path
) -> None:
    add(project_only)
    moved = Bench(project_only.path.rename(tmp_path / "elsewhere"))
    at = moved.path / ".foureyes/worktrees" / TASK
    with pytest.raises(GitProblem, match="not a git directory") as refused:
        locate(at)
    typed = shlex.split(steps_text(refused.value.next_step))
    with pytest.raises(GitProblem, match="not a worktree of this repository") as told:
        add(moved)
    assert steps_text(told.value.next_step).startswith(f"git worktree repair {at}")
    moved.git(*typed[1:])
    assert add(moved) == at


def test_a_directory_that_is_something_else_is_not_touched_K1(project_only: Bench) -> None:
    mine = project_only.write(f".foureyes/worktrees/{TASK}/mine.txt", "mine\n")
    with pytest.raises(GitProblem, match="not a worktree of this repository"):
        add(project_only)
    assert mine.read_text() == "mine\n"
    assert "not a worktree" in project_only.workshop().drop_worktree(TASK).stays
    assert mine.exists()


def test_a_worktree_with_another_branch_is_told_and_one_in_a_rebase_is_found_K1(project_only: Bench) -> None:
    at = add(project_only)
    project_only.git("checkout", "-q", "-b", "elsewhere", cwd=at)
    with pytest.raises(GitProblem, match="Its commits stay on elsewhere") as caught:
        add(project_only)
    assert steps_text(caught.value.next_step) == f"git -C {at} switch fe/{TASK}"
    assert steps_text(caught.value.next_step) in caught.value.message
    project_only.git("checkout", "-q", "--detach", cwd=at)
    with pytest.raises(GitProblem):
        add(project_only)
    rebase = project_only.path / f".git/worktrees/{TASK}/rebase-merge"
    rebase.mkdir()
    (rebase / "head-name").write_text(f"refs/heads/fe/{TASK}\n")
    assert add(project_only) == at


def test_a_branch_that_is_checked_out_elsewhere_leads_there_K1(project_only: Bench) -> None:
    project_only.branch(f"fe/{TASK}")
    with pytest.raises(GitProblem, match=r"is already checked out in .*") as caught:
        add(project_only)
    assert steps_text(caught.value.next_step) == f"cd {project_only.path} && fe start {TASK} --here"
    assert not (project_only.path / ".foureyes/worktrees" / TASK).exists()


def test_all_who_ask_at_once_get_the_same_worktree_K1(project_only: Bench) -> None:
    base = project_only.head()
    with ThreadPoolExecutor(6) as pool:
        found = {*pool.map(lambda n: add(project_only, f"ses-{n}", base=base), range(6))}
    (at,) = found
    assert project_only.git("status", "--porcelain", "--branch", cwd=at) == f"## fe/{TASK}"


# Killed in between


def test_a_worktree_whose_directory_is_gone_is_made_again_G4(project_only: Bench) -> None:
    at = add(project_only)
    head = project_only.git("rev-parse", "HEAD", cwd=at)
    quietly("rm", "-r", str(at), cwd=project_only.path)
    assert add(project_only) == at
    assert project_only.git("rev-parse", "HEAD", cwd=at) == head
    assert commit(project_only, at) == TRAILERS


@pytest.mark.parametrize("left", ["nothing", "an empty directory", "a .git file"])
def test_what_a_killed_git_left_of_a_worktree_is_cleared_away_G4(project_only: Bench, left: str) -> None:
    at = project_only.path / ".foureyes/worktrees" / TASK
    project_only.git("worktree", "add", "-q", "--no-checkout", "-b", f"fe/{TASK}", str(at))
    project_only.write(f".git/worktrees/{TASK}/locked", "initializing")
    if left != "a .git file":
        (at / ".git").unlink()
    if left == "nothing":
        at.rmdir()
    assert add(project_only) == at
    assert commit(project_only, at) == TRAILERS


def test_a_half_made_worktree_can_be_dropped_and_one_with_files_stays_G4(project_only: Bench) -> None:
    at = project_only.path / ".foureyes/worktrees" / TASK
    project_only.git("worktree", "add", "-q", "--no-checkout", "-b", f"fe/{TASK}", str(at))
    project_only.write(f".git/worktrees/{TASK}/locked", "initializing")
    (at / "mine").write_text("x")
    assert "never completed" in project_only.workshop().drop_worktree(TASK).stays
    (at / "mine").unlink()
    assert project_only.workshop().drop_worktree(TASK).stays == ""
    assert not at.exists()


def test_a_worktree_that_was_killed_while_its_files_were_written_is_finished_G4(project_only: Bench) -> None:
    project_only.commit("two", a_py="a\n" * 100, b_py="b\n")
    at = project_only.path / ".foureyes/worktrees" / TASK
    project_only.git("worktree", "add", "-q", "--no-checkout", "-b", f"fe/{TASK}", str(at))
    (at / "a.py").write_text("a\n")
    assert add(project_only) == at
    assert project_only.git("status", "--porcelain", cwd=at) == ""


def test_a_finished_worktree_without_an_index_is_not_filled_again_G4(project_only: Bench) -> None:
    at = add(project_only)
    (at / "code.py").write_text("mine\n")
    (project_only.path / f".git/worktrees/{TASK}/index").unlink()
    add(project_only)
    assert (at / "code.py").read_text() == "mine\n"


def test_the_lock_that_a_killed_git_left_in_it_is_told_G4(project_only: Bench) -> None:
    at = project_only.path / ".foureyes/worktrees" / TASK
    project_only.git("worktree", "add", "-q", "--no-checkout", "-b", f"fe/{TASK}", str(at))
    project_only.write(f".git/worktrees/{TASK}/index.lock", "")
    with pytest.raises(GitProblem, match=r"index\.lock") as caught:
        add(project_only)
    assert "killed" in steps_text(caught.value.next_step)


# Settings per worktree


def test_the_bare_setting_stays_with_the_bare_repository_K1(tmp_path: Path) -> None:
    origin = bench(tmp_path / "origin")
    origin.git("clone", "-q", "--bare", str(origin.path), str(tmp_path / "bare ü.git"))
    bare = Bench(tmp_path / "bare ü.git")
    at = Path(bare.workshop().add_worktree(TASK, branch="fe/x", base=bare.head("main"), session="ses-1"))
    assert commit(bare, at) == TRAILERS
    assert bare.git("rev-parse", "--is-bare-repository") == "true"
    assert bare.git("rev-parse", "--is-bare-repository", cwd=at) == "false"
    place = locate(bare.path)
    assert place is not None
    assert place.root == str(bare.path)
    bare.workshop().add_worktree("fe-2", branch="fe/y", base=bare.head("main"), session="ses-1")
    assert bare.workshop().drop_worktree(TASK).stays == ""
    assert bare.git("rev-parse", "--is-bare-repository") == "true"


@pytest.mark.parametrize("step", ["written", "enabled"])
def test_killed_while_settings_moved_they_are_moved_at_the_next_call_G4(tmp_path: Path, step: str) -> None:
    origin = bench(tmp_path / "origin")
    origin.git("clone", "-q", "--bare", str(origin.path), str(tmp_path / "bare.git"))
    bare = Bench(tmp_path / "bare.git")
    (bare.path / "config.worktree").write_text("[core]\n\tbare = true\n")
    bare.git("config", "extensions.worktreeConfig", "true") if step == "enabled" else None
    at = Path(bare.workshop().add_worktree(TASK, branch="fe/x", base=bare.head("main"), session="ses-1"))
    assert commit(bare, at) == TRAILERS
    assert "bare" not in (bare.path / "config").read_text().replace("bare.git", "")
    assert bare.git("rev-parse", "--is-bare-repository") == "true"


def test_the_setting_for_the_main_worktree_stays_with_it_K1(tmp_path: Path) -> None:
    project = bench(tmp_path / "project")
    project.git("config", "core.worktree", str(project.path))
    at = add(project)
    assert commit(project, at) == TRAILERS
    assert project.git("rev-parse", "--show-toplevel") == str(project.path)
    assert project.git("rev-parse", "--show-toplevel", cwd=at) == str(at)


# Dropped


def test_a_worktree_with_everything_committed_is_removed_and_its_branch_kept_K1(project: Bench) -> None:
    project.write(".gitignore", "*.pyc\n")
    project.commit("ignore")
    at = add(project)
    commit(project, at)
    (at / "x.pyc").write_text("x")
    project.set_traps()
    assert project.workshop().drop_worktree(TASK).stays == ""
    assert not at.exists()
    assert f"refs/heads/fe/{TASK}" in project.refs()
    assert project.sprung() == ""
    assert project.workshop().drop_worktree(TASK).stays == ""


@pytest.mark.parametrize("what", ["changed", "staged", "untracked", "locked", "rebasing", "detached"])
def test_a_worktree_with_work_in_it_stays_and_its_reason_is_one_line_K1_G2_G4(project_only: Bench, what: str) -> None:
    project, at = project_only, add(project_only)
    project.git("config", "status.showUntrackedFiles", "no")
    if what == "locked":
        project.git("worktree", "lock", "--reason", "on a\nstick", str(at))
    elif what == "rebasing":
        (project.path / f".git/worktrees/{TASK}/rebase-merge").mkdir()
    elif what == "detached":
        project.git("checkout", "-q", "--detach", cwd=at)
        commit(project, at)
    else:
        (at / ("new.py" if what == "untracked" else "code.py")).write_text("mine\n")
        project.git("add", "-A", cwd=at) if what == "staged" else None
    stays = project.workshop().drop_worktree(TASK).stays
    assert str(at) in stays
    assert stays.isprintable()
    assert (at / "code.py").exists()


def test_nobody_saws_off_the_branch_that_they_sit_on_K1(project_only: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    at = add(project_only)
    (at / "deep").mkdir()
    assert "your shell is in" in project_only.workshop(at).drop_worktree(TASK).stays
    monkeypatch.chdir(at / "deep")
    assert "your shell is in" in project_only.workshop().drop_worktree(TASK).stays
    monkeypatch.chdir(project_only.path)
    assert project_only.workshop().drop_worktree(TASK).stays == ""


def test_a_worktree_whose_directory_is_gone_is_dropped_K1(project_only: Bench) -> None:
    at = add(project_only)
    quietly("rm", "-r", str(at), cwd=project_only.path)
    assert project_only.workshop().drop_worktree(TASK).stays == ""
    assert TASK not in project_only.git("worktree", "list")


@pytest.mark.parametrize("ignored", [False, True])
def test_a_half_removed_worktree_is_removed_K1_G4(project_only: Bench, ignored: bool) -> None:
    project_only.write(".gitignore", "*.pyc\n")
    project_only.commit("two", a_py="a\n", b_py="b\n")
    at = add(project_only)
    if ignored:
        (at / "x.pyc").write_text("x")
    (at / "a.py").unlink()
    assert project_only.workshop().drop_worktree(TASK).stays == ""
    assert not at.exists()
    assert TASK not in project_only.git("worktree", "list")


def test_a_worktree_removed_up_to_its_folder_is_removed_K1_G4(project_only: Bench) -> None:
    at = add(project_only)
    quietly("rm", "-r", str(at), cwd=project_only.path)
    at.mkdir()
    assert project_only.workshop().drop_worktree(TASK).stays == ""
    assert not at.exists()
    assert TASK not in project_only.git("worktree", "list")


def test_a_missing_file_beside_a_changed_one_removes_nothing_K1(project_only: Bench) -> None:
    project_only.commit("two", a_py="a\n", b_py="b\n")
    at = add(project_only)
    (at / "a.py").unlink()
    (at / "b.py").write_text("mine\n")
    assert "b.py" in project_only.workshop().drop_worktree(TASK).stays
    assert (at / "b.py").read_text() == "mine\n"


def test_writing_the_files_of_one_worktree_holds_no_other_K1(project_only: Bench) -> None:
    add(project_only)
    descriptor = os.open(project_only.path / f".git/worktrees/{TASK}", os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        other = project_only.workshop().add_worktree(
            "fe-other", branch="fe/fe-other", base=Sha(project_only.head()), session="ses-2"
        )
    finally:
        os.close(descriptor)
    assert Path(other).is_dir()


def test_submodules_that_were_never_cloned_do_not_hold_a_worktree_K1(project_only: Bench) -> None:
    project = project_only
    project.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    project.git("commit", "-q", "-m", "submodule")
    at = add(project)
    (project.path / f".git/worktrees/{TASK}/modules").mkdir()
    assert "submodules" in project.workshop().drop_worktree(TASK).stays
    (project.path / f".git/worktrees/{TASK}/modules").rmdir()
    assert project.workshop().drop_worktree(TASK).stays == ""
    assert not at.exists()


def test_after_the_merge_worktree_and_branch_go_K1(project_only: Bench) -> None:
    project, at, workshop = project_only, add(project_only), project_only.workshop()
    commit(project, at)
    assert not workshop.delete_merged(f"fe/{TASK}", target="main")
    assert workshop.move("refs/heads/main", new=project.head(f"fe/{TASK}"), old=project.head("main"))
    assert not workshop.delete_merged(f"fe/{TASK}", target="main")
    assert workshop.drop_worktree(TASK).stays == ""
    assert workshop.delete_merged(f"fe/{TASK}", target="main")
