"""What a stream has told so far, whatever its format; bounded, however long the stream is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from foureyes.core.nouns.run import Usage
from foureyes.core.runner.signals import Spoken, events_in
from foureyes.core.words.text import in_line

LONGEST = 1 << 18
"""Characters of a message in pieces that are kept: its end."""
WORDS = 100
MOST_EVENTS = 100
"""S3: so many events of one run; the others stand in its log."""
MILLION = 1_000_000
READERS = frozenset({"read", "read_file", "readfile", "view"})
"""What the tools are called by which programs read one file; and what they call the file."""
NAMES = ("file_path", "absolute_path", "filePath", "path")
MOST_READ = 10_000

StreamEvent = Mapping[str, Any]


class RunStory(msgspec.Struct, kw_only=True):
    """A run as its stream tells it. `trouble` is an error that the program still tries to get over; `failed` is one
    that ended it. `structured` is a document that it was held to by a schema, as JSON. `status` and `retry_after`
    belong to either. `idle` says that the last event was no work.
    """

    ended: bool = False
    final: str = ""
    structured: str = ""
    conversation: str = ""
    usage: Usage = Usage()
    failed: str = ""
    has_failed: bool = False
    trouble: str = ""
    status: int = 0
    retry_after: int | None = None
    last: str = ""
    idle: bool = False
    lines: int = 0
    malformed: int = 0
    events: list[Spoken] = msgspec.field(default_factory=list)
    """S3: what it said that happened, and nobody took yet."""
    read: set[str] = msgspec.field(default_factory=set)
    """V6: the files that it says it reads, by its tools."""
    tells: bool = False
    """Whether it tells of its tools at all."""
    taken: int = 0
    before: list[Spoken] = msgspec.field(default_factory=list)
    """The events of its last whole message: some programs say it twice."""

    def note(self, *words: object) -> None:
        """The program is at work: what it does, in a few words."""
        self.idle, self.trouble = False, ""
        text = " ".join(str(word) for word in words if isinstance(word, str | int) and str(word).strip())
        self.last = in_line(text, WORDS) if text else self.last

    def uses(self, tool: object, given: StreamEvent) -> None:
        """V6: a tool is used; what is read by one that reads."""
        self.tells = True
        if isinstance(tool, str) and tool.lower() in READERS and len(self.read) < MOST_READ:
            path = next((given[name] for name in NAMES if isinstance(given.get(name), str)), "")
            self.read |= {path} if path else set()

    def say(self, text: str, *, more: bool = False, again: bool = False) -> None:
        """The program's last message so far; `more`: it goes on; `again`: it may be one that was said already."""
        self.final = (self.final + text)[-LONGEST:] if more else text
        self.note(text)
        if not more:
            self.hear(text, again=again)

    def hear(self, message: str, *, again: bool = False) -> None:
        """S3: a message is whole: the events in it, so many of a run at most."""
        events = events_in(message)
        new = [event for event in events if not again or event not in self.before]
        self.before = events
        self.events += new[: max(0, MOST_EVENTS - self.taken)]
        self.taken += len(new)

    def fail(self, text: str, status: int = 0) -> None:
        """The program gave up."""
        self.has_failed, self.failed = True, text or self.failed
        self.status = status or self.status

    def hope(self, text: str, status: int = 0, retry_after: int | None = None) -> None:
        """The program met an error and tries again: that is no work."""
        self.trouble, self.status, self.idle = text, status or self.status, True
        self.retry_after = retry_after if retry_after is not None else self.retry_after
        self.last = in_line(text, WORDS)


Take = Callable[[RunStory, StreamEvent], None]


def number(value: object) -> int:
    """A count; 0 where there is none."""
    return int(value) if isinstance(value, int | float) and value == value and 0 <= value < 1 << 60 else 0


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def table(value: object) -> StreamEvent:
    return value if isinstance(value, dict) else {}


def rows(value: object) -> list[StreamEvent]:
    return [table(entry) for entry in value] if isinstance(value, list) else []


def micros(cost: object) -> int:
    """A price in millionths."""
    return round(cost * MILLION) if isinstance(cost, int | float) and 0 <= cost < MILLION else 0
