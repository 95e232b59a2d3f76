"""The configuration of a repository is read as git reads it, byte for byte, or not at all."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foureyes.adapters.git.client.config_file import is_true, read_settings
from foureyes.errors import GitProblem

from tests.stage.night import plays

PIECES = [
    b"[core]", b"[core]\n", b"[Core]\n", b'[core "x"]\n', b'[core "bare"]\n', b'[core "ba\0re"]',
    b'[a "q\\"\\\\\\z"]\n',
    b"[extensions]\n", b"[core.x]\n", b"[co re]\n", b"[core", b"]", b"\n", b"\r", b"\r\n", b"\0", b" ", b"\t",
    b"bare = true", b"bare=false\r", b"bare\n", b"bare", b"Bare = YES\n", b"objectformat = sha1\n", b"worktree =",
    b"objectFormat = sha256\r\n", b'"', b"\\", b"\\\n", b"\\n", b"\\t", b"\\b", b"\\x", b"#", b";", b"# c\n", b"=",
    b"a-b = c d\n", b'x = "a;b" c ; d\n', b"x = a\\\nb\n", b"9 = 1\n", b"\xef\xbb\xbf", b"\xef", b"\xff", b"\x0b", b"-",
]  # fmt: skip
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=10).map(b"".join)


def as_git_says(path: Path) -> dict[bytes, bytes] | None:
    """What git lists, the last value of each key; None where it refuses the file."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "LC_ALL": "C"}
    done = subprocess.run(
        ["git", "config", "--list", "-z", "--file", str(path)], capture_output=True, env=environment, check=False
    )
    if done.returncode:
        return None
    rows = [row.partition(b"\n") for row in done.stdout.split(b"\0")[:-1]]
    return {key: value if equals else b"true" for key, equals, value in rows}


def as_we_say(path: Path) -> dict[bytes, bytes] | None:
    try:
        found = read_settings(str(path))
    except GitProblem:
        return None
    return {os.fsencode(key): os.fsencode(value) for key, value in found.items()}


@pytest.mark.parametrize(
    "text",
    [
        b"[core]\n\tbare = false\r\tbare = true\n",
        b"[core]\rbare = true\n",
        b"[extensions]\n\tobjectformat = sha1\\n[merge \\\"x\\\"]driver = touch x\n",
        b'[core "bare\0x"]\n\tk = true\n',
        b'[core]\n\tbare = "tr\0ue"\n',
        b"\xef\xbb\xbf[core]\nbare = true",
        b"\xef\xbb[core]\n",
        b"bare = true\n[core]\n",
        b"[core]\nbare\n",
        b"[core]\nworktree = a\\\n  b ; c\n",
        b"[core]\nworktree = \"a\n",
        b"[core] bare = true [extensions] x = y\n",
        b"",
    ],
)  # fmt: skip
def test_odd_files_are_read_as_git_reads_them_Q2(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "config"
    path.write_bytes(text)
    assert as_we_say(path) == as_git_says(path)


@settings(
    max_examples=plays("random texts that git reads"), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=HOSTILE)
def test_any_file_is_read_as_git_reads_it_Q2(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "config"
    path.write_bytes(text)
    assert as_we_say(path) == as_git_says(path)


@pytest.mark.parametrize("word", ["true", "Yes", "on", "1", "2k", "-1", "", "false", "no", "0", "0k", "maybe", "tru"])
def test_true_is_what_git_takes_for_true(tmp_path: Path, word: str) -> None:
    done = subprocess.run(
        ["git", "-c", f"x.y={word}", "config", "--type=bool", "x.y"], cwd=tmp_path, capture_output=True, check=False
    )
    assert is_true(word) == (done.stdout == b"true\n")


def test_a_pipe_in_its_place_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config")
    with pytest.raises(GitProblem, match="named pipe"):
        read_settings(str(tmp_path / "config"))
    assert read_settings(str(tmp_path / "none")) == {}
