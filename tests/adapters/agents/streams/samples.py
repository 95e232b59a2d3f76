"""Streams as the programs write them, in few lines: where a test needs one, it is here. Written by hand after real
ones; recorded ones are read by `test_recorded.py`.
"""

from __future__ import annotations

import json

from foureyes.adapters.agents.live_run import Ending, outcome
from foureyes.adapters.agents.streams.parser import RunStreams
from foureyes.core.nouns.run import RunOutcome

SIGNAL = 'Made it.\n{"type":"signal","signal":"DONE","message":"made"}'


def lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def read(
    format: str, stream: bytes, *, rc: int | None = 0, err: bytes = b"", piece: int = 7, secret: str = "",
    asks: bool = False, **more: object,
) -> RunOutcome:  # fmt: skip
    """What becomes of a stream that comes in small pieces."""
    reader = RunStreams(format)
    for at in range(0, len(stream), piece):
        reader.hear(stream[at : at + piece])
    reader.hear_error(err)
    reader.end()
    ending = Ending(rc=rc, **more)  # type: ignore[arg-type]
    return outcome(
        reader, ending, is_text=format == "text", prompt="do it", secret=secret, now=1_000_000_000.0, asks=asks
    )


CLAUDE = lines(
    {"type": "system", "subtype": "init", "session_id": "s-1", "tools": ["Bash"]},
    {"type": "assistant", "session_id": "s-1", "message": {"content": [
        {"type": "text", "text": "I begin."},
        {"type": "tool_use", "name": "Bash", "input": {"command": "ls -la"}}]}},
    {"type": "user", "session_id": "s-1", "message": {"content": [{"type": "tool_result", "content": SIGNAL}]}},
    {"type": "assistant", "session_id": "s-1", "message": {"content": [{"type": "text", "text": SIGNAL}]}},
    {"type": "result", "subtype": "success", "is_error": False, "result": SIGNAL, "session_id": "s-1",
     "total_cost_usd": 0.0123, "usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 3}},
)  # fmt: skip
CODEX = lines(
    {"type": "thread.started", "thread_id": "t-1"},
    {"type": "item.completed", "item": {"type": "error", "message": "Model metadata not found."}},
    {"type": "turn.started"},
    {"type": "item.started", "item": {"type": "command_execution", "command": "ls", "status": "in_progress"}},
    {"type": "item.completed", "item": {"type": "file_change", "changes": [{"path": "/w/a.py", "kind": "add"}]}},
    {"type": "item.completed", "item": {"type": "agent_message", "text": SIGNAL}},
    {"type": "turn.completed", "usage": {"input_tokens": 12, "cached_input_tokens": 2, "output_tokens": 3}},
)
GEMINI = lines(
    {"type": "init", "session_id": "g-1", "model": "m"},
    {"type": "message", "role": "user", "content": SIGNAL.replace("DONE", "FAILED")},
    {"type": "message", "role": "assistant", "content": "I begin.", "delta": True},
    {"type": "tool_use", "tool_name": "write_file", "parameters": {"file_path": "/w/a.py"}},
    {"type": "tool_result", "status": "success"},
    {"type": "message", "role": "assistant", "content": SIGNAL[:20], "delta": True},
    {"type": "message", "role": "assistant", "content": SIGNAL[20:], "delta": True},
    {"type": "result", "status": "success", "stats": {"input_tokens": 20, "output_tokens": 4}},
)
OPENCODE = lines(
    {"type": "step_start", "sessionID": "o-1", "part": {}},
    {"type": "tool_use", "sessionID": "o-1", "part": {"tool": "write", "state": {"input": {"filePath": "/w/a"}}}},
    {"type": "step_finish", "sessionID": "o-1", "part": {
        "reason": "tool-calls", "tokens": {"input": 7, "output": 2, "cache": {"read": 1, "write": 0}}, "cost": 0.001}},
    {"type": "text", "sessionID": "o-1", "part": {"text": SIGNAL}},
    {"type": "step_finish", "sessionID": "o-1", "part": {
        "reason": "stop", "tokens": {"input": 7, "output": 2, "cache": {"read": 0, "write": 0}}, "cost": 0.002}},
)  # fmt: skip
STREAMS = {"claude": CLAUDE, "codex": CODEX, "gemini": GEMINI, "opencode": OPENCODE}
