"""Parser for codex's `exec --json`.

A turn ends with `turn.completed` or `turn.failed`. An item of type `error` is a warning. A resumed conversation counts
tokens from its beginning.
"""

from __future__ import annotations

from foureyes.adapters.agents.streams.story import RunStory, StreamEvent, number, rows, table, text
from foureyes.core.nouns.run import Usage


def take(story: RunStory, event: StreamEvent) -> None:
    kind = event.get("type")
    if kind == "thread.started":
        story.conversation = text(event.get("thread_id")) or story.conversation
        story.note()
    elif kind in ("item.started", "item.updated", "item.completed"):
        _item(story, table(event.get("item")), is_done=kind == "item.completed")
    elif kind == "error":
        story.hope(text(event.get("message")))
    elif kind == "turn.started":
        story.note()
    elif kind == "turn.failed":
        story.ended = True
        story.fail(text(table(event.get("error")).get("message")) or story.trouble)
    elif kind == "turn.completed":
        story.ended = True
        used = table(event.get("usage"))
        story.usage = Usage(
            input_tokens=number(used.get("input_tokens")), output_tokens=number(used.get("output_tokens"))
        )


def _item(story: RunStory, item: StreamEvent, *, is_done: bool) -> None:
    kind = item.get("type")
    if kind == "agent_message":
        if is_done:
            story.say(text(item.get("text")))
    elif kind == "error":
        return
    elif kind == "file_change":
        story.note("edits", " ".join(text(change.get("path")) for change in rows(item.get("changes"))))
    elif kind == "mcp_tool_call":
        story.note(item.get("server"), item.get("tool"))
    else:
        story.note(item.get("command") or item.get("query") or kind)
