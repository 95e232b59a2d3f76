"""A program below a reaper that waits for a word; what runs of agents do with it, tests/adapters/agents shows."""

from __future__ import annotations

import os
import select
from pathlib import Path

import pytest

from foureyes.adapters.process import ProcessProblem
from foureyes.adapters.supervised import Supervised

ENV = {"PATH": os.environ["PATH"]}


def followed(program: Supervised) -> dict[str, bytes]:
    heard = {"out": b"", "err": b""}
    while not program.is_over:
        select.select([program], [], [], 30)
        for stream, part in program.read():
            heard[stream] += part
    return heard


def test_it_reads_a_file_and_writes_two_streams(tmp_path: Path) -> None:
    (tmp_path / "given").write_bytes(b"a\0b")
    program = Supervised(
        ["/bin/sh", "-c", "cat; echo err >&2; exit 3"], cwd=str(tmp_path), env=ENV, given=f"{tmp_path}/given"
    )
    program.go()
    assert followed(program) == {"out": b"a\0b", "err": b"err\n"}
    assert program.words.ended().rc == 3


def test_the_program_has_none_of_our_files_and_the_signals_of_a_fresh_one(tmp_path: Path) -> None:
    code = "ls /proc/self/fd; grep -E 'Sig(Ign|Blk)' /proc/self/status"
    program = Supervised(["/bin/sh", "-c", code], cwd=str(tmp_path), env=ENV, given=os.devnull)
    program.go()
    lines = followed(program)["out"].decode().split()
    assert lines[:4] == ["0", "1", "2", "3"], "3 is the directory that is listed"
    assert {int(mask, 16) & 0x7FFF_FFFF for mask in (lines[5], lines[7])} == {0}


def test_what_was_never_let_go_ends_without_a_trace(tmp_path: Path) -> None:
    program = Supervised(["/bin/sh", "-c", "touch started"], cwd=str(tmp_path), env=ENV, given=os.devnull)
    program.abandon()
    assert program.is_over
    assert not (tmp_path / "started").exists()


def test_one_that_is_abandoned_ends_with_everything(tmp_path: Path) -> None:
    program = Supervised(
        ["/bin/sh", "-c", "trap '' TERM; echo; tail -f /dev/null"], cwd=str(tmp_path), env=ENV, given=os.devnull
    )
    program.go()
    select.select([program], [], [], 30)
    program.abandon()
    assert program.read() == []
    assert program.fileno() == -1


def test_what_cannot_be_started_says_so(tmp_path: Path) -> None:
    program = Supervised(["/no/such"], cwd=str(tmp_path), env=ENV, given=os.devnull)
    program.go()
    followed(program)
    assert program.words.after("failed") == "/no/such: No such file or directory"
    with pytest.raises(ProcessProblem, match="no such directory"):
        Supervised(["/bin/true"], cwd=str(tmp_path / "gone"), env=ENV, given=os.devnull)
