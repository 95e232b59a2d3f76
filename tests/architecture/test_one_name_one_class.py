"""One word, one meaning: who reads the name of a class in a signature knows which class it is.

The list only gets shorter: an entry that is not needed any more fails.
"""

from __future__ import annotations

import ast
from collections import Counter

from tests.architecture.house import modules, tree_of

SHARED: dict[str, str] = {
    "Agents": "not yet: the port of agent programs, and the noun of the catalogue",
    "CheckRuns": "not yet: the noun of the catalogue, and what records runs of a task",
    "Desk": "not yet: of the terminal app, and what a runner has in hand",
    "Facts": "not yet: of a task, and of a schema on a server",
    "Files": "not yet: of a tree that is checked, and of an attempt",
    "Ground": "not yet: what an own part stands on, and what a run's work is compared with",
    "Looking": "not yet: of a runner, and of a person in the terminal app",
    "Parts": "not yet: of what is on screen, and of the driver of PostgreSQL",
    "Place": "not yet: of a task in an order, and of a run",
    "Placed": "a value of events keeps its name; not yet: in the merge queue, and where a store lies",
    "Rows": "not yet: a number of rows, and the widget",
    "Store": "the port, and the one class that is it",
    "TaskRow": "not yet: of a live run, and of a list",
    "Wait": "a step of the plan keeps its name; not yet: the dependency, on the board and in lists",
    "_Line": "private: each is of one module",
}
"""Names that two or more modules still have, and why."""


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
