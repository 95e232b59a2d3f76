"""Links and paths by which a tree uses code of a checkout (D5): `node_modules`, Go workspaces and `replace`, Cargo
paths. Read from the tree after the run, when what the check linked is there.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from foureyes.adapters.folders import read
from foureyes.core.nouns.check import Elsewhere
from foureyes.core.words.text import visible

DEPTH, MOST_FOLDERS, MOST_BYTES = 4, 5_000, 1_000_000
NODE = "node_modules"
IS_PATH = ("/", "./", "../")
CARGO = ("Cargo.toml", ".cargo/config.toml", ".cargo/config")
INSTALLS = "let it install in its own tree (npm ci) instead of a link"


def leading_out(work: str, checkouts: Sequence[str], env: Mapping[str, str]) -> Elsewhere | None:
    """The first way out of the tree into a checkout."""
    own = os.path.dirname(work)
    for name, path, advice in (*_by_settings(env), *_by_files(work)):
        real = os.path.realpath(path)
        root = next((root for root in checkouts if _is_in(real, root)), "")
        if root and not _is_in(real, own) and NODE not in real.removeprefix(root).split("/"):
            return Elsewhere(
                file=visible(os.path.relpath(real, root)), checkout=visible(root), by=visible(name), advice=advice
            )
    return None


def _is_in(path: str, root: str) -> bool:
    return path == root or path.startswith(root + "/")


WayOut = tuple[str, str, str]
"""What leads out, where to, and what to do about it."""


def _by_settings(env: Mapping[str, str]) -> Iterator[WayOut]:
    if env.get("GOWORK", "off") != "off":
        yield "GOWORK", env["GOWORK"], "take GOWORK out of its env"
    for name in ("config.toml", "config"):
        if "CARGO_HOME" in env:
            yield from _cargo(os.path.join(env["CARGO_HOME"], name), "CARGO_HOME")


def _by_files(work: str) -> Iterator[WayOut]:
    for folder in _folders(work):
        here = folder.removeprefix(work).lstrip("/")
        modules = os.path.join(folder, NODE)
        if os.path.isdir(modules):
            yield from _node(modules, os.path.join(here, NODE))
        for name in ("go.work", "go.mod"):
            yield from _go(os.path.join(folder, name), os.path.join(here, name))
        for name in CARGO:
            yield from _cargo(os.path.join(folder, name), os.path.join(here, name))


def _folders(work: str) -> Iterator[str]:
    """The folders of a tree, from above, not too deep, and none that holds other people's code."""
    level, seen = [work], 0
    for _ in range(DEPTH):
        below: list[str] = []
        for folder in level:
            yield folder
            with suppress(OSError), os.scandir(folder) as entries:
                below += [
                    entry.path
                    for entry in entries
                    if entry.name[0] != "." and entry.name != NODE and entry.is_dir(follow_symlinks=False)
                ]
        seen += len(below)
        level = below[: max(0, MOST_FOLDERS - seen)]


def _node(modules: str, name: str) -> Iterator[WayOut]:
    """Packages that are links: a workspace's own, when all of `node_modules` is a link or was made elsewhere."""
    with suppress(OSError):
        for entry in sorted(os.listdir(modules)):
            path = os.path.join(modules, entry)
            if os.path.islink(path):
                yield os.path.join(name, entry), path, INSTALLS
            elif entry.startswith("@"):
                yield from _node(path, os.path.join(name, entry))


def _go(file: str, name: str) -> Iterator[WayOut]:
    """What stands behind `use` and `=>`, where it is a path."""
    for line in _text(file).split("\n"):
        before, arrow, after = line.partition(" //")[0].partition("=>")
        words = after if arrow else before if name.endswith("go.work") else ""
        for path in (word.strip('"`()') for word in words.split()):
            if path.startswith(IS_PATH) or path == "..":
                yield name, os.path.join(os.path.dirname(file), path), f"take {visible(path)} out of {visible(name)}"


def _cargo(file: str, name: str) -> Iterator[WayOut]:
    """Every `path` and `paths` of a manifest or a configuration."""
    with suppress(tomllib.TOMLDecodeError, RecursionError):
        folder = os.path.dirname(file)
        for path in _paths(tomllib.loads(_text(file))):
            around = os.path.dirname(folder) if os.path.basename(folder) == ".cargo" else folder
            yield name, os.path.join(around, path), f"take {visible(path)} out of {visible(name)}"


def _paths(value: object, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _paths(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _paths(inner, key)
    elif isinstance(value, str) and key in ("path", "paths"):
        yield value


def _text(file: str) -> str:
    try:
        return read(file, MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
