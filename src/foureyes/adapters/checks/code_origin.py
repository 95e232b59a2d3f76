"""Detects Python code that a check loads from another checkout instead of the tested tree. (D5)

After an editable install (`pip install -e .`), every interpreter of that environment imports the original checkout,
wherever the check runs. So this file is copied into the run's scratch directory as `sitecustomize.py`, on `PYTHONPATH`.
Each interpreter that the check starts loads it and records the first file of a checkout that it runs or reads. Code
that is installed but not used is ignored.

Run as a script, it asks an interpreter that skipped it (`-I`, or its own `PYTHONPATH`) where the given names would be
imported from. It runs in other projects' interpreters, so it uses the standard library only, and imports only `os` and
`sys` up front.
"""

from __future__ import annotations

import os
import sys
from os.path import dirname, join, realpath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec

PLACES, FOUND = "places", "found"
"""Files next to the copy: the run's own directory with the checkouts, and the result."""
NOTE = "direct_url.json"
"""The file that installers write into a `.dist-info`."""
SCRATCH = "foureyes-check-"
SOURCES = (".py", ".pyi")
INSTALLED = ("/site-packages/", "/dist-packages/")
OF_OTHERS = frozenset({"site-packages", "dist-packages", "node_modules", "__pypackages__"})
"""Directories in a checkout with third-party code."""


class Places:
    """The run's own directory and the checkouts it must not use. All paths are resolved."""

    def __init__(self, own: str, checkouts: list[str]) -> None:
        self._own = own + "/"
        self._checkouts = sorted(checkouts, key=len, reverse=True)
        self._stdlib = dirname(os.__file__) + "/"
        homes = {sys.prefix, sys.base_prefix, sys.exec_prefix}
        below = ("lib", "lib64", "bin", "local/lib")
        self._tools = tuple({join(at, name) + "/" for home in homes for at in (home, realpath(home)) for name in below})
        self._folders: dict[str, str] = {}
        self._clones: dict[str, str] = {}
        self._copies: dict[str, dict[str, str]] = {}

    def checkout_of(self, name: str) -> str:
        """Return the checkout that a source file belongs to, "" for the run's own tree and third-party code."""
        for mark in INSTALLED:
            site, is_installed, rest = name.rpartition(mark)
            if is_installed:
                return self._installed(site + mark[:-1], rest.partition("/")[0])
        if name.startswith(self._stdlib):
            return ""
        folder, _, file = name.rpartition("/")
        if folder not in self._folders:
            self._folders[folder] = self._owner(realpath(folder))
            self._clones[folder] = "" if self._folders[folder] else self._top_of_clone(realpath(folder))
        return self._folders[folder] or self._another_clone(folder, file)

    def _owner(self, folder: str) -> str:
        """Return the checkout that a resolved folder belongs to, or ""."""
        path = folder + "/"
        if path.startswith(self._own):
            return ""
        if "/" + SCRATCH in path:  # what one attempt's checks left behind
            return folder[: path.index("/", path.index("/" + SCRATCH) + 1)]
        if path.startswith(self._tools):
            return ""
        for root in self._checkouts:
            if path.startswith(root + "/") and not OF_OTHERS & set(path[len(root) :].split("/")):
                return "" if self._is_other_repository(folder, root) else root
        return ""

    @staticmethod
    def _is_other_repository(folder: str, root: str) -> bool:
        """Return True if the folder is in a nested repository, which is not this project's code. A submodule has a
        `.git` file and does not count."""
        while len(folder) > len(root):
            if os.path.isdir(join(folder, ".git")):
                return True
            folder = dirname(folder)
        return False

    def _top_of_clone(self, folder: str) -> str:
        """Return the top of another repository around a folder. It may be another clone of this one."""
        path = folder + "/"
        if path.startswith((self._own, *self._tools, *[root + "/" for root in self._checkouts])):
            return ""
        while folder != "/" and not os.path.exists(join(folder, ".git")):
            folder = dirname(folder)
        return "" if folder == "/" else folder

    def _another_clone(self, folder: str, file: str) -> str:
        """Return the repository if it is a clone of this one. A file that the tested tree has too shows that."""
        top = self._clones.get(folder)
        rest = join(realpath(folder), file)[len(top) + 1 :] if top else ""
        return top or "" if "/" in rest and os.path.exists(join(self._own, "work", rest)) else ""

    def _installed(self, site: str, top: str) -> str:
        """Return the checkout behind an installed package: a link into it, or a copy made from it."""
        key = site + "/" + top
        if key not in self._folders:
            self._folders[key] = ""  # what this reads is asked about, too
            self._folders[key] = self._owner(realpath(key)) if os.path.islink(key) else self._copied(site).get(top, "")
        return self._folders[key]

    def _copied(self, site: str) -> dict[str, str]:
        if site not in self._copies:
            self._copies[site] = {}
            self._copies[site] = self.copies_in(site)
        return self._copies[site]

    def copies_in(self, site: str) -> dict[str, str]:
        """Return top-level names that `pip install .` copied from a checkout, with that checkout."""
        copies: dict[str, str] = {}
        for entry in os.listdir(site) if os.path.isdir(site) else ():
            info = join(site, entry)
            folder, editable = (
                installed_from(text_of(join(info, NOTE))) if entry.endswith(".dist-info") else ("", False)
            )
            owner = self._owner(realpath(folder)) if folder and not editable else ""
            if owner:
                tops = {line.partition("/")[0].partition(",")[0] for line in text_of(join(info, "RECORD")).split("\n")}
                copies.update(dict.fromkeys(tops - {"", "..", entry, "__pycache__"}, owner))
        return copies


def installed_from(text: str) -> tuple[str, bool]:
    """Return the directory named in `direct_url.json`, or "", and True if the install is editable."""
    if not text:
        return "", False
    import json
    from urllib.parse import unquote, urlsplit

    try:
        document = json.loads(text)
        url = urlsplit(document["url"])
        editable = bool((document.get("dir_info") or {}).get("editable"))
        return (unquote(url.path), editable) if url.scheme == "file" else ("", False)
    except (ValueError, TypeError, KeyError, AttributeError):
        return "", False


def text_of(path: str) -> str:
    """Return the text of a file, or an empty string."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(10_000_000)
    except OSError:
        return ""


def read_places(folder: str) -> Places:
    """Return the places recorded next to a copy of this file."""
    own, *checkouts = text_of(join(folder, PLACES)).split("\0")
    return Places(own, checkouts)


def tell(folder: str, file: str, checkout: str) -> None:
    """Record a result at once, because the process may be killed at any time."""
    words = "\0".join((file, checkout, sys.prefix, "\n")).encode("utf-8", "surrogateescape")
    handle = os.open(join(folder, FOUND), os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, words)
    finally:
        os.close(handle)


def watching(folder: str, places: Places) -> Callable[[str, tuple[object, ...]], None]:
    """Return an audit hook that checks each source file once, until the first hit."""
    seen: set[object] = {None}

    def hook(event: str, args: tuple[object, ...]) -> None:
        if event == "exec":
            name: object = getattr(args[0], "co_filename", None)
        elif event == "open":
            name = args[0]
            if not (isinstance(name, str) and name.endswith(SOURCES) and _is_read(args)):
                return
        elif event == "import":
            name = args[1]
        else:
            return
        if name in seen or "" in seen:
            return
        seen.add(name)
        if isinstance(name, str) and not name.startswith("<"):
            try:
                file = name if name.startswith("/") else join(os.getcwd(), name)
                checkout = places.checkout_of(file)
                if checkout:
                    seen.add("")  # one is enough
                    tell(folder, file, checkout)
            except Exception:  # noqa: S110
                pass  # the check's own errors are the only ones it has

    return hook


def _is_read(args: tuple[object, ...]) -> bool:
    mode, flags = args[1], args[2]
    if isinstance(mode, str):
        return not set(mode) & set("wax+")
    return isinstance(flags, int) and flags & os.O_ACCMODE == os.O_RDONLY


def begin(folder: str) -> None:
    """Install the hook, remove this folder from sys.path, and run the environment's own `sitecustomize`."""
    sys.path[:] = [entry for entry in sys.path if entry != folder]
    if hasattr(sys, "addaudithook"):
        sys.addaudithook(watching(folder, read_places(folder)))
    mine = sys.modules.pop("sitecustomize")
    try:
        __import__("sitecustomize")
    except ImportError as missing:
        if missing.name != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault("sitecustomize", mine)


def ask(folder: str, first: str, names: list[str]) -> None:
    """Record where the names would be imported from. `first` is at the front of the path, where a script's directory
    would be.
    """
    from importlib.util import find_spec

    sys.path[:] = [entry for entry in sys.path if realpath(entry) != realpath(folder)]
    sys.path[:0] = first.split(os.pathsep) if first else []
    places = read_places(folder)
    for name in names:
        try:
            spec = find_spec(name)
        except (ImportError, ValueError, AttributeError):
            spec = None
        for file in _files_of(spec) if spec else ():
            checkout = places.checkout_of(file) if file.startswith("/") else ""
            if checkout:
                tell(folder, file, checkout)
                return


def _files_of(spec: ModuleSpec) -> list[str]:
    return [spec.origin or "", *[join(at, "__init__.py") for at in spec.submodule_search_locations or ()]]


if __name__ == "sitecustomize":
    begin(dirname(os.path.abspath(__file__)))
elif __name__ == "__main__":
    ask(dirname(os.path.abspath(__file__)), sys.argv[1], sys.argv[2:])
