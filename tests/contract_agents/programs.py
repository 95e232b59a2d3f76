"""The agent programs, pinned, and how each is started: an empty environment, a home of its own, a dummy key."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.architecture.house import ROOT

PACKAGES = {"codex": "@openai/codex@0.166.0", "claude": "@anthropic-ai/claude-code@2.1.197"}
QUIET = {
    "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1", "DO_NOT_TRACK": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "NO_COLOR": "1", "TERM": "dumb", "LANG": "C.UTF-8",
}  # fmt: skip
FE = str(ROOT / ".venv" / "bin" / "fe")


class Command(NamedTuple):
    """What is started, and what it finds in its environment besides the usual."""

    argv: list[str]
    env: Mapping[str, str]


def folder() -> Path:
    """Where the programs lie; `FOUREYES_AGENTS` names another place."""
    return Path(os.environ.get("FOUREYES_AGENTS") or ROOT / ".venv" / "agents")


def install(name: str) -> str:
    """Why a program cannot be had; empty where it is there."""
    if program(name).exists():
        return ""
    folder().mkdir(parents=True, exist_ok=True)
    argv = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder()), PACKAGES[name]]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
    except OSError as problem:
        return str(problem)
    return "" if program(name).exists() else done.stderr.strip()[-300:] or f"npm ended with {done.returncode}"


def program(name: str) -> Path:
    return folder() / "node_modules" / ".bin" / name


def codex(model: str, sandbox: str) -> Command:
    """codex with its own sandbox, and Foureyes as an MCP server outside of it."""
    provider = f'{{name="scripted",base_url="{model}/v1",env_key="SCRIPTED_KEY",wire_api="responses"}}'
    settings = {
        "analytics.enabled": "false",
        "model_provider": "scripted",
        "model_providers.scripted": provider,
        "mcp_servers.foureyes.command": json.dumps(FE),
        "mcp_servers.foureyes.args": '["mcp"]',
        "mcp_servers.foureyes.startup_timeout_sec": "120",
        "mcp_servers.foureyes.required": "true",
        "mcp_servers.foureyes.default_tools_approval_mode": '"approve"',
    }
    options = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
    start = [str(program("codex")), "exec", "--json", "--ignore-user-config", "--disable", "plugins", "-m", "gpt-5.5"]
    return Command([*start, *options, "-s", sandbox, "-"], {"SCRIPTED_KEY": "dummy"})


def claude(model: str, _: str) -> Command:
    """claude without settings of the project, and with no other MCP server."""
    servers = json.dumps({"mcpServers": {"foureyes": {"command": FE, "args": ["mcp"]}}})
    start = [str(program("claude")), "-p", "--output-format", "stream-json", "--verbose", "--setting-sources", "user"]
    options = ["--strict-mcp-config", "--mcp-config", servers, "--model", "claude-sonnet-4-5"]
    rights = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash", "mcp__foureyes"]
    env = {"ANTHROPIC_API_KEY": "dummy", "ANTHROPIC_BASE_URL": model, "MCP_TIMEOUT": "120000"}
    return Command([*start, *options, *rights], env)


COMMANDS = {"codex": codex, "claude": claude}
