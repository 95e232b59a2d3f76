"""What a report says about a test that failed: its words, short enough to be read, and where in the tree it is (L3)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from foureyes.adapters.checks.tree_files import CheckedFiles
from foureyes.core.loop.failures import LONGEST_TOLD
from foureyes.core.words.text import spaced

MESSAGE, BEGIN, END = 700, 800, 480
"""How much of a message is kept, and of the text below it from its beginning and its end."""
LINES = re.compile(
    r"""File\ "(?P<python>[^"\n]+)",\ line\ (?P<of>[0-9]{1,7})        # Python's own
    |\((?P<inside>[^()\n]+?):(?P<at>[0-9]{1,7})(?::[0-9]+)?\)          # JavaScript and Java: (path:line:column)
    |(?P<path>[^\s:()\[\]'"<>|,;]+\.[A-Za-z0-9]{1,8}):(?P<line>[0-9]{1,7})\b""",
    re.VERBOSE,
)
COLUMN = re.compile(r"\bline ([0-9]{1,7}), col(?:umn)? [0-9]", re.IGNORECASE)
OTHERS = frozenset({"node_modules", "site-packages", "dist-packages", "vendor", ".venv", "venv"})
"""Directories that hold other people's code."""
MOST_PLACES = 100
FROM_ZERO = "pytest"
"""The suite of the one reporter that counts lines from 0."""


class Told:
    """What stands in a failure; the beginning and the end of a long one."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        self.message = message
        self.text = ""

    def hear(self, text: str, most: int) -> None:
        """Take the next piece."""
        whole = self.text + text
        self.text = whole if len(whole) <= most else whole[: most // 2] + "\n" + whole[-most // 2 :]


def message_of(failure: Told, files: CheckedFiles) -> str:
    """The words, the message first; the text below only as far as it says more."""
    text = files.cut(spaced(failure.text, len(failure.text) + 1).strip("\n"))
    message = files.cut(spaced(failure.message, MESSAGE).strip()) or ("" if text.strip() else failure.kind.strip())
    if message and message in text[: len(message) + 200]:
        message = ""
    if len(text) > BEGIN + END:
        text = f"{text[:BEGIN].rstrip()}\n…\n{text[-END:].lstrip()}"
    return "\n\n".join(part for part in (message, text) if part.strip())[:LONGEST_TOLD]


def where(failure: Told, attributes: Mapping[str, str], files: CheckedFiles) -> tuple[str, int]:
    """The file and line of the tree that it is about: those that the report gives, else the first that the words name,
    else the file that a class is called after.
    """
    path = files.find(attributes["file"])
    near = re.split(r"[./\\]", attributes["classname"])
    places = _places(f"{failure.message}\n{failure.text}", near, files)
    if path:
        return path, next((line for file, line in places if file == path), 0) or _given(attributes)
    if places:
        return places[0]
    return _of_suite(failure, attributes["suite"], files) or (_of_class(attributes["classname"], near, files), 0)


def _of_suite(failure: Told, name: str, files: CheckedFiles) -> tuple[str, int] | None:
    """Of linters, whose suites are files, and whose tests are rules: `line 3, col 7`."""
    column = COLUMN.search(f"{failure.message}\n{failure.text}")
    path = files.find(name) if column else ""
    return (path, int(column[1])) if column and path else None


def _given(attributes: Mapping[str, str]) -> int:
    text = attributes["line"].strip()
    line = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else -1
    return max(line + (attributes["suite"] == FROM_ZERO), 0)


def _places(text: str, near: list[str], files: CheckedFiles) -> list[tuple[str, int]]:
    places = []
    for number, match in enumerate(LINES.finditer(text)):
        named = match["python"] or match["inside"] or match["path"]
        line = int(match["of"] or match["at"] or match["line"])
        if number >= MOST_PLACES:
            break
        if OTHERS.isdisjoint(named.split("/")) and (path := files.find(named, near)):
            places.append((path, line))
    return places


def _of_class(name: str, near: list[str], files: CheckedFiles) -> str:
    """`src/a.test.ts`, `tests.test_a.TestIt`, `org.shop.CartTest`."""
    if path := files.find(name):
        return path
    parts = [part for part in near if part]
    for length in (len(parts), len(parts) - 1):
        for ending in ("py", "java", "kt", "scala", "php", "cs"):
            if length > 0 and (path := files.find(f"{'/'.join(parts[:length])}.{ending}")):
                return path
    return ""
