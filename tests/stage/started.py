"""The process that is a fake agent, person or service: it runs what it is asked to over a socket, as its own child.

It runs from a copy of this file that is named after whom it plays, isolated: it imports the standard library only.

Most commands are `fe`, and most of what a short command does is importing itself. So, from its second `fe` on, a caller
has a child (this file again, as `warm`) that imports what commands import and forks for each of them. What is forked is
a process of its own in all that anybody can see: number, start, parents, session, terminal, environment, command line.
Short commands (IN_PLACE) it runs itself: for that long it has their terminal, environment and command line.
The first `fe` of every caller is started as usual, and at night all of them are.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import contextvars
import fcntl
import gc
import importlib
import io
import json
import os
import select
import selectors
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TextIO

HEADER = struct.Struct("!I")
MOST_FILES = 3
END_OF_INPUT = b"\x04"
ROOM = 16_000
"""Bytes for the command line of what a warm process forks: it stands where the one of that process stood."""
FIRST = ("ctypes", "foureyes.ui.cli.main")
IN_PLACE = frozenset(
    "approve attention audit author block cancel checkpoint close context create defer delete dep export feature"
    " finding handoff help hold import label lead list log loop merges next plan policy prime prompt queue ready redo"
    " reject reopen resume review reviewable rules security show start stats status submit unblock undefer unstart"
    " update validate version whoami".split()
)
"""Commands that a warm process runs itself, one after the other: nothing of them, and of their process, is asked for
once they have answered. Those that run programs of a tree, hold a lease or move a store are not among them."""
HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM, signal.SIGPIPE)
KNOWN: set[type] = set()
"""The types that a warm process has looked up."""
LOOKED_THROUGH: set[str] = set()
"""The modules that it has looked for them in."""
RUNNING: list[int] = []
"""The command that is running."""


def send(connection: socket.socket, message: Mapping[str, Any], passed: Sequence[int] = ()) -> None:
    """Say something, and pass open files along."""
    body = json.dumps(message).encode()
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", passed))] if passed else []
    connection.sendmsg([HEADER.pack(len(body))], rights)
    connection.sendall(body)


def receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next message and the files that came with it; None at the end of the connection."""
    head, passed, _, _ = socket.recv_fds(connection, HEADER.size, MOST_FILES, socket.MSG_WAITALL)
    if len(head) < HEADER.size:
        return None
    (length,) = HEADER.unpack(head)
    body = connection.recv(length, socket.MSG_WAITALL)
    return (json.loads(body), passed) if len(body) == length else None


# ------------------------------------------------------------------------------------------------------ the caller


class Player:
    """Whoever is played: runs one command after the other until the connection ends."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._calls = 0
        self._warm: Warm | None = None

    def serve(self) -> None:
        """Say who we are, and do as we are told."""
        signal.signal(signal.SIGTERM, self._end)
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):  # a suite in the background ignores them, and
            signal.signal(number, signal.SIG_DFL)  # children inherit that
        with contextlib.suppress(ConnectionError):  # the test has gone: so do we
            send(self._connection, {"pid": os.getpid()})
            while request := receive(self._connection):
                message, passed = request
                send(self._connection, _start_child(message, passed[0]) if "start" in message else self._run(message))
        self._end()

    def _end(self, *_: object) -> NoReturn:
        """Take along the session of the command that is running."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # we are at it
        for leader in RUNNING:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(leader, signal.SIGKILL)
        if self._warm:
            self._warm.process.kill()
            self._warm.process.wait()
        os._exit(0)

    def _run(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run one command to its end, or kill it and all of its session when it is late."""
        ends = Ends(request)
        try:
            command = self._start(request, ends.theirs)
        except OSError as problem:
            ends.close()
            return {"rc": 127, "out": "", "err": f"launcher: {problem}\n", "screen": "", "late": False}
        RUNNING.append(command.pid)
        until = time.monotonic() + request["timeout"]
        ends.watch()
        rc = command.wait(until) if ends.exchange(until) else None
        late = rc is None
        if rc is None:
            os.killpg(command.pid, signal.SIGKILL)
            ends.exchange(None)
            rc = command.wait(None)
        RUNNING.clear()
        return {"rc": rc, "late": late, **ends.said()}

    def _start(self, request: dict[str, Any], files: Sequence[int]) -> Started | Warm:
        """By a fork of what has been imported already, where the second `fe` is asked for in the usual environment."""
        warm = request.get("warm")
        self._calls += bool(warm)
        if not warm or self._calls == 1 or not os.path.isdir(request["cwd"]):
            return Started(request, files)
        if self._warm is None or self._warm.has_ended:
            self._warm = Warm(request["argv"][0], warm["script"], warm["env"])
        self._warm.fork(request, files)
        return self._warm


class Started:
    """A command that is started again."""

    def __init__(self, request: dict[str, Any], files: Sequence[int]) -> None:
        uid = request.get("uid")
        stdin, stdout, stderr = files
        self._process = subprocess.Popen(
            request["argv"],
            cwd=request["cwd"],
            env=request["env"],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            preexec_fn=_take_terminal if request.get("terminal") else None,
            user=uid,
            group=uid,
            extra_groups=None if uid is None else [],
        )
        self.pid = self._process.pid

    def wait(self, until: float | None) -> int | None:
        """Its exit code; None when it has not ended by then."""
        try:
            return self._process.wait(None if until is None else max(until - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            return None


class Warm:
    """A child that has imported the command line; it forks one command at a time, or runs it itself.

    It `has_ended` if it was killed with a command that it ran, or could not be as before after one.
    """

    pid = 0
    has_ended = False

    def __init__(self, python: str, script: str, env: Mapping[str, str]) -> None:
        self._connection, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            command = [python, script, "warm", str(number), "." * ROOM]
            self.process = subprocess.Popen(command, env=env, pass_fds=[number], stdin=subprocess.DEVNULL)

    def fork(self, request: dict[str, Any], files: Sequence[int]) -> None:
        """Let it begin a command."""
        send(self._connection, {name: request[name] for name in ("argv", "cwd", "env", "terminal")}, files)
        self.pid = self._answer()["pid"]

    def wait(self, until: float | None) -> int | None:
        """The exit code of the command; None when it has not ended by then."""
        left = None if until is None else max(until - time.monotonic(), 0)
        if not select.select([self._connection], [], [], left)[0]:
            return None
        if self.pid == self.process.pid and not self._connection.recv(1, socket.MSG_PEEK):
            self.has_ended = True
            return self.process.wait()
        answer = self._answer()
        self.has_ended = bool(answer.get("last"))
        return int(answer["rc"])

    def _answer(self) -> dict[str, Any]:
        answer = receive(self._connection)
        if answer is None:
            raise OSError("the warm process has ended")
        return answer[0]


def _start_child(message: dict[str, Any], passed: int) -> dict[str, Any]:
    """Start another agent; it ends with its own connection, and subprocess reaps it some time later."""
    command = [*message["start"], str(passed)]
    child = subprocess.Popen(command, env=message["env"], pass_fds=[passed], stdin=subprocess.DEVNULL)
    os.close(passed)
    return {"pid": child.pid}


def _detach() -> None:
    """Fork twice. The first process waits for the second: once that is gone, we have been given our new parent."""
    if second := os.fork():
        os.waitpid(second, 0)
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)


def _take_terminal() -> None:
    """In the new session's first process: make the terminal that is its input its controlling one."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _leave_terminal() -> None:
    """Who leads a session and leaves its terminal is told by a SIGHUP."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    fcntl.ioctl(0, termios.TIOCNOTTY)
    signal.signal(signal.SIGHUP, before)


# --------------------------------------------------------------------------------------- input, output and terminal


class Ends:
    """Both ends of a command's input, output and errors: pipes, a terminal, or a terminal and pipes."""

    def __init__(self, request: dict[str, Any]) -> None:
        self._typed = (request["input"] or "").encode("utf-8", "surrogateescape")
        self._screen = Screen(self._typed) if request.get("terminal") else None
        self._tty = bool(request.get("tty"))
        self._input = -1
        self._heard: dict[int, bytearray] = {}
        stdin = self._screen.slave if self._screen else self._pipe_in()
        self.theirs = (stdin, stdin, stdin) if self._tty else (stdin, self._pipe_out(), self._pipe_out())

    def _pipe_in(self) -> int:
        theirs, self._input = os.pipe()
        os.set_blocking(self._input, False)
        return theirs

    def _pipe_out(self) -> int:
        ours, theirs = os.pipe()
        self._heard[ours] = bytearray()
        return theirs

    def watch(self) -> None:
        """The command has begun: let go of its ends, and read what appears on the terminal."""
        for number in set(self.theirs):
            os.close(number)
        if self._screen:
            self._screen.watch()

    def close(self) -> None:
        """The command has not begun."""
        for number in {*self.theirs, *self._heard, *([self._input] if self._input >= 0 else [])}:
            os.close(number)
        if self._screen:
            os.close(self._screen.master)

    def exchange(self, until: float | None) -> bool:
        """Give what is typed and take what is said until everybody has closed their end; false when that is late."""
        with selectors.DefaultSelector() as selector:
            for number in [number for number in self._heard if number >= 0 and _is_open(number)]:
                selector.register(number, selectors.EVENT_READ)
            if self._input >= 0:
                selector.register(self._input, selectors.EVENT_WRITE)
            while selector.get_map():
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    return False
                for key, _ in selector.select(left):
                    if not (self._give() if key.fd == self._input else self._take(key.fd)):
                        selector.unregister(key.fd)
                        os.close(key.fd)
                        self._input = -1 if key.fd == self._input else self._input
        return True

    def _give(self) -> bool:
        """Whether there is more to type."""
        try:
            self._typed = self._typed[os.write(self._input, self._typed[:65536]) :]
        except BrokenPipeError:
            return False
        return bool(self._typed)

    def _take(self, number: int) -> bool:
        """Whether there may be more to hear."""
        part = os.read(number, 65536)
        self._heard[number] += part
        return bool(part)

    def said(self) -> dict[str, str]:
        """All that the command said."""
        seen = self._screen.finish() if self._screen else b""
        parts = (seen, b"", b"") if self._tty else (*self._heard.values(), seen)
        texts = [bytes(part).decode("utf-8", "surrogateescape") for part in parts]
        return dict(zip(("out", "err", "screen"), texts, strict=True))


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


class Screen:
    """A pseudo-terminal without echo, in which something has been typed already."""

    def __init__(self, typed: bytes) -> None:
        self.master, self.slave = os.openpty()
        mode = termios.tcgetattr(self.slave)
        mode[1] &= ~termios.OPOST
        mode[3] &= ~termios.ECHO
        termios.tcsetattr(self.slave, termios.TCSANOW, mode)
        termios.tcsetwinsize(self.slave, (24, 80))
        # Every read at the end of input takes one ^D, and one more if the last line has no end.
        os.write(self.master, typed + END_OF_INPUT * 8)
        self._seen = bytearray()
        self._reader = threading.Thread(target=self._read)

    def watch(self) -> None:
        """Start to read what appears; the terminal lives as long as the command has it."""
        self._reader.start()

    def finish(self) -> bytes:
        """All that appeared."""
        self._reader.join()
        os.close(self.master)
        return bytes(self._seen)

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # Linux: EIO when the last one has closed the terminal
            while part := os.read(self.master, 65536):
                self._seen += part


# ------------------------------------------------------------------------------------------------ the warm process


def keep_warm(connection: socket.socket) -> None:
    """Import what commands import, and fork for each command or run it."""
    os.setsid()
    os.set_inheritable(connection.fileno(), False)
    own = _words()
    _learn(list(FIRST))
    while request := receive(connection):
        message, files = request
        if IN_PLACE.issuperset(message["argv"][3:4] or [""]):
            _answer_in_place(connection, message, files, own)
            continue
        known, (heard, tell) = list(sys.modules), os.pipe()
        child = os.fork()
        if child == 0:
            connection.close()
            os.close(heard)
            _become(message, files, tell, frozenset(known))
        for number in (*files, tell):
            os.close(number)
        send(connection, {"pid": child})
        _, status = os.waitpid(child, 0)
        send(connection, {"rc": os.waitstatus_to_exitcode(status)})
        with open(heard, "rb", buffering=0) as pipe:
            os.set_blocking(heard, False)  # what a command leaves behind may still have its end of it
            if imported := (pipe.read(1 << 20) or b"").decode().split():
                _learn(imported)


def _answer_in_place(connection: socket.socket, message: dict[str, Any], files: list[int], own: bytes) -> None:
    """Run a command that starts nothing which could outlive it, and be as before; where that cannot be, end."""
    before, modules = os.listdir("/proc/self/fd"), len(sys.modules)
    send(connection, {"pid": os.getpid()})
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    if message["terminal"]:
        _take_terminal()
    code = contextvars.copy_context().run(_run_in_place, message)
    _rename(own)
    if message["terminal"]:
        _leave_terminal()
    os.chdir("/")
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    os.close(nothing)
    _take_streams()  # what the old ones could not write goes nowhere, and not to the next one's output
    is_last = len(os.listdir("/proc/self/fd")) > len(before) - len(files) or threading.active_count() > 1
    send(connection, {"rc": code, "last": is_last})
    if is_last:
        os._exit(0)
    if len(sys.modules) > modules:
        _learn([])


def _run_in_place(message: dict[str, Any]) -> int:
    handlers = {number: signal.getsignal(number) for number in HANDLED}
    try:
        os.chdir(message["cwd"])
        os.environ.clear()
        os.environ.update(message["env"])
        _rename(b"\0".join(os.fsencode(word) for word in message["argv"]))
        _take_streams()
        sys.argv = ["foureyes", *message["argv"][3:]]
        importlib.import_module("foureyes.ui.cli.main").main(sys.argv[1:])
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return 70


def _learn(modules: list[str]) -> None:
    """The next command finds them imported."""
    for name in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    with contextlib.suppress(ImportError):
        _look_up()
    gc.collect()
    gc.freeze()


def _look_up() -> None:
    """What every command works out again from the text of the program: its types, and the statements of the store."""
    msgspec = importlib.import_module("msgspec")
    queries = importlib.import_module("foureyes.adapters.store.connection")
    for name in [name for name in sys.modules if name.startswith("foureyes.") and name not in LOOKED_THROUGH]:
        LOOKED_THROUGH.add(name)
        kinds = vars(sys.modules[name]).values()
        for kind in [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]:
            if kind not in KNOWN:
                KNOWN.add(kind)
                with contextlib.suppress(Exception):  # one whose parts are only named for the type checker
                    msgspec.json.Decoder(kind)
    for name in queries.names():
        queries.sql(name)


def _become(message: dict[str, Any], files: list[int], tell: int, known: frozenset[str]) -> NoReturn:
    """Be `python -m foureyes …`: everything but the imports is as if it had just been started."""
    try:
        os.setsid()
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        if message["terminal"]:
            _take_terminal()
        os.chdir(message["cwd"])
        os.environ.clear()
        os.environ.update(message["env"])
        _rename(b"\0".join(os.fsencode(word) for word in message["argv"]))
        _take_streams()
        atexit.register(lambda: os.write(tell, " ".join(set(sys.modules) - known).encode()))
        sys.argv = ["foureyes", *message["argv"][3:]]
        importlib.import_module("foureyes.ui.cli.entry").main()
    finally:
        os._exit(70)


def _stream(number: int, like: TextIO) -> TextIO:
    """Standard input, output or errors as an interpreter makes them at its start."""
    lines = number == 2 or os.isatty(number)
    binary = open(number, "rb" if number == 0 else "wb", closefd=False)  # noqa: SIM115
    newline = None if number == 0 else "\n"
    return io.TextIOWrapper(binary, like.encoding, like.errors, newline, line_buffering=lines)


def _take_streams() -> None:
    for name, number in (("stdin", 0), ("stdout", 1), ("stderr", 2)):
        stream = _stream(number, getattr(sys, name))
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _words() -> bytes:
    """Our command line."""
    with open("/proc/self/cmdline", "rb") as file:
        return file.read().rstrip(b"\0")


def _rename(text: bytes) -> None:
    """Our command line, for whoever reads it in /proc."""
    ctypes = importlib.import_module("ctypes")
    with open("/proc/self/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    start, end = int(fields[45]), int(fields[46])
    ctypes.memset(start, 0, end - start)
    ctypes.memmove(start, text, len(text))


def main(mode: str, number: int) -> None:
    """Be a caller (apart from everybody, or a child of who started us), or a warm process."""
    if mode == "detach":
        _detach()
    connection = socket.socket(fileno=number)
    if mode == "warm":
        keep_warm(connection)
    else:
        Player(connection).serve()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
