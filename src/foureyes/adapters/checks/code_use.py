"""Detects that a run used code of another checkout instead of the tested tree. (D5)"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from configparser import ConfigParser, Error
from contextlib import suppress
from glob import escape, glob
from typing import TYPE_CHECKING

import msgspec

from foureyes.adapters.checks import code_origin
from foureyes.adapters.checks.checkout import run_in
from foureyes.adapters.checks.code_origin import INSTALLED, NOTE, installed_from
from foureyes.adapters.folders import MB, opened, read, replace
from foureyes.adapters.folders import folder as open_folder
from foureyes.adapters.process import ProcessProblem
from foureyes.adapters.reaper import below
from foureyes.core.nouns.check import Elsewhere
from foureyes.core.words.ids import Shape
from foureyes.core.words.text import visible

if TYPE_CHECKING:
    from foureyes.adapters.checks.sandbox import Sandbox


# ---- The watch over a run (D5) ----

# `code_origin.py` watches inside the interpreters. A command can disable it (`PYTHONPATH=… pytest`, `-I`, `env -i`).
# Such an interpreter is found among the run's processes and asked afterwards, with the same path and options, where it
# would import the project's packages from.

MOST_FOUND, MOST_ASKED, MOST_NAMES = 100_000, 8, 200
ASKING = 30.0
SOON, SELDOM = 0.01, 0.4
"""Seconds between two scans of the processes, at first and later."""
ROOTS = ("", "src", "lib", "python")
NO_PACKAGES = frozenset("tests test testing docs doc examples setup conftest noxfile fabfile tasks".split())


class Watch:
    """Watches one run in its scratch directory. In a sandbox the run sees that directory by another path, `seen`.
    `checkouts` are those of the repository.
    """

    def __init__(self, place: str, checkouts: Sequence[str], seen: str = "", sandbox: Sandbox | None = None) -> None:
        self._place, self._sandbox = seen or place, sandbox
        self._folder, self._work = os.path.join(place, "watch"), os.path.join(self._place, "work")
        self._seen_folder = os.path.join(self._place, "watch")
        self._checkouts = [os.path.realpath(path) for path in checkouts]
        self._unwatched: dict[Interpreter, None] = {}
        self._next, self._pause = 0.0, SOON

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return the check's environment with what the watch needs. If there are no checkouts, nothing can be
        detected.
        """
        if not self._checkouts:
            return dict(env)
        watch, places = read(code_origin.__file__, MB), os.fsencode("\0".join([self._place, *self._checkouts]))
        with open_folder(self._folder, make=True, mode=0o700) as here:
            replace(here, "sitecustomize.py", watch, 0o600, durable=False)
            replace(here, code_origin.PLACES, places, 0o600, durable=False)
        return {**env, PATH: os.pathsep.join(filter(None, (self._seen_folder, env.get(PATH, ""))))}

    def examine(self, reaper: int) -> None:
        """Remember interpreters below a process that run without the watch."""
        now = time.monotonic()
        if now < self._next or not self._checkouts or len(self._unwatched) >= MOST_ASKED:
            return
        self._pause = min(self._pause * 2, SELDOM)
        for pid, _ in below(reaper):
            with suppress(OSError, ValueError):
                started = at(f"/proc/{pid}", self._seen_folder, self._work)
                if started is not None:
                    self._unwatched[started] = None
        self._next = time.monotonic() + self._pause

    def found(self, command: str, env: Mapping[str, str]) -> Elsewhere | None:
        """Return the first code that the run took from another checkout, or None."""
        if not self._checkouts:
            return None
        origin = self._recorded()
        if origin is None:
            if self._sandbox is None:  # inside a sandbox, a command's programs are unknown here
                self._unwatched |= dict.fromkeys(in_command(command, env, self._work, self._folder))
            self._ask(env)
            origin = self._recorded()
        if origin is None and self._sandbox is not None:
            return None  # no way leads to a checkout that is not there
        if origin is None:
            return leading_out(self._work, self._checkouts, env)
        file, checkout, prefix = origin
        return Elsewhere(
            file=visible(file.removeprefix(checkout + "/")), checkout=visible(checkout), by=visible(prefix),
            advice=_advice(command, file, checkout),
        )  # fmt: skip

    def _recorded(self) -> tuple[str, str, str] | None:
        """Return the first complete line written by an interpreter."""
        try:
            line, ended, _ = read(os.path.join(self._folder, code_origin.FOUND), MOST_FOUND).partition(b"\0\n")
        except OSError:
            return None
        words = os.fsdecode(line).split("\0")
        return (words[0], words[1], words[2]) if ended and len(words) == 3 else None

    def _ask(self, env: Mapping[str, str]) -> None:
        """Ask each interpreter without the watch where it imports from. The results go to the same file."""
        script, output = os.path.join(self._seen_folder, "sitecustomize.py"), list[bytes]()
        names = packages_in([self._readable(self._work), *self._checkouts]) if self._unwatched else []
        for each in list(self._unwatched)[:MOST_ASKED]:
            options = [f"-{letter}" for letter in each.options]
            given = {**env, PATH: each.path} if each.path else {name: env[name] for name in env if name != PATH}
            cwd = each.cwd if os.path.isdir(self._readable(each.cwd)) else self._place
            argv = [each.program, *options, script, os.pathsep.join(each.first), *names]
            with suppress(ProcessProblem, OSError):
                run_in(self._sandbox, argv, cwd, given, ASKING, output.append)

    def _readable(self, path: str) -> str:
        return self._sandbox.inside(path) if self._sandbox is not None else path


def packages_in(roots: Sequence[str]) -> list[str]:
    """Return the top-level packages and modules of checkouts, from the usual folders."""
    names: dict[str, None] = {}
    for place in (os.path.join(root, inner) for root in roots for inner in ROOTS):
        with suppress(OSError):
            for entry in sorted(os.listdir(place)):
                name, ending = os.path.splitext(entry)
                is_package = not ending and os.path.isfile(os.path.join(place, entry, "__init__.py"))
                if (ending == ".py" or is_package) and name.isidentifier() and name not in NO_PACKAGES:
                    names[name] = None
    return list(names)[:MOST_NAMES]


def _advice(command: str, file: str, checkout: str) -> str:
    """Return advice to make the run use the tree's own code."""
    words = command.split()
    is_built = not file.endswith(code_origin.SOURCES)
    if is_built or any(word.startswith("-") and IGNORES_PATH & asked_for([word]).options for word in words):
        return "let it create its own environment (python -m venv, then pip install -e .)"
    root = _root_of(file, checkout)
    if f"{PATH}=" in command:
        return f"let its {PATH} be {visible(root)}:${PATH}, so that the tree comes first and it is seen what is used"
    return f"begin its run with {PATH}={visible(root)}"


def _root_of(file: str, checkout: str) -> str:
    """Return the import root of a file in a checkout. For a copy, return where its package would be."""
    if not file.startswith(checkout + "/"):
        return "src" if os.path.isdir(os.path.join(checkout, "src")) else "."
    folder = os.path.dirname(file)
    while len(folder) > len(checkout) and os.path.isfile(os.path.join(folder, "__init__.py")):
        folder = os.path.dirname(folder)
    root = os.path.relpath(folder, checkout)
    return root.split(os.sep)[0] if root.split(os.sep)[0] in ROOTS else root


# ---- Unwatched Python interpreters of a run (D5) ----

# Each is identified by everything that determines its imports: program, relevant options, PYTHONPATH, and the front of
# its path.

PATH = "PYTHONPATH"
PYTHON = Shape(r"(python|pypy)[0-9.]*")
ASSIGNED = Shape(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)")
NAMED = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")
IGNORES_PATH, KEPT = frozenset("EI"), frozenset("EIsP")
"""Options that make an interpreter ignore PYTHONPATH, and options to repeat when asking it."""
NO_SCRIPT_FOLDER = frozenset("IP")
TAKES_A_WORD = frozenset("WX")
BEFORE_A_COMMAND = frozenset("command env exec nice time export".split())
ABOUT_ENVIRONMENTS = frozenset("pip venv virtualenv ensurepip build uv pipx compileall foureyes".split())
"""Modules that manage environments, and Foureyes itself. None of them runs tests."""
MOST_BYTES = 1_000_000


class Interpreter(msgspec.Struct, frozen=True):
    """A Python process that runs without the watch, and everything that determines its imports."""

    program: str
    options: str
    path: str
    given: tuple[str, ...]
    own: str
    cwd: str

    @property
    def first(self) -> list[str]:
        """Front of its import path: pytest's paths, then the script's own directory."""
        return [*self.given, *([self.own] if self.own else [])]


class Invoked(msgspec.Struct, frozen=True):
    """A module (`-m`), text (`-c`) or script that an interpreter was asked to run."""

    options: frozenset[str]
    kind: str
    name: str


def in_command(command: str, env: Mapping[str, str], work: str, watch: str) -> Iterator[Interpreter]:
    """Yield the interpreters that a command line itself starts with a path or options of their own."""
    words = shlex.shlex(command, posix=True, punctuation_chars=";&|()\n")
    words.whitespace = " \t\r"
    words.whitespace_split, words.commenters = True, ""
    given, cwd, part = dict(env), work, list[str]()
    try:
        for word in [*words, ";"]:
            if not set(word) <= set(";&|()\n"):
                part.append(word)
                continue
            own, argv = _assigned(part, given, cwd)
            if not argv:
                given = own  # assignments of their own, or export
            elif argv[0] == "cd" and len(argv) > 1:
                cwd = os.path.join(cwd, argv[1])
            elif (interpreter := _of(_with_interpreter(argv, own, cwd), own, cwd, watch, work)) is not None:
                yield interpreter
            part = []
    except ValueError:
        return  # no shell would take it either


def _assigned(part: list[str], env: dict[str, str], cwd: str) -> tuple[dict[str, str], list[str]]:
    """Return the environment of a command after its assignments, and the command without them."""
    known, env = {**env, "PWD": cwd}, dict(env)
    for at, word in enumerate(part):
        match = ASSIGNED.fullmatch(word)
        if match:
            env[match.group(1)] = NAMED.sub(lambda name: known.get(name.group(1), ""), match.group(2))
        elif word == "-i" and "env" in part[:at]:
            env = {}
        elif word not in BEFORE_A_COMMAND and not word.startswith("-"):
            return env, part[at:]
    return env, []


def _with_interpreter(argv: list[str], env: Mapping[str, str], cwd: str) -> list[str]:
    """Return the arguments as the kernel would run them, with the interpreter from a script's first line."""
    program = shutil.which(os.path.join(cwd, argv[0]) if "/" in argv[0] else argv[0], path=env.get("PATH"))
    if program is None or PYTHON.fullmatch(os.path.basename(program)):
        return [program or argv[0], *argv[1:]]
    try:
        with open(opened(program, follow=True), "rb") as file:
            first, second = (file.readline(4096).decode("utf-8", "replace") for _ in range(2))
    except OSError:
        return argv
    words = first.removeprefix("#!").split() if first.startswith("#!") else []
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if not word.startswith("-")]
    if words and second.startswith("'''exec'"):  # how installers write a long path
        words = shlex.split(second.removeprefix("'''exec'"))[:1]
    return [*words, program, *argv[1:]]


def at(process: str, watch: str, work: str) -> Interpreter | None:
    """Return the interpreter of a process (a directory of /proc), or None. Environment tools and Python's own queries
    are skipped.
    """
    if not PYTHON.fullmatch(os.path.basename(os.readlink(f"{process}/exe"))):
        return None
    argv = [os.fsdecode(word) for word in _file(f"{process}/cmdline").split(b"\0")[:-1]]
    rows = (row.partition("=") for row in os.fsdecode(_file(f"{process}/environ")).split("\0"))
    asked = asked_for(argv[1:])
    if asked.kind == "c" or any(mark in asked.name for mark in INSTALLED):
        return None
    return _of(argv, {name: value for name, _, value in rows}, os.readlink(f"{process}/cwd"), watch, work)


def _of(argv: list[str], env: Mapping[str, str], cwd: str, watch: str, work: str) -> Interpreter | None:
    if not argv or not PYTHON.fullmatch(os.path.basename(argv[0])):
        return None
    asked = asked_for(argv[1:])
    is_watched = watch and watch in env.get(PATH, "").split(os.pathsep) and not IGNORES_PATH & asked.options
    if is_watched or "S" in asked.options or not asked.kind or asked.name in ABOUT_ENVIRONMENTS:
        return None
    program = shutil.which(os.path.join(cwd, argv[0]) if "/" in argv[0] else argv[0], path=env.get("PATH"))
    if program is None:
        return None
    own = os.path.dirname(os.path.realpath(os.path.join(cwd, asked.name))) if asked.kind == "script" else cwd
    paths = first_paths(work) if os.path.basename(asked.name) in ("pytest", "py.test") else []
    first = "" if NO_SCRIPT_FOLDER & asked.options else own
    return Interpreter(program, "".join(sorted(KEPT & asked.options)), env.get(PATH, ""), tuple(paths), first, cwd)


def asked_for(words: list[str]) -> Invoked:
    """Return the program that an interpreter's arguments request. It is empty for standard input."""
    options = ""
    while words and words[0].startswith("-") and words[0] not in ("-", "--"):
        letters = words[0][1:]
        for place, letter in enumerate(letters if not letters.startswith("-") else ""):
            if letter in "cm":
                rest = letters[place + 1 :] or (words[1] if len(words) > 1 else "")
                return Invoked(frozenset(options), letter, rest.partition(".")[0] if letter == "m" else "")
            options += letter
            if letter in TAKES_A_WORD:
                words = words[1:] if place + 1 == len(letters) else words
                break
        words = words[1:]
    name = words[0] if words and words[0] != "-" else ""
    return Invoked(frozenset(options), "script" if name else "", name)


def _file(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(MOST_BYTES)


# ---- Links and paths from a tree into a checkout (D5) ----

DEPTH, MOST_FOLDERS, MOST_BYTES = 4, 5_000, 1_000_000
NODE = "node_modules"
IS_PATH = ("/", "./", "../")
CARGO = ("Cargo.toml", ".cargo/config.toml", ".cargo/config")
INSTALLS = "let it install in its own checkout (npm ci) instead of using a link"


def leading_out(work: str, checkouts: Sequence[str], env: Mapping[str, str]) -> Elsewhere | None:
    """Return the first link or path that leads from the tree into a checkout, or None."""
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
"""A setting's name, the path it leads to, and advice."""


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
    """Yield the folders of a tree from the top, down to a fixed depth, without third-party code."""
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
    """Yield linked packages, for example those of a workspace. They lead out of the tree if `node_modules` is a link or
    comes from elsewhere.
    """
    with suppress(OSError):
        for entry in sorted(os.listdir(modules)):
            path = os.path.join(modules, entry)
            if os.path.islink(path):
                yield os.path.join(name, entry), path, INSTALLS
            elif entry.startswith("@"):
                yield from _node(path, os.path.join(name, entry))


def _go(file: str, name: str) -> Iterator[WayOut]:
    """Yield the paths after `use` and `=>`."""
    for line in _plain_text(file).split("\n"):
        before, arrow, after = line.partition(" //")[0].partition("=>")
        words = after if arrow else before if name.endswith("go.work") else ""
        for path in (word.strip('"`()') for word in words.split()):
            if path.startswith(IS_PATH) or path == "..":
                yield name, os.path.join(os.path.dirname(file), path), f"take {visible(path)} out of {visible(name)}"


def _cargo(file: str, name: str) -> Iterator[WayOut]:
    """Yield every `path` and `paths` of a manifest or configuration."""
    with suppress(tomllib.TOMLDecodeError, RecursionError):
        folder = os.path.dirname(file)
        for path in _paths(tomllib.loads(_plain_text(file))):
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


def _plain_text(file: str) -> str:
    try:
        return read(file, MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


# ---- Environments that use a checkout in place (D5) ----


def sites_of(program: str) -> list[str]:
    """Return the package directories of an interpreter's environment, by the usual layout."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(program)))
    return sorted(glob(os.path.join(escape(home), "lib*", "*", "*-packages")))


def used_in_place(sites: Sequence[str], checkouts: Sequence[str]) -> str:
    """Return the first directory of a checkout that an environment refers to, or an empty string."""
    for site in sites:
        for path in _named_in(site):
            real = os.path.realpath(path)
            if any(real == root or real.startswith(root + "/") for root in checkouts):
                return real
    return ""


def _named_in(site: str) -> Iterator[str]:
    with suppress(OSError):
        for entry in sorted(os.listdir(site), key=lambda name: (name.endswith(".dist-info"), name)):
            path = os.path.join(site, entry)
            if entry.endswith((".pth", ".egg-link")):
                yield from (line.strip() for line in _site_text(path).split("\n") if line.startswith("/"))
            elif entry.endswith(".dist-info"):
                yield from filter(None, [installed_from(_site_text(os.path.join(path, NOTE)))[0]])
            elif os.path.islink(path):
                yield path


def _site_text(path: str) -> str:
    try:
        return read(path, MOST_BYTES, follow=True).decode("utf-8", "surrogateescape")
    except OSError:
        return ""


# ---- Pytest settings ----

FILES = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}


def said_paths(root: str) -> list[str]:
    """Return the directories in pytest's `pythonpath` setting, as written."""
    for name, section in FILES.items():
        text = _settings_text(os.path.join(root, name))
        settings = ConfigParser(interpolation=None)
        try:
            settings.read_string(text)
            if settings.has_option(section, "pythonpath"):
                return settings.get(section, "pythonpath").split()
        except Error:
            continue
    try:
        table = tomllib.loads(_settings_text(os.path.join(root, "pyproject.toml"))).get("tool", {}).get("pytest", {})
        paths = table.get("ini_options", table).get("pythonpath", [])
    except (tomllib.TOMLDecodeError, RecursionError, AttributeError):
        return []
    return paths.split() if isinstance(paths, str) else [path for path in paths if isinstance(path, str)]


def first_paths(root: str) -> list[str]:
    """Return the directories that pytest puts at the front of the path before it imports the tests."""
    paths = [*said_paths(root)]
    if any(
        os.path.isfile(os.path.join(root, name)) for name in ("conftest.py", "tests/__init__.py", "test/__init__.py")
    ):
        paths.append("")
    return [os.path.join(root, path) for path in paths]


def _settings_text(path: str) -> str:
    try:
        return read(path, MOST_BYTES, follow=True).decode("utf-8", "replace")
    except OSError:
        return ""
