"""Gate files control the gate, git, the agents and their environment. Changing one would change the judge. (A4)

The list is data. A name matches a file or folder anywhere, and `a/b` means b in a folder a. A leading `/` means only at
the top. A `*` at the start or end of a name matches any text. Case is ignored, because some file systems do so.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from foureyes.core.words.folding import folded_path, is_short_name


class GateFile(NamedTuple):
    """One entry of the list: the program, what it uses the file for, and the source that documents it. An entry without
    a source is unverified.
    """

    name: str
    of: str
    what: str
    source: str = ""


OURS = "docs/reference/rules.md"
CLAUDE = "npm @anthropic-ai/claude-code-linux-x64 2.1.325"
CODEX = "npm @openai/codex 0.166.0-linux-x64"
GEMINI = "npm @google/gemini-cli 0.61.0"
QWEN = "npm @qwen-code/qwen-code 0.15.10"
OPENCODE = "npm opencode-linux-x64 1.18.34"
AMP = "docs.rs/agent-config: amp"
CRUSH = "npm @charmland/crush 0.96.1"
PI = "npm @mariozechner/pi-coding-agent 0.73.1"
AUGGIE = "npm @augmentcode/auggie 0.36.0"
COPILOT = "npm @github/copilot 1.0.102"
KILO = "npm @kilocode/cli-linux-x64 7.7.9"
"""Sources of the entries. For a package, the name is a string in its program."""

GATE_FILES: tuple[GateFile, ...] = (
    GateFile("/foureyes.toml", "foureyes", "the policy", OURS),
    GateFile(".foureyes", "foureyes", "prompts, signers, the store", OURS),
    GateFile(".gitattributes", "git", "how files are shown or merged", "gitattributes(5)"),
    GateFile(".gitmodules", "git", "where submodules come from", "gitmodules(5)"),
    GateFile("allowed_signers", "git", "whose signatures count", "git-config(1): gpg.ssh.allowedSignersFile"),
    GateFile(".githooks", "git", "git hooks", "githooks(5)"),
    GateFile(".husky", "husky", "git hooks", "typicode.github.io/husky"),
    GateFile(".huskyrc*", "husky", "git hooks", "typicode.github.io/husky"),
    GateFile("lefthook*", "lefthook", "git hooks", "lefthook.dev/configuration"),
    GateFile(".lefthook*", "lefthook", "git hooks", "lefthook.dev/configuration"),
    GateFile(".pre-commit-config.*", "pre-commit", "git hooks", "pre-commit.com"),
    GateFile(".pre-commit-hooks.*", "pre-commit", "hooks for others", "pre-commit.com"),
    GateFile("prek.toml", "prek", "git hooks", "prek.j178.dev/configuration"),
    GateFile(".overcommit.yml", "overcommit", "git hooks", "github.com/sds/overcommit"),
    GateFile(".overcommit", "overcommit", "git hooks"),
    GateFile("captainhook.json", "captainhook", "git hooks"),
    GateFile("hk.pkl", "hk", "git hooks", "hk.jdx.dev"),
    GateFile("hk.local.pkl", "hk", "git hooks", "hk.jdx.dev/configuration"),
    GateFile("simple-git-hooks.*", "simple-git-hooks", "git hooks", "github.com/toplenboren/simple-git-hooks"),
    GateFile(".simple-git-hooks.*", "simple-git-hooks", "git hooks", "github.com/toplenboren/simple-git-hooks"),
    GateFile(".lintstagedrc*", "lint-staged", "what a hook runs", "github.com/lint-staged/lint-staged"),
    GateFile("lint-staged.config.*", "lint-staged", "what a hook runs", "github.com/lint-staged/lint-staged"),
    GateFile("AGENTS.md", "many agents", "instructions", "agents.md"),
    GateFile("AGENTS.override.md", "codex", "instructions", CODEX),
    GateFile("AGENTS.local.md", "roo code, others", "instructions", "docs.rs/agent-config: roo"),
    GateFile("AGENT.md", "roo code, amp", "instructions", "docs.rs/agent-config: roo"),
    GateFile(".agents", "many agents", "skills, rules", f"{GEMINI}, {PI}, {AUGGIE}"),
    GateFile(".agent", "many agents", "skills, rules"),
    GateFile("SKILL.md", "many agents", "skills", "agentskills.io/specification"),
    GateFile(".mcp.json", "claude, others", "tool servers", CLAUDE),
    GateFile("mcp.json", "cursor, VS Code, others", "tool servers", "docs.rs/agent-config: cursor"),
    GateFile("CLAUDE.md", "claude, others", "instructions", CLAUDE),
    GateFile("CLAUDE.local.md", "claude", "instructions", CLAUDE),
    GateFile("REVIEW.md", "claude", "what its reviews check", CLAUDE),
    GateFile("CONTEXT.md", "opencode, kilo code", "instructions", OPENCODE),
    GateFile(".claude*", "claude", "settings, hooks, tools", CLAUDE),
    GateFile(".codex*", "codex", "settings, hooks, tools", CODEX),
    GateFile("GEMINI.md", "gemini", "instructions", GEMINI),
    GateFile(".gemini*", "gemini", "settings, hooks, tools", GEMINI),
    GateFile("gemini-extension.json", "gemini", "extensions", GEMINI),
    GateFile(
        ".env",
        "gemini, qwen, aider",
        "variables read at the start",
        f"{GEMINI}, {QWEN}, aider.chat/docs/config/dotenv.html",
    ),
    GateFile("QWEN.md", "qwen", "instructions", QWEN),
    GateFile(".qwen*", "qwen", "settings, hooks, tools", QWEN),
    GateFile("qwen-extension.json", "qwen", "extensions", QWEN),
    GateFile("opencode.json*", "opencode", "settings, hooks, tools", OPENCODE),
    GateFile(".opencode*", "opencode", "settings, hooks, tools", OPENCODE),
    GateFile(".aider*", "aider", "settings, hooks, tools", "aider.chat/docs/config/aider_conf.html"),
    GateFile("CONVENTIONS.md", "aider", "instructions", "aider.chat/docs/usage/conventions.html"),
    GateFile(
        ".cursor*",
        "cursor-agent",
        "rules, hooks, tools, what is read",
        "docs.rs/agent-config: cursor; docs.cline.bot/customization/cline-rules",
    ),
    GateFile(
        ".github/copilot*",
        "copilot",
        "instructions",
        "docs.github.com: Adding custom instructions for GitHub Copilot CLI",
    ),
    GateFile(
        "copilot-instructions.md",
        "copilot",
        "instructions",
        "docs.github.com: Adding custom instructions for GitHub Copilot CLI",
    ),
    GateFile(".github/instructions", "copilot", "instructions", "docs.github.com: Copilot customization cheat sheet"),
    GateFile(".github/prompts", "copilot", "prompts", "docs.github.com: Copilot customization cheat sheet"),
    GateFile(".github/agents", "copilot", "agents, tools", "docs.github.com: Copilot customization cheat sheet"),
    GateFile(".github/skills", "copilot", "skills", "docs.github.com: Copilot customization cheat sheet"),
    GateFile(
        ".github/chatmodes",
        "copilot",
        "agents, tools",
        "learn.microsoft.com: Customize GitHub Copilot Chat responses",
    ),
    GateFile(".github/hooks", "copilot", "hooks", "docs.github.com: Copilot customization cheat sheet"),
    GateFile(
        "*.instructions.md",
        "copilot",
        "instructions",
        "docs.github.com: Adding custom instructions for GitHub Copilot CLI",
    ),
    GateFile("*.prompt.md", "copilot", "prompts", "docs.github.com: Copilot customization cheat sheet"),
    GateFile(
        "*.chatmode.md",
        "copilot",
        "agents, tools",
        "learn.microsoft.com: Customize GitHub Copilot Chat responses",
    ),
    GateFile(
        "*.agent.md",
        "copilot",
        "agents, tools",
        "learn.microsoft.com: Configure and customize GitHub Copilot in Visual Studio Code",
    ),
    GateFile(".copilot*", "copilot", "settings, hooks, tools", COPILOT),
    GateFile(".goose*", "goose", "instructions, what is read", "block.github.io/goose/docs/guides/using-gooseignore"),
    GateFile(".amp*", "amp", "settings, hooks, tools", AMP),
    GateFile("CRUSH.md", "crush", "instructions", CRUSH),
    GateFile("CRUSH.local.md", "crush", "instructions", CRUSH),
    GateFile("crush.json", "crush", "settings, hooks, tools", CRUSH),
    GateFile(".crush*", "crush", "settings, shell commands", CRUSH),
    GateFile(".pi", "pi", "settings, hooks, tools", PI),
    GateFile(".augment*", "auggie", "guidelines, rules, settings, hooks", AUGGIE),
    GateFile(".cline*", "cline", "rules, workflows, hooks", "docs.cline.bot/customization/overview"),
    GateFile(".roo", "roo code", "rules, tools", "docs.roocode.com/features"),
    GateFile(".roorules*", "roo code", "rules", "docs.roocode.com/features"),
    GateFile(".roomodes", "roo code", "agents, tools", "docs.roocode.com/features"),
    GateFile(".rooignore", "roo code", "what is read", "docs.roocode.com/features"),
    GateFile(".kilo*", "kilo code", "rules, agents, tools", KILO),
    GateFile("kilo.json*", "kilo code", "rules, agents, tools", KILO),
    GateFile(".windsurf*", "windsurf", "rules, workflows, hooks", "docs.windsurf.com: Workflows, Memories & Rules"),
    GateFile(".codeium*", "windsurf", "what is read"),
    GateFile(".devin", "windsurf, devin", "rules"),
    GateFile(".continue", "continue", "rules, agents, tools"),
    GateFile(".continuerules", "continue", "rules"),
    GateFile(".junie", "junie", "guidelines"),
    GateFile(".kiro", "kiro", "steering, hooks, tools"),
    GateFile(".trae", "trae", "rules"),
    GateFile(".rules", "zed", "rules"),
    GateFile(".amazonq", "amazon q", "rules, tools"),
    GateFile(".aiassistant", "jetbrains ai", "rules"),
    GateFile(".factory", "droid", "agents, settings, hooks"),
    GateFile(".openhands", "openhands", "instructions, what runs at the start"),
    GateFile(".warp", "warp", "workflows"),
    GateFile("WARP.md", "warp", "instructions"),
    GateFile(".ruler", "ruler", "instructions"),
    GateFile(".idx", "firebase studio", "what runs at the start, rules"),
    GateFile(".rovodev", "rovo dev", "instructions, tools"),
    GateFile(".envrc", "direnv", "what runs on entering the folder", "direnv(1)"),
    GateFile(
        ".vscode", "VS Code", "tasks, settings, tool servers", "code.visualstudio.com/docs: Tasks, Workspace settings"
    ),
    GateFile("*.code-workspace", "VS Code", "tasks, settings", "code.visualstudio.com/docs: Workspaces"),
    GateFile(
        ".devcontainer",
        "dev containers",
        "what runs when the folder is opened",
        "containers.dev/implementors/json_reference",
    ),
    GateFile(
        ".devcontainer.json",
        "dev containers",
        "what runs when the folder is opened",
        "containers.dev/implementors/json_reference",
    ),
    GateFile("mise.toml", "mise", "tools, variables, hooks on entering the folder", "mise.jdx.dev/configuration.html"),
    GateFile(".mise.toml", "mise", "tools, variables, hooks on entering the folder", "mise.jdx.dev/configuration.html"),
    GateFile("mise.*", "mise", "tools, variables, hooks on entering the folder", "mise.jdx.dev/configuration.html"),
    GateFile(".mise*", "mise", "tools, variables, hooks on entering the folder", "mise.jdx.dev/configuration.html"),
    GateFile(
        ".config/mise*", "mise", "tools, variables, hooks on entering the folder", "mise.jdx.dev/configuration.html"
    ),
    GateFile(
        "mise/config.toml", "mise", "tools, variables, hooks on entering the folder", "mise.jdx.dev/configuration.html"
    ),
    GateFile(".idea", "JetBrains", "run configurations, start-up tasks"),
    GateFile(".zed", "Zed", "tasks, settings, tool servers"),
    GateFile(
        ".dir-locals*",
        "Emacs",
        "variables and the code that they run",
        "GNU Emacs manual: Per-Directory Local Variables",
    ),
    GateFile(".exrc", "Vim, Neovim", "commands that run in the folder", "Vim reference: 'exrc'"),
    GateFile(".nvimrc", "Vim, Neovim", "commands that run in the folder", "Vim reference: 'exrc'"),
    GateFile(".nvim.lua", "Vim, Neovim", "commands that run in the folder", "Vim reference: 'exrc'"),
    GateFile(".vimrc", "Vim, Neovim", "commands that run in the folder", "Vim reference: 'exrc'"),
    GateFile(".gitpod*", "Gitpod", "what runs on entering the folder"),
    GateFile("devbox.json", "Devbox", "what runs on entering the folder"),
    GateFile("devenv.nix", "devenv", "what runs on entering the folder"),
    GateFile(".autoenv*", "autoenv", "what runs on entering the folder"),
)


class Table(NamedTuple):
    """The list, indexed for lookup."""

    top: frozenset[str]
    names: frozenset[str]
    starts: tuple[str, ...]
    ends: tuple[str, ...]
    pairs: frozenset[str]
    pair_starts: tuple[str, ...]


@cache
def gate_table() -> Table:
    """Return the list, indexed on first use."""
    names = [folded_path(file.name) for file in GATE_FILES]
    top = frozenset(name[1:] for name in names if name.startswith("/"))
    single = [name for name in names if "/" not in name]
    pairs = [name for name in names if "/" in name[1:]]
    return Table(
        top,
        frozenset(name for name in single if "*" not in name),
        tuple(name[:-1] for name in single if name.endswith("*")),
        tuple(name[1:] for name in single if name.startswith("*")),
        frozenset(name for name in pairs if "*" not in name),
        tuple(name[:-1] for name in pairs if name.endswith("*")),
    )


@lru_cache(maxsize=4_096)
def is_gate_file(path: str) -> bool:
    """Return True if the path is a gate file, is inside one, or may be one under a Windows short name. (A4)"""
    table = gate_table()
    plain = folded_path(path)
    parts = plain.split("/")
    pairs = [f"{folder}/{name}" for folder, name in pairwise(parts)]
    return (
        parts[0] in table.top
        or not table.names.isdisjoint(parts)
        or any(part.startswith(table.starts) or part.endswith(table.ends) for part in parts)
        or not table.pairs.isdisjoint(pairs)
        or any(pair.startswith(table.pair_starts) for pair in pairs)
        or is_short_name(plain)
    )
