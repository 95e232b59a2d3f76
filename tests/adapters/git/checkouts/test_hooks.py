"""K1: the trailers of what is committed in the worktree of a task, and the user's own hooks there."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.errors import GitProblem

from tests.adapters.git.workshop_project import TASK, TRAILERS, Bench, add, bench, commit, hook, quietly, trailers
from tests.stage import night


@pytest.fixture(params=["project", night.ODD])
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Bench:
    made = bench(tmp_path / request.param)
    made.write(".git/info/exclude", ".foureyes/\n")
    return made


@pytest.fixture
def project_only(tmp_path: Path) -> Bench:
    return bench(tmp_path / "project")


# Trailers


def test_commits_get_both_trailers_once_however_they_are_made_K1(project: Bench, tmp_path: Path) -> None:
    at = add(project)
    message = tmp_path / "message"
    message.write_text("from a file\n\nbody\n---\nnot a patch\n\nSigned-off-by: A <a@b>\n")
    assert commit(project, at) == TRAILERS
    assert commit(project, at, "--no-verify", "-m", "n") == TRAILERS
    assert commit(project, at, "-F", str(message)) == ["Signed-off-by: A <a@b>", *TRAILERS]
    assert commit(project, at, "-m", "x", "--trailer", "Task: fe-7k2") == TRAILERS
    assert commit(project, at, "--amend", "--no-edit") == TRAILERS
    assert commit(project, at, "--amend", "-m", "other words") == TRAILERS
    assert commit(project, at, "--fixup", "HEAD") == TRAILERS
    assert commit(project, at, "-C", "HEAD") == TRAILERS


@pytest.mark.parametrize("text", ["#42 fix", "fix\n\n#42", "fix: a thing", "Task: fe-7k2", "a\n\nb\n# c\nd"])
def test_a_message_with_marks_in_it_is_kept_as_it_is_K1(project_only: Bench, text: str) -> None:
    at = add(project_only)
    assert commit(project_only, at, "-m", text) == TRAILERS
    assert project_only.git("log", "-1", "--format=%B", cwd=at) == text + "\n\n" + "\n".join(TRAILERS)


def test_merges_cherry_picks_and_reverts_get_them_too_K1(project_only: Bench) -> None:
    project, at = project_only, add(project_only)
    commit(project, at)
    on_main = project.commit("on main", main_py="x\n")
    project.git("merge", "-q", "--no-edit", "main", cwd=at)
    assert trailers(project, at) == TRAILERS
    project.git("revert", "--no-edit", "-m", "2", "HEAD", cwd=at)
    assert trailers(project, at) == TRAILERS
    project.git("reset", "-q", "--hard", f"{on_main}~1", cwd=at)
    project.git("cherry-pick", on_main, cwd=at)
    assert trailers(project, at) == TRAILERS


@pytest.mark.parametrize("options", [(), ("-v",), ("--cleanup=scissors",)])
def test_with_an_editor_they_come_after_it_and_an_empty_message_is_no_commit_K1(
    project_only: Bench, tmp_path: Path, options: tuple[str, ...]
) -> None:
    project, at = project_only, add(project_only)
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "words\\n" | cat - "$1" > "$1.new"\nmv "$1.new" "$1"\n')
    editor.chmod(0o755)
    project.git("config", "core.editor", "true")
    (at / "work.py").write_text("x\n")
    project.git("add", "-A", cwd=at)
    before = project.git("rev-parse", "HEAD", cwd=at)
    assert quietly("git", "commit", *options, cwd=at).returncode != 0
    assert project.git("rev-parse", "HEAD", cwd=at) == before
    project.git("config", "core.editor", f"'{editor}'")
    project.git("commit", "-q", *options, cwd=at)
    assert trailers(project, at) == TRAILERS
    assert project.git("log", "-1", "--format=%s", cwd=at) == "words"
    project.git("commit", "-q", "--amend", *options, cwd=at)
    assert trailers(project, at) == TRAILERS


def test_the_session_is_the_one_that_asked_last_and_others_stay_on_record_K1(project_only: Bench) -> None:
    at = add(project_only)
    assert commit(project_only, at) == TRAILERS
    add(project_only, "ses-2")
    assert commit(project_only, at) == ["Task: fe-7k2", "Foureyes-Session: ses-2"]
    add(project_only, "ses-3")
    assert commit(project_only, at, "--amend", "--no-edit") == [
        "Task: fe-7k2",
        "Foureyes-Session: ses-2",
        "Foureyes-Session: ses-3",
    ]


def test_other_worktrees_get_no_trailers_K1(project_only: Bench, tmp_path: Path) -> None:
    add(project_only)
    project_only.commit("on main")
    assert trailers(project_only, project_only.path) == []
    project_only.git("worktree", "add", "-q", str(tmp_path / "other"))
    assert commit(project_only, tmp_path / "other") == []


@pytest.mark.parametrize("session", ["", " ", "a\nTask: evil", "a\0b"])
def test_a_session_is_one_line(project_only: Bench, session: str) -> None:
    with pytest.raises(GitProblem, match="one line"):
        add(project_only, session)


def test_a_session_with_shell_in_it_is_only_text(project_only: Bench) -> None:
    at = add(project_only, '"; touch /tmp/x; $(touch y) `z`')
    assert commit(project_only, at)[1] == 'Foureyes-Session: "; touch /tmp/x; $(touch y) `z`'


# The user's own hooks


def test_the_users_own_hooks_still_run_and_still_refuse_K1(project: Bench) -> None:
    hooks = project.path / ".git/hooks"
    hook(hooks, "prepare-commit-msg", 'echo "$0 $2" >> ../../../prepared; cat "$1" >> ../../../prepared')
    at = add(project)
    assert commit(project, at) == TRAILERS
    prepared = (project.path / "prepared").read_text()
    assert ".git/hooks/prepare-commit-msg message" in prepared
    assert "Task: fe-7k2" in prepared
    hook(hooks, "pre-commit", "echo no >&2; exit 1")
    (at / "more.py").write_text("x\n")
    project.git("add", "-A", cwd=at)
    assert b"no" in quietly("git", "commit", "-m", "x", cwd=at).stderr
    assert quietly("git", "commit", "-q", "--no-verify", "-m", "x", cwd=at).returncode == 0
    hook(hooks, "pre-commit", "exit 0")
    hook(hooks, "commit-msg", 'grep -q allowed "$1"')
    assert quietly("git", "commit", "--allow-empty", "-m", "x", cwd=at).returncode != 0
    assert quietly("git", "commit", "--allow-empty", "-m", "allowed", cwd=at).returncode == 0


@pytest.mark.parametrize("scope", ["--local", "--global"])
def test_hooks_elsewhere_still_run_also_when_installed_later_K1(project: Bench, scope: str) -> None:
    """A relative path counts from the top of each worktree: that is how husky does it."""
    at = add(project)
    hook(at / ".husky/_", "pre-commit", 'echo "$0" > ran')
    project.git("config", scope, "core.hooksPath", ".husky/_")
    assert commit(project, at) == TRAILERS
    assert (at / "ran").read_text() == ".husky/_/pre-commit\n"


def test_a_hook_with_input_gets_it_and_the_frequent_ones_are_there_if_the_user_has_them_K1(project_only: Bench) -> None:
    project = project_only
    folder = project.path / f".git/worktrees/{TASK}/foureyes-hooks"
    add(project)
    assert not (folder / "reference-transaction").exists()
    hook(project.path / ".git/hooks", "reference-transaction", f"cat >> '{project.path}/seen'")
    at = add(project)
    commit(project, at)
    assert f"refs/heads/fe/{TASK}" in (project.path / "seen").read_text()


def test_a_file_that_is_no_program_is_no_hook_K1(project_only: Bench) -> None:
    (project_only.path / ".git/hooks").mkdir(exist_ok=True)
    (project_only.path / ".git/hooks/pre-commit").write_text("exit 1\n")
    assert commit(project_only, add(project_only)) == TRAILERS


# Sandboxes of agents keep git's own files from changing


def test_a_worktree_that_is_asked_for_again_writes_no_configuration_K1(project_only: Bench) -> None:
    at = add(project_only)
    config = Path(project_only.git("rev-parse", "--path-format=absolute", "--git-path", "config.worktree", cwd=at))
    before = config.stat().st_ino
    assert add(project_only) == at
    assert config.stat().st_ino == before


def test_the_main_checkouts_own_configuration_is_there_from_the_first_worktree_on(project_only: Bench) -> None:
    """A sandbox puts a device where the file is missing, and git then refuses to read any configuration."""
    add(project_only)
    assert (project_only.path / ".git/config.worktree").read_bytes() == b""
