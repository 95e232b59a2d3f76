"""What the environment tells about an agent (I3). It can only join origins: it never makes a new one."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from foureyes.adapters.identity.programs import CONVERSATIONS, MARKS, agent_named
from foureyes.core.words.digest import sha256


class AgentMarks(msgspec.Struct, frozen=True, kw_only=True):
    """The agent marks found: variable names, the agents they tell of (most telling first), conversation evidence."""

    variables: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    conversations: tuple[str, ...] = ()


def read_marks(environ: Mapping[str, str]) -> AgentMarks:
    """Find the marks of agents; a variable with an empty value does not count."""
    seen = [(variable, agent or agent_named(environ[variable])) for variable, agent in MARKS if environ.get(variable)]
    return AgentMarks(
        variables=tuple(variable for variable, _ in seen),
        agents=tuple(dict.fromkeys(agent for _, agent in seen)),
        conversations=tuple(_conversation(name, environ[name]) for name in CONVERSATIONS if environ.get(name)),
    )


def _conversation(variable: str, value: str) -> str:
    """Evidence of a conversation. Hashed: the id itself may open the conversation to whoever reads the journal."""
    digest = sha256(value.encode("utf-8", "surrogateescape")).hexdigest()
    return f"conv:{variable}:{digest[:16]}"
