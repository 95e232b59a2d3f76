"""How the real programs are started for a recording, and what is recorded of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec

from tests.sandboxes.programs import PROGRAMS
from tests.sandboxes.scripted_model import Asked

HELLO: Asked = {"write": "hello.txt", "content": "hello\n"}
SIGNAL = '{"type": "signal", "signal": "DONE", "message": "hello.txt is there"}'
DONE: Asked = {"say": f"I have created hello.txt.\n\n{SIGNAL}"}
REFUSED = ("400", "401", "403", "429", "429-after", "limit", "credit", "long", "500", "busy", "garbage", "page", "cut")

FEW_TRIES = {"claude": {"CLAUDE_CODE_MAX_RETRIES": "2"}}
"""Few tries of those that would go on for minutes."""

DENY = {"OPENCODE_PERMISSION": json.dumps({"edit": "deny", "bash": "deny", "webfetch": "deny", "task": "deny"})}

TRIES = 30
"""Seconds that a program may try again."""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One run. `turns` are prompts: of several, the last one goes on with the conversation, and is recorded."""

    name: str
    commands: tuple[Asked, ...]
    turns: tuple[str, ...] = ("Create hello.txt, then say that you are done.\n",)
    reads: bool = False
    """Whether it is started so that it can only read."""
    patience: int = 120
    env: dict[str, str] = {}
    without: tuple[str, ...] = ()
    is_patient: bool = False
    """Whether it tries as often as it does by itself."""
    files: dict[str, str] = {}


KEYS = ("SCRIPTED_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", "OPENCODE_CONFIG_CONTENT")


def cases(program: str) -> Iterator[Case]:
    """What is recorded of a program."""
    yield Case(name="implement", commands=(HELLO, "cat hello.txt", DONE))
    yield Case(name="review", commands=("cat README.md", HELLO, "touch evil.txt", DONE), reads=True, env=DENY)
    yield Case(
        name="resume", commands=(HELLO, {"say": "What now?"}, "cat hello.txt", DONE), turns=("Work.\n", "Go on.\n")
    )
    yield Case(name="failing-command", commands=("cat nothing.txt", DONE))
    yield Case(name="no-model" if program == "opencode" else "no-key", commands=(DONE,), without=KEYS)
    for trouble in REFUSED:
        yield Case(name=trouble, commands=({"trouble": trouble},), patience=TRIES)
    yield Case(name="500-in-the-middle", commands=(HELLO, {"trouble": "500"}), patience=TRIES)
    yield Case(name="cut-once", commands=(HELLO, {"trouble": "cut", "times": 1}, DONE))
    yield Case(name="429-once", commands=(HELLO, {"trouble": "429", "times": 1}, DONE))
    if program in ("codex", "claude"):
        for trouble in ("429", "500", "cut"):
            yield Case(name=f"{trouble}-patient", commands=({"trouble": trouble},), patience=TRIES, is_patient=True)
    yield Case(name="hang", commands=({"trouble": "hang"},), patience=20)


def words(program: str, case: Case, home: Path, conversation: str) -> list[str]:
    """The arguments of a program, for a case; `conversation` is the one to go on with."""
    plain = PROGRAMS[program].start(home, ())
    if program == "claude":
        (home / ".claude" / "settings.json").unlink(missing_ok=True)
    if case.is_patient:
        plain = [word.replace(",request_max_retries=0,stream_max_retries=0", "") for word in plain]
    if case.reads:
        plain = _reading(program, plain)
    return _resuming(program, plain, conversation) if conversation else plain


def _reading(program: str, plain: list[str]) -> list[str]:
    if program == "codex":
        return [*plain[:-3], "-s", "read-only", "-c", "project_doc_max_bytes=0", "-"]
    if program == "claude":
        return [*plain[: plain.index("--permission-mode")], "--permission-mode", "dontAsk", "--tools", "Read,Grep,Glob"]
    if program == "opencode":
        return [word for word in plain if word != "--auto"]
    return ["plan" if word == "yolo" else word for word in plain]


def _resuming(program: str, plain: list[str], conversation: str) -> list[str]:
    if program == "codex":
        flags = [word for word in plain[1:-1] if word not in ("-s", "workspace-write")]
        return ["exec", "resume", *flags, "-c", 'sandbox_mode="workspace-write"', conversation, "-"]
    return [*plain, {"opencode": "-s"}.get(program, "--resume"), conversation]
