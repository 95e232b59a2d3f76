"""The page of the MCP server: every tool, what it takes, and commands that no tool runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from foureyes.app.catalog import verbs
from foureyes.ui.mcp.resources import PROMPTS, RESOURCES
from foureyes.ui.mcp.tools import LEFT_OUT, MORE, TOOLS, Tool

from tools.markdown import code, page, table
from tools.rules_page import linked

ABOUT = """`fe mcp` offers Foureyes as tools, over stdin and stdout, to the agent program that starts it
([guide](../howto/mcp.md)). A tool follows the same rules as its command (G3).

- An answer is an object (`structuredContent`) and the same as JSON text, without empty fields. Its `next` is a command,
  and `next_tools` are the tools that do the same.
- A refusal is a tool error (`isError`) with the object that `--json` prints ([errors](errors.md)).
- Wrong arguments are the error `usage`, with one reason for each wrong or unknown field.
- Long texts are cut after 100,000 characters, with a note."""


def mcp_page() -> str:
    """Every tool, resource and prompt."""
    readable = [(code(each.template), each.help) for each in RESOURCES]
    readable += [(code(name), f"{about} Takes `task`.") for name, about in PROMPTS.items()]
    blocks = (
        ABOUT,
        "## Tools\n\n`?` marks optional arguments.\n\n" + table(("tool", "does", "takes"), _rows(TOOLS.values())),
        "## More tools\n\nWith `fe mcp --all`.\n\n"
        + table(("tool", "does"), ((code(tool.name), tool.help) for tool in MORE.values())),
        "## Resources and prompts\n\n" + table(("name", "is"), readable),
        "## Commands without a tool\n\nNo tool runs these commands.\n\n" + table(("commands", "because"), _left_out()),
    )
    return page("MCP", "`foureyes.ui.mcp.tools`", *(linked(block, "rules.md") for block in blocks))


def _rows(tools: Iterable[Tool]) -> Iterator[tuple[str, ...]]:
    for tool in tools:
        yield code(tool.name), tool.help, _takes(tool.schema)


def _takes(schema: Mapping[str, Any]) -> str:
    needed = schema["required"]
    names = [code(name) + ("" if name in needed else "?") for name in schema["properties"]]
    return ", ".join(names) or "nothing"


def _left_out() -> Iterator[tuple[str, str]]:
    """Commands by the reason that no tool runs them."""
    tools = (TOOLS | MORE).values()
    reading, writing = ({tool.verb.command for tool in tools if bool(tool.verb.writes) is w} for w in (False, True))
    reasons: dict[str, str] = {}
    for verb in verbs():
        reason = LEFT_OUT.get(f"{verb.noun}.{verb.name}", "")
        offered = writing if verb.writes else reading | writing
        if reason and verb.command and verb.command not in offered:
            reasons.setdefault(code(f"fe {verb.command}"), reason)
    for reason in dict.fromkeys(reasons.values()):
        yield ", ".join(command for command in reasons if reasons[command] == reason), reason
