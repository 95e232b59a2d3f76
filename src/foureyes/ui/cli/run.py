"""`fe run`, `watch`: agents working unattended."""

from __future__ import annotations

import errno
import os
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from foureyes.core.nouns.session import RUN_DIR
from foureyes.core.words.text import flat, visible
from foureyes.errors import BadInput
from foureyes.steps import fe
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foureyes.app.results.run import RunnerSummary, RunnerView


WIDTH = 80
AGAIN = "stopping when the current runs finish. Press Ctrl-C again to end them now. Their work stays on its branches"


@verb("run", example="fe run --agents 3\nfe run --until-idle --assign fe-7k2=codex")
@click.option(
    "--agents", default=1, metavar="N", type=click.IntRange(1, 100), help="Number of concurrent runs. Default: 1."
)
@click.option("--once", is_flag=True, help="Start what can start now, finish it, and exit.")
@click.option("--until-idle", is_flag=True, help="Exit when there is nothing left to do.")
@click.option("--assign", multiple=True, metavar="TASK=AGENT", help="The profile for a task. Repeatable.")
@click.option("--sprints", is_flag=True, help="Only tasks of sprints. Exits when no sprint is running.")
@click.option("--detach", is_flag=True, help="Run in the background, also after this terminal is closed.")
def run(
    session: Session,
    agents: int,
    once: bool,
    until_idle: bool,
    assign: tuple[str, ...],
    sprints: bool,
    detach: bool,
) -> None:
    """Let agents work on ready tasks. Each works in its own worktree. Work is submitted and checked, and then sent
    back, merged or left to a person. For people, and for services that the policy names (I5). The first Ctrl-C lets
    current runs finish, a second one ends them. Work stays on its branches.
    """
    assigned = tuple(map(_assigned, assign))
    _runs(session, agents, once=once, until_idle=until_idle, assigned=assigned, detach=detach, sprints=sprints)


@verb("watch", example="fe watch --until-idle")
@click.option("--until-idle", is_flag=True, help="Exit when there is nothing left to do.")
@click.option("--detach", is_flag=True, help="Run in the background, also after this terminal is closed.")
def watch(session: Session, until_idle: bool, detach: bool) -> None:
    """Run checks and merges automatically, without agents. It also reports what waits for a person."""
    _runs(session, 0, once=False, until_idle=until_idle, assigned=(), detach=detach)


def _assigned(text: str) -> tuple[str, str]:
    task, equals, profile = text.partition("=")
    if not equals or not task or not profile:
        raise BadInput(
            f"--assign {visible(text)!r}: give a task and an agent, like fe-7k2=codex.", next_step=fe("run", "--help")
        )
    return task, profile


def _runs(
    session: Session,
    agents: int,
    *,
    once: bool,
    until_idle: bool,
    assigned: tuple[tuple[str, str], ...],
    detach: bool,
    sprints: bool = False,
) -> None:
    from foureyes.bootstrap.runner import Running, options_for

    if session.asserted:
        raise BadInput("a runner takes no --as name.", next_step=fe("run"))
    options = options_for(agents, once=once, until_idle=until_idle, assigned=assigned, sprints=sprints)
    if os.environ.get(RUN_DIR) and session.actor.kind == "agent":
        session.app.runs.begin(session.actor, agents=agents)  # I5: refused, even in a run that cannot open the store
    running = Running(session.cwd, os.environ, options)
    if detach:
        number, log = running.detach()
        session.answer({"pid": number, "log": log}, f"a runner is running, process {number}. Its log: {log}")
        return
    for other in others_text(session.app.runs.runners()):
        session.note(other)
    line = StatusLine(session)
    ended = running.run(line.tell, line.show)
    line.clear()
    left = ended.last.left
    with heard_or_not():
        session.answer({"ended": ended.why, "left": left}, "\n  ".join([ended.why, *map(flat, left)]))
        output.flush()
    if ended.exit_code:
        raise SystemExit(ended.exit_code)


@contextmanager
def heard_or_not() -> Iterator[None]:
    """Ignore a closed terminal or a full disk during output, so that the runner continues and ends properly."""
    try:
        yield
    except OSError as problem:
        if problem.errno == errno.ENOSPC:
            return
        if problem.errno != errno.EIO:
            raise
        nothing = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        for number in (1, 2):
            if _is_dead(number):
                os.dup2(nothing, number)
        os.close(nothing)


def _is_dead(number: int) -> bool:
    """Return True if the descriptor is a terminal that is gone. Only then does tcgetattr fail with EIO."""
    try:
        termios.tcgetattr(number)
    except termios.error as problem:
        return bool(problem.args[0] == errno.EIO)
    return False


def others_text(runners: Sequence[RunnerView]) -> list[str]:
    """Return a line for each other live runner. (J4)"""
    live = [runner for runner in runners if runner.state == "live"]
    return [f"{flat(it.starter)} also has a runner on {flat(it.host)}, and both share the tasks" for it in live]


class StatusLine:
    """Output of a runner: a line per event, and on a terminal a last line with the current runs."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._live = not session.json and sys.stderr.isatty()
        self._shown = ""
        self._warned = False
        self._width = _columns() - 1

    def tell(self, task: str, text: str) -> None:
        """Print an event."""
        with heard_or_not():
            self._tell(task, text)

    def _tell(self, task: str, text: str) -> None:
        if self._session.json:
            output.write_json({"at": _now(), "task": task, "text": text})
            output.flush()
            return
        shown, self._shown = self._shown, ""
        self._erase(shown)
        at = time.strftime("%H:%M:%S")
        self._session.note(f"{at}  {task + '  ' if task else ''}{flat(text)}")
        if self._live and text.startswith("!"):
            sys.stderr.write("\a")  # separate from the line, whose control characters are made visible
        self._paint(shown)

    def show(self, summary: RunnerSummary) -> None:
        """Update the status line. On the first stop request, also print what a second Ctrl-C will do."""
        if summary.stopping == "finish" and summary.runs and not self._warned:
            self._warned = True
            self.tell("", AGAIN)
        text = output.shorten(summary_text(summary), self._width) if self._live else ""
        if text != self._shown:
            with heard_or_not():
                self._erase(self._shown)
                self._paint(text)

    def clear(self) -> None:
        with heard_or_not():
            self._erase(self._shown)
        self._shown = ""

    def _erase(self, shown: str) -> None:
        if shown:
            sys.stderr.write("\r\x1b[K")

    def _paint(self, text: str) -> None:
        self._shown = text
        if text:
            sys.stderr.write(text)
            sys.stderr.flush()


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or WIDTH
    except OSError:
        return WIDTH


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def summary_text(summary: RunnerSummary) -> str:
    """Return one line: the runs, other work, and why nothing new starts."""
    parts = [f"{line.task} {line.profile}: {flat(line.last) or '…'}" for line in summary.runs]
    parts += [f"checking {summary.checking}"] if summary.checking else []
    parts += ["merging"] if summary.merging else []
    head = f"{len(summary.runs)}/{summary.agents} agents busy" if summary.agents else "watching"
    quiet = "" if parts or summary.stopping else "waiting for work, Ctrl-C ends it"
    waits = summary.waits or quiet
    ends = {"finish": "stopping when the current runs finish", "now": "ending"}.get(summary.stopping, waits)
    sprint = [summary.sprint] if summary.sprint else []
    return "  ".join([head, *sprint, *parts, *([flat(ends)] if ends else [])])
