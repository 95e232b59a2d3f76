"""A client of `fe mcp` by real processes, without the SDK: somebody of the stage runs it as a program.

`python talking.py WISH`: the file WISH says which calls to make; the answers are printed as one JSON list. With `leave`
the process that started the server ends before the calls are made.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.stage.processes import Caller

SERVER = [sys.executable, "-m", "foureyes", "mcp", "--all"]
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
STARTER = """import os, subprocess, sys
subprocess.Popen(sys.argv[4:], stdin=int(sys.argv[1]), stdout=int(sys.argv[2]))
os.read(int(sys.argv[3]), 1)
"""


def talk(caller: Caller, repo: Path, *calls: tuple[str, dict[str, Any]], leave: bool = False, **env: str) -> list[Any]:
    """The answers that a caller of the stage gets."""
    wish = repo.parent / f"wish-{caller.name}.json"
    wish.write_text(json.dumps({"calls": calls, "leave": leave}))
    done = caller.run([sys.executable, __file__, str(wish)], cwd=repo, env=env)
    assert done.rc == 0, done
    answers: list[Any] = json.loads(done.out)
    return answers


class Line:
    """A conversation over two pipes."""

    def __init__(self, into: IO[bytes], out: IO[bytes]) -> None:
        self._into, self._out, self._number = into, out, 0

    def ask(self, method: str, params: Any) -> Any:
        self._number += 1
        self.say({"id": self._number, "method": method, "params": params})
        answer = self.hear()
        assert answer["id"] == self._number, answer
        return answer.get("result", answer)

    def say(self, message: dict[str, Any]) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def begin(self) -> None:
        self.ask("initialize", HELLO)
        self.say({"method": "notifications/initialized"})

    def call(self, tool: str, arguments: Any) -> Any:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def hear(self) -> Any:
        """What it says next."""
        return json.loads(self._out.readline())

    def write(self, raw: bytes) -> None:
        """Something that is no message."""
        self._into.write(raw)
        self._into.flush()

    def rest(self) -> bytes:
        """All that it still says."""
        return self._out.read()

    def end(self) -> bytes:
        """Close stdin; whatever else it wrote."""
        self._into.close()
        return self.rest()


@contextmanager
def opened(repo: Path, env: dict[str, str]) -> Iterator[tuple[subprocess.Popen[bytes], Line]]:
    """A server that this process has started; it has ended afterwards."""
    with subprocess.Popen(SERVER, cwd=repo, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            yield child, Line(child.stdin, child.stdout)
        finally:
            child.kill()


def main(wish: str) -> None:
    wanted = json.loads(Path(wish).read_text())
    answers = _left(wanted["calls"]) if wanted["leave"] else _plain(wanted["calls"])
    json.dump(answers, sys.stdout)


def _plain(calls: Sequence[Sequence[Any]]) -> list[Any]:
    with opened(Path.cwd(), dict(os.environ)) as (child, line):
        line.begin()
        answers = [line.call(*call) for call in calls]
        assert line.end() == b""
        assert child.wait() == 0
    return answers


def _left(calls: Sequence[Sequence[Any]]) -> list[Any]:
    """The starter ends when the server has answered, and before it is asked anything."""
    (server_in, into), (out, server_out), (told, tell) = os.pipe(), os.pipe(), os.pipe()
    fds = (server_in, server_out, told)
    argv = [sys.executable, "-c", STARTER, *map(str, fds), *SERVER]
    starter = subprocess.Popen(argv, pass_fds=fds)
    for each in fds:
        os.close(each)
    line = Line(os.fdopen(into, "wb"), os.fdopen(out, "rb"))
    line.begin()
    os.close(tell)
    starter.wait()
    answers = [line.call(*call) for call in calls]
    assert line.end() == b""
    return answers


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main(sys.argv[1])
