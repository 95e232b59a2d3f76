"""The repository names no machine it was made on: no checkout path, no home directory, no package index."""

from __future__ import annotations

import os
import pwd
import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.architecture.house import ROOT

HOME = Path(pwd.getpwuid(os.geteuid()).pw_dir)
COMMON = ("", "tmp", "var/tmp", "home", "root", "opt", "srv", "mnt", "usr/src", "usr/local/src")
PUBLIC_PLACES = frozenset("/" + name for name in COMMON)
"""Parents that every machine has: a text that names one of them does not give this machine away."""

INDEX_WORDS = ("index" + "-url", "find" + "-links", "pypi.org" + "/simple", "files.python" + "hosted.org")
"""Written in two pieces so that this file does not contain what it looks for."""

INDEX_ADDRESS = re.compile(r"https?://[^\s\"'<>)]*/" + "simple" + r"(?![\w-])")
INDEX_VARIABLES = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX")


def own_files() -> list[Path]:
    """Files that are tracked or would be: not the ignored ones."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    paths = (ROOT / name for name in listing.split("\0") if name)
    return sorted(path for path in paths if path.is_file() and not path.is_symlink())


def text_of(path: Path) -> str | None:
    """The text of a file, or None for a binary one."""
    content = path.read_bytes()
    return None if b"\0" in content[:8000] else content.decode("utf-8", errors="replace")


def path_pattern(path: Path) -> re.Pattern[str]:
    """The path as a whole: neither the tail of a longer one (`{place}/…`, `*/…`) nor the head of another name."""
    return re.compile(r"(?<![\w.~*})-])" + re.escape(str(path)) + r"(?![\w-]|\.\w)")


def machine_patterns() -> dict[str, re.Pattern[str]]:
    patterns = {"the checkout's path": path_pattern(ROOT)}
    if str(ROOT.parent) not in PUBLIC_PLACES:
        patterns["the path above the checkout"] = path_pattern(ROOT.parent)
    if str(HOME) not in {"/", "/nonexistent"}:
        patterns["a home directory"] = path_pattern(HOME)
    patterns["a package index"] = re.compile("|".join(map(re.escape, INDEX_WORDS)) + "|" + INDEX_ADDRESS.pattern)
    hosts = {urlsplit(word).hostname for name in INDEX_VARIABLES for word in os.environ.get(name, "").split()}
    if found := sorted(re.escape(host) for host in hosts if host and host not in {"localhost", "127.0.0.1"}):
        patterns["this machine's package index"] = re.compile("|".join(found))
    return patterns


def leaks(text: str, patterns: dict[str, re.Pattern[str]]) -> list[str]:
    """What a text gives away, with the line; never the matched text itself."""
    given = {what: pattern for what, pattern in patterns.items() if pattern.search(text)}
    return [
        f"{number}: {what}"
        for number, line in enumerate(text.splitlines() if given else [], 1)
        for what, pattern in given.items()
        if pattern.search(line)
    ]


def test_no_file_names_this_machine() -> None:
    patterns = machine_patterns()
    files = own_files()
    assert files, "git lists no files: this test looked at nothing"
    found = [
        f"{path.relative_to(ROOT)}:{leak}"
        for path in files
        if (text := text_of(path)) is not None
        for leak in leaks(text, patterns)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        f"cd {ROOT}",
        f"see {ROOT}/README.md",
        f'path = "{HOME}/x"',
        "pip install --" + INDEX_WORDS[0] + " x",
        "https://example.org/root/" + "simple" + "/",
    ],
)
def test_a_leak_is_found(text: str) -> None:
    assert leaks(text, machine_patterns())


def test_a_longer_name_is_no_leak() -> None:
    pattern = {"x": path_pattern(Path("/place"))}
    assert not leaks("a/places/** and /placebo and docs/place and /place.md", pattern)
    assert not leaks("runs/*/place/x and {folder}/place/y", pattern)
    assert leaks("at /place/checkout", pattern)
    assert leaks("at /place.", pattern)
