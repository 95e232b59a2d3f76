"""S1: how an agent says in its last message that its run is over."""

from __future__ import annotations

import msgspec

from foureyes.core.nouns.run import SIGNALS, Signal

FENCES = ("```", "~~~")
LONGEST = 2000
"""So much of what a signal says is kept."""


class Said(msgspec.Struct, frozen=True):
    """A signal, and what was said with it."""

    signal: Signal
    message: str = ""


class _Line(msgspec.Struct):
    type: str
    signal: str
    message: str = ""


def signal_in(final: str) -> Said | None:
    """S1: the last valid signal line of a final message. What stands in a code fence is quoted, and prose is prose."""
    found, fence = None, ""
    for line in final.splitlines():
        text = line.strip()
        if fence:
            fence = "" if text.startswith(fence) and not text.strip(fence[0]) else fence
        elif text.startswith(FENCES):
            fence = text[: len(text) - len(text.lstrip(text[0]))]
        elif text.startswith("{"):
            found = _valid(text) or found
    return found


def _valid(line: str) -> Said | None:
    try:
        read = msgspec.json.decode(line, type=_Line)
    except msgspec.DecodeError:
        return None
    if read.type != "signal" or read.signal not in SIGNALS:
        return None
    return Said(read.signal, read.message[:LONGEST])


def after_echo(output: str, prompt: str) -> str:
    """S1: what a program wrote after it repeated its prompt, if it did: a signal in there is not its own."""
    at = output.rfind(prompt.strip()) if prompt.strip() else -1
    return output if at < 0 else output[at + len(prompt.strip()) :]
