"""The programs, as data: which files each one reads of a repository, and what Foureyes puts there.

Every file is a gate file (A4). What an earlier version of Foureyes wrote is among `former`, and is replaced.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

NAME = "foureyes"
SERVER = ["fe", "mcp"]
REMINDER = "fe agent remind"
SetupPart = Literal["instructions", "tools", "reminder"]


class SetupEntry(NamedTuple):
    """A value of a JSON file, under the last name of `path` or, `to_list`, one of the list there. A file that is made
    for it gets `besides`, too, after it: what is added to a file that is there always comes last.
    """

    file: str
    part: SetupPart
    path: tuple[str, ...]
    value: Any
    to_list: bool = False
    besides: tuple[tuple[str, Any], ...] = ()
    former: tuple[Any, ...] = ()


class Tables(NamedTuple):
    """Tables of a TOML file, as a block between marks."""

    file: str
    text: str
    part: SetupPart = "tools"


class ProgramFiles(NamedTuple):
    """A program: the file of its instructions, and what else it is told. `note`: what a person has to do."""

    page: str
    entries: tuple[SetupEntry, ...] = ()
    tables: Tables | None = None
    note: str = ""


def _hook(program: str) -> str:
    """What a hook runs: never a failure of the program, also where there is no `fe`."""
    return f"{REMINDER} {program} 2>/dev/null || true"


def _server(file: str, group: str = "mcpServers", **value: Any) -> SetupEntry:
    return SetupEntry(file, "tools", (group, NAME), value or {"command": SERVER[0], "args": SERVER[1:]})


def _stop(file: str, event: str, program: str, timeout: int, **more: Any) -> SetupEntry:
    """A hook as claude has them, and those that took them over; the unit of `timeout` is each one's own."""
    run = {"type": "command", "command": _hook(program), "timeout": timeout}
    return SetupEntry(file, "reminder", ("hooks", event), {**more, "hooks": [run]}, to_list=True)


CODEX = f"""\
[mcp_servers.{NAME}]
command = "{SERVER[0]}"
args = ["{SERVER[1]}"]

[[hooks.Stop]]

[[hooks.Stop.hooks]]
type = "command"
command = "{_hook("codex")}"
timeout = 10
"""

PROGRAMS: dict[str, ProgramFiles] = {
    "agents-md": ProgramFiles("AGENTS.md"),
    "claude": ProgramFiles(
        "CLAUDE.md",
        (_server(".mcp.json"), _stop(".claude/settings.json", "Stop", "claude", 10)),
        note="claude asks once whether it may start the server of .mcp.json",
    ),
    "codex": ProgramFiles(
        "AGENTS.md",
        tables=Tables(".codex/config.toml", CODEX),
        note="codex reads .codex/config.toml in a project that you trust; its hook runs once you allowed it (/hooks)",
    ),
    "gemini": ProgramFiles(
        "GEMINI.md",
        (_server(".gemini/settings.json"), _stop(".gemini/settings.json", "AfterAgent", "gemini", 10_000)),
        note="gemini reads .gemini/settings.json in a folder that you trust",
    ),
    "opencode": ProgramFiles(
        "AGENTS.md",
        (
            SetupEntry(
                "opencode.json",
                "tools",
                ("mcp", NAME),
                {"type": "local", "command": SERVER, "enabled": True},
                besides=(("$schema", "https://opencode.ai/config.json"),),
            ),
        ),
        note="opencode has no hooks: nothing reminds it of an open claim",
    ),
    "qwen": ProgramFiles(
        "QWEN.md",
        (_server(".qwen/settings.json"), _stop(".qwen/settings.json", "Stop", "qwen", 10_000)),
    ),
    "cursor": ProgramFiles(
        "AGENTS.md",
        (
            _server(".cursor/mcp.json"),
            SetupEntry(
                ".cursor/hooks.json",
                "reminder",
                ("hooks", "stop"),
                {"command": _hook("cursor"), "timeout": 10},
                to_list=True,
                besides=(("version", 1),),
            ),
        ),
        note="cursor starts a server of .cursor/mcp.json after you switched it on",
    ),
    "copilot": ProgramFiles(
        "AGENTS.md",
        (
            _server(".github/mcp.json", type="local", command=SERVER[0], args=SERVER[1:], tools=["*"]),
            _server(".vscode/mcp.json", "servers", type="stdio", command=SERVER[0], args=SERVER[1:]),
            SetupEntry(
                ".github/hooks/foureyes.json",
                "reminder",
                ("hooks", "agentStop"),
                {"type": "command", "bash": _hook("copilot"), "timeoutSec": 10},
                to_list=True,
                besides=(("version", 1),),
            ),
        ),
        note="copilot reads them in a folder that you trust; .vscode/mcp.json is for VS Code",
    ),
}
