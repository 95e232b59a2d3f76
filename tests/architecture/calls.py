"""Which code a function reaches, read from the source: enough of Python for the way this house is written.

A name is followed to the function, class or constant that it stands for in its module; `self.x` to a method or property
of the class; `Class(...).x` and, where a parameter or local is annotated or made from a class, `it.x` to that class's
method. What cannot be followed (a value that came from elsewhere) ends there.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.architecture.house import tree_of

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Place(NamedTuple):
    """A function, a class's method (`Class.name`) or a module's constant."""

    module: str
    name: str


@cache
def _tree(module: str) -> ast.Module:
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None, module
    return tree_of(Path(spec.origin))


@cache
def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, AttributeError, ValueError):
        return False


@cache
def _imports(module: str) -> dict[str, Place]:
    """Every name of ours that a module imports, wherever in it: to the module and the name there, or none for a
    module.
    """
    found: dict[str, Place] = {}
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("foureyes") and not node.level:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                is_module = _is_module(inner)
                found[alias.asname or alias.name] = Place(inner, "") if is_module else Place(node.module, alias.name)
    return found


@cache
def _definitions(module: str) -> dict[str, ast.AST]:
    """Functions, methods (`Class.name`) and constants of a module."""
    found: dict[str, ast.AST] = {}
    for node in _tree(module).body:
        if isinstance(node, Function):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{each.name}": each for each in node.body if isinstance(each, Function)}
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {each.id: node.value for each in targets if isinstance(each, ast.Name)}
    return found


@cache
def _classes(module: str) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in _tree(module).body if isinstance(node, ast.ClassDef)}


def _class_of(module: str, name: str) -> Place | None:
    """The class that a name stands for in a module."""
    if name in _classes(module):
        return Place(module, name)
    place = _imports(module).get(name)
    return place if place is not None and place.name in _classes(place.module) else None


def _method(owner: Place, name: str) -> Place | None:
    """A method of a class or of one that it is made from."""
    if f"{owner.name}.{name}" in _definitions(owner.module):
        return Place(owner.module, f"{owner.name}.{name}")
    for base in _classes(owner.module)[owner.name].bases:
        above = _class_of(owner.module, base.id) if isinstance(base, ast.Name) else None
        found = _method(above, name) if above else None
        if found:
            return found
    return None


def _locals(place: Place, node: ast.AST) -> dict[str, Place]:
    """Names in a function whose class is written down: parameters with an annotation, and `x = Class(...)`."""
    found: dict[str, Place] = {}
    for each in ast.walk(node):
        if isinstance(each, ast.arg) and isinstance(each.annotation, ast.Name):
            owner = _class_of(place.module, each.annotation.id)
            found |= {each.arg: owner} if owner else {}
        elif isinstance(each, ast.Assign) and isinstance(each.value, ast.Call):
            called = each.value.func
            owner = _class_of(place.module, called.id) if isinstance(called, ast.Name) else None
            for target in each.targets:
                found |= {target.id: owner} if owner and isinstance(target, ast.Name) else {}
    own = place.name.partition(".")[0]
    return found | ({"self": Place(place.module, own)} if own in _classes(place.module) else {})


def _owner(place: Place, node: ast.expr, known: dict[str, Place]) -> Place | None:
    """The class of what an attribute is taken from."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _class_of(place.module, node.func.id)
    return None


@cache
def _next(place: Place) -> tuple[Place, ...]:
    """What a function or constant leads to."""
    return tuple(dict.fromkeys(_named_in(place)))


def _named_in(place: Place) -> Iterator[Place]:
    node = _definitions(place.module)[place.name]
    imports, known = _imports(place.module), _locals(place, node)
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and each.id in _definitions(place.module):
            yield Place(place.module, each.id)
        elif isinstance(each, ast.Name) and each.id in imports and imports[each.id].name:
            yield imports[each.id]
        elif isinstance(each, ast.Attribute):
            owner = _owner(place, each.value, known)
            method = _method(owner, each.attr) if owner else None
            if method:
                yield method
            elif isinstance(each.value, ast.Name) and each.value.id in imports and not imports[each.value.id].name:
                yield Place(imports[each.value.id].module, each.attr)


def reached(module: str, name: str, *, under: tuple[str, ...]) -> set[Place]:
    """Every function and constant below these packages that one of them leads to, itself first."""
    found: set[Place] = set()
    waiting = [Place(module, name)]
    while waiting:
        place = waiting.pop()
        if place in found or not place.module.startswith(under) or place.name not in _definitions(place.module):
            continue
        found.add(place)
        waiting += _next(place)
    return found


def attributes(places: set[Place]) -> Iterator[ast.Attribute]:
    """Every attribute that these functions ask for."""
    for place in places:
        yield from _attributes(place)


@cache
def _attributes(place: Place) -> tuple[ast.Attribute, ...]:
    nodes = ast.walk(_definitions(place.module)[place.name])
    return tuple(node for node in nodes if isinstance(node, ast.Attribute))
