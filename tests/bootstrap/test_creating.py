"""Bootstrap: `fe init` all or nothing and once (P12), the store found from every worktree (K3), restore."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from foureyes.bootstrap import init as init_module
from foureyes.bootstrap.agent_setup import set_up
from foureyes.bootstrap.init import create_project, unsure_target
from foureyes.bootstrap.wiring import open_project
from foureyes.config.parser import read_file
from foureyes.core.nouns.session import Actor
from foureyes.errors import BadInput, EnvironmentProblem, GitProblem, NoProject, Refused, StoreProblem
from foureyes.ui.steps import steps_text

from tests.bootstrap.beginning import init
from tests.stage.checkout import Checkout
from tests.stage.people import ALICE, BOB, CI, CLAUDE, asserted


def listing(checkout: Checkout) -> list[str]:
    return sorted(os.listdir(checkout.path))


def test_init_by_a_person_makes_a_store_and_commits_exactly_the_configuration_P12(checkout: Checkout) -> None:
    checkout.write("untouched.py", "x")
    checkout.write("staged.py", "x")
    checkout.git("add", "staged.py")
    done = init(checkout)
    assert (done.new, done.target, done.prefix, done.committed) == (True, "main", "fe", checkout.head())
    assert checkout.git("show", "--name-only", "--format=", "HEAD") == "foureyes.toml"
    assert checkout.git("status", "--porcelain").splitlines() == ["A  staged.py", "?? untouched.py"]
    assert f'id = "{done.project}"' in checkout.git("show", "HEAD:foureyes.toml")
    app = open_project(str(checkout.path), {})
    assert app.projects.get().id == done.project
    said = {check.check: check.result for check in app.doctor.examine(ALICE)}
    assert {name for name, result in said.items() if result != "ok"} == {"checks"}, (
        "a project without checks has to be told"
    )
    app.close()


def test_init_proposes_the_git_remote_and_turns_it_on_for_nobody_Q6(checkout: Checkout) -> None:
    checkout.git("remote", "add", "origin", "../elsewhere.git")
    init(checkout)
    text = checkout.git("show", "HEAD:foureyes.toml")
    assert text.endswith('# [git]\n# remote = "origin"')
    assert "git.remote" not in read_file(text)
    taken_up = text.replace("# [git]", "[git]").replace("# remote", "remote")
    assert read_file(taken_up)["git.remote"] == "origin"


def test_a_second_init_changes_nothing(checkout: Checkout) -> None:
    first = init(checkout)
    head, store = checkout.head(), (checkout.path / ".foureyes" / "store.db").read_bytes()
    second = init(checkout, BOB, prefix="zz", target="other")
    assert (second.new, second.project, second.prefix, second.target, second.committed) == (
        False,
        first.project,
        "fe",
        "main",
        "",
    )
    assert any("the target stays main" in note for note in second.notes)
    assert (checkout.head(), (checkout.path / ".foureyes" / "store.db").read_bytes()) == (head, store)
    assert checkout.git("status", "--porcelain") == ""


@pytest.mark.parametrize("actor", [CLAUDE, CI])
def test_init_by_an_agent_or_a_service_commits_nothing_P12(checkout: Checkout, actor: Actor) -> None:
    head = checkout.head()
    done = init(checkout, actor)
    assert (done.new, done.committed, checkout.head()) == (True, "", head)
    assert any("only a person may commit it (P12)" in note for note in done.notes)
    app = open_project(str(checkout.path), {})
    assert any("defaults are in force" in steps_text(note) for note in app.status.show(actor).notes)
    app.close()


def test_a_typed_name_makes_no_project_I1(checkout: Checkout) -> None:
    with pytest.raises(Refused):
        init(checkout, asserted(ALICE))
    assert not (checkout.path / ".foureyes").exists()


def test_no_commit_leaves_the_file_for_the_person_P12(checkout: Checkout) -> None:
    head = checkout.head()
    done = init(checkout, commit=False)
    assert (done.committed, checkout.head()) == ("", head)
    assert checkout.git("status", "--porcelain") == "?? foureyes.toml"


def test_a_target_that_is_not_checked_out_is_not_committed_to_P12(checkout: Checkout) -> None:
    checkout.git("branch", "release")
    head = checkout.head("release")
    done = init(checkout, target="release")
    assert (done.target, done.committed, checkout.head("release"), checkout.head()) == ("release", "", head, head)


def test_a_configuration_that_is_there_is_not_overwritten(checkout: Checkout) -> None:
    checkout.write("foureyes.toml", "[minor]\nmax_lines = 3\n")
    init(checkout)
    assert (checkout.path / "foureyes.toml").read_text() == "[minor]\nmax_lines = 3\n"


def fail_at(monkeypatch: pytest.MonkeyPatch, where: object, name: str, problem: BaseException) -> None:
    def broken(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.setattr(where, name, broken)


STEPS: list[Callable[[pytest.MonkeyPatch], None]] = [
    lambda m: fail_at(m, init_module, "create_store", OSError(28, "No space left on device")),
    lambda m: fail_at(m, init_module, "create_store", StoreProblem("the disk is full")),
    lambda m: fail_at(m, init_module, "application", KeyboardInterrupt()),
    lambda m: fail_at(m, os, "rename", OSError(30, "Read-only file system")),
]


@pytest.mark.parametrize("break_it", STEPS, ids=["disk", "store", "interrupt", "rename"])
def test_an_init_that_fails_leaves_no_half_project_G4(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, break_it: Callable[[pytest.MonkeyPatch], None]
) -> None:
    before, head = listing(checkout), checkout.head()
    with monkeypatch.context() as patched:
        break_it(patched)
        with pytest.raises((EnvironmentProblem, KeyboardInterrupt)):
            init(checkout)
    assert (listing(checkout), checkout.head()) == (before, head)
    assert init(checkout).new


def test_a_commit_that_git_refuses_is_said_and_loses_nothing(checkout: Checkout) -> None:
    hook = checkout.path / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    head = checkout.head()
    done = init(checkout)
    assert (done.committed, checkout.head()) == ("", head)
    assert any("git would not commit" in note for note in done.notes)
    assert (checkout.path / "foureyes.toml").exists()
    assert steps_text(done.next) == (
        'git add foureyes.toml, then: git commit -m "a message that git accepts", then: fe config accept'
    )
    hook.unlink()
    assert init(checkout).committed, "without the hook it commits that itself"


def test_who_has_no_name_in_git_is_told_how_to_get_one(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as nameless:
        for word in ("AUTHOR", "COMMITTER"):
            nameless.setenv(f"GIT_{word}_NAME", "")
        done = init(checkout)
    assert (done.committed, done.notes[-1].rpartition(": ")[2]) == ("", "git does not know who you are")
    assert "git config --global user.name NAME" in steps_text(done.next)
    assert init(checkout).committed


@pytest.mark.parametrize(
    ("break_it", "said", "step"),
    [
        ("echo garbage > .git/HEAD", "git refuses the repository", "git -C"),
        ("git config core.repositoryformatversion 99", "git refuses the repository", "git -C"),
        ("chown 65534 . .git", "git refuses the repository", "safe.directory"),
        ("for f in $(find .git/objects -type f); do rm -f $f; echo x > $f; done", "cannot read the commit", "fsck"),
    ],
)
def test_where_git_itself_refuses_nothing_is_made_and_the_way_on_is_said(
    checkout: Checkout, break_it: str, said: str, step: str
) -> None:
    if break_it.startswith("chown") and os.geteuid():
        pytest.skip("only root gives files away")
    subprocess.run(["sh", "-c", break_it], cwd=checkout.path, check=True)
    before = listing(checkout)
    for call in (lambda: init(checkout), lambda: unsure_target(str(checkout.path))):
        with pytest.raises(GitProblem, match=said) as caught:
            call()
        assert step in steps_text(caught.value.next_step)
        assert steps_text(caught.value.next_step).endswith("fe init")
    assert listing(checkout) == before


@pytest.mark.parametrize("missing", ["HEAD", "objects", "refs"])
def test_a_git_directory_that_is_not_whole_is_called_so(tmp_path: Path, missing: str) -> None:
    folder = tmp_path / "half" / ".git"
    for name in {"HEAD", "objects", "refs"} - {missing}:
        (folder / name).mkdir(parents=True) if name != "HEAD" else None
    (folder / "HEAD").write_text("ref: refs/heads/main\n") if missing != "HEAD" else None
    with pytest.raises(EnvironmentProblem, match="does not accept it as a repository") as caught:
        create_project(str(tmp_path / "half"), {}, ALICE, prefix="fe", target=None, commit=True)
    assert f"git init {tmp_path / 'half'}" in steps_text(caught.value.next_step)


@pytest.mark.parametrize("prefix", ["", "FE", "1a", "a-b", "a" * 11, "ä"])
def test_a_wrong_prefix_is_bad_input_and_makes_nothing(checkout: Checkout, prefix: str) -> None:
    before = listing(checkout)
    with pytest.raises(BadInput):
        init(checkout, prefix=prefix)
    assert listing(checkout) == before


def test_without_a_repository_it_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    for call in (open_project, lambda cwd, env: create_project(cwd, env, ALICE, prefix="fe", target=None, commit=True)):
        with pytest.raises(EnvironmentProblem, match="not in a git repository") as caught:
            call(str(tmp_path / "plain"), {})
        assert "git init" in steps_text(caught.value.next_step)


def test_without_a_project_it_says_what_to_do(checkout: Checkout) -> None:
    with pytest.raises(NoProject) as caught:
        open_project(str(checkout.path), {})
    assert steps_text(caught.value.next_step) == "fe init"


def test_a_detached_head_needs_a_target_named(checkout: Checkout) -> None:
    checkout.git("switch", "-q", "--detach")
    with pytest.raises(GitProblem, match="no branch is checked out"):
        init(checkout)
    assert not (checkout.path / ".foureyes").exists()
    assert init(checkout, target="main").target == "main"


def test_the_store_is_found_from_a_linked_worktree_and_from_below_K3(checkout: Checkout, tmp_path: Path) -> None:
    done = init(checkout)
    checkout.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    (checkout.path / "deep" / "er").mkdir(parents=True)
    for place in (tmp_path / "side", checkout.path / "deep" / "er"):
        app = open_project(str(place), {})
        assert app.projects.get().id == done.project
        app.tasks.create(CLAUDE, f"from {place.name}")
        app.close()
    assert not (tmp_path / "side" / ".foureyes").exists()
    app = open_project(str(checkout.path), {})
    assert app.status.show(ALICE).counts["open"] == 2
    app.close()


def test_init_from_a_linked_worktree_makes_the_one_store_of_the_repository_K3(
    checkout: Checkout, tmp_path: Path
) -> None:
    checkout.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    done = create_project(str(tmp_path / "side"), {}, ALICE, prefix="fe", target="main", commit=True)
    assert done.new
    assert (checkout.path / ".foureyes" / "store.db").exists()
    assert not (tmp_path / "side" / ".foureyes").exists()
    assert not init(checkout).new


def test_another_clone_is_told_where_the_store_is_and_not_to_begin_another_project_P12(
    checkout: Checkout, tmp_path: Path
) -> None:
    done = init(checkout)
    checkout.git("clone", "-q", str(checkout.path), str(tmp_path / "clone"))
    with pytest.raises(NoProject, match=f"names project {done.project}, but its store is not in this clone") as caught:
        open_project(str(tmp_path / "clone"), {})
    told = steps_text(caught.value.next_step)
    assert (
        "of it; if it is on a server, join it: a person runs: fe store join postgresql://…; or share it: there" in told
    )
    assert "fe store join postgresql://…; or bring it here: there fe store backup FILE, here" in told
    with pytest.raises(NoProject, match="its store is not in this clone"):
        create_project(str(tmp_path / "clone"), {}, ALICE, prefix="fe", target=None, commit=True)
    assert not (tmp_path / "clone" / ".foureyes").exists()


def test_the_folder_is_never_part_of_a_commit(checkout: Checkout) -> None:
    init(checkout)
    checkout.git("add", "-A")
    assert checkout.git("status", "--porcelain") == ""


def test_init_on_a_feature_branch_asks_which_one_to_protect(checkout: Checkout) -> None:
    checkout.git("switch", "-q", "-c", "feature/x")
    with pytest.raises(BadInput, match="feature/x is checked out, but there is also main") as caught:
        init(checkout)
    assert steps_text(caught.value.next_step) == "fe init --target main · fe init --target feature/x"
    assert unsure_target(str(checkout.path)) == ("feature/x", "main")
    assert not (checkout.path / ".foureyes").exists()
    done = create_project(str(checkout.path), {}, ALICE, prefix="fe", target="feature/x", commit=True)
    assert (done.target, unsure_target(str(checkout.path))) == ("feature/x", ("", ""))


def test_a_program_is_set_up_in_the_callers_worktree(checkout: Checkout, tmp_path: Path) -> None:
    checkout.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = tmp_path / "side"
    done, _ = set_up(str(side), BOB, "claude", remove=False, dry_run=False)
    assert {change.result for change in done} == {"written"}
    assert all((side / change.file).exists() and not (checkout.path / change.file).exists() for change in done)
    again, _ = set_up(str(side), BOB, "claude", remove=False, dry_run=False)
    assert {change.result for change in again} == {"unchanged"}
    gone, _ = set_up(str(side), BOB, "claude", remove=True, dry_run=False)
    assert {change.result for change in gone} == {"removed"}
    assert checkout.git("-C", str(side), "status", "--porcelain") == ""


def test_merges_of_another_project_before_init_are_not_missed_J3(checkout: Checkout) -> None:
    """A repository that was begun as a copy of another one has the anchors of that one's journal."""
    checkout.git("commit", "-q", "--allow-empty", "-m", "copied\n\nJournal: 400:0f3c")
    init(checkout)
    app = open_project(str(checkout.path), {})
    assert app.audit.verify().findings == ()
    assert "older state" not in str(app.status.show(ALICE).notes)
    app.close()
