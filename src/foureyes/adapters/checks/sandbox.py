"""Sandboxes: a run gets private layers over shared files and does not see other users' files. (D5)"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache

import msgspec

from foureyes.adapters.checks import namespaces
from foureyes.adapters.checks.check_cache import CheckCache, homes
from foureyes.adapters.folders import MB, read
from foureyes.adapters.process import ProcessProblem, close, close_input, start

TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108
SOCKETS = ("/run/user",)
"""Directories with sockets of a user's services, such as buses, key agents and containers."""
BIN = ("bin", "sbin", "shims", "Scripts")
OF_LOCAL = ("bin", "lib", "libexec", "share/uv", "share/pipx", "share/pnpm", "share/mise", "share/fnm", "share/rtx")
"""The program directories of `~/.local`. The rest is the user's data."""
MANAGERS = frozenset({".asdf", ".goenv", ".jenv", ".linuxbrew", ".nodenv", ".npm-global", ".pixi", ".pyenv", ".rbenv",
                      ".rye", ".volta"})  # fmt: skip
"""Tool managers with programs outside their `bin`. In other dot directories (`.fly`, `.cargo`) the rest is the user's
data.
"""
MOST_LINKS = 5_000
SAID = 10_000


class Layer(msgspec.Struct, frozen=True):
    """An overlay at a path in the sandbox: the lower directories from the top, and one that takes the changes. `lasts`:
    the changes are kept, so they are synced to disk.
    """

    where: str
    lower: tuple[str, ...]
    upper: str
    moving: str
    lasts: bool = False


class Sight(msgspec.Struct, frozen=True):
    """Paths hidden in a sandbox, and paths inside them that stay readable."""

    hidden: tuple[str, ...]
    shown: tuple[str, ...]


class Sandbox:
    """One sandbox, alive until closed."""

    def __init__(
        self,
        cache: CheckCache,
        place: str,
        sight: Sight,
        layers: Sequence[Layer] = (),
        binds: Sequence[tuple[str, str]] = (),
    ) -> None:
        scratch = [(path, _made(place, f"tmp{path.replace('/', '-')}")) for path in TEMPORARY if os.path.isdir(path)]
        rows = [
            *[
                ("lasting" if each.lasts else "passing", each.where, each.upper, each.moving, *each.lower)
                for each in layers
            ],
            *[("bind", *each) for each in binds],
            *[("hidden", path) for path in sight.hidden if path not in TEMPORARY],
            *[("scratch", *each) for each in scratch],
            *[("shown", path) for path in sight.shown],
        ]
        command = [*_script(), "keep", cache.at, place, *[word for row in rows for word in (str(len(row)), *row)]]
        self._keeper = start(command, None, {}, has_input=True)
        self.pid = self._keeper.pid
        answer = self._said()
        if answer != namespaces.READY:
            self.close()
            raise ProcessProblem(f"no sandbox could be created for it: {answer}")

    def _said(self) -> str:
        assert self._keeper.stdout is not None
        return self._keeper.stdout.readline(SAID).decode("utf-8", "replace").strip()

    def entering(self, cwd: str, argv: Sequence[str]) -> list[str]:
        """Return the command line that runs a program inside."""
        return [*_script(), "enter", str(self.pid), cwd, *argv]

    def inside(self, path: str) -> str:
        """Return the path by which we reach a file of the sandbox. Valid only while it lives."""
        return os.path.join("/proc", str(self.pid), "root", path.lstrip("/"))

    @property
    def is_kept(self) -> bool:
        """True if the process that holds the sandbox still runs."""
        return self._keeper.poll() is None

    def close(self) -> None:
        close_input(self._keeper)
        self._keeper.wait()
        close(self._keeper)


def _script() -> list[str]:
    return [sys.executable, "-I", "-S", os.path.abspath(namespaces.__file__)]


def _made(place: str, name: str) -> str:
    path = os.path.join(place, name)
    os.mkdir(path, 0o700)
    return path


def why_none(cache: CheckCache) -> str:
    """Return why no sandbox can be created, or "". Only success is remembered, because a failure such as a full disk
    may pass.
    """
    why = "" if cache.root in _GIVEN else _probed(cache)
    if not why:
        _GIVEN.add(cache.root)
    return why


_GIVEN: set[str] = set()


def _probed(cache: CheckCache) -> str:
    try:
        with cache.run() as place:
            lower, upper, moving = (_made(place, name) for name in ("lower", "upper", "moving"))
            Sandbox(cache, place, Sight((), ()), [Layer("work", (lower,), upper, moving)]).close()
    except (ProcessProblem, OSError) as problem:
        return str(problem)
    return ""


class Outlook:
    """The visible and hidden paths for the runs of one runner. The programs on PATH are looked up once."""

    def __init__(self, environ: Mapping[str, str], checkouts: Sequence[str], cache: CheckCache) -> None:
        self._environ, self._cache = environ, cache
        self._own = [os.path.realpath(path) for path in checkouts]
        self._programs: list[str] = []

    def sight(self, named: Sequence[str] = ()) -> Sight:
        """Return the visible and hidden paths for one run. `named` are variables whose paths stay readable."""
        around = [*homes(self._environ), *self._own, self._cache.root]
        hidden = [path for path in dict.fromkeys([*around, *SOCKETS]) if os.path.isdir(path)]
        covers = (*hidden, *TEMPORARY)
        self._programs = self._programs or _of_path(self._environ, covers)
        shown = [
            path
            for path in dict.fromkeys([*self._programs, *_named(self._environ, named)])
            if _is_below(path, covers)
            and not _is_below(path, self._own)
            and not any(_is_below(each, [path]) for each in (*around, *TEMPORARY))
        ]
        return Sight(tuple(hidden), tuple(path for path in sorted(shown) if os.path.exists(path)))


def _is_below(path: str, roots: Sequence[str]) -> bool:
    return any(path == root or path.startswith(root.rstrip("/") + "/") for root in roots)


def _named(environ: Mapping[str, str], names: Sequence[str]) -> Iterator[str]:
    for name in names:
        if environ.get(name, "").startswith("/"):
            yield os.path.realpath(environ[name])
    for home in homes(environ):
        yield os.path.join(home, ".rustup")


def _of_path(environ: Mapping[str, str], covers: Sequence[str]) -> list[str]:
    """Return the install directories of the programs on PATH, including link targets below `covers`."""
    paths, seen = dict[str, None](), set[str]()
    for entry in dict.fromkeys(environ.get("PATH", "").split(os.pathsep)):
        if not entry.startswith("/"):
            continue
        folder = os.path.realpath(entry)
        if os.path.normpath(entry) != folder:
            paths[os.path.normpath(entry)] = None
        if folder not in seen:
            seen.add(folder)
            led = [each for each in _led_to(folder) if _is_below(each, covers)]
            paths |= dict.fromkeys(path for each in (folder, *led) for path in _installed(each))
    return list(paths)


def _installed(folder: str) -> Iterator[str]:
    """Yield the directories that a program directory needs. If it has other contents, only itself."""
    yield folder
    prefix, name = os.path.split(folder)
    kind = os.path.basename(prefix)
    if name not in BIN:
        return
    if kind == ".local":
        yield from (os.path.join(prefix, part) for part in OF_LOCAL)
        return
    is_environment = os.path.exists(os.path.join(prefix, "pyvenv.cfg"))
    if kind.startswith(".") and name != "shims" and kind not in MANAGERS and not is_environment:
        return
    yield prefix
    with suppress(OSError):
        for line in read(os.path.join(prefix, "pyvenv.cfg"), MB).decode("utf-8", "replace").split("\n"):
            key, _, home = line.partition("=")
            if key.strip() == "home" and home.strip().startswith("/"):
                yield from _installed(os.path.realpath(home.strip()))


def _led_to(folder: str) -> dict[str, None]:
    """Return the directories that links in a directory lead to. Directories on the way of a relative link count too."""
    real, folders = cache(os.path.realpath), dict[str, None]()
    with suppress(OSError), os.scandir(folder) as entries:
        for _, entry in zip(range(MOST_LINKS), entries, strict=False):
            if entry.is_symlink() and "/" in (word := os.readlink(entry.path)):
                above, name = os.path.split(os.path.join(folder, word))
                at = os.path.join(real(above), name)
                is_plain = name not in ("", ".", "..") and not os.path.islink(at)
                folders[os.path.dirname(at if is_plain else os.path.realpath(at))] = None
    return folders
