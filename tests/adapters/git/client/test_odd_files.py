"""What git would wait for, or read without end, is found before it is asked, or while it waits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters import process
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.odd_files import (
    borrowed,
    held_by,
    refuse_odd,
    refuse_odd_objects,
    refuse_odd_refs,
)
from foureyes.errors import GitProblem

from tests.stage.checkout import Checkout
from tests.stage.odd import in_place_of

READ_BY_ALL = ("HEAD", "config", "packed-refs", "index", "info/exclude", "objects/info/alternates", "shallow")


@pytest.mark.parametrize("kind", ["a named pipe", "a link to a device", "a huge file"])
def test_the_files_that_every_command_reads_are_looked_at_before_git_is_asked_G1(project: Checkout, kind: str) -> None:
    folder = project.path / ".git"
    (folder / "info").mkdir(exist_ok=True)
    for name in READ_BY_ALL:
        with in_place_of(folder / name, kind), pytest.raises(GitProblem, match=f"{folder / name} is ") as problem:
            refuse_odd(str(folder), str(folder))
        assert problem.value.next_step
    refuse_odd(str(folder), str(folder))


def test_what_git_borrows_from_is_looked_at_too(project: Checkout, tmp_path: Path) -> None:
    folder, head = project.path / ".git", project.head()
    stores = [tmp_path / name / "objects" for name in ("near", 'f"a\\r')]
    for store in stores:
        (store / "info").mkdir(parents=True)
    far = str(stores[1]).replace("\\", "\\\\").replace('"', '\\"')
    (folder / "objects/info/alternates").write_text(f"# ours\n{os.path.relpath(stores[0], folder / 'objects')}\n")
    (stores[0] / "info/alternates").write_text(f'"{far}"\n{folder / "objects"}\n')
    assert borrowed(str(folder)) == [*map(str, stores), str(folder / "objects")]
    refuse_odd(str(folder), str(folder))
    with in_place_of(stores[1] / "info/alternates", "a named pipe"), pytest.raises(GitProblem, match="alternates is a"):
        Git(str(folder), str(folder)).room("rev-parse", "HEAD", ok=(0, 128))
    (stores[1] / head[:2]).mkdir()
    with in_place_of(stores[1] / head[:2] / head[2:], "a named pipe"):
        with pytest.raises(GitProblem, match=f"{head[2:]} is a named pipe"):
            refuse_odd_objects(str(folder), [head])
        assert head[2:] in held_by(str(folder))


@pytest.mark.parametrize("kind", ["a named pipe", "a link to a device", "a huge file"])
def test_a_ref_is_a_small_file(project: Checkout, kind: str) -> None:
    folder = project.path / ".git"
    refuse_odd_refs(str(folder), "refs")
    with in_place_of(folder / "refs/heads/odd", kind):
        git = Git(str(folder), str(folder))
        for ask in (lambda: refuse_odd_refs(str(folder), "refs"), lambda: git.real("for-each-ref")):
            with pytest.raises(GitProblem, match="refs/heads/odd is "):
                ask()
    with in_place_of(folder / "refs/heads/odd", "a link to nothing"):
        refuse_odd_refs(str(folder), "refs")  # an ordinary broken ref: git says so


def test_a_kept_attempt_is_looked_at_when_git_is_asked_for_it(project: Checkout) -> None:
    folder = project.path / ".git"
    (folder / "refs/foureyes/attempts/fe-1").mkdir(parents=True)
    with in_place_of(folder / "refs/foureyes/attempts/fe-1/1", "a named pipe"):
        git = Git(str(folder), str(folder))
        git.real("for-each-ref", "refs/heads")
        for asked in ("refs/foureyes/", "refs/foureyes/attempts/fe-1/1"):
            with pytest.raises(GitProblem, match="attempts/fe-1/1 is a named pipe"):
                git.real("for-each-ref", asked)


def test_ordinary_links_stay_ordinary(project: Checkout) -> None:
    folder = project.path / ".git"
    (folder / "config").rename(project.path / "shared-config")
    (folder / "config").symlink_to(project.path / "shared-config")
    (folder / "HEAD").unlink()
    (folder / "HEAD").symlink_to("refs/heads/main")
    refuse_odd(str(folder), str(folder))


def test_a_git_that_waits_is_ended_and_the_file_named_G1(project: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "PATIENT", 0.1)
    folder = project.path / ".git"
    head = project.head()
    loose = folder / "objects" / head[:2] / head[2:]
    git = Git(str(folder), str(folder))
    assert held_by(str(folder), str(project.path)) == ""
    with in_place_of(loose, "a named pipe"), pytest.raises(GitProblem, match=f"{loose} is a named pipe.*was ended"):
        git.real("log", "-1")
    with (
        in_place_of(project.path / ".gitignore", "a named pipe"),
        pytest.raises(GitProblem, match=r"\.gitignore is a"),
    ):
        git.real("status", work_tree=str(project.path))


def test_what_git_does_not_open_holds_nobody(project: Checkout) -> None:
    folder = project.path / ".git"
    (folder / "hooks").mkdir(exist_ok=True)
    os.mkfifo(folder / "hooks" / "pre-commit")
    os.mkfifo(project.path / "pipe")
    with in_place_of(folder / "fsmonitor--daemon.ipc", "a socket"):
        assert held_by(str(folder), str(project.path)) == ""
