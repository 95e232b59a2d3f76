"""Moves of an agent that wants its own work approved: to hold a token, to shed its ancestors, to be called something
else.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Unpack

from tests.stage.commands import Stage, SubmissionTime
from tests.stage.processes import Caller, Options, Result

PROGRAM = str(Path(__file__).with_name("attack_terminal.py"))
SECRET = "correct horse battery"


class Through(Caller):
    """Somebody whose commands all go through a program of theirs, or with variables of their own."""

    def __init__(self, who: Caller, *program: str, env: Mapping[str, str] | None = None) -> None:
        super().__init__(who.people, who.name)
        self._who = who
        self._program = program
        self._env = dict(env or {})

    def run(self, argv: Sequence[str], **options: Unpack[Options]) -> Result:
        options["env"] = {**self._env, **(options.get("env") or {})}
        return self._who.run([*self._program, *argv], **options)


def holding(who: Caller, token: str) -> Through:
    """Somebody with a token in the environment."""
    return Through(who, env={"FOUREYES_TOKEN": token})


def _program(*options: str) -> tuple[str, ...]:
    return (sys.executable, "-I", PROGRAM, *options, "--")


def detached(who: Caller) -> Through:
    """Commands that fork twice before they run: nothing above them, and no terminal."""
    return Through(who, *_program("--detach"))


def detached_at_a_terminal(who: Caller, *answers: str, home: Path | None = None) -> Through:
    """The same with a pseudo-terminal; `answers` are typed when asked for, `home` is where keys would lie."""
    env = {"HOME": str(home)} if home else None
    return Through(who, *_program("--detach", "--terminal", *_typed(answers)), env=env)


def typing(who: Caller, *answers: str, home: Path | None = None) -> Through:
    """Somebody at a terminal who answers what is asked for."""
    return Through(who, *_program("--terminal", *_typed(answers)), env={"HOME": str(home)} if home else None)


def _typed(answers: Sequence[str]) -> list[str]:
    return [word for answer in answers for word in ("--type", answer)]


def shell_named(who: Caller, path: Path) -> Through:
    """Commands below a copy of the shell that has another name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(os.path.realpath("/bin/sh"), path)
    return Through(who, str(path), "-c", '"$@"; exit $?', "sh")


def spawned(stage: Stage, lead: Caller, task: str, role: str, *options: str) -> str:
    """The token of a session that somebody spawned."""
    return str(stage.done(lead, "session", "spawn", task, "--role", role, *options)["token"])


def sub_agents_work(stage: Stage, lead: Caller, *options: str) -> tuple[SubmissionTime, str]:
    """What a session made that a lead spawned, and its token."""
    task = stage.create(stage.cast.alice, *options)
    token = spawned(stage, lead, task, "implement")
    stage.commit(f"fe/{task}", {f"{task}.txt": "x\n"})
    return stage.submit(holding(lead, token), task), token


def security(stage: Stage) -> list[Any]:
    """Kind, rule, task and session of every exception on record, the oldest first."""
    rows = reversed(stage.lines(stage.cast.alice, "security"))
    return [(row["kind"], row["rule"], row["task"], row["session"]) for row in rows]


def kinds(stage: Stage) -> list[str]:
    """The kinds of exceptions on record, the oldest first."""
    return [row[0] for row in security(stage)]


@contextmanager
def running_with(who: Caller, token: str, folder: Path) -> Iterator[int]:
    """A process of theirs that holds a token, and waits; its pid."""
    here, go = folder / "here", folder / "go"
    for pipe in (here, go):
        os.mkfifo(pipe)
    waiting = threading.Thread(
        target=who.sh, args=(f"echo $$ > {here}; read end < {go}; exit 0",), kwargs={"env": {"FOUREYES_TOKEN": token}}
    )
    waiting.start()
    pid = int(here.read_text())
    try:
        yield pid
    finally:
        go.write_text("end\n")
        waiting.join()


def read_token(thief: Caller, pid: int) -> str:
    """What somebody finds in the environment of another process."""
    return thief.sh(f"tr '\\0' '\\n' < /proc/{pid}/environ | sed -n 's/^FOUREYES_TOKEN=//p'").out.strip()


@contextmanager
def while_asked(
    stage: Stage, who: Caller, folder: Path, *args: str, answer: str = SECRET, home: Path | None = None
) -> Iterator[list[Result]]:
    """A command that has asked for a passphrase and waits for it; after the block it is typed, and the list has its
    result.
    """
    asked, go = folder / "asked", folder / "typed"
    for pipe in (asked, go):
        os.mkfifo(pipe)
    typist = Through(
        who,
        *_program("--terminal", "--type", answer, "--pause", str(asked), str(go)),
        env={"HOME": str(home)} if home else None,
    )
    results: list[Result] = []
    waiting = threading.Thread(target=lambda: results.append(stage.run(typist, *args, "--json")))
    waiting.start()
    word = asked.read_text()
    try:
        assert word == "asked", word
        yield results
    finally:
        if word == "asked":
            go.write_text("")
        waiting.join()


def rules_of(result: Result) -> list[str]:
    """The rules of a refusal."""
    return [reason["rule"] for reason in result.json["error"]["reasons"]]
