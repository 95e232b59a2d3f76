"""A model that answers from a script, on loopback: it asks for one shell command, or one tool of an MCP server, after
the other, then says that it is done. What each of them answered is what the program sends back, and is kept.

It speaks what codex (OpenAI Responses), claude (Anthropic Messages), opencode and qwen (OpenAI Chat) and gemini speak.
The step is the number of results in the request, so that requests beside the conversation (titles) move nothing.
"""

from __future__ import annotations

import json
import re
import subprocess
import threading
import uuid
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DONE = "done"
Calls = tuple[str, dict[str, Any]]
Asked = str | dict[str, Any]
"""A shell command; or a tool of an MCP server by the end of its name, with `args`, and `first` what somebody else runs
before it is called.
"""
FOUND = {"@SEEN@": r'"seen":"([\w.]+)"', "@FINDING@": r'"id":"(TL-[\w-]+)"'}


class Conversation:
    """What is asked for, and what came back. `@SEEN@` in it is the change that an earlier one handed in, `@FINDING@` a
    finding that one listed.
    """

    def __init__(self, commands: Sequence[Asked]) -> None:
        self.commands = commands
        self.printed: list[str] = []
        self._begun = 0
        self._lock = threading.Lock()

    def next(self, results: list[str], tools: dict[str, dict[str, Any]]) -> Calls | None:
        """The next call of the program's shell, or of a tool; None where there is nothing left, or no such tool."""
        with self._lock:
            if len(results) > len(self.printed):
                self.printed = results
            if not tools or len(results) >= len(self.commands):
                return None
            asked = self.commands[len(results)]
            if isinstance(asked, str):
                name = next((name for name in SHELLS if name in tools), "")
                return (name, SHELLS[name](self._filled(asked, results))) if name else None
            if self._begun <= len(results):
                self._begun = len(results) + 1
                subprocess.run(asked.get("first") or ["true"], check=True, capture_output=True)
        name = next((name for name in tools if name.endswith(asked["tool"])), "")
        if name:
            return name, json.loads(self._filled(json.dumps(asked.get("args") or {}), results))
        return next(((way, WAYS[way](asked["tool"])) for way in WAYS if way in tools), None)

    @staticmethod
    def _filled(command: str, results: list[str]) -> str:
        for mark, pattern in FOUND.items():
            found = re.search(pattern, "".join(results))
            command = command.replace(mark, found[1] if found else "nothing-was-found")
        return command


SHELLS: dict[str, Callable[[str], dict[str, Any]]] = {
    "exec_command": lambda command: {"cmd": command, "yield_time_ms": 30000},
    "shell_command": lambda command: {"command": command, "timeout_ms": 60000},
    "shell": lambda command: {"command": ["bash", "-lc", command]},
    "Bash": lambda command: {"command": command, "description": "next"},
    "bash": lambda command: {"command": command, "description": "next"},
    "run_shell_command": lambda command: {"command": command, "description": "next", "is_background": False},
}
"""The shells of the programs, and how each is called."""

SEARCH = "tool_search"
WAYS: dict[str, Callable[[str], dict[str, Any]]] = {
    SEARCH: lambda tool: {"query": tool, "limit": 20},
    "ToolSearch": lambda tool: {"query": tool, "max_results": 20},
    "WaitForMcpServers": lambda _: {},
}
"""How a program lets a model look for a tool that it does not list, or not yet: what comes of it is no result."""


def text_of(content: object) -> str:
    """The text of a result, however a program wraps it."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(map(text_of, content))
    if isinstance(content, dict):
        return text_of(content.get("text") or content.get("output") or content.get("content") or "")
    return ""


def serve(conversation: Conversation) -> ThreadingHTTPServer:
    """A server on loopback; its port is in `server_address`."""

    class Handler(Answering):
        talk = conversation

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Answering(BaseHTTPRequestHandler):
    talk: Conversation

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""

    def do_HEAD(self) -> None:
        self._send(b"", "text/plain")

    def do_GET(self) -> None:
        self._send(b'{"object":"list","data":[],"models":[]}', "application/json")

    def do_POST(self) -> None:
        asked = json.loads(self._body() or b"{}")
        path = self.path.partition("?")[0]
        speaker = next((speak for ending, speak in SPEAKERS.items() if path.endswith(ending)), None)
        if speaker is None:
            return self._send(b'{"input_tokens":1,"totalTokens":1}', "application/json")
        events, whole = speaker(self.talk, asked)
        if asked.get("stream") or "stream" in path:
            lines = [
                (f"event: {event['type']}\n" if "type" in event else "") + f"data: {json.dumps(event)}\n\n"
                for event in events
            ]
            return self._send("".join(lines).encode() + b"data: [DONE]\n\n" * (speaker is _chat), "text/event-stream")
        return self._send(json.dumps(whole).encode(), "application/json")

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


Answer = tuple[list[dict[str, Any]], dict[str, Any]]
"""The events of a stream, and the same as one document."""


def _id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex[:16]}"


def _responses(talk: Conversation, asked: dict[str, Any]) -> Answer:
    """OpenAI Responses, as codex speaks it."""
    found = [tool for item in asked["input"] for tool in item.get("tools") or () if item["type"] == f"{SEARCH}_output"]
    offered = [*(asked.get("tools") or ()), *found]
    tools = {tool.get("name") or tool.get("type"): tool for tool in offered if tool.get("type") != "namespace"}
    for space in (tool for tool in offered if tool.get("type") == "namespace"):
        tools |= {tool["name"]: tool | {"namespace": space["name"]} for tool in space.get("tools") or ()}
    results = [text_of(item.get("output")) for item in asked["input"] if str(item.get("type")).endswith("call_output")]
    call = talk.next(results, tools)
    item: dict[str, Any] = {"id": _id("item"), "status": "completed"}
    if call is None:
        part = {"type": "output_text", "text": DONE, "annotations": []}
        item |= {"type": "message", "role": "assistant", "content": [part]}
    elif call[0] == SEARCH:
        item |= {"type": f"{SEARCH}_call", "call_id": _id("call"), "execution": "client", "arguments": call[1]}
    else:
        item |= {"type": "function_call", "call_id": _id("call"), "name": call[0], "arguments": json.dumps(call[1])}
        item |= {"namespace": space} if (space := tools[call[0]].get("namespace")) else {}
    used = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    begun: dict[str, Any] = {"id": _id("resp"), "object": "response", "status": "in_progress", "output": []}
    whole = begun | {"status": "completed", "output": [item], "usage": used}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    return events, whole


def _messages(talk: Conversation, asked: dict[str, Any]) -> Answer:
    """Anthropic Messages, as claude speaks it."""
    blocks = [block for message in asked["messages"] for block in message["content"] if isinstance(block, dict)]
    ways = {block["id"] for block in blocks if block.get("type") == "tool_use" and block["name"] in WAYS}
    answered = [block for block in blocks if block.get("type") == "tool_result" and block["tool_use_id"] not in ways]
    results = [text_of(block.get("content")) for block in answered]
    call = talk.next(results, {tool.get("name"): tool for tool in asked.get("tools") or ()})
    used = {"input_tokens": 1, "output_tokens": 1}
    if call is None:
        block, delta, why = {"type": "text", "text": DONE}, {"type": "text_delta", "text": DONE}, "end_turn"
        empty: dict[str, Any] = {"type": "text", "text": ""}
    else:
        empty = {"type": "tool_use", "id": _id("toolu"), "name": call[0], "input": {}}
        block, why = empty | {"input": call[1]}, "tool_use"
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
    begun: dict[str, Any] = {
        "id": _id("msg"),
        "type": "message",
        "role": "assistant",
        "model": asked.get("model"),
        "content": [],
    }
    begun |= {"stop_reason": None, "stop_sequence": None, "usage": used}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": why, "stop_sequence": None}, "usage": used},
        {"type": "message_stop"},
    ]
    return events, begun | {"content": [block], "stop_reason": why}


def _chat(talk: Conversation, asked: dict[str, Any]) -> Answer:
    """OpenAI Chat, as opencode and qwen speak it."""
    results = [text_of(message.get("content")) for message in asked["messages"] if message["role"] == "tool"]
    call = talk.next(
        results, {tool["function"]["name"]: tool for tool in asked.get("tools") or () if "function" in tool}
    )
    said: dict[str, Any] = {"role": "assistant", "content": DONE}
    if call is not None:
        function = {"name": call[0], "arguments": json.dumps(call[1])}
        said = {"role": "assistant", "content": None}
        said["tool_calls"] = [{"index": 0, "id": _id("call"), "type": "function", "function": function}]
    whole: dict[str, Any] = {"id": _id("chat"), "created": 0, "model": asked.get("model")}
    whole["usage"] = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    ended = "stop" if call is None else "tool_calls"
    part = whole | {"object": "chat.completion.chunk"}
    events = [
        part | {"choices": [{"index": 0, "delta": said, "finish_reason": None}]},
        part | {"choices": [{"index": 0, "delta": {}, "finish_reason": ended}]},
    ]
    return events, whole | {"choices": [{"index": 0, "message": said, "finish_reason": ended}]}


def _gemini(talk: Conversation, asked: dict[str, Any]) -> Answer:
    """Gemini, as gemini speaks it."""
    parts = [part for content in asked.get("contents") or () for part in content.get("parts") or ()]
    results = [text_of(part["functionResponse"].get("response")) for part in parts if "functionResponse" in part]
    offered = [tool.get("functionDeclarations") or () for tool in asked.get("tools") or ()]
    call = talk.next(results, {each["name"]: each for declared in offered for each in declared})
    part = {"text": DONE} if call is None else {"functionCall": {"name": call[0], "args": call[1]}}
    content = {"role": "model", "parts": [part]}
    used = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    whole = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": used}
    return [whole], whole


SPEAKERS = {
    "/responses": _responses,
    "/messages": _messages,
    "/chat/completions": _chat,
    ":generateContent": _gemini,
    ":streamGenerateContent": _gemini,
}
