"""A client for the Agent Client Protocol (ACP), run as a separate program between the reaper and the agent.

It sends the prompt, answers the agent's requests, and writes a stream in claude's format. It is started by its path and
uses only the standard library, without Foureyes modules or rights. It offers the agent no file or terminal access,
because agents have their own. An agent that must not write gets permission to read only.

acp.py PROGRAM [--writes | --reads] [--resume ID] [--mcp-command JSON --mcp-args JSON] -- ARGUMENTS
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

VERSION = 1
LONGEST = 64 << 20
"""Size limit of one message in bytes. A larger one ends the conversation."""
CHUNK = 1 << 16
GRACE, PAUSE = 5.0, 0.05
"""Seconds that an agent has to end by itself, and seconds between two checks for that."""
READING = frozenset({"read", "search", "think", "fetch"})
"""Kinds of tool calls that change nothing."""
READ_ONLY = ("plan", "read-only", "ask")
"""Names that agents give a read-only mode."""
NO_METHOD, NEEDS_LOGIN = -32601, -32000
SAID_NO = {
    "refusal": "the agent refused to continue",
    "max_tokens": "it ran out of tokens",
    "max_turn_requests": "it made too many requests",
    "cancelled": "it was cancelled",
}
AcpMessage = Mapping[str, Any]


class AgentFailure(Exception):
    """Raised if the agent refused or failed. The message is its own."""

    def __init__(self, text: str, code: int = 0) -> None:
        super().__init__(text)
        self.code = code


class Gone(AgentFailure):
    """Raised if the agent has ended, so that there is no final event to write."""


class AgentRpc:
    """A JSON-RPC connection to one agent, with one message per line."""

    def __init__(self, argv: list[str]) -> None:
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        actions = [(os.POSIX_SPAWN_DUP2, theirs_in, 0), (os.POSIX_SPAWN_DUP2, theirs_out, 1)]
        self.pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=actions)
        os.close(theirs_in)
        os.close(theirs_out)
        self._number = 0

    def send(self, message: AcpMessage) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        try:
            while data:
                data = data[os.write(self._out, data) :]
        except OSError as problem:
            raise Gone("the agent ended before it got the whole prompt") from problem

    def ask(self, method: str, params: AcpMessage) -> int:
        """Send a request and return its number, which identifies the answer."""
        self._number += 1
        self.send({"id": self._number, "method": method, "params": params})
        return self._number

    def messages(self) -> Iterator[AcpMessage]:
        """Yield the agent's messages and skip unreadable ones."""
        rest = b""
        while part := os.read(self._in, CHUNK):
            *lines, rest = (rest + part).split(b"\n")
            if len(rest) > LONGEST:
                raise AgentFailure("the agent sent a message without an end")
            for line in lines:
                try:
                    message = json.loads(line)
                except (ValueError, RecursionError):
                    continue
                if isinstance(message, dict):
                    yield message

    def close(self) -> None:
        """Wait for the agent to end by itself, then end it."""
        os.close(self._out)
        end = time.monotonic() + GRACE
        while time.monotonic() < end:
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                return
            time.sleep(PAUSE)
        os.kill(self.pid, signal.SIGTERM)


class ClaudeStream:
    """Writes claude's stream format to standard output."""

    def __init__(self) -> None:
        self.conversation = ""
        self.final, self._pieces = "", ""
        self.usage: dict[str, int] = {}
        self.broken = ""
        self._calls: set[str] = set()

    def event(self, kind: str, **fields: Any) -> None:
        given = {"session_id": self.conversation} if self.conversation else {}
        sys.stdout.write(json.dumps({"type": kind, **fields, **given}) + "\n")
        sys.stdout.flush()

    def block(self, who: str, **block: Any) -> None:
        self.event(who, message={"content": [block]})

    def say(self, piece: str) -> None:
        self._pieces += piece

    def whole(self) -> None:
        """Write a message once all its pieces have arrived."""
        text, self._pieces = self._pieces, ""
        if text.strip():
            self.final = text
            self.block("assistant", type="text", text=text)

    def update(self, update: AcpMessage) -> None:
        kind = update.get("sessionUpdate")
        if kind == "agent_message_chunk":
            self.say(_text(update.get("content")))
        elif kind == "tool_call":
            self.call(update)
        elif kind == "tool_call_update" and update.get("status") in ("completed", "failed"):
            parts = update.get("content")
            texts = [_text(part.get("content")) for part in parts if isinstance(part, dict)] if parts else []
            self.block("user", type="tool_result", content="\n".join(filter(None, texts)) or str(update["status"]))
        elif kind == "usage_update":
            used = update.get("used")
            self.usage = {"input_tokens": used} if isinstance(used, int) else self.usage
        status = _table(_table(_table(update.get("_meta")).get("codex")).get("threadStatus"))
        if status.get("type") == "systemError":
            self.broken = "systemError"

    def call(self, call: AcpMessage) -> None:
        """Write a tool call, or a request for one, but each only once."""
        if (name := str(call.get("toolCallId"))) in self._calls:
            return
        self._calls.add(name)
        self.whole()
        given = call.get("rawInput")
        title = str(call.get("title") or call.get("kind") or "tool")
        self.block("assistant", type="tool_use", name=title, input=given if isinstance(given, dict) else {})

    def end(self, problem: str = "", code: int = 0) -> int:
        """Write the last event and return the exit code."""
        self.whole()
        problem = problem or (self.final or self.broken if self.broken else "")
        status = {"api_error_status": 401} if code == NEEDS_LOGIN else {}
        result = problem or self.final
        self.event("result", subtype="error" if problem else "success", is_error=bool(problem), result=result,
                   usage=self.usage, **status)  # fmt: skip
        return 1 if problem else 0


class Client:
    """A conversation with an agent."""

    def __init__(self, wire: AgentRpc, stream: ClaudeStream, options: Mapping[str, str]) -> None:
        self._wire, self._story, self._options = wire, stream, options
        self._messages = wire.messages()
        self._listens = False

    def talk(self, prompt: str) -> str:
        """Run one turn from the handshake to its end and return the stop reason."""
        offers = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
        hello = self._answer("initialize", {"protocolVersion": VERSION, "clientCapabilities": offers})
        loads = bool(_table(hello.get("agentCapabilities")).get("loadSession"))
        session, modes = self._session(loads)
        self._story.conversation = session if loads else ""
        self._story.event("system", subtype="init")
        wanted = next((mode for mode in READ_ONLY if mode in modes), "") if "--reads" in self._options else ""
        if wanted:
            self._answer("session/set_mode", {"sessionId": session, "modeId": wanted})
        self._listens = True
        text = [{"type": "text", "text": prompt}]
        done = self._answer("session/prompt", {"sessionId": session, "prompt": text})
        return str(done.get("stopReason") or "")

    def _session(self, loads: bool) -> tuple[str, list[str]]:
        """Start or load the session. Return its id and modes."""
        place = {"cwd": os.getcwd(), "mcpServers": self._servers()}
        before = self._options.get("--resume", "")
        if before and not loads:
            raise AgentFailure("the agent cannot continue a conversation")
        if before:
            made = self._answer("session/load", {"sessionId": before, **place})
        else:
            made = self._answer("session/new", place)
        modes = _table(made.get("modes")).get("availableModes")
        names = [str(mode.get("id")) for mode in modes if isinstance(mode, dict)] if isinstance(modes, list) else []
        return before or str(made.get("sessionId") or ""), names

    def _servers(self) -> list[AcpMessage]:
        command = json.loads(self._options.get("--mcp-command", '""'))
        args = json.loads(self._options.get("--mcp-args", "[]"))
        return [{"name": "foureyes", "command": command, "args": args, "env": []}] if command else []

    def _answer(self, method: str, params: AcpMessage) -> AcpMessage:
        """Return the answer to a request, handling the agent's messages and requests until it comes."""
        number = self._wire.ask(method, params)
        for message in self._messages:
            if message.get("method"):
                self._hear(message)
            elif message.get("id") == number:
                if isinstance(error := message.get("error"), dict):
                    raise AgentFailure(_why(error), int(error.get("code") or 0))
                return _table(message.get("result"))
        raise Gone("the agent ended in the middle of its work")

    def _hear(self, message: AcpMessage) -> None:
        params = _table(message.get("params"))
        if message["method"] == "session/update":
            if self._listens:  # what was said in an earlier run is repeated when it is loaded
                self._story.update(_table(params.get("update")))
        elif message["method"] == "session/request_permission":
            self._story.call(_table(params.get("toolCall")))
            self._wire.send({"id": message.get("id"), "result": {"outcome": self._permit(params)}})
        elif message.get("id") is not None:
            why = {"code": NO_METHOD, "message": f"{message['method']} is not offered"}
            self._wire.send({"id": message["id"], "error": why})

    def _permit(self, params: AcpMessage) -> AcpMessage:
        """Allow a tool call if the agent may write, or if the call only reads. A permission for a single call is
        preferred.
        """
        may = "--writes" in self._options or _table(params.get("toolCall")).get("kind") in READING
        options = params.get("options")
        offered = [option for option in options if isinstance(option, dict)] if isinstance(options, list) else []
        for kind in ("allow_once", "allow_always") if may else ("reject_once", "reject_always"):
            for option in offered:
                if option.get("kind") == kind:
                    return {"outcome": "selected", "optionId": option.get("optionId")}
        return {"outcome": "cancelled"}


def _table(value: object) -> AcpMessage:
    return value if isinstance(value, dict) else {}


def _text(content: object) -> str:
    text = _table(content).get("text")
    return text if isinstance(text, str) else ""


def _why(error: AcpMessage) -> str:
    """Return the error message with the agent's details."""
    data = error.get("data")
    about = data if isinstance(data, str) else _table(data).get("details") or _table(data).get("message") or ""
    message = str(error.get("message") or "it failed")
    return f"{message}: {about}" if about and str(about) not in message else message


def options_of(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return our own options, and the agent's arguments after them."""
    given: dict[str, str] = {}
    rest = list(words)
    while rest and (name := rest.pop(0)) != "--":
        given[name] = "" if name in ("--writes", "--reads") or not rest else rest.pop(0)
    return given, rest


def main(argv: Sequence[str]) -> int:
    program, *words = argv
    options, arguments = options_of(words)
    prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
    stream = ClaudeStream()
    try:
        wire = AgentRpc([program, *arguments])
    except OSError as problem:
        sys.stderr.write(f"{program}: {problem.strerror}\n")
        return 127
    try:
        reason = Client(wire, stream, options).talk(prompt)
        code = stream.end(SAID_NO.get(reason, "" if reason == "end_turn" else f"it ended with {reason or 'no reason'}"))
    except Gone as problem:
        stream.whole()
        sys.stderr.write(f"{problem}\n")
        code = 1
    except AgentFailure as problem:
        code = stream.end(str(problem), problem.code)
    wire.close()
    return code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
