"""Which verbs a session may use at all (I1, I5), before any rule looks at the task."""

from __future__ import annotations

from foureyes.core.session import Kind, Trust
from foureyes.errors import Reason

FOR_A_NAME = frozenset({"log"})
FOR_A_SERVICE = frozenset({"init", "create", "log", "handoff", "submit", "setup", "backup"})
FOR_PEOPLE = frozenset(
    {"hold", "resume", "feature set", "feature unset", "policy set", "policy unset", "policy accept", "restore", "store copy"}
)


def barred(kind: Kind, trust: Trust, name: str, verb: str) -> Reason | None:
    """Why this caller may not use the verb, if so."""
    if trust == "asserted" and verb not in FOR_A_NAME:
        return Reason("I1", f'"{name}" is only a name somebody typed (--as); it may log, nothing else', "call it without --as")
    if verb in FOR_PEOPLE and kind != "human":
        return Reason("P12" if " " in verb else "I5", f"fe {verb} is for people", f"a person runs it in a terminal: fe {verb} …")
    if kind == "service" and verb not in FOR_A_SERVICE:
        return Reason(
            "I5",
            f"no terminal and no agent process above: this is a service, which may create, log and submit, not {verb}",
            "a person types it in a terminal, or an agent runs it",
        )
    return None
