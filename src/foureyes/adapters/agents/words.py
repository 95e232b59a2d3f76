"""The arguments and variables of one run: a dialect filled in for a profile, a role and a purpose."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence

import msgspec

from foureyes.adapters.agents.dialects import Dialect
from foureyes.adapters.agents.places import PROMPT
from foureyes.app.agent_ports import Launch
from foureyes.core.nouns.run import conversation_of
from foureyes.core.rules.policy import Profile

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
