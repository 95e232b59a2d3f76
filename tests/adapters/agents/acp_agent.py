"""An agent that speaks ACP on its standard streams, as its first argument says; started by its path."""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def heard() -> Any:
    line = sys.stdin.readline()
    return json.loads(line) if line else sys.exit(0)


def update(what: str, **fields: Any) -> None:
    send(method="session/update", params={"sessionId": "s1", "update": {"sessionUpdate": what, **fields}})


def say(*pieces: str) -> None:
    for piece in pieces:
        update("agent_message_chunk", content={"type": "text", "text": piece})


def ask(method: str, **params: Any) -> Any:
    send(id="a1", method=method, params={"sessionId": "s1", **params})
    return heard()


def may_write() -> bool:
    options = [{"optionId": kind[0], "name": kind, "kind": kind} for kind in ("allow_once", "reject_once")]
    answer = ask("session/request_permission", toolCall={"toolCallId": "t1", "kind": "edit"}, options=options)
    return bool(answer["result"]["outcome"].get("optionId") == "a")


def turn(play: str, prompt: str) -> dict[str, Any]:
    """One turn; what it ends with."""
    if play in ("work", "load"):
        say("I look at it.")
        update("tool_call", toolCallId="t1", title="write hello.txt", kind="edit", rawInput={"path": "hello.txt"})
        if may_write():
            with open("hello.txt", "w") as file:
                file.write(prompt)
        update("tool_call_update", toolCallId="t1", status="completed", content=[])
        say("Done.\n\n", '{"type": "signal", "signal": "DONE", ', '"message": "it is there"}')
    if play == "files":
        say(json.dumps(ask("fs/read_text_file", path="/etc/passwd")["error"]["code"]))
    if play == "error":
        return {"error": {"code": -32603, "message": "Internal error", "data": {"details": "429 rate limit"}}}
    if play == "system":
        update("session_info_update", _meta={"codex": {"threadStatus": {"type": "systemError"}}})
        say("stream error: 401 Unauthorized")
    if play == "gone":
        os._exit(3)
    if play == "garbage":
        sys.stdout.write('not json\n[1]\n{"half\n')
    return {"result": {"stopReason": {"refusal": "refusal"}.get(play, "end_turn")}}


def main(play: str, log: str) -> None:
    while True:
        message = heard()
        with open(log, "a") as file:
            file.write(json.dumps(message) + "\n")
        method = message["method"]
        answer: dict[str, Any] = {"result": {}}
        if method == "initialize":
            answer = {"result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": play == "load"}}}
        elif method == "session/new":
            modes = {"availableModes": [{"id": "default"}, {"id": "plan"}], "currentModeId": "default"}
            answer = {"result": {"sessionId": "s1", "modes": modes}}
            if play == "login":
                answer = {"error": {"code": -32000, "message": "Authentication required"}}
        elif method == "session/load":
            say("what was said before, ", '{"type": "signal", "signal": "FAILED"}')
        elif method == "session/prompt":
            answer = turn(play, message["params"]["prompt"][0]["text"])
        send(id=message["id"], **answer)


main(*sys.argv[1:])
