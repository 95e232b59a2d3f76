"""Results about sessions and of the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.steps import NO_STEP, Steps

if TYPE_CHECKING:
    from foureyes.core.nouns.session import Actor


class SessionView(msgspec.Struct, frozen=True, kw_only=True):
    """A stored session."""

    id: str
    kind: str
    trust: str
    name: str
    agent: str = ""
    person: str = ""
    host: str = ""
    model: str = ""
    vendor: str = ""
    origin: str = ""
    proven: bool = True
    parent: str | None = None
    base: str | None = None
    process: str = ""
    started_at: str = ""
    last_seen_at: str = ""
    ended: bool = False


class Whoami(msgspec.Struct, frozen=True, kw_only=True):
    """The caller, and how it was recognized."""

    session: str
    name: str
    kind: str
    trust: str
    agent: str = ""
    person: str = ""
    role: str = ""
    task: str = ""
    parent: str = ""
    origins: list[str] = []
    proven: bool = True
    known: bool = False
    why: list[str] = []
    next: Steps = NO_STEP


def whoami_alone(actor: Actor) -> Whoami:
    """Return the caller outside of any project."""
    return Whoami(
        session=actor.session,
        name=actor.name,
        kind=actor.kind,
        trust=actor.trust,
        agent=actor.agent,
        person=actor.person,
        origins=[str(actor.session)],
        proven=actor.is_proven,
        why=list(actor.why),
        next=actor.bound.next if actor.bound else NO_STEP,
    )


class Spawned(msgspec.Struct, frozen=True, kw_only=True):
    """A new session with its token, which is shown once and stored nowhere."""

    session: str
    name: str
    role: str
    task: str
    token: str
    notes: tuple[str, ...] = ()


class EndedSessions(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions that were ended, and claims released with them."""

    ended: list[str]
    released: list[str] = []
