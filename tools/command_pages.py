"""The commands, one page per noun: what `--help` says, from click."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator

import click

from foureyes.ui.cli.main import cli

from tools.markdown import code, page, table
from tools.rules_page import linked

Told = tuple[click.Command, click.Context]
SOURCE = "the command line"
EVERYWHERE = frozenset({"--help", "--json", "--as"})
ABOUT = """Every command takes `--help`, and `--json` for an answer that programs read. `--as NAME` writes a log line
under a typed name, and is refused with anything else ([I1](rules.md#i1))."""
WIDTH = 100
"""Help is wrapped for a terminal of this width; fixed, so that the pages are the same everywhere."""


def walk(command: click.Command, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """A command and, for a group, everything in it; lazily loaded ones are loaded."""
    yield command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is None:
                raise SystemExit(f"`{context.command_path} {name}` is listed but cannot be loaded")
            if not child.hidden:
                yield from walk(child, click.Context(child, info_name=name, parent=context))


def usage(command: click.Command, context: click.Context) -> str:
    return " ".join([context.command_path, *command.collect_usage_pieces(context)])


def help_text(command: click.Command) -> str:
    """The help as markdown: click's `\\b` paragraphs keep their lines, as code."""
    blocks = []
    for block in inspect.cleandoc(command.help or "").split("\f")[0].split("\n\n"):
        lines = block.strip("\n").splitlines()
        if lines and lines[0].strip() == "\b":
            blocks.append("\n".join(["```", *lines[1:], "```"]))
        else:
            blocks.append("\n".join(line.strip() for line in lines))
    if example := getattr(command, "example", ""):
        blocks.append(f"For example:\n\n```\n{example}\n```")
    return "\n\n".join(block for block in blocks if block)


def parameter_rows(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    """Options and documented arguments, as `--help` shows them; but for those that every command has."""
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None or EVERYWHERE.intersection(parameter.opts):
            continue
        if isinstance(parameter, click.Option) or record[1]:
            yield code(record[0]), record[1]


def command_block(command: click.Command, context: click.Context) -> str:
    """One command: usage, help, options."""
    assert context.parent is not None
    level = "##" if context.parent.parent is None else "###"
    parts = [f"{level} {code(context.command_path)}", f"```\n{usage(command, context)}\n```", help_text(command)]
    parts.append(table(("option", "meaning"), parameter_rows(command, context)))
    return "\n\n".join(part for part in parts if part)


def nouns() -> dict[str, list[Told]]:
    """Every command under its noun: the file of the command line that it is written in. Second names are left out."""
    root = click.Context(cli, info_name="fe", terminal_width=WIDTH, max_content_width=WIDTH)
    found: dict[str, list[Told]] = {}
    for name, place in cli.places.items():
        command = cli.get_command(root, name)
        assert command is not None
        noun = place.partition(":")[0]
        found.setdefault(noun, []).extend(walk(command, click.Context(command, info_name=name, parent=root)))
    return dict(sorted(found.items()))


def overview(told: Iterable[Told], folder: str = "") -> str:
    """A table of commands; each leads to its text."""
    rows = [
        (f"[{code(context.command_path)}]({folder}#{anchor(context)})", command.get_short_help_str(limit=200))
        for command, context in told
        if not isinstance(command, click.Group)
    ]
    return table(("command", "what it does"), rows)


def anchor(context: click.Context) -> str:
    """What a heading with the command in it is called in links."""
    return context.command_path.replace(" ", "-")


def noun_page(noun: str, told: list[Told]) -> str:
    """The commands about one noun."""
    blocks = (linked(command_block(*each), "../rules.md") for each in told)
    return page(f"Commands: {noun}", SOURCE, overview(told) if len(told) > 1 else "", *blocks)


def index(found: dict[str, list[Told]]) -> str:
    """Where every command is."""
    about = linked(help_text(cli), "rules.md")
    parts = [_part(noun, told) for noun, told in found.items()]
    return page("Commands", SOURCE, about, ABOUT, *parts)


def _part(noun: str, told: list[Told]) -> str:
    name = f"commands/{noun}.md"
    return f"## [{noun}]({name})\n\n{overview(told, name)}"


def pages() -> dict[str, str]:
    """Every page by its name."""
    found = nouns()
    about_nouns = {f"commands/{noun}.md": noun_page(noun, told) for noun, told in found.items()}
    return {"commands.md": index(found), **about_nouns}
