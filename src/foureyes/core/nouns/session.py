"""Sessions: one worker, either an agent run or a person, with its origin and its independence from others. (I)"""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.core.words.ids import OriginId, SessionId, TaskId
from foureyes.errors import Reason

SessionKind = Literal["agent", "human", "service"]
Trust = Literal["issued", "observed", "asserted"]
Grade = Literal["session", "origin", "program", "model", "vendor", "human"]
Role = Literal["implement", "review", "lead", "plan"]

GRADES: tuple[Grade, ...] = ("session", "origin", "program", "model", "vendor", "human")
ROLES: tuple[Role, ...] = ("implement", "review")
"""Roles that a session may give to a session it spawns. Other roles come only from a runner. (I4)"""
RUN_MARK = "FOUREYES_RUN"
"""The environment variable set in everything that Foureyes starts. Its value says which: a check, a hook or a run.
(I5)
"""
RUN_DIR = "FOUREYES_RUN_DIR"
"""The environment variable with a run's directory. (I2)"""
RUN_TOKEN = "token"  # noqa: S105  (a file's name)
"""The token's file in the run's directory."""
RUN_SOCKET = "socket"
"""The socket in the run's directory. The run's commands reach the runner through it."""

CONVERSATION = "conv:"
"""Prefix of the evidence of a conversation with an agent program."""
NESTED = "nested:"
"""Prefix of the evidence of an agent process that runs below an agent of another name. (I4)"""

HOST_MAP = "0 0 4294967295"
"""The uid map of a process in no user namespace."""


class Namespaces(msgspec.Struct, frozen=True, kw_only=True):
    """A caller's place, if that is not plainly the machine itself. (I3)

    - first: its pid namespace is the machine's first
    - top: otherwise, the name of its pid 1
    - launcher: the agent program or sandbox launcher that is its pid 1
    - forged: why its `/proc` cannot be trusted
    """

    first: bool = True
    top: str = ""
    launcher: str = ""
    uid_map: str = HOST_MAP
    forged: str = ""


class Actor(msgspec.Struct, frozen=True, kw_only=True):
    """The caller as the identity adapter observed it, without data from the store.

    `evidence` holds agent processes among the ancestors, conversation ids and a person's name (I3). `processes` is its
    process part, nearest first. `ancestors` is the evidence of every process above the caller. A token works only
    below the process it was given to (I2). `base` is the session from the evidence alone, if `fe whoami --new` made
    another.

    `token` is the hash of the token shown. `role` and `task` are the limits of a verified token, and `in_run` marks a
    run's token. `within` names the part of Foureyes that started the caller (`fe check run`). Such a caller has no
    rights (I5), and `ancestors` ends below that part. `bound` says why it decides nothing although it may work (I3,
    I5). `git` is the nearest git above it, with the reason why nothing below that decides.

    `namespaces` is set until `core.rules.callers.at_home` has judged the caller's place. Before that it may use no
    command. `by_key`: a person only for signed acts (I9). `lease` is the run and fence for which a runner writes. A
    runner that lost it writes nothing (J4). `keys_here` are keys found where the caller runs, as evidence with their
    file. They count for this decision only and are never recorded (I1).
    """

    session: SessionId
    kind: SessionKind
    trust: Trust
    agent: str = ""
    person: str = ""
    host: str = ""
    model: str = ""
    vendor: str = ""
    evidence: tuple[str, ...] = ()
    processes: tuple[str, ...] = ()
    ancestors: tuple[str, ...] = ()
    leader: str = ""
    parent: SessionId | None = None
    base: SessionId | None = None
    token: str = ""
    role: Role | None = None
    task: TaskId | None = None
    in_run: bool = False
    asserted_name: str = ""
    within: str = ""
    bound: Reason | None = None
    git: tuple[str, Reason] | None = None
    namespaces: Namespaces | None = None
    by_key: bool = False
    lease: tuple[str, int] | None = None
    keys_here: tuple[tuple[str, str], ...] = ()
    why: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name to display before the store has numbered it."""
        return self.asserted_name or self.person or self.agent or self.kind

    @property
    def is_nested(self) -> bool:
        """True if it runs below an agent with another name, so that its own name is only a claim. (I4)"""
        return any(piece.startswith(NESTED) for piece in self.evidence)

    @property
    def is_proven(self) -> bool:
        """False for an agent without process evidence, which has no origin of its own. (I3)"""
        return self.kind != "agent" or bool(self.processes) or self.trust == "issued"


class Party(msgspec.Struct, frozen=True, kw_only=True):
    """A session as the policy sees it, with resolved origins and everything above it.

    - proven: false for an agent without process evidence. Its environment can only join origins (I3), so nothing shows
    that it is independent.
    - above: the sessions that spawned it, nearest first
    - under, under_origins: the agent processes above its own `process`, and their origins
    - role, task: limits of an issued session (I2)
    - bound: why it may not decide (I3, I5)
    - agent: its program's name
    - by_key_file: origins known only from a key file, with that file
    """

    session: SessionId
    kind: SessionKind
    trust: Trust = "observed"
    name: str = ""
    agent: str = ""
    person: str = ""
    origins: frozenset[OriginId] = frozenset()
    proven: bool = True
    above: tuple[SessionId, ...] = ()
    process: str = ""
    under: frozenset[str] = frozenset()
    under_origins: frozenset[OriginId] = frozenset()
    role: Role | None = None
    task: TaskId | None = None
    model: str = ""
    vendor: str = ""
    bound: Reason | None = None
    by_key_file: tuple[tuple[OriginId, str], ...] = ()


def is_same(one: Party, other: Party) -> bool:
    """Return True for the same session or the same person. A person is the same in every terminal (I5)."""
    return one.session == other.session or bool(one.person and one.kind == "human" and one.person == other.person)


def is_oneself(one: Party, other: Party) -> bool:
    """Return True for the same session, person or agent process, or if `one` runs below the process of `other`. (I3)

    Use this before granting a right. Shared origins may only take rights away, because environment variables can merge
    them.
    """
    return is_same(one, other) or bool(other.process and other.process in {one.process, *one.under})


def is_one_origin(one: Party, other: Party) -> bool:
    """Return True if the two share any evidence. (I3)

    Never grant a right on this. It only makes a party an author. To withdraw a verdict, use `is_oneself`.
    """
    return is_same(one, other) or bool(one.origins & other.origins)


def is_tied(one: Party, other: Party) -> bool:
    """Return True unless the two are shown to be independent. Use this before refusing. (I4)

    They are not if they have one origin, or if an agent's origin is unknown, because it may be anyone (G1). A person is
    known.
    """
    unknown = not one.proven or (one.kind == "agent" and not other.proven)
    return is_one_origin(one, other) or unknown


def is_below(one: Party, other: Party) -> bool:
    """Return True if `other` spawned `one` at any depth, or if `one` runs below its process. Services never spawn (I7).
    (I3, I4)
    """
    spawned = other.session in one.above and other.kind != "service"
    return spawned or is_above(other, one)


def is_above(one: Party, other: Party) -> bool:
    """Return True if the process of `one` is above that of `other`. If the process is not recorded, compare its origin
    (G1). (I3)
    """
    return one.process in other.under if one.process else bool(one.origins & other.under_origins)


def has_grade(reviewer: Party, author: Party, grade: Grade) -> bool:
    """Return True if the reviewer is independent of the author at this grade. Programs are compared separately, by
    shared_program(). (I6)
    """
    if grade == "human":
        return reviewer.kind == "human" and not is_one_origin(reviewer, author)
    if grade == "session":
        return not is_same(reviewer, author)
    if is_tied(reviewer, author):
        return False
    if grade in ("origin", "program") or reviewer.kind == "human" or author.kind == "human":
        return True
    if reviewer.trust != "issued" or author.trust != "issued":
        return False
    other_model = bool(reviewer.model and author.model and reviewer.model != author.model)
    other_vendor = bool(reviewer.vendor and author.vendor and reviewer.vendor != author.vendor)
    return other_model and (grade == "model" or other_vendor)
