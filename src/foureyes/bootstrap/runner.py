"""A runner, plugged together: an Application for its loop, one for each job of its crew, agents, and who wakes it.

Who starts it is seen first of all: what is a person at a terminal now may have no terminal later (I5).
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
    from foureyes.app.runner.execution import Tell
    from foureyes.app.runner.live_runs import Options
    from foureyes.app.runner.loop import Runner
    from foureyes.app.views.run import RunnerGlance
    from foureyes.bootstrap.run_server import RunDoors
    from foureyes.core.nouns.session import Actor
    from foureyes.core.runner.steps import Finish


Show = Callable[["RunnerGlance"], None]
RUNNER_LOG = "runner.log"
BEGAN = "began"


class Ended(msgspec.Struct, frozen=True):
    """How a runner ended: in a sentence, with what waits for people; `last` has what else is left."""

    why: str
    last: Finish

    @property
    def exit_code(self) -> int:
        """6 where work is left that a later runner can do; 0 where only people are waited for."""
        return errors.VerificationFailed.exit_code if self.last.is_unfinished else 0


def _said(why: str, waits: str, left: Sequence[str]) -> str:
    nothing = "There is nothing left to do." if why == "idle" and not left else ""
    return " ".join(filter(None, (f"{why[0].upper()}{why[1:]}.", waits or nothing)))


def for_people(app: Application, actor: Actor) -> str:
    """What waits for people, in a sentence; empty where nothing does."""
    from foureyes.app.runner.snapshot import count_reviewing

    try:
        with app.context.store.read() as tx:
            n = count_reviewing(tx)
        stopped = [row for row in app.attention.view(actor).rows if row.kind not in ("review", "check")]
    except FoureyesError:
        return ""
    state = "paused" if all(row.kind == "pause" for row in stopped) else "stopped"
    parts = [f"{n} task{' waits' if n == 1 else 's wait'} for your review (fe, R)"] if n else []
    parts += [f"{len(stopped)} {'is' if len(stopped) == 1 else 'are'} {state} (fe attention)"] if stopped else []
    return "; ".join(parts) + "." if parts else ""


class Running:
    """One runner of the project around a directory, for a face."""

    def __init__(self, cwd: str, environ: Mapping[str, str], options: Options) -> None:
        self._place = repository(cwd)
        self._environ = environ
        self._options = options
        self._has_let_go = False

    def run(
        self, tell: Tell, show: Show, began: Callable[[], None] = lambda: None, starter: Actor | None = None
    ) -> Ended:
        """Begin, run to the end, and say why it ended. `began` is called once it is on record. `starter` is who starts
        it, where that was seen before.
        """
        from foureyes.app.runner.background_jobs import Threads
        from foureyes.app.runner.loop import Runner
        from foureyes.bootstrap.run_server import RunDoors

        gc.enable()  # a short command does without; this one stays
        app = open_project(self._place.root, self._environ)
        try:
            self._refuse_unknown(app)
            beacon = app.context.store.beacon(f"runner {secrets.token_hex(16)}")
            lit = beacon.name if beacon is not None else ""
            changes = app.context.store.changes()  # before it is on record: of a server without room it is no runner
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
        """Who starts it, as far as this process shows."""
        return app.sessions.recognise(lambda programs: whoami(self._environ, "", programs))

    def _refuse_unknown(self, app: Application) -> None:
        """`--assign` names a task and a profile that there are."""
        from msgspec.structs import replace

        from foureyes.app.runner.admission import profile_named

        with app.context.store.read() as tx:
            tasks = {name: app.context.find_id(tx, name) for name, _ in self._options.assigned}
            for _, profile in self._options.assigned:
                profile_named(app.context, tx, profile)
        assigned = tuple((tasks[name], profile) for name, profile in self._options.assigned)
        self._options = replace(self._options, assigned=assigned)

    def detach(self) -> tuple[int, str]:
        """The same in a process of its own that outlives this one and its terminal: its number, and where it writes.

        Who starts it is seen here: of the new process only this one would be, which gives nobody rights (I5). No store
        may be open here: who has one asks a `Launcher`.
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
        """The child: begins, lets go of the terminal, and never comes back."""
        code = 1
        try:
            ended = self.run(_say, lambda _: None, lambda: self._let_go(written), starter)
            for line in (ended.why, *ended.last.left):
                _say("", f"the runner ended: {line}")
            code = ended.exit_code
        except FoureyesError as problem:
            code = problem.exit_code
            self._break(written, problem.message, problem)
        except BaseException as problem:  # whatever it is, this process must not go on as the caller
            self._break(written, str(problem) or type(problem).__name__)
        finally:
            os._exit(code)

    def _break(self, written: int, text: str, problem: FoureyesError | None = None) -> None:
        """Why it ended: for who waits for its begin, and after that for its log."""
        if not self._has_let_go:
            _tell_parent(written, _encoded(problem) if problem else text)
            return
        reasons = problem.reasons if problem else ()
        for line in (*text.splitlines(), *[f"{reason.message} ({reason.rule})" for reason in reasons]):
            _say("", f"! the runner ended: {line}")

    def _let_go(self, written: int) -> None:
        """It began: from here on it writes into its log, and no terminal ends it."""
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
"""What the words of a child begin with that says no as we do, with everything about it."""


class _Told(msgspec.Struct):
    """A refusal on its way from a child; `reasons` are rule, sentence and steps."""

    kind: str
    message: str
    steps: tuple[Step, ...]
    reasons: tuple[tuple[str, str, tuple[Step, ...]], ...]


def _encoded(problem: FoureyesError) -> str:
    """A refusal for who started us: the same rules, sentences and steps."""
    reasons = tuple((reason.rule, reason.message, reason.next.steps) for reason in problem.reasons)
    refusal = _Told(type(problem).__name__, problem.message, problem.next_step.steps, reasons)
    return REFUSAL + msgspec.json.encode(refusal).decode()


def refusal_of(words: str) -> FoureyesError:
    """Why no runner began, as the child said it."""
    if not words.startswith(REFUSAL):
        return Refused("no runner began.", reasons=(Reason("I5", words or "it ended before it began", fe("doctor")),))
    refusal = msgspec.json.decode(words.removeprefix(REFUSAL), type=_Told)
    kind = getattr(errors, refusal.kind, Refused)
    reasons = tuple(Reason(rule, text, Steps(*steps)) for rule, text, steps in refusal.reasons)
    problem: FoureyesError = kind(refusal.message, next_step=Steps(*refusal.steps), reasons=reasons)
    return problem


def _say(task: str, line: str) -> None:
    at = time.strftime("%Y-%m-%d %H:%M:%S")
    with suppress(OSError):  # X3: a full disk takes no line, and ends no runner
        os.write(1, f"{at}  {task + '  ' if task else ''}{line}\n".encode("utf-8", "backslashreplace"))


def _tell_parent(written: int, text: str) -> None:
    with suppress(OSError):
        os.write(written, text.encode("utf-8", "backslashreplace"))
        os.close(written)


def options_for(
    agents: int, *, once: bool, until_idle: bool, assigned: tuple[tuple[str, str], ...], sprints: bool = False
) -> Options:
    """How a face asks for a runner."""
    from foureyes.app.runner.live_runs import Options

    return Options(agents=agents, once=once, until_idle=until_idle, assigned=assigned, sprints=sprints)


def agents_of(place: Located, environ: Mapping[str, str], answers: RunDoors | None = None) -> LocalAgents:
    """The agent programs of this machine, for runs of a project; `answers` has the doors of their runs."""
    from foureyes.adapters.agents.programs import AgentPrograms
    from foureyes.adapters.identity.alive import of

    return AgentPrograms(folder_of(place), environ, evidence=of, mcp=mcp_command(), doors=answers)


def mcp_command() -> Sequence[str]:
    """How the server for runs is started: by this very installation."""
    return (sys.executable, "-P", "-m", "foureyes", "mcp")  # -P: a package of that name in the worktree is not ours


def open_log(cwd: str, task: str) -> BinaryIO:
    """The log of a task's runs, to be read while it grows; OSError where there is none."""
    return open(opened(os.path.join(folder_of(repository(cwd)), LOGS, f"{task}.log")), "rb")


def log_renderer() -> Renderer:
    """What makes lines that people read of a log."""
    from foureyes.adapters.agents.streams.renderer import Renderer

    return Renderer()


class Alarm:
    """What signals do: they are heard at once, and wake whoever waits on `descriptor`."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.heard: Callable[[int], None] = lambda number: None


def asked(runner: Runner, number: int) -> None:
    """A first Ctrl-C finishes what runs; a second one, and every other way to be told to end, ends the runs."""
    runner.ask("finish" if number == signal.SIGINT else "now")


@contextmanager
def alarms() -> Iterator[Alarm]:
    """Signals as long as a runner runs. Who is told to stay (`nohup`) stays."""
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
