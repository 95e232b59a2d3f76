"""`fe help` and `fe version`, grouped help pages, and suggestions for unknown commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from foureyes import __version__
from foureyes.steps import Steps, shell
from foureyes.ui.cli.aliases import current
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.cli.rules import explain, is_rule

SYNONYMS: dict[str, str] = {
    "accept": "approve",
    "abort": "cancel",
    "add": "create",
    "assign": "start",
    "board": "status",
    "branch": "start",
    "cat": "show",
    "change": "update",
    "changes": "show --diff",
    "checks": "check show",
    "claim": "start",
    "comment": "log",
    "commit": "submit",
    "complete": "submit",
    "configure": "config",
    "depend": "dep",
    "describe": "show",
    "diff": "show --diff",
    "done": "submit",
    "drop": "cancel",
    "edit": "update",
    "env": "whoami",
    "events": "audit log",
    "find": "list --text",
    "findings": "finding list",
    "finish": "submit",
    "get": "show",
    "hand-in": "submit",
    "history": "audit log",
    "id": "whoami",
    "info": "show",
    "feature": "config",
    "inbox": "status --attention",
    "issue": "create",
    "issues": "finding list",
    "journal": "audit log",
    "labels": "label",
    "land": "merge",
    "ls": "list",
    "man": "help",
    "merges": "merge --list",
    "modify": "update",
    "new": "create",
    "note": "log",
    "open": "reopen",
    "pick": "next",
    "postpone": "defer",
    "priority": "update",
    "publish": "submit",
    "policy": "config",
    "push": "submit",
    "refuse": "reject",
    "release": "unstart",
    "remove": "delete",
    "reviews": "review",
    "rm": "delete",
    "save": "submit",
    "search": "list --text",
    "send": "submit",
    "sessions": "session list",
    "settings": "config",
    "take": "next",
    "tasks": "list",
    "test": "check run",
    "tests": "check run",
    "todo": "list --ready",
    "tree": "dep",
    "unassign": "unstart",
    "unclaim": "unstart",
    "undo": "approve --withdraw",
    "verify": "audit verify",
    "view": "show",
    "wait": "dep",
    "waive": "finding waive",
    "who": "whoami",
    "withdraw": "approve --withdraw",
}
"""Names in other tools. They are tried before similar spellings, because an unknown word is more often a name from
another tool than a typo.
"""


class NoCommand(click.UsageError):
    """An unknown command, with the help of the likely one."""

    def __init__(self, message: str, ctx: click.Context, next_step: Steps) -> None:
        super().__init__(message, ctx)
        self.next_step = next_step


def no_command(ctx: click.Context, word: str) -> NoCommand:
    """Return the error for an unknown command."""
    assert isinstance(ctx.command, click.Group)
    close = meant(word.lower(), ctx.command.list_commands(ctx))
    if not close:
        return NoCommand(f'no command "{word}".', ctx, shell(*ctx.command_path.split(), "--help"))
    name = [part for part in close.split() if not part.startswith("-")]
    help_there = shell(*ctx.command_path.split(), *name, "--help")
    return NoCommand(f'no command "{word}". Did you mean {close}?', ctx, help_there)


def meant(word: str, known: Sequence[str]) -> str:
    """Return the command that was probably meant, perhaps with more words, or "" if no name is similar."""
    other = SYNONYMS.get(word, "")
    if other.partition(" ")[0] in known:
        return other
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, known, n=1, cutoff=0.5)), "")


def write_section(
    group: click.Group, ctx: click.Context, formatter: click.HelpFormatter, title: str, names: Sequence[str]
) -> None:
    """Write one section of a group's commands, each with the first sentence of its help."""
    commands = [(name, command) for name in names if (command := group.get_command(ctx, name)) and not command.hidden]
    if commands:
        limit = formatter.width - 6 - max(len(name) for name in group.list_commands(ctx))
        with formatter.section(title):
            formatter.write_dl([(name, command.get_short_help_str(limit)) for name, command in commands])


def write_everyday(
    group: click.Group, ctx: click.Context, formatter: click.HelpFormatter, groups: Mapping[str, Sequence[str]]
) -> None:
    """Write the help of `fe`: its purpose, the everyday commands in groups, and where to find the others."""
    lines = [
        "Foureyes: nothing reaches main until someone other than its author approves it.",
        "",
        "Usage: fe COMMAND [OPTIONS]      fe alone opens the app",
        "",
    ]
    width = 2 + max(len(name) for names in groups.values() for name in names)
    for title, names in groups.items():
        for name in names:
            command = group.get_command(ctx, name)
            assert command is not None
            heading = title if name == names[0] else ""
            lines.append(f"{heading:<8}{name:<{width}}{command.get_short_help_str(80 - 8 - width)}")
    lines += [
        "",
        "fe help --all     all commands        fe help approve   one command",
        "fe help P2        explain a rule      fe prime          instructions for agents",
    ]
    formatter.write("\n".join(lines) + "\n")


def all_help(context: click.Context) -> str:
    """Return the help with every command, in sections."""
    assert isinstance(context.command, click.Group)
    formatter = context.make_formatter()
    click.Group.format_help(context.command, context, formatter)
    return formatter.getvalue().rstrip("\n")


@verb("help", example="fe help approve\nfe help P2\nfe help rules", modes={"every": (), "": ("commands",)})
@click.argument("commands", nargs=-1, metavar="[COMMAND|RULE]...")
@click.option("--all", "every", is_flag=True, help="List every command.")
def show_help(session: Session, commands: tuple[str, ...], every: bool) -> None:
    """Explain a command or a rule. The word `rules` lists all rules, and a letter (P) a group of them. Without arguments
    it shows the everyday commands.
    """
    context = click.get_current_context().find_root()
    if commands[:1] == ("rules",):
        explain(session, commands[1:])
        return
    if commands and is_rule(commands[0]):
        explain(session, commands)
        return
    for word in current(commands):
        if word.startswith("-"):
            break
        group = context.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{context.command_path} has no commands of its own.", context)
        command = group.get_command(context, word)
        if command is None:
            raise no_command(context, word)
        context = click.Context(command, info_name=word, parent=context)
    text = all_help(context) if every else context.get_help()
    session.answer({"command": context.command_path, "help": text}, text)


@verb("version", example="fe version")
def version(session: Session) -> None:
    """Print the version."""
    session.answer({"version": __version__}, f"fe, version {__version__}")
