"""Sandboxes: a run has private layers over what it shares, and does not see what is not its own (D5)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache

import msgspec

from foureyes.adapters.checks import namespaces
from foureyes.adapters.checks.environment_cache import Shelf, homes
from foureyes.adapters.folders import MB, read
from foureyes.adapters.process import ProcessProblem, close, close_input, start

TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108
SOCKETS = ("/run/user",)
"""Where a person's own services listen: buses, agents of keys, containers."""
BIN = ("bin", "sbin", "shims", "Scripts")
OF_LOCAL = ("bin", "lib", "libexec", "share/uv", "share/pipx", "share/pnpm", "share/mise", "share/fnm", "share/rtx")
"""What of `~/.local` are programs; the rest is somebody's."""
MANAGERS = frozenset({".asdf", ".goenv", ".jenv", ".linuxbrew", ".nodenv", ".npm-global", ".pixi", ".pyenv", ".rbenv",
                      ".rye", ".volta"})  # fmt: skip
"""Of these the programs lie beside `bin`; of other directories with a dot the rest is somebody's (`.fly`, `.cargo`)."""
MOST_LINKS = 5_000
SAID = 10_000


class Layer(msgspec.Struct, frozen=True):
    """What lies over each other at a name of the place: from above, and where is written what is changed. `lasts`: that
    is kept, and so brought to the disk; else nobody waits for that.
    """

    where: str
    lower: tuple[str, ...]
    upper: str
    moving: str
    lasts: bool = False


class Sight(msgspec.Struct, frozen=True):
    """What is not there in a room, and what of that is there all the same."""

    hidden: tuple[str, ...]
    shown: tuple[str, ...]


class Room:
    """One room, kept until it is closed."""

    def __init__(
        self,
        shelf: Shelf,
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
        command = [*_script(), "keep", shelf.at, place, *[word for row in rows for word in (str(len(row)), *row)]]
        self._keeper = start(command, None, {}, has_input=True)
        self.pid = self._keeper.pid
        answer = self._said()
        if answer != namespaces.READY:
            self.close()
            raise ProcessProblem(f"no room for it could be made: {answer}")

    def _said(self) -> str:
        assert self._keeper.stdout is not None
        return self._keeper.stdout.readline(SAID).decode("utf-8", "replace").strip()

    def entering(self, cwd: str, argv: Sequence[str]) -> list[str]:
        """The command that is another one inside."""
        return [*_script(), "enter", str(self.pid), cwd, *argv]

    def inside(self, path: str) -> str:
        """Where a path of the room can be read from here, as long as it is kept."""
        return os.path.join("/proc", str(self.pid), "root", path.lstrip("/"))

    @property
    def is_kept(self) -> bool:
        """Whether nobody ended the process that keeps it."""
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


def why_none(shelf: Shelf) -> str:
    """Why this kernel, or whoever set it up, gives us no rooms; empty where it does. Asked until it does: a full
    disk is no word for ever.
    """
    why = "" if shelf.root in _GIVEN else _probed(shelf)
    if not why:
        _GIVEN.add(shelf.root)
    return why


_GIVEN: set[str] = set()


def _probed(shelf: Shelf) -> str:
    try:
        with shelf.run() as place:
            lower, upper, moving = (_made(place, name) for name in ("lower", "upper", "moving"))
            Room(shelf, place, Sight((), ()), [Layer("work", (lower,), upper, moving)]).close()
    except (ProcessProblem, OSError) as problem:
        return str(problem)
    return ""


class Outlook:
    """What runs of one runner do not see, and what all the same. Where the programs of the PATH are installed is looked
    up once for all of them.
    """

    def __init__(self, environ: Mapping[str, str], checkouts: Sequence[str], shelf: Shelf) -> None:
        self._environ, self._shelf = environ, shelf
        self._own = [os.path.realpath(path) for path in checkouts]
        self._programs: list[str] = []

    def sight(self, named: Sequence[str] = ()) -> Sight:
        """For one run. `named`: variables that it asks for; what they name can be read."""
        around = [*homes(self._environ), *self._own, self._shelf.root]
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
    """Where the programs of the PATH are installed, and those below `covers` that they are links to."""
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
    """The directories that a directory of programs needs; of one that is nothing else, itself."""
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
    """The directories that links of a directory lead to; what a link names without a directory is an entry, too."""
    real, folders = cache(os.path.realpath), dict[str, None]()
    with suppress(OSError), os.scandir(folder) as entries:
        for _, entry in zip(range(MOST_LINKS), entries, strict=False):
            if entry.is_symlink() and "/" in (word := os.readlink(entry.path)):
                above, name = os.path.split(os.path.join(folder, word))
                at = os.path.join(real(above), name)
                is_plain = name not in ("", ".", "..") and not os.path.islink(at)
                folders[os.path.dirname(at if is_plain else os.path.realpath(at))] = None
    return folders
