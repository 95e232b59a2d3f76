"""The page of threats and the tests say the same: a file that is cited for a rule has a test that names it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tests.architecture.house import ROOT, nodes_of, tree_of

PAGE = ROOT / "docs" / "threat-model.md"
CITED = re.compile(r"`(tests/[^`]+)`(?: \(([^)]*)\))?")
RULE = re.compile(r"\b[A-Z](?:0|[1-9][0-9]?)?\b")
LESSON = re.compile(r"lessons? ([0-9]+(?:(?:,| and) [0-9]+)*)")
NO_RULE = {
    "stage/": "how every test makes its people",
    "architecture/test_one_opener.py": "of the code, not of a caller",
}
"""What is cited for no rule of its own, and why."""


class Citation(NamedTuple):
    """A file or folder that a line of the page cites, and the rules and lessons of which one has to be in it."""

    line: int
    path: str
    about: frozenset[str]


def citations() -> Iterator[Citation]:
    for number, line in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), 1):
        column = rules_of(line)
        for path, words in CITED.findall(line):
            rules = set(RULE.findall(words.partition("lesson")[0])) or column
            lessons = {f"lesson_{each}" for each in re.findall("[0-9]+", "".join(LESSON.findall(words)))}
            yield Citation(number, path, frozenset(word.lower() for word in rules | lessons))


def rules_of(line: str) -> set[str]:
    """The rules in their column of a table."""
    cells = [cell.strip() for cell in line.split("|")] if line.startswith("|") else []
    found = [cell for cell in cells if re.fullmatch(r"[A-Z]\d+(, [A-Z]\d+)*( \(lessons? .*\))?", cell)]
    return set(RULE.findall(found[0])) if found else set()


@cache
def named_in(path: str) -> frozenset[str]:
    """The rules and lessons that the tests of a file, or of a folder, name."""
    place = ROOT / path
    files = [place] if place.is_file() else sorted(place.rglob("test_*.py"))
    names = [node.name for file in files for node in nodes_of(tree_of(file)) if isinstance(node, ast.FunctionDef)]
    words = [
        re.sub(r"lesson_(?=[0-9])", "lesson", name.lower()).split("_") for name in names if name.startswith("test")
    ]
    return frozenset(re.sub("^lesson(?=[0-9])", "lesson_", word) for each in words for word in each)


def test_every_file_that_the_page_cites_is_there() -> None:
    found = list(citations())
    assert len(found) > 150
    assert [f"{each.line}: {each.path}" for each in found if not (ROOT / each.path).exists()] == []


def test_a_file_that_is_cited_for_a_rule_has_a_test_that_names_it() -> None:
    asked = [
        each for each in citations() if each.about and not each.path.removeprefix("tests/").startswith(tuple(NO_RULE))
    ]
    assert len(asked) > 100
    lacking = [
        f"{each.line}: {each.path}: {sorted(each.about)}" for each in asked if not each.about & named_in(each.path)
    ]
    assert lacking == []


def test_every_rule_of_a_row_is_named_by_a_test_that_the_row_cites() -> None:
    lacking = []
    for number, line in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), 1):
        cited = [path for path, _ in CITED.findall(line)]
        if not cited:
            continue
        named = frozenset().union(*map(named_in, cited))
        lacking += [f"{number}: {rule}: {cited}" for rule in sorted(rules_of(line)) if rule.lower() not in named]
    assert lacking == []
