"""One word, one meaning: who reads the name of a class in a signature knows which class it is.

The list only gets shorter: an entry that is not needed any more fails.
"""

from __future__ import annotations

import ast
from collections import Counter

from tests.architecture.house import modules, tree_of

SHARED: dict[str, str] = {
    "Store": "the port, and the one class that is it",
}
"""Names that two or more modules have, and why."""


def shared(trees: list[ast.Module]) -> set[str]:
    """Names of classes that more than one module defines at its top."""
    found = Counter(
        name for tree in trees for name in {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    )
    return {name for name, count in found.items() if count > 1}


def test_no_two_modules_have_a_class_of_the_same_name_but_for_those_that_are_listed() -> None:
    found = shared([tree_of(path) for path in modules()])
    assert not found - SHARED.keys(), "two classes of one name: give the newer one a precise noun"
    assert not SHARED.keys() - found, "these are not shared any more: take them off the list"


def test_a_second_class_of_a_name_would_be_found_and_one_twice_in_a_module_is_not_meant() -> None:
    one, other = ast.parse("class A: ...\nclass B: ..."), ast.parse("class A: ...\nclass C: ...\nclass C: ...")
    assert shared([one, other]) == {"A"}
