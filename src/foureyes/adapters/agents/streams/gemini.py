"""Parser for gemini's `stream-json`.

The last message arrives in pieces (`delta`) after the last tool call, and a `result` ends the stream. Retries are
reported only on standard error.
"""

from __future__ import annotations

from foureyes.adapters.agents.streams.story import RunStory, StreamEvent, number, table, text
from foureyes.core.nouns.run import Usage
from foureyes.core.words.ids import Shape

TRIED = Shape(r"Attempt \d{1,4} failed(?: with status (\d{3}))?[.:] *(?:Retrying with backoff\.* *)?(.*)")


def take(story: RunStory, event: StreamEvent) -> None:
    kind = event.get("type")
    story.conversation = text(event.get("session_id")) or story.conversation
    if kind == "message" and event.get("role") == "assistant":
        story.say(text(event.get("content")), more=bool(event.get("delta")))
    elif kind == "tool_use":
        story.hear(story.final)
        story.final = ""
        given = table(event.get("parameters"))
        story.uses(event.get("tool_name"), given)
        story.note(event.get("tool_name"), given.get("command") or given.get("file_path") or given.get("path"))
    elif kind == "error":
        story.hope(text(event.get("message")))
    elif kind == "result":
        _result(story, event)
    else:
        story.note()


def _result(story: RunStory, event: StreamEvent) -> None:
    story.ended = True
    story.hear(story.final, again=True)
    stats = table(event.get("stats"))
    story.usage = Usage(
        input_tokens=number(stats.get("input_tokens")), output_tokens=number(stats.get("output_tokens"))
    )
    if event.get("status") != "success":
        error = table(event.get("error"))
        story.fail(text(error.get("message")) or story.trouble, number(error.get("code")))


def overhear(story: RunStory, line: str) -> None:
    """Process a line of standard error."""
    if tried := TRIED.match(line):
        story.hope(tried[2], int(tried[1] or 0))
