"""Sessions: one worker: an agent run or a person, where they came from (origin), and how independent two of them are (I)."""

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
"""I4: the roles that a session may give to one that it spawns; the others only a runner gives."""
RUN_MARK = "FOUREYES_RUN"
"""The variable that everything finds in its environment which Foureyes starts: a check, a hook, a run (I5). Its value
says which.
"""
RUN_DIR = "FOUREYES_RUN_DIR"
"""The variable that names the directory of a run (I2)."""
RUN_TOKEN = "token"  # noqa: S105  (a file's name)
"""The file there that has the run's token."""
RUN_SOCKET = "socket"
"""The socket there by which its commands reach the runner."""

NESTED = "nested:"
"""The piece of evidence of an agent's process that has an agent of another name above it (I4)."""

HOST_MAP = "0 0 4294967295"
"""How uids are mapped where nobody maps them."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """Where a caller stands that is not plainly on the machine itself (I3).

    `first`: its pid namespace is the machine's first; else `top` is what its pid 1 is called, and `launcher` the agent
    program or sandbox launcher that pid 1 is. `forged` is why `/proc` does not count.
    """

    first: bool = True
    top: str = ""
    launcher: str = ""
    uid_map: str = HOST_MAP
    forged: str = ""


class Actor(msgspec.Struct, frozen=True, kw_only=True):
    """Who is calling, as the identity adapter saw it. Says nothing that needs the store.

    `evidence` are the pieces of I3: agent processes among the ancestors, conversation ids, a person's name.
    `processes` is the part of it that is process evidence, nearest first. `ancestors` is the evidence of every process
    above the caller, agent or not: a token is only good below the one it was given to (I2). `base` is the session that
    the evidence alone would give, where `fe session new` made another. `token` is the hash of the one that was shown;
    `role` and `task` are what a checked one is good for; `in_run`: it is that of a run. `within` is what of Foureyes
    started the caller (`fe check run`); it then has no rights at all (I5), and `ancestors` ends below that. `bound` is why it decides nothing although it
    may work (I3, I5); `git` is the nearest git above it, and why nothing below that decides. `stands` is set where it
    is still to be judged whether the caller is at home (`core.rules.home`); until then it may use no verb.
    `by_key`: a person only under what they sign (I9). `lease`: the run, and its fence, for which a runner
    writes; who lost it writes nothing (J4). `keys_here` are keys that lie where the caller decides, each as evidence
    with its file: for this decision only, never on record (I1).
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
    stands: Standing | None = None
    by_key: bool = False
    lease: tuple[str, int] | None = None
    keys_here: tuple[tuple[str, str], ...] = ()
    why: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What to call it before the store has given it a number."""
        return self.asserted_name or self.person or self.agent or self.kind

    @property
    def is_nested(self) -> bool:
        """I4: it runs below an agent of another name, so what it is called is only that one's word."""
        return any(piece.startswith(NESTED) for piece in self.evidence)

    @property
    def is_proven(self) -> bool:
        """I3: an agent without process evidence has no origin of its own."""
        return self.kind != "agent" or bool(self.processes) or self.trust == "issued"


class Party(msgspec.Struct, frozen=True, kw_only=True):
    """A session as the policy sees it: with its origins resolved and everyone above it named.

    `proven` is false for an agent without process evidence: the environment can only join origins (I3), so
    nothing shows that it is independent of anybody. `above` are the sessions that spawned it, nearest first; `under`
    are the agent processes above its own `process`, `under_origins` what they belong to. `role` and `task` bound what
    an
    issued session may do (I2). `bound` is why it decides nothing (I3, I5). `agent` is what its program is called.
    `by_key_file` are those of its origins that only a key's file says, with that file.
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
    """The same session or the same person (I5: people are themselves across terminals)."""
    return one.session == other.session or bool(one.person and one.kind == "human" and one.person == other.person)


def is_oneself(one: Party, other: Party) -> bool:
    """I3: the same session, person or agent process, or `one` runs below the process of `other`. Ask this before
    something is granted: what a variable says makes one origin of two, and so only takes rights away.
    """
    return is_same(one, other) or bool(other.process and other.process in {one.process, *one.under})


def is_one_origin(one: Party, other: Party) -> bool:
    """I3: any shared piece of evidence makes one origin. It grants nothing but an author's part in the work, which
    makes an author.
    """
    return is_same(one, other) or bool(one.origins & other.origins)


def is_tied(one: Party, other: Party) -> bool:
    """I4: not shown to be independent: one origin, or agents of which nobody knows the origin (G1).

    Ask this before something is refused. A caller of unknown origin may be anybody; a person is somebody.
    """
    unknown = not one.proven or (one.kind == "agent" and not other.proven)
    return is_one_origin(one, other) or unknown


def is_below(one: Party, other: Party) -> bool:
    """I3, I4: `one` was spawned, at any depth, by `other`, or runs below its process. Services are never spawners
    (I7).
    """
    spawned = other.session in one.above and other.kind != "service"
    return spawned or is_above(other, one)


def is_above(one: Party, other: Party) -> bool:
    """I3: the process of `one` is above that of `other`; where it is not on record, its origin is (G1)."""
    return one.process in other.under if one.process else bool(one.origins & other.under_origins)


def has_grade(reviewer: Party, author: Party, grade: Grade) -> bool:
    """I6: whether the reviewer is independent of the author at least to this grade; which programs they are is asked
    apart (`shared_program`).
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
