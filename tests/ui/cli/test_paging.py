"""What is longer than the screen goes through the reader's pager, and nothing else does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.ui.cli import output, paging

LONG = "line\n" * 100


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A terminal of 24 lines, and a pager that writes into a file what it is given."""
    monkeypatch.setattr(output, "on_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((80, 24)))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FOUREYES_PAGER", f"tee {tmp_path / 'paged'}")
    return tmp_path / "paged"


def test_a_long_text_goes_through_the_pager_and_a_short_one_does_not(screen: Path) -> None:
    paging.write("short\n", wanted=True)
    assert not screen.exists()
    paging.write(LONG, wanted=True)
    assert screen.read_text() == LONG


def test_lines_that_wrap_count_as_what_they_take(screen: Path) -> None:
    assert paging.is_longer("x" * 80 * 24)
    assert not paging.is_longer("x" * 80 * 22)


@pytest.mark.parametrize("change", [{"FOUREYES_PAGER": ""}, {"TERM": "dumb"}, {"FOUREYES_PAGER": "/no/such/pager"}])
def test_without_a_pager_the_text_is_written(
    screen: Path, change: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in change.items():
        monkeypatch.setenv(name, value)
    paging.write(LONG, wanted=True)
    assert (capsys.readouterr().out, screen.exists()) == (LONG, False)


def test_an_agent_and_who_says_no_pager_get_the_text(screen: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paging.write(LONG, wanted=False)
    assert (capsys.readouterr().out, screen.exists()) == (LONG, False)


@pytest.mark.parametrize(
    ("environ", "own", "program"),
    [
        ({}, "", ["less"]),
        ({"PAGER": "more"}, "", ["more"]),
        ({"PAGER": "more"}, 'pager = "less -S"', ["less", "-S"]),
        ({"PAGER": "more"}, 'pager = ""', []),
        ({"PAGER": "more", "FOUREYES_PAGER": "most"}, 'pager = "less -S"', ["most"]),
        ({"PAGER": "more", "FOUREYES_PAGER": ""}, 'pager = "less -S"', []),
        ({"PAGER": "more"}, "pager = 3", ["more"]),
    ],
)
def test_ones_own_file_goes_before_PAGER_and_after_FOUREYES_PAGER(
    screen: Path, tmp_path: Path, environ: dict[str, str], own: str, program: list[str]
) -> None:
    file = tmp_path / "foureyes" / "config.toml"
    file.parent.mkdir()
    file.write_text(own)
    assert paging.program_for({"TERM": "xterm", "XDG_CONFIG_HOME": str(tmp_path), **environ}) == program
