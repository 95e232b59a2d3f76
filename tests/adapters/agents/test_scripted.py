"""The scripted agent plays what a script says, by the same path as any other program (S1)."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.adapters.agents.bench import Bench, fifo, finish, is_held, wait_until


def test_it_edits_commits_and_signals(bench: Bench) -> None:
    bench.git("init", "-q")
    bench.git("config", "--global", "user.name", 'Ada "L" \\ Byron')
    bench.git("config", "--global", "user.email", "ada@example.org")
    profile = bench.script(
        {"write": "a/hello.py", "text": "print('{task}')\n"},
        {"replace": "a/hello.py", "old": "print", "new": "say"},
        {"append": "a/hello.py", "text": "# end\n"},
        {"commit": "Say it"},
        {"run": ["git", "log", "--format=%an %s"]},
        {"say": "All is made."},
        {"signal": "DONE", "message": "it says {task}"},
    )
    outcome = bench.run(profile)
    assert (outcome.error_text, outcome.signal, outcome.message, outcome.succeeded) == (
        "",
        "DONE",
        "it says fe-1",
        True,
    )
    assert outcome.final.startswith("All is made.\n")
    assert outcome.conversation.startswith("scripted-run-")
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens, outcome.usage.cost_micros) == (100, 20, 10_000)
    assert (bench.work / "a/hello.py").read_text() == "say('fe-1')\n# end\n"
    assert bench.git("log", "--format=%an <%ae> %s") == 'Ada "L" \\ Byron <ada@example.org> Say it\n'
    assert bench.git("status", "--porcelain") == ""


def test_plays_are_chosen_by_profile_purpose_iteration_prompt_and_how_often_it_was_played(bench: Bench) -> None:
    profile = bench.plays(
        {"profile": "senior", "steps": [{"say": "by the senior"}]},
        {"purpose": "respond", "steps": [{"say": "an answer"}]},
        {"prompt": "the special one", "steps": [{"say": "special"}]},
        {"iteration": 3, "steps": [{"say": "the third"}]},
        {"resumed": True, "steps": [{"say": "{resumed} again"}]},
        {"play": 5, "steps": [{"say": "fifth"}]},
        {"steps": [{"say": "any other: {play}"}]},
    )
    said = [
        bench.run(profile, **more).final
        for more in (
            {}, {"name": "senior"}, {"purpose": "respond"}, {"prompt": "do the special one"}, {"iteration": 3},
            {"resumes": "c-7"}, {},
        )
    ]  # fmt: skip
    assert said == ["any other: 1", "by the senior", "an answer", "special", "the third", "c-7 again", "any other: 6"]


@pytest.mark.parametrize("stream", ["claude", "codex", "text"])
def test_it_speaks_in_several_formats(bench: Bench, stream: str) -> None:
    steps = [{"run": ["true"]}, {"say": "so it is"}, {"signal": "BLOCKED", "message": "no key"}]
    profile = replace(bench.plays({"steps": steps}, stream=stream), output=stream)
    outcome = bench.run(profile)
    assert (outcome.signal, outcome.message, outcome.error, outcome.succeeded) == ("BLOCKED", "no key", "none", True)
    limited = replace(bench.script({"fail": "usage limit reached", "status": 429}, stream=stream), output=stream)
    outcome = bench.run(limited)
    assert (outcome.error, outcome.signal, outcome.rc) == ("quota", None, 1)
    assert "usage limit reached" in outcome.error_text


def test_it_crashes_exits_and_is_killed(bench: Bench) -> None:
    assert bench.run(bench.script({"exit": 7})).rc == 7
    killed = bench.run(bench.script({"say": "now"}, {"kill": 9}))
    assert (killed.rc, killed.error, killed.ended) == (-9, "crash", False)
    nothing = bench.run(bench.script({"raw": '{"type":"assis'}, {"exit": 0}))
    assert (nothing.rc, nothing.error, nothing.ended, nothing.malformed) == (0, "crash", False, 1)
    failed = bench.run(bench.script({"run": ["false"]}, {"signal": "DONE"}))
    assert (failed.rc, failed.error, failed.signal) == (4, "refused", None)
    unfit = bench.run(bench.plays({"profile": "another", "steps": []}))
    assert unfit.rc == 3
    assert "no play fits" in unfit.error_text


def test_it_waits_for_a_file_and_is_stopped(bench: Bench) -> None:
    live = bench.prepare(bench.script({"write": "there"}, {"until": "go"}, {"signal": "DONE"}))
    live.go()
    wait_until(live, bench.work / "there")
    (bench.work / "go").touch()
    assert finish(live).signal == "DONE"
    live = bench.prepare(bench.script({"write": "there2"}, {"until": "never"}))
    live.go()
    wait_until(live, bench.work / "there2")
    live.stop("a hold")
    assert finish(live).stopped


def test_what_it_leaves_behind_is_ended(bench: Bench, tmp_path: Path) -> None:
    alive = fifo(tmp_path)
    leave = ["/bin/sh", "-c", f"exec 3>{alive}; : > there; exec tail -f /dev/null"]
    assert bench.run(bench.script({"leave": leave}, {"until": "there"}, {"signal": "DONE"})).signal == "DONE"
    assert not is_held(alive)


def test_it_keeps_parts_of_an_answer_and_gives_input(bench: Bench) -> None:
    profile = bench.script(
        {"run": ["cat"], "input": {"a": [{"b": "deep"}]}, "keep": {"found": "a.0.b"}}, {"say": "{found} {unknown}"}
    )
    assert bench.run(profile).final == "deep {unknown}"
