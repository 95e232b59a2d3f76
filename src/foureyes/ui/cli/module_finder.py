"""Fast import: finds compiled files of Foureyes and two libraries directly. A short command imports a hundred modules,
and searching for each takes as long as running it.
"""

from __future__ import annotations

import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from marshal import loads
from types import CodeType

PIECE = 1 << 16
"""Number of bytes to read at once from a compiled file. A larger buffer would cost more than the reading."""
LARGEST = 1 << 22
HEADER = 16
"""Length of a compiled file's header: magic number, flags, and time and size of its source."""


class Straight(SourceFileLoader):
    """Python's source loader, given code that is already loaded."""

    code: CodeType | None = None

    def get_code(self, fullname: str) -> CodeType | None:
        code, self.code = self.code, None
        return code or super().get_code(fullname)


class Way:
    """Finder for modules in packages with valid compiled files. Python's own finder handles all others."""

    def __init__(self, ending: str, *packages: str) -> None:
        self._ending, self._starts = ending, tuple(f"{package}." for package in packages)

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return the spec of a module. `path` is its package's folder. A package with several folders is left to
        Python.
        """
        if not name.startswith(self._starts) or type(path) is not list or len(path) != 1:
            return None
        around, last = path[0], name.rpartition(".")[2]
        place = f"{around}/{last}"
        return read(name, f"{around}/__pycache__/{last}{self._ending}", place + ".py") or read(
            name, f"{place}/__pycache__/__init__{self._ending}", place + "/__init__.py", place
        )


def read(name: str, compiled: str, source: str, package: str = "") -> ModuleSpec | None:
    """Return a module's spec from its compiled file, None if that is missing or outdated."""
    try:
        handle = os.open(compiled, os.O_RDONLY | os.O_CLOEXEC)
        document = os.read(handle, PIECE)
        if len(document) == PIECE:
            document += os.read(handle, LARGEST)
        os.close(handle)
        facts = os.stat(source)
    except OSError:
        return None
    written = ((int(facts.st_mtime) & 0xFFFFFFFF) | (facts.st_size & 0xFFFFFFFF) << 32).to_bytes(8, "little")
    if len(document) >= LARGEST or document[:HEADER] != MAGIC_NUMBER + b"\0\0\0\0" + written:
        return None
    loader = Straight(name, source)
    loader.code = loads(memoryview(document)[HEADER:])  # noqa: S302 - as Python does
    spec = ModuleSpec(name, loader, origin=source, is_package=bool(package))
    spec.submodule_search_locations = [package] if package else None
    spec.has_location = True
    spec.cached = compiled
    return spec


def straighten(package: str, *others: str) -> None:
    """Install the finder for a package in a plain compiled folder, and for other packages that Python has already
    found.
    """
    spec = sys.modules[package].__spec__
    if spec and type(spec.loader) is SourceFileLoader and spec.origin and spec.cached and not sys.pycache_prefix:
        sys.meta_path.insert(0, Way(spec.cached.rpartition("__init__")[2], package, *others))
