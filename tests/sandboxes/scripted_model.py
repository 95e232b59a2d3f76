"""A model that answers from a script, on loopback: it asks for one shell command, one file or one tool of an MCP
server after the other, then says that it is done; or something goes wrong (`troubles.py`). What each of them answered
is what the program sends back, and is kept.

It speaks what codex, claude, opencode, qwen and gemini speak (`speaking.py`). The step is the number of results in the
request and of what was said by the script, so that requests beside the conversation (titles) move nothing, and a
conversation that is resumed goes on.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.sandboxes.speaking import CHAT, LANGUAGES, WAYS, Call, Heard, Language, Say
from tests.sandboxes.troubles import CUT, HANG, Refused, refused

DONE = "done"
NO_TOOL = Say("there is no tool for that")
HELD_TO = "structuredoutput"
"""The tool by which claude and qwen hold a model to a schema."""
END = b"data: [DONE]\n\n"
Asked = str | dict[str, Any]
"""A shell command; or
- `tool`: a tool of an MCP server by the end of its name, with `args`, and `first` what somebody else runs before;
- `write`: a file, with its `content`;
- `say`: what the model says, which ends its turn;
- `answer`: a document, said by the tool that a program has for it, else as text; `@DIFF@` in it is the change that the
  program was asked about;
- `trouble`: what goes wrong instead, `times` it does so (else for ever).
"""
FOUND = {"@SEEN@": r'"seen":"([\w.]+)"', "@FINDING@": r'"id":"(TL-[\w-]+)"'}
ABOUT = re.compile(rb"diff_id\W{1,9}(sha256:[0-9a-f]{64})")
"""Which change a request is about, in whatever way the prompt is packed."""

SHELLS: dict[str, Callable[[str], dict[str, Any]]] = {
    "exec_command": lambda command: {"cmd": command, "yield_time_ms": 30000},
    "shell_command": lambda command: {"command": command, "timeout_ms": 60000},
    "shell": lambda command: {"command": ["bash", "-lc", command]},
    "Bash": lambda command: {"command": command, "description": "next"},
    "bash": lambda command: {"command": command, "description": "next"},
    "run_shell_command": lambda command: {"command": command, "description": "next", "is_background": False},
}
"""The shells of the programs, and how each is called."""

WRITERS: dict[str, Callable[[str, str], dict[str, Any] | str]] = {
    "Write": lambda path, content: {"file_path": path, "content": content},
    "write_file": lambda path, content: {"file_path": path, "content": content},
    "write": lambda path, content: {"filePath": path, "content": content},
    "apply_patch": lambda path, content: "\n".join(
        ["*** Begin Patch", f"*** Add File: {path}", *(f"+{line}" for line in content.splitlines()), "*** End Patch"]
    ),
}
"""How each program's model writes a file."""


class Trouble(Exception):
    """Something goes wrong instead of an answer."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class Conversation:
    """What is asked for, and what came back. `@SEEN@` in it is the change that an earlier one submitted, `@FINDING@` a
    finding that one listed. Files are written below `folder`.
    """

    def __init__(self, commands: Sequence[Asked], folder: str = "", listen: Sequence[str] = ()) -> None:
        self.commands = commands
        self.heard = dict.fromkeys(listen, 0)
        """How often each of these texts stood in a request, at the most."""
        self.folder = Path(folder)
        self.printed: list[str] = []
        self.requests = 0
        self.asked = threading.Event()
        spoken = [asked for asked in commands if isinstance(asked, dict)]
        self._says = {asked["say"] for asked in spoken if "say" in asked}
        self._says |= {json.dumps(asked["answer"]) for asked in spoken if "answer" in asked}
        self._troubles, self._over = 0, 0
        self._begun = 0
        self._about = ""
        self._lock = threading.Lock()

    def next(self, heard: Heard) -> Say | Call:
        """The next move. What no tool is for is left out; where nothing is left, the model says that it is done."""
        with self._lock:
            self.requests += 1
            self.asked.set()
            if len(heard.results) > len(self.printed):
                self.printed = heard.results
            step = len(heard.results) + sum(said in self._says for said in heard.said)
            asked: Asked = next(iter(self._possible(heard)[step:]), {"say": DONE})
            if isinstance(asked, dict) and "trouble" in asked:
                self._troubles += 1
                if self._troubles == asked.get("times"):
                    self._over, self._troubles = self._over + 1, 0
                raise Trouble(asked["trouble"])
            if not heard.tools:
                return Say(DONE)
            if isinstance(asked, dict) and self._begun <= step:
                self._begun = step + 1
                subprocess.run(asked.get("first") or ["true"], check=True, capture_output=True)
        return self._move(asked, heard)

    def listen(self, asked: bytes) -> None:
        """What a program sends the model."""
        with self._lock:
            self.heard = {text: max(times, asked.count(text.encode())) for text, times in self.heard.items()}
            about = ABOUT.findall(asked)
            self._about = about[-1].decode() if about else self._about

    def _possible(self, heard: Heard) -> list[Asked]:
        """What can be asked for; troubles that are over are not counted."""
        over, possible = self._over, []
        for asked in self.commands:
            if isinstance(asked, dict) and "trouble" in asked and over:
                over -= 1
            elif not heard.tools or self._move(asked, heard) != NO_TOOL:
                possible.append(asked)
        return possible

    def _move(self, asked: Asked, heard: Heard) -> Say | Call:
        if isinstance(asked, str):
            name = next((name for name in SHELLS if name in heard.tools), "")
            return Call(name, SHELLS[name](self._filled(asked, heard.results))) if name else NO_TOOL
        if "write" in asked:
            return self._writing(asked, heard)
        if "answer" in asked:
            name = next((name for name in heard.tools if name.lower().replace("_", "") == HELD_TO), "")
            text = json.dumps(asked["answer"]).replace("@DIFF@", self._about)
            self._says.add(text)
            return Call(name, json.loads(text)) if name else Say(text)
        if "tool" not in asked:
            return Say(asked.get("say", DONE))
        name = next((name for name in heard.tools if name.endswith(asked["tool"])), "")
        if name:
            return Call(name, json.loads(self._filled(json.dumps(asked.get("args") or {}), heard.results)))
        return next((Call(way, WAYS[way](asked["tool"])) for way in WAYS if way in heard.tools), Say(DONE))

    def _writing(self, asked: dict[str, Any], heard: Heard) -> Say | Call:
        path, content = asked["write"], asked["content"]
        name = next((name for name in WRITERS if name in heard.tools), "")
        if not name:
            folder = shlex.quote(str(Path(path).parent))
            return self._move(f"mkdir -p {folder} && printf %s {shlex.quote(content)} > {shlex.quote(path)}", heard)
        return Call(name, WRITERS[name](path if name == "apply_patch" else str(self.folder / path), content))

    @staticmethod
    def _filled(command: str, results: list[str]) -> str:
        for mark, pattern in FOUND.items():
            found = re.search(pattern, "".join(results))
            command = command.replace(mark, found[1] if found else "nothing-was-found")
        return command


def serve(conversation: Conversation, port: int = 0) -> ThreadingHTTPServer:
    """A server on loopback; its port is in `server_address`."""

    class Handler(Answering):
        talk = conversation

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Answering(BaseHTTPRequestHandler):
    talk: Conversation

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""

    def do_HEAD(self) -> None:
        self._send(Refused(200, b"", kind="text/plain"))

    def do_GET(self) -> None:
        self._send(Refused(200, b'{"object":"list","data":[],"models":[]}'))

    def do_POST(self) -> None:
        body = self._body()
        self.talk.listen(body)
        asked = json.loads(body or b"{}")
        path = self.path.partition("?")[0]
        language = next((each for ending, each in LANGUAGES.items() if path.endswith(ending)), None)
        if language is None:
            return self._send(Refused(200, b'{"input_tokens":1,"totalTokens":1}'))
        streams = bool(asked.get("stream")) or "stream" in path
        heard = language.hear(asked)
        try:
            events, whole = language.answer(asked, heard, self.talk.next(heard))
        except Trouble as trouble:
            return self._trouble(trouble.kind, language, asked, heard, streams=streams)
        if streams:
            return self._send(Refused(200, _lines(events) + END * (language is CHAT), kind="text/event-stream"))
        return self._send(Refused(200, json.dumps(whole).encode()))

    def _trouble(self, kind: str, language: Language, asked: dict[str, Any], heard: Heard, *, streams: bool) -> None:
        if kind == HANG:
            threading.Event().wait()
        if kind != CUT:
            self._send(refused(kind, language.vendor))
            return
        events, whole = language.answer(asked, heard, Say("This sentence comes to no"))
        told = _lines(events[: len(events) // 2]) if streams else json.dumps(whole).encode()[:40]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if streams else "application/json")
        self.send_header("content-length", str(len(told) * 2))
        self.end_headers()
        self.wfile.write(told)
        self.close_connection = True

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _send(self, answer: Refused) -> None:
        self.send_response(answer.status)
        self.send_header("content-type", answer.kind)
        self.send_header("content-length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)


def _lines(events: list[dict[str, Any]]) -> bytes:
    lines = [
        (f"event: {event['type']}\n" if "type" in event else "") + f"data: {json.dumps(event)}\n\n" for event in events
    ]
    return "".join(lines).encode()
