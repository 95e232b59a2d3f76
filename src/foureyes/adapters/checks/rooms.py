"""Rooms: where a run has private layers over what it shares, and does not see what is not its own (D5).

`namespaces.py` makes them, as a process that keeps one. What can be seen: the system; of the home, and of the temporary
directories, only what the PATH leads to, to be read; nothing of a checkout, the store, other runs or environments, and
no socket of the person's own services.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import msgspec

from foureyes.adapters.checks import namespaces
from foureyes.adapters.checks.shelf import Shelf, homes
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
    """What lies over each other at a name of the place: from above, and where is written what is changed."""

    where: str
    lower: tuple[str, ...]
    upper: str
    moving: str


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
        spec = {
            "at": shelf.at, "place": place, "binds": binds,
            "layers": [(each.where, each.lower, each.upper, each.moving) for each in layers],
            "hidden": [path for path in sight.hidden if path not in TEMPORARY], "scratch": scratch,
            "shown": sight.shown,
        }  # fmt: skip
        command = [*_script(), "keep", json.dumps(spec)]
        self._keeper = start(command, None, {}, has_input=True)
        self.pid = self._keeper.pid
        said = self._said()
        if said != namespaces.READY:
            self.close()
            raise ProcessProblem(f"no room for it could be made: {said}")

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


def sight_of(environ: Mapping[str, str], checkouts: Sequence[str], shelf: Shelf, named: Sequence[str] = ()) -> Sight:
    """What a run does not see. `named`: variables that it asks for; what they name can be read."""
    own = [os.path.realpath(path) for path in checkouts]
    hidden = [path for path in dict.fromkeys([*homes(environ), *own, shelf.root, *SOCKETS]) if os.path.isdir(path)]
    covers = (*hidden, *TEMPORARY)
    wanted = [*_of_path(environ, covers), *_named(environ, named)]
    around = [*homes(environ), *own, shelf.root, *TEMPORARY]
    shown = [
        path
        for path in dict.fromkeys(wanted)
        if _is_below(path, covers) and not _is_below(path, own) and not any(_is_below(each, [path]) for each in around)
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


def _of_path(environ: Mapping[str, str], covers: Sequence[str]) -> Iterator[str]:
    """Where the programs of the PATH are installed, and those that they are links to."""
    for entry in environ.get("PATH", "").split(os.pathsep):
        if entry.startswith("/"):
            folder = os.path.realpath(entry)
            yield from _installed(folder)
            if os.path.normpath(entry) != folder:
                yield os.path.normpath(entry)
            for target in _links(folder):
                if _is_below(target, covers):
                    yield from _installed(os.path.dirname(target))


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


def _links(folder: str) -> Iterator[str]:
    with suppress(OSError), os.scandir(folder) as entries:
        for _, entry in zip(range(MOST_LINKS), entries, strict=False):
            if entry.is_symlink():
                yield os.path.realpath(entry.path)
