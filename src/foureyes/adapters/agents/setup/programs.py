"""The files that each program reads from a repository, and the entries that Foureyes adds, as data.

Every such file is a gate file (A4). `former` has the entries of earlier versions, which are replaced.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

NAME = "foureyes"
SERVER = ["fe", "mcp"]
REMINDER = "fe agent remind"
SetupPart = Literal["instructions", "tools", "reminder"]


class SetupEntry(NamedTuple):
    """A value in a JSON file, under the last name of `path` or, with `to_list`, in the list there.

    A file created for it also gets `extra`, after the value, because additions to an existing file always come last.
    """

    file: str
    part: SetupPart
    path: tuple[str, ...]
    value: Any
    to_list: bool = False
    extra: tuple[tuple[str, Any], ...] = ()
    former: tuple[Any, ...] = ()


class Tables(NamedTuple):
    """Tables of a TOML file, in a block between marks."""

    file: str
    text: str
    part: SetupPart = "tools"


class ProgramFiles(NamedTuple):
    """A program's instruction file and its other entries. `note` tells the user about a required step."""

    page: str
    entries: tuple[SetupEntry, ...] = ()
    tables: Tables | None = None
    note: str = ""


def _hook(program: str) -> str:
    """Return the command of a hook. It never fails, even if there is no `fe`."""
    return f"{REMINDER} {program} 2>/dev/null || true"


def _server(file: str, group: str = "mcpServers", **value: Any) -> SetupEntry:
    return SetupEntry(file, "tools", (group, NAME), value or {"command": SERVER[0], "args": SERVER[1:]})


def _stop(file: str, event: str, program: str, timeout: int, **more: Any) -> SetupEntry:
    """Return a hook in claude's format, which other programs adopted. The unit of `timeout` differs between programs."""
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
        note="claude asks once before it starts the server of .mcp.json",
    ),
    "codex": ProgramFiles(
        "AGENTS.md",
        tables=Tables(".codex/config.toml", CODEX),
        note="codex reads .codex/config.toml in a project that you trust, and its hook runs once you allow it (/hooks)",
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
                extra=(("$schema", "https://opencode.ai/config.json"),),
            ),
        ),
        note="opencode has no hooks, so nothing reminds it of an open claim",
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
                extra=(("version", 1),),
            ),
        ),
        note="cursor starts a server of .cursor/mcp.json after you enable it",
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
                extra=(("version", 1),),
            ),
        ),
        note="copilot reads them in a folder that you trust. .vscode/mcp.json is for VS Code",
    ),
}
