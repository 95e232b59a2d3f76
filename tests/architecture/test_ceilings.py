"""Files and functions stay small enough to be read in one go."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.house import modules, name_of, nodes_of, tree_of

FILE_LINES = 400
FUNCTION_LINES = 60
"""With its signature and what is said about it."""
BODY_LINES = 40
"""Aim at 10."""
TABLES = {
    "src/foureyes/adapters/store/projections/decision.py attempt_submitted": "a row of many columns",
    "src/foureyes/app/run/looking.py _look": "one value of forty fields",
    "src/foureyes/core/events/__init__.py _module": "which kind is in which module",
}
"""What is longer because it is one table."""

VAGUE = frozenset({"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"})

SAYS_NOTHING = {"found": 1, "said": 0, "told": 9, "one": 1}
"""Variables that say what was done and not what there is, and how many functions have one. These only become fewer:
name the noun, `rows`, `refusal`, `line`.
"""

OF_WHAT = frozenset({"MOST", "SHOWN", "LONG"})
"""Constants that say how much, and not of what: `MOST_TASKS`, `PATHS_SHOWN`, `WHY_LENGTH` do."""


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in nodes_of(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the last one; decorators (options of a command) are data and do not count."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def body(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of what a function does, without its signature and what is said about it."""
    first = node.body[1] if ast.get_docstring(node) is not None and len(node.body) > 1 else node.body[0]
    return (node.end_lineno or node.lineno) - first.lineno + 1


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_files_are_short() -> None:
    found = [f"{name_of(path)}: {count} lines" for path in modules() if (count := lines(path)) > FILE_LINES]
    assert not found, f"more than {FILE_LINES} lines\n" + "\n".join(found)


def test_functions_are_short() -> None:
    found = [
        f"{name_of(path)}:{node.lineno} {node.name}: {length(node)} lines"
        for path in modules()
        for node in functions(tree_of(path))
        if length(node) > FUNCTION_LINES
    ]
    assert not found, f"more than {FUNCTION_LINES} lines\n" + "\n".join(found)


def test_what_a_function_does_can_be_read_in_one_go_unless_it_is_one_table() -> None:
    long = {
        f"{name_of(path)} {node.name}": body(node)
        for path in modules()
        for node in functions(tree_of(path))
        if body(node) > BODY_LINES
    }
    assert long.keys() == TABLES.keys(), f"more than {BODY_LINES} lines: {long}"


def test_no_module_has_a_vague_name() -> None:
    found = [name_of(path) for path in modules() if {path.stem, path.parent.name} & VAGUE]
    assert not found, "name the module after what it holds: " + ", ".join(found)


def test_every_module_says_what_it_is() -> None:
    found = [name_of(path) for path in modules() if not ast.get_docstring(tree_of(path))]
    assert not found, "no module docstring: " + ", ".join(found)


def test_variables_that_say_nothing_become_fewer() -> None:
    having: dict[str, list[str]] = {name: [] for name in SAYS_NOTHING}
    for path in modules():
        for node in functions(tree_of(path)):
            for name in assigned_in(node) & having.keys():
                having[name].append(f"{name_of(path)}:{node.lineno} {node.name} has `{name}`")
    more = [where for name, most in SAYS_NOTHING.items() if len(having[name]) > most for where in having[name]]
    assert not more, "say what it is (CONTRIBUTING.md, Habits)\n" + "\n".join(more)


def test_a_constant_says_of_what_it_is_the_most() -> None:
    bare = [
        f"{name_of(path)}:{node.lineno}"
        for path in modules()
        for node in tree_of(path).body
        if isinstance(node, ast.Assign | ast.AnnAssign) and assigned_in(node) & OF_WHAT
    ]
    assert not bare, f"one of {', '.join(sorted(OF_WHAT))}: say of what\n" + "\n".join(bare)


def assigned_in(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
