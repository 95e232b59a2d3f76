"""The commands, one page for each section of `fe help --all`: synopsis, examples, help and options, from click."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from foureyes.ui.cli.main import SECTIONS, cli

from tools.markdown import code, page, table
from tools.rules_page import linked

Entry = tuple[click.Command, click.Context]
Rows = dict[str, str]
SOURCE = "the command line"
COMMON = frozenset({"--help", "--json", "--as"})
IN_SYNOPSIS = {
    "--reason": ("[-m TEXT]", "Why."),
    "--limit": ("[--limit N]", "Maximum number of rows."),
    "--if-version": ("[--if-version N]", "Refuse if the task has changed since version N."),
}
"""Options with the same help in several commands. A synopsis has them, and the first page explains them."""
SHARED = 5
"""Options that a command has in common with an earlier one of its page are not repeated, from this many on."""
ABOUT = """Every page shows the synopsis of a command first, then examples. `fe help COMMAND` prints the same text."""
COMMON_ROWS = (
    ("`-h`, `--help`", "every command", "Show the help."),
    ("`--json`", "every command", "Answer as JSON."),
    ("`--as NAME`", "`fe log`", "Write the log line under this name ([I1](rules.md#i1))."),
)
WIDTH = 100
"""Help is wrapped for a terminal of this width; fixed, so that the pages are the same everywhere."""


def walk(command: click.Command, context: click.Context) -> Iterator[Entry]:
    """A command and, for a group, everything in it; lazily loaded ones are loaded."""
    yield command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is None:
                raise SystemExit(f"`{context.command_path} {name}` is listed but cannot be loaded")
            if not child.hidden:
                yield from walk(child, click.Context(child, info_name=name, parent=context))


def help_text(command: click.Command) -> str:
    """The help as markdown: click's `\\b` paragraphs keep their lines, as code."""
    blocks = []
    for block in inspect.cleandoc(command.help or "").split("\f")[0].split("\n\n"):
        lines = block.strip("\n").splitlines()
        if lines and lines[0].strip() == "\b":
            blocks.append("\n".join(["```", *lines[1:], "```"]))
        else:
            blocks.append("\n".join(line.strip() for line in lines))
    return "\n\n".join(block for block in blocks if block)


def synopsis(command: click.Command, context: click.Context) -> str:
    """The command with its arguments and the options of `IN_SYNOPSIS`."""
    parameters = command.get_params(context)
    pieces = [piece for parameter in parameters for piece in parameter.get_usage_pieces(context)]
    return " ".join([context.command_path, *filter(None, map(_in_synopsis, parameters)), *pieces])


def _in_synopsis(parameter: click.Parameter) -> str:
    """How a synopsis shows an option that the first page explains; nothing for any other parameter."""
    if isinstance(parameter, click.Option) and not parameter.hidden:
        for name in parameter.opts:
            shown, meaning = IN_SYNOPSIS.get(name, ("", ""))
            if shown and parameter.help == meaning:
                return shown
    return ""


def options(command: click.Command, context: click.Context) -> Rows:
    """Options and documented arguments, as `--help` shows them, without those that the first page explains."""
    rows = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None or COMMON.intersection(parameter.opts) or _in_synopsis(parameter):
            continue
        if isinstance(parameter, click.Option) or record[1]:
            rows[code(record[0])] = record[1]
    return rows


def command_block(command: click.Command, context: click.Context, before: dict[str, Rows]) -> str:
    """One command: synopsis and examples, help, options. `before` has the options of the page's earlier commands."""
    if isinstance(command, click.Group):
        return "" if context.command_path == "fe" else f"## {code(context.command_path)}\n\n{help_text(command)}"
    assert context.parent is not None
    level = "##" if context.parent.parent is None else "###"
    usage = synopsis(command, context)
    examples = [
        line for line in getattr(command, "example", "").splitlines() if line not in (usage, context.command_path)
    ]
    own = options(command, context)
    shared = [path for path, rows in before.items() if len(own.items() & rows.items()) >= SHARED]
    also = ""
    if shared and before[shared[0]].items() <= own.items():
        also = f"Also takes the options of {code(shared[0])}."
        own = {name: text for name, text in own.items() if name not in before[shared[0]]}
    before[context.command_path] = options(command, context)
    parts = [
        f"{level} {code(context.command_path)}",
        "\n".join(["```", usage, *examples, "```"]),
        help_text(command),
        also,
        table(("option", "meaning"), own.items()),
    ]
    return "\n\n".join(part for part in parts if part)


def sections() -> dict[str, list[Entry]]:
    """Every command by section of `fe help --all`. Second names are left out."""
    root = click.Context(cli, info_name="fe", terminal_width=WIDTH, max_content_width=WIDTH, **cli.context_settings)
    found: dict[str, list[Entry]] = {}
    for title, places in SECTIONS.items():
        for name in places:
            command = cli.get_command(root, name)
            assert command is not None
            found.setdefault(title, []).extend(walk(command, click.Context(command, info_name=name, parent=root)))
    return found


def anchor(context: click.Context) -> str:
    """What a heading with the command in it is called in links."""
    return context.command_path.replace(" ", "-")


def section_page(title: str, entries: list[Entry]) -> str:
    """The commands of one section."""
    before: dict[str, Rows] = {}
    blocks = [linked(command_block(*each, before), "../rules.md") for each in entries]
    return page(f"Commands: {title}", SOURCE, *blocks)


def index(found: dict[str, list[Entry]]) -> str:
    """Where every command is, and what all have in common."""
    parts = [_part(title, entries) for title, entries in found.items()]
    codes = help_text(cli).rpartition("\n\n")[2]
    common = [
        (
            f"`{shown.strip('[]')}`" + (", `--reason TEXT`" if name == "--reason" else ""),
            "commands that show it",
            meaning,
        )
        for name, (shown, meaning) in IN_SYNOPSIS.items()
    ]
    return page("Commands", SOURCE, ABOUT, table(("option", "on", "meaning"), [*COMMON_ROWS, *common]), codes, *parts)


def _part(title: str, entries: list[Entry]) -> str:
    name = f"commands/{title.lower()}.md"
    links = [
        f"[{context.command_path.removeprefix('fe ')}]({name}#{anchor(context)})"
        for command, context in entries
        if not isinstance(command, click.Group)
    ]
    return f"## {title}\n\n{' · '.join(links)}"


def pages() -> dict[str, str]:
    """Every page by its name."""
    found = sections()
    about = {f"commands/{title.lower()}.md": section_page(title, entries) for title, entries in found.items()}
    return {"commands.md": index(found), **about}
