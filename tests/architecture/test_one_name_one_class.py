"""One word, one meaning: who reads the name of a type in a signature knows which type it is, a class or an alias.

The list only gets shorter: an entry that is not needed any more fails.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from tests.architecture.house import modules, tree_of

SHARED: dict[str, str] = {
    "Store": "the port, and the one class that is it",
}
"""Names that two or more modules have, and why."""
ALIAS = re.compile(r"_?[A-Z]\w*[a-z]\w*")
"""How a type is spelled; constants are in capitals."""


def shared(trees: list[ast.Module]) -> set[str]:
    """Names of types that more than one module defines at its top, or there under a condition."""
    found = Counter(name for tree in trees for name in set(types_of(tree.body)))
    return {name for name, count in found.items() if count > 1}


def types_of(statements: Iterable[ast.stmt]) -> Iterator[str]:
    """The names of classes and of aliases."""
    for node in statements:
        match node:
            case ast.ClassDef(name=name):
                yield name
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield from [name] if ALIAS.fullmatch(name) else []
            case ast.If():
                yield from types_of([*node.body, *node.orelse])


def test_no_two_modules_have_a_type_of_the_same_name_but_for_those_that_are_listed() -> None:
    found = shared([tree_of(path) for path in modules()])
    assert not found - SHARED.keys(), "two types of one name: give the newer one a precise noun"
    assert not SHARED.keys() - found, "these are not shared any more: take them off the list"


def test_a_second_type_of_a_name_would_be_found_and_one_twice_in_a_module_is_not_meant() -> None:
    one = ast.parse("class A: ...\nclass B: ...\nKind = Literal['a']\nMOST = 1\nif TYPE_CHECKING:\n    class D: ...")
    other = ast.parse("class A: ...\nclass C: ...\nclass C: ...\nKind: TypeAlias = str\nMOST = 2\nD = tuple[str, str]")
    assert shared([one, other]) == {"A", "Kind"}
    assert shared([ast.parse("if T:\n    class Die: ...\nelse:\n    Die = int"), ast.parse("class Die: ...")]) == {
        "Die"
    }
