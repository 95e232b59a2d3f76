"""The remote itself: whatever it answers is taken for what it is, and nothing in the repository holds the way there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters.git.client.transport import LONGEST
from foureyes.app.git_ports import Pushed, RefUpdate
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem, RemoteProblem

from tests.adapters.git.remotes import MAIN, WORK, another_clone, remote
from tests.stage.checkout import Repository

FENCE = "refs/foureyes/fence"


def test_what_is_no_commit_in_the_place_of_a_ref_is_told_and_keeps_nothing_else_back_Q6(
    project: Repository, bare: Path
) -> None:
    blob = Sha(project.git("hash-object", "-w", "--stdin", stdin=b"anything"))
    project.git("push", "-q", str(bare), f"{blob}:{FENCE}")
    assert remote(project).fetch([MAIN, FENCE]) == {MAIN: project.head(), FENCE: blob}
    assert isinstance(remote(project).push([RefUpdate(FENCE, project.head(), old=blob)]), Pushed)
    assert remote(project).tips([FENCE]) == {FENCE: project.head()}


def test_where_git_really_goes_is_the_address_and_who_logs_in_is_not_Q6(project: Repository, tmp_path: Path) -> None:
    def digest(address: str) -> str:
        project.git("config", "remote.origin.url", address)
        return remote(project).address().digest

    plain = digest("https://forge.example/shop.git")
    assert digest("https://bob:token@forge.example/shop.git") == plain
    assert digest("https://token@forge.example/shop.git") == plain
    assert digest("ssh://git:a@forge.example/shop.git") == digest("ssh://git@forge.example/shop.git")
    assert digest("ssh://eve@forge.example/shop.git") != digest("ssh://git@forge.example/shop.git")
    digest("https://forge.example/shop.git")
    project.git("config", f"url.{tmp_path}/.insteadOf", "https://forge.example/")  # not asked on the way there
    assert remote(project).address().digest == plain
    project.git("config", "--global", f"url.{tmp_path}/.insteadOf", "https://forge.example/")
    assert remote(project).address().digest != plain
    assert remote(project).address().shown == f"{tmp_path}/shop.git"
    project.git("config", "--global", "url.ssh://git@forge.example/.pushInsteadOf", "https://forge.example/")
    assert remote(project).address().shown == f"{tmp_path}/shop.git (pushed to ssh://git@forge.example/shop.git)"
    assert not remote(project).address().is_split


def fetched(project: Repository, bare: Path, tmp_path: Path) -> None:
    other = another_clone(project, bare, tmp_path)
    assert remote(project).fetch([WORK]) == {WORK: other.head()}


def test_a_ref_of_the_repository_that_is_broken_keeps_no_fetch_G1(
    project: Repository, bare: Path, tmp_path: Path
) -> None:
    (project.path / ".git/refs/heads/zz").write_text("1234567890" * 4 + "\n")
    fetched(project, bare, tmp_path)


def test_a_pipe_where_borrowed_refs_would_be_holds_no_fetch_G1(project: Repository, bare: Path, tmp_path: Path) -> None:
    project.git("clone", "-q", "--bare", ".", str(tmp_path / "lender.git"))
    (tmp_path / "lender.git/packed-refs").unlink()
    os.mkfifo(tmp_path / "lender.git/packed-refs")
    (project.path / ".git/objects/info/alternates").write_text(f"{tmp_path}/lender.git/objects\n")
    fetched(project, bare, tmp_path)


def test_a_pipe_that_the_configuration_includes_is_named_and_not_waited_for_G1(project: Repository, bare: Path) -> None:
    os.mkfifo(project.path / ".git/more")
    project.git("config", "include.path", "more")
    with pytest.raises(GitProblem, match="more"):
        remote(project).tips([MAIN])
    assert bare.is_dir()


def test_what_is_here_does_not_come_again(project: Repository, bare: Path, tmp_path: Path) -> None:
    """Of a long history only what is new: as many objects as the other clone made."""
    fetched(project, bare, tmp_path)
    (pack,) = (project.path / ".git/objects/pack").glob("*.idx")
    assert len(project.git("verify-pack", "-v", str(pack)).split(" commit ")) == 2


def test_the_words_of_a_remote_have_an_end_G1(project: Repository, bare: Path) -> None:
    hook = bare / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\nyes no | head -c 300000 >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(RemoteProblem, match="did not take the push") as problem:
        remote(project).push([RefUpdate("refs/heads/new", project.head())])
    assert len(problem.value.message) < LONGEST + 100


def test_an_odd_object_keeps_no_other_note_back_Q6_G1(project: Repository, bare: Path) -> None:
    """It lies in a pack, and what would be its own file is a pipe: who asks for it is refused, and nobody else."""
    first = project.head()
    project.git("commit", "-q", "--allow-empty", "-m", "second")
    second = project.head()
    project.git("repack", "-adq")
    file = project.path / ".git/objects" / second[:2] / second[2:]
    file.parent.mkdir(exist_ok=True)
    os.mkfifo(file)
    pushed = remote(project).push([RefUpdate(WORK, second, old=None), RefUpdate("refs/heads/other", first, old=None)])
    assert isinstance(pushed, Pushed)
    assert project.git("for-each-ref", "--format=%(refname)", "refs/foureyes/remote/").split("\n") == [
        "refs/foureyes/remote/origin/heads/other"
    ]
