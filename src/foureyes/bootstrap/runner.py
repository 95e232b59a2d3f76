"""Assembly of a runner: an Application for its loop and for each job, the agents, and the wake-up signals.

The starter is identified first, because a person at a terminal now may have none later (I5).
"""

from __future__ import annotations

import gc
import os
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from foureyes import errors
from foureyes.adapters.folders import LOGS, folder, opened
from foureyes.bootstrap.places import folder_of, repository
from foureyes.bootstrap.wiring import open_project, whoami
from foureyes.errors import FoureyesError, Reason, Refused
from foureyes.steps import Step, Steps, fe

if TYPE_CHECKING:
    from foureyes.adapters.agents.streams.renderer import Renderer
    from foureyes.adapters.git.client.locate import Located
    from foureyes.app.agent_ports import LocalAgents
    from foureyes.app.application import Application
    from foureyes.app.results.run import RunnerSummary
    from foureyes.app.runner.execution import Tell
    from foureyes.app.runner.live_runs import Options
    from foureyes.app.runner.loop import Runner
    from foureyes.bootstrap.run_server import RunDoors
    from foureyes.core.nouns.session import Actor
    from foureyes.core.runner.steps import Finish


Show = Callable[["RunnerSummary"], None]
RUNNER_LOG = "runner.log"
BEGAN = "began"


class Ended(msgspec.Struct, frozen=True):
    """The end of a runner: a sentence about work that waits for people, and in `last` the rest of the message."""

    why: str
    last: Finish

    @property
    def exit_code(self) -> int:
        """6 if a later runner can do remaining work, otherwise 0, even if people have to act."""
        return errors.VerificationFailed.exit_code if self.last.is_unfinished else 0


def _said(why: str, waits: str, left: Sequence[str]) -> str:
    nothing = "There is nothing left to do." if why == "idle" and not left else ""
    return " ".join(filter(None, (f"{why[0].upper()}{why[1:]}.", waits or nothing)))


def for_people(app: Application, actor: Actor) -> str:
    """Return a sentence about tasks that wait for people, or ""."""
    from foureyes.app.runner.snapshot import count_reviewing

    try:
        with app.context.store.read() as tx:
            n = count_reviewing(tx)
        stopped = [row for row in app.attention.view(actor).rows if row.kind not in ("review", "check")]
    except FoureyesError:
        return ""
    parts = [f"{n} task{' waits' if n == 1 else 's wait'} for your review (run fe, press R)"] if n else []
    parts += (
        [f"{len(stopped)} {'needs' if len(stopped) == 1 else 'need'} attention (fe status --attention)"]
        if stopped
        else []
    )
    return ". ".join(parts) + "." if parts else ""


class Running:
    """One runner of the project around a directory, for a user interface."""

    def __init__(self, cwd: str, environ: Mapping[str, str], options: Options) -> None:
        self._place = repository(cwd)
        self._environ = environ
        self._options = options
        self._has_let_go = False

    def run(
        self, tell: Tell, show: Show, began: Callable[[], None] = lambda: None, starter: Actor | None = None
    ) -> Ended:
        """Run to the end and return why it ended. `began` is called once the start is recorded. `starter` is the caller
        if it was identified earlier.
        """
        from foureyes.app.runner.background_jobs import Threads
        from foureyes.app.runner.loop import Runner
        from foureyes.bootstrap.run_server import RunDoors

        gc.enable()  # short commands run without garbage collection, this process stays
        app = open_project(self._place.root, self._environ)
        try:
            self._refuse_unknown(app)
            beacon = app.context.store.beacon(f"runner {secrets.token_hex(16)}")
            lit = beacon.name if beacon is not None else ""
            changes = app.context.store.changes()  # before the start is recorded: a server without room must refuse
            begun = app.runs.begin(starter or self._caller(app), agents=self._options.agents, beacon=lit)
            began()
            crew = Threads(lambda: open_project(self._place.root, self._environ).context)
            with alarms() as alarm, closing(RunDoors(self._place, self._environ)) as answers:
                runner = Runner(
                    app.context,
                    begun.actor,
                    agents_of(self._place, self._environ, answers),
                    crew,
                    self._options,
                    tell=tell,
                    show=show,
                    changes=changes,
                    alarm=alarm.descriptor,
                    beacon=beacon,
                )
                alarm.heard = lambda number: asked(runner, number)
                last = runner.run()
            return Ended(why=_said(last.why, for_people(app, begun.actor), last.left), last=last)
        finally:
            app.close()

    def _caller(self, app: Application) -> Actor:
        return app.sessions.recognise(lambda programs: whoami(self._environ, "", programs))

    def _refuse_unknown(self, app: Application) -> None:
        """Refuse unknown tasks or profiles in `--assign`."""
        from msgspec.structs import replace

        from foureyes.app.runner.admission import profile_named

        with app.context.store.read() as tx:
            tasks = {name: app.context.find_id(tx, name) for name, _ in self._options.assigned}
            for _, profile in self._options.assigned:
                profile_named(app.context, tx, profile)
        assigned = tuple((tasks[name], profile) for name, profile in self._options.assigned)
        self._options = replace(self._options, assigned=assigned)

    def detach(self) -> tuple[int, str]:
        """Start the runner in a process that outlives this one and its terminal. Return its pid and log.

        The starter is identified here, because the new process has no rights of its own (I5). No store may be open in
        this process. One that has opened a store uses a `Launcher`.
        """
        from foureyes.adapters.process import twin

        starter = self._seen()

        readable, written = os.pipe2(os.O_CLOEXEC)
        child = twin()
        if child == 0:
            os.close(readable)
            self.be_detached(written, starter)
        os.close(written)
        words = b"".join(iter(lambda: os.read(readable, 4096), b"")).decode(errors="replace")
        os.close(readable)
        if words == BEGAN:
            return child, os.path.join(folder_of(self._place), LOGS, RUNNER_LOG)
        with suppress(ChildProcessError):
            os.waitpid(child, 0)
        raise refusal_of(words)

    def _seen(self) -> Actor:
        app = open_project(self._place.root, self._environ)
        try:
            return self._caller(app)
        finally:
            app.close()

    def be_detached(self, written: int, starter: Actor) -> None:
        """Run in the child, detach from the terminal after the start, and never return."""
        code = 1
        try:
            ended = self.run(_say, lambda _: None, lambda: self._let_go(written), starter)
            for line in (ended.why, *ended.last.left):
                _say("", f"the runner ended: {line}")
            code = ended.exit_code
        except FoureyesError as problem:
            code = problem.exit_code
            self._break(written, problem.message, problem)
        except BaseException as problem:  # whatever happened, this process must not continue as the caller
            self._break(written, str(problem) or type(problem).__name__)
        finally:
            os._exit(code)

    def _break(self, written: int, text: str, problem: FoureyesError | None = None) -> None:
        """Report the failure, to the parent before the start and to the log afterwards."""
        if not self._has_let_go:
            _tell_parent(written, _encoded(problem) if problem else text)
            return
        reasons = problem.reasons if problem else ()
        for line in (*text.splitlines(), *[f"{reason.message} ({reason.rule})" for reason in reasons]):
            _say("", f"! the runner ended: {line}")

    def _let_go(self, written: int) -> None:
        """Detach after the start: write to the log, and leave the terminal's session."""
        os.setsid()
        with folder(os.path.join(folder_of(self._place), LOGS), make=True) as place:
            log = opened(RUNNER_LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600, at=place)
        nothing, closed = os.pipe2(os.O_CLOEXEC)
        os.close(closed)
        for ours, theirs in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(ours, theirs)
        self._has_let_go = True
        _tell_parent(written, BEGAN)


REFUSAL = "refused:"
"""Prefix of a complete refusal that the child sends."""


class _RefusalText(msgspec.Struct):
    """A refusal sent by a child. `reasons` has rule, sentence and steps."""

    kind: str
    message: str
    steps: tuple[Step, ...]
    reasons: tuple[tuple[str, str, tuple[Step, ...]], ...]


def _encoded(problem: FoureyesError) -> str:
    """Return a refusal encoded for the parent, with all reasons and steps."""
    reasons = tuple((reason.rule, reason.message, reason.next.steps) for reason in problem.reasons)
    refusal = _RefusalText(type(problem).__name__, problem.message, problem.next_step.steps, reasons)
    return REFUSAL + msgspec.json.encode(refusal).decode()


def refusal_of(words: str) -> FoureyesError:
    """Return the refusal that the child sent."""
    if not words.startswith(REFUSAL):
        return Refused(
            "no runner was started.",
            reasons=(Reason("I5", words or "its process ended before the runner was ready", fe("doctor")),),
        )
    refusal = msgspec.json.decode(words.removeprefix(REFUSAL), type=_RefusalText)
    kind = getattr(errors, refusal.kind, Refused)
    reasons = tuple(Reason(rule, text, Steps(*steps)) for rule, text, steps in refusal.reasons)
    problem: FoureyesError = kind(refusal.message, next_step=Steps(*refusal.steps), reasons=reasons)
    return problem


def _say(task: str, line: str) -> None:
    at = time.strftime("%Y-%m-%d %H:%M:%S")
    with suppress(OSError):  # X3: a full disk must not end a runner
        os.write(1, f"{at}  {task + '  ' if task else ''}{line}\n".encode("utf-8", "backslashreplace"))


def _tell_parent(written: int, text: str) -> None:
    with suppress(OSError):
        os.write(written, text.encode("utf-8", "backslashreplace"))
        os.close(written)


def options_for(
    agents: int, *, once: bool, until_idle: bool, assigned: tuple[tuple[str, str], ...], sprints: bool = False
) -> Options:
    """Return the options of a runner."""
    from foureyes.app.runner.live_runs import Options

    return Options(agents=agents, once=once, until_idle=until_idle, assigned=assigned, sprints=sprints)


def agents_of(place: Located, environ: Mapping[str, str], answers: RunDoors | None = None) -> LocalAgents:
    """Return the agent programs of this machine. `answers` holds the sockets of their runs."""
    from foureyes.adapters.agents.programs import AgentPrograms
    from foureyes.adapters.identity.alive import of

    return AgentPrograms(folder_of(place), environ, evidence=of, mcp=mcp_command(), doors=answers)


def mcp_command() -> Sequence[str]:
    """Return the command of the MCP server for runs, using this installation."""
    return (sys.executable, "-P", "-m", "foureyes", "mcp")  # -P: ignore a package of that name in the worktree


def open_log(cwd: str, task: str) -> BinaryIO:
    """Open the log of a task's runs for reading while it grows. Raises OSError if there is none."""
    return open(opened(os.path.join(folder_of(repository(cwd)), LOGS, f"{task}.log")), "rb")


def log_renderer() -> Renderer:
    """Return a renderer of log lines for people."""
    from foureyes.adapters.agents.streams.renderer import Renderer

    return Renderer()


class Alarm:
    """Signal handling: calls `heard` at once and wakes readers of `descriptor`."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.heard: Callable[[int], None] = lambda number: None


def asked(runner: Runner, number: int) -> None:
    """Stop the runner: on the first Ctrl-C after its runs, on a second one or any other signal with its runs."""
    runner.ask("finish" if number == signal.SIGINT else "now")


@contextmanager
def alarms() -> Iterator[Alarm]:
    """Handle signals while a runner runs. An ignored signal (`nohup`) stays ignored."""
    readable, written = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    alarm = Alarm(readable)

    def hear(number: int, _: object) -> None:
        alarm.heard(number)
        with suppress(OSError):
            os.write(written, b"!")

    before = {}
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, hear)
    try:
        yield alarm
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(readable)
        os.close(written)
