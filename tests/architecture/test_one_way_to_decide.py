"""I9: what a person may have to sign is written by `deciding`, which asks for the signature; never by `writing`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from foureyes.core.rules.rights import DECISIONS, SIGNED

from tests.architecture.house import PACKAGE, modules, name_of, nodes_of, tree_of

BY_HAND = {"src/foureyes/app/signatures.py", "src/foureyes/app/project/keys.py"}
"""Where signing itself lives: `deciding`, and the first key, which nobody can sign for."""

UNSIGNED = {("src/foureyes/app/review/review_documents.py", "review submit")}
"""That an agent's document was no review is noted (V3): no person's decision."""


def verbs_of(tree: ast.AST, method: str) -> Iterator[tuple[int, str]]:
    """Every call of a method of the context with a verb spelled out, and its line."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method:
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield node.lineno, argument.value


def test_no_verb_that_may_need_a_signature_writes_without_deciding_I9() -> None:
    wrong = [
        f"{name_of(path)}:{line} {verb}"
        for path in modules(PACKAGE / "app")
        if name_of(path) not in BY_HAND
        for line, verb in verbs_of(tree_of(path), "writing")
        if verb in DECISIONS | SIGNED and (name_of(path), verb) not in UNSIGNED
    ]
    assert not wrong, "use context.deciding:\n" + "\n".join(wrong)


def test_decisions_are_found_where_they_are_made() -> None:
    decided = {verb for path in modules(PACKAGE / "app") for _, verb in verbs_of(tree_of(path), "deciding")}
    assert {"approve", "finding judge", "hold"} <= decided
