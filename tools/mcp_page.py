"""The page of the MCP server: every tool, what it takes, and the command that does the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from foureyes.ui.mcp.resources import PROMPTS, RESOURCES
from foureyes.ui.mcp.tools import LEFT_OUT, LEFT_OUT_NOUNS, MORE, TOOLS, Tool

from tools.markdown import code, page, table

ABOUT = """`fe mcp` offers Foureyes as tools, over stdin and stdout, to the agent program that starts it
([how to](../howto/mcp.md)). A tool decides nothing itself: the same caller gets the same answer and the same refusal
as from the command line (G3).

An answer is an object (`structuredContent`), and the same as JSON text. Empty fields are left out. `next` is a command,
as the command line has it; `next_tools` are the tools that do what the caller would type. A refusal is a tool
error (`isError`) with the object that `--json` prints: `{"error": {"code", "message", "reasons": [{"rule", "message",
"next"}], "next"}}` ([errors](errors.md)). Wrong arguments are an error with the code `usage` and one reason for each
wrong field; unknown fields are refused. Long texts end after 100,000 characters, and say so."""
HEAD = ("tool", "what it does", "takes", "command")


def mcp_page() -> str:
    """Every tool, resource and prompt."""
    return page(
        "MCP",
        "`foureyes.ui.mcp.tools`",
        ABOUT,
        "## Tools\n\n" + table(HEAD, _rows(TOOLS)),
        "## More tools\n\nWith `fe mcp --all`.\n\n" + table(HEAD, _rows(MORE)),
        "## Resources\n\n" + table(("address", "what it is"), ((code(each.template), each.help) for each in RESOURCES)),
        "## Prompts\n\nEach takes a `task`.\n\n"
        + table(("prompt", "what it is"), ((code(k), v) for k, v in PROMPTS.items())),
        "## Verbs that are no tools\n\nOf those that an agent may use.\n\n"
        + table(("verb", "why"), ((code(name), why) for name, why in {**LEFT_OUT, **LEFT_OUT_NOUNS}.items())),
    )


def _rows(tools: Mapping[str, Tool]) -> Iterator[tuple[str, ...]]:
    for tool in tools.values():
        command = f"fe {tool.verb.command}" if tool.verb.command else ""
        yield code(tool.name), tool.help, _takes(tool.schema), code(command)


def _takes(schema: Mapping[str, Any]) -> str:
    needed = schema["required"]
    names = [code(name) + ("" if name in needed else "?") for name in schema["properties"]]
    return ", ".join(names) or "nothing"
