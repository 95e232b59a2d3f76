"""The agent programs Foureyes knows, as data: what they are called, where they lie, what they leave in a shell (I3).

A process is an agent when its executable or its interpreter's script has one of these names, or lies in one of these
package directories: some agents have an executable named after a version (`…/claude/versions/2.1.4`) or a script named
`index.js`. Marks are exact variable names that an agent sets for the commands it runs, never prefixes: the terminals
of editors inherit related ones (CLAUDE_CODE_SSE_PORT, CURSOR_TRACE_ID, VSCODE_…), and there sits a person.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class KnownProgram(msgspec.Struct, frozen=True, kw_only=True):
    """One agent program. `names`: executables and scripts besides its own name; `places`: directories, as in a path."""

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
"""What an agent is called of which only a general mark tells."""

MARKS: tuple[tuple[str, str], ...] = (
    # Amp also sets CLAUDECODE, and Qwen is a fork of Gemini: the more telling mark comes first.
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
"""Variable and agent; without an agent, the value may name one."""

CONVERSATIONS: tuple[str, ...] = (
    "CODEX_THREAD_ID",
    "CLAUDE_CODE_SESSION_ID",
    "AMP_CURRENT_THREAD_ID",
    "AGENT_THREAD_ID",
    "QWEN_CODE_SESSION_ID",
    "COPILOT_AGENT_SESSION_ID",
    "AGENT_SESSION_ID",
)
"""The marks whose value is the id of a conversation. Goose and Amp set the ones without an agent's name."""

SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "busybox"})
INTERPRETERS = SHELLS | {"node", "nodejs", "bun", "deno", "tsx", "python", "pypy", "ruby", "perl", "env"}

LAUNCHERS = frozenset(
    {
        "bwrap", "bubblewrap", "unshare", "nsenter", "firejail", "nsjail", "minijail0", "srt", "sandbox-runtime",
        "apply-seccomp", "landrun", "isolate", "fakechroot", "proot",
    }
)  # fmt: skip
"""What makes a sandbox: as pid 1 of a pid namespace none of these is a container's init (I3)."""

GIT = "git"
RUNS_HOOKS = frozenset({GIT, "gitui"})
"""What runs a repository's hooks. Other faces of git start git for that."""

OURS = frozenset({"fe", "foureyes"})
OUR_PLACES = ("/foureyes/__main__.py", "/foureyes/adapters/reaper.py", "/foureyes/adapters/process.py")
"""Foureyes itself: its commands, and the process that it puts above what it starts (older ones: `process.py`)."""
OUR_MODULES = "foureyes."

COMM = 15
"""So many characters of a name the kernel keeps."""
_BY_NAME = {
    known: program.name
    for program in PROGRAMS
    for name in (program.name, *program.names)
    for known in (name, name[:COMM])
}
_BY_PLACE = tuple((f"/{place}/", program.name) for program in PROGRAMS for place in program.places)


def interpreter_of(name: str) -> str:
    """The interpreter that an executable is, without its version (`python3.11` is `python`); empty if it is none."""
    plain = name.rstrip("0123456789.-")
    return plain if plain in INTERPRETERS else ""


def agent_named(name: str) -> str:
    """The agent that a value of AGENT or AI_AGENT names (`goose`, `claude-code_2.1_cli`), or `agent`."""
    return _BY_NAME.get(name.strip().lower().split("@")[0].split("_")[0], UNNAMED)


def is_foureyes(names: Sequence[str], paths: Sequence[str]) -> bool:
    """Whether a process is Foureyes itself (I5). A shell script of that name is somebody's wrapper around it, and no
    more.
    """
    if names and interpreter_of(names[0]) in SHELLS:
        return False
    return any(name in OURS or name.startswith(OUR_MODULES) for name in names) or any(
        path.endswith(OUR_PLACES) for path in paths
    )


def is_git(names: Sequence[str]) -> bool:
    """Whether a process is git, one of its commands, or runs hooks as git does: what it starts is a hook, an alias, an
    editor, a pager (I5).
    """
    return any(name in RUNS_HOOKS or name.startswith(f"{GIT}-") for name in names)


def launcher_of(names: Sequence[str], paths: Sequence[str], extra: Sequence[str] = ()) -> str:
    """The agent or the maker of sandboxes that pid 1 of a pid namespace is, or an empty string (I3).

    A program that was run from a descriptor has a number for a name: sandboxes start their helpers like this.
    """
    agent = agent_of(names, paths, extra)
    known = next((name for name in names if name in LAUNCHERS), "")
    return agent or known or next((f"the descriptor {name}" for name in names if name.isdecimal()), "")


def agent_of(names: Sequence[str], paths: Sequence[str], extra: Sequence[str] = ()) -> str:
    """The agent that a process with these names and paths is, or an empty string.

    `extra` are the programs of configured profiles. One that is an interpreter (`python`, `npx`'s `node`) does not
    count: it would make an agent of everybody's shell.
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
