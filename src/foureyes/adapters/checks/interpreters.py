"""The Python interpreters of a run that nobody watches (D5): named by the command itself, or seen among its processes.

Each is known by what it finds modules by: its program, the options that matter, PYTHONPATH, and what goes first.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping

import msgspec

from foureyes.adapters.checks.code_origin import INSTALLED
from foureyes.adapters.checks.pytest_settings import first_paths
from foureyes.adapters.folders import opened
from foureyes.core.words.ids import Shape

PATH = "PYTHONPATH"
PYTHON = Shape(r"(python|pypy)[0-9.]*")
ASSIGNED = Shape(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)")
NAMED = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")
IGNORES_PATH, KEPT = frozenset("EI"), frozenset("EIsP")
"""Options with which an interpreter does not read PYTHONPATH; and those that it is asked with."""
NO_SCRIPT_FOLDER = frozenset("IP")
TAKES_A_WORD = frozenset("WX")
BEFORE_A_COMMAND = frozenset("command env exec nice time export".split())
ABOUT_ENVIRONMENTS = frozenset("pip venv virtualenv ensurepip build uv pipx compileall foureyes".split())
"""Modules that look after environments, and Foureyes: they test nothing."""
MOST_BYTES = 1_000_000


class Interpreter(msgspec.Struct, frozen=True):
    """A Python that was started without being watched, and what it finds modules by."""

    program: str
    options: str
    path: str
    told: tuple[str, ...]
    own: str
    cwd: str

    @property
    def first(self) -> list[str]:
        """What goes to the front of the path: what pytest is told, then the script's own directory."""
        return [*self.told, *([self.own] if self.own else [])]


class Invoked(msgspec.Struct, frozen=True):
    """What an interpreter was asked to run: `-m` a module, `-c` text, or a script."""

    options: frozenset[str]
    kind: str
    name: str


def in_command(command: str, env: Mapping[str, str], work: str, watch: str) -> Iterator[Interpreter]:
    """Those that a command line starts itself, with a path or options of its own."""
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
    """What a command sees of the environment, and the command."""
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
    """A script as the kernel runs it: by what its first line says."""
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
    """The one that a process (a directory of /proc) is, unless it looks after environments or asks about itself."""
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
    """What the arguments of an interpreter say; nothing for standard input."""
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
