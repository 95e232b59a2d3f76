"""The real agent programs, as npm has them: which version, how each is started, and how its sandbox is let write."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from tests.stage.asked_for import refuse_unless_asked

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".venv-agents"
"""Where the programs are installed, once."""

ARCHITECTURE = "arm64" if platform.machine() == "aarch64" else "x64"
INSTALL_SECONDS = 240
_PROBLEMS: dict[str, str] = {}
"""Why a program could not be installed; npm is asked once."""

QUIET = {
    "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1", "DO_NOT_TRACK": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "NO_COLOR": "1", "TERM": "dumb", "LANG": "C.UTF-8",
}  # fmt: skip


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """One program. `start` makes its arguments from the writable roots (None: its default sandbox), `serve` adds the
    MCP server that a command is; `needs` are what its sandbox is made with.
    """

    name: str
    package: str
    version: str
    binary: str
    start: Callable[[Path, Sequence[str] | None], list[str]]
    serve: Callable[[list[str], str], list[str]]
    env: dict[str, str]
    needs: tuple[str, ...] = ()

    def installed(self) -> Path | str:
        """Where it is; else, in a sentence, why it cannot be run here in its sandbox."""
        missing = [name for name in self.needs if shutil.which(name) is None]
        return program_path(self) if not missing else _without(self, missing)


def _without(program: Program, missing: Sequence[str]) -> str:
    return f"{program.name} was not run: this machine has no {' and no '.join(missing)}"


def program_path(program: Program) -> Path | str:
    """Where it is, without what its sandbox is made with; else, in a sentence, why it cannot be run here."""
    refuse_unless_asked()
    if missing := [name for name in ("npm", "node") if shutil.which(name) is None]:
        return _without(program, missing)
    folder = KEPT / f"{program.name}-{program.version}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run beside each other
        if not list(folder.glob(program.binary)) and program.name not in _PROBLEMS:
            _PROBLEMS[program.name] = _install(program, folder)
    found = list(folder.glob(program.binary))
    if found:
        return found[0]
    return f"{program.name} was not run: {_PROBLEMS[program.name] or f'{program.package} has no {program.binary}'}"


def _install(program: Program, folder: Path) -> str:
    """Why npm could not; empty where it could."""
    wanted = f"{program.package}@{program.version}"
    # No script of a package runs here; what npm itself needs of the environment, it has.
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"]
    command = ["npm", "install", *options, "--prefix", str(folder), wanted]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        return f"npm did not install {wanted} within {INSTALL_SECONDS} seconds"
    return "" if done.returncode == 0 else f"npm cannot install {wanted}: {done.stderr.strip()[-300:]}"


def _codex(home: Path, roots: Sequence[str] | None) -> list[str]:
    provider = (
        'model_providers.scripted={name="scripted",base_url="@URL@/v1",env_key="SCRIPTED_KEY",wire_api="responses",'
        "request_max_retries=0,stream_max_retries=0}"
    )
    words = ["exec", "--json", "--ignore-user-config", "--disable", "plugins", "-m", "gpt-5.5"]
    words += ["-c", "analytics.enabled=false", "-c", "model_provider=scripted", "-c", provider]
    allowed = [word for root in roots or () for word in ("--add-dir", root)]
    return [*words, *(("-s", "workspace-write", *allowed) if roots is not None else ()), "-"]


def _claude(home: Path, roots: Sequence[str] | None) -> list[str]:
    sandbox = {"enabled": True, "autoAllowBashIfSandboxed": True, "allowUnsandboxedCommands": False}
    allowed = {"filesystem": {"allowWrite": list(roots)}} if roots else {}
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"sandbox": sandbox | allowed}))
    words = ["-p", "--output-format", "stream-json", "--verbose", "--setting-sources", "user", "--strict-mcp-config"]
    return [*words, "--model", "claude-sonnet-4-5", "--permission-mode", "acceptEdits", "--allowedTools", "Bash"]


def _codex_serving(words: list[str], command: str) -> list[str]:
    server = {"command": json.dumps(command), "args": '["mcp"]', "startup_timeout_sec": "120"}
    settings = [word for name, value in server.items() for word in ("-c", f"mcp_servers.foureyes.{name}={value}")]
    return [*words[:-1], *settings, words[-1]]


def _claude_serving(words: list[str], command: str) -> list[str]:
    servers = {"mcpServers": {"foureyes": {"command": command, "args": ["mcp"]}}}
    return [*words, "mcp__foureyes", "--mcp-config", json.dumps(servers)]  # the first goes on with --allowedTools


def _gemini(home: Path, roots: Sequence[str] | None) -> list[str]:
    settings = home / ".gemini" / "settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    quiet = {"privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False}}
    chosen = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": False}}
    settings.write_text(json.dumps(quiet | chosen))
    return ["-o", "stream-json", "--skip-trust", "-m", "gemini-2.5-pro", "--approval-mode", "yolo"]


OPENCODE_SETTINGS = {
    "autoupdate": False, "share": "disabled", "small_model": "scripted/scripted-model",
    "provider": {
        "scripted": {
            "npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "@URL@/v1", "apiKey": "dummy"},
            "models": {"scripted-model": {"limit": {"context": 128000, "output": 8000}}},
        }
    },
}  # fmt: skip


def _opencode(home: Path, roots: Sequence[str] | None) -> list[str]:
    logs = ["--print-logs", "--log-level", "ERROR"]  # else it tries for ever and says nothing of it
    return ["run", "--pure", "--format", "json", *logs, "-m", "scripted/scripted-model", "--auto"]


def _qwen(home: Path, roots: Sequence[str] | None) -> list[str]:
    return ["-o", "stream-json", "--bare", "--auth-type", "openai", "-m", "scripted-model", "--approval-mode", "yolo"]


def _copilot(home: Path, roots: Sequence[str] | None) -> list[str]:
    return ["--output-format", "json", "--no-auto-update", "--allow-all-tools", "--model", "gpt-4.1"]


def _cannot_serve(words: list[str], command: str) -> list[str]:
    raise NotImplementedError("it is driven without an MCP server")


CODEX = Program(
    name="codex", package="@openai/codex", version="0.166.0", binary="node_modules/.bin/codex", start=_codex,
    serve=_codex_serving,
    env={"SCRIPTED_KEY": "dummy"},
)  # fmt: skip
CLAUDE = Program(
    name="claude", package="@anthropic-ai/claude-code", version="2.1.197",
    binary=f"node_modules/@anthropic-ai/claude-code-linux-{ARCHITECTURE}/claude",
    start=_claude, serve=_claude_serving, needs=("bwrap", "socat"),
    env={"ANTHROPIC_API_KEY": "dummy", "ANTHROPIC_BASE_URL": "@URL@", "CLAUDE_CODE_MAX_RETRIES": "1"},
)  # fmt: skip


GEMINI = Program(
    name="gemini", package="@google/gemini-cli", version="0.61.0", binary="node_modules/.bin/gemini",
    start=_gemini, serve=_cannot_serve,
    env={"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": "@URL@"},
)  # fmt: skip
OPENCODE = Program(
    name="opencode", package="opencode-ai", version="1.18.33",
    binary=f"node_modules/opencode-linux-{ARCHITECTURE}/bin/opencode", start=_opencode, serve=_cannot_serve,
    env={
        "OPENCODE_CONFIG_CONTENT": json.dumps(OPENCODE_SETTINGS), "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    },
)  # fmt: skip
QWEN = Program(
    name="qwen", package="@qwen-code/qwen-code", version="0.15.10", binary="node_modules/.bin/qwen",
    start=_qwen, serve=_cannot_serve,
    env={"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": "@URL@/v1"},
)  # fmt: skip
COPILOT = Program(
    name="copilot", package="@github/copilot", version="1.0.102",
    binary=f"node_modules/@github/copilot-linux-{ARCHITECTURE}/copilot", start=_copilot, serve=_cannot_serve,
    env={
        "COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": "@URL@/v1", "COPILOT_PROVIDER_API_KEY": "dummy",
        "COPILOT_MODEL": "gpt-4.1", "COPILOT_AUTO_UPDATE": "false",
    },
)  # fmt: skip
PROGRAMS = {program.name: program for program in (CODEX, CLAUDE, GEMINI, OPENCODE, QWEN)}


def environment(program: Program, home: Path) -> dict[str, str]:
    """All that a program finds: nothing of this machine's but where programs lie."""
    home.mkdir(parents=True, exist_ok=True)
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
    (home / "tmp").mkdir(exist_ok=True)
    path = os.environ.get("PATH", os.defpath)
    extra = {"LD_LIBRARY_PATH": os.environ["LD_LIBRARY_PATH"]} if "LD_LIBRARY_PATH" in os.environ else {}
    return {"PATH": path, "HOME": str(home), "TMPDIR": str(home / "tmp"), **extra, **QUIET, **program.env}
