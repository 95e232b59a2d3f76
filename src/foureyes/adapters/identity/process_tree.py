"""Reads the ancestors of this process from `/proc` without starting a program. (I3, I5)

Every command does this, so it avoids pathlib and reads only `stat`, one link and the command line of each ancestor.
Nothing is guessed: an ancestor that ends or is hidden (`hidepid`) makes the tree unreadable. The walk ends at the top
of the pid namespace, and the namespace's number tells if that is the top of the machine. A `/proc` that is not the
kernel's, or not about this process, is ignored (`procfs`). Other systems than Linux use psutil (`psutil_tree`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from foureyes.adapters.identity.programs import SHELLS, interpreter_of
from foureyes.core.nouns.session import HOST_MAP

if TYPE_CHECKING:
    from foureyes.adapters.identity.procfs import ProcDirectory

DELETED = " (deleted)"
MEMORY = "/memfd:"
ENDINGS = (".js", ".mjs", ".cjs", ".py")
PSEUDO_TERMINALS = range(136, 144)
VIRTUAL_CONSOLES = 4
WORDS = 2
FIRST_PIDS, FIRST_TIMES = "pid:[4026531836]", "time:[4026531834]"
"""Initial namespaces of a machine. Their numbers are fixed in the kernel's interface (0xEFFFFFFC, 0xEFFFFFFA)."""


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """An ancestor.

    `names` are the possible names of its program, and `paths` the places of its executable and script. `words` are the
    first arguments of an interpreter's script.
    """

    pid: int
    start: int
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class ProcessTree(msgspec.Struct, frozen=True, kw_only=True):
    """All ancestors, nearest first.

    - place: the boot and pid namespace of the pids
    - readable: False if an ancestor is missing. The others are still listed.
    - leader: the pid of the session leader, usually the terminal's shell
    - led: the session leader is this process or an ancestor. False for a process that an ended command left behind,
    although it still has the terminal.
    - first: the pid namespace is the machine's initial one. If not, `top` is its pid 1.
    - forged: why `/proc` is not trusted. Then nothing else is set.
    """

    ancestors: tuple[Process, ...] = ()
    leader: int = 0
    led: bool = True
    readable: bool = False
    terminal: str = ""
    place: str = ""
    first: bool = True
    top: Process | None = None
    uid_map: str = HOST_MAP
    forged: str = ""

    def evidence(self, process: Process) -> str:
        """Return the process evidence, which no other process ever shares. (I3)"""
        return f"proc:{self.place}:{process.pid}:{process.start}"


class _Stat(msgspec.Struct, frozen=True):
    comm: str
    parent: int
    leader: int
    terminal: int
    start: int


class _Options(msgspec.Struct, frozen=True):
    """The meaning of an interpreter's options: which ones take code, a module or a value, and which subcommands to
    skip.
    """

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


def read_tree(*, pid: int | None = None) -> ProcessTree:
    """Return the ancestors of `pid`, by default of this process, up to the top. Never raises."""
    if not sys.platform.startswith("linux"):
        from foureyes.adapters.identity import psutil_tree

        return psutil_tree.read_tree()
    from foureyes.adapters.identity.procfs import NotProc, root

    try:
        with root() as proc:
            return tree_in(proc, pid)
    except NotProc as problem:
        return ProcessTree(forged=str(problem), terminal=_own_terminal())


def tree_in(proc: ProcDirectory, pid: int | None = None) -> ProcessTree:
    """Like read_tree(), with an open `/proc`. Raise NotProc if it is not about this process."""
    parent = os.getppid()
    # Our pid in this /proc. If it differs from our own, this /proc belongs to another pid namespace.
    own = pid if pid is not None else _number(proc.link("self"))
    here = proc.below(str(own)) if own > 0 else None
    if here is None:
        return ProcessTree()
    with here:
        stat = _stat(here, own)
        if stat is None:
            return ProcessTree()
        if pid is None and (own != os.getpid() or stat.parent not in (parent, os.getppid())):
            raise _not_ours(own, stat.parent)
        ancestors, complete = _walk(proc, own, stat)
        place, namespace = _place(proc, here)
        uid_map = _uid_map(here)
    first = namespace == FIRST_PIDS
    return ProcessTree(
        ancestors=ancestors,
        readable=complete and bool(place),
        leader=stat.leader,
        led=stat.leader in (own, *(above.pid for above in ancestors)),
        terminal=_terminal_name(stat.terminal),
        place=place,
        first=first,
        top=None if first else _top(proc, ancestors),
        uid_map=uid_map,
    )


def _not_ours(pid: int, parent: int) -> Exception:
    from foureyes.adapters.identity.procfs import NotProc

    return NotProc(
        f"/proc calls this process {pid} below {parent}, the kernel {os.getpid()} below {os.getppid()}: it is the "
        "/proc of another pid namespace."
    )


def _walk(proc: ProcDirectory, own: int, stat: _Stat) -> tuple[tuple[Process, ...], bool]:
    """Return the ancestors, nearest first, and True if the walk reached the top."""
    ancestors: list[Process] = []
    seen = {own}
    start = stat.start
    parent = stat.parent
    while parent != 0:
        entry = None if parent in seen else _process(proc, parent)
        # Younger than its child: the parent has ended and its pid was reused.
        if entry is None or entry[0].start > start:
            return tuple(ancestors), False
        above, following = entry
        ancestors.append(above)
        seen.add(parent)
        start, parent = above.start, following
    return tuple(ancestors), True


def _stat(place: ProcDirectory, pid: int) -> _Stat | None:
    """Return the needed fields of `/proc/<pid>/stat`. The command is in parentheses and may itself contain parentheses."""
    line = place.read("stat")
    opening, closing = line.find(b"("), line.rfind(b")")
    fields = line[closing + 1 :].split()
    if opening < 0 or closing < opening or len(fields) < 20:
        return None
    try:
        number = int(line[:opening])
        stat = _Stat(
            os.fsdecode(line[opening + 1 : closing]), int(fields[1]), int(fields[3]), int(fields[4]), int(fields[19])
        )
    except ValueError:
        return None
    if number != pid:
        raise _not_ours(number, stat.parent)
    return stat


def _process(proc: ProcDirectory, pid: int) -> tuple[Process, int] | None:
    """Return a process and its parent's pid. All reads use its own directory handle, which a reused pid cannot
    redirect."""
    place = proc.below(str(pid))
    if place is None:
        return None
    with place:
        stat = _stat(place, pid)
        if stat is None:
            return None
        path = place.link("exe").removesuffix(DELETED)
        names, paths, words = program_of(path, stat.comm, lambda: _arguments(place.read("cmdline")))
    return Process(pid=pid, start=stat.start, names=names, paths=paths, words=words), stat.parent


def itself(pid: int) -> Process | None:
    """Return a process as its children would see it, or None if unreadable."""
    from foureyes.adapters.identity.procfs import NotProc, root

    try:
        with root() as proc:
            entry = _process(proc, pid)
    except NotProc:
        return None
    return entry[0] if entry else None


def _top(proc: ProcDirectory, ancestors: tuple[Process, ...]) -> Process | None:
    """Return pid 1, even for a process that entered the namespace from outside."""
    if ancestors and ancestors[-1].pid == 1:
        return ancestors[-1]
    entry = _process(proc, 1)
    return entry[0] if entry else None


def program_of(
    path: str, comm: str, command: Callable[[], list[str]]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return names, paths and words of a process. `path` is empty for a hidden executable.

    The executable may have been renamed. The names that a process started with (`comm` and the arguments) cannot be
    changed by another process.
    """
    name = "" if path.startswith(MEMORY) else _plain_name(path)
    arguments = command()
    called = _plain_name(arguments[0].lstrip("-")) if arguments else ""
    started = arguments[0] if arguments and "/" in arguments[0] and arguments[0] != path else ""
    interpreter = next(filter(None, map(interpreter_of, (name, called, comm))), "")
    script = script_of(interpreter, arguments[1:])
    # Node programs put their title into the command line and comm, so only argv[0] is left.
    names = (name, _script_name(script), called, comm)
    words = arguments[arguments.index(script) + 1 :][:WORDS] if script in arguments[1:] else ()
    return tuple(dict.fromkeys(filter(None, names))), tuple(filter(None, (path, script, started))), tuple(words)


def _arguments(line: bytes) -> list[str]:
    """Return the arguments of a command line. A process that set its own title has one string with spaces."""
    arguments = [os.fsdecode(argument) for argument in line.rstrip(b"\0 ").split(b"\0")]
    return arguments[0].split(" ") if len(arguments) == 1 else arguments


def script_of(interpreter: str, arguments: list[str]) -> str:
    """Return the script or module that an interpreter runs, or an empty string."""
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
    """Return the meaning of the first relevant letter of `-Im` or `-Wignore`, and the text attached to it."""
    for at, letter in enumerate(letters, 1):
        for meaning, which in (("code", options.code), ("module", options.module), ("value", options.values)):
            if letter in which:
                return meaning, letters[at:]
    return "", ""


def _plain_name(path: str) -> str:
    """Return the last part of a path without the wrapper name of NixOS: `.claude-wrapped` becomes `claude`."""
    name = path.rpartition("/")[2]
    return name[1:].removesuffix("-wrapped") if name.startswith(".") and name.endswith("-wrapped") else name


def _script_name(script: str) -> str:
    name = _plain_name(script)
    return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)


def namespace_name(proc: ProcDirectory, here: ProcDirectory) -> str:
    """Return boot id and pid namespace, "" if unreadable. `here` is the directory of this process."""
    return _place(proc, here)[0]


def _place(proc: ProcDirectory, here: ProcDirectory) -> tuple[str, str]:
    """Return the place, and the link of the pid namespace.

    The place is empty in a private time namespace, because start times differ there and would not match the recorded
    ones.
    """
    link = here.link("ns/pid")
    settings = proc.across("sys")
    if settings is None:
        return "", link
    with settings:
        boot = settings.read("kernel/random/boot_id")[:8].decode("ascii", "replace")
    namespace = link.removeprefix("pid:[").removesuffix("]")
    in_time = here.link("ns/time") in ("", FIRST_TIMES)
    return (f"{boot}:{namespace}" if boot and namespace and in_time else ""), link


def _uid_map(here: ProcDirectory) -> str:
    """Return the uid mapping in one line. A kernel without user namespaces counts as unmapped."""
    lines = here.read("uid_map").decode("ascii", "replace").splitlines()
    return ", ".join(" ".join(line.split()) for line in lines) or ("" if here.link("ns/user") else HOST_MAP)


def _terminal_name(number: int) -> str:
    """Return the controlling terminal, such as `pts/3`, or an empty string."""
    major, minor = number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00
    if number == 0:
        return ""
    if major in PSEUDO_TERMINALS:
        return f"pts/{minor + (major - PSEUDO_TERMINALS.start) * 256}"
    return f"tty{minor}" if major == VIRTUAL_CONSOLES and minor < 64 else f"{major}:{minor}"


def _own_terminal() -> str:
    """Return "tty" if there is a terminal. Used if `/proc` is not trusted."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return ""
    return "tty"


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else -1
