"""Whose code a file is (D5): asked of paths; `test_soundness.py` has the interpreters."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from foureyes.adapters.checks.code_origin import FOUND, Places, installed_from, watching


@pytest.fixture
def places(tmp_path: Path) -> Places:
    for name in ("own/work", "repo/src", "repo/wt/src"):
        (tmp_path / name).mkdir(parents=True)
    return Places(str(tmp_path / "own"), [str(tmp_path / "repo"), str(tmp_path / "repo" / "wt")])


@pytest.mark.parametrize(
    ("file", "checkout"),
    [
        ("repo/src/a.py", "repo"),
        ("repo/wt/src/a.py", "repo/wt"),
        ("link/a.py", "repo"),
        ("own/work/a.py", ""),
        ("repo/node_modules/gyp/a.py", ""),
        ("repo/.venv/lib/python3/site-packages/a.py", ""),
        ("repository/a.py", ""),
        ("foureyes-check-x/work/src/a.py", "foureyes-check-x"),
    ],
)
def test_D5_which_checkout_a_file_is_of(places: Places, tmp_path: Path, file: str, checkout: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "repo" / "src")
    assert places.checkout_of(str(tmp_path / file)) == (str(tmp_path / checkout) if checkout else "")


def test_D5_the_interpreters_own_files_are_nobodys(places: Places) -> None:
    assert places.checkout_of(Path(sys.prefix, "bin", "pytest").as_posix()) == ""
    assert places.checkout_of(json.__file__) == ""


def test_D5_a_submodule_is_the_projects_code_and_another_repository_is_not(places: Places, tmp_path: Path) -> None:
    for name in ("sub", "other"):
        (tmp_path / "repo" / name / "in").mkdir(parents=True)
    (tmp_path / "repo" / "sub" / ".git").write_text("gitdir: ../.git/modules/sub\n")
    (tmp_path / "repo" / "other" / ".git").mkdir()
    assert places.checkout_of(f"{tmp_path}/repo/sub/in/a.py") == str(tmp_path / "repo")
    assert places.checkout_of(f"{tmp_path}/repo/other/in/a.py") == ""


def test_D5_only_what_is_run_or_read_is_told_and_once(places: Places, tmp_path: Path) -> None:
    hook = watching(str(tmp_path), places)
    file, code = f"{tmp_path}/repo/src/a.py", compile("", f"{tmp_path}/repo/src/b.py", "exec")
    for event, args in [
        ("open", (file, "w", 0)), ("open", (file, None, 1)), ("open", (b"x", "r", 0)), ("open", (file + "c", "r", 0)),
        ("os.listdir", (file,)), ("import", ("a", None, None, None, None)), ("exec", (compile("", "<x>", "exec"),)),
    ]:  # fmt: skip
        hook(event, args)
    assert not (tmp_path / FOUND).exists()
    hook("exec", (code,))
    hook("open", (file, "r", 0))
    told = (tmp_path / FOUND).read_text().split("\0")
    assert told == [code.co_filename, str(tmp_path / "repo"), sys.prefix, "\n"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"url": 3, "x": "file://"}', '{"url": "https://x/file://y"}'])
def test_G1_a_note_of_an_installer_that_says_nothing(text: str) -> None:
    assert installed_from(text) == ("", False)


def test_where_a_distribution_was_installed_from() -> None:
    assert installed_from('{"url": "file:///a%20b/c", "dir_info": {"editable": true}}') == ("/a b/c", True)
