"""`fe help` and `fe version`; help in sections, and what an unknown command was meant to be."""

from __future__ import annotations

from collections.abc import Sequence

import click

from foureyes import __version__
from foureyes.steps import Steps, shell
from foureyes.ui.cli.command import Session, verb

SYNONYMS: dict[str, str] = {
    "accept": "approve",
    "abort": "cancel",
    "add": "create",
    "assign": "start",
    "board": "tui",
    "branch": "start",
    "cat": "show",
    "change": "update",
    "changes": "show --diff",
    "checks": "check show",
    "claim": "start",
    "comment": "log",
    "commit": "submit",
    "complete": "submit",
    "config": "policy",
    "configure": "policy",
    "depend": "dep add",
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
    "inbox": "attention",
    "issue": "create",
    "issues": "review issues",
    "journal": "audit log",
    "labels": "label",
    "land": "merge",
    "ls": "list",
    "man": "help",
    "modify": "update",
    "new": "create",
    "note": "log",
    "open": "reopen",
    "pick": "next",
    "postpone": "defer",
    "priority": "update",
    "publish": "submit",
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
    "settings": "policy",
    "take": "next",
    "tasks": "list",
    "test": "check run",
    "tests": "check run",
    "todo": "ready",
    "tree": "dep tree",
    "ui": "tui",
    "unassign": "unstart",
    "unclaim": "unstart",
    "undo": "approve --withdraw",
    "verify": "audit verify",
    "view": "show",
    "wait": "dep add",
    "waive": "finding waive",
    "who": "whoami",
    "withdraw": "approve --withdraw",
}
"""What other tools call it. Letters come after this: a word is rarely misspelt and often another tool's."""


class NoCommand(click.UsageError):
    """A command that there is not, and where the one that was meant is explained."""

    def __init__(self, message: str, ctx: click.Context, next_step: Steps) -> None:
        super().__init__(message, ctx)
        self.next_step = next_step


def no_command(ctx: click.Context, word: str) -> NoCommand:
    """What to say about a command that there is not."""
    assert isinstance(ctx.command, click.Group)
    close = meant(word.lower(), ctx.command.list_commands(ctx))
    if not close:
        return NoCommand(f'no command "{word}".', ctx, shell(*ctx.command_path.split(), "--help"))
    name = [part for part in close.split() if not part.startswith("-")]
    help_there = shell(*ctx.command_path.split(), *name, "--help")
    return NoCommand(f'no command "{word}". Did you mean {close}?', ctx, help_there)


def meant(word: str, known: Sequence[str]) -> str:
    """The command, perhaps with more words, that somebody probably meant; empty where none is near."""
    other = SYNONYMS.get(word, "")
    if other.partition(" ")[0] in known:
        return other
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, known, n=1, cutoff=0.5)), "")


def write_section(
    group: click.Group, ctx: click.Context, formatter: click.HelpFormatter, title: str, names: Sequence[str]
) -> None:
    """One section of a group's commands, each with the first sentence of its help."""
    commands = [(name, command) for name in names if (command := group.get_command(ctx, name)) and not command.hidden]
    if commands:
        limit = formatter.width - 6 - max(len(name) for name in group.list_commands(ctx))
        with formatter.section(title):
            formatter.write_dl([(name, command.get_short_help_str(limit)) for name, command in commands])


@verb("help", example="fe help approve")
@click.argument("commands", nargs=-1, metavar="[COMMAND]...")
def show_help(session: Session, commands: tuple[str, ...]) -> None:
    """What a command does, as fe COMMAND --help says it; without one, every command."""
    context = click.get_current_context().find_root()
    for word in commands:
        group = context.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{context.command_path} has no commands of its own.", context)
        command = group.get_command(context, word)
        if command is None:
            raise no_command(context, word)
        context = click.Context(command, info_name=word, parent=context)
    text = context.get_help()
    session.answer({"command": context.command_path, "help": text}, text)


@verb("version", example="fe version")
def version(session: Session) -> None:
    """The version of Foureyes, as fe --version says it."""
    session.answer({"version": __version__}, f"fe, version {__version__}")
