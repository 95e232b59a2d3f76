"""The supported agent programs, as data.

Each has arguments to work, to review without writing, to resume, and to ignore the repository's configuration, and its
login files. Names in braces are replaced: `{model}`, `{conversation}`, `{worktree}`, `{run_dir}`, `{prompt_file}`,
`{task}`, `{profile}`, `{purpose}`, `{iteration}`, `{run}`, `{schema}` and `{schema_file}`, and for the MCP server
`{mcp_command}`, `{mcp_args}`, `{mcp_servers}`, `{mcp_trusted}` and `{mcp_opencode}` (JSON).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

import msgspec

from foureyes.core.rules.policy import Profile

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTED, ACP = os.path.join(HERE, "scripted.py"), os.path.join(HERE, "acp.py")


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """The command line of one program. It gets the prompt as standard input.

    - review: arguments for every role that must not write
    - resume: arguments to resume, after the others
    - resume_words, resume_implement, resume_review: used instead of `words` and the role's arguments by codex, which
    has a separate command to resume
    - between: arguments before a profile's own
    - attach: arguments for a person who resumes a conversation in a terminal
    - structured: arguments that enforce the answer's schema. Qwen has none, because `--bare` removes the tool for it.
    - mcp_files: files in the run's directory
    - obeys: files of a tree that make the program start others, which no flag prevents
    - reads: configuration files that may do the same
    - keys, keyed: login variables, and the extra arguments if one is set
    - own: the program's own directory (variable, and path in the person's home)
    - links: directories found only through HOME
    - login: files below the person's home that prove a login
    - tools_only: `fe` works only through the MCP server, not in the sandbox of the program's shell
    """

    program: str
    output: str
    words: tuple[str, ...] = ()
    implement: tuple[str, ...] = ()
    review: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    resume: tuple[str, ...] = ()
    resume_words: tuple[str, ...] = ()
    resume_implement: tuple[str, ...] = ()
    resume_review: tuple[str, ...] = ()
    attach: tuple[str, ...] = ()
    model: tuple[str, ...] = ("--model", "{model}")
    mcp: tuple[str, ...] = ()
    structured: tuple[str, ...] = ()
    mcp_env: Mapping[str, str] = {}
    mcp_files: Mapping[str, str] = {}
    env: Mapping[str, str] = {}
    review_env: Mapping[str, str] = {}
    keys: tuple[str, ...] = ()
    keyed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    own: tuple[tuple[str, str], ...] = ()
    links: tuple[str, ...] = ()
    login: tuple[str, ...] = ()
    obeys: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    tools_only: bool = False
    version: tuple[str, ...] = ("--version",)


CLAUDE = Dialect(
    program="claude",
    output="claude",
    words=("-p", "--output-format", "stream-json", "--verbose", "--setting-sources", "user", "--strict-mcp-config"),
    implement=("--permission-mode", "acceptEdits", "--allowedTools", "Bash,mcp__foureyes"),
    review=("--tools", "Read,Grep,Glob", "--permission-mode", "dontAsk", "--allowedTools", "mcp__foureyes"),
    resume=("--resume", "{conversation}"),
    attach=("--setting-sources", "user", "--strict-mcp-config", "--resume", "{conversation}"),
    structured=("--json-schema", "{schema}"),
    mcp=("--mcp-config", "{mcp_servers}"),
    env={"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1"},
    keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN"),
    own=(("CLAUDE_CONFIG_DIR", ".claude"),),
    login=(".claude/.credentials.json",),
)
CODEX = Dialect(
    program="codex",
    output="codex",
    words=("exec", "--json", "--ignore-user-config", "--disable", "plugins"),
    implement=("-s", "workspace-write"),
    review=("-s", "read-only", "-c", "project_doc_max_bytes=0", "--skip-git-repo-check"),
    structured=("--output-schema", "{schema_file}"),
    last=("-",),
    resume=("{conversation}",),
    attach=("resume", "{conversation}"),
    resume_words=("exec", "resume", "--json", "--ignore-user-config", "--disable", "plugins"),
    resume_implement=("-c", 'sandbox_mode="workspace-write"'),
    resume_review=("-c", 'sandbox_mode="read-only"', "-c", "project_doc_max_bytes=0", "--skip-git-repo-check"),
    model=("-m", "{model}"),
    mcp=(
        *("-c", "mcp_servers.foureyes.command={mcp_command}", "-c", "mcp_servers.foureyes.args={mcp_args}"),
        *("-c", "mcp_servers.foureyes.startup_timeout_sec=120"),
        *("-c", 'mcp_servers.foureyes.default_tools_approval_mode="approve"'),
    ),
    keys=("OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_BASE_URL"),
    own=(("CODEX_HOME", ".codex"),),
    login=(".codex/auth.json",),
    tools_only=True,
)
GEMINI = Dialect(
    program="gemini",
    output="gemini",
    words=("-o", "stream-json", "--skip-trust"),
    implement=("--approval-mode", "yolo"),
    review=("--approval-mode", "plan"),
    resume=("--resume", "{conversation}"),
    attach=("--skip-trust", "--resume", "{conversation}"),
    model=("-m", "{model}"),
    mcp_env={"GEMINI_CLI_SYSTEM_SETTINGS_PATH": "{run_dir}/gemini.json"},
    mcp_files={"gemini.json": "{mcp_trusted}"},
    keys=(
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "GOOGLE_GEMINI_BASE_URL",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_CLOUD_LOCATION",
    ),
    links=(".gemini",),
    login=(".gemini/oauth_creds.json",),
)
QWEN = Dialect(
    program="qwen",
    output="claude",
    words=("-o", "stream-json", "--bare"),
    implement=("--approval-mode", "yolo"),
    review=("--approval-mode", "plan"),
    resume=("--resume", "{conversation}"),
    attach=("--resume", "{conversation}"),
    keyed=(("OPENAI_API_KEY", ("--auth-type", "openai")),),
    model=("-m", "{model}"),
    keys=("OPENAI_API_KEY", "OPENAI_BASE_URL", "DASHSCOPE_API_KEY"),
    links=(".qwen",),
    login=(".qwen/oauth_creds.json",),
)
OPENCODE = Dialect(
    program="opencode",
    output="opencode",
    words=("run", "--pure", "--format", "json", "--print-logs", "--log-level", "ERROR"),
    implement=("--auto",),
    resume=("-s", "{conversation}"),
    attach=("-s", "{conversation}"),
    model=("-m", "{model}"),
    mcp_env={"OPENCODE_CONFIG_CONTENT": '{"mcp":{mcp_opencode}}'},
    env={"OPENCODE_DISABLE_PROJECT_CONFIG": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"},
    review_env={"OPENCODE_PERMISSION": '{"edit":"deny","bash":"deny","webfetch":"deny","task":"deny"}'},
    keys=("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "OPENCODE_API_KEY"),
    links=(".config/opencode", ".local/share/opencode"),
    login=(".local/share/opencode/auth.json",),
    obeys=(".opencode/plugin", ".opencode/plugins"),
    reads=("opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"),
)
SPEAKS_ACP = Dialect(
    program="",
    output="claude",
    before=(sys.executable or "python3", "-I", ACP),
    implement=("--writes",),
    review=("--reads",),
    resume=("--resume", "{conversation}"),
    model=(),
    mcp=("--mcp-command", "{mcp_command}", "--mcp-args", "{mcp_args}"),
    between=("--",),
    keys=tuple(dict.fromkeys((*CLAUDE.keys, *CODEX.keys, *GEMINI.keys, *QWEN.keys, *OPENCODE.keys))),
    own=(*CLAUDE.own, *CODEX.own),
    links=(*GEMINI.links, *QWEN.links, *OPENCODE.links),
)
TEXT = Dialect(program="", output="text", model=(), version=())
SCRIPT = Dialect(
    program=SCRIPTED,
    output="claude",
    before=(sys.executable or "python3", "-I"),
    model=(),
    last=("--task", "{task}", "--profile", "{profile}", "--purpose", "{purpose}", "--iteration", "{iteration}"),
    resume=("--resume", "{conversation}"),
    version=(),
)
DIALECTS: dict[str, Dialect] = {
    "claude": CLAUDE, "codex": CODEX, "gemini": GEMINI, "qwen": QWEN, "opencode": OPENCODE, "acp": SPEAKS_ACP,
    "text": TEXT, "scripted": SCRIPT,
}  # fmt: skip


def dialect_of(profile: Profile) -> Dialect:
    """Return the dialect of a profile: by its adapter, else by its program's name, else plain text."""
    name = profile.adapter or profile.program.rpartition("/")[2]
    return DIALECTS.get(name, TEXT)
