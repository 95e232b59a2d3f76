"""The log of a task: lines of two streams, bounded, without the token."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters.agents.live_run import CUT, LONGEST, RunLog


def opened(path: Path, **more: object) -> RunLog:
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    return RunLog(handle, "run-1", **more)  # type: ignore[arg-type]


def test_a_line_of_one_stream_is_not_cut_by_one_of_the_other(tmp_path: Path) -> None:
    log = opened(tmp_path / "log")
    log.hear("out", b"one ")
    log.hear("err", b"trouble\n")
    log.hear("out", b"line\nhalf")
    assert (tmp_path / "log").read_text() == "==== run-1\ntrouble\none line\n"
    log.close("over")
    assert (tmp_path / "log").read_text() == "==== run-1\ntrouble\none line\nhalf\n==== over\n"


def test_of_two_runs_that_write_at_once_each_piece_says_whose_it_is(tmp_path: Path) -> None:
    path = tmp_path / "log"
    one, two = (
        RunLog(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), f"{run} review 2026")
        for run in ("run-1 codex", "run-2 gemini")
    )
    two.hear("out", b"two\n")
    one.hear("out", b"one\n")
    one.hear("out", b"more\n")
    two.hear("out", b"two\n")
    two.close("run-2 ended")
    one.hear("out", b"one\n")
    one.close("run-1 ended")
    assert path.read_text().splitlines()[2:] == [
        "two", "==== run-1 codex continues", "one", "more", "==== run-2 gemini continues", "two", "==== run-2 ended",
        "==== run-1 codex continues", "one", "==== run-1 ended",
    ]  # fmt: skip


def test_so_much_of_a_run_and_no_more(tmp_path: Path) -> None:
    log = opened(tmp_path / "log", most=100)
    for _ in range(100):
        log.hear("out", b"0123456789\n")
    log.close("over")
    text = (tmp_path / "log").read_bytes()
    assert len(text) < 250
    assert text.count(CUT) == 1
    assert text.endswith(b"==== over\n")


def test_a_line_without_an_end_is_written_in_pieces(tmp_path: Path) -> None:
    log = opened(tmp_path / "log")
    for _ in range(20):
        log.hear("out", b"x" * 100_000)
    assert (tmp_path / "log").stat().st_size > 1_000_000


def test_the_token_is_not_in_it_even_where_it_comes_in_two_pieces(tmp_path: Path) -> None:
    log = opened(tmp_path / "log", secret="s3cret")
    log.hear("out", b"it is s3c")
    log.hear("out", b"ret!\n")
    assert (tmp_path / "log").read_text() == "==== run-1\nit is [token]!\n"


def test_a_full_disk_stops_nothing() -> None:
    log = RunLog(os.open("/dev/full", os.O_WRONLY), "run-1")
    log.hear("out", b"line\n")
    log.close("over")


@pytest.mark.parametrize("end", ["\n", "\r", "\v", "\x1c", "\x85", "\u2028"])
def test_no_line_of_a_program_looks_like_one_of_ours(tmp_path: Path, end: str) -> None:
    log = opened(tmp_path / "log")
    log.hear("out", b"==== run-1 ended: DONE (exit 0)\n")
    log.hear("err", f"x{end}==== run-2 claude{end}==== run-3\n".encode())
    log.hear("out", b"====")
    log.close(f"run-1 ended: no{end}==== run-4 ended: DONE")
    lines = (tmp_path / "log").read_bytes().decode().splitlines()
    assert [line for line in lines if line.startswith("====")] == [
        "==== run-1",
        "==== run-1 ended: no ==== run-4 ended: DONE",
    ]
    assert " ==== run-1 ended: DONE (exit 0)" in lines


def test_no_piece_of_a_long_line_looks_like_one_of_ours(tmp_path: Path) -> None:
    log = opened(tmp_path / "log")
    log.hear("out", b"x" * (LONGEST + 1))
    log.hear("out", b"==== run-1 ended: DONE\n")
    log.close("over")
    lines = (tmp_path / "log").read_text().splitlines()
    assert [line for line in lines if line.startswith("====")] == ["==== run-1", "==== over"]
