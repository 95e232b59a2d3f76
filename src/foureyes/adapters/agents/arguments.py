"""The arguments and variables of one run: a dialect filled in for a profile, a role and a purpose (I2)."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence

import msgspec

from foureyes.adapters.agents.dialects import Dialect
from foureyes.adapters.agents.run_folders import PROMPT
from foureyes.app.agent_ports import Launch
from foureyes.core.nouns.run import conversation_of
from foureyes.core.nouns.session import RUN_DIR, RUN_MARK
from foureyes.core.rules.policy import Profile

# ---- The arguments and variables of one run ----

SERVER = "foureyes"
SCHEMA = "answer.schema.json"
BY_TOOLS = f"""
## Tools in place of commands

You cannot type commands of `fe` here. Where this page names one, call the tool of the MCP server `{SERVER}` that does
the same. If you do not see these tools, search for them.

- `fe finding answer`: finding_answer
- `fe submit`: task_submit; give it `commit`, the message, and it commits your work first
- `fe agent signal`: signal
- `fe agent emit`: emit
- `fe show`, `fe context`, `fe finding list`: task_show, task_diff, task_context, finding_list
- `fe lead`: loop_lead
- `fe unstart`: end your last message with the signal BLOCKED

Where git cannot commit, leave the files as they are: what is not committed when you end is committed for you.
"""
"""For a run that works by tools alone: what the commands of its prompt are there."""


class LaunchWords(msgspec.Struct, frozen=True):
    """What a program is started with, beside its environment of every day. `more` stands behind the prompt."""

    arguments: tuple[str, ...]
    env: dict[str, str]
    files: dict[str, str]
    more: str = ""


def words_of(
    dialect: Dialect, launch: Launch, directory: str, mcp: Sequence[str], environ: Mapping[str, str]
) -> LaunchWords:
    """Everything behind the program's name, and the variables of its own. `mcp`: the command of the server of a run."""
    profile, may_write, resumes = launch.profile, launch.writes, conversation_of(launch.resumes)
    serves = bool(mcp) and bool(dialect.mcp or dialect.mcp_env)
    leads = launch.purpose == "lead"  # it may not write, so it has no shell
    server = [*mcp, "--run", directory, *(["--all"] if leads else [])] if mcp else []
    filled = _filling(launch, directory, server)
    chosen = [*dialect.words, *(dialect.implement if may_write else dialect.review)]
    if resumes and dialect.resume_words:
        chosen = [*dialect.resume_words, *(dialect.resume_implement if may_write else dialect.resume_review)]
    chosen += dialect.resume if resumes else ()
    own = profile.resume_args if resumes and profile.resume_args else profile.args
    own = own if may_write or not profile.review_args else profile.review_args
    # What a profile says itself is not said again: a program that hears it twice may hear neither.
    chosen += [word for name, words in dialect.keyed if environ.get(name) and words[0] not in own for word in words]
    if profile.model:
        chosen += dialect.model
    chosen += dialect.mcp if serves else ()
    chosen += dialect.structured if launch.schema else ()
    env = {**dialect.env, **({} if may_write else dialect.review_env), **(dialect.mcp_env if serves else {})}
    arguments = tuple(_fill(word, filled) for word in (*chosen, *dialect.between, *own, *dialect.last))
    files = _filled(dialect.mcp_files, filled) if serves else {}
    files |= {SCHEMA: launch.schema} if launch.schema else {}
    by_tools = serves and (leads or (may_write and dialect.tools_only))
    return LaunchWords(arguments, _filled(env, filled), files, BY_TOOLS if by_tools else "")


def attached_words(dialect: Dialect, profile: Profile, task: str, name: str, conversation: str) -> tuple[str, ...]:
    """What a person starts a program with to go on with a conversation; nothing where it cannot be."""
    conversation = conversation_of(conversation)
    chosen = profile.attach_args or (dialect.attach if conversation else ())
    model = dialect.model if profile.model and not profile.attach_args else ()
    filled = {"conversation": conversation, "model": profile.model, "task": task, "profile": name}
    return tuple(_fill(word, filled) for word in (*chosen, *model)) if chosen else ()


def _filled(values: Mapping[str, str], filled: Mapping[str, str]) -> dict[str, str]:
    return {name: _fill(value, filled) for name, value in values.items()}


def _filling(launch: Launch, directory: str, server: Sequence[str]) -> dict[str, str]:
    command, args = (server[0], list(server[1:])) if server else ("", [])
    return {
        "model": launch.profile.model,
        "conversation": conversation_of(launch.resumes),
        "worktree": launch.worktree,
        "run_dir": directory,
        "prompt_file": os.path.join(directory, PROMPT),
        "task": launch.task,
        "profile": launch.profile_name,
        "purpose": launch.purpose,
        "iteration": str(launch.iteration),
        "run": launch.run,
        "schema": launch.schema,
        "schema_file": os.path.join(directory, SCHEMA),
        "mcp_command": json.dumps(command),
        "mcp_args": json.dumps(args),
        "mcp_servers": json.dumps({"mcpServers": {SERVER: {"command": command, "args": args}}}),
        "mcp_trusted": json.dumps({"mcpServers": {SERVER: {"command": command, "args": args, "trust": True}}}),
        "mcp_opencode": json.dumps({SERVER: {"type": "local", "command": [command, *args], "enabled": True}}),
    }


def _fill(word: str, filled: Mapping[str, str]) -> str:
    """A word with what stands in braces filled in, once: nothing in a value is filled again."""
    parts, rest = [], word
    while (at := rest.find("{")) >= 0:
        end = rest.find("}", at)
        name = rest[at + 1 : end] if end > at else ""
        if name in filled:
            parts += [rest[:at], filled[name]]
            rest = rest[end + 1 :]
        else:
            parts.append(rest[: at + 1])
            rest = rest[at + 1 :]
    return "".join([*parts, rest])


# ---- Environment (I2) ----

# A home of its own keeps settings and shell profiles of the person out. What a person is logged in with stays where it
# is: the program's own directory is named to it, or linked into the home; nothing of it is copied, as tokens there are
# good for one use.

AGENT_MARK = "agent:"
"""What the run mark of an agent begins with; the run's id follows."""
PASSED_ON = frozenset(
    "LANG LANGUAGE TZ USER LOGNAME SHELL HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy "
    "no_proxy SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE".split()
)
NEVER_PASSED_ON = ("FOUREYES_", "GIT_", "SSH_", "LD_", "DYLD_")
"""Ours, and what would reach the person's repositories, machines or this machine's loader."""
QUIET = {
    "TERM": "dumb", "NO_COLOR": "1", "DO_NOT_TRACK": "1", "DISABLE_AUTOUPDATER": "1", "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true", "GIT_PAGER": "cat", "PAGER": "cat",
}  # fmt: skip
"""Nobody sits there: nothing asks, pages, edits, or changes its own program."""
MONITOR, HOOKS = ("core.fsmonitor", "false"), ("core.hooksPath", "/dev/null")
"""I5: what git would run in a checkout unasked. Who commits keeps the hooks: they write the trailers (K1)."""
HOMES = {
    "XDG_CONFIG_HOME": ".config", "XDG_CACHE_HOME": ".cache", "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
}  # fmt: skip

TERMINAL = ("TERM", "COLORTERM", "TERM_PROGRAM", "DISPLAY", "WAYLAND_DISPLAY", "TMPDIR", "EDITOR", "VISUAL", "NO_COLOR")
"""What a program that a person sits at has besides."""

LOGIN_PROFILES = (".profile", ".zprofile")
"""What login shells read in a home; codex runs each command in one, and the machine's own profile sets another PATH."""


def run_mark(run: str) -> str:
    """The value of the run mark, by which processes of a run are found."""
    return f"{AGENT_MARK}{run}"


def environment(
    environ: Mapping[str, str], *, run: str, directory: str, home: str, asked: Sequence[str] = (),
    own: Mapping[str, str] | None = None, writes: bool = False, checkout: str = "",
) -> dict[str, str]:  # fmt: skip
    """All of it. `asked` are names to let through, or `NAME=value`; `own` is what the program needs and nobody asked
    for. Neither replaces what is set here. `writes`: whoever it is commits. `checkout`: files that are no repository,
    and git does not look for one around them.
    """
    passed = {name: value for name, value in environ.items() if name in PASSED_ON or name.startswith("LC_")}
    return {
        **passed,
        **QUIET,
        **{name: os.path.join(home, below) for name, below in HOMES.items()},
        **(own or {}),
        **wanted(environ, asked),
        "PATH": path_with_fe(environ.get("PATH", "")),
        "HOME": home,
        "TMPDIR": os.path.join(directory, "tmp"),
        "GIT_CEILING_DIRECTORIES": os.pathsep.join(filter(None, (directory, os.path.dirname(checkout)))),
        RUN_MARK: run_mark(run),
        RUN_DIR: directory,
        **git_settings(MONITOR, *(() if writes else (HOOKS,))),
    }


def persons_environment(
    environ: Mapping[str, str], *, home: str, asked: Sequence[str], own: Mapping[str, str]
) -> dict[str, str]:
    """For a person who goes on with a conversation at a terminal: what a run finds, without what marks one."""
    variables = environment(environ, run="none", directory="", home=home, asked=asked, own=own, writes=True)
    for name in (*QUIET, RUN_MARK, RUN_DIR, "TMPDIR", "GIT_CEILING_DIRECTORIES"):
        variables.pop(name, None)
    return {**{name: environ[name] for name in TERMINAL if name in environ}, **variables}


def git_settings(*settings: tuple[str, str]) -> dict[str, str]:
    """Settings for every git of a run, over those of any file."""
    numbered = [(f"GIT_CONFIG_KEY_{n}", f"GIT_CONFIG_VALUE_{n}", *pair) for n, pair in enumerate(settings)]
    variables = {name: word for key, value, setting, to in numbered for name, word in ((key, setting), (value, to))}
    return {"GIT_CONFIG_COUNT": str(len(settings)), **variables}


def wanted(environ: Mapping[str, str], asked: Sequence[str]) -> dict[str, str]:
    """What a profile asks for by name, or sets."""
    variables: dict[str, str] = {}
    for entry in asked:
        name, is_set, value = entry.partition("=")
        if not name.startswith(NEVER_PASSED_ON) and (is_set or name in environ):
            variables[name] = value if is_set else environ[name]
    return variables


def clean_path(path: str) -> str:
    """Only absolute directories: a relative one, or an empty one, is a directory of the files that are worked on."""
    return os.pathsep.join(entry for entry in path.split(os.pathsep) if entry.startswith("/")) or os.defpath


def path_with_fe(path: str) -> str:
    """The PATH, at its end the directory of this `fe` where no other is on it."""
    import shutil

    entries = clean_path(path)
    beside = os.path.dirname(sys.executable or "")
    has_own = beside and os.path.exists(os.path.join(beside, "fe"))
    return entries if not has_own or shutil.which("fe", path=entries) else f"{entries}{os.pathsep}{beside}"


def login_profile(path: str) -> str:
    """A profile for login shells: the PATH of a run."""
    import shlex

    return f"PATH={shlex.quote(path_with_fe(path))}\nexport PATH\n"
