"""Base of all commands: `--json`, `--as`, help examples, and access to the Application."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from foureyes.core.nouns.session import RUN_DIR
from foureyes.core.nouns.task import clean_priority
from foureyes.core.words.ids import Shape
from foureyes.core.words.text import clean_name
from foureyes.errors import EnvironmentProblem, FoureyesError, Reason, Refused, StoreProblem
from foureyes.steps import shell
from foureyes.ui.cli import diagnostics, output
from foureyes.ui.steps import next_line

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from foureyes.app.application import Application
    from foureyes.app.results.project import News
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.policy import IdentityRule

F = TypeVar("F", bound=Callable[..., Any])


class Session:
    """One call: directory, caller and output. Everything is created on first use."""

    def __init__(self, json: bool = False, asserted: str = "") -> None:
        self.json = json
        self.asserted = asserted

    @cached_property
    def cwd(self) -> str:
        try:
            return os.getcwd()
        except OSError as problem:
            raise _nowhere(_gone()) from problem

    @cached_property
    def app(self) -> Application:
        if os.environ.get(RUN_DIR):
            from foureyes.bootstrap.run_client import reach

            app = reach(self.cwd, os.environ, self.asserted)
        else:
            from foureyes.bootstrap.wiring import open_project  # commands without a project (help, rules) open nothing

            app = open_project(self.cwd, os.environ)
        click.get_current_context().find_root().call_on_close(app.close)
        return app

    @cached_property
    def actor(self) -> Actor:
        """The caller as the project knows it, or as observed if there is no project."""
        try:
            app = self.app
        except EnvironmentProblem as problem:
            seen, _ = self.newcomer
            if seen.token:
                if isinstance(problem, StoreProblem):
                    raise
                reason = Reason("I2", "a token is set, but no project here can check it")
                raise Refused("the token was refused.", reasons=(reason,)) from None
            return seen
        return app.sessions.recognise(self._seen)

    def _seen(self, programs: Sequence[str]) -> Actor:
        from foureyes.bootstrap.wiring import whoami

        return whoami(os.environ, self.asserted, programs)

    @cached_property
    def newcomer(self) -> tuple[Actor, IdentityRule]:
        """The caller outside a project, and the home that a new project here would get. (I3)"""
        from foureyes.bootstrap.wiring import newcomer

        return newcomer(os.environ, self.asserted)

    @cached_property
    def home(self) -> IdentityRule | None:
        """The home of a new project, None if there is a project already."""
        try:
            _ = self.app
        except EnvironmentProblem:
            return self.newcomer[1]
        return None

    @property
    def can_ask(self) -> bool:
        """True if a person at a terminal can answer a question."""
        return sys.stdin.isatty() and sys.stderr.isatty() and not self.json and self.actor.kind == "human"

    def check_token(self) -> None:
        """Refuse a token used outside its process, even in commands that do not need the caller. (I2)"""
        if os.environ.get("FOUREYES_TOKEN") or os.environ.get(RUN_DIR):
            _ = self.actor

    def answer(self, value: object, text: str) -> None:
        """Print one result: JSON for programs, text for people."""
        if self.json:
            output.write_json(value)
        else:
            output.write(text)

    def note(self, line: str) -> None:
        """Print a line for people on stderr, separate from the result."""
        output.flush()
        diagnostics.talk(line)

    def tell(self, news: News) -> None:
        """Print the progress of a long command."""
        self.note(news.text + (f"\n  {next_line(news.next)}" if news.next else ""))


def _gone() -> str:
    """Return the path of a current directory that was deleted, from the kernel or the environment."""
    try:
        return os.readlink("/proc/self/cwd").removesuffix(" (deleted)")
    except OSError:
        return os.environ.get("PWD", "")


def _above(path: str) -> str:
    """Return the nearest existing directory."""
    while path.strip("/") and not os.path.isdir(path):
        path = os.path.dirname(path)
    return path or "/"


def _nowhere(path: str) -> EnvironmentProblem:
    """Return the error for a current directory that was deleted. Usually it was the worktree of a merged task. (K1)"""
    root, inside, task = path.partition("/.foureyes/worktrees/")
    if not inside or not os.path.isdir(root):
        return EnvironmentProblem("your current directory is gone.", next_step=shell("cd", _above(path)))
    name = task.split("/")[0]
    return EnvironmentProblem(
        f"your current directory is gone. It was the worktree of {name}, which was removed when {name} was merged.",
        next_step=shell("cd", root, before="the project is there: "),
    )


def end_cleanly() -> None:
    """Treat SIGTERM and SIGHUP like Ctrl-C, so that a long command removes its temporary files. Signals that the
    starter ignores (`nohup`, a script's `&`) stay ignored.
    """
    import signal

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt)


COMPLETED = {
    **dict.fromkeys(("task", "tasks", "about", "depends_on", "parent", "after"), "task"),
    **dict.fromkeys(("label", "labels"), "label"),
    **dict.fromkeys(("finding", "name", "names", "again"), "finding"),
    "status": "status",
    "kind": "type",
    "only": "check",
    "commands": "command",
}
"""Kind of completion by parameter name."""
ID = Shape(r"\[?ID\b")


class Completed(click.types.StringParamType):
    """Text parameter that a shell can complete."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from foureyes.ui.cli.completion import offered

        return offered(self.kind, ctx.command.name or "", incomplete)


def complete(param: click.Parameter) -> None:
    """Turn on completion for a parameter, by its name. Ids of findings have the metavar ID."""
    kind = COMPLETED.get(param.name or "")
    if kind and param.type is click.STRING and (kind != "finding" or ID.match(param.metavar or "")):
        param.type = Completed(kind)


Modes = Mapping[str, tuple[str, ...]]
"""Parameters that exclude each other, each with the parameters that go with it. "" stands for none of them. A parameter
that is not mentioned goes with all.
"""


class VerbCommand(click.Command):
    """Command with `--json`, `--as`, an example, and options that exclude each other."""

    def __init__(self, *args: Any, example: str = "", modes: Modes | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = example
        self.modes = modes or {}
        for param in self.params:
            complete(param)
        self.params += [
            click.Option(
                ["--json", "json_output"], is_flag=True, expose_value=False, callback=_set_json, help="Answer as JSON."
            ),
            click.Option(
                ["--as", "asserted"],
                metavar="NAME",
                expose_value=False,
                callback=_set_asserted,
                help="A name for this log line. No other command takes one. (I1)",
                hidden=not example.startswith("fe log "),
            ),
        ]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:
            self._refuse_mixed(ctx)
        return rest

    def _refuse_mixed(self, ctx: click.Context) -> None:
        """Refuse options that exclude each other, because all but one would be ignored."""
        labels = {param.name or "": _label(param) for param in self.params}
        given = [name for name in labels if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE]
        chosen = [name for name in given if name in self.modes]
        if len(chosen) > 1:
            raise click.UsageError(f"{labels[chosen[0]]} and {labels[chosen[1]]} exclude each other.", ctx)
        mode = chosen[0] if chosen else ""
        for name in given:
            places = [other for other, extras in self.modes.items() if name in extras]
            if places and mode not in places:
                needs = " or ".join(labels[place] for place in places if place)
                words = f"does not go with {labels[mode]}" if mode else f"goes with {needs}"
                raise click.UsageError(f"{labels[name]} {words}.", ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.example:
            with formatter.section("Example"):
                for line in self.example.splitlines():
                    formatter.write_text(line)


def _label(param: click.Parameter) -> str:
    """Return an option or argument as a user types it."""
    if isinstance(param, click.Option):
        return next((name for name in param.opts if name.startswith("--")), param.opts[0])
    return (param.metavar or (param.name or "").upper()).strip("[].")


def _set_json(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Session).json = True


def _set_asserted(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(Session).asserted = clean_name(value)


def verb(
    name: str, *, example: str, help: str | None = None, modes: Modes | None = None
) -> Callable[[Callable[..., None]], VerbCommand]:
    """Return a decorator that declares a command. Its function receives the Session first."""

    def wrap(function: Callable[..., None]) -> VerbCommand:
        @wraps(function)
        def checked(session: Session, *args: Any, **values: Any) -> None:
            session.check_token()
            function(session, *args, **values)

        command = click.command(name, cls=VerbCommand, example=example, help=help, modes=modes)(
            click.make_pass_decorator(Session, ensure=True)(checked)
        )
        assert isinstance(command, VerbCommand)
        return command

    return wrap


REASONS = ("reason", "message", "note", "notes", "comment")
"""Options for a reason, in order of precedence. (P9)"""


def reason_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add `--reason/-m` and its aliases. The function gets one `reason`, the first that is not blank."""

    @wraps(function)
    def with_reason(*args: Any, **values: Any) -> None:
        given = [values.pop(name) for name in REASONS]
        function(*args, reason=next((text for text in given if text.strip()), ""), **values)

    command: Callable[..., None] = with_reason
    for name in reversed(REASONS):
        names = ("--reason", "-m") if name == "reason" else (f"--{name}",)
        says = "Why." if name == "reason" else "Alias of --reason."
        command = click.option(*names, default="", help=says, hidden=name != "reason")(command)
    return command


PAGER = click.option("--pager/--no-pager", default=True, help="On a terminal, show long output in $PAGER.")


def if_version(function: F) -> F:
    """Add the option `--if-version`. (T6)"""
    return click.option("--if-version", type=int, metavar="N", help="Refuse if the task has changed since version N.")(
        function
    )


if TYPE_CHECKING:
    _NumberParam = click.ParamType[int]
else:
    _NumberParam = click.ParamType  # older versions of click have no type argument


class Priority(_NumberParam):
    """Priority from 0 to 4, or P0 to P4."""

    name = "priority"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        try:
            return clean_priority(str(value))
        except FoureyesError as problem:
            self.fail(problem.message, param, ctx)


def say_all(session: Session, outcomes: Sequence[Any]) -> None:
    """Print one line per changed task."""
    if session.json:
        output.write_lines(outcomes)
        return
    for each in outcomes:
        say(session, each)


def say(session: Session, outcome: Any) -> None:
    """Print the usual answer of a command that changed a task."""
    lines = [outcome.message, *[f"  {note}" for note in outcome.notes]]
    if outcome.next:
        lines.append(next_line(outcome.next))
    session.answer(output.with_id(outcome), "\n".join(lines))
