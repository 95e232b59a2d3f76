"""The four languages in which agent programs talk to their models: what a request says, and what answers it.

OpenAI Responses (codex), Anthropic Messages (claude), OpenAI Chat (opencode and qwen) and Gemini (gemini).
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

import msgspec

SEARCH = "tool_search"
WAYS: dict[str, Callable[[str], dict[str, Any]]] = {
    SEARCH: lambda tool: {"query": tool},
    "ToolSearch": lambda tool: {"query": tool, "max_results": 20},
    "WaitForMcpServers": lambda _: {},
}
"""How a program lets a model look for a tool that it does not list, or not yet: what comes of it is no result."""


class Heard(msgspec.Struct, frozen=True):
    """What a request says: what tools have answered, what the model has said, which tools there are."""

    results: list[str]
    said: list[str]
    tools: dict[str, dict[str, Any]]


class Say(msgspec.Struct, frozen=True):
    """The model says something, and its turn is over."""

    text: str


class Call(msgspec.Struct, frozen=True):
    """The model calls a tool; with a text instead of arguments, where the tool takes any text."""

    name: str
    args: dict[str, Any] | str


Answer = tuple[list[dict[str, Any]], dict[str, Any]]
"""The events of a stream, and the same as one document."""
USED = (1200, 34)
"""Tokens in and out, of every answer."""


class Language(msgspec.Struct, frozen=True):
    """A way to talk to a model; `vendor` is whose words its errors have."""

    vendor: str
    hear: Callable[[dict[str, Any]], Heard]
    answer: Callable[[dict[str, Any], Heard, Say | Call], Answer]


def text_of(content: object) -> str:
    """The text of a result, however a program wraps it."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(map(text_of, content))
    if isinstance(content, dict):
        return text_of(content.get("text") or content.get("output") or content.get("content") or "")
    return ""


def _id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex[:16]}"


def _hear_responses(asked: dict[str, Any]) -> Heard:
    items = asked["input"]
    found = [tool for item in items for tool in item.get("tools") or () if item["type"] == f"{SEARCH}_output"]
    offered = [*(asked.get("tools") or ()), *found]
    tools = {tool.get("name") or tool.get("type"): tool for tool in offered if tool.get("type") != "namespace"}
    for space in (tool for tool in offered if tool.get("type") == "namespace"):
        tools |= {tool["name"]: tool | {"namespace": space["name"]} for tool in space.get("tools") or ()}
    results = [text_of(item.get("output")) for item in items if str(item.get("type")).endswith("call_output")]
    return Heard(results, [text_of(item.get("content")) for item in items if item.get("role") == "assistant"], tools)


def _responses(asked: dict[str, Any], heard: Heard, move: Say | Call) -> Answer:
    item: dict[str, Any] = {"id": _id("item"), "status": "completed"}
    if isinstance(move, Say):
        part = {"type": "output_text", "text": move.text, "annotations": []}
        item |= {"type": "message", "role": "assistant", "content": [part]}
    elif move.name == SEARCH:
        item |= {"type": f"{SEARCH}_call", "call_id": _id("call"), "execution": "client", "arguments": move.args}
    elif isinstance(move.args, str):
        item |= {"type": "custom_tool_call", "call_id": _id("call"), "name": move.name, "input": move.args}
    else:
        item |= {"type": "function_call", "call_id": _id("call"), "name": move.name, "arguments": json.dumps(move.args)}
        item |= {"namespace": space} if (space := heard.tools[move.name].get("namespace")) else {}
    used = {"input_tokens": USED[0], "output_tokens": USED[1], "total_tokens": sum(USED)}
    begun: dict[str, Any] = {"id": _id("resp"), "object": "response", "status": "in_progress", "output": []}
    whole = begun | {"status": "completed", "output": [item], "usage": used}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    return events, whole


def _hear_messages(asked: dict[str, Any]) -> Heard:
    contents = [(message["role"], message["content"]) for message in asked["messages"]]
    blocks = [block for _, content in contents for block in content if isinstance(block, dict)]
    ways = {block["id"] for block in blocks if block.get("type") == "tool_use" and block["name"] in WAYS}
    answered = [block for block in blocks if block.get("type") == "tool_result" and block["tool_use_id"] not in ways]
    said = [text_of(content) for role, content in contents if role == "assistant"]
    tools = {tool.get("name"): tool for tool in asked.get("tools") or ()}
    return Heard([text_of(block.get("content")) for block in answered], said, tools)


def _messages(asked: dict[str, Any], heard: Heard, move: Say | Call) -> Answer:
    used = {"input_tokens": USED[0], "output_tokens": USED[1]}
    if isinstance(move, Say):
        block, delta, why = {"type": "text", "text": move.text}, {"type": "text_delta", "text": move.text}, "end_turn"
        empty: dict[str, Any] = {"type": "text", "text": ""}
    else:
        empty = {"type": "tool_use", "id": _id("toolu"), "name": move.name, "input": {}}
        block, why = empty | {"input": move.args}, "tool_use"
        delta = {"type": "input_json_delta", "partial_json": json.dumps(move.args)}
    begun: dict[str, Any] = {"id": _id("msg"), "type": "message", "role": "assistant", "model": asked.get("model")}
    begun |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": used}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": why, "stop_sequence": None}, "usage": used},
        {"type": "message_stop"},
    ]
    return events, begun | {"content": [block], "stop_reason": why}


def _hear_chat(asked: dict[str, Any]) -> Heard:
    messages = asked["messages"]
    tools = {tool["function"]["name"]: tool for tool in asked.get("tools") or () if "function" in tool}
    said = [text_of(message.get("content")) for message in messages if message["role"] == "assistant"]
    calls = [call for message in messages for call in message.get("tool_calls") or ()]
    ways = {call["id"] for call in calls if call["function"]["name"] in WAYS}
    answered = [each for each in messages if each["role"] == "tool" and each.get("tool_call_id") not in ways]
    return Heard([text_of(message.get("content")) for message in answered], said, tools)


def _chat(asked: dict[str, Any], heard: Heard, move: Say | Call) -> Answer:
    if isinstance(move, Say):
        said: dict[str, Any] = {"role": "assistant", "content": move.text}
    else:
        function = {"name": move.name, "arguments": json.dumps(move.args)}
        said = {"role": "assistant", "content": None}
        said["tool_calls"] = [{"index": 0, "id": _id("call"), "type": "function", "function": function}]
    whole: dict[str, Any] = {"id": _id("chat"), "created": 0, "model": asked.get("model")}
    used = {"prompt_tokens": USED[0], "completion_tokens": USED[1], "total_tokens": sum(USED)}
    ended = "stop" if isinstance(move, Say) else "tool_calls"
    part = whole | {"object": "chat.completion.chunk"}
    events = [
        part | {"choices": [{"index": 0, "delta": said, "finish_reason": None}]},
        part | {"choices": [{"index": 0, "delta": {}, "finish_reason": ended}]},
        part | {"choices": [], "usage": used},
    ]
    return events, whole | {"usage": used, "choices": [{"index": 0, "message": said, "finish_reason": ended}]}


def _hear_gemini(asked: dict[str, Any]) -> Heard:
    contents = [(content.get("role"), content.get("parts") or ()) for content in asked.get("contents") or ()]
    parts = [part for _, parts in contents for part in parts]
    results = [text_of(part["functionResponse"].get("response")) for part in parts if "functionResponse" in part]
    offered = [tool.get("functionDeclarations") or () for tool in asked.get("tools") or ()]
    said = [text_of(list(parts)) for role, parts in contents if role == "model"]
    return Heard(results, said, {each["name"]: each for declared in offered for each in declared})


def _gemini(asked: dict[str, Any], heard: Heard, move: Say | Call) -> Answer:
    used = {"promptTokenCount": USED[0], "candidatesTokenCount": USED[1], "totalTokenCount": sum(USED)}

    def document(part: dict[str, Any], ended: dict[str, Any]) -> dict[str, Any]:
        candidate = {"content": {"role": "model", "parts": [part]}, "index": 0} | ended
        return {"candidates": [candidate], "usageMetadata": used}

    last = {"finishReason": "STOP"}
    if isinstance(move, Call):
        whole = document({"functionCall": {"name": move.name, "args": move.args}}, last)
        return [whole], whole
    half = len(move.text) // 2
    events = [document({"text": move.text[:half]}, {}), document({"text": move.text[half:]}, last)]
    return events, document({"text": move.text}, last)


CHAT = Language("openai", _hear_chat, _chat)
GEMINI = Language("google", _hear_gemini, _gemini)
LANGUAGES = {
    "/responses": Language("openai", _hear_responses, _responses),
    "/messages": Language("anthropic", _hear_messages, _messages),
    "/chat/completions": CHAT,
    ":generateContent": GEMINI,
    ":streamGenerateContent": GEMINI,
}
"""By the end of the address that is asked."""
