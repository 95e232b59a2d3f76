"""Fake agents and people of command-line tests, by real processes: the same below an agent, in CI, on a desk.

Each of them is a long-lived process, detached from the test by a double fork and `setsid`, with an empty environment.
It runs what it is asked to over a socket, one command at a time, as its own child (`started.py`):

- an agent is a script under the name `claude`, `codex`, …: an interpreter with a script of that name;
- a person gives every command a fresh pseudo-terminal of its own;
- a service has neither.

That a program can shed its ancestors like this is I9's documented limit, not a back door.

    with People(tmp_path) as people:
        claude, alice = people.agent("claude"), people.person("alice")
        claude.fe("start", "fe-1", cwd=repository)
        assert alice.fe("approve", "fe-1", cwd=repository).rc == 0
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self, TypedDict, Unpack

from tests.stage import night, scratch, started
from tests.stage.started import receive, send

TIMEOUT = 300.0
"""Against commands that hang. No test says how long one may take: the machine may be busy."""
SOURCE = str(Path(__file__).resolve().parents[2] / "src")
FE = [sys.executable, "-m", "foureyes"]
OF_THE_INTERPRETER = ("PYTHON", "LANG", "LC_", "TZ", "LD_")
"""Variables that are read when a program starts: with one of them, a command is started and not forked."""


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


class People:
    """A directory with people and agents in it; ends everybody it started when it is closed.

    `warm`: `fe` may be forked from a process that has imported it already; if not, each one is started. `host`: they
    are on a machine of that name (the kernel has to let us).
    """

    def __init__(
        self, directory: Path, env: Mapping[str, str] | None = None, *, warm: bool = not night.NIGHT, host: str = ""
    ) -> None:
        self.directory = directory.absolute()
        self.directory.mkdir(parents=True, exist_ok=True)
        self.env = dict(env or {})
        self.warm = warm
        self._on = ("unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', host) if host else ()
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

    def script(self, program: str) -> str:
        """A program of that name."""
        path = self.directory / "programs" / program
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(started.__file__, path)
        return str(path)

    def _start(self, caller: Caller, program: str, under: FakeAgent | None) -> None:
        caller.home.mkdir(parents=True, exist_ok=True)
        ours, theirs = socket.socketpair()
        caller.connection = ours
        self._callers.append(caller)
        with theirs:
            command = [*self._on, sys.executable, "-I", "-S", self.script(program)]
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

    def __init__(self, people: People, name: str) -> None:
        self.people = people
        self.name = name
        self.home = people.directory / "home" / name
        self._turn = threading.Lock()

    def fe(self, *args: str, **options: Unpack[Options]) -> Result:
        """Run the command line of this checkout."""
        return self.run([*FE, *args], **options)

    def sh(self, command: str, **options: Unpack[Options]) -> Result:
        """Run a shell command."""
        return self.run(["/bin/sh", "-c", command], **options)

    def run(self, argv: Sequence[str], **options: Unpack[Options]) -> Result:
        """Run a program and wait for its end."""
        timeout = options.get("timeout", TIMEOUT)
        if options.get("tty") and not self.terminal:
            raise ValueError(f"{self.name} has no terminal")
        request: dict[str, Any] = {
            "argv": list(argv),
            "cwd": str(options.get("cwd") or self.people.directory),
            "env": {**self.base_env(), **(options.get("env") or {})},
            "input": options.get("input"),
            "timeout": timeout,
            "terminal": self.terminal,
            "tty": options.get("tty", False),
            "uid": self.uid,
            "warm": {"script": self.people.script("warm"), "env": self.base_env()}
            if self._may_fork(argv, options)
            else None,
        }
        with self._turn:
            send(self.connection, request)
            answer = self.receive()
        if answer.pop("late"):
            raise TimeoutError(f"{argv} did not end within {timeout} s: {answer}")
        return Result(**answer)

    def _may_fork(self, argv: Sequence[str], options: Options) -> bool:
        """Whether it is `fe`, as it always is, that somebody in the usual circumstances runs."""
        told = options.get("env") or {}
        is_usual = self.uid is None and not any(name.startswith(OF_THE_INTERPRETER) for name in told)
        fits = sum(len(os.fsencode(word)) + 1 for word in argv) < started.ROOM
        return self.people.warm and is_usual and fits and list(argv[:3]) == FE

    def base_env(self) -> dict[str, str]:
        """All that a command finds in its environment, apart from what the test passes. What killed commands leave in
        the temporary directory goes with the run.
        """
        path = os.environ.get("PATH", os.defpath)
        own = {"HOME": str(self.home), "TMPDIR": str(scratch.Run.folder)}
        return {"PATH": path, **own, "LANG": "C.UTF-8", "PYTHONPATH": SOURCE, **self.people.env}

    def receive(self) -> dict[str, Any]:
        """The next answer of the started process."""
        answer = receive(self.connection)
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
            send(self.connection, {"start": argv, "env": dict(env)}, [connection.fileno()])
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
