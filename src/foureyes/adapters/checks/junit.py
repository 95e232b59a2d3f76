"""JUnit XML: which tests there were, and how each of them ended (D5).

The report is written by what is being checked, so nothing in it is trusted: there are no entities and no document type,
nothing is built up in memory but the tests, and a report that contradicts itself is none (G1). Dialects differ, and are
taken as they come: pytest, surefire, jest-junit, vitest, go-junit-report, cargo-nextest, googletest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from foureyes.core.nouns.check import TestResult, TestState
from foureyes.core.words.text import visible

MAX_BYTES = 50_000_000
MAX_DEPTH = 100
MAX_TESTS = 500_000
MAX_ID = 1_000
CHUNK = 1 << 20

FAILED = frozenset({"fail", "failed", "failure", "error", "errored", "timedout"})
SKIPPED = frozenset({"notrun", "disabled", "skipped", "skip", "pending", "ignored", "suppressed"})
"""Values of `status` and `result`, where a dialect has them."""


def read(data: bytes) -> tuple[TestResult, ...]:
    """Every test of a report, in its order. Raises ValueError with a sentence for what is no JUnit report."""
    if len(data) > MAX_BYTES:
        raise ValueError(f"the report is larger than {MAX_BYTES // 1_000_000} MB")
    from pyexpat import ExpatError, ParserCreate

    reader = _Reader()
    parser = ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.StartDoctypeDeclHandler = _no_doctype
    data = data.lstrip(b" \t\r\n")
    try:
        for at in range(0, len(data), CHUNK):  # in pieces, so that what we refuse is refused early
            parser.Parse(data[at : at + CHUNK], False)
        parser.Parse(b"", True)
    except (ExpatError, LookupError, UnicodeError) as problem:
        raise ValueError(f"the report is no XML: {problem}") from None
    return reader.results()


def _no_doctype(*_: object) -> None:
    raise ValueError("the report has a document type: entities are not read")


class _Test:
    """A test or a suite while its element is open."""

    def __init__(self, attributes: Mapping[str, str]) -> None:
        self.attributes = attributes
        marks = {attributes.get(key, "").strip().lower() for key in ("status", "result")}
        self.failed = not marks.isdisjoint(FAILED)
        self.skipped = not marks.isdisjoint(SKIPPED)

    @property
    def state(self) -> TestState:
        return "failed" if self.failed else "skipped" if self.skipped else "passed"


class _Reader:
    """Follows the elements; keeps the ones that are open, and the tests."""

    def __init__(self) -> None:
        self._open: list[tuple[str, _Test | None]] = []
        self._found: list[tuple[str, TestState]] = []
        self._counted = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(" ")[2]
        if not self._open and name not in ("testsuites", "testsuite"):
            raise ValueError(f"the report is no JUnit report: it begins with <{visible(name)[:60]}>")
        if len(self._open) >= MAX_DEPTH:
            raise ValueError(f"the report is nested more than {MAX_DEPTH} deep")
        if name in ("testsuites", "testsuite"):
            self._counted = max(self._counted, _count(attributes, "failures") + _count(attributes, "errors"))
        parent = self._open[-1][1] if self._open else None
        if parent is not None:
            parent.failed = parent.failed or name in ("failure", "error")
            parent.skipped = parent.skipped or name == "skipped"
        self._open.append((name, _Test(attributes) if name in ("testcase", "testsuite") else None))

    def end(self, _: str) -> None:
        name, test = self._open.pop()
        if test is None or (name == "testsuite" and not test.failed):  # a suite counts only when it broke as a whole
            return
        if len(self._found) >= MAX_TESTS:
            raise ValueError(f"the report has more than {MAX_TESTS:,} tests")
        self._found.append((_id_of(test.attributes), test.state))

    def results(self) -> tuple[TestResult, ...]:
        """The tests; a name that comes again gets a number."""
        if self._counted and not any(state == "failed" for _, state in self._found):
            raise ValueError(f"the report counts {self._counted} failures and names none")
        seen: Counter[str] = Counter()
        taken = {name for name, _ in self._found}
        return tuple(TestResult(_numbered(name, seen, taken), state) for name, state in self._found)


def _numbered(name: str, seen: Counter[str], taken: set[str]) -> str:
    seen[name] += 1
    if seen[name] == 1:
        return name
    while (again := f"{name}#{seen[name]}") in taken:
        seen[name] += 1
    taken.add(again)
    return again


def _id_of(attributes: Mapping[str, str]) -> str:
    where = attributes.get("classname") or attributes.get("file") or ""
    parts = [part for part in (where.strip(), attributes.get("name", "").strip()) if part]
    return visible("::".join(parts)).replace("\n", "␊")[:MAX_ID] or "(unnamed)"


def _count(attributes: Mapping[str, str], key: str) -> int:
    """A number of a report; anything else counts as none: the tests themselves are what counts (G6)."""
    text = attributes.get(key, "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
