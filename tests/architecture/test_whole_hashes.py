"""A commit in a command that somebody is to type is its whole hash: git takes fewer digits for a ref first (Q6).

And by `exactly` where git takes even forty digits for one. Whoever writes refs could else have a person push something
else than what they read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.house import name_of, nodes_of, product, tree_of

REF_FIRST = frozenset({"push", "switch", "branch", "checkout"})
"""What prefers a ref of forty digits to the commit (`tests/adapters/git/objects/test_exact_commits.py`)."""
HASHES = frozenset({"base", "commit", "head", "made", "newest", "onto", "sha", "there", "tip", "top"})
"""What holds a hash in this house."""


def commands(function: ast.AST) -> Iterator[list[ast.expr]]:
    """The words of every git command in a function: of calls, and of what is put together before."""
    for node in ast.walk(function):
        words = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.Tuple) else []
        if words and isinstance(words[0], ast.Constant) and words[0].value == "git":
            yield words


def values(function: ast.AST) -> dict[str, list[ast.expr]]:
    """What each name of a function is."""
    known: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            names, parts = [target], [node.value]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                names, parts = target.elts, node.value.elts
            for name, value in zip(names, parts, strict=False):
                if isinstance(name, ast.Name):
                    known.setdefault(name.id, []).append(value)
    return known


def is_cut(word: ast.expr, known: dict[str, list[ast.expr]]) -> bool:
    """Whether digits are cut off; a hash behind a dash is part of a new name."""
    if isinstance(word, ast.Starred | ast.FormattedValue):
        return is_cut(word.value, known)
    if isinstance(word, ast.Name):
        rest = {name: value for name, value in known.items() if name != word.id}
        return any(is_cut(value, rest) for value in known.get(word.id, []))
    if isinstance(word, ast.JoinedStr):
        before = [None, *word.values]
        return any(is_cut(part, known) for last, part in zip(before, word.values, strict=False) if not is_dash(last))
    if isinstance(word, ast.ListComp | ast.GeneratorExp):
        return is_cut(word.elt, known)
    return isinstance(word, ast.Subscript) and isinstance(word.slice, ast.Slice) and word.slice.upper is not None


def is_dash(part: ast.expr | None) -> bool:
    return isinstance(part, ast.Constant) and str(part.value).endswith("-")


def is_bare(word: ast.expr) -> bool:
    """Whether a hash begins this word as it is."""
    first = word.values[0] if isinstance(word, ast.JoinedStr) and word.values else word
    first = first.value if isinstance(first, ast.FormattedValue) else first
    return (isinstance(first, ast.Name) and first.id in HASHES) or (
        isinstance(first, ast.Attribute) and first.attr in HASHES
    )


def wrong(tree: ast.AST) -> Iterator[int]:
    for function in (node for node in nodes_of(tree) if isinstance(node, ast.FunctionDef)):
        typed = list(commands(function))
        known = values(function) if typed else {}
        for words in typed:
            takes_refs = any(isinstance(word, ast.Constant) and word.value in REF_FIRST for word in words)
            if any(is_cut(word, known) or (takes_refs and is_bare(word)) for word in words):
                yield words[0].lineno


def test_no_command_names_a_commit_by_what_git_takes_for_a_ref_Q6() -> None:
    assert [f"{name_of(path)}:{line}" for path in product() for line in wrong(tree_of(path))] == []


def test_the_walk_finds_what_it_is_there_for_Q6(tmp_path: Path) -> None:
    bad = (
        'shell("git", "show", commits[0].sha[:12])', 'shell("git", "log", f"{a[:7]}..{b}")', 'shell("git", *kept)',
        'shell("git", "merge", short)', 'shell(*("git", "rebase", short))', 'shell("git", "push", f"{tip}:refs/x")',
        'shell("git", "switch", "--detach", row.head)',
    )  # fmt: skip
    good = (
        'shell("git", "show", tip)', 'shell("git", "branch", f"{target}-{tip[:7]}", target)',
        'shell("git", "push", f"{exactly(tip)}:refs/x")', 'shell("git", "push", remote, f":{ref}")',
    )  # fmt: skip
    above = "def f():\n    short, kept = sha[:SHORT], [each.sha[:7] for each in rows]\n    "
    assert [case for case in bad if not list(wrong(ast.parse(above + case)))] == []
    assert [case for case in good if list(wrong(ast.parse(above + case)))] == []
