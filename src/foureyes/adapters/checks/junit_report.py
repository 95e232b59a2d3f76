"""Reader for JUnit XML: the tests, their results and the messages of failed ones. (D5)

The tested code writes the report, so it is not trusted: no entities, no document type, bounded memory, and a report
that contradicts itself is refused (G1). It accepts the dialects of pytest, surefire, jest-junit, vitest,
go-junit-report, cargo-nextest and googletest. Characters that XML forbids but tools write, such as color codes in
names, are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from foureyes.adapters.checks.reports import LARGEST_REPORT, CheckedFiles
from foureyes.core.loop.failures import LONGEST_FAILURE
from foureyes.core.nouns.check import KEPT_FAILURES, TestResult, TestState
from foureyes.core.words.names_of_tests import NamedTest, distinct_names
from foureyes.core.words.text import spaced, visible

# ---- JUnit XML ----


MAX_DEPTH = 100
MAX_TESTS = 500_000
MAX_ID = 1_000
MAX_SAID = 20_000
CHUNK = 1 << 20

FAILED = frozenset({"fail", "failed", "failure", "error", "errored", "timedout"})
SKIPPED = frozenset({"notrun", "disabled", "skipped", "skip", "pending", "ignored", "suppressed"})
"""Values of `status` and `result` in some dialects."""
RANKS: dict[TestState, int] = {"failed": 0, "passed": 1, "skipped": 2}

FORBIDDEN = bytes([*range(9), 11, 12, *range(14, 32)])
"""Control characters that XML 1.0 cannot express."""
COLOUR = re.compile(rb"(?:\x1b|&#27;|&#x0*1[bB];)\[[0-9;?]*[A-Za-z]")
REFERENCE = re.compile(rb"&#(?:x([0-9a-fA-F]{1,8})|([0-9]{1,8}));")
HALVES = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]|\xef\xbf[\xbe\xbf]")
"""UTF-8 sequences of surrogates and of two noncharacters."""
TIME = re.compile(r"-[0-9]{14}(?=(?:\.xml)?$)")
"""Timestamp that unittest-xml-reporting adds to names of suites and files."""
BOMS = (b"\xff\xfe", b"\xfe\xff")


def read(data: bytes, files: CheckedFiles | None = None) -> tuple[TestResult, ...]:
    """Return every test of a report in order. Raise ValueError with a message for anything else."""
    return read_all([("", data)], files)


def read_all(reports: Sequence[tuple[str, bytes]], files: CheckedFiles | None = None) -> tuple[TestResult, ...]:
    """Return every test of several named files that form one report. Maven and Gradle write one file per class. `files`
    is the tested tree.
    """
    if sum(len(data) for _, data in reports) > LARGEST_REPORT:
        raise ValueError(f"the report is larger than {LARGEST_REPORT // 1_000_000} MB")
    tests: list[_Test] = []
    for name, data in reports:
        try:
            tests += _tests(data, name, files or CheckedFiles())
        except ValueError as problem:
            raise ValueError(f"{visible(name)}: {problem}" if name else str(problem)) from None
        if len(tests) > MAX_TESTS:
            raise ValueError(f"the report has more than {MAX_TESTS:,} tests")
    names = distinct_names([NamedTest(test.id, test.places, RANKS[test.state]) for test in tests])
    return tuple(test.result(name) for name, test in zip(names, tests, strict=True))


def _tests(data: bytes, name: str, files: CheckedFiles) -> list[_Test]:
    from pyexpat import ExpatError, ParserCreate

    data, encoding = cleaned(data.lstrip(b" \t\r\n"))
    parser = ParserCreate(encoding, " ")
    reader = _Reader(name, files)
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.hear
    parser.StartDoctypeDeclHandler = _no_doctype
    try:
        for at in range(0, len(data), CHUNK):  # in pieces, so that what we refuse is refused early
            parser.Parse(data[at : at + CHUNK], False)
        parser.Parse(b"", True)
    except (ExpatError, LookupError, UnicodeError) as problem:
        raise ValueError(f"the report is not valid XML: {problem}") from None
    return reader.results()


def cleaned(data: bytes) -> tuple[bytes, str | None]:
    """Return a report without colour codes and forbidden characters, and its encoding if that changed."""
    encoding = None
    if data[:2] in BOMS:
        data, encoding = data.decode("utf-16", "replace").encode("utf-8", "replace"), "utf-8"
    data = COLOUR.sub(b"", data) if b"[" in data else data
    data = HALVES.sub(b"", data) if b"\xed" in data or b"\xef" in data else data
    data = REFERENCE.sub(_allowed, data) if b"&#" in data else data
    return data.translate(None, FORBIDDEN), encoding


def _allowed(reference: re.Match[bytes]) -> bytes:
    number = int(reference[1], 16) if reference[1] else int(reference[2])
    is_control = number < 32 and number not in (9, 10, 13)
    is_none = 0xD800 <= number <= 0xDFFF or number in (0xFFFE, 0xFFFF) or number > 0x10FFFF
    return b"" if is_control or is_none else reference[0]


def _no_doctype(*_: object) -> None:
    raise ValueError("the report declares a document type, which is not allowed")


class _Test:
    """A test or suite element, with the parts kept after it closes."""

    def __init__(
        self, attributes: Mapping[str, str], around: Sequence[_Test], report: str, files: CheckedFiles
    ) -> None:
        self._attributes, self._around, self._report, self._files = attributes, around, report, files
        marks = {attributes.get(key, "").strip().lower() for key in ("status", "result")}
        self.id = ""
        self.places: tuple[str, ...] = ()
        self.failed = not marks.isdisjoint(FAILED)
        self.skipped = not marks.isdisjoint(SKIPPED)
        self.failure_text: FailureText | None = None
        name = TIME.sub("", self.said("name"))
        self.names: tuple[str, ...] = (*(around[-1].names if around else ()), *([name] if name else []))

    def settle(self) -> None:
        """Finish the element. Drops the attributes of a test that passed."""
        self.id, self.places = self._id(), self._places()
        if self.failure_text is None:
            self._attributes = {}

    @property
    def state(self) -> TestState:
        return "failed" if self.failed else "skipped" if self.skipped else "passed"

    def said(self, key: str) -> str:
        """Return an attribute as one line, without the path of the checkout."""
        text = self._files.cut(self._attributes.get(key, "").strip())
        return visible(text).replace("\n", "␊")

    def _id(self) -> str:
        parts = [part for part in (self.said("classname") or self.said("file"), self.said("name")) if part]
        return "::".join(parts)[:MAX_ID] or "(unnamed)"

    def _places(self) -> tuple[str, ...]:
        """Return the places of the test: its file, suite, suites and report."""
        suites = self._around[-1].names if self._around else ()
        files = (suite.said(key) for suite in reversed(self._around) for key in ("file", "filepath"))
        file = self.said("file") or next(filter(None, files), "")
        return (file, suites[-1] if suites else "", " / ".join(suites), TIME.sub("", self._report))

    def result(self, name: str) -> TestResult:
        if not self.failed or self.failure_text is None:
            return TestResult(name, self.state)
        attributes = {key: self._attributes.get(key, "") for key in ("classname", "file", "line")}
        attributes["file"] = attributes["file"] or self.places[0]
        attributes["suite"] = self.places[1]
        path, line = where(self.failure_text, attributes, self._files)
        return TestResult(name, self.state, message_of(self.failure_text, self._files), path, line)


class _Reader:
    """Follows the XML elements and collects the tests."""

    def __init__(self, report: str, files: CheckedFiles) -> None:
        self._report, self._files = report, files
        self._open: list[tuple[str, _Test | None]] = []
        self._found: list[_Test] = []
        self._counted = self._failures = self._hearing = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(" ")[2]
        if not self._open and name not in ("testsuites", "testsuite"):
            raise ValueError(f"the report is not a JUnit report, because it begins with <{visible(name)[:60]}>")
        if len(self._open) >= MAX_DEPTH:
            raise ValueError(f"the report is nested more than {MAX_DEPTH} deep")
        if name in ("testsuites", "testsuite"):
            self._counted = max(self._counted, _count(attributes, "failures") + _count(attributes, "errors"))
        parent = self._open[-1][1] if self._open else None
        if parent is not None:
            self._mark(parent, name, attributes)
        around = [test for kind, test in self._open if kind == "testsuite" and test is not None]
        is_kept = name in ("testcase", "testsuite")
        self._open.append((name, _Test(attributes, around, self._report, self._files) if is_kept else None))

    def _mark(self, parent: _Test, name: str, attributes: dict[str, str]) -> None:
        parent.skipped = parent.skipped or name == "skipped"
        if name not in ("failure", "error"):
            return
        parent.failed = True
        self._failures += 1
        if parent.failure_text is None and self._failures <= KEPT_FAILURES:
            parent.failure_text = FailureText(attributes.get("type", ""), attributes.get("message", ""))
            self._hearing = len(self._open) + 1

    def hear(self, text: str) -> None:
        """Append text to the open failure."""
        if self._hearing and len(self._open) >= self._hearing:
            test = self._open[self._hearing - 2][1]
            if test is not None and test.failure_text is not None:
                test.failure_text.hear(text, MAX_SAID)

    def end(self, _: str) -> None:
        name, test = self._open.pop()
        self._hearing = self._hearing if len(self._open) >= self._hearing else 0
        if test is None or (name == "testsuite" and not test.failed):  # a suite counts only when it broke as a whole
            return
        if len(self._found) >= MAX_TESTS:
            raise ValueError(f"the report has more than {MAX_TESTS:,} tests")
        test.settle()
        self._found.append(test)

    def results(self) -> list[_Test]:
        if self._counted and not any(test.failed for test in self._found):
            raise ValueError(f"the report counts {self._counted} failures but names none")
        return self._found


def _count(attributes: Mapping[str, str], key: str) -> int:
    """Return a number of a report, or 0 for anything else. Only the tests themselves count. (G6)"""
    text = attributes.get(key, "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


# ---- Failure messages (L3) ----

MESSAGE, BEGIN, END = 700, 800, 480
"""The length limits for a message, and for the start and the end of the text below it."""
LINES = re.compile(
    r"""File\ "(?P<python>[^"\n]+)",\ line\ (?P<of>[0-9]{1,7})        # Python's own
    |\((?P<inside>[^()\n]+?):(?P<at>[0-9]{1,7})(?::[0-9]+)?\)          # JavaScript and Java: (path:line:column)
    |(?P<path>[^\s:()\[\]'"<>|,;]+\.[A-Za-z0-9]{1,8}):(?P<line>[0-9]{1,7})\b""",
    re.VERBOSE,
)
COLUMN = re.compile(r"\bline ([0-9]{1,7}), col(?:umn)? [0-9]", re.IGNORECASE)
OTHERS = frozenset({"node_modules", "site-packages", "dist-packages", "vendor", ".venv", "venv"})
"""Directories that hold third-party code."""
MOST_PLACES = 100
FROM_ZERO = "pytest"
"""The suite name of pytest, which counts lines from 0."""


class FailureText:
    """The content of a failure. Of a long one, the start and the end are kept."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        self.message = message
        self.text = ""

    def hear(self, text: str, most: int) -> None:
        whole = self.text + text
        self.text = whole if len(whole) <= most else whole[: most // 2] + "\n" + whole[-most // 2 :]


def message_of(failure: FailureText, files: CheckedFiles) -> str:
    """Return the failure's text, message first. A message that the text repeats is omitted."""
    text = files.cut(spaced(failure.text, len(failure.text) + 1).strip("\n"))
    message = files.cut(spaced(failure.message, MESSAGE).strip()) or ("" if text.strip() else failure.kind.strip())
    if message and message in text[: len(message) + 200]:
        message = ""
    if len(text) > BEGIN + END:
        text = f"{text[:BEGIN].rstrip()}\n…\n{text[-END:].lstrip()}"
    return "\n\n".join(part for part in (message, text) if part.strip())[:LONGEST_FAILURE]


def where(failure: FailureText, attributes: Mapping[str, str], files: CheckedFiles) -> tuple[str, int]:
    """Return the file and line of a failure: those in the report, else the first in its text, else the file named after
    the class.
    """
    path = files.find(attributes["file"])
    near = re.split(r"[./\\]", attributes["classname"])
    places = _places(f"{failure.message}\n{failure.text}", near, files)
    if path:
        return path, next((line for file, line in places if file == path), 0) or _given(attributes)
    if places:
        return places[0]
    return _of_suite(failure, attributes["suite"], files) or (_of_class(attributes["classname"], near, files), 0)


def _of_suite(failure: FailureText, name: str, files: CheckedFiles) -> tuple[str, int] | None:
    """Return file and line from a linter's report, in which suites are files and the text says `line 3, col 7`."""
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
    """Return the file for a class name such as `src/a.test.ts`, `tests.test_a.TestIt` or `org.shop.CartTest`."""
    if path := files.find(name):
        return path
    parts = [part for part in near if part]
    for length in (len(parts), len(parts) - 1):
        for ending in ("py", "java", "kt", "scala", "php", "cs"):
            if length > 0 and (path := files.find(f"{'/'.join(parts[:length])}.{ending}")):
                return path
    return ""
