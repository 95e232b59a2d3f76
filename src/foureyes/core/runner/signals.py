"""S1, S3: what an agent says in its own messages by a line of JSON: that its run is over, and what happened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from foureyes.core.nouns.run import EMIT_TYPES, SIGNALS, EmitType, Signal
from foureyes.core.words.text import is_blank, visible

FENCES = ("```", "~~~")
LONGEST = 2000
"""So much of what a signal says is kept."""
SUMMARY, PAYLOAD = 500, 20_000
"""So much of what an event says is kept; a larger payload is not."""


class ParsedSignal(msgspec.Struct, frozen=True):
    """A signal, and what was said with it."""

    signal: Signal
    message: str = ""


class Spoken(msgspec.Struct, frozen=True):
    """S3: something that happened, as an agent says it; `payload` is JSON text."""

    type: EmitType
    summary: str
    payload: str = ""


class _SignalLine(msgspec.Struct):
    type: str
    signal: str
    message: str = ""


class _EventLine(msgspec.Struct):
    type: str
    summary: str
    payload: dict[str, Any] | None = None


def signal_in(final: str) -> ParsedSignal | None:
    """S1: the last valid signal line of a final message. What stands in a code fence is quoted, and prose is prose."""
    signal = None
    for line in _own_lines(final):
        signal = _valid(line) or signal
    return signal


def events_in(message: str) -> list[Spoken]:
    """S3: the events of a message, as signals are found in one; what is none is text."""
    return [event for line in _own_lines(message) if (event := _event(line)) is not None]


def _own_lines(message: str) -> Iterator[str]:
    """The lines that may be JSON, and are not quoted."""
    fence = ""
    for line in message.splitlines():
        text = line.strip()
        if fence:
            fence = "" if text.startswith(fence) and not text.strip(fence[0]) else fence
        elif text.startswith(FENCES):
            fence = text[: len(text) - len(text.lstrip(text[0]))]
        elif text.startswith("{"):
            yield text


def _event(line: str) -> Spoken | None:
    try:
        read = msgspec.json.decode(line, type=_EventLine)
    except (msgspec.DecodeError, RecursionError):
        return None
    kind = next((each for each in EMIT_TYPES if each == read.type), None)
    summary = " ".join(visible(read.summary).split())[:SUMMARY].strip()
    if kind is None or is_blank(summary):
        return None
    payload = msgspec.json.encode(read.payload).decode() if read.payload else ""
    return Spoken(kind, summary, payload if len(payload) <= PAYLOAD else "")


def _valid(line: str) -> ParsedSignal | None:
    try:
        read = msgspec.json.decode(line, type=_SignalLine)
    except msgspec.DecodeError:
        return None
    if read.type != "signal" or read.signal not in SIGNALS:
        return None
    return ParsedSignal(read.signal, read.message[:LONGEST])


def after_echo(output: str, prompt: str) -> str:
    """S1: what a program wrote after it repeated its prompt, if it did: a signal in there is not its own."""
    at = output.rfind(prompt.strip()) if prompt.strip() else -1
    return output if at < 0 else output[at + len(prompt.strip()) :]
