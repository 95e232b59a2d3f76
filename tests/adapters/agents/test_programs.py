"""Programs of profiles: found, described, prepared; logins stay the person's (I2)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from foureyes.core.rules.policy import Profile
from foureyes.errors import AgentMissing, AgentUnavailable

from tests.adapters.agents.bench import Bench, finish


def program(folder: Path, name: str, code: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{code}\n")
    path.chmod(0o755)
    return path


def with_path(bench: Bench, folder: Path) -> Path:
    folder.mkdir()
    bench.environ["PATH"] = f"{folder}:{bench.environ['PATH']}"
    return folder


def test_a_program_that_is_not_there_is_missing_and_nothing_is_left(bench: Bench) -> None:
    profile = Profile("no-such-agent")
    assert bench.agents.available("mine", profile).problem == "no-such-agent was not found."
    with pytest.raises(AgentMissing, match="was not found"):
        bench.prepare(profile)
    with pytest.raises(AgentMissing, match="absolute path"):
        bench.prepare(Profile("bin/agent"))
    assert not (bench.folder / "runs").exists()


def test_a_program_of_the_worktree_is_not_started(bench: Bench) -> None:
    path = program(bench.work, "agent", "touch started")
    with pytest.raises(AgentUnavailable, match="is inside the worktree") as found:
        bench.prepare(Profile(str(path)))
    assert not isinstance(found.value, AgentMissing), "it is there, for other trees"
    assert not (bench.work / "started").exists()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".opencode/plugin/a.js", "x"),
        (".opencode/plugins/a.ts", "x"),
        ("opencode.json", '{"plugin": ["./a.js"]}'),
        (".opencode/opencode.jsonc", '{"pl\\u0075gins": ["./a.js"]}'),
    ],
)
def test_a_program_that_obeys_the_tree_is_not_started_to_read_it(
    name: str, text: str, bench: Bench, tmp_path: Path
) -> None:
    program(with_path(bench, tmp_path / "bin"), "opencode", "true")
    (bench.work / "opencode.json").write_text('{"mcp": {"foureyes": {"type": "local", "command": ["fe", "mcp"]}}}')
    as_lead = {"role": "lead", "purpose": "lead"}
    assert bench.run(Profile("opencode", output="text"), **as_lead).succeeded, "tools are kept out by a flag"
    (bench.work / name).parent.mkdir(parents=True, exist_ok=True)
    (bench.work / name).write_text(text)
    with pytest.raises(AgentUnavailable, match="would run plugins named by"):
        bench.prepare(Profile("opencode"), **as_lead)
    assert bench.run(Profile("opencode", output="text")).succeeded, "what it wrote itself, it may run"


def test_a_worktree_that_is_gone_leaves_no_run_behind(bench: Bench) -> None:
    with pytest.raises(AgentUnavailable, match="no such directory"):
        bench.prepare(bench.shell("true"), worktree=str(bench.work / "gone"))
    assert list((bench.folder / "runs").iterdir()) == []


@pytest.mark.parametrize("below", ["logs/fe-1.log", "homes/fe-1"])
def test_what_is_in_the_way_of_a_file_of_ours_is_named_and_no_run_is_left_behind(bench: Bench, below: str) -> None:
    at = bench.folder / below
    at.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(at)
    with pytest.raises(AgentUnavailable, match=f"{below}: it is a named pipe") as problem:
        bench.prepare(bench.shell("true"))
    assert str(at) in problem.value.message
    assert list((bench.folder / "runs").iterdir()) == []


def test_one_that_goes_between_two_looks_is_missing(bench: Bench, tmp_path: Path) -> None:
    path = program(tmp_path, "agent", "true")
    live = bench.prepare(Profile(str(path)))
    path.unlink()
    live.go()
    outcome = finish(live)
    assert (outcome.error, outcome.succeeded) == ("missing", False)
    assert "No such file" in outcome.error_text


def test_the_program_and_what_it_is_are_known(bench: Bench, tmp_path: Path) -> None:
    folder = with_path(bench, tmp_path / "bin")
    path = program(folder, "codex", "[ $1 = --version ] && echo codex-cli 9.9 && env | grep -c MY_ && exit; true")
    there = bench.agents.available("codex", Profile("codex"))
    assert (there.path, there.version, there.login, there.problem) == (str(path), "", "not logged in", "")
    assert bench.agents.available("codex", Profile("codex"), ask=True).version == "codex-cli 9.9"
    script = program(folder, "own-script", 'echo ran >> "$(dirname $0)/ran"')
    own = bench.agents.available("own", Profile(str(script), adapter="text"), ask=True)
    assert (own.path, own.version, (script.parent / "ran").exists()) == (str(script), "", False), "it is no question"
    live = bench.prepare(Profile("codex"))
    assert live.program == str(path)
    assert live.digest.startswith("sha256:")
    live.stop("enough")
    finish(live)


def test_logins_are_told_by_files_and_variables_of_which_nothing_is_read(bench: Bench, tmp_path: Path) -> None:
    program(with_path(bench, tmp_path / "bin"), "codex", "true")
    (bench.home / ".codex").mkdir()
    (bench.home / ".codex" / "auth.json").touch(0o000)
    assert bench.agents.available("c", Profile("codex")).login == "logged in"
    bench.environ["CODEX_HOME"] = str(tmp_path)
    assert bench.agents.available("c", Profile("codex")).login == "not logged in"
    bench.environ["OPENAI_API_KEY"] = "sk-1"
    assert bench.agents.available("c", Profile("codex")).login == "OPENAI_API_KEY is set"


def test_the_programs_own_directory_is_the_persons_and_the_rest_of_home_is_not(bench: Bench, tmp_path: Path) -> None:
    folder = with_path(bench, tmp_path / "bin")
    for name in ("codex", "gemini"):
        program(folder, name, "echo $HOME $CODEX_HOME; ls -A $HOME; cat $HOME/.gemini/creds 2>/dev/null")
    (bench.home / ".codex").mkdir()
    (bench.home / ".gemini").mkdir()
    (bench.home / ".gemini" / "creds").write_text("mine")
    (bench.home / ".bashrc").write_text("x")
    codex = bench.run(Profile("codex", output="text"), name="codex").final.split()
    assert codex[:2] == [str(bench.folder / "homes/fe-1/codex"), str(bench.home / ".codex")]
    assert ".bashrc" not in codex
    gemini = bench.run(Profile("gemini", output="text"), name="gemini").final.split()
    assert gemini == [str(bench.folder / "homes/fe-1/gemini"), ".gemini", ".profile", ".zprofile", "mine"]
    bench.agents.forget("fe-1")
    assert not (bench.folder / "homes/fe-1").exists()
    assert (bench.home / ".gemini" / "creds").read_text() == "mine"


def test_a_program_finds_nothing_of_the_persons_environment(bench: Bench) -> None:
    outcome = bench.run(bench.shell("env"))
    assert "s3cret" not in outcome.final
    assert "FOUREYES_RUN=agent:run-" in outcome.final
    asked = replace(bench.shell("echo $SECRET_OF_MINE $OTHER"), env=("SECRET_OF_MINE", "OTHER=1"))
    assert bench.run(asked).final == "s3cret 1"


def test_several_runs_of_a_task_share_their_profiles_home(bench: Bench) -> None:
    bench.run(bench.shell("echo 1 > $HOME/story"))
    assert bench.run(bench.shell("cat $HOME/story")).final == "1"
    assert bench.run(bench.shell("cat $HOME/story"), name="other").rc == 1
