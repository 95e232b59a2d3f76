"""What a stream has told, whatever shape its values have."""

from __future__ import annotations

import json

import pytest

from foureyes.adapters.agents.streams.parser import RunStreams
from foureyes.adapters.agents.streams.story import LONGEST, RunStory, micros, number, rows, table, text


def test_values_of_the_wrong_shape_are_nothing() -> None:
    assert [number(value) for value in (3, 2.9, -1, None, "7", float("nan"), 1 << 70)] == [3, 2, 0, 0, 0, 0, 0]
    assert (text(3), table([]), rows({}), rows([1, {"a": 1}])) == ("", {}, [], [{}, {"a": 1}])
    assert [micros(cost) for cost in (0.5, -1, None, "1", float("nan"))] == [500_000, 0, 0, 0, 0]


def test_a_message_in_pieces_keeps_its_end_and_work_ends_a_trouble() -> None:
    story = RunStory()
    story.hope("429", 429, retry_after=5)
    assert (story.idle, story.trouble) == (True, "429")
    for _ in range(20):
        story.say("x" * (LONGEST // 10), more=True)
    assert (len(story.final), story.idle, story.trouble, story.retry_after) == (LONGEST, False, "", 5)


def test_what_is_shown_of_it_is_one_line_without_anything_hidden() -> None:
    story = RunStory()
    story.note("Bash", "a\nb\x1b[31m" + "c" * 500, None, 3)
    assert "\n" not in story.last
    assert "\x1b" not in story.last
    assert len(story.last) <= 100


EVENT = '{"type": "milestone", "summary": "half of it"}'


def told(format: str, *events: object) -> list[str]:
    reader = RunStreams(format)
    for event in events:
        reader.hear(json.dumps(event).encode() + b"\n")
    reader.end()
    return [f"{said.type}: {said.summary}" for said in reader.story.events]


def claude_says(text: str, **more: object) -> dict[str, object]:
    return {"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}, **more}


OWN: dict[str, list[object]] = {
    "claude": [claude_says(f"So far:\n{EVENT}"), {"type": "result", "result": f"So far:\n{EVENT}\nmore"}],
    "codex": [{"type": "item.completed", "item": {"type": "agent_message", "text": EVENT}}],
    "gemini": [
        {"type": "message", "role": "assistant", "content": EVENT[:20], "delta": True},
        {"type": "message", "role": "assistant", "content": EVENT[20:], "delta": True},
        {"type": "tool_use", "tool_name": "shell"},
        {"type": "result", "status": "success"},
    ],
    "opencode": [{"type": "text", "part": {"text": EVENT}}],
}
QUOTED: dict[str, list[object]] = {
    "claude": [
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": EVENT}]}},
        claude_says(EVENT, parent_tool_use_id="toolu_1"),
        {"type": "milestone", "summary": "a line of the stream that is no message"},
    ],
    "codex": [{"type": "item.completed", "item": {"type": "command_execution", "aggregated_output": EVENT}}],
    "gemini": [{"type": "tool_result", "output": EVENT}, {"type": "message", "role": "user", "content": EVENT}],
    "opencode": [{"type": "tool_use", "part": {"tool": "bash", "state": {"output": EVENT}}}],
}


@pytest.mark.parametrize("format", OWN)
def test_an_event_in_a_message_of_its_own_is_said_once_S3(format: str) -> None:
    assert told(format, *OWN[format]) == ["milestone: half of it"]


@pytest.mark.parametrize("format", QUOTED)
def test_an_event_that_a_tool_or_the_prompt_quotes_is_nobodys_S3(format: str) -> None:
    assert told(format, *QUOTED[format]) == []


def test_a_run_that_says_the_same_for_ever_is_bounded_S3() -> None:
    assert len(told("claude", *[claude_says(EVENT)] * 300)) == 100


def test_what_is_read_by_a_tool_that_reads_is_told_and_nothing_else_V6() -> None:
    story = RunStory()
    story.uses("Read", {"file_path": "/w/a.py"})
    story.uses("read_file", {"absolute_path": "/w/b.py"})
    story.uses("read", {"filePath": "/w/c.py"})
    story.uses("Bash", {"command": "cat d.py"})
    story.uses("Write", {"file_path": "/w/e.py"})
    story.uses("Read", {"file_path": 3})
    assert story.read == {"/w/a.py", "/w/b.py", "/w/c.py"}
    assert (story.tells, RunStory().tells) == (True, False)
