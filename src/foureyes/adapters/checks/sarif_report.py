"""Reader for the SARIF report of a check. A broken scan never counts as a clean one. (D5, G1)"""

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
"""Line breaks that only some tools recognize."""


def read(data: bytes, files: CheckedFiles | None = None) -> tuple[ToolFinding, ...]:
    """Return every result of a report that is not suppressed. Raise ValueError for a broken report or a failed tool.

    Paths become relative to the checkout `files` if possible.
    """
    if len(data) > LARGEST_REPORT:
        raise ValueError(f"the report is larger than {LARGEST_REPORT // 1_000_000} MB")
    try:
        reported = results(parsed(data))
    except BrokenReport as problem:
        raise ValueError(problem.what) from None
    except ValueError as problem:
        raise ValueError(f"the report is not a SARIF 2.1.0 report: {in_line(str(problem), MAX_TEXT)}") from None
    code = Code(files or CheckedFiles())
    return tuple(_finding(result, files or CheckedFiles(), code) for result in reported)


def _finding(result: Reported, files: CheckedFiles, code: Code) -> ToolFinding:
    """Return a finding. A path outside the checked directory stays absolute."""
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
    """Source lines that a report refers to. Each file is read once, up to a total size."""

    def __init__(self, files: CheckedFiles) -> None:
        self._root = files.root
        self._lines: dict[str, list[bytes]] = {}
        self._whole: dict[str, str] = {}
        self._left = LARGEST_REPORT

    def at(self, path: str, line: int) -> str:
        """Return a line of a file, "" if unreadable. Return the whole file's digest if tools may count its lines
        differently.
        """
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
