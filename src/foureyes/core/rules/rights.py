"""Commands that each kind of session may use. This is checked before any rule looks at the task. (I1, I2, I5)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.errors import Reason
from foureyes.steps import blank, by, by_person, fe, prose

if TYPE_CHECKING:
    from foureyes.core.nouns.session import Role, SessionKind, Trust

FOR_A_NAME = frozenset({"log"})
FOR_A_HOOK = frozenset({"log"})
"""Commands for a process started by git, under a token that it finds. (I5)"""
FOR_A_SERVICE = frozenset(
    {
        "init", "create", "log", "handoff", "submit", "setup", "store backup", "session spawn", "session end", "check run",
        "merge", "plan import", "checkpoint create", "finding answer", "finding import", "run", "pause --now",
        "sprint plan", "sprint start", "sprint stop", "sprint pause", "sprint undo",
        "review request --now", "review decide",
    }
)  # fmt: skip
RUNNERS = frozenset({"a runner", "fe run", "fe watch"})
"""Programs that start agents, each with its own token. (I5)"""
FOR_PEOPLE = frozenset(
    {
        "hold", "resume", "config set", "config set --default", "config accept", "store restore",
        "store copy", "store join", "store adopt", "target here", "target accept", "target accept --address", "key add --new",
        "key add", "key retire", "audit correct-author", "plan accept", "finding waive",
        "pause", "review clarify --ask", "review decide --end",
    }
)  # fmt: skip
NOT_FOR_AGENTS = frozenset(
    {
        "merge",
        "run",
        "pause --now",
        "sprint plan",
        "sprint start",
        "sprint stop",
        "sprint pause",
        "sprint undo",
        "review request --now",
    }
)
"""Commands closed to agents.

Checks must run outside the process trees of the authors (D5, Q2). An agent that runs agents would run only its own
(I5). An agent may ask for a review of its own work only (V1).
"""
RULE_OF = {
    "config": "P12",
    "store": "P12",
    "store restore": "I5",
    "target": "Q6",
    "key": "I9",
    "audit": "I8",
    "plan": "M7",
    "finding": "E3",
    "review": "V8",
}
FOR_A_ROLE: dict[Role, frozenset[str]] = {
    "implement": frozenset(
        {
            "log",
            "handoff",
            "session spawn",
            "session end",
            "start",
            "submit",
            "check run",
            "finding answer",
            "agent signal",
            "agent emit",
            "review request",
            "review clarify",
            "review decide",
        }
    ),
    "review": frozenset(
        {
            "log",
            "handoff",
            "session spawn",
            "session end",
            "approve",
            "withdraw",
            "redo",
            "reject",
            "review submit",
            "finding add",
            "finding judge",
            "finding judge --withdraw",
            "review decide",
        }
    ),
    "lead": frozenset({"log", "handoff", "lead split", "lead senior", "lead fresh", "lead ask", "lead continue"}),
    "plan": frozenset({"log", "handoff", "agent emit", "agent signal"}),
}
"""Commands that a token permits on its task. (I2)

`start` finds the claim that came with the token. A planning run answers with a plan, and a person imports it (M7).
"""
FOR_A_RUN_THAT_REVIEWS = frozenset({"log"})
"""Commands for a runner's reviewer. Its answer is its last message, which the runner records. (I2)"""

MAKES_TASKS = frozenset({"create", "plan import"})
KNOWN = FOR_A_SERVICE | FOR_PEOPLE | NOT_FOR_AGENTS | frozenset().union(*FOR_A_ROLE.values()) | frozenset(
    {
        "block", "cancel", "check environments --prune", "checkpoint list --prune", "checkpoint restore", "close", "defer",
        "delete", "dep", "dep --remove", "finding answer --track", "label", "merge --retry", "next", "reopen", "whoami --new",
        "unblock", "undefer", "unstart", "update", "worktree --prune",
    }
)  # fmt: skip
"""Every verb that needs a right. A verb missing here is a defect, and nobody may use it."""


def barred(
    kind: SessionKind,
    trust: Trust,
    name: str,
    verb: str,
    role: Role | None = None,
    within: str = "",
    bound: Reason | None = None,
    by_key: bool = False,
    by_git: bool = False,
    in_run: bool = False,
) -> Reason | None:
    """Return why this caller may not use the command, or None if it may. (I2)

    - bound: why the caller may not decide, or None
    - by_key: the caller is a person only with a signature
    - by_git: git started the process. A token then permits only the log.
    - in_run: the token is a run's
    """
    if within:
        message = f"this was started by {within}: programs started by a check, a hook or the gate have no rights"
        if within in RUNNERS:
            message = f"this was started by {within} and shows no token of its run, so it has no rights"
        return Reason("I5", message, prose("a person or an agent runs it, outside of checks, hooks and runs"))
    if trust == "asserted" and verb not in FOR_A_NAME:
        return Reason(
            "I1",
            f'"{name}" is only a name given with --as, and such a name may only log',
            prose("call it without --as"),
        )
    if role == "plan" and verb in MAKES_TASKS:
        why = "a planning run cannot create tasks. Its answer is the plan, which a person reads and imports"
        return Reason("M7", why, by_person(fe("plan", "import", blank("FILE"))))
    if in_run and role == "review" and verb not in FOR_A_RUN_THAT_REVIEWS:
        why = f"a reviewer started by a runner only answers with its last message, so {verb} is not allowed"
        return Reason("I2", why, prose("end with one review_result document, as the prompt says"))
    if role is not None and verb not in FOR_A_ROLE[role]:
        return Reason(
            "I2",
            f"{verb} is not allowed with a token of role {role}. Allowed on its task: {_list(FOR_A_ROLE[role])}",
            fe("whoami"),
        )
    if bound is not None and (_is_bound(kind, verb) or (by_git and role is not None and verb not in FOR_A_HOOK)):
        return bound
    if by_key and verb not in SIGNED | DECISIONS | UNSIGNED:
        message = f"you count as a person here only when you sign, and fe {verb} takes no signature"
        return Reason("I9", message, fe("whoami"))
    if verb in NOT_FOR_AGENTS and kind == "agent":
        return _not_for_agents(verb)
    if verb in FOR_PEOPLE and kind != "human":
        return _for_people(verb)
    if kind == "service" and verb not in FOR_A_SERVICE:
        return Reason(
            "I5",
            "this process has no terminal and no agent above it, so it is a service. A service may create, log, submit, check "
            f"and merge, but not {verb}",
            prose("run it in a terminal, or from an agent"),
        )
    if verb and verb not in KNOWN:
        return Reason("G1", f"{verb} is not a known right, so nobody has it", fe("doctor"))
    return None


def _for_people(verb: str) -> Reason:
    """Return the refusal for a command reserved for people."""
    rule = RULE_OF.get(verb) or RULE_OF.get(verb.partition(" ")[0], "I5")
    typed = fe(*verb.split(), blank("…"))
    return Reason(rule, f"fe {verb} is for people", by("person", typed, "a person runs it in a terminal: "))


def _not_for_agents(verb: str) -> Reason:
    """Return the refusal for a command closed to agents. It says who may use it. (D5, I5)"""
    if verb == "merge":
        why = "an agent cannot process the merge queue, because checks that run below an agent do not count"
        return Reason("D5", why, by("person_or_service", fe("merge"), "a person or a service (cron, CI) runs: "))
    if verb == "pause --now":
        why = "an agent can end only its own run. A person or the runner can stop others"
        return Reason("I5", why, by_person(fe("pause", blank("TASK"), "--now")))
    if verb.startswith("sprint "):
        why = "a person or a service chooses the tasks of a sprint, never an agent"
        return Reason("I5", why, by("person_or_service", fe(*verb.split(), blank("…")), "a person or CI runs: "))
    if verb == "review request --now":
        why = "an agent can ask for a review of one task. Only a person can ask for all."
        return Reason("V1", why, fe("review", "request", blank("TASK")))
    why = "an agent cannot start a runner, because the runner's agents would share its origin"
    return Reason("I5", why, by_person(fe("run")))


def _is_bound(kind: SessionKind, verb: str) -> bool:
    """Return True if a bound caller, whose independence is not shown, may not use this command. (I3, I5)"""
    if kind == "service":
        return verb not in FOR_A_SERVICE
    return verb in DECISIONS


def _list(verbs: frozenset[str]) -> str:
    return ", ".join(sorted(verbs))


PLACING = frozenset({"store restore", "store copy", "store adopt"})
"""Commands for a person whose store is not where its journal says. (P12)"""


DECISIONS = frozenset(
    {
        "approve", "withdraw", "redo", "reject", "close", "cancel", "delete", "reopen", "unblock", "finding judge",
        "finding judge --withdraw", "review submit", "lead split", "lead senior", "lead fresh", "lead ask", "lead continue",
    }
)  # fmt: skip
"""Decisions that need a person's signature under `human_proof = "key"`. (I9)"""


SIGNED = frozenset(
    {
        "config set", "config set --default", "config accept", "hold", "resume", "audit correct-author",
        "key add", "key retire", "finding waive", "store adopt", "target here", "target accept", "target accept --address",
        "review decide --end",
    }
)  # fmt: skip
"""Commands that need a signature once any key exists. Break-glass, and an approval that counts because it is a
person's, need one too. (I9)
"""

UNSIGNED = frozenset({"create", "log"})
"""Commands that need no signature from a caller who counts as a person only by a key. (I9)"""
