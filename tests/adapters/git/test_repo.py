"""`GitRepo`: refs, changes, what is not committed, and commits."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from foureyes.app.git_ports import Repo
from foureyes.core.nouns.attempt import ChangedFile
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import DETACHED
from foureyes.errors import GitProblem
from foureyes.ui.steps import steps_text

from tests.adapters.git.conftest import Project
from tests.stage.checkout import CODE

WORK = "refs/heads/work"
MAIN = "refs/heads/main"


def test_it_is_the_repo_of_the_application(project: Project) -> None:
    repo: Repo = project.port()
    assert repo.current_ref() == MAIN


# Versions


def fake_git(folder: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\necho 'git version {version}'\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


@pytest.mark.parametrize("version", ["2.37.9", "1.9", "2.3.1 (Apple Git-55)"])
def test_an_old_git_is_refused_naming_both_versions(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    repo = project.port()
    fake_git(tmp_path / "bin", monkeypatch, version)
    with pytest.raises(GitProblem) as refused:
        repo.is_clean()
    assert version.split()[0] in refused.value.message
    assert "2.38" in refused.value.message
    assert steps_text(refused.value.next_step) == "install git 2.38 or newer"


@pytest.mark.parametrize("version", ["2.38.0", "2.39.5 (Apple Git-154)", "2.54.0.windows.1", "3.0.rc1"])
def test_a_new_git_is_fine(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    fake_git(tmp_path / "bin", monkeypatch, version)
    project_repo = project.port()
    project_repo.check_version()


def test_a_missing_git_is_said_with_what_to_do(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = project.port()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitProblem, match="git was not found") as refused:
        repo.is_clean()
    assert steps_text(refused.value.next_step) == "install git 2.38 or newer"


# Refs


def test_commits_are_found_by_branch_full_name_and_sha(project: Project) -> None:
    head = project.head()
    project.git("tag", "-a", "-m", "x", "v1")
    repo = project.port()
    assert {repo.commit_of(name) for name in ("main", MAIN, "HEAD", head, head[:8], "refs/tags/v1", DETACHED)} == {head}


@pytest.mark.parametrize(
    "name", ["nothing", "0" * 40, "", "-x", "--help", "main~0", ":/first", "main@{0}", "a b", "a\nmain", "..", "\x00"]
)
def test_what_is_not_a_ref_means_nothing(project: Project, name: str) -> None:
    assert project.port().commit_of(name) is None
    assert project.port().branch_ref(name) is None


def test_a_tree_is_no_commit(project: Project) -> None:
    assert project.port().commit_of(project.git("rev-parse", "HEAD^{tree}")) is None


def test_replace_refs_do_not_change_what_a_branch_means_A2(project: Project) -> None:
    head = project.commit("second", a_py="x\n")
    project.git("replace", head, "HEAD~1")
    assert project.port().commit_of("main") == head


def test_all_heads_come_in_one_answer(project: Project) -> None:
    head = project.head()
    project.git("branch", "fe/one")
    project.git("tag", "main", "HEAD")
    assert project.port().heads() == {MAIN: head, "refs/heads/fe/one": head}


def test_the_current_ref_is_the_callers_worktrees(project: Project, tmp_path: Path) -> None:
    project.git("worktree", "add", "-q", "-b", "work", str(tmp_path / "linked"))
    project.git("worktree", "add", "-q", "--detach", str(tmp_path / "loose"))
    assert project.port().current_ref() == MAIN
    assert project.port(tmp_path / "linked").current_ref() == WORK
    assert project.port(tmp_path / "loose").current_ref() == DETACHED


def test_a_head_that_is_a_symbolic_link_is_understood(project: Project) -> None:
    (project.path / ".git/HEAD").unlink()
    (project.path / ".git/HEAD").symlink_to("refs/heads/main")
    assert project.port().current_ref() == MAIN


def test_a_branch_is_known_by_short_and_full_name(project: Project) -> None:
    repo = project.port()
    assert (repo.branch_ref("main"), repo.branch_ref(MAIN), repo.branch_ref("other")) == (MAIN, MAIN, None)


def test_before_the_first_commit_there_is_a_target_and_no_head(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.git("init", "-q", "-b", "trunk")
    repo = project.port()
    assert (repo.default_target(), repo.commit_of("HEAD"), repo.commit_count(), repo.heads()) == ("trunk", None, 0, {})
    with pytest.raises(GitProblem, match="has no commit"):
        repo.change(target="trunk", ref="refs/heads/trunk", since=None)


def test_the_default_target_is_the_main_worktrees_branch(project: Project, tmp_path: Path) -> None:
    project.git("worktree", "add", "-q", "-b", "work", str(tmp_path / "linked"))
    assert project.port(tmp_path / "linked").default_target() == "main"
    project.git("checkout", "-q", "--detach")
    assert project.port().default_target() is None


def test_commits_are_counted(project: Project) -> None:
    project.commit("second")
    assert project.port().commit_count() == 2


# The change


def test_a_change_is_what_is_on_the_branch_and_not_on_the_target_K4(project: Project) -> None:
    base = project.head()
    project.branch("work")
    first = project.commit("one", a_py="x\n")
    second = project.commit("two", code_py=CODE.replace("line 5\n", "line five\n"))
    project.switch("main")
    project.commit("elsewhere", other_py="x\n")
    change = project.change()
    assert (change.base, change.head, change.ref, change.landed) == (base, second, WORK, False)
    assert change.tree == project.head("work^{tree}")
    assert change.files == (ChangedFile("a.py", 1, 0), ChangedFile("code.py", 1, 1))
    assert [(commit.sha, commit.subject, commit.author) for commit in change.commits] == [
        (first, "one", "Ada"),
        (second, "two", "Ada"),
    ]


def test_renames_and_binaries_are_counted_right_A1(project: Project) -> None:
    project.write("picture", b"\0" * 10)
    project.commit("picture")
    project.branch("work")
    project.git("mv", "code.py", "odd => {name}\t.py")
    project.write("odd => {name}\t.py", CODE + "more\n")
    project.write("picture", b"\0" * 11)
    project.commit("renamed")
    assert project.change().files == (
        ChangedFile("odd => {name}\t.py", 1, 0, "code.py"),
        ChangedFile("picture", None, None),
    )


def test_merging_the_target_in_moves_the_base_K4(project: Project) -> None:
    project.branch("work")
    project.commit("one", a_py="x\n")
    project.switch("main")
    target = project.commit("elsewhere", other_py="x\n")
    project.switch("work")
    project.git("merge", "-q", "--no-edit", "main")
    change = project.change()
    assert change.base == target
    assert [file.path for file in change.files] == ["a.py"]


def test_work_on_the_target_itself_is_what_landed_since_start_K4(project: Project) -> None:
    since = project.head()
    head = project.commit("straight", a_py="x\n")
    change = project.change(MAIN, since)
    assert (change.base, change.head, change.landed, change.is_empty) == (since, head, True, False)


def test_nothing_since_start_is_simply_empty_K4(project: Project) -> None:
    change = project.change(MAIN, project.head())
    assert (change.landed, change.is_empty, change.commits) == (False, True, ())
    assert change.tree == project.head("main^{tree}")
    assert project.change(MAIN, None).is_empty


def test_a_start_that_history_no_longer_has_hides_nothing_K4(project: Project) -> None:
    """The target was rewritten after start: what landed begins where both histories part."""
    first = project.head()
    since = project.commit("rewritten away", a_py="x\n")
    project.git("reset", "-q", "--hard", first)
    project.commit("landed", b_py="x\n")
    change = project.change(MAIN, since)
    assert (change.base, change.landed, [file.path for file in change.files]) == (first, True, ["b.py"])


def test_a_branch_with_work_of_its_own_is_not_landed_whatever_start_was_K4(project: Project) -> None:
    since = project.head()
    project.branch("work")
    project.commit("one", a_py="x\n")
    assert project.change(WORK, since).landed is False


def test_a_detached_head_has_a_change_too_K4(project: Project) -> None:
    project.git("checkout", "-q", "--detach")
    head = project.commit("loose", a_py="x\n")
    change = project.change(DETACHED)
    assert (change.head, change.ref) == (head, DETACHED)


def test_the_target_may_exist_only_at_the_origin(project: Project, tmp_path: Path) -> None:
    project.git("clone", "-q", str(project.path), str(tmp_path / "clone"))
    clone = Project(tmp_path / "clone")
    clone.branch("work")
    clone.git("branch", "-q", "-D", "main")
    clone.commit("one", a_py="x\n")
    assert clone.change().base == project.head()


def test_a_missing_target_and_a_missing_branch_are_clear_sentences(project: Project) -> None:
    with pytest.raises(GitProblem, match="the target branch trunk does not exist"):
        project.port().change(target="trunk", ref=MAIN, since=None)
    with pytest.raises(GitProblem, match="refs/heads/gone has no commit"):
        project.port().change(target="main", ref="refs/heads/gone", since=None)


def test_unrelated_histories_are_a_clear_sentence(project: Project) -> None:
    project.git("checkout", "-q", "--orphan", "work")
    project.commit("unrelated", code_py="other\n")
    with pytest.raises(GitProblem, match="no common history"):
        project.change()


def test_trailers_are_what_git_takes_for_trailers(project: Project) -> None:
    project.branch("work")
    project.commit(
        "subject\n\nFoureyes-Session: ses-body\nis prose, no trailer\n\n"
        "Task: fe-1\nTask: fe-2\nfoureyes-session: ses-one\nFoureyes-Session: ses-\n  folded"
    )
    project.commit("no trailers [fe-3]", a_py="x\n")
    first, second = project.change().commits
    assert (first.sessions, first.tasks) == (("ses-one", "ses- folded"), ("fe-1", "fe-2"))
    assert (second.sessions, second.tasks, second.subject) == ((), (), "no trailers [fe-3]")


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "UTF-8", "no-such-encoding", "UTF-7"])
def test_messages_in_any_encoding_do_not_break_anything(project: Project, encoding: str) -> None:
    project.branch("work")
    tree, parent = project.head("HEAD^{tree}"), project.head()
    who = "Jos\xe9 <j@example.org> 1 +0000"
    header = f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\nencoding {encoding}\n\n"
    raw = (header + "caf\xe9 +AAA- \x1f\x01\n\nTask: fe-1\n").encode("latin-1")
    commit = project.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=raw)
    project.git("update-ref", WORK, commit)
    (found,) = project.change().commits
    assert found.sha == commit
    assert found.subject.startswith("caf")
    found.subject.encode()


def test_a_forged_configuration_does_not_change_the_commit_list(project: Project) -> None:
    project.branch("work")
    project.commit("one\n\nTask: fe-1")
    before = project.change().commits
    for key, value in {
        "log.showSignature": "true",
        "trailer.separators": "#",
        "i18n.logOutputEncoding": "UTF-16",
    }.items():
        project.git("config", key, value)
    assert project.change().commits == before


def test_few_programs_are_started_for_a_change(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Version, diff, log: an agent waits for each. What is new is read and let in without a program."""
    project.branch("work")
    project.commit("one", a_py="x\n")
    real = subprocess.run(["sh", "-c", "command -v git"], capture_output=True, text=True, check=True).stdout.strip()
    fake_git(tmp_path / "bin", monkeypatch, "")
    (tmp_path / "bin/git").write_text(f'#!/bin/sh\necho x >> "{tmp_path}/calls"\nexec {real} "$@"\n')
    project.change()
    assert len((tmp_path / "calls").read_text().split()) == 3


# History


def test_ancestors_are_known_and_unknown_commits_are_none(project: Project) -> None:
    first = project.head()
    second = project.commit("second")
    repo = project.port()
    assert repo.is_ancestor(first, second)
    assert repo.is_ancestor(second, second)
    assert not repo.is_ancestor(second, first)
    assert not repo.is_ancestor(Sha("0" * 40), second)
    assert not repo.is_ancestor(Sha("--all"), second)


def test_a_graft_does_not_make_an_ancestor_A2(project: Project) -> None:
    main = project.head()
    project.git("checkout", "-q", "--orphan", "work")
    other = project.commit("unrelated")
    (project.path / ".git/info").mkdir(exist_ok=True)
    (project.path / ".git/info/grafts").write_text(f"{main} {other}\n")
    assert not project.port().is_ancestor(other, main)


def test_the_merge_that_brought_a_commit_in_is_found(project: Project) -> None:
    project.branch("work")
    first = project.commit("first", a_py="x\n")
    second = project.commit("second", b_py="x\n")
    project.switch("main")
    straight = project.commit("straight", c_py="x\n")
    project.git("merge", "-q", "--no-ff", "-m", "merge", "work")
    merge = project.head()
    project.commit("later", d_py="x\n")
    project.branch("other")
    loose = project.commit("not merged", e_py="x\n")
    repo = project.port()
    assert [repo.merged_by(commit, "main") for commit in (first, second, straight)] == [merge, merge, straight]
    assert repo.merged_by(project.head("main"), "main") == project.head("main")
    assert repo.merged_by(loose, "main") is None
    assert repo.merged_by(Sha("0" * 40), "main") is None


# Reading


def test_the_text_follows_renames_and_any_bytes_are_shown(project: Project) -> None:
    base = project.head()
    project.git("mv", "code.py", "moved.py")
    project.write("latin", b"caf\xe9\n")
    head = project.commit("moved")
    text = project.port().diff_text(base, head)
    assert "rename from code.py\nrename to moved.py\n" in text
    assert "+caf\\xe9\n" in text
    with pytest.raises(GitProblem, match="not in this repository"):
        project.port().diff_text(base, Sha("0" * 40))


def test_a_file_is_read_from_a_branch_and_not_from_disk(project: Project) -> None:
    project.write("code.py", "on disk\n")
    project.write(".gitattributes", "*.py text eol=crlf\n")
    repo = project.port()
    assert repo.file_at("main", "code.py") == repo.file_at(project.head(), "code.py") == CODE
    assert [repo.file_at(*asked) for asked in (("main", "no"), ("no", "code.py"), ("main", ""), ("main", "a\nb"))] == [
        None
    ] * 4


# What is not committed


def test_everything_that_is_not_committed_is_listed_A1(project: Project) -> None:
    project.write(".gitignore", "*.log\n")
    project.write("gone.py", "x\n")
    project.commit("more")
    project.write("code.py", "changed\n")
    (project.path / "gone.py").unlink()
    project.write("new/file.py", "x\n")
    project.write("staged\n.py", "x\n")
    project.write("x.log", "ignored\n")
    project.git("add", "staged\n.py")
    assert project.port().uncommitted(MAIN) == ["code.py", "gone.py", "new/file.py", "staged\n.py"]
    assert not project.port().is_clean()


def test_what_is_gone_behind_a_folder_that_is_a_link_to_devices_now_is_no_mask_A1(project: Project) -> None:
    project.write("deep/dir/null", "x\n")
    project.commit("a file that is called like a device")
    (project.path / "deep/dir/null").unlink()
    (project.path / "deep/dir").rmdir()
    (project.path / "deep/dir").symlink_to("/dev")
    assert "deep/dir/null" in project.port().uncommitted(MAIN)


def test_the_store_is_not_a_change_but_a_tracked_prompt_is_A1(project: Project) -> None:
    project.write(".foureyes/prompts/review.md", "x\n")
    project.commit("prompt")
    project.write(".foureyes/store.db", "x\n")
    assert project.port().is_clean()
    project.write(".foureyes/prompts/review.md", "y\n")
    assert project.port().uncommitted(MAIN) == [".foureyes/prompts/review.md"]


def test_configuration_does_not_hide_files_A1(project: Project) -> None:
    settings = {
        "status.showUntrackedFiles": "no",
        "status.relativePaths": "true",
        "core.excludesFile": str(project.write(".git/hidden", "*\n")),
        "core.trustctime": "false",
        "core.checkStat": "minimal",
        "core.fsmonitor": "true",
        "diff.ignoreSubmodules": "all",
    }
    for key, value in settings.items():
        project.git("config", key, value)
    project.write("new.py", "x\n")
    assert project.port().uncommitted(MAIN) == ["new.py"]


@pytest.mark.parametrize("where", [".config/git/ignore", "own-ignore"])
def test_the_users_own_ignore_file_counts_as_git_add_minds_it_A1(project: Project, home: Path, where: str) -> None:
    (home / where).parent.mkdir(parents=True, exist_ok=True)
    (home / where).write_text(".DS_Store\n")
    if where == "own-ignore":
        project.git("config", "--global", "core.excludesFile", "~/own-ignore")
    project.write(".DS_Store", "x")
    assert project.port().is_clean()
    project.write("new.py", "x")
    project.workshop().commit_all("all", [])
    assert project.port().is_clean()
    assert project.git("ls-files", ".DS_Store") == ""


def test_a_branch_is_looked_at_where_it_is_checked_out_A1(project: Project, tmp_path: Path) -> None:
    linked = tmp_path / "linked\nhere"
    project.git("worktree", "add", "-q", "-b", "work", str(linked))
    project.git("branch", "nowhere")
    (linked / "new.py").write_text("x\n")
    project.write("here.py", "x\n")
    repo = project.port()
    assert (repo.uncommitted(WORK), repo.uncommitted("refs/heads/nowhere")) == (["new.py"], [])
    assert project.port(linked).uncommitted(MAIN) == ["here.py"]
    assert project.port(linked).uncommitted(DETACHED) == ["new.py"]


def test_objects_that_a_partial_clone_left_out_are_a_clear_sentence_G1(project: Project, tmp_path: Path) -> None:
    project.branch("work")
    project.commit("one", code_py=CODE + "more\n")
    project.git("config", "uploadpack.allowFilter", "true")
    url = f"file://{project.path}"
    project.git("clone", "-q", "--filter=blob:none", "--no-checkout", url, str(tmp_path / "clone"))
    with pytest.raises(GitProblem, match="is needed and is not in this repository") as refused:
        Project(tmp_path / "clone").change()
    assert "git fetch --refetch --no-filter" in steps_text(refused.value.next_step)


def test_hooks_of_the_repository_do_not_run_when_reading(project: Project, tmp_path: Path) -> None:
    for name in ("reference-transaction", "post-index-change", "fsmonitor"):
        hook = project.write(f".git/hooks/{name}", f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        hook.chmod(0o755)
    project.git("config", "core.fsmonitor", str(project.path / ".git/hooks/fsmonitor"))
    (tmp_path / "ran").unlink(missing_ok=True)
    project.port().uncommitted(MAIN)
    project.change(MAIN)
    assert not (tmp_path / "ran").exists()
