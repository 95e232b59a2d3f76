"""What the name of a ref may be, git says: a name that it refuses is none here, and one that it takes is one."""

from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foureyes.adapters.git.client.ref_files import is_ref_name

from tests.stage.night import plays

PIECES = [
    "a", "main", "refs", "heads", "ü", "\udcff", "0", "-", ".", "..", "/", "//", ".lock", "lock", "@", "{", "@{", "}",
    " ", "~", "^", ":", "?", "*", "[", "]", "\\", "\x01", "\n", "\x7f", "\x80",
]  # fmt: skip
NAMES = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


def git_takes(name: str) -> bool:
    """Whether git says that a ref may be called so; a single word is one for it, as HEAD is."""
    asked: list[str | bytes] = ["git", "check-ref-format", "--allow-onelevel", os.fsencode(name)]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    "name",
    [
        "HEAD",
        "@",
        "",
        "/",
        ".",
        ".a/b",
        "refs/heads/main",
        "refs/heads/.hidden",
        "refs/heads/a/.b/c",
        "refs/heads/x.lock",
        "refs/heads/x.lock/y",
        "refs/heads/x.locked",
        "refs/heads/a./b",
        "refs/heads/a.",
        "refs/heads/",
        "refs/heads//a",
        "/refs/heads/a",
        "refs/heads/@",
        "refs/heads/a@{b",
        "refs/heads/a\n",
        "0" * 40,
    ],
)
def test_a_name_is_one_where_git_takes_it_Q2(name: str) -> None:
    assert is_ref_name(name) == git_takes(name)


@settings(max_examples=plays("random texts that git reads"))
@given(name=NAMES)
def test_any_name_is_one_where_git_takes_it_Q2(name: str) -> None:
    for full in (f"refs/heads/{name}", f"a{name}"):
        assert is_ref_name(full) == git_takes(full)


def test_what_no_argument_can_hold_is_no_name_Q2() -> None:
    assert not is_ref_name("refs/heads/a\0b")
