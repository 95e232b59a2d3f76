"""Starting programs: what comes back, and what is left behind (nothing)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from foureyes.adapters import process
from foureyes.adapters.process import (
    Finished,
    ProcessProblem,
    ProgramEnd,
    ProgramMissing,
    ProgramTimedOut,
    close_input,
    run,
    supervise,
)


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
    done = run(
        ["sh", "-c", 'echo "$ONLY $HOME"; pwd'], cwd=str(tmp_path), env={"ONLY": "this", "PATH": os.environ["PATH"]}
    )
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


def test_a_timeout_ends_the_whole_process_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The child waits for a grandchild that ignores SIGTERM and would hold the pipe for ever."""
    monkeypatch.setattr(process, "GRACE", 0.1)
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    script = f"exec 3>{fifo}; trap '' TERM; (tail -f /dev/null) & wait; tail -f /dev/null"
    with pytest.raises(ProgramTimedOut, match=r"still running after 0\.2 seconds"):
        run(["sh", "-c", script], timeout=0.2)
    os.set_blocking(reader, True)
    assert os.read(reader, 1) == b""  # the end of the file: nobody holds the other side any more
    os.close(reader)


def supervised(script: str, *, timeout: float = 60.0) -> tuple[ProgramEnd, bytes]:
    """Run a shell script below a reaper; how it ended, and its output."""
    heard = bytearray()
    ended = supervise(["/bin/sh", "-c", script], env={"PATH": os.environ["PATH"]}, timeout=timeout, hear=heard.extend)
    return ended, bytes(heard)


def test_a_supervised_program_has_no_input_one_output_and_an_exit_code() -> None:
    assert supervised("cat; echo out; echo err >&2; exit 3") == (ProgramEnd(3), b"out\nerr\n")
    assert supervised("kill -9 $$") == (ProgramEnd(-9), b"")


def test_a_supervised_program_has_the_signals_of_a_fresh_one() -> None:
    """The reaper ignores some, and Python ignores SIGPIPE: what is ignored would stay so in every program below."""
    ended, out = supervised("grep -E 'Sig(Ign|Blk)' /proc/self/status")
    assert ended.rc == 0
    masks = [int(line.split()[1], 16) for line in out.splitlines()]
    assert [mask & 0x7FFF_FFFF for mask in masks] == [0, 0], "32 and 33 belong to the C library"


def test_a_supervised_program_has_none_of_our_files() -> None:
    _, out = supervised("exec ls /proc/self/fd")
    assert out == b"0\n1\n2\n3\n", "3 is the directory that is listed"


def test_a_supervised_program_that_is_late_ends_with_all_it_started_wherever_that_went(tmp_path: Path) -> None:
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    script = f"exec 3>{fifo}; trap '' TERM; (setsid sh -c 'setsid tail -f /dev/null & exit') & tail -f /dev/null"
    assert supervised(script, timeout=0.3) == (ProgramEnd(None, True), b"")
    os.set_blocking(reader, True)
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_a_supervised_program_that_is_stopped_ends_with_all_it_started(tmp_path: Path) -> None:
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    script = f"exec 3>{fifo}; (setsid tail -f /dev/null) & echo begun; trap '' TERM; tail -f /dev/null"
    heard = bytearray()
    ended = supervise(
        ["/bin/sh", "-c", script],
        env={"PATH": os.environ["PATH"]},
        timeout=60,
        hear=heard.extend,
        stop=lambda _: bool(heard),
    )
    assert (ended, bytes(heard)) == (ProgramEnd(None, False, "it was stopped"), b"begun\n")
    os.set_blocking(reader, True)
    assert os.read(reader, 1) == b""
    os.close(reader)


COMET = """
import os
print("begun", flush=True)
if os.fork() == 0:
    while os.fork() == 0:
        os.setsid()
"""


def test_what_forks_and_ends_all_the_time_is_caught(tmp_path: Path) -> None:
    """No list of processes ever shows it whole: the end is when the kernel says that there is no child."""
    (tmp_path / "comet.py").write_text(COMET)
    assert supervised(f"{sys.executable} {tmp_path}/comet.py") == (ProgramEnd(0), b"begun\n")


def test_when_we_are_killed_what_we_supervise_ends_too(tmp_path: Path) -> None:
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    script = f"exec 3>{fifo}; (setsid tail -f /dev/null) & echo begun; tail -f /dev/null"
    code = f"""
import os, signal
from foureyes.adapters.process import supervise
supervise(["/bin/sh", "-c", {script!r}], timeout=60, hear=lambda _: os.kill(os.getpid(), signal.SIGKILL))
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=env, check=False).returncode == -9
    os.set_blocking(reader, True)
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_what_cannot_be_supervised_is_a_clear_exception(tmp_path: Path) -> None:
    with pytest.raises(ProcessProblem, match="could not be started: /no/such: No such file"):
        supervise(["/no/such"], timeout=60, hear=print)
    with pytest.raises(ProcessProblem, match="no such directory"):
        supervise(["/bin/true"], cwd=str(tmp_path / "gone"), timeout=60, hear=print)


def test_importing_it_does_not_load_subprocess() -> None:
    code = "import sys, foureyes.adapters.process; print('subprocess' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_the_input_of_a_program_that_is_gone_is_closed_though_a_word_was_left_in_it() -> None:
    child = subprocess.Popen(["true"], stdin=subprocess.PIPE, start_new_session=True)
    assert child.stdin is not None
    child.wait()
    child.stdin.write(b"stop\n")
    close_input(child)
    assert child.stdin.closed
