"""Commits that are written without git are those that git would have made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage.checkout import Checkout, make_template, quiet_home
from tests.stage.loose import NotLoose, Objects, Pieces, plain, stream

WHO = "Ada <ada@example.org> 1767225600 +0000"
CHANGES: list[Pieces] = [
    plain({"a.py": "one\n", "src/deep/b.py": "two\n", "src.py": "three\n", "src-x/c": ""}),
    {"a.py": None, "src/deep/b.py": None, "link": ("120000", b"src.py"), "run": ("100755", b"#!/bin/sh\n")},
    plain({"src": "a file where a folder was\n", "run": "no program any more\n", "ü/ß.txt": "letters\n"}),
    {"ü/ß.txt": None},
]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    quiet_home(tmp_path / "home", monkeypatch)
    return Checkout(make_template(tmp_path / "project"))


def test_a_commit_is_the_one_that_git_makes_of_the_same(checkout: Checkout) -> None:
    objects = Objects(checkout.path / ".git")
    for number, pieces in enumerate(CHANGES):
        made = objects.commit("work", objects.tip("work") or objects.tip("main"), pieces, f"change {number}\n", WHO)
        start = "refs/heads/git" if number else "main"
        words = stream("git", start, pieces, f"change {number}\n", WHO)
        assert checkout.git("fast-import", "--quiet", stdin=words) == made
    assert checkout.git("rev-parse", "work") == checkout.git("rev-parse", "git") == checkout.head("work")
    checkout.git("fsck", "--strict", "--no-dangling")
    assert checkout.git("status", "--porcelain") == ""


def test_where_git_has_packed_what_is_there_it_is_asked(checkout: Checkout) -> None:
    first = checkout.bring("work", plain({"a.py": "one\n"}), "first")
    checkout.git("gc", "-q")
    with pytest.raises(NotLoose):
        Objects(checkout.path / ".git").tip("work")
    second = checkout.bring("work", plain({"a.py": "two\n"}), "second")
    assert checkout.git("rev-list", "work", "^main").split() == [second, first]
