"""Commits of people's files: everything with trailers (A1), or exactly one file (P12), by the caller's own git."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.errors import GitProblem

from tests.adapters.git.conftest import Project

MAIN, WORK = "refs/heads/main", "refs/heads/work"


def test_everything_is_committed_with_trailers_by_the_caller_A1(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.branch("work")
    project.write("new.py", "x\n")
    project.write("code.py", "x\n")
    project.write(".foureyes/store.db", "x\n")
    with monkeypatch.context() as environment:
        environment.setenv("GIT_AUTHOR_NAME", "Grace")
        environment.setenv("GIT_INDEX_FILE", "/nonexistent/index")
        environment.setenv("GIT_DIR", "/nonexistent")
        head = project.workshop().commit_all("# why\n\nbecause", [("Task", "fe-1"), ("Foureyes-Session", "ses-1")])
    change = project.change()
    (commit,) = change.commits
    assert (commit.sha, commit.subject, commit.author) == (head, "# why", "Grace")
    assert (commit.tasks, commit.sessions) == (("fe-1",), ("ses-1",))
    assert [file.path for file in change.files] == ["code.py", "new.py"]


def test_an_ignored_store_does_not_disturb_committing_everything(project: Project) -> None:
    project.write(".foureyes/.gitignore", "*\n")
    project.write(".foureyes/store.db", "x\n")
    project.write("new.py", "x\n")
    project.workshop().commit_all("all", [])
    assert project.git("show", "--format=", "--name-only", "HEAD") == "new.py"


def test_everything_means_the_callers_worktree(project: Project, tmp_path: Path) -> None:
    project.git("worktree", "add", "-q", "-b", "work", str(tmp_path / "linked"))
    (tmp_path / "linked/new.py").write_text("x\n")
    project.write("here.py", "x\n")
    head = project.workshop(tmp_path / "linked").commit_all("linked", [])
    assert head == project.head(WORK)
    assert project.port().uncommitted(MAIN) == ["here.py"]


def test_a_refusing_hook_and_a_missing_name_are_told_in_gits_words(project: Project, home: Path) -> None:
    project.write("new.py", "x\n")
    hook = project.write(".git/hooks/pre-commit", "#!/bin/sh\necho 'the linter is unhappy' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(GitProblem, match="git commit failed: the linter is unhappy"):
        project.workshop().commit_all("all", [])
    hook.unlink()
    (home / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    with pytest.raises(GitProblem, match="git commit failed: fatal: no email was given"):
        project.workshop().commit_all("all", [])


def test_nothing_to_commit_is_told_in_gits_words(project: Project) -> None:
    with pytest.raises(GitProblem, match="nothing to commit"):
        project.workshop().commit_all("all", [])


def test_a_trailer_cannot_bring_lines_of_its_own(project: Project) -> None:
    project.write("new.py", "x\n")
    with pytest.raises(GitProblem, match="one line"):
        project.workshop().commit_all("all", [("Task", "fe-1\nFoureyes-Session: ses-2")])


@pytest.mark.parametrize("name", ["foureyes.toml", "*.toml", "-m", ":(top)x", ".foureyes/prompts/a.md"])
def test_one_new_file_is_committed_and_nothing_else_moves_P12(project: Project, name: str) -> None:
    project.write(".gitignore", "foureyes.toml\n")
    project.write("staged.toml", "x\n")
    project.git("add", "staged.toml")
    project.write("code.py", "unstaged\n")
    project.write("untracked.toml", "x\n")
    project.write(name, "policy\n")
    before = project.port().uncommitted(MAIN)
    head = project.workshop().commit_file(name, "Add the policy")
    assert head == project.head()
    assert project.git("show", "--format=%s", "--name-only", "HEAD").split("\n") == ["Add the policy", "", name]
    assert project.git("diff", "--cached", "--name-only") == "staged.toml"
    assert project.port().uncommitted(MAIN) == [path for path in before if path != name]


def test_a_staged_half_of_a_changed_file_is_committed_as_it_is_on_disk_P12(project: Project) -> None:
    project.write("code.py", "staged\n")
    project.git("add", "code.py")
    project.write("code.py", "on disk\n")
    project.workshop().commit_file("code.py", "All of it")
    assert project.port().file_at("main", "code.py") == "on disk\n"
    assert project.port().is_clean()


def test_a_file_can_be_the_first_commit_and_the_rest_stays_staged_P12(tmp_path: Path) -> None:
    project = Project(tmp_path / "new")
    project.path.mkdir()
    project.git("init", "-q", "-b", "main")
    project.write("staged.py", "x\n")
    project.git("add", "-A")
    project.write("foureyes.toml", "x\n")
    head = project.workshop().commit_file("foureyes.toml", "Start")
    assert project.git("ls-tree", "-r", "--name-only", head) == "foureyes.toml"
    assert project.git("diff", "--cached", "--name-only") == "staged.py"


def test_a_file_goes_to_the_main_worktree_from_every_worktree_P12(project: Project, tmp_path: Path) -> None:
    project.git("worktree", "add", "-q", "-b", "work", str(tmp_path / "linked"))
    path = project.write("foureyes.toml", "x\n")
    head = project.workshop(tmp_path / "linked").commit_file(str(path), "Start")
    assert (project.head(MAIN), project.head(WORK)) == (head, project.head("main~1"))


def test_a_file_that_is_committed_already_is_no_error_P12(project: Project) -> None:
    assert project.workshop().commit_file("code.py", "again") == project.head()
    assert project.port().commit_count() == 1


def test_a_refused_file_leaves_the_index_as_it_was_P12(project: Project) -> None:
    project.write("foureyes.toml", "x\n")
    hook = project.write(".git/hooks/commit-msg", "#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(GitProblem, match="git commit failed"):
        project.workshop().commit_file("foureyes.toml", "Start")
    assert project.git("ls-files", "foureyes.toml") == ""
    assert (project.path / "foureyes.toml").exists()


@pytest.mark.parametrize("path", ["missing.toml", "../outside", ".", "folder"])
def test_a_file_that_is_not_there_is_a_clear_sentence(project: Project, path: str) -> None:
    (project.path.parent / "outside").write_text("x\n")
    project.write("folder/file", "x\n")
    with pytest.raises(GitProblem, match="there is no file"):
        project.workshop().commit_file(path, "x")


def test_where_no_branch_or_no_worktree_is_a_file_is_not_committed(project: Project, tmp_path: Path) -> None:
    project.git("checkout", "-q", "--detach")
    with pytest.raises(GitProblem, match="no branch is checked out"):
        project.workshop().commit_file("code.py", "x")
    bare = tmp_path / "bare.git"
    project.git("clone", "-q", "--bare", str(project.path), str(bare))
    with pytest.raises(GitProblem, match="bare repository"):
        project.workshop(bare).commit_file("HEAD", "x")
    assert project.port(bare).is_clean()
