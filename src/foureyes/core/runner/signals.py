"""Signals and events that an agent writes as JSON lines in its messages. (S1, S3)"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from foureyes.core.nouns.run import EMIT_TYPES, SIGNALS, EmitType, Signal
from foureyes.core.words.text import is_blank, visible

FENCES = ("```", "~~~")
LONGEST = 2000
"""Characters kept of a signal's message."""
SUMMARY, PAYLOAD = 500, 20_000
"""Characters kept of an event's summary, and largest payload. A larger one is dropped."""


class ParsedSignal(msgspec.Struct, frozen=True):
    """A signal with its message."""

    signal: Signal
    message: str = ""


class Spoken(msgspec.Struct, frozen=True):
    """An event reported by an agent. `payload` is JSON text. (S3)"""

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
    """Return the last valid signal line of a final message. Lines in code fences are quotes, and prose is ignored.
    (S1)
    """
    signal = None
    for line in _own_lines(final):
        signal = _valid(line) or signal
    return signal


def events_in(message: str) -> list[Spoken]:
    """Return the events in a message. They are found like signals, and invalid ones are text. (S3)"""
    return [event for line in _own_lines(message) if (event := _event(line)) is not None]


def _own_lines(message: str) -> Iterator[str]:
    """Yield the lines that may be JSON and are not quoted."""
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
    """Return the output after an echo of the prompt, so that signals quoted in the prompt do not count. (S1)"""
    at = output.rfind(prompt.strip()) if prompt.strip() else -1
    return output if at < 0 else output[at + len(prompt.strip()) :]
