"""Reads the caller's environment: the token of a run and the variables set by agent programs."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

import msgspec

from foureyes.adapters.identity.programs import CONVERSATIONS, MARKS, agent_named
from foureyes.core.nouns.session import RUN_DIR, RUN_TOKEN
from foureyes.core.words.digest import sha256

# ---- Environment (I3) ----


class AgentMarks(msgspec.Struct, frozen=True, kw_only=True):
    """The agent marks in an environment: variable names, their agents (the most specific first) and conversation
    evidence.
    """

    variables: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    conversations: tuple[str, ...] = ()


def read_marks(environ: Mapping[str, str]) -> AgentMarks:
    """Return the agent marks. A variable with an empty value does not count."""
    seen = [(variable, agent or agent_named(environ[variable])) for variable, agent in MARKS if environ.get(variable)]
    return AgentMarks(
        variables=tuple(variable for variable, _ in seen),
        agents=tuple(dict.fromkeys(agent for _, agent in seen)),
        conversations=tuple(_conversation(name, environ[name]) for name in CONVERSATIONS if environ.get(name)),
    )


def _conversation(variable: str, value: str) -> str:
    """Return the evidence of a conversation. The id is hashed, because it could give a reader of the journal access to
    the conversation."""
    digest = sha256(value.encode("utf-8", "surrogateescape")).hexdigest()
    return f"conv:{variable}:{digest[:16]}"


# ---- The token of a run ----

# Programs and shells drop variables that look like secrets. Other processes may be able to read the remaining ones.

LARGEST = 256


def run_token(environ: Mapping[str, str]) -> str:
    """Return the token in the run's directory, "" unless the file is private to this user.

    Ignoring a bad file is safe: below a runner a caller without a token has no rights, and elsewhere the token changes
    nothing.
    """
    path = environ.get(RUN_DIR, "")
    if not os.path.isabs(path):
        return ""
    from foureyes.adapters.folders import folder, opened

    try:
        with folder(os.path.normpath(path)) as directory, open(opened(RUN_TOKEN, at=directory), "rb") as file:
            about = os.fstat(file.fileno())
            if about.st_uid != os.geteuid() or stat.S_IMODE(about.st_mode) & 0o077:
                return ""
            text = file.read(LARGEST + 1)
    except OSError:
        return ""
    return text.decode("ascii", "replace").strip() if len(text) <= LARGEST else ""
