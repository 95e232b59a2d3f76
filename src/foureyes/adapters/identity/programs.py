"""The known agent programs: their names, places and environment variables. (I3)

A process is an agent if its executable or script has one of these names or is in one of these package directories. Some
agents have an executable named after a version (`…/claude/versions/2.1.4`) or a script named `index.js`. Marks are
exact names of variables that an agent sets for its commands, never prefixes. Terminals of editors inherit similar ones
(CLAUDE_CODE_SSE_PORT, CURSOR_TRACE_ID, VSCODE_…) but have a person in front.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class KnownProgram(msgspec.Struct, frozen=True, kw_only=True):
    """An agent program. `names` are further executables and scripts, and `places` directories as parts of a path."""

    name: str
    names: tuple[str, ...] = ()
    places: tuple[str, ...] = ()


PROGRAMS: tuple[KnownProgram, ...] = (
    KnownProgram(name="claude", names=("claude-code",), places=("@anthropic-ai/claude-code", "claude/versions")),
    KnownProgram(
        name="codex",
        names=(
            "codex-x86_64-unknown-linux-musl",
            "codex-aarch64-unknown-linux-musl",
            "codex-x86_64-unknown-linux-gnu",
            "codex-aarch64-unknown-linux-gnu",
            "codex-x86_64-apple-darwin",
            "codex-aarch64-apple-darwin",
            "codex-linux-sandbox",
        ),
        places=("@openai/codex",),
    ),
    KnownProgram(name="gemini", names=("gemini-cli",), places=("@google/gemini-cli",)),
    KnownProgram(name="opencode", places=("opencode-ai",)),
    KnownProgram(name="qwen", names=("qwen-code",), places=("@qwen-code/qwen-code",)),
    KnownProgram(name="aider"),
    KnownProgram(name="cursor-agent", places=("cursor-agent/versions",)),
    KnownProgram(name="copilot", places=("@github/copilot",)),
    KnownProgram(name="goose", names=("goosed",)),
    KnownProgram(name="amp", places=("@sourcegraph/amp",)),
    KnownProgram(name="crush", places=("@charmland/crush",)),
    KnownProgram(name="pi", places=("@mariozechner/pi-coding-agent", "@earendil-works/pi-coding-agent")),
    KnownProgram(name="auggie", places=("@augmentcode/auggie",)),
)

UNNAMED = "agent"
"""The name of an agent known only by a generic mark."""

MARKS: tuple[tuple[str, str], ...] = (
    # Amp also sets CLAUDECODE, and Qwen is a fork of Gemini, so the more specific mark comes first.
    ("AMP_CURRENT_THREAD_ID", "amp"),
    ("QWEN_CODE_SESSION_ID", "qwen"),
    ("QWEN_CODE", "qwen"),
    ("CODEX_THREAD_ID", "codex"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_CI", "codex"),
    ("CLAUDE_CODE_SESSION_ID", "claude"),
    ("CLAUDECODE", "claude"),
    ("GEMINI_CLI", "gemini"),
    ("OPENCODE", "opencode"),
    ("COPILOT_AGENT_SESSION_ID", "copilot"),
    ("COPILOT_CLI", "copilot"),
    ("COPILOT_AGENT", "copilot"),
    ("CURSOR_AGENT", "cursor-agent"),
    ("PI_CODING_AGENT", "pi"),
    ("GOOSE_TERMINAL", "goose"),
    ("CRUSH", "crush"),
    ("AUGMENT_AGENT", "auggie"),
    ("AGENT_THREAD_ID", ""),
    ("AGENT_SESSION_ID", ""),
    ("AI_AGENT", ""),
    ("AGENT", ""),
)
"""Variables with their agent. Without one, the value may name it."""

CONVERSATIONS: tuple[str, ...] = (
    "CODEX_THREAD_ID",
    "CLAUDE_CODE_SESSION_ID",
    "AMP_CURRENT_THREAD_ID",
    "AGENT_THREAD_ID",
    "QWEN_CODE_SESSION_ID",
    "COPILOT_AGENT_SESSION_ID",
    "AGENT_SESSION_ID",
)
"""Marks whose value is a conversation id. Goose and Amp set theirs without an agent's name."""

SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "busybox"})
INTERPRETERS = SHELLS | {"node", "nodejs", "bun", "deno", "tsx", "python", "pypy", "ruby", "perl", "env"}

LAUNCHERS = frozenset(
    {
        "bwrap", "bubblewrap", "unshare", "nsenter", "firejail", "nsjail", "minijail0", "srt", "sandbox-runtime",
        "apply-seccomp", "landrun", "isolate", "fakechroot", "proot",
    }
)  # fmt: skip
"""Programs that create sandboxes. If pid 1 of a pid namespace is one of them, it is not a container's init. (I3)"""

GIT = "git"
RUNS_HOOKS = frozenset({GIT, "gitui"})
"""Programs that run a repository's hooks. Other git interfaces start git for that."""

OURS = frozenset({"fe", "foureyes"})
OUR_PLACES = ("/foureyes/__main__.py", "/foureyes/adapters/reaper.py", "/foureyes/adapters/process.py")
"""Foureyes itself: its commands and its process supervisor (in older versions `process.py`)."""
OUR_MODULES = "foureyes."

COMM = 15
"""Number of characters that the kernel keeps of a process name."""
_BY_NAME = {
    known: program.name
    for program in PROGRAMS
    for name in (program.name, *program.names)
    for known in (name, name[:COMM])
}
_BY_PLACE = tuple((f"/{place}/", program.name) for program in PROGRAMS for place in program.places)


def interpreter_of(name: str) -> str:
    """Return the interpreter without its version (`python3.11` gives `python`), or an empty string."""
    plain = name.rstrip("0123456789.-")
    return plain if plain in INTERPRETERS else ""


def agent_named(name: str) -> str:
    """Return the agent named by a value of AGENT or AI_AGENT (`goose`, `claude-code_2.1_cli`), or `agent`."""
    return _BY_NAME.get(name.strip().lower().split("@")[0].split("_")[0], UNNAMED)


def is_foureyes(names: Sequence[str], paths: Sequence[str]) -> bool:
    """Return True if a process is Foureyes itself. A shell script of that name is only a wrapper. (I5)"""
    if names and interpreter_of(names[0]) in SHELLS:
        return False
    return any(name in OURS or name.startswith(OUR_MODULES) for name in names) or any(
        path.endswith(OUR_PLACES) for path in paths
    )


def is_git(names: Sequence[str]) -> bool:
    """Return True for git, its commands, and programs that run hooks. What they start are hooks, aliases, editors or
    pagers. (I5)
    """
    return any(name in RUNS_HOOKS or name.startswith(f"{GIT}-") for name in names)


def launcher_of(names: Sequence[str], paths: Sequence[str], extra: Sequence[str] = ()) -> str:
    """Return the agent or sandbox program that is pid 1 of a pid namespace, or "". (I3)

    A program run from a file descriptor has a number for a name. Sandboxes start their helpers this way.
    """
    agent = agent_of(names, paths, extra)
    known = next((name for name in names if name in LAUNCHERS), "")
    return agent or known or next((f"the descriptor {name}" for name in names if name.isdecimal()), "")


def agent_of(names: Sequence[str], paths: Sequence[str], extra: Sequence[str] = ()) -> str:
    """Return the agent with these names and paths, or "".

    `extra` are the programs of configured profiles. An interpreter among them (`python`, or `node` for `npx`) does not
    count, because it would turn every shell into an agent.
    """
    for name in names:
        if name in _BY_NAME:
            return _BY_NAME[name]
    for path in paths:
        # A package without a path, as deno runs it: `npm:@anthropic-ai/claude-code`.
        place = f"/{path.removeprefix('npm:')}/"
        for part, agent in _BY_PLACE:
            if part in place:
                return agent
    known = {program.rpartition("/")[2] for program in extra}
    return next((name for name in names if name in known and not interpreter_of(name)), "")
