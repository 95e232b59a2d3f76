"""Whether a process on record has ended (Q4): only what is shown to have ended is gone, what cannot be known is not
(G1).
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from foureyes.adapters.identity import alive
from foureyes.adapters.identity.alive import is_gone, own


def evidence(pid: int, *, start: int | None = None, place: str = "") -> str:
    """The evidence of a process here; with another start time or place where one is given."""
    here, _, started = own().rpartition(":")
    here = here.rpartition(":")[0]
    return f"{place or here}:{pid}:{started if start is None else start}"


def test_one_s_own_evidence_is_the_same_every_time_and_not_gone() -> None:
    assert own() == own()
    assert own().startswith("proc:")
    assert f":{os.getpid()}:" in own()
    assert not is_gone(own())


def test_a_process_that_runs_is_not_gone_and_one_that_ended_is() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        known = alive._evidence(child.pid)
        assert (known != "", is_gone(known)) == (True, False)
    finally:
        child.communicate(b"\n")
    assert is_gone(known)


def test_a_zombie_has_ended_although_its_number_is_taken() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    known = alive._evidence(child.pid)
    assert child.stdin is not None
    child.stdin.close()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert is_gone(known)
    child.wait()


def test_the_same_number_with_another_start_is_another_process() -> None:
    assert is_gone(evidence(os.getpid(), start=1))


def test_a_number_that_nobody_has_is_gone() -> None:
    assert is_gone(evidence(2**22 + 1))


@pytest.mark.parametrize("place", ["proc:another-boot:4026531836", "proc", "process:test"])
def test_what_ran_on_another_machine_or_before_a_boot_or_in_another_namespace_is_not_known_to_be_gone_G1(
    place: str,
) -> None:
    assert not is_gone(evidence(2**22 + 1, place=place))


@pytest.mark.parametrize(
    "text", ["", ":", "::", "rubbish", "proc:x:1:", "proc:x::1", "proc:x:-1:5", "proc:x:1:y", "proc:x:²:1", "a:b:c:d"]
)
def test_what_is_no_evidence_is_not_gone_G1(text: str) -> None:
    assert not is_gone(text)


@pytest.mark.parametrize("pid", ["²", "9" * 5000])
def test_a_number_that_is_none_here_is_no_crash_G1(pid: str) -> None:
    here = own().rpartition(":")[0].rpartition(":")[0]
    assert is_gone(f"{here}:{pid}:1") in (True, False)


def test_where_processes_cannot_be_read_nothing_is_gone_G1(monkeypatch: pytest.MonkeyPatch) -> None:
    known = evidence(2**22 + 1)
    monkeypatch.setattr(alive, "_evidence", lambda pid: "")
    assert own() == ""
    assert not is_gone(known)


def test_a_process_whose_name_looks_like_fields_is_read_right(tmp_path: os.PathLike[str]) -> None:
    """The second field of /proc/PID/stat is the program's name in brackets, and it may hold anything."""
    program = os.path.join(tmp_path, "x) Z 1 2 3")
    os.symlink(sys.executable, program)
    child = subprocess.Popen([program, "-c", "input()"], stdin=subprocess.PIPE, env={"PYTHONHOME": sys.base_prefix})
    try:
        known = alive._evidence(child.pid)
        assert (known != "", is_gone(known)) == (True, False)
    finally:
        child.communicate(b"\n")
