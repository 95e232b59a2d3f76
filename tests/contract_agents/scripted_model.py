"""A model that plays a script: OpenAI Responses and Anthropic Messages, on loopback, standard library only.

The step is chosen by how many tool results a request holds, so that side requests (titles, retries) do not move it. In
the arguments of a step `$name` is what a regular expression found in the results so far.
"""

from __future__ import annotations

import json
import re
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

SHELLS: dict[str, Callable[[str], dict[str, Any]]] = {
    "exec_command": lambda line: {"cmd": line},
    "shell_command": lambda line: {"command": line},
    "shell": lambda line: {"command": ["bash", "-c", line]},
    "Bash": lambda line: {"command": line, "description": "run"},
}
"""How a shell tool is called, by its name."""
SEARCH = "tool_search"
WAYS: dict[str, Callable[[str], dict[str, Any]]] = {
    SEARCH: lambda tool: {"query": tool, "limit": 20},
    "ToolSearch": lambda tool: {"query": tool, "max_results": 20},
    "WaitForMcpServers": lambda _: {},
}
"""How a program lets a model look for a tool that it does not list yet: what is found so is no result of a step."""


class Step(NamedTuple):
    """What the model does next: call a tool of the MCP server, run a command, or say something. `before` is done by the
    test first, and gets what was found so far.
    """

    tool: str = ""
    args: Mapping[str, Any] | None = None
    shell: str = ""
    text: str = ""
    before: Callable[[Mapping[str, str]], None] | None = None


class Call(NamedTuple):
    """A tool call: `space` is how codex groups the tools of a server."""

    name: str
    args: Mapping[str, Any]
    space: str = ""


class Script:
    """The steps, what is found in results, and the results themselves, as the program sent them to the model."""

    def __init__(self, steps: Sequence[Step], finds: Mapping[str, str]) -> None:
        self.steps, self.finds = steps, finds
        self.results: list[str] = []
        self.tools: set[str] = set()
        self._done: set[int] = set()
        self._lock = threading.Lock()

    def next(self, results: list[str], tools: Mapping[str, str]) -> Call | str:
        """What to answer to a request with these results and tools (name and space)."""
        if not tools:
            return "side"
        with self._lock:
            self.tools |= set(tools)
            self.results = results if len(results) > len(self.results) else self.results
            number = min(len(results), len(self.steps) - 1)
            step, found = self.steps[number], self._found(results)
            if step.before is not None and number not in self._done:
                self._done.add(number)
                step.before(found)
        return self._as_call(step, found, tools)

    def _found(self, results: Sequence[str]) -> dict[str, str]:
        text = "\n".join(result.replace('\\"', '"') for result in results)
        return {name: found[-1] for name, pattern in self.finds.items() if (found := re.findall(pattern, text))}

    @staticmethod
    def _as_call(step: Step, found: Mapping[str, str], tools: Mapping[str, str]) -> Call | str:
        if step.text:
            return step.text
        if step.shell:
            name = next((name for name in SHELLS if name in tools), "")
            return Call(name, SHELLS[name](_filled(step.shell, found)), tools[name]) if name else "NO SHELL"
        name = next((name for name in sorted(tools) if name.endswith(step.tool)), "")
        args = json.loads(_filled(json.dumps(step.args or {}), found))
        if not name and (way := next((way for way in WAYS if way in tools), "")):
            return Call(way, WAYS[way](step.tool))
        return Call(name, args, tools[name]) if name else f"NO TOOL {step.tool}: {', '.join(sorted(tools))}"


def _filled(text: str, found: Mapping[str, str]) -> str:
    for name, value in found.items():
        text = text.replace(f"${name}", value)
    return text


@contextmanager
def serving(script: Script) -> Iterator[str]:
    """The address of a model that plays the script."""
    handler = type("Playing", (Handler,), {"script": script})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Handler(BaseHTTPRequestHandler):
    """One request."""

    script: Script
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is said."""

    def do_HEAD(self) -> None:
        self._json({})

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [], "models": []})

    def do_POST(self) -> None:
        body = json.loads(self._body() or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith("/responses"):
            self._stream(_responses(self.script.next(*_asked_by_openai(body)), body))
        elif path.endswith("/messages"):
            self._stream(_messages(self.script.next(*_asked_by_anthropic(body)), body))
        else:
            self._json({"input_tokens": 1})

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def _json(self, value: object) -> None:
        raw = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _stream(self, events: list[dict[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()


def _asked_by_openai(body: dict[str, Any]) -> tuple[list[str], dict[str, str]]:
    items = body.get("input") or []
    found = [tool for item in items if item.get("type") == f"{SEARCH}_output" for tool in item.get("tools") or []]
    tools: dict[str, str] = {}
    for tool in [*(body.get("tools") or []), *found]:
        if tool.get("type") == "namespace":
            tools |= {each["name"]: tool["name"] for each in tool.get("tools", [])}
        elif tool.get("name") or tool.get("type") == SEARCH:
            tools[tool.get("name") or SEARCH] = ""
    kinds = ("function_call_output", "custom_tool_call_output", "mcp_tool_call_output")
    return [json.dumps(item.get("output")) for item in items if item.get("type") in kinds], tools


def _asked_by_anthropic(body: dict[str, Any]) -> tuple[list[str], dict[str, str]]:
    blocks = [
        block
        for message in body.get("messages") or []
        if isinstance(message["content"], list)
        for block in message["content"]
    ]
    looking = {block["id"] for block in blocks if block.get("type") == "tool_use" and block["name"] in WAYS}
    answered = [block for block in blocks if block.get("type") == "tool_result"]
    results = [json.dumps(block.get("content")) for block in answered if block["tool_use_id"] not in looking]
    return results, {tool["name"]: "" for tool in body.get("tools") or [] if "name" in tool}


def _name(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex[:20]}"


def _responses(action: Call | str, body: dict[str, Any]) -> list[dict[str, Any]]:
    item: dict[str, Any]
    if isinstance(action, str):
        part = {"type": "output_text", "text": action, "annotations": []}
        item = {"type": "message", "id": _name("msg"), "role": "assistant", "status": "completed", "content": [part]}
    elif action.name == SEARCH:
        item = {"type": f"{SEARCH}_call", "id": _name("ts"), "call_id": _name("call"), "status": "completed"}
        item |= {"execution": "client", "arguments": action.args}
    else:
        item = {"type": "function_call", "id": _name("fc"), "call_id": _name("call"), "status": "completed"}
        item |= {"name": action.name, "arguments": json.dumps(action.args)}
        item |= {"namespace": action.space} if action.space else {}
    usage = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}
    whole = {"id": _name("resp"), "object": "response", "created_at": 0, "model": body.get("model")}
    done = whole | {"status": "completed", "output": [item], "usage": usage}
    return [
        {"type": "response.created", "response": whole | {"status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": done},
    ]


def _messages(action: Call | str, body: dict[str, Any]) -> list[dict[str, Any]]:
    usage = {"input_tokens": 10, "output_tokens": 10}
    whole = {"id": _name("msg"), "type": "message", "role": "assistant", "model": body.get("model"), "usage": usage}
    whole |= {"content": [], "stop_reason": None, "stop_sequence": None}
    if isinstance(action, str):
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta, why = {"type": "text_delta", "text": action}, "end_turn"
    else:
        block = {"type": "tool_use", "id": _name("toolu"), "name": action.name, "input": {}}
        delta, why = {"type": "input_json_delta", "partial_json": json.dumps(action.args)}, "tool_use"
    stop = {"stop_reason": why, "stop_sequence": None}
    return [
        {"type": "message_start", "message": whole},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": usage},
        {"type": "message_stop"},
    ]
