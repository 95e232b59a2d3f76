"""The scripted agent: a program that plays a script in place of a model, for the demo and tests.

It runs under the same reaper as any other agent. docs/howto/agent-programs.md describes the scripts. It is started by
its path and uses only the standard library, without Foureyes modules or rights, like any agent's process.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

PLAYED = ".scripted.json"
"""File in a home that counts its plays."""
PAUSE = 0.02
NO_PLAY = 3
FAILED_STEP = 4
ScriptedStep = Mapping[str, Any]


class PlayOver(Exception):
    """Raised to end the play with this exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class ScriptPlayer:
    """One run of a script: its variables and steps."""

    def __init__(self, known: dict[str, str], stream: ScriptedStream) -> None:
        self.known = known
        self._stream = stream
        self._said = ""
        self._signal = ""
        self._steps: dict[str, Callable[[Any, ScriptedStep], None]] = {
            "say": self._say, "write": self._write, "append": self._append, "replace": self._replace,
            "delete": self._delete, "commit": self._commit, "git": self._git, "fe": self._fe, "run": self._run,
            "review": self._review, "answer": self._answer, "signal": self._signalled, "event": self._event,
            "raw": self._raw, "stderr": self._stderr, "until": self._until, "sleep": self._sleep, "leave": self._leave,
            "fail": self._fail, "exit": self._exit, "kill": self._kill,
        }  # fmt: skip

    def play(self, steps: Sequence[ScriptedStep]) -> int:
        """Run every step in order and return the exit code of the program."""
        self._stream.begin(self.known["conversation"])
        try:
            for step in steps:
                name = next((name for name in step if name in self._steps), "")
                if not name:
                    raise SystemExit(f"scripted: there is no such step: {json.dumps(step)}")
                self._steps[name](self._filled(step[name]), step)
        except PlayOver as over:
            return over.code
        self._stream.end("\n".join(filter(None, (self._said or "Played.", self._signal))))
        return 0

    def _filled(self, value: Any) -> Any:
        """Replace `{task}` and other variables in every text."""
        if isinstance(value, str):
            return re.sub(r"\{([a-z_]+)\}", lambda match: self.known.get(match[1], match[0]), value)
        if isinstance(value, list):
            return [self._filled(entry) for entry in value]
        if isinstance(value, dict):
            return {name: self._filled(entry) for name, entry in value.items()}
        return value

    def _say(self, text: str, step: ScriptedStep) -> None:
        self._said = text
        self._stream.say(text)

    def _write(self, path: str, step: ScriptedStep) -> None:
        self._put(path, self._filled(step.get("text", "")), "w")

    def _append(self, path: str, step: ScriptedStep) -> None:
        self._put(path, self._filled(step.get("text", "")), "a")

    def _put(self, path: str, text: str, mode: str) -> None:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, mode, encoding="utf-8") as file:
            file.write(text)
        self._stream.tool("Write", {"file_path": path}, "written")

    def _replace(self, path: str, step: ScriptedStep) -> None:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        old = self._filled(step["old"])
        if old not in text:
            self._broken(f"{path} has no {old!r}")
        self._put(path, text.replace(old, self._filled(step["new"]), 1), "w")

    def _delete(self, path: str, step: ScriptedStep) -> None:
        os.unlink(path)
        self._stream.tool("Bash", {"command": f"rm {path}"}, "")

    def _commit(self, message: str, step: ScriptedStep) -> None:
        self._do(["git", "add", "--all"], step)
        self._do(["git", "commit", "-q", "-m", message], step)

    def _git(self, words: list[str], step: ScriptedStep) -> None:
        self._do(["git", *words], step)

    def _fe(self, words: list[str], step: ScriptedStep) -> None:
        self._do(["fe", *words], step)

    def _run(self, words: list[str], step: ScriptedStep) -> None:
        self._do(words, step)

    def _do(self, words: list[str], step: ScriptedStep) -> str:
        """Run a command. `input` is its standard input, `keep` stores parts of its JSON output, and `fails` permits a
        failure.
        """
        given = self._filled(step.get("input", ""))
        code, out = command(words, given if isinstance(given, str) else json.dumps(given))
        self._stream.tool("Bash", {"command": " ".join(words)}, out)
        if code != 0 and not step.get("fails"):
            self._broken(f"{' '.join(words)}: exit {code}: {out[-400:]}")
        for name, path in step.get("keep", {}).items():
            self.known[name] = str(_at(json.loads(out), path))
        return out

    def _review(self, payload: ScriptedStep, step: ScriptedStep) -> None:
        """Write a review of the checkout as the last message. By default it names the change and lists every file as
        read. `named` is the reviewer it claims.
        """
        review_folder = max(name for name in os.listdir() if name.startswith(".foureyes-review"))
        with open(os.path.join(review_folder, "request.json"), encoding="utf-8") as file:
            request = json.load(file)
        with open(os.path.join(review_folder, "change.diff"), encoding="utf-8", errors="replace") as file:
            paths = re.findall(r"^diff --git a/.* b/(.*)$", file.read(), re.MULTILINE)
        given = {"summary": "Looked at.", "diff_id": request["diff_id"], "files_reviewed": paths, **payload}
        named = {"reviewer": step["named"]} if step.get("named") else {}
        self._say(json.dumps({"type": "review_result", **named, "payload": given}), step)

    def _answer(self, action: str, step: ScriptedStep) -> None:
        """Answer every open finding of the task."""
        listed = self._do(["fe", "finding", "list", self.known["task"], "--open", "--json"], {})
        words = self._filled(step.get("text", "done"))
        for line in filter(str.strip, listed.splitlines()):
            self._do(["fe", "finding", "answer", json.loads(line)["id"], f"--{action.lower()}", "-m", words], {})

    def _signalled(self, name: str, step: ScriptedStep) -> None:
        message = self._filled(step.get("message", ""))
        self._signal = json.dumps({"type": "signal", "signal": name, "message": message})

    def _event(self, event: Any, step: ScriptedStep) -> None:
        emit(json.dumps(event) + "\n")

    def _raw(self, text: str, step: ScriptedStep) -> None:
        emit(text * int(step.get("times", 1)))

    def _stderr(self, text: str, step: ScriptedStep) -> None:
        os.write(2, text.encode())

    def _until(self, path: str, step: ScriptedStep) -> None:
        """Wait until a file exists."""
        while not os.path.exists(path):
            time.sleep(PAUSE)

    def _sleep(self, seconds: float, step: ScriptedStep) -> None:
        time.sleep(seconds)

    def _leave(self, words: list[str], step: ScriptedStep) -> None:
        """Leave an orphaned process: forked twice, in its own session, with an empty environment."""
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execve(words[0], words, {} if step.get("bare", True) else dict(os.environ))  # noqa: S606
            os._exit(0)
        os.wait()

    def _fail(self, text: str, step: ScriptedStep) -> None:
        self._stream.fail(text, int(step.get("status", 0)))
        raise PlayOver(int(step.get("exit", 1)))

    def _exit(self, code: int, step: ScriptedStep) -> None:
        raise PlayOver(code)

    def _kill(self, number: int, step: ScriptedStep) -> None:
        os.kill(os.getpid(), number)
        signal.pause()

    def _broken(self, why: str) -> None:
        os.write(2, f"scripted: {why}\n".encode())
        self._stream.fail(why, 0)
        raise PlayOver(FAILED_STEP)


class ScriptedStream:
    """A writer of the program's output in claude's format."""

    def __init__(self) -> None:
        self._conversation = ""

    def begin(self, conversation: str) -> None:
        self._conversation = conversation
        self._put({"type": "system", "subtype": "init"})

    def say(self, text: str) -> None:
        self._put({"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}})

    def tool(self, name: str, given: Mapping[str, str], answer: str) -> None:
        call = {"type": "tool_use", "id": "call", "name": name, "input": given}
        self._put({"type": "assistant", "message": {"content": [call]}})
        result = {"type": "tool_result", "tool_use_id": "call", "content": answer[-2000:]}
        self._put({"type": "user", "message": {"content": [result]}})

    def end(self, text: str) -> None:
        self._put({"type": "result", "subtype": "success", "is_error": False, "result": text, **self._used()})

    def fail(self, text: str, status: int) -> None:
        self._put(
            {"type": "result", "subtype": "success", "is_error": True, "result": text, "api_error_status": status}
        )

    def _used(self) -> dict[str, Any]:
        return {"total_cost_usd": 0.01, "usage": {"input_tokens": 100, "output_tokens": 20}}

    def _put(self, event: dict[str, Any]) -> None:
        emit(json.dumps({**event, "session_id": self._conversation}) + "\n")


class CodexStream(ScriptedStream):
    """A writer in codex's format."""

    def begin(self, conversation: str) -> None:
        self._put({"type": "thread.started", "thread_id": conversation})
        self._put({"type": "turn.started"})

    def say(self, text: str) -> None:
        self._put({"type": "item.completed", "item": {"type": "agent_message", "text": text}})

    def tool(self, name: str, given: Mapping[str, str], answer: str) -> None:
        words = given.get("command") or f"{name} {given.get('file_path', '')}"
        item = {"type": "command_execution", "command": words, "aggregated_output": answer[-2000:], "exit_code": 0}
        self._put({"type": "item.completed", "item": item})

    def end(self, text: str) -> None:
        self.say(text)
        self._put({"type": "turn.completed", "usage": {"input_tokens": 100, "output_tokens": 20}})

    def fail(self, text: str, status: int) -> None:
        message = f"unexpected status {status}: {text}" if status else text
        self._put({"type": "turn.failed", "error": {"message": message}})

    def _put(self, event: dict[str, Any]) -> None:
        emit(json.dumps(event) + "\n")


class TextStream(ScriptedStream):
    """A writer of plain text, for a program without events."""

    def begin(self, conversation: str) -> None:
        pass

    def say(self, text: str) -> None:
        emit(text + "\n")

    def tool(self, name: str, given: Mapping[str, str], answer: str) -> None:
        emit(f"> {given.get('command') or given.get('file_path')}\n")

    def end(self, text: str) -> None:
        emit(text + "\n")

    def fail(self, text: str, status: int) -> None:
        os.write(2, f"error {status}: {text}\n".encode() if status else f"{text}\n".encode())


STREAMS: dict[str, type[ScriptedStream]] = {"claude": ScriptedStream, "codex": CodexStream, "text": TextStream}


def emit(text: str) -> None:
    """Write the whole text, even if the pipe accepts only parts."""
    data = text.encode("utf-8", "surrogateescape")
    while data:
        data = data[os.write(1, data) :]


def command(words: list[str], given: str) -> tuple[int, str]:
    """Run a command and return its exit code and merged output."""
    reader, writer = os.pipe()
    os.write(writer, given.encode()[:60_000])
    os.close(writer)
    out, into = os.pipe()
    files = [(os.POSIX_SPAWN_DUP2, reader, 0), (os.POSIX_SPAWN_DUP2, into, 1), (os.POSIX_SPAWN_DUP2, into, 2)]
    try:
        child = os.posix_spawnp(words[0], words, os.environ, file_actions=files)
    except OSError as problem:
        return 127, f"{words[0]}: {problem.strerror}"
    finally:
        os.close(reader)
        os.close(into)
    with open(out, "rb") as pipe:
        text = pipe.read().decode("utf-8", "replace")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text


def _at(tree: Any, path: str) -> Any:
    """Return the value at a path such as `a.0.b` in a JSON document."""
    for part in path.split("."):
        tree = tree[int(part)] if isinstance(tree, list) else tree[part]
    return tree


def chosen(plays: Sequence[ScriptedStep], known: Mapping[str, str], prompt: str) -> ScriptedStep | None:
    """Return the first play that matches task, profile, purpose, iteration, play number and prompt, or None."""
    for play in plays:
        named = all(
            fnmatch.fnmatchcase(known[name], str(play[name]))
            for name in ("task", "profile", "purpose", "iteration", "play")
            if name in play
        )
        is_resumed = "resumed" not in play or bool(play["resumed"]) == bool(known["resumed"])
        if named and is_resumed and str(play.get("prompt", "")) in prompt:
            return play
    return None


def counted() -> int:
    """Count this play and return the number of plays in this home."""
    path = os.path.join(os.environ.get("HOME") or ".", PLAYED)
    try:
        with open(path, encoding="utf-8") as file:
            times = int(json.load(file))
    except (OSError, ValueError):
        times = 0
    with open(path, "w", encoding="utf-8") as file:
        json.dump(times + 1, file)
    return times + 1


def main(words: list[str]) -> int:
    """Play `SCRIPT [--task T] [--profile P] [--purpose P] [--iteration N] [--resume ID]`, with the prompt on standard
    input."""
    options: dict[str, str] = {}
    paths: list[str] = []
    rest = iter(words)
    for word in rest:
        if word.startswith("--"):
            options[word] = next(rest, "")
        else:
            paths.append(word)
    with open(paths[0], encoding="utf-8") as file:
        script = json.load(file)
    prompt = sys.stdin.read()
    run = os.environ.get("FOUREYES_RUN", "").rpartition(":")[2]
    known = {name: options.get(f"--{name}", "") for name in ("task", "profile", "purpose", "iteration")}
    known |= {"run": run, "play": str(counted()), "worktree": os.getcwd(), "resumed": options.get("--resume", "")}
    known["conversation"] = known["resumed"] or f"scripted-{run or os.getpid()}"
    known["here"] = os.path.dirname(os.path.abspath(paths[0]))
    play = chosen(script["plays"], known, prompt)
    if play is None:
        os.write(2, f"scripted: no play fits {json.dumps(known)}\n".encode())
        return NO_PLAY
    return ScriptPlayer(known, STREAMS[play.get("stream") or script.get("stream", "claude")]()).play(play["steps"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
