"""Where things are, for the tests of this folder."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "foureyes"


DEMO = PACKAGE / "demo"
"""Uses Foureyes as somebody else would, by its commands, in a folder that it has made itself."""


def modules(under: Path = PACKAGE) -> list[Path]:
    """Every Python file below a folder of the package, in a stable order."""
    return sorted(under.rglob("*.py"))


def product() -> list[Path]:
    """The same without the demo."""
    return [path for path in modules() if DEMO not in path.parents]


def name_of(path: Path) -> str:
    """A path as people write it: relative to the repository."""
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    """The parsed file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@cache
def nodes_of(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All that a file consists of: several tests look at each, and walking there takes longer than looking."""
    return tuple(ast.walk(tree))
