"""`fe logs`, `fe agent attach`: output of agents, and resuming their conversations."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO

import click

from foureyes.core.nouns.run import Run
from foureyes.core.words.text import flat, visible
from foureyes.errors import EnvironmentProblem, NotFound
from foureyes.steps import either, fe, in_turn, phrase
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.steps import next_line

if TYPE_CHECKING:
    from foureyes.app.results.run import Conversation, LogLine

GLANCE = 0.3
CHUNK = 1 << 16
TAIL = 1 << 16
"""Size of the end of the log that is shown first."""
LEADS = {"run": "== ", "says": "", "does": "> ", "gets": "  ", "waits": "~ ", "failed": "! ", "ends": "= ", "text": ""}
"""Prefix of a line by its kind."""


@verb("logs", example="fe logs fe-7k2 -f\nfe logs fe-7k2 -n 20")
@click.argument("task")
@click.option("-f", "--follow", is_flag=True, help="Follow until the run ends.")
@click.option("-n", "last", type=click.IntRange(1), metavar="N", help="Only the last lines.")
@click.option("--raw", is_flag=True, help="The programs' raw output.")
def logs(session: Session, task: str, follow: bool, last: int | None, raw: bool) -> None:
    """Show what agents did on a task, in all its runs."""
    runs = session.app.runs.of_task(task)
    if not runs:
        raise NotFound(f"no agent ran on {visible(task)} yet.", next_step=fe("run"))
    name = runs[0].task
    with _opened(session, name) as file:
        _write(file, follow, session, name, _Lines(session, raw=raw, last=last))


@verb("attach", example="fe agent attach fe-7k2")
@click.argument("task")
@click.option("--watch", is_flag=True, help="Only follow the agent at work.")
def attach(session: Session, task: str, watch: bool) -> None:
    """Continue an agent's conversation yourself. It opens in the task's worktree. The run ends first, the task is
    paused and yours, and you become one of its authors. Needs a person at a terminal. Elsewhere, or with --watch, it
    follows the agent's output until the end. Ctrl-C leaves the agent running, and `fe pause --now` ends it.
    """
    if not watch and session.can_ask:
        conversation = session.app.agents.conversation(session.actor, task)
        if not conversation.problem:
            if _agrees(session, conversation):
                _take_over(session, conversation)
            else:
                output.write("nothing was changed")
            return
        session.note(
            f"the conversation of {conversation.profile} cannot be continued, only watched: {conversation.problem.rstrip('.')}"
        )
    _watch(session, task)


def _agrees(session: Session, conversation: Conversation) -> bool:
    """Show the command that would start, and ask for confirmation."""
    session.note(f"this starts {' '.join(map(flat, conversation.argv))}")
    ends = f"its run ({conversation.run}) ends, " if conversation.live else ""
    return click.confirm(
        f"{ends}{conversation.task} is paused and assigned to you, and you become one of its authors. "
        f"Continue the conversation of {conversation.profile}?",
        default=False,
        err=True,
    )


def _take_over(session: Session, conversation: Conversation) -> None:
    """Stop the run, take the claim, then give the terminal to the agent program."""
    from foureyes.bootstrap.user_programs import hand_over

    actor, reason = session.actor, f"{session.actor.name} continues it"
    if conversation.live:
        session.app.runs.ask_stop(actor, conversation.run, reason=reason)
        session.note(f"waiting for the end of {conversation.run}")
        while any(run.id == conversation.run for run in _at_work(session, conversation.task)):
            time.sleep(GLANCE)
        conversation = session.app.agents.conversation(actor, conversation.task)
        if conversation.problem:
            step = fe("resume", conversation.task, "-m", phrase("why"))
            raise EnvironmentProblem(
                f"the conversation of {conversation.profile} cannot be continued: {conversation.problem}",
                next_step=step,
            )
    place = session.app.claims.start(actor, conversation.task, worktree=True)
    if not conversation.live:
        session.app.runs.pause(actor, conversation.task, reason=reason)
    where = str(getattr(place, "worktree", session.cwd))
    session.note(f"{' '.join(map(flat, conversation.argv))}  in {where}")
    try:
        code = hand_over(conversation.argv, conversation.env, cwd=where)
    except OSError as problem:
        raise EnvironmentProblem(f"{conversation.argv[0]} could not be started: {problem.strerror}") from problem
    back = in_turn(fe("unstart", conversation.task), fe("resume", conversation.task, "-m", phrase("why")), joint=" && ")
    done = either(fe("submit", conversation.task, "-m", phrase("what you did")), back, joint="      or   ")
    output.write(f"{conversation.profile} ended (exit {code}); {conversation.task} is yours and paused")
    output.write(next_line(done))


def _watch(session: Session, task: str) -> None:
    live = next(iter(_at_work(session, task)), None)
    if live is None:
        raise NotFound(f"no agent is working on {visible(task)}.", next_step=fe("logs", task))
    session.note(f"{live.id}  {live.profile} since {live.started_at[:19]}  in {live.worktree or '…'}")
    with _opened(session, live.task) as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL))
        _write(file, True, session, live.task, _Lines(session, raw=False, last=None))
    ended = next(run for run in session.app.runs.of_task(live.task) if run.id == live.id)
    session.answer(ended, ended_text(ended))


def _at_work(session: Session, task: str) -> list[Run]:
    """Return the task's runs that have a live runner. Other runs write nothing more."""
    live = {runner.session for runner in session.app.runs.runners() if runner.state == "live"}
    return [run for run in session.app.runs.of_task(task) if run.state != "ended" and run.runner in live]


def ended_text(run: Run) -> str:
    """Return how a run ended."""
    if run.state != "ended":
        return f"{run.id} has lost its runner. The next fe run continues it"
    return f"{run.id} {run.ending}" + (f": {flat(run.why)}" if run.why else "")


def _opened(session: Session, task: str) -> BinaryIO:
    from foureyes.bootstrap.runner import open_log

    try:
        return open_log(session.cwd, task)
    except OSError as problem:
        raise NotFound(f"there is no log of {task} here: {problem.strerror}.", next_step=fe("show", task)) from problem


class _Lines:
    """Log lines as text, raw or JSON, optionally only the last ones."""

    def __init__(self, session: Session, *, raw: bool, last: int | None) -> None:
        from foureyes.bootstrap.runner import log_renderer

        self._json = session.json
        self._renderer = None if raw else log_renderer()
        self._held: deque[Callable[[], None]] | None = deque(maxlen=last) if last else None

    def take(self, line: str) -> None:
        if self._renderer is None:
            self._put(lambda: output.write_json({"text": line}) if self._json else output.write(visible(line)))
            return
        for shown in self._renderer.feed(line):
            self._show(shown)

    def _show(self, shown: LogLine) -> None:
        if self._json:
            self._put(lambda: output.write_json(shown))
            return
        lead, *rest = visible(shown.text).split("\n")
        before = LEADS[shown.kind]
        for text in (lead, *rest):
            self._put(lambda text=text: output.write(f"{before}{text}"))  # type: ignore[misc]

    def _put(self, write: Callable[[], None]) -> None:
        if self._held is None:
            write()
        else:
            self._held.append(write)

    def flush(self) -> None:
        """Print the held lines. From now on, every line is printed immediately."""
        if self._renderer is not None:
            for shown in self._renderer.rest():
                self._show(shown)
        held, self._held = self._held, None
        for write in held or ():
            write()
        output.flush()


def _write(file: BinaryIO, follow: bool, session: Session, task: str, lines: _Lines) -> None:
    """Print the log, and its growth if `follow`. Control characters in it are made visible."""
    rest = b""
    while True:
        # checked first, so that output before the end is still read
        goes_on = follow and bool(_at_work(session, task))
        while part := file.read(CHUNK):
            *whole, rest = (rest + part).split(b"\n")
            for line in whole:
                lines.take(line.decode("utf-8", "replace"))
        if goes_on:
            lines.flush()
            time.sleep(GLANCE)
            continue
        if rest:
            lines.take(rest.decode("utf-8", "replace"))
        lines.flush()
        return
