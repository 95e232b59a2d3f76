"""Agents that speak ACP: below the same reaper, answered by policy, ending as any other does (S1, S2)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from foureyes.adapters.agents.acp import options_of
from foureyes.core.rules.policy import Profile

from tests.adapters.agents.bench import Bench

AGENT = str(Path(__file__).with_name("acp_agent.py"))


def speaks(bench: Bench, play: str) -> Profile:
    return Profile(sys.executable, adapter="acp", args=("-I", AGENT, play, str(bench.folder / "asked")))


def asked(bench: Bench) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (bench.folder / "asked").read_text().splitlines()]


def test_it_is_given_its_prompt_lets_write_and_says_how_it_ended_S1(bench: Bench) -> None:
    found = bench.run(speaks(bench, "work"), prompt="hello\n")
    assert (found.succeeded, found.signal, found.message, found.conversation) == (True, "DONE", "it is there", "")
    assert (bench.work / "hello.txt").read_text() == "hello\n"
    assert bench.log.count("tool_use") == 1
    first, second, third = asked(bench)
    assert first["params"]["clientCapabilities"] == {
        "fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False,
    }  # fmt: skip
    assert (second["method"], second["params"]) == ("session/new", {"cwd": str(bench.work), "mcpServers": []})
    assert third["method"] == "session/prompt"


def test_who_must_not_write_is_let_read_only_and_in_a_mode_for_it(bench: Bench) -> None:
    found = bench.run(speaks(bench, "work"), role="review", purpose="review")
    assert found.succeeded
    assert not (bench.work / "hello.txt").exists()
    modes = [row["params"]["modeId"] for row in asked(bench) if row["method"] == "session/set_mode"]
    assert modes == ["plan"]


def test_it_goes_on_with_a_conversation_where_it_can_and_what_is_repeated_is_not_said_again(bench: Bench) -> None:
    found = bench.run(speaks(bench, "load"), resumes="s1")
    assert (found.signal, found.conversation) == ("DONE", "s1")
    assert asked(bench)[1]["method"] == "session/load"
    again = bench.run(speaks(bench, "work"), resumes="s1")
    assert (again.succeeded, again.error_text) == (False, "the agent cannot continue a conversation")


@pytest.mark.parametrize(
    ("play", "error", "told"),
    [
        ("error", "quota", "Internal error: 429 rate limit"),
        ("login", "auth", "Authentication required"),
        ("system", "auth", "stream error: 401 Unauthorized"),
        ("refusal", "refused", "the agent refused to continue"),
        ("gone", "crash", "the agent ended in the middle of its work"),
    ],
)
def test_each_end_that_is_none_is_an_error_in_its_own_words_S2(bench: Bench, play: str, error: str, told: str) -> None:
    found = bench.run(speaks(bench, play))
    assert (found.succeeded, found.error, found.error_text, found.signal) == (False, error, told, None)


@pytest.mark.parametrize(("play", "final"), [("files", "-32601"), ("garbage", "")])
def test_it_is_offered_no_files_and_what_cannot_be_read_is_left_out(bench: Bench, play: str, final: str) -> None:
    found = bench.run(speaks(bench, play))
    assert (found.succeeded, found.final) == (True, final)


def test_its_own_options_end_where_the_agents_begin() -> None:
    words = ["--reads", "--resume", "c1", "--", "--acp", "--resume"]
    assert options_of(words) == ({"--reads": "", "--resume": "c1"}, ["--acp", "--resume"])
