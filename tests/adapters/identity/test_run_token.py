"""The token of a run: a file of this user's alone, in the directory that a variable names (I2)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters.identity.environment import run_token

VARIABLE = "FOUREYES_RUN_DIR"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    path = tmp_path / "run-1"
    path.mkdir(mode=0o700)
    (path / "token").write_text("fe-secret\n")
    (path / "token").chmod(0o600)
    return path


def test_the_token_is_read_from_the_directory_that_is_named_I2(directory: Path) -> None:
    assert run_token({VARIABLE: str(directory)}) == "fe-secret"
    assert run_token({VARIABLE: f"{directory}/"}) == "fe-secret"
    assert run_token({}) == ""


@pytest.mark.parametrize("odd", ["readable", "link", "pipe", "missing", "large", "relative", "linked directory"])
def test_what_is_not_a_file_of_this_users_alone_is_no_token_I2(
    directory: Path, odd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, named = directory / "token", str(directory)
    if odd == "readable":
        token.chmod(0o640)
    elif odd == "large":
        token.write_text("x" * 1000)
    elif odd == "relative":
        monkeypatch.chdir(directory.parent)
        named = directory.name
    elif odd == "linked directory":
        named = str(directory.parent / "link")
        os.symlink(directory, named)
    else:
        token.rename(directory / "elsewhere")
        if odd == "link":
            token.symlink_to("elsewhere")
        elif odd == "pipe":
            os.mkfifo(token, 0o600)
    assert run_token({VARIABLE: named}) == ""
