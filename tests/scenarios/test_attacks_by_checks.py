"""What a check does to the gate that runs it: it calls `fe`, stays behind, floods, reads, writes (I5, D5, Q2).

The checks of an attempt run the attempt's own code, as the user who runs them. Each test that shows a limit says so;
docs/threat-model.md has it.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from tests.scenarios.attack_gate import CODE, Gate
from tests.scenarios.attack_moves import PROGRAM, Through, detached, detached_at_a_terminal
from tests.stage.commands import GIT_ENV, SubmissionTime
from tests.stage.namespaces import need
from tests.stage.processes import SOURCE, Caller

pytestmark = pytest.mark.scenario

FE = f"{sys.executable} -m foureyes"
BARE = f"env -i PATH={GIT_ENV['PATH']} LC_ALL=C.UTF-8 PYTHONPATH={SOURCE}"
TERMINAL = f"{sys.executable} -I {PROGRAM} --terminal --"
DISGUISES = {
    "none": f"env PYTHONPATH={SOURCE}",
    "no environment": BARE,
    "a terminal": f"{BARE} {TERMINAL}",
    "detached, a terminal": f"{BARE} {sys.executable} -I {PROGRAM} --detach --terminal --",
}


@pytest.fixture
def other(gate: Gate) -> SubmissionTime:
    """Another task, made by claude and all green: a person may approve it, and so may codex."""
    work = gate.attempt({"src/other.py": "other = 1\n"}, by=gate.cast.claude)
    gate.checked(gate.cast.job, work.task)
    return work


def attack(gate: Gate, command: str, *, rc: int = 0, who: Caller | None = None) -> SubmissionTime:
    """An attempt with a test that does something else, run by a service or by who counts too."""
    work = gate.attempt({"tests/attack.sh": command + "\n", "tests/attack.t": "attack sh tests/attack.sh\n"})
    gate.checked(who or gate.cast.job, work.task, rc=rc)
    return work


def approves(gate: Gate, work: SubmissionTime, said: Path, disguise: str) -> str:
    """The shell command that approves a task and writes down what came of it."""
    return (
        f"cd {gate.repo} && {disguise} {FE} approve {work.task} --seen {work.seen} -m fine --json > {said} 2>&1; exit 0"
    )


# A test that calls fe


@pytest.mark.parametrize("who", ["alice", "job"])
@pytest.mark.parametrize("disguise", DISGUISES)
def test_I5_a_test_that_calls_fe_approve_has_no_rights_whoever_runs_the_checks(
    gate: Gate, other: SubmissionTime, tmp_path: Path, disguise: str, who: str
) -> None:
    said = tmp_path / "said"
    attack(gate, approves(gate, other, said, DISGUISES[disguise]), who=getattr(gate.cast, who))
    assert '"rule":"I5"' in said.read_text()
    assert gate.status(other.task) == "reviewing"


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def stays(gate: Gate, work: SubmissionTime, folder: Path, before: str = "") -> str:
    """A test that leaves a daemon behind: a session of its own, deaf, waiting for its watcher to go, and then a
    person.
    """
    (folder / "daemon").write_text(
        f"trap '' TERM HUP INT\necho $$ > {folder}/pid\nwhile [ -d /proc/$1 ]; do :; done\n"
        f"{approves(gate, work, folder / 'said', DISGUISES['a terminal'])}\n"
    )
    return (
        "watcher=$PPID; until grep -qs reaper.py /proc/$watcher/cmdline; do watcher=$(cut -d' ' -f4 "
        "/proc/$watcher/stat); done\n"
        f"(setsid sh {folder}/daemon $watcher >/dev/null 2>&1 </dev/null &)\n"
        f"until [ -s {folder}/pid ]; do :; done\n{before}\nexit 0"
    )


def test_I5_a_daemon_that_wants_to_outlive_its_check_is_ended_with_it(
    gate: Gate, other: SubmissionTime, tmp_path: Path
) -> None:
    attack(gate, stays(gate, other, tmp_path))
    assert not alive(int((tmp_path / "pid").read_text()))
    assert not (tmp_path / "said").exists()
    assert gate.status(other.task) == "reviewing"


def test_I3_in_a_pid_namespace_of_its_own_a_check_at_a_terminal_is_no_person(
    gate: Gate, other: SubmissionTime, tmp_path: Path
) -> None:
    need("unshare", "-pf", "--mount-proc", "true")
    attack(gate, approves(gate, other, tmp_path / "said", f"{BARE} unshare -pf --mount-proc {TERMINAL}"))
    assert '"rule":"I3"' in (tmp_path / "said").read_text()
    assert gate.show(other.task)["approvals"] == []


@pytest.mark.parametrize("helper", ["an agent's", "a detached one", "one at a terminal"])
def test_P2_a_helper_that_was_started_before_has_the_rights_of_who_started_it(
    gate: Gate, other: SubmissionTime, tmp_path: Path, helper: str
) -> None:
    """The check only knocks; who answers was there before. A limit: one that shed its ancestors and took a terminal is
    a person.
    """
    work = gate.attempt({"tests/attack.t": f"attack echo go > {tmp_path}/knock\n"})
    os.mkfifo(tmp_path / "knock")
    claude = gate.cast.claude
    who: Caller = {
        "an agent's": claude,
        "a detached one": detached(claude),
        "one at a terminal": detached_at_a_terminal(claude),
    }[helper]
    waiting = f"read word < {tmp_path}/knock; {approves(gate, other, tmp_path / 'said', '')}"
    thread = threading.Thread(target=who.run, args=(["/bin/sh", "-c", waiting],))
    thread.start()
    gate.run(gate.cast.job, "check", "run", work.task, "--only", "tests")
    thread.join()
    said = (tmp_path / "said").read_text()
    expected = {"an agent's": '"rule":"P2"', "a detached one": '"rule":"I5"', "one at a terminal": '"rule":"P'}[helper]
    assert expected in said
    assert gate.status(other.task) == ("approved" if helper == "one at a terminal" else "reviewing")


# A test that does not behave


# A test that reads and writes what it should not

SECRETS = {
    "AWS_SECRET_ACCESS_KEY": "s3cret",
    "SSH_AUTH_SOCK": "/tmp/s3cret",
    "GIT_CONFIG_PARAMETERS": "s3cret",
    "FOUREYES_STORE": "",
}


def test_D5_a_limit_a_check_runs_as_its_user_and_reads_what_that_user_can_read(gate: Gate, tmp_path: Path) -> None:
    """The environment of the processes above, the user's files, the network: nothing here is a sandbox."""
    who = Through(gate.cast.alice, "env", *(f"{name}={value}" for name, value in SECRETS.items()))
    up = "p=$$; while [ $p -gt 1 ]; do tr '\\0' '\\n' < /proc/$p/environ; p=$(cut -d' ' -f4 /proc/$p/stat); done"
    attack(gate, f"({up}) > {tmp_path}/seen 2>/dev/null; exit 0", who=who)
    assert "AWS_SECRET_ACCESS_KEY=s3cret" in (tmp_path / "seen").read_text()


def test_J2_a_limit_a_check_that_writes_the_store_is_found_by_audit_verify_unless_it_writes_rows_with_right_hashes(
    gate: Gate, other: SubmissionTime, tmp_path: Path
) -> None:
    change = f"UPDATE tasks SET status = 'approved' WHERE id = '{other.task}'"
    (tmp_path / "write.py").write_text(
        "import sqlite3\nstore = "
        f'sqlite3.connect("{gate.folder}/store.db")\nstore.execute("{change}")\nstore.commit()\n'
    )
    attack(gate, f"{sys.executable} {tmp_path}/write.py")
    assert gate.status(other.task) == "approved"
    assert gate.run(gate.cast.alice, "audit", "verify").rc == 6


def test_Q_a_limit_a_check_that_moves_refs_goes_around_the_gate_and_approves_nothing_by_it(
    gate: Gate, other: SubmissionTime
) -> None:
    """`git update-ref` asks nobody, from a check as from anywhere. The task still waits, and nothing is closed by
    it.
    """
    attack(gate, f"git -C {gate.repo} update-ref refs/heads/main {other.head}")
    assert gate.tip() == other.head
    assert gate.merge() == {}
    assert gate.status(other.task) == "reviewing"


def test_D4_a_check_that_moves_the_branch_of_its_attempt_makes_it_stale(gate: Gate) -> None:
    task = gate.create(gate.cast.alice, "-l", "review:auto")
    moves = f"attack git -C {gate.repo} update-ref refs/heads/fe/{task} main\n"
    work = gate.work_on(task, {"tests/attack.t": moves, **CODE})
    assert any(reason.startswith("D4 ") for reason in gate.why_not(work))
