"""Parser for opencode's `run --format json`.

Each step reports its own tokens, and the last one ends with the reason `stop`. Retries and some fatal errors appear
only in its log on standard error.
"""

from __future__ import annotations

from foureyes.adapters.agents.streams.story import RunStory, StreamEvent, micros, number, table, text
from foureyes.core.nouns.run import Usage
from foureyes.core.words.ids import Shape

LOGGED = Shape(r'timestamp=\S+ level=ERROR (?!.* agent=title ).* error(?:\.error)?="((?:[^"\\]|\\.)*)"')
NAMELESS = "Unexpected server error"
"""Message that replaces a more specific one in the log."""


def take(story: RunStory, event: StreamEvent) -> None:
    kind, part = event.get("type"), table(event.get("part"))
    story.conversation = text(event.get("sessionID")) or story.conversation
    if kind == "text":
        story.say(text(part.get("text")))
    elif kind == "tool_use":
        given = table(table(part.get("state")).get("input"))
        story.uses(part.get("tool"), given)
        story.note(part.get("tool"), given.get("command") or given.get("filePath") or given.get("pattern"))
    elif kind == "step_finish":
        _finished(story, part)
    elif kind == "error":
        _failed(story, table(event.get("error")))
    else:
        story.note()


def _finished(story: RunStory, part: StreamEvent) -> None:
    tokens, seen = table(part.get("tokens")), story.usage
    cache = table(tokens.get("cache"))
    story.usage = Usage(
        input_tokens=seen.input_tokens + sum(map(number, (tokens.get("input"), cache.get("read"), cache.get("write")))),
        output_tokens=seen.output_tokens + number(tokens.get("output")) + number(tokens.get("reasoning")),
        cost_micros=seen.cost_micros + micros(part.get("cost")),
    )
    story.ended = part.get("reason") not in ("tool-calls", "tool_calls")
    story.note()


def _failed(story: RunStory, error: StreamEvent) -> None:
    data, logged = table(error.get("data")), story.trouble
    message = text(data.get("message")) or text(error.get("name"))
    story.ended = True
    story.fail(logged if logged and message.startswith(NAMELESS) else message, number(data.get("statusCode")))
    waits = text(table(data.get("responseHeaders")).get("retry-after"))
    story.retry_after = int(waits) if waits.isdigit() and len(waits) < 9 else story.retry_after


def overhear(story: RunStory, line: str) -> None:
    """Process a line of standard error. A failure to create a title does not matter."""
    if logged := LOGGED.match(line):
        story.hope(logged[1])
        if story.failed.startswith(NAMELESS):
            story.failed = logged[1]
