"""What a server saw when it began, and what it sees now (I5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.adapters.identity import server_callers
from foureyes.adapters.identity.process_tree import Process, ProcessTree
from foureyes.core.words.ids import token_hash

INIT = Process(pid=1, start=1, names=("init",), paths=("/sbin/init",))
CODEX = Process(pid=512, start=60, names=("codex",), paths=("/usr/bin/codex",))
OURS = Process(pid=600, start=70, names=("helper",), paths=("/opt/helper",))


def seen(*ancestors: Process) -> ProcessTree:
    return ProcessTree(ancestors=(*ancestors, INIT), readable=True, terminal="pts/1", place="boot:ns")


def test_I5_the_tree_of_its_start_is_kept_and_the_one_of_the_call_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = iter([seen(CODEX), seen(CODEX), seen()])
    monkeypatch.setattr(server_callers, "read_tree", lambda: next(trees))
    environ = {"FOUREYES_TOKEN": "fe-1"}
    beginning = server_callers.Beginning(environ)
    environ["FOUREYES_TOKEN"] = "another"
    first, second = beginning.caller(), beginning.caller()
    assert (first.agent, first.bound, first.token) == ("codex", None, token_hash("fe-1"))
    assert second.session == first.session
    assert second.bound is not None
    assert second.ancestors == (), "a token is good nowhere any more"


def test_I3_a_program_that_the_project_calls_an_agent_is_one_at_the_start_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_callers, "read_tree", lambda: seen(OURS))
    beginning = server_callers.Beginning({})
    assert beginning.caller().bound is not None
    assert (beginning.caller(["helper"]).agent, beginning.caller(["helper"]).bound) == ("helper", None)


REAPER = Process(pid=700, start=80, names=("python3", "reaper"), paths=("/v/foureyes/adapters/reaper.py",))


def test_I2_a_runs_token_holds_for_a_server_until_its_starter_is_gone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trees = iter([seen(CODEX, REAPER), *[seen(CODEX, REAPER)] * 2, *[seen(REAPER)] * 2, seen()])
    monkeypatch.setattr(server_callers, "read_tree", lambda: next(trees))
    token = tmp_path / "token"
    token.write_text("fe-1")
    token.chmod(0o600)
    beginning = server_callers.Beginning({"FOUREYES_RUN_DIR": str(tmp_path)})
    token.unlink()
    first, before = beginning.caller(), beginning.has_left()
    second, after = beginning.caller(), beginning.has_left()
    third = beginning.caller()
    assert (before, after) == (False, True)
    assert first.token == second.token == third.token == token_hash("fe-1")
    assert first.ancestors == ("proc:boot:ns:512:60", "proc:boot:ns:700:80")
    assert (second.ancestors, third.ancestors) == ((), ()), "a token is good nowhere any more"
