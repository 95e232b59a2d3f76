"""Renders the log of runs for people: messages, actions and results, for every stream format. Display only."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from foureyes.adapters.agents.streams.claude import telling
from foureyes.adapters.agents.streams.story import StreamEvent, number, rows, table, text
from foureyes.app.results.run import LogLine

HEADER = "==== "
LINES_SHOWN = 3
"""Number of lines shown of a tool's output."""
WIDE = 200


class Renderer:
    """Renders one log, joining the pieces of a message."""

    def __init__(self) -> None:
        self._pieces = ""

    def feed(self, line: str) -> list[LogLine]:
        """Return the output for a line."""
        if line.startswith(HEADER):
            return [*self.rest(), LogLine("run", line.removeprefix(HEADER))]
        event = _event(line)
        if event is None:
            return [*self.rest(), LogLine("text", line)] if line.strip() else []
        if event.get("type") == "message" and event.get("role") == "assistant" and event.get("delta"):
            self._pieces += text(event.get("content"))
            return []
        shows = SHOWS.get(text(event.get("type")))
        return [*self.rest(), *(shows(event) if shows else ())]

    def rest(self) -> list[LogLine]:
        """Return a message whose pieces are now complete."""
        pieces, self._pieces = self._pieces, ""
        return [LogLine("says", pieces.strip())] if pieces.strip() else []


def _event(line: str) -> StreamEvent | None:
    if not line.startswith("{"):
        return None
    try:
        event = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None
    known = isinstance(event, dict) and (text(event.get("type")) in SHOWS or text(event.get("type")) in SILENT)
    return event if known else None


def _assistant(event: StreamEvent) -> Iterator[LogLine]:
    """Render events of claude and qwen."""
    for block in rows(table(event.get("message")).get("content")):
        if block.get("type") == "text" and text(block.get("text")).strip():
            yield LogLine("says", text(block.get("text")).strip())
        elif block.get("type") == "tool_use":
            yield LogLine("does", f"{text(block.get('name'))} {telling(table(block.get('input')))}".strip())


def _user(event: StreamEvent) -> Iterator[LogLine]:
    for block in rows(table(event.get("message")).get("content")):
        if block.get("type") == "tool_result":
            content = block.get("content")
            parts = [text(part.get("text")) for part in rows(content)]
            yield from _got(content if isinstance(content, str) else "\n".join(parts))


def _system(event: StreamEvent) -> Iterator[LogLine]:
    if event.get("subtype") == "api_retry":
        yield LogLine("waits", f"tries again: {text(event.get('error')) or number(event.get('error_status'))}")


def _result(event: StreamEvent) -> Iterator[LogLine]:
    """Render events of claude, qwen and gemini."""
    failed = event.get("is_error") or text(event.get("status")) == "error"
    message = text(event.get("result")) or text(table(event.get("error")).get("message"))
    used = table(event.get("usage")) or table(event.get("stats"))
    tokens = number(used.get("input_tokens")) + number(used.get("output_tokens"))
    cost = event.get("total_cost_usd")
    spent = [f"{tokens} tokens"] if tokens else []
    spent += [f"{cost:.2f} USD"] if isinstance(cost, int | float) and cost else []
    if failed:
        yield LogLine("failed", message)
    else:
        yield LogLine("ends", ", ".join(spent) or "done")


def _item(event: StreamEvent) -> Iterator[LogLine]:
    """Render events of codex."""
    item = table(event.get("item"))
    kind = text(item.get("type"))
    if kind == "agent_message":
        yield LogLine("says", text(item.get("text")).strip())
    elif kind == "command_execution":
        yield LogLine("does", text(item.get("command")))
        yield from _got(text(item.get("aggregated_output")))
    elif kind == "file_change":
        yield LogLine("does", "edits " + " ".join(text(change.get("path")) for change in rows(item.get("changes"))))
    elif kind == "mcp_tool_call":
        yield LogLine("does", f"{text(item.get('server'))} {text(item.get('tool'))}")
    elif kind == "error":
        yield LogLine("waits", text(item.get("message")))


def _turn_failed(event: StreamEvent) -> Iterator[LogLine]:
    yield LogLine("failed", text(table(event.get("error")).get("message")))


def _turn_completed(event: StreamEvent) -> Iterator[LogLine]:
    used = table(event.get("usage"))
    yield LogLine("ends", f"{number(used.get('input_tokens')) + number(used.get('output_tokens'))} tokens")


def _message(event: StreamEvent) -> Iterator[LogLine]:
    """Render complete messages of gemini."""
    if event.get("role") == "assistant" and text(event.get("content")).strip():
        yield LogLine("says", text(event.get("content")).strip())


def _tool_use(event: StreamEvent) -> Iterator[LogLine]:
    """Render events of gemini and opencode."""
    part = table(event.get("part"))
    name = text(event.get("tool_name")) or text(part.get("tool"))
    state = table(part.get("state"))
    given = table(event.get("parameters")) or table(state.get("input"))
    yield LogLine("does", f"{name} {telling(given) or text(given.get('filePath'))}".strip())
    yield from _got(text(state.get("output")))


def _tool_result(event: StreamEvent) -> Iterator[LogLine]:
    return _got(text(event.get("output")))


def _text(event: StreamEvent) -> Iterator[LogLine]:
    """Render events of opencode."""
    if words := text(table(event.get("part")).get("text")).strip():
        yield LogLine("says", words)


def _error(event: StreamEvent) -> Iterator[LogLine]:
    error = table(event.get("error"))
    data = table(error.get("data"))
    yield LogLine("failed", text(event.get("message")) or text(data.get("message")) or text(error.get("name")))


def _got(answer: str) -> Iterator[LogLine]:
    """Yield the first lines of a tool's output."""
    lines = [line[:WIDE] for line in answer.splitlines() if line.strip()]
    if lines:
        more = f"\n… {len(lines) - LINES_SHOWN} more lines" if len(lines) > LINES_SHOWN else ""
        yield LogLine("gets", "\n".join(lines[:LINES_SHOWN]) + more)


SHOWS: dict[str, Callable[[StreamEvent], Iterator[LogLine]]] = {
    "assistant": _assistant, "user": _user, "system": _system, "result": _result, "item.completed": _item,
    "turn.failed": _turn_failed, "turn.completed": _turn_completed, "message": _message, "tool_use": _tool_use,
    "tool_result": _tool_result, "text": _text, "error": _error,
}  # fmt: skip
SILENT = frozenset(
    "init thread.started turn.started item.started item.updated step_start step_finish stream_event".split()
)
"""Events without information for people."""
