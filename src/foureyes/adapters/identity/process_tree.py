"""The ancestors of this process, read from `/proc` without starting a program (I3, I5).

On the way of every command, so no pathlib and no more reads than needed: one `stat` and one link per ancestor, the
command line only of interpreters and of processes whose executable is hidden from us.

What cannot be seen is not guessed: an ancestor that vanishes or is hidden (`hidepid`) makes the tree unreadable. The
walk ends at the top of the pid namespace: what started a container is not seen from inside (I9).

Elsewhere than on Linux psutil is asked (`elsewhere`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import msgspec

from foureyes.adapters.identity.programs import SHELLS, interpreter_of

DELETED = " (deleted)"
MEMORY = "/memfd:"
ENDINGS = (".js", ".mjs", ".cjs", ".py")
PSEUDO_TERMINALS = range(136, 144)
VIRTUAL_CONSOLES = 4
WORDS = 2


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """An ancestor: `names` are what its program may be called, `paths` where its executable and script lie.

    `words` are the first ones that an interpreter's script was given.
    """

    pid: int
    start: int
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class Tree(msgspec.Struct, frozen=True, kw_only=True):
    """All ancestors, nearest first. `place` says in which boot and pid namespace their numbers mean something.

    `readable` is false when an ancestor is missing or the numbers cannot be trusted; what was seen is still there.
    `leader` is the pid of the process that leads the session (the terminal's shell, as a rule).
    """

    ancestors: tuple[Process, ...] = ()
    leader: int = 0
    readable: bool = False
    terminal: str = ""
    place: str = ""

    def evidence(self, process: Process) -> str:
        """Process evidence of I3: nothing else, ever, has the same."""
        return f"proc:{self.place}:{process.pid}:{process.start}"


class _Stat(msgspec.Struct, frozen=True):
    comm: str
    parent: int
    leader: int
    terminal: int
    start: int


class _Options(msgspec.Struct, frozen=True):
    """How an interpreter's arguments are read: which short options bring code, a module or a value, and so on."""

    code: str = ""
    module: str = ""
    values: str = ""
    long_code: tuple[str, ...] = ()
    long_values: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


_SCRIPTS = _Options(
    code="ep",
    values="rC",
    long_code=("--eval", "--print"),
    long_values=(
        "--require",
        "--import",
        "--loader",
        "--experimental-loader",
        "--conditions",
        "--env-file",
        "--preload",
        "--cwd",
        "--config",
        "--import-map",
        "--input-type",
        "--title",
        "--tsconfig",
    ),
    commands=("run", "x"),
)
_SHELL = _Options(code="c", values="oO", long_values=("--rcfile", "--init-file"), commands=("sh", "ash"))
_OPTIONS = {
    "python": _Options(code="c", module="m", values="WX", long_values=("--check-hash-based-pycs",)),
    "pypy": _Options(code="c", module="m", values="WX"),
    "ruby": _Options(code="e", values="rICE"),
    "perl": _Options(code="eE", values="I"),
    "env": _Options(values="uC", long_values=("--unset", "--chdir")),
    **dict.fromkeys(SHELLS, _SHELL),
}


def read_tree(*, proc: str = "/proc", pid: int | None = None) -> Tree:
    """Walk from the parent of `pid` (this process) up to the top; never raises."""
    if proc == "/proc" and not sys.platform.startswith("linux"):
        from foureyes.adapters.identity import elsewhere

        return elsewhere.read_tree()
    # The number that this /proc knows us by; another one than our own means a /proc of another pid namespace.
    own = pid if pid is not None else _number(_link(f"{proc}/self"))
    stat = _stat(proc, own)
    if stat is None:
        return Tree()
    ancestors, complete = _walk(proc, own, stat)
    place = place_of(proc, own)
    return Tree(
        ancestors=ancestors,
        readable=complete and bool(place) and (pid is not None or own == os.getpid()),
        leader=stat.leader,
        terminal=_terminal_name(stat.terminal),
        place=place,
    )


def _walk(proc: str, own: int, stat: _Stat) -> tuple[tuple[Process, ...], bool]:
    """The ancestors, nearest first, and whether the walk came to the top."""
    ancestors: list[Process] = []
    seen = {own}
    start = stat.start
    parent = stat.parent
    while parent != 0:
        above = None if parent in seen else _stat(proc, parent)
        # Younger than its child: the parent has ended meanwhile and its number went to somebody else.
        if above is None or above.start > start:
            return tuple(ancestors), False
        ancestors.append(_process(proc, parent, above))
        seen.add(parent)
        start, parent = above.start, above.parent
    return tuple(ancestors), True


def _stat(proc: str, pid: int) -> _Stat | None:
    """The fields of `/proc/<pid>/stat` that matter. The command stands in parentheses and may contain any of them."""
    line = _read(f"{proc}/{pid}/stat")
    opening, closing = line.find(b"("), line.rfind(b")")
    fields = line[closing + 1 :].split()
    if opening < 0 or closing < opening or len(fields) < 20:
        return None
    try:
        return _Stat(
            os.fsdecode(line[opening + 1 : closing]), int(fields[1]), int(fields[3]), int(fields[4]), int(fields[19])
        )
    except ValueError:
        return None


def _process(proc: str, pid: int, stat: _Stat) -> Process:
    path = _link(f"{proc}/{pid}/exe").removesuffix(DELETED)
    names, paths, words = program_of(path, stat.comm, lambda: _arguments(_read(f"{proc}/{pid}/cmdline")))
    return Process(pid=pid, start=stat.start, names=names, paths=paths, words=words)


def program_of(
    path: str, comm: str, command: Callable[[], list[str]]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Names, paths and words of a process; `path` is empty if its executable is hidden from us."""
    name = "" if path.startswith(MEMORY) else _plain_name(path)
    if name and not interpreter_of(name):
        return (name,), (path,), ()
    arguments = command()
    called = _plain_name(arguments[0].lstrip("-")) if arguments else ""
    script = script_of(interpreter_of(name or called), arguments[1:])
    # Programs for node put their name where the command line was, and into comm: argv[0] is then all there is.
    names = (name, _script_name(script), called, comm)
    words = arguments[arguments.index(script) + 1 :][:WORDS] if script in arguments[1:] else ()
    return tuple(dict.fromkeys(filter(None, names))), tuple(filter(None, (path, script))), tuple(words)


def _arguments(line: bytes) -> list[str]:
    """The arguments in a command line; a process that wrote its own title there has one string with spaces."""
    arguments = [os.fsdecode(argument) for argument in line.rstrip(b"\0 ").split(b"\0")]
    return arguments[0].split(" ") if len(arguments) == 1 else arguments


def script_of(interpreter: str, arguments: list[str]) -> str:
    """The script (or module) that an interpreter runs; empty when it runs code from its arguments or none at all."""
    if not interpreter:
        return ""
    options = _OPTIONS.get(interpreter, _SCRIPTS)
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            return next(rest, "")
        if argument in options.commands or (interpreter == "env" and "=" in argument):
            continue
        if argument.startswith("--"):
            if argument.partition("=")[0] in options.long_code:
                return ""
            if argument in options.long_values:
                next(rest, None)
        elif argument[:1] in ("-", "+"):
            meaning, attached = _short_options(argument[1:], options)
            if meaning == "code" or argument == "-":
                return ""
            following = next(rest, "") if meaning and not attached else attached
            if meaning == "module":
                return following
        else:
            return argument
    return ""


def _short_options(letters: str, options: _Options) -> tuple[str, str]:
    """What the first telling letter of `-Im` or `-Wignore` means, and what is attached to it."""
    for at, letter in enumerate(letters, 1):
        for meaning, which in (("code", options.code), ("module", options.module), ("value", options.values)):
            if letter in which:
                return meaning, letters[at:]
    return "", ""


def _plain_name(path: str) -> str:
    """The last part of a path, without what NixOS wraps around names: `.claude-wrapped` is `claude`."""
    name = path.rpartition("/")[2]
    return name[1:].removesuffix("-wrapped") if name.startswith(".") and name.endswith("-wrapped") else name


def _script_name(script: str) -> str:
    name = _plain_name(script)
    return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)


def place_of(proc: str, own: int) -> str:
    """Boot id and pid namespace; empty when one of them cannot be read."""
    boot = _read(f"{proc}/sys/kernel/random/boot_id")[:8].decode("ascii", "replace")
    namespace = _link(f"{proc}/{own}/ns/pid").removeprefix("pid:[").removesuffix("]")
    return f"{boot}:{namespace}" if boot and namespace else ""


def _terminal_name(number: int) -> str:
    """The controlling terminal as people know it (`pts/3`); empty when there is none."""
    major, minor = number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00
    if number == 0:
        return ""
    if major in PSEUDO_TERMINALS:
        return f"pts/{minor + (major - PSEUDO_TERMINALS.start) * 256}"
    return f"tty{minor}" if major == VIRTUAL_CONSOLES and minor < 64 else f"{major}:{minor}"


def _read(path: str) -> bytes:
    """The first 64 KiB of a file; nothing when it cannot be read."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(file, 65536)
    except OSError:  # the process ended between open and read
        return b""
    finally:
        os.close(file)


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else -1
