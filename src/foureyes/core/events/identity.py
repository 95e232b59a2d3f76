"""Journal events about identity: sessions, tokens, keys, signatures. (I)"""

from __future__ import annotations

from foureyes.core.events.event import Event
from foureyes.core.nouns.session import Role, SessionKind, Trust
from foureyes.core.words.ids import SessionId


class SessionStarted(Event, frozen=True, kw_only=True):
    """The first write of a session, with all evidence of its identity. (I1, I3)"""

    kind: SessionKind
    trust: Trust
    agent: str = ""
    person: str = ""
    host: str = ""
    model: str = ""
    vendor: str = ""
    name: str = ""
    proven: bool = True
    parent: SessionId | None = None
    evidence: tuple[str, ...] = ()
    base: SessionId | None = None
    process: str = ""


class SessionEvidenceAdded(Event, frozen=True, kw_only=True):
    """New evidence about a known session. It may join two origins."""

    evidence: tuple[str, ...]


class TokenIssued(Event, frozen=True, kw_only=True):
    """A session got a secret for one role and one task. It is valid only below one process, and only its hash is kept.
    (I2)

    The row's session issued it. `evidence` joins everything issued by one person or service into one origin (I4).
    """

    session: SessionId
    hash: str
    role: Role
    bound: str
    name: str
    agent: str = ""
    model: str = ""
    vendor: str = ""
    host: str = ""
    evidence: tuple[str, ...] = ()


class SessionEnded(Event, frozen=True, kw_only=True):
    """A session ended. Its token is void and its claims are released."""

    session: SessionId
    reason: str = ""


class AttributionCleared(Event, frozen=True, kw_only=True):
    """A person declared that trailers in attempts up to this one wrongly name a session. They stay, but no longer
    count. (I8)
    """

    session: SessionId
    attempt: int
    reason: str


class KeyAdded(Event, frozen=True, kw_only=True):
    """A person's public key was added. The first key of a project needs an observed person, later ones an earlier key.
    (I9)
    """

    fingerprint: str
    public: str
    person: str


class KeyRetired(Event, frozen=True, kw_only=True):
    """A key was retired. Its earlier signatures stay valid."""

    fingerprint: str
    reason: str


class DecisionSigned(Event, frozen=True, kw_only=True):
    """A person signed the rows recorded with this one: project, task, command, diff id, reason, journal head. (I9)"""

    key: str
    statement: str
    signature: str
