"""What `fe setup` writes, read by the real programs: the instructions and the tools reach the model, and who stops with
an open claim is reminded, once.

Each program is told to trust the project, as a person would.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from tests.sandboxes.box import FE, Box
from tests.sandboxes.programs import CLAUDE, CODEX, COPILOT, GEMINI, OPENCODE, QWEN, Program
from tests.stage.commands import Stage

INSTRUCTED = "at the start of a session"
REMINDED = "this session still holds"
Start = Callable[[Path, Sequence[str] | None], list[str]]


def codex(repo: Path) -> Start:
    def start(home: Path, roots: Sequence[str] | None) -> list[str]:
        trust = f'projects={{"{repo}"={{trust_level="trusted"}}}}'
        words = [word for word in CODEX.start(home, roots) if word != "--ignore-user-config"]
        return [*words[:-1], "-c", trust, "--dangerously-bypass-hook-trust", words[-1]]

    return start


def claude(repo: Path) -> Start:
    words = ["-p", "--output-format", "stream-json", "--verbose", "--model", "claude-sonnet-4-5"]
    return lambda *_: [*words, "--permission-mode", "acceptEdits", "--allowedTools", "Bash", "mcp__foureyes"]


def plain(program: Program, *more: str, without: str = "") -> Callable[[Path], Start]:
    return lambda _: lambda home, roots: [*(word for word in program.start(home, roots) if word != without), *more]


PROGRAMS = {
    "claude": (CLAUDE, claude, {}),
    "codex": (CODEX, codex, {}),
    "gemini": (GEMINI, plain(GEMINI, without="--skip-trust"), {"GEMINI_CLI_TRUST_WORKSPACE": "true"}),
    "qwen": (QWEN, plain(QWEN, without="--bare"), {}),
    "opencode": (OPENCODE, plain(OPENCODE), {"OPENCODE_DISABLE_PROJECT_CONFIG": ""}),
    "copilot": (COPILOT, plain(COPILOT, "--trust-folder"), {}),
}


REMINDS = ("claude", "codex", "gemini", "copilot")
"""Whose agents are reminded; qwen tells its person, and opencode has no hooks."""


def recorded(folder: Path) -> tuple[str, Path]:
    """A PATH on which `fe` is ours, and where its calls are kept."""
    calls = folder / "calls"
    (folder / "bin").mkdir()
    (folder / "bin" / "fe").write_text(f'#!/bin/sh\necho "$*" >> {calls}\nexec {FE} "$@"\n')
    (folder / "bin" / "fe").chmod(0o755)
    return os.pathsep.join([str(folder / "bin"), os.environ.get("PATH", os.defpath)]), calls


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_is_set_up_is_instructed_has_the_tools_and_is_reminded_once(
    stage: Stage, tmp_path: Path, name: str
) -> None:
    known, trusting, more = PROGRAMS[name]
    path, calls = recorded(tmp_path)
    env = {**known.env, **more, "PATH": path}
    program = msgspec.structs.replace(known, needs=(), start=trusting(stage.repo), env=env)
    stage.done(stage.cast.alice, "setup", name)
    stage.git("add", "-A")
    stage.git("commit", "-q", "-m", "Set it up")
    task, box = stage.create(stage.cast.alice), Box(program, stage, tmp_path)
    (claimed,) = box.run({"tool": "task_next"}, listen=[INSTRUCTED, REMINDED])
    assert task in claimed
    assert stage.status(task) == "in_progress"
    assert box.heard == {INSTRUCTED: 1, REMINDED: 1 if name in REMINDS else 0}
    hooks = [call for call in calls.read_text().splitlines() if call != "mcp"]
    assert set(hooks) == (set() if name == "opencode" else {f"remind {name}"})
