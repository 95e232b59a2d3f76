"""The page of rules and the code say the same: every id that is cited can be looked up, every rule is cited."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

from foureyes.config import rules
from foureyes.core.words.lifecycle import TRANSITIONS

from tests.architecture.house import PACKAGE, ROOT, modules, name_of, nodes_of, tree_of
from tests.core.rules.test_four_eyes import TABLE

ID = re.compile(r"(?<![A-Za-z0-9-])(?!F5(?![A-Za-z0-9]))[A-Z](?:0|[1-9][0-9]?)(?![A-Za-z0-9])")
"""F5 is a key of the terminal app, and no rule."""
NOTHING_IN_CODE = {
    "I10": "what the code must not have",
}
"""Rules that hold although no code names them, and why."""


def texts() -> Iterator[tuple[str, str]]:
    """Every text of the package in which a rule may be named, but for the page itself."""
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix in {".py", ".sql", ".md"} and path.name != "rules.md":
            yield name_of(path), path.read_text(encoding="utf-8")


def names_and_docstrings(text: str) -> str:
    """What a file of tests says about itself; not the data in it, where P1 is a priority."""
    found: list[str] = []
    waiting: list[ast.Module | ast.ClassDef | ast.FunctionDef] = [ast.parse(text)] if ID.search(text) else []
    for node in waiting:  # grows while it is read; what stands below an `if` is no test
        found += [getattr(node, "name", ""), ast.get_docstring(node) or ""]
        waiting += [inner for inner in node.body if isinstance(inner, ast.ClassDef | ast.FunctionDef)]
    return "\n".join(found)


def printed() -> Iterator[tuple[str, str]]:
    """Every id that stands alone in a call: `Reason("P2", …)`, `refuse("P2", …)`, `rule="P2"`."""
    for path in modules():
        for node in nodes_of(tree_of(path)):
            if isinstance(node, ast.Call):
                for value in [*node.args, *[keyword.value for keyword in node.keywords]]:
                    if isinstance(value, ast.Constant) and isinstance(value.value, str) and ID.fullmatch(value.value):
                        yield f"{name_of(path)}:{node.lineno}", value.value


@cache
def cited_by_tests() -> dict[str, str]:
    """Every id that a test names, with a place."""
    return {
        name: name_of(path)
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for name in ID.findall(names_and_docstrings(path.read_text(encoding="utf-8")))
    }


def test_an_id_stands_on_the_page_once() -> None:
    ids = [rule.id for group in rules.groups() for rule in group.rules]
    assert len(ids) == len(set(ids)) > 100
    assert [name for name in ids if not ID.fullmatch(name)] == []
    assert [f"{group.letter} {rule.id}" for group in rules.groups() for rule in group.rules
            if not rule.id.startswith(group.letter)] == []  # fmt: skip


def test_every_id_that_the_code_names_is_on_the_page() -> None:
    known = rules.by_id()
    assert [f"{place}: {name}" for place, text in texts() for name in ID.findall(text) if name not in known] == []


def test_every_id_that_the_program_prints_is_a_rule_that_is_built() -> None:
    known = rules.by_id()
    found = list(printed())
    assert len({name for _, name in found}) > 60
    assert [f"{place}: {name}" for place, name in found if name not in known or not known[name].built] == []


def test_every_id_that_a_page_names_is_on_the_page_of_rules() -> None:
    known = rules.by_id()
    pages = [path for path in (ROOT / "docs").rglob("*.md") if "reference" not in path.relative_to(ROOT).parts]
    pages += [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "AGENTS.md"]
    found = [(name_of(path), name) for path in pages for name in ID.findall(path.read_text(encoding="utf-8"))]
    assert len(found) > 100
    assert [f"{place}: {name}" for place, name in found if name not in known] == []


def test_every_id_that_a_test_names_is_on_the_page() -> None:
    known = rules.by_id()
    assert [f"{place}: {name}" for name, place in cited_by_tests().items() if name not in known] == []


def test_every_rule_that_is_built_is_named_by_code_and_by_a_test() -> None:
    in_code = {name for _, text in texts() for name in ID.findall(text)}
    in_tests = cited_by_tests()
    built = [name for name, rule in rules.by_id().items() if rule.built]
    assert [name for name in built if name not in in_code] == sorted(NOTHING_IN_CODE)
    assert [name for name in built if name not in in_tests] == []


def test_a_reference_within_the_page_leads_somewhere() -> None:
    known = rules.by_id()
    priorities = {f"P{n}" for n in range(5)}
    assert [name for name in ID.findall(rules.text()) if name not in known and name not in priorities] == []


def rows_of(letter: str) -> Iterator[list[str]]:
    """The rows of the tables in what is said about a group."""
    (group,) = (group for group in rules.groups() if group.letter == letter)
    for line in group.text.splitlines():
        if line.startswith("| ") and not line.startswith("| |"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def test_the_table_of_transitions_is_that_of_the_code_T2() -> None:
    rows = {row[0]: row for row in rows_of("T") if row[0] != "action"}
    assert set(rows) == set(TRANSITIONS)
    for action, transition in TRANSITIONS.items():
        assert rows[action][1] == (", ".join(transition.from_) or "–"), action
        assert rows[action][2] == ", ".join(transition.to), action


WORDS = {"no": "no", "yes": "yes", "with a reason ²": "reason", "declared ¹": "declared"}


def test_the_table_of_who_may_approve_is_the_one_that_is_tested() -> None:
    rows = {row[0]: row[2:] for row in rows_of("P")}
    assert list(rows) == ["P0", "P6", "P1", "P2", "P3", "P4", "P5", "P7"], "the order in which they are asked"
    for name, answers in rows.items():
        assert " ".join(WORDS[cell] for cell in answers) == TABLE[name], name


def test_rule_begins_with_two_sentences_and_the_rest_is_in_detail() -> None:
    for name, rule in rules.by_id().items():
        first, *rest = rule.text.removeprefix(rules.UNBUILT).strip().split("\n\n")
        assert len(re.findall(r"[.!?](?=\s|$)", first)) == 2, name
        assert not rest or rest[0] == rules.DETAIL or rest[0].startswith(rules.UNBUILT), name
        assert rules.DETAIL not in [*rest[1:], *rest[-1:]], name


def test_what_is_not_built_says_so_in_a_paragraph_of_its_own() -> None:
    for name, rule in rules.by_id().items():
        paragraphs = rule.text.split("\n\n")
        inside = [text for text in paragraphs if "not built" in text.lower() and not text.startswith(rules.UNBUILT)]
        assert inside == [], name
