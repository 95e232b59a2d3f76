"""Parser for claude's `stream-json`, which qwen writes too.

The last event is a `result`. Its `is_error` counts, not its `subtype`. Qwen has neither, and its result ends with "[API
Error: …]" after the message.
"""

from __future__ import annotations

import json

from foureyes.adapters.agents.streams.story import RunStory, StreamEvent, micros, number, rows, table, text
from foureyes.core.nouns.run import Usage
from foureyes.core.words.ids import Shape

API_ERROR = Shape(r"\[API Error: [^\n]*\]\s*\Z")


def take(story: RunStory, event: StreamEvent) -> None:
    kind = event.get("type")
    story.conversation = text(event.get("session_id")) or story.conversation
    if kind == "system":
        _system(story, event)
    elif kind == "assistant":
        _assistant(story, table(event.get("message")), own=not text(event.get("parent_tool_use_id")))
    elif kind == "user":
        story.note()
    elif kind == "result":
        _result(story, event)


def _system(story: RunStory, event: StreamEvent) -> None:
    if event.get("subtype") == "api_retry":
        status = number(event.get("error_status"))
        words = text(event.get("error")) or f"{status or 'error'}: try {number(event.get('attempt'))}"
        story.hope(words, status)
    else:
        story.note()


def _assistant(story: RunStory, message: StreamEvent, *, own: bool) -> None:
    """Process a message. A subagent's text counts like the output of a tool."""
    for block in rows(message.get("content")):
        if block.get("type") == "text" and own:
            story.say(text(block.get("text")))
        elif block.get("type") == "text":
            story.note(text(block.get("text")))
        elif block.get("type") == "tool_use":
            given = table(block.get("input"))
            story.uses(block.get("name"), given)
            story.note(block.get("name"), telling(given))


def telling(given: StreamEvent) -> str:
    """Return the most informative argument of a tool call."""
    names = ("command", "file_path", "path", "pattern", "query", "url", "description", "task")
    return next((text(given[name]) for name in names if text(given.get(name))), "")


def _result(story: RunStory, event: StreamEvent) -> None:
    story.ended = True
    used, final = table(event.get("usage")), text(event.get("result"))
    counted = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    story.usage = Usage(
        input_tokens=sum(number(used.get(name)) for name in counted),
        output_tokens=number(used.get("output_tokens")),
        cost_micros=micros(event.get("total_cost_usd")),
    )
    if event.get("is_error") or API_ERROR.search(final):
        errors = event.get("errors")
        message = final or text(table(event.get("error")).get("message"))
        message = (
            message or "; ".join(map(str, errors if isinstance(errors, list) else ())) or text(event.get("subtype"))
        )
        story.fail(message, number(event.get("api_error_status")))
    elif final:
        story.say(final, again=True)
    if isinstance(event.get("structured_output"), dict):
        story.structured = json.dumps(event["structured_output"])
