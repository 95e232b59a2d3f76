"""Pastes, read whole: what is pasted is text, whatever stands in it.

The library takes an escape character inside a paste for the beginning of a key: what follows it would be typed, before
the text that stood in front of it, and two of them would leave the form. A log that somebody pastes could decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from textual._xterm_parser import XTermParser
from textual.message import Message

START, END = "\x1b[200~", "\x1b[201~"
CODES = re.compile(r"\x1b(?:\[[0-?]*(?:[@-~]| q|[!-/]+[@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()#%][0-~]|[=>78])?")
"""What terminals are told in the middle of a text: colours, titles, the place of the cursor."""


class Pastes:
    """What comes from a terminal, piece by piece: each paste is handed on whole, and without such codes."""

    def __init__(self) -> None:
        self._tail = ""
        """The end of what was handed on: the start of a paste may come in two pieces."""
        self._held: str | None = None
        """What came of a paste so far; None outside of one."""

    def read(self, data: str) -> str:
        """What is to be handed on now."""
        out = []
        while data:
            piece, data = self._before(data) if self._held is None else self._inside(data)
            out.append(piece)
        return "".join(out)

    def _before(self, data: str) -> tuple[str, str]:
        """Keys, up to where a paste begins; and the rest."""
        text = self._tail + data
        at = text.find(START)
        if at < 0:
            self._tail = text[-len(START) + 1 :]
            return data, ""
        end = at + len(START) - len(self._tail)
        self._tail, self._held = "", ""
        return data[:end], data[end:]

    def _inside(self, data: str) -> tuple[str, str]:
        """A paste that has come to its end, and the rest; nothing until then."""
        self._held = (self._held or "") + data
        text, end, rest = self._held.partition(END)
        if not end:
            return "", ""
        self._held = None
        return CODES.sub("", text) + end, rest


class PasteParser(XTermParser):
    """The library's reader of a terminal, behind one that knows where a paste ends."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._pastes = Pastes()

    def feed(self, data: str) -> Iterable[Message]:
        """What a piece of input means; the empty one is the end."""
        piece = self._pastes.read(data)
        return super().feed(piece) if piece or not data else ()


def read_pastes_whole() -> None:
    """Let terminals be read so from now on; the library makes its reader by this name."""
    from textual.drivers import linux_driver

    setattr(linux_driver, "XTermParser", PasteParser)  # noqa: B010
