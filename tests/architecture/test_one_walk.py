"""Folders that others can write are walked in one place: `adapters/folders.py`, which gets to the end of any depth."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.house import PACKAGE, nodes_of, product, tree_of

WALKER = "adapters/folders.py"
BY_ITSELF = frozenset({"walk", "fwalk", "rglob", "rmtree", "copytree", "removedirs"})
"""What calls itself for each folder (`os.walk` and `shutil.rmtree` in Python 3.11)."""
ELSEWHERE = {
    "adapters/agents/run_folders.py": "`rmtree`; where it gets to no end, programs remove the rest",
    "adapters/checks/checkout.py": "`rmtree`; where it gets to no end, programs remove the rest",
    "adapters/git/client/clean_room.py": "the clean room: a new directory with a random name, ours alone",
    "adapters/git/client/transport.py": "a new directory with a random name, ours alone",
    "adapters/git/objects/export.py": "the clean room",
    "bootstrap/project_folder.py": "a new directory with a random name, and the store that was being made in it",
}
"""Who walks by itself, and why nobody else puts folders there."""


def walks(tree: ast.Module) -> Iterator[str]:
    """The calls that go through all folders below one otherwise than by `folders`."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in BY_ITSELF:
            of = node.func.value
            yield f"{of.id}.{node.func.attr}" if isinstance(of, ast.Name) else node.func.attr
        elif isinstance(node, ast.ImportFrom) and node.module in ("os", "shutil"):
            yield from (f"{node.module}.{each.name}" for each in node.names if each.name in BY_ITSELF)


def test_folders_that_others_can_write_are_walked_by_folders_alone_G1() -> None:
    calls = {
        module: [name for name in walks(tree_of(path)) if name != "ast.walk"]
        for path in product()
        if (module := path.relative_to(PACKAGE).as_posix()) != WALKER
    }
    at_work = {module for module, names in calls.items() if names}
    assert sorted(at_work - set(ELSEWHERE)) == [], "walk there by adapters/folders.py"
    assert sorted(set(ELSEWHERE) - at_work) == [], "nobody walks there any more"


def test_the_search_finds_every_way_to_walk() -> None:
    code = (
        "os.walk(a)\nfrom os import walk\nPath(a).rglob('*')\nshutil.rmtree(a)\n"
        "from shutil import rmtree, which\nwalked(a)\nflow.walk\n"
    )
    assert sorted(walks(ast.parse(code))) == ["os.walk", "os.walk", "rglob", "shutil.rmtree", "shutil.rmtree"]
