"""Starting programs: what comes back, and what is left behind (nothing)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from foureyes.adapters.process import Finished, ProcessProblem, ProgramMissing, ProgramTimedOut, run


def test_the_exit_code_and_both_streams_come_back() -> None:
    assert run(["sh", "-c", "echo out; echo err >&2; exit 3"]) == Finished(3, b"out\n", b"err\n")


def test_input_is_written_and_without_it_there_is_none() -> None:
    assert run(["cat"], input=b"a\0b").out == b"a\0b"
    assert run(["cat"]).out == b""


def test_much_output_on_both_streams_does_not_block() -> None:
    done = run(["sh", "-c", "head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2"])
    assert (len(done.out), len(done.err)) == (1_000_000, 1_000_000)


def test_a_program_that_does_not_read_its_input_does_not_fail() -> None:
    assert run(["true"], input=b"x" * 1_000_000).rc == 0


def test_the_environment_and_the_directory_are_what_was_given(tmp_path: Path) -> None:
    done = run(["sh", "-c", 'echo "$ONLY $HOME"; pwd'], cwd=str(tmp_path), env={"ONLY": "this", "PATH": os.environ["PATH"]})
    assert done.out.decode().splitlines() == ["this ", str(tmp_path)]


def test_nothing_goes_through_a_shell() -> None:
    assert run(["echo", "$HOME; false"]).out == b"$HOME; false\n"


def test_a_missing_program_is_a_clear_exception() -> None:
    with pytest.raises(ProgramMissing, match="no-such-program was not found"):
        run(["no-such-program"])


def test_a_missing_directory_is_not_taken_for_a_missing_program(tmp_path: Path) -> None:
    with pytest.raises(ProcessProblem, match="no such directory") as refused:
        run(["true"], cwd=str(tmp_path / "gone"))
    assert not isinstance(refused.value, ProgramMissing)


def test_what_cannot_be_an_argument_is_a_clear_exception() -> None:
    with pytest.raises(ProcessProblem, match="could not be started"):
        run(["echo", "a\0b"])


def test_a_timeout_ends_the_whole_process_group(tmp_path: Path) -> None:
    """The child waits for a grandchild that ignores SIGTERM and would hold the pipe for ever."""
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    script = f"exec 3>{fifo}; trap '' TERM; (tail -f /dev/null) & wait; tail -f /dev/null"
    with pytest.raises(ProgramTimedOut, match=r"still running after 0\.2 seconds"):
        run(["sh", "-c", script], timeout=0.2)
    os.set_blocking(reader, True)
    assert os.read(reader, 1) == b""  # the end of the file: nobody holds the other side any more
    os.close(reader)


def test_importing_it_does_not_load_subprocess() -> None:
    code = "import sys, foureyes.adapters.process; print('subprocess' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
