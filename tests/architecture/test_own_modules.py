"""Python that we start finds our own modules, and never those of the directory in which it is started (I5)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.house import modules, name_of, nodes_of, tree_of

SAFE = frozenset({"-P", "-I"})
"""With either, the directory where it is started is not searched."""


def commands(tree: ast.Module) -> Iterator[list[object]]:
    """The words of every list or tuple that begins with this interpreter and names a module."""
    for node in nodes_of(tree):
        if isinstance(node, ast.List | ast.Tuple) and any("sys.executable" in ast.unparse(word) for word in node.elts):
            words: list[object] = [word.value if isinstance(word, ast.Constant) else None for word in node.elts]
            if "-m" in words:
                yield words


def is_safe(words: list[object]) -> bool:
    return not SAFE.isdisjoint(words[: words.index("-m")])


def test_I5_no_interpreter_is_started_with_a_module_that_the_current_directory_could_hold() -> None:
    found = [(name_of(path), words) for path in modules() for words in commands(tree_of(path))]
    assert len(found) >= 2, "the search finds nothing any more"
    assert [name for name, words in found if not is_safe(words)] == []


def test_a_command_without_the_option_and_one_with_it_too_late_would_be_found() -> None:
    tree = ast.parse('A = [sys.executable, "-m", "x"]\nB = (sys.executable or "p", "-m", "x", "-P")')
    assert [is_safe(words) for words in commands(tree)] == [False, False]
