"""Main function: finds the command, imports only its module, and turns every problem into a message and an exit code."""

from __future__ import annotations

import atexit
import importlib
import os
import sys
from typing import NoReturn

import click

from foureyes import __version__
from foureyes.core.words.text import SURROGATE
from foureyes.errors import BadInput, FoureyesError
from foureyes.steps import NO_STEP, Steps, prose, shell
from foureyes.ui.cli import diagnostics, output
from foureyes.ui.cli.aliases import current

ROOM = "foureyes.ui.cli."

SECTIONS: dict[str, dict[str, str]] = {
    "Plan": {
        "create": "tasks:create",
        "update": "tasks:update",
        "label": "tasks:label",
        "dep": "tasks:dep",
        "plan": "plans:plan",
        "list": "lists:list_tasks",
        "defer": "stops:defer",
        "undefer": "stops:undefer",
        "cancel": "closing:cancel",
        "delete": "closing:delete",
    },
    "Work": {
        "next": "claims:next_task",
        "start": "claims:start",
        "unstart": "claims:unstart",
        "submit": "attempts:submit",
        "log": "notes:log",
        "handoff": "notes:handoff",
        "block": "stops:block",
        "unblock": "stops:unblock",
        "checkpoint": "checkpoints:checkpoint",
        "worktree": "worktrees:worktree",
    },
    "Review": {
        "queue": "queue:queue",
        "show": "lists:show",
        "review": "reviews:review",
        "finding": "findings:finding",
        "approve": "decisions:approve",
        "redo": "decisions:redo",
        "reject": "decisions:reject",
    },
    "Decide": {
        "lead": "loops:lead",
        "hold": "stops:hold",
        "pause": "stops:pause",
        "resume": "stops:resume",
        "close": "closing:close",
        "reopen": "closing:reopen",
    },
    "Gate": {
        "check": "checks:check",
        "merge": "merges:merge",
        "target": "merges:target",
        "audit": "audit:audit",
    },
    "Agents": {
        "run": "run:run",
        "watch": "run:watch",
        "sprint": "sprints:sprint",
        "logs": "run_logs:logs",
        "agent": "agent:agent",
        "prime": "project:prime",
        "setup": "setup:setup",
        "mcp": "agent:mcp",
    },
    "Project": {
        "init": "project:init",
        "demo": "demo:demo",
        "doctor": "project:doctor",
        "status": "status:status",
        "config": "config:config",
        "store": "store:store",
        "session": "sessions:session",
        "whoami": "sessions:whoami",
        "key": "keys:key",
        "stats": "stats:stats",
        "help": "help:show_help",
    },
}
"""Every command by purpose, in help order, with its module and name."""

HIDDEN: dict[str, str] = {"tui": "tui:tui", "version": "help:version"}
"""Commands hidden from help. Bare `fe` and `fe --version` do the same."""

COMMANDS: dict[str, str] = {name: place for section in SECTIONS.values() for name, place in section.items()}


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is called."""

    def __init__(self, name: str, places: dict[str, str], help: str, **settings: object) -> None:
        super().__init__(name, help=help, **settings)  # type: ignore[arg-type]
        self.places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.places, *sorted(self.commands)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self.at(self.places.get(cmd_name, "")) or super().get_command(ctx, cmd_name)

    @staticmethod
    def at(place: str) -> click.Command | None:
        """Import a command from its module."""
        room, _, name = place.partition(":")
        if not room:
            return None
        command = getattr(importlib.import_module(ROOM + room), name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            from foureyes.ui.cli.help import no_command

            raise no_command(ctx, args[0])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in sections, each under the first section that has it."""
        from foureyes.ui.cli.help import write_section

        for title, section in SECTIONS.items():
            write_section(self, ctx, formatter, title, [name for name in section if name in self.places])


EVERYDAY: dict[str, tuple[str, ...]] = {
    "Start": ("init", "demo", "doctor"),
    "Plan": ("create", "list", "show"),
    "Work": ("next", "submit", "log"),
    "Review": ("queue", "approve", "redo"),
    "Gate": ("check", "merge", "run"),
}
"""Commands of `fe --help` in five groups. `fe help --all` lists all."""

HELP = """The gate between coding agents and your main branch: nothing reaches it until someone other than the author has
approved it.

New here: fe init, then fe create "your first task". For an agent: fe prime. What a rule id means: fe help P2.

Exit codes: 0 done, 1 refused by a rule, 2 wrong usage, 3 not found, 4 someone else was faster, 5 environment,
6 verification failed, 70 internal.
"""


class RootGroup(LazyGroup):
    """The `fe` group. Aliases run the current command, and the help is one page of everyday commands."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, current(args))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or self.at(HIDDEN.get(cmd_name, ""))

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from foureyes.ui.cli.help import write_everyday

        write_everyday(self, ctx, formatter, EVERYDAY)


@click.group(
    cls=RootGroup,
    name="fe",
    places=COMMANDS,
    help=HELP,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="fe")
@click.pass_context
def cli(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        from foureyes.ui.cli.project import bare

        bare(ctx)


def main(argv: list[str] | None = None) -> NoReturn:
    """Run one command and exit with its code."""
    args = sys.argv[1:] if argv is None else argv
    json = "--json" in args[: args.index("--")] if "--" in args else "--json" in args
    code = 0
    try:
        refuse_odd_bytes(args)
        result = cli.main(args=args, prog_name="fe", standalone_mode=False)
        code = result if isinstance(result, int) else 0
    except FoureyesError as problem:
        code = diagnostics.report(problem, json=json)
    except click.exceptions.NoArgsIsHelpError as problem:
        output.write(problem.format_message())
        code = diagnostics.USAGE
    except click.UsageError as problem:
        code = diagnostics.report_usage(problem.format_message(), json=json, next_step=step_to_help(problem))
    except click.ClickException as problem:
        code = diagnostics.report_usage(problem.format_message(), json=json)
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 0
    except (KeyboardInterrupt, click.Abort):
        code = diagnostics.INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except Exception as problem:
        code = diagnostics.report_crash(problem, json=json, folder=_folder())
    code = _flush(code)
    if argv is None:
        # Unloading the interpreter module by module would take as long as the command itself.
        atexit._run_exitfuncs()
        os._exit(code)
    sys.exit(code)


def step_to_help(problem: click.UsageError) -> Steps:
    """Return the help command for a call with a usage error."""
    command = problem.ctx.command_path if problem.ctx is not None else "fe"
    return getattr(problem, "next_step", NO_STEP) or shell(*command.split(), "--help")


def refuse_odd_bytes(args: list[str]) -> None:
    """Refuse arguments that are not UTF-8, because they cannot be stored, searched or shown."""
    for number, arg in enumerate(args, 1):
        if SURROGATE.search(arg):
            raise BadInput(f"argument {number} is not valid UTF-8.", next_step=prose("type it as UTF-8"))


def _flush(code: int) -> int:
    """Flush the output and return the exit code. A full disk or closed pipe is noticed only here."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError:
        return code or 5
    return code


def _folder() -> str | None:
    """Return the folder for crash reports, or None without a project."""
    try:
        from foureyes.bootstrap.places import folder_of, repository

        return folder_of(repository(os.getcwd()))
    except Exception:
        return None
