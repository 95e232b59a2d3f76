"""Parses an agent's output stream line by line into a RunStory, in bounded memory. Unreadable lines are counted and
skipped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from foureyes.adapters.agents.streams import claude, codex, gemini, opencode
from foureyes.adapters.agents.streams.story import RunStory, Take
from foureyes.core.words.text import readable

LONGEST = 16 << 20
"""Longest line in bytes. A longer one is skipped."""
TEXT = 1 << 20
"""Bytes kept from the end of the output of a program without events."""
LAST_WORDS = 8192
"""Bytes kept from the end of standard error."""

OVERHEARD: dict[str, Callable[[RunStory, str], None]] = {"gemini": gemini.overhear, "opencode": opencode.overhear}
"""Programs that report retries only on standard error."""

Format = Literal["claude", "codex", "gemini", "opencode", "text"]
FORMATS: dict[str, Take | None] = {
    "claude": claude.take, "codex": codex.take, "gemini": gemini.take, "opencode": opencode.take, "text": None,
}  # fmt: skip


class RunStreams:
    """The two output streams of one run in one of the formats. `text` has no events, so that its whole output is the
    message.
    """

    def __init__(self, format: str) -> None:
        self._take = FORMATS[format]
        self._overhear = OVERHEARD.get(format)
        self._half = b""
        self._rest: list[bytes] = []
        self._size = 0
        self._errors = b""
        self._text = bytearray()
        self.story = RunStory()

    def hear(self, part: bytes) -> None:
        """Process the next piece of standard output."""
        if self._take is None:
            self._text += part
            if len(self._text) > 2 * TEXT:
                del self._text[:-TEXT]
            lines = part[-LAST_WORDS:].split(b"\n")
            self.story.note(readable(next((line for line in reversed(lines) if line.strip()), b"")))
            return
        first, *others = part.split(b"\n")
        self._keep(first)
        for line in others:
            self._flush()
            self._keep(line)

    def hear_error(self, part: bytes) -> None:
        """Process the next piece of standard error."""
        self._errors = (self._errors + part)[-LAST_WORDS:]
        if self._overhear is None:
            return
        *lines, half = (self._half + part).split(b"\n")
        self._half = half[-LAST_WORDS:]
        for line in lines:
            self._overhear(self.story, readable(line[:LAST_WORDS]))

    def end(self) -> None:
        """Finish the streams. A last line without a line end counts."""
        if self._take is None:
            self.story.final = readable(bytes(self._text[-TEXT:]))
        else:
            self._flush()

    @property
    def last_words(self) -> str:
        """The end of standard error."""
        return readable(self._errors).strip()

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > LONGEST:
            self._rest = []
        elif part:
            self._rest.append(part)

    def _flush(self) -> None:
        line, size = b"".join(self._rest), self._size
        self._rest, self._size = [], 0
        if size > LONGEST:
            self.story.malformed += 1
        elif line.strip():
            self._line(line.strip())

    def _line(self, line: bytes) -> None:
        self.story.lines += 1
        assert self._take is not None
        for event in _documents(line):
            if isinstance(event, dict):
                self._take(self.story, event)
            else:
                self.story.malformed += 1


def _documents(line: bytes) -> list[Any]:
    """Return the events of a line: usually one, but possibly a list, or several joined. [None] for unreadable text."""
    try:
        document = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return _joined(line)
    return document if isinstance(document, list) else [document]


def _joined(line: bytes) -> list[Any]:
    """Return the events that two writers put on one line, then None for unreadable text."""
    if not line.startswith(b"{"):
        return [None]
    import json

    decoder, text, events, at = json.JSONDecoder(), line.decode("utf-8", "replace"), list[Any](), 0
    while at < len(text):
        try:
            event, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return [*events, None]
        events.append(event)
        at += len(text) - at - len(text[at:].lstrip())
    return events
