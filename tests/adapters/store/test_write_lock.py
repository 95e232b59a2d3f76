"""The queue of writers, with real processes that are told what to do through pipes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import foureyes
from foureyes.adapters.store.write_lock import WriterLock
from foureyes.errors import StoreBusy, StoreProblem
from foureyes.ui.steps import steps_text

SHORT = 0.05
HOLDER = """
import sys
from foureyes.adapters.store.write_lock import WriterLock
with WriterLock(sys.argv[1]):
    print("got", flush=True)
    sys.stdin.readline()
print("gone", flush=True)
sys.stdin.readline()
"""

IN_A_HURRY = """
import sys
from foureyes.adapters.store.write_lock import WriterLock
from foureyes.errors import StoreBusy
with WriterLock(sys.argv[1]):
    for number in range(300):
        try:
            WriterLock(sys.argv[1], 1e-6 * (1 + number % 60)).__enter__()
        except StoreBusy:
            pass
"""


class Holder:
    """Another process that takes the lock and keeps it until it is told to let go."""

    def __init__(self, path: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(Path(foureyes.__file__).parents[1])}
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.pid = self.process.pid

    def has_it(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "got\n"

    def let_go(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "gone\n"

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.lock"


@pytest.fixture
def holder(path: Path) -> Iterator[Holder]:
    holder = Holder(path)
    holder.has_it()
    yield holder
    holder.end()


def test_a_holder_that_never_lets_go_is_named_after_the_deadline(path: Path, holder: Holder) -> None:
    with pytest.raises(StoreBusy, match=f"pid {holder.pid}") as caught, WriterLock(str(path), SHORT):
        pass
    assert "Nothing was changed" in caught.value.message
    assert steps_text(caught.value.next_step) == "try again"


def test_the_lock_passes_on_when_it_is_let_go(path: Path, holder: Holder) -> None:
    got = threading.Event()

    def wait() -> None:
        with WriterLock(str(path)):
            got.set()

    waiter = threading.Thread(target=wait)
    waiter.start()
    assert not got.is_set()
    holder.let_go()
    waiter.join()
    assert got.is_set()


def test_an_abandoned_waiter_does_not_keep_the_lock(path: Path, holder: Holder) -> None:
    for _ in range(3):
        with pytest.raises(StoreBusy), WriterLock(str(path), SHORT):
            pass
    holder.let_go()
    with WriterLock(str(path)):
        pass
    next_one = Holder(path)
    next_one.has_it()
    next_one.end()


def test_a_deadline_that_passes_just_before_the_wait_begins_is_still_one_G4(path: Path) -> None:
    """A command that is stopped there for longer than its deadline would otherwise wait for ever."""
    environment = {**os.environ, "PYTHONPATH": str(Path(foureyes.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", IN_A_HURRY, str(path)], env=environment, check=True, timeout=120)


def test_a_killed_holder_frees_the_lock_Q4(path: Path, holder: Holder) -> None:
    holder.kill()
    with WriterLock(str(path)), pytest.raises(StoreBusy, match=f"pid {os.getpid()}"):
        WriterLock(str(path), SHORT).__enter__()


def test_a_dead_holders_name_is_not_given_for_a_live_one(path: Path, holder: Holder) -> None:
    """The kernel says who holds it; what stands in the file does not matter."""
    path.write_text("999999999999\nrest of a longer line\n")
    holder.kill()
    other = Holder(path)
    other.has_it()
    with pytest.raises(StoreBusy, match=f"pid {other.pid}"), WriterLock(str(path), SHORT):
        pass
    other.end()


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff\xfe", b"-1"])
def test_a_lock_file_that_names_nobody_is_still_a_lock(path: Path, holder: Holder, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(StoreBusy, match="busy"), WriterLock(str(path), SHORT):
        pass


def test_two_locks_in_one_process_exclude_each_other_too(path: Path) -> None:
    with WriterLock(str(path)), pytest.raises(StoreBusy), WriterLock(str(path), SHORT):
        pass
    with WriterLock(str(path)):
        pass


def test_an_exception_inside_lets_go(path: Path) -> None:
    with pytest.raises(KeyError), WriterLock(str(path)):
        raise KeyError
    with WriterLock(str(path), SHORT):
        pass


def test_no_descriptor_is_left_open(path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        with WriterLock(str(path)):
            pass
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_place_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(StoreProblem, match="cannot be written"), WriterLock(str(tmp_path / "missing" / "store.lock")):
        pass


def test_the_descriptor_is_not_inherited_by_programs(path: Path) -> None:
    with WriterLock(str(path)):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False)
    with WriterLock(str(path), SHORT):
        pass
    child.communicate(b"\n")


def test_what_a_sandbox_forbids_is_not_made_writable_by_rights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Landlock: the rights of the files would allow it."""

    def forbidden(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("foureyes.adapters.store.write_lock.opened", forbidden)
    with pytest.raises(StoreProblem) as problem, WriterLock(str(tmp_path / "lock")):
        pass
    assert problem.value.next_step.steps[0].argv == ("fe", "doctor")
