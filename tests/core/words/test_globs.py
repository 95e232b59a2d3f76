"""Globs: `*` and `?` within a directory, `**` across them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.words.paths import matching

from tests.core.samples import quick

YES = [
    ("foureyes.toml", "foureyes.toml"),
    (".github/workflows/**", ".github/workflows/ci.yml"),
    (".github/workflows/**", ".github/workflows/a/b.yml"),
    ("**/secret.py", "secret.py"),
    ("**/secret.py", "a/b/secret.py"),
    ("src/*.py", "src/a.py"),
    ("src/?.py", "src/a.py"),
    ("src/**/test_*.py", "src/test_a.py"),
    ("src/**/test_*.py", "src/a/b/test_a.py"),
    ("**", "anything/at/all"),
    ("a+b(c).py", "a+b(c).py"),
    ("*", "a\nb"),
]
NO = [
    ("foureyes.toml", "docs/foureyes.toml"),
    ("foureyes.toml", "foureyes.toml.bak"),
    ("foureyes.toml", "foureyesxtoml"),
    (".github/workflows/**", ".github/workflows"),
    ("src/*.py", "src/a/b.py"),
    ("src/?.py", "src/ab.py"),
    ("src/?.py", "src//.py"),
    ("**/secret.py", "mysecret.py"),
    ("[ab].py", "a.py"),
    ("a+b", "aab"),
]


@pytest.mark.parametrize(("glob", "path"), YES)
def test_a_glob_means_these_paths_P10(glob: str, path: str) -> None:
    assert matching([path], [glob]) == [path]


@pytest.mark.parametrize(("glob", "path"), NO)
def test_a_glob_does_not_mean_those_P10(glob: str, path: str) -> None:
    assert matching([path], [glob]) == []


def test_paths_keep_their_order_and_come_once_P10() -> None:
    assert matching(["b", "a", "c"], ["a", "b", "*"]) == ["b", "a", "c"]
    assert matching(["a"], []) == []


@quick
@given(st.text(st.characters(exclude_characters="*?"), max_size=20))
def test_a_plain_path_means_exactly_itself_P10(path: str) -> None:
    assert matching([path, path + "x", "x" + path], [path]) == [path]
