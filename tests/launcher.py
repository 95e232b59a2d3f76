"""The one launcher of command-line tests: fake agents and people that mean the same under an agent, in CI, on a desk.

Each of them is a long-lived process, detached from the test by a double fork and `setsid`, with an empty environment.
It runs what it is asked to over a socket, one command at a time, as its own child:

- an agent is this very file under the name `claude`, `codex`, …: an interpreter with a script of that name;
- a person gives every command a fresh pseudo-terminal of its own;
- a service has neither.

That a program can shed its ancestors like this is I9's documented limit, not a back door. The half of this file below
`serve` runs in the started process, isolated: it imports the standard library only.

    with World(tmp_path) as world:
        claude, alice = world.agent("claude"), world.person("alice")
        claude.fe("start", "fe-1", cwd=repository)
        assert alice.fe("approve", "fe-1", cwd=repository).rc == 0
"""

from __future__ import annotations

import array
import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self, TypedDict, Unpack

HEADER = struct.Struct("!I")
TIMEOUT = 60.0
SOURCE = str(Path(__file__).resolve().parent.parent / "src")
END_OF_INPUT = b"\x04"
RUNNING: list[int] = []
"""In a started process: the command it is running."""


class Result(NamedTuple):
    """What a command did. `screen` is what a person's command wrote to the terminal itself."""

    rc: int
    out: str
    err: str
    screen: str = ""

    @property
    def json(self) -> Any:
        """The output as JSON."""
        try:
            return json.loads(self.out)
        except ValueError as problem:
            raise AssertionError(f"not JSON (exit {self.rc}): {self.out!r}\n{self.err}") from problem


class Options(TypedDict, total=False):
    """How to run a command. `env` is added to the empty environment; after `timeout` seconds it is killed and
    TimeoutError raised. `tty` (people only): output goes to the terminal too, and `out` has all of it.
    """

    cwd: Path | str | None
    env: Mapping[str, str] | None
    input: str | None
    timeout: float
    tty: bool


class World:
    """A directory with people and agents in it; ends everybody it started when it is closed."""

    def __init__(self, directory: Path, env: Mapping[str, str] | None = None) -> None:
        self.directory = directory.absolute()
        self.env = dict(env or {})
        self._callers: list[Caller] = []

    def agent(self, name: str, *, under: FakeAgent | None = None) -> FakeAgent:
        """A new agent process of that name, on its own or as a child of another agent."""
        caller = FakeAgent(self, name)
        self._start(caller, name, under)
        return caller

    def person(self, name: str, *, uid: int | None = None) -> Person:
        """A person at a terminal: the OS user that runs the tests, or another one if that is root."""
        if uid is not None and os.getuid() != 0:
            raise PermissionError("only root can run commands as another user")
        caller = Person(self, name)
        caller.uid = uid
        self._start(caller, "desk", None)
        return caller

    def service(self) -> Service:
        """A new process that is neither an agent nor at a terminal."""
        caller = Service(self, "service")
        self._start(caller, "job", None)
        return caller

    def close(self) -> None:
        """End everybody, the last one first."""
        while self._callers:
            self._callers.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self, caller: Caller, program: str, under: FakeAgent | None) -> None:
        script = self.directory / "programs" / program
        if not script.exists():
            script.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(__file__, script)
        caller.home.mkdir(parents=True, exist_ok=True)
        ours, theirs = socket.socketpair()
        caller.connection = ours
        self._callers.append(caller)
        with theirs:
            command = [sys.executable, "-I", "-S", str(script)]
            if under is None:
                _start_detached([*command, "detach", str(theirs.fileno())], theirs, caller.base_env())
            else:
                under.adopt([*command, "stay"], theirs, caller.base_env())
        caller.pid = caller.receive()["pid"]
        caller.handle = os.pidfd_open(caller.pid)
        caller.above = (under.pid, *under.above) if under else ()
        _check_ancestors(caller.pid, caller.above)


class Caller:
    """Somebody who can run commands. Calls from several threads are made one after the other."""

    connection: socket.socket
    terminal = False
    uid: int | None = None
    pid = 0
    handle = -1
    above: tuple[int, ...] = ()

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.home = world.directory / "home" / name
        self._turn = threading.Lock()

    def fe(self, *args: str, **options: Unpack[Options]) -> Result:
        """Run the command line of this checkout."""
        return self.run([sys.executable, "-m", "foureyes", *args], **options)

    def sh(self, command: str, **options: Unpack[Options]) -> Result:
        """Run a shell command."""
        return self.run(["/bin/sh", "-c", command], **options)

    def run(self, argv: Sequence[str], **options: Unpack[Options]) -> Result:
        """Run a program and wait for its end."""
        timeout = options.get("timeout", TIMEOUT)
        if options.get("tty") and not self.terminal:
            raise ValueError(f"{self.name} has no terminal")
        request = {
            "argv": list(argv),
            "cwd": str(options.get("cwd") or self.world.directory),
            "env": {**self.base_env(), **(options.get("env") or {})},
            "input": options.get("input"),
            "timeout": timeout,
            "terminal": self.terminal,
            "tty": options.get("tty", False),
            "uid": self.uid,
        }
        with self._turn:
            _send(self.connection, request)
            answer = self.receive()
        if answer.pop("late"):
            raise TimeoutError(f"{argv} did not end within {timeout} s: {answer}")
        return Result(**answer)

    def base_env(self) -> dict[str, str]:
        """All that a command finds in its environment, apart from what the test passes."""
        path = os.environ.get("PATH", os.defpath)
        return {"PATH": path, "HOME": str(self.home), "LANG": "C.UTF-8", "PYTHONPATH": SOURCE, **self.world.env}

    def receive(self) -> dict[str, Any]:
        """The next answer of the started process."""
        answer = _receive(self.connection)
        if answer is None:
            raise RuntimeError(f"{self.name} (pid {self.pid}) has ended without an answer")
        return answer[0]

    def close(self) -> None:
        """End the process and what it is running, and wait for that."""
        self.connection.close()
        if self.handle >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.handle, signal.SIGTERM)
            select.select([self.handle], [], [])
            os.close(self.handle)
            self.handle = -1


class FakeAgent(Caller):
    """A long-lived process named like an agent program: all its calls are one session."""

    def adopt(self, argv: list[str], connection: socket.socket, env: Mapping[str, str]) -> None:
        """Start another agent as a child of this one."""
        with self._turn:
            _send(self.connection, {"start": argv, "env": dict(env)}, connection)
            self.receive()


class Service(Caller):
    """A process without a terminal and without an agent above it, like a CI job."""


class Person(Caller):
    """Somebody at a terminal; each command gets a new one as its controlling terminal and input.

    `input` is typed before the command asks, and then the end of input (^D); a command that throws away what was
    typed ahead (`getpass`) does not see it.
    """

    terminal = True


def _start_detached(command: list[str], connection: socket.socket, env: Mapping[str, str]) -> None:
    """Start a process that forks twice; it has its new parent when the first one has ended."""
    nothing = subprocess.DEVNULL
    subprocess.run(
        command, env=dict(env), cwd="/", stdin=nothing, stdout=nothing, pass_fds=[connection.fileno()], check=True
    )


def _check_ancestors(pid: int, expected: tuple[int, ...]) -> None:
    """Who is above a detached process is up to the machine: a subreaper that runs below an agent would spoil it."""
    from foureyes.adapters.identity.process_tree import read_tree
    from foureyes.adapters.identity.programs import agent_of

    tree = read_tree(pid=pid)
    strangers = [above for above in tree.ancestors if above.pid not in expected]
    agents = [f"{name} (pid {above.pid})" for above in strangers if (name := agent_of(above.names, above.paths))]
    if not tree.readable:
        raise RuntimeError(f"tests of identity need a readable /proc: an ancestor of pid {pid} is hidden (hidepid?)")
    if agents:
        raise RuntimeError(
            f"{', '.join(agents)} is above a detached process: init or a subreaper of this machine is an agent or runs"
            " below one. Start the tests outside of it, or in a container of their own."
        )


def _send(connection: socket.socket, message: Mapping[str, Any], passed: socket.socket | None = None) -> None:
    body = json.dumps(message).encode()
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [passed.fileno()]))] if passed else []
    connection.sendmsg([HEADER.pack(len(body))], rights)
    connection.sendall(body)


def _receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next message and the files that came with it; None at the end of the connection."""
    head, passed, _, _ = socket.recv_fds(connection, HEADER.size, 1, socket.MSG_WAITALL)
    if len(head) < HEADER.size:
        return None
    (length,) = HEADER.unpack(head)
    body = connection.recv(length, socket.MSG_WAITALL)
    return (json.loads(body), passed) if len(body) == length else None


# ------------------------------------------------------------------------------------- inside the started process


def serve(mode: str, number: int) -> None:
    """Detach if asked to, say who we are, and run commands until the connection ends."""
    if mode == "detach":
        _detach()
    signal.signal(signal.SIGTERM, _end)
    connection = socket.socket(fileno=number)
    with contextlib.suppress(ConnectionError):  # the test has gone: so do we
        _send(connection, {"pid": os.getpid()})
        while request := _receive(connection):
            message, passed = request
            _send(connection, _start_child(message, passed[0]) if "start" in message else _run(message))


def _end(*_: object) -> None:
    """Asked to end: take along the session of the command that is running."""
    for leader in RUNNING:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(leader, signal.SIGKILL)
    os._exit(0)


def _detach() -> None:
    """Fork twice. The first process waits for the second: once that is gone, we have been given our new parent."""
    if second := os.fork():
        os.waitpid(second, 0)
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)


def _start_child(message: dict[str, Any], passed: int) -> dict[str, Any]:
    """Start another agent; it ends with its own connection, and subprocess reaps it some time later."""
    command = [*message["start"], str(passed)]
    child = subprocess.Popen(command, env=message["env"], pass_fds=[passed], stdin=subprocess.DEVNULL)
    os.close(passed)
    return {"pid": child.pid}


def _run(request: dict[str, Any]) -> dict[str, Any]:
    """Run one command to its end, or kill it and all of its session when it is late."""
    typed = (request["input"] or "").encode("utf-8", "surrogateescape")
    screen = Screen(typed) if request.get("terminal") else None
    slave = screen.slave if screen else subprocess.PIPE
    outlet = slave if request.get("tty") else subprocess.PIPE
    uid = request.get("uid")
    try:
        process = subprocess.Popen(
            request["argv"],
            cwd=request["cwd"],
            env=request["env"],
            stdin=slave,
            stdout=outlet,
            stderr=outlet,
            start_new_session=True,
            preexec_fn=_take_terminal if screen else None,
            user=uid,
            group=uid,
            extra_groups=None if uid is None else [],
        )
    except OSError as problem:
        return {"rc": 127, "out": "", "err": f"launcher: {problem}\n", "screen": "", "late": False}
    RUNNING.append(process.pid)
    if screen:
        screen.watch()
    late = False
    try:
        out, err = process.communicate(None if screen else typed, timeout=request["timeout"])
    except subprocess.TimeoutExpired:
        late = True
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    RUNNING.clear()
    seen = screen.finish() if screen else b""
    parts = (seen, b"", b"") if request.get("tty") else (out, err, seen)
    texts = [part.decode("utf-8", "surrogateescape") for part in parts]
    return {"rc": process.returncode, "late": late, **dict(zip(("out", "err", "screen"), texts, strict=True))}


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
        os.close(self.slave)
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


def _take_terminal() -> None:
    """In the new session's first process: make the terminal that is its input its controlling one."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
