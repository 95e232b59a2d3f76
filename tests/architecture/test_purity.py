"""Core decides and touches nothing: an allow-list of imports, and no call that reads the world or changes it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.house import PACKAGE, modules, name_of, nodes_of, product, tree_of

CORE = PACKAGE / "core"

ALLOWED_IMPORTS = frozenset(
    {
        "__future__", "bisect", "collections", "datetime", "difflib", "enum", "functools", "hashlib", "_sha2", "_sha256",
        "itertools", "json", "re", "typing", "unicodedata", "markdown_it", "msgspec", "urllib.parse",
        "foureyes.core", "foureyes.errors", "foureyes.steps",
    }
)  # fmt: skip

FORBIDDEN_NAMES = frozenset(
    {"open", "print", "input", "eval", "exec", "compile", "breakpoint", "__import__", "globals", "vars", "id", "hash"}
)
"""Builtins that touch the world, hide an import, or (id, hash) differ between two runs of the same program."""

FORBIDDEN_METHODS = frozenset({"now", "utcnow", "today"})
"""Clocks that come with an allowed import: the time is an argument."""

STARTERS = frozenset({"system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp", "startfile"})


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and full module name of every import, those inside functions too; `from a import b` counts as `a`."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            if module == "foureyes":
                yield from ((node.lineno, f"foureyes.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, module


def is_allowed(module: str) -> bool:
    return any(module == allowed or module.startswith(allowed + ".") for allowed in ALLOWED_IMPORTS)


def impurities(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and description of everything that a pure module must not have."""
    yield from ((line, f"imports {module}") for line, module in imports(tree) if not is_allowed(module))
    for node in nodes_of(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in FORBIDDEN_NAMES:
            yield node.lineno, f"uses {node.id}"
        elif isinstance(node, ast.Attribute) and node.attr in FORBIDDEN_METHODS:
            yield node.lineno, f"reads the clock with .{node.attr}"
        elif isinstance(node, ast.AsyncFunctionDef | ast.Await):
            yield node.lineno, "waits"


def program_starts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Ways to start a program that no import shows."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            names = [node.attr]
        elif isinstance(node, ast.ImportFrom) and node.module == "os":
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name in STARTERS or name.startswith(("exec", "spawn")):
                yield node.lineno, f"os.{name}"


def test_there_is_a_core_to_look_at() -> None:
    assert modules(CORE), f"nothing found below {CORE}"


@pytest.mark.parametrize("path", modules(CORE), ids=name_of)
def test_core_is_pure(path: Path) -> None:
    found = [f"{name_of(path)}:{line} {what}" for line, what in impurities(tree_of(path))]
    assert not found, "core is pure: pass what it needs as an argument\n" + "\n".join(found)


def test_only_process_starts_programs() -> None:
    # The scripted agent is no part of Foureyes when it runs, but a program that Foureyes starts.
    starters = {
        PACKAGE / "adapters" / name for name in ("process.py", "reaper.py", "agents/scripted.py", "agents/acp.py")
    }
    starters.add(PACKAGE / "ui" / "cli" / "demo.py")  # makes way for the demo
    starters.add(PACKAGE / "adapters" / "checks" / "namespaces.py")  # becomes the program, below the reaper
    found = [
        f"{name_of(path)}:{line} {what}"
        for path in product()
        if path not in starters
        for line, what in program_starts(tree_of(path))
    ]
    assert not found, "start programs through foureyes.adapters.process\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("import os", "imports os"),
        ("def f():\n    import random", "imports random"),
        ("from time import time", "imports time"),
        ("from foureyes import config", "imports foureyes.config"),
        ("from foureyes.corex import a", "imports foureyes.corex"),
        ("from . import task", "imports ."),
        ("from datetime import datetime as d\nd.now()", "reads the clock with .now"),
        ("import datetime\nt = datetime.date.today", "reads the clock with .today"),
        ("o = open", "uses open"),
        ("print(1)", "uses print"),
        ("input()", "uses input"),
        ("eval('1')", "uses eval"),
        ("__import__('os')", "uses __import__"),
    ],
)
def test_an_impurity_is_found(source: str, what: str) -> None:
    assert what in [found for _, found in impurities(ast.parse(source))]


@pytest.mark.parametrize(
    "source",
    [
        "from __future__ import annotations\nfrom collections.abc import Iterable\nimport msgspec.json\n",
        "from foureyes.core.words.ids import TaskId\nfrom foureyes.errors import Reason\nfrom foureyes import errors\n",
        "class A:\n    id: str\n    def f(self, now: int) -> int:\n        return self.id and now\n",
    ],
)
def test_pure_code_passes(source: str) -> None:
    assert not list(impurities(ast.parse(source)))


@pytest.mark.parametrize("source", ["import os\nos.system('x')", "from os import execvp", "import os\nos.fork()"])
def test_a_hidden_program_start_is_found(source: str) -> None:
    assert list(program_starts(ast.parse(source)))
