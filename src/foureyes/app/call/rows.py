"""Rows of the store that verbs of several rooms read."""

from __future__ import annotations

import msgspec

from foureyes.core.nouns.session import Role
from foureyes.core.words.ids import SessionId, Sha, TaskId


class EvidenceRow(msgspec.Struct, frozen=True):
    """A piece of evidence that the store has."""

    evidence: str


class Origin(msgspec.Struct, frozen=True):
    """An origin that some evidence belongs to."""

    origin: str


class IdRow(msgspec.Struct, frozen=True):
    """The id of a task, a run or a cycle, where nothing else is asked about it."""

    id: str


class Hash(msgspec.Struct, frozen=True):
    """The hash of a journal row."""

    hash: str


class TargetCommit(msgspec.Struct, frozen=True):
    """A commit of the target that the store knows."""

    sha: Sha


class Count(msgspec.Struct, frozen=True):
    """A number."""

    n: int


class StoredSetting(msgspec.Struct, frozen=True):
    """A journalled setting."""

    name: str
    value: str
    session: str = ""
    at: str = ""


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """A token as the store knows it."""

    hash: str
    session: SessionId
    task: TaskId
    role: Role
    bound: str
    ended: bool


class RunnerRow(msgspec.Struct, frozen=True, kw_only=True):
    """A runner as the store knows it. `until` is when its lease ends (J4)."""

    session: SessionId
    starter: str
    process: str
    host: str
    agents: int
    beacon: str
    """The lock of the database that it holds while it is connected; empty where it has none."""
    started_at: str
    ended_at: str
    reason: str
    lost: bool
    until: str
    seq: int


class CheckLease(msgspec.Struct, frozen=True, kw_only=True):
    """Who runs the checks of a task (J4); `runner` is empty where nobody does."""

    task: str
    runner: str
    fence: int
    until: str


class ChangeRow(msgspec.Struct, frozen=True):
    """A journal row, for saying who changed what."""

    seq: int
    at: str
    session: str
    kind: str
