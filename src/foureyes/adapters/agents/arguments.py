"""Builds the arguments and variables of one run from a dialect, a profile, a role and a purpose. (I2)"""

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

You cannot run `fe` commands here. Where this page names one, call the matching tool of the MCP server `{SERVER}`.
If you do not see these tools, search for them.

- `fe finding answer`: finding_answer
- `fe submit`: task_submit; give it `commit`, the message, and it commits your work first
- `fe agent signal`: signal
- `fe agent emit`: emit
- `fe show`, `fe finding list`: task_show, task_diff, task_context, finding_list
- `fe lead`: loop_lead
- `fe unstart`: end your last message with the signal BLOCKED

If git cannot commit, leave the files as they are. Uncommitted work is committed for you when you end.
"""
"""Explanation for a run without a shell: which tools replace the commands in its prompt."""


class LaunchWords(msgspec.Struct, frozen=True):
    """Arguments, variables and files of a program. `more` is appended to the prompt."""

    arguments: tuple[str, ...]
    env: dict[str, str]
    files: dict[str, str]
    more: str = ""


def words_of(
    dialect: Dialect, launch: Launch, directory: str, mcp: Sequence[str], environ: Mapping[str, str]
) -> LaunchWords:
    """Return the arguments, without the program's name, and the variables to set. `mcp` is the command of the run's server."""
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
    # Never repeat a profile's own option: a program that gets it twice may ignore both.
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
    """Return the arguments with which a person resumes a conversation, none if that is impossible."""
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
    """Replace names in braces, each once. Inserted values are not searched."""
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

# A separate home hides the person's settings and shell profiles. Logins stay in place: the program gets the path of its
# own directory, or a link to it in the home. Nothing is copied, because tokens there may be valid for one use only.

AGENT_MARK = "agent:"
"""Prefix of an agent's run mark, before the run's id."""
PASSED_ON = frozenset(
    "LANG LANGUAGE TZ USER LOGNAME SHELL HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy "
    "no_proxy SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE".split()
)
NEVER_PASSED_ON = ("FOUREYES_", "GIT_", "SSH_", "LD_", "DYLD_")
"""Variables of our own, and those that give access to the person's repositories and machines or to this machine's
loader.
"""
QUIET = {
    "TERM": "dumb", "NO_COLOR": "1", "DO_NOT_TRACK": "1", "DISABLE_AUTOUPDATER": "1", "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true", "GIT_PAGER": "cat", "PAGER": "cat",
}  # fmt: skip
"""Settings for a program without a user: no questions, pagers, editors or self-updates."""
MONITOR, HOOKS = ("core.fsmonitor", "false"), ("core.hooksPath", "/dev/null")
"""Settings against programs that git would start by itself in a checkout. Runs that commit keep the hooks, which write
the trailers (K1). (I5)
"""
HOMES = {
    "XDG_CONFIG_HOME": ".config", "XDG_CACHE_HOME": ".cache", "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
}  # fmt: skip

TERMINAL = ("TERM", "COLORTERM", "TERM_PROGRAM", "DISPLAY", "WAYLAND_DISPLAY", "TMPDIR", "EDITOR", "VISUAL", "NO_COLOR")
"""More variables, for a program that a person uses."""

LOGIN_PROFILES = (".profile", ".zprofile")
"""Files that login shells read in a home. Codex runs each command in such a shell, and the machine's own profile would
set another PATH.
"""


def run_mark(run: str) -> str:
    """Return the value of the run mark, by which processes of a run are found."""
    return f"{AGENT_MARK}{run}"


def environment(
    environ: Mapping[str, str], *, run: str, directory: str, home: str, asked: Sequence[str] = (),
    own: Mapping[str, str] | None = None, writes: bool = False, checkout: str = "",
) -> dict[str, str]:  # fmt: skip
    """Return the complete environment of a run. `asked` and `own` never override the values set here.

    - asked: names to pass on, or `NAME=value`
    - own: what the program itself needs
    - writes: the run commits
    - checkout: a directory outside any repository. Git must not search above it.
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
    """Return the environment for a person who resumes a conversation: a run's, without its marks."""
    variables = environment(environ, run="none", directory="", home=home, asked=asked, own=own, writes=True)
    for name in (*QUIET, RUN_MARK, RUN_DIR, "TMPDIR", "GIT_CEILING_DIRECTORIES"):
        variables.pop(name, None)
    return {**{name: environ[name] for name in TERMINAL if name in environ}, **variables}


def git_settings(*settings: tuple[str, str]) -> dict[str, str]:
    """Return variables with settings for every git of a run. They override all files."""
    numbered = [(f"GIT_CONFIG_KEY_{n}", f"GIT_CONFIG_VALUE_{n}", *pair) for n, pair in enumerate(settings)]
    variables = {name: word for key, value, setting, to in numbered for name, word in ((key, setting), (value, to))}
    return {"GIT_CONFIG_COUNT": str(len(settings)), **variables}


def wanted(environ: Mapping[str, str], asked: Sequence[str]) -> dict[str, str]:
    """Return the variables that a profile requests or sets."""
    variables: dict[str, str] = {}
    for entry in asked:
        name, is_set, value = entry.partition("=")
        if not name.startswith(NEVER_PASSED_ON) and (is_set or name in environ):
            variables[name] = value if is_set else environ[name]
    return variables


def clean_path(path: str) -> str:
    """Return PATH with absolute directories only. A relative or empty entry would mean a directory of the edited files."""
    return os.pathsep.join(entry for entry in path.split(os.pathsep) if entry.startswith("/")) or os.defpath


def path_with_fe(path: str) -> str:
    """Return PATH, with the directory of this `fe` added at the end if PATH has no `fe`."""
    import shutil

    entries = clean_path(path)
    own_folder = os.path.dirname(sys.executable or "")
    has_own = own_folder and os.path.exists(os.path.join(own_folder, "fe"))
    return entries if not has_own or shutil.which("fe", path=entries) else f"{entries}{os.pathsep}{own_folder}"


def login_profile(path: str) -> str:
    """Return a profile for login shells that sets the PATH of a run."""
    import shlex

    return f"PATH={shlex.quote(path_with_fe(path))}\nexport PATH\n"
