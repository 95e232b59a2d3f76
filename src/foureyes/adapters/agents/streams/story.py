"""The content of a stream so far, in any format and of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from foureyes.core.nouns.run import Usage
from foureyes.core.runner.signals import Spoken, events_in
from foureyes.core.words.text import in_line

LONGEST = 1 << 18
"""Characters kept from the end of a message that arrives in pieces."""
WORDS = 100
MOST_EVENTS = 100
"""Largest number of events from one run. The rest is only in its log. (S3)"""
MILLION = 1_000_000
READERS = frozenset({"read", "read_file", "readfile", "view"})
"""Names of tools that read one file, and after them of their path argument."""
NAMES = ("file_path", "absolute_path", "filePath", "path")
MOST_READ = 10_000

StreamEvent = Mapping[str, Any]


class RunStory(msgspec.Struct, kw_only=True):
    """A run as its stream reports it.

    - trouble: an error that the program still retries
    - failed: an error that ended it
    - status, retry_after: belong to either of them
    - structured: the JSON document that a schema required
    - idle: the last event was not work
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
    """Reported events not yet collected. (S3)"""
    read: set[str] = msgspec.field(default_factory=set)
    """Files read, according to the program's tool calls. (V6)"""
    tells: bool = False
    """True if the stream reports tool calls at all."""
    taken: int = 0
    before: list[Spoken] = msgspec.field(default_factory=list)
    """Events of the last complete message, because some programs repeat it."""

    def note(self, *words: object) -> None:
        """Record work with a short description."""
        self.idle, self.trouble = False, ""
        text = " ".join(str(word) for word in words if isinstance(word, str | int) and str(word).strip())
        self.last = in_line(text, WORDS) if text else self.last

    def uses(self, tool: object, given: StreamEvent) -> None:
        """Record a tool call, and the file if it reads one. (V6)"""
        self.tells = True
        if isinstance(tool, str) and tool.lower() in READERS and len(self.read) < MOST_READ:
            path = next((given[name] for name in NAMES if isinstance(given.get(name), str)), "")
            self.read |= {path} if path else set()

    def say(self, text: str, *, more: bool = False, again: bool = False) -> None:
        """Record the last message. `more` continues it, and `again` means that it may repeat an earlier one."""
        self.final = (self.final + text)[-LONGEST:] if more else text
        self.note(text)
        if not more:
            self.hear(text, again=again)

    def hear(self, message: str, *, again: bool = False) -> None:
        """Record the events of a complete message, up to the run's limit. (S3)"""
        events = events_in(message)
        new = [event for event in events if not again or event not in self.before]
        self.before = events
        self.events += new[: max(0, MOST_EVENTS - self.taken)]
        self.taken += len(new)

    def fail(self, text: str, status: int = 0) -> None:
        """Record a fatal error."""
        self.has_failed, self.failed = True, text or self.failed
        self.status = status or self.status

    def hope(self, text: str, status: int = 0, retry_after: int | None = None) -> None:
        """Record an error that the program retries, which does not count as work."""
        self.trouble, self.status, self.idle = text, status or self.status, True
        self.retry_after = retry_after if retry_after is not None else self.retry_after
        self.last = in_line(text, WORDS)


Take = Callable[[RunStory, StreamEvent], None]


def number(value: object) -> int:
    """Return a count, or 0 for anything else."""
    return int(value) if isinstance(value, int | float) and value == value and 0 <= value < 1 << 60 else 0


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def table(value: object) -> StreamEvent:
    return value if isinstance(value, dict) else {}


def rows(value: object) -> list[StreamEvent]:
    return [table(entry) for entry in value] if isinstance(value, list) else []


def micros(cost: object) -> int:
    """Return a price in millionths."""
    return round(cost * MILLION) if isinstance(cost, int | float) and 0 <= cost < MILLION else 0
