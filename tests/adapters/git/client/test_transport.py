"""The way to a remote: the caller's own, and nothing that the repository's configuration names but the address."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.adapters.git.client.transport import kind_of, last_words, plain
from foureyes.adapters.process import Finished
from foureyes.errors import BadInput, RemoteProblem

from tests.adapters.git.remotes import MAIN, another_clone, remote
from tests.stage.checkout import IDENTITY, Repository


@pytest.mark.usefixtures("bare")
def test_no_program_that_the_repository_names_is_run_Q2(project: Repository, tmp_path: Path) -> None:
    evil = f"touch {tmp_path}/evil; git-upload-pack"
    for key in ("remote.origin.uploadpack", "core.sshCommand", "credential.helper", "core.alternateRefsCommand"):
        project.git("config", key, evil)
    project.git("config", "url.ext::sh -c evil.insteadOf", str(tmp_path))
    hook = project.path / ".git" / "hooks" / "pre-push"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/evil\n")
    hook.chmod(0o755)
    assert remote(project).fetch([MAIN]) == {MAIN: project.head()}
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("address", ["ext::sh -c 'touch evil'", "foo::bar", "--upload-pack=evil", "-x"])
def test_an_address_that_names_a_program_is_refused_Q2(project: Repository, address: str) -> None:
    project.git("config", "remote.origin.url", address)
    with pytest.raises(RemoteProblem, match="names a program") as problem:
        remote(project).tips([MAIN])
    assert problem.value.kind == "missing"


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("count", ["abc", "-1", "1" * 5_000], ids=["a word", "negative", "too long"])
def test_a_count_of_settings_that_is_none_is_bad_input(
    project: Repository, monkeypatch: pytest.MonkeyPatch, count: str
) -> None:
    asked = remote(project)
    monkeypatch.setenv("GIT_CONFIG_COUNT", count)
    with pytest.raises(BadInput, match="GIT_CONFIG_COUNT is not a count"):
        asked.fetch([MAIN])


def test_a_helper_behind_a_rewritten_address_is_not_run(project: Repository) -> None:
    project.git("config", "--global", "url.ext::sh -c touch% evil .insteadOf", "there:")
    project.git("config", "remote.origin.url", "there:x")
    with pytest.raises(RemoteProblem, match="ext"):
        remote(project).tips([MAIN])


def test_a_remote_that_is_not_there_is_named_with_what_makes_it(project: Repository) -> None:
    with pytest.raises(RemoteProblem, match="no remote called upstream") as problem:
        remote(project, "upstream").tips([MAIN])
    assert str(problem.value.next_step) != ""


def test_what_the_user_configures_for_the_place_of_the_repository_holds(
    project: Repository, bare: Path, home: Path, tmp_path: Path
) -> None:
    """By `includeIf`, as people have one key for work and another for the rest."""
    project.git("config", "remote.origin.url", "work:shop")
    included = tmp_path / "work.inc"
    included.write_text(f'[url "{bare}"]\n\tinsteadOf = work:shop\n')
    (home / ".gitconfig").write_text(f'{IDENTITY}[includeIf "gitdir:{project.path}/"]\n\tpath = {included}\n')
    assert remote(project).tips([MAIN]) == {MAIN: project.head()}


def test_a_relative_address_lies_beside_the_checkout(project: Repository, bare: Path) -> None:
    project.git("config", "remote.origin.url", f"../{bare.name}")
    assert remote(project).tips([MAIN]) == {MAIN: project.head()}


@pytest.mark.usefixtures("bare")
def test_a_push_goes_where_git_would_push(project: Repository, tmp_path: Path) -> None:
    from foureyes.app.git_ports import Pushed, RefUpdate

    other = tmp_path / "other.git"
    project.git("clone", "-q", "--bare", ".", str(other))
    project.git("config", "remote.origin.pushurl", str(other))
    assert isinstance(remote(project).push([RefUpdate("refs/heads/new", project.head())]), Pushed)
    assert remote(project).tips(["refs/heads/new"]) == {}
    assert project.git("ls-remote", str(other), "refs/heads/new") != ""


def test_many_objects_come_as_one_pack(project: Repository, bare: Path, tmp_path: Path) -> None:
    other = Repository(tmp_path / "other")
    project.git("clone", "-q", str(bare), str(other.path))
    for number in range(120):
        other.write(f"many/{number}.txt", f"{number}\n")
    other.git("add", "-A")
    other.git("commit", "-q", "-m", "many")
    other.git("push", "-q", "origin", "HEAD:refs/heads/many")
    assert remote(project).fetch(["refs/heads/many"]) == {"refs/heads/many": other.head()}
    assert project.git("rev-list", "--count", "--objects", "--missing=error", other.head()) != ""
    assert [path.suffix for path in (project.path / ".git/objects/pack").iterdir() if path.suffix == ".pack"] == [
        ".pack"
    ]


def test_few_objects_come_as_one_pack_too_all_of_them_or_none(project: Repository, bare: Path, tmp_path: Path) -> None:
    other = another_clone(project, bare, tmp_path)
    folder = project.path / ".git/objects"
    before = {path.name for path in folder.iterdir()}
    assert remote(project).fetch(["refs/heads/work"]) == {"refs/heads/work": other.head()}
    assert {path.name for path in folder.iterdir()} == before
    assert project.git("rev-list", "--objects", "--missing=error", other.head()) != ""


@pytest.mark.parametrize("lost", ["HEAD^{tree}", "HEAD:deep", "HEAD:deep/work.txt"])
def test_what_is_half_here_is_fetched_once_more(project: Repository, bare: Path, tmp_path: Path, lost: str) -> None:
    """A fetch by hand that was cut off: the commit is here, and not all that it names."""
    other = another_clone(project, bare, tmp_path)
    project.git("fetch", "-q", "--no-write-fetch-head", str(bare), "refs/heads/work")
    name = other.git("rev-parse", lost)
    (project.path / ".git/objects" / name[:2] / name[2:]).unlink()
    remote(project).fetch(["refs/heads/work"])
    assert project.git("cat-file", "-t", name) in ("blob", "tree")


def test_the_words_of_others_are_shown_without_passwords_and_control_characters() -> None:
    assert plain("fatal: 'https://ada:secret@host/x' \x1b[31mred") == "fatal: 'https://…@host/x' ␛[31mred"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("git@host: Permission denied (publickey).", "auth"),
        ("Host key verification failed.", "unknown"),
        ("WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!; Host key verification failed.", "changed"),
        ("fatal: unable to access 'https://x/': Could not resolve host: x", "unreachable"),
        ("fatal: 'x' does not appear to be a git repository", "missing"),
        ("something else", "failed"),
    ],
)
def test_the_kind_of_trouble_is_told_for_a_person(said: str, kind: str) -> None:
    assert kind_of(said) == kind


@pytest.mark.parametrize(
    ("err", "words"),
    [
        (
            b"fatal: unable to connect to 127.0.0.1:\n127.0.0.1[0: 127.0.0.1]: errno=Connection refused\n",
            "fatal: unable to connect to 127.0.0.1: 127.0.0.1[0: 127.0.0.1]: errno=Connection refused",
        ),
        (b"fatal: unable to connect to h:\n", "fatal: unable to connect to h"),
        (b"remote:\nremote: no\nfatal: the end\n", "remote:; remote: no; fatal: the end"),
    ],
)
def test_a_reason_that_git_gives_in_two_lines_is_one(err: bytes, words: str) -> None:
    assert last_words(Finished(rc=128, out=b"", err=err)) == words


def test_a_push_whose_answer_is_lost_is_looked_up_Q4(project: Repository, bare: Path) -> None:
    """The remote dies after it took the refs, and before it says so."""
    from foureyes.app.git_ports import Pushed, RefUpdate

    hook = bare / "hooks" / "post-receive"
    hook.write_text("#!/bin/sh\nkill -9 $PPID\n")
    hook.chmod(0o755)
    assert isinstance(remote(project).push([RefUpdate("refs/heads/new", project.head())]), Pushed)
    assert remote(project).tips(["refs/heads/new"]) == {"refs/heads/new": project.head()}
