"""The SARIF report of a check: what a tool found (D5). A scan that broke is not a clean one (G1)."""

from __future__ import annotations

import os
from re import compile as pattern

from foureyes.adapters.checks.reports import LARGEST_REPORT, CheckedFiles
from foureyes.adapters.folders import opened
from foureyes.core.documents.json_reader import parsed
from foureyes.core.documents.sarif import CRITICAL, OWN, BrokenReport, Reported, is_address, results
from foureyes.core.nouns.check import ToolFinding
from foureyes.core.rules.check_states import known_by
from foureyes.core.words.digest import sha256
from foureyes.core.words.text import in_line

MAX_TEXT = 1_000
ODD_BREAK = pattern(rb"\r(?!\n)|[\0\x0b\x0c\x1c-\x1e]|\xc2\x85|\xe2\x80[\xa8\xa9]")
"""What ends a line for some tools, and for others not."""


def read(data: bytes, files: CheckedFiles | None = None) -> tuple[ToolFinding, ...]:
    """Every result of a report that is not suppressed. A `ValueError` says why it is none, or how the tool broke.

    `files` are those of the checkout: what a tool calls by its whole path, or from a directory, is known by its path
    there.
    """
    if len(data) > LARGEST_REPORT:
        raise ValueError(f"the report is larger than {LARGEST_REPORT // 1_000_000} MB")
    try:
        reported = results(parsed(data))
    except BrokenReport as problem:
        raise ValueError(problem.what) from None
    except ValueError as problem:
        raise ValueError(f"the report is no SARIF 2.1.0 report: {in_line(str(problem), MAX_TEXT)}") from None
    code = Code(files or CheckedFiles())
    return tuple(_finding(result, files or CheckedFiles(), code) for result in reported)


def _finding(result: Reported, files: CheckedFiles, code: Code) -> ToolFinding:
    """What lies outside of the directory that was checked keeps its whole path."""
    path = "" if is_address(result.place) else files.find(result.place)
    rule, message = in_line(result.rule, MAX_TEXT), in_line(files.cut(result.message), MAX_TEXT)
    return ToolFinding(
        rule=rule,
        level=result.worth,
        path=in_line(path or files.relative(result.place), MAX_TEXT),
        line=result.line,
        message=message,
        tool="" if result.tool == OWN.rstrip("/") else result.tool,
        critical=result.score >= CRITICAL,
        key=known_by(rule, message, code.at(path, result.line) or result.quote, result.mark),
    )


class Code:
    """The lines of the files that a report is about, each file read once, and not without end."""

    def __init__(self, files: CheckedFiles) -> None:
        self._root = files.root
        self._lines: dict[str, list[bytes]] = {}
        self._whole: dict[str, str] = {}
        self._left = LARGEST_REPORT

    def at(self, path: str, line: int) -> str:
        """The line of a file; all of it where tools differ in what a line is; empty where it cannot be read."""
        if not path or not line:
            return ""
        if path not in self._lines:
            self._lines[path] = self._read(path)
        if path in self._whole:
            return self._whole[path]
        lines = self._lines[path]
        return lines[line - 1].decode("utf-8", "replace") if line <= len(lines) else ""

    def _read(self, path: str) -> list[bytes]:
        try:
            with open(opened(os.path.join(self._root, path)), "rb") as file:
                data = file.read(self._left)
        except OSError:
            return []
        self._left -= len(data)
        if ODD_BREAK.search(data):
            self._whole[path] = sha256(data).hexdigest()
            return []
        return [line.removesuffix(b"\r") for line in data.split(b"\n")]
