"""Fake agents and people keep their promises: who a command is, by real processes."""

from __future__ import annotations

import os
import pwd
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.stage.processes import Caller, People

WHOAMI = """
import os, sys, msgspec
from foureyes.adapters.identity.recognition import observe
sys.stdout.buffer.write(msgspec.json.encode(observe(os.environ)))
"""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[People]:
    with People(tmp_path) as world:
        yield world


def whoami(caller: Caller, **env: str) -> dict[str, Any]:
    result = caller.run([sys.executable, "-c", WHOAMI], env=env)
    assert result.rc == 0, result.err
    actor: dict[str, Any] = result.json
    return actor


def test_i3_two_agents_of_one_name_are_two_sessions_and_two_calls_of_one_are_one(world: People) -> None:
    one, other = world.agent("claude"), world.agent("claude")
    first, second, third = whoami(one), whoami(one), whoami(other)
    assert (first["kind"], first["agent"]) == ("agent", "claude")
    assert first["session"] == second["session"] != third["session"]
    assert not set(first["evidence"]) & set(third["evidence"])
    assert f"claude (pid {one.pid})" in first["why"][0]


def test_i3_a_nested_agent_shares_evidence_with_the_one_above(world: People) -> None:
    claude = world.agent("claude")
    codex = world.agent("codex", under=claude)
    outer, inner = whoami(claude), whoami(codex)
    assert inner["agent"] == "codex"
    assert inner["processes"][1:] == outer["processes"]
    assert inner["session"] != outer["session"]
    assert whoami(world.agent("opencode", under=codex))["processes"][1:] == inner["processes"]


def test_an_agent_keeps_its_session_whatever_its_environment_says(world: People) -> None:
    claude = world.agent("claude")
    plain, changed = whoami(claude), whoami(claude, CLAUDE_CODE_SESSION_ID="new", AGENT="other", USER="bob")
    assert (changed["session"], changed["processes"]) == (plain["session"], plain["processes"])


def test_i3_an_agent_that_starts_a_shell_in_a_shell_is_still_that_agent(world: People) -> None:
    claude = world.agent("claude")
    (world.directory / "whoami.py").write_text(WHOAMI)
    nested = claude.sh(f"sh -c '{sys.executable} whoami.py; true'; true").json
    assert nested["session"] == whoami(claude)["session"]


def test_i5_a_person_is_human_and_themselves_across_terminals(world: People) -> None:
    alice = world.person("alice")
    actor = whoami(alice)
    assert actor["kind"] == "human"
    assert actor["person"] == f"{pwd.getpwuid(os.getuid()).pw_name}@{os.uname().nodename}"
    assert whoami(world.person("alice"))["session"] == actor["session"]


def test_i5_without_a_terminal_it_is_a_service(world: People) -> None:
    assert whoami(world.service())["kind"] == "service"


def test_an_agents_marks_and_the_tests_own_do_not_leak_into_people(
    world: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    claude, alice = world.agent("claude"), world.person("alice")
    whoami(claude, CLAUDE_CODE_SESSION_ID="x")
    assert whoami(alice)["kind"] == "human"
    assert whoami(alice, CLAUDECODE="1")["kind"] == "agent", "what is passed does arrive"
    names = {line.partition("=")[0] for line in alice.sh("env").out.splitlines()}
    assert names - {"PWD", "OLDPWD", "SHLVL", "_"} == {"PATH", "HOME", "TMPDIR", "LANG", "PYTHONPATH"}


def test_a_person_has_a_terminal_of_their_own_and_output_apart_from_errors(world: People) -> None:
    result = world.person("alice").sh("tty; echo oops >&2; echo hello >/dev/tty; test -t 1 || exit 3")
    assert result.rc == 3
    assert result.out.startswith("/dev/pts/")
    assert (result.err, result.screen) == ("oops\n", "hello\n")


def test_a_person_can_see_everything_on_the_terminal(world: People) -> None:
    result = world.person("alice").sh("test -t 1 && test -t 2 && echo out; echo err >&2", tty=True)
    assert (result.out, result.err, result.screen) == ("out\nerr\n", "", "")


@pytest.mark.parametrize("typed", ["yes\n", "yes", ""])
def test_what_a_person_types_arrives_and_ends(world: People, typed: str) -> None:
    assert world.person("alice").sh("cat; cat", input=typed).out == typed


def test_an_agent_has_no_terminal_but_input_output_and_exit_code(world: People) -> None:
    claude = world.agent("claude")
    big = "x" * 300_000
    result = claude.sh("tty >&2; cat; exit 7", input=big)
    assert (result.rc, result.out, result.err) == (7, big, "not a tty\n")
    assert claude.sh("cat").out == ""
    assert claude.sh("true </dev/tty").rc != 0
    with pytest.raises(ValueError, match="no terminal"):
        claude.sh("true", tty=True)


def test_commands_run_where_they_are_asked_to(world: People, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    claude = world.agent("claude")
    assert claude.sh("pwd -P").out == f"{tmp_path.resolve()}\n"
    assert claude.sh("pwd -P", cwd=tmp_path / "sub").out == f"{tmp_path.resolve()}/sub\n"
    assert claude.run(["/no/such/program"]).rc == 127


@pytest.mark.parametrize("who", ["agent", "person"])
def test_a_command_that_does_not_end_is_killed_with_its_children(world: People, who: str) -> None:
    caller = world.agent("claude") if who == "agent" else world.person("alice")
    with pytest.raises(TimeoutError, match="did not end"):
        caller.sh("sleep 600 & sleep 600; true", timeout=0.2)
    assert caller.sh("echo again").out == "again\n"


def test_the_world_ends_everybody_it_started(tmp_path: Path) -> None:
    with People(tmp_path) as world:
        claude = world.agent("claude")
        callers: list[Caller] = [claude, world.agent("codex", under=claude), world.person("a"), world.service()]
        pids = [caller.pid for caller in callers]
        assert all(state(pid) not in "ZX" for pid in pids)
    assert all(state(pid) in "ZX" for pid in pids)


def test_i9_a_subreaper_below_an_agent_is_noticed(world: People) -> None:
    script = """
import ctypes, pathlib, sys
from tests.stage.processes import People
PR_SET_CHILD_SUBREAPER = 36
assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
with People(pathlib.Path("inner")) as world:
    try:
        world.person("alice")
    except RuntimeError as problem:
        print(problem)
"""
    claude = world.agent("claude")
    root = str(Path(__file__).resolve().parents[2])
    result = claude.run([sys.executable, "-c", script], env={"PYTHONPATH": f"{root}:{root}/src"})
    assert result.out.startswith(f"claude (pid {claude.pid}) is above a detached process"), result.err


def state(pid: int) -> str:
    """The state letter of a process; X when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_i1_root_can_let_a_person_be_another_user(world: People) -> None:
    bob = world.person("bob", uid=45678)
    assert bob.sh("id -u; id -g; test -t 0 && echo terminal").out == "45678\n45678\nterminal\n"


@pytest.mark.skipif(os.getuid() == 0, reason="root can")
def test_i1_nobody_else_can(world: People) -> None:
    with pytest.raises(PermissionError):
        world.person("bob", uid=45678)
