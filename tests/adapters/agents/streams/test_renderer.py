"""A log as people read it, in every format; what is none is shown as it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from foureyes.adapters.agents.streams.renderer import Renderer


def rendered(*lines: Any) -> list[tuple[str, str]]:
    renderer = Renderer()
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    found = [shown for text in texts for shown in renderer.feed(text)] + renderer.rest()
    return [(shown.kind, shown.text) for shown in found]


def block(kind: str, **fields: Any) -> dict[str, Any]:
    return {"content": [{"type": kind, **fields}]}


TOLD: dict[str, tuple[list[Any], list[tuple[str, str]]]] = {
    "claude": (
        [
            {"type": "system", "subtype": "init"},
            {"type": "system", "subtype": "api_retry", "error": "overloaded"},
            {"type": "assistant", "message": block("text", text="I look.")},
            {"type": "assistant", "message": block("tool_use", name="Bash", input={"command": "ls"})},
            {"type": "user", "message": block("tool_result", content="a\nb\nc\nd\ne")},
            {"type": "result", "result": "done", "usage": {"input_tokens": 5, "output_tokens": 2}, "total_cost_usd": 0.5},
        ],
        [
            ("waits", "tries again: overloaded"), ("says", "I look."), ("does", "Bash ls"),
            ("gets", "a\nb\nc\n… 2 more lines"), ("ends", "7 tokens, 0.50 USD"),
        ],
    ),
    "codex": (
        [
            {"type": "thread.started", "thread_id": "t"},
            {"type": "item.completed", "item": {"type": "command_execution", "command": "ls", "aggregated_output": "a"}},
            {"type": "item.completed", "item": {"type": "file_change", "changes": [{"path": "x.py"}]}},
            {"type": "item.completed", "item": {"type": "agent_message", "text": "made"}},
            {"type": "turn.failed", "error": {"message": "no quota"}},
        ],
        [("does", "ls"), ("gets", "a"), ("does", "edits x.py"), ("says", "made"), ("failed", "no quota")],
    ),
    "gemini": (
        [
            {"type": "init", "session_id": "s"},
            {"type": "message", "role": "user", "content": "the prompt"},
            {"type": "message", "role": "assistant", "content": "I ", "delta": True},
            {"type": "message", "role": "assistant", "content": "look.", "delta": True},
            {"type": "tool_use", "tool_name": "shell", "parameters": {"command": "ls"}},
            {"type": "tool_result", "output": "a"},
            {"type": "result", "status": "error", "error": {"message": "400"}},
        ],
        [("says", "I look."), ("does", "shell ls"), ("gets", "a"), ("failed", "400")],
    ),
    "opencode": (
        [
            {"type": "step_start"},
            {"type": "tool_use", "part": {"tool": "write", "state": {"input": {"filePath": "x"}, "output": "ok"}}},
            {"type": "text", "part": {"text": "made"}},
            {"type": "error", "error": {"name": "APIError", "data": {"message": "401"}}},
        ],
        [("does", "write x"), ("gets", "ok"), ("says", "made"), ("failed", "401")],
    ),
    "none": (
        ["==== run-1 dev", "plain", "", '{"some": "json"}', '{"type": "milestone", "summary": "x"}', "{half", "[1]"],
        [
            ("run", "run-1 dev"), ("text", "plain"), ("text", '{"some": "json"}'),
            ("text", '{"type": "milestone", "summary": "x"}'), ("text", "{half"), ("text", "[1]"),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("format", TOLD)
def test_what_an_agent_said_did_and_got_is_shown(format: str) -> None:
    lines, shown = TOLD[format]
    assert rendered(*lines) == shown


def test_values_of_the_wrong_shape_break_nothing() -> None:
    for kind in ("assistant", "user", "system", "result", "item.completed", "tool_use", "text", "error", "message"):
        for value in (None, 7, "x", [1], {"content": 3}):
            rendered({"type": kind, "message": value, "item": value, "part": value, "error": value, "usage": value})
