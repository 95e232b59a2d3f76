"""The vocabulary of the journal about who is who: sessions, tokens, keys, signatures (I)."""

from __future__ import annotations

from foureyes.core.events.event import Event
from foureyes.core.nouns.session import Role, SessionKind, Trust
from foureyes.core.words.ids import SessionId


class SessionStarted(Event, frozen=True, kw_only=True):
    """The first write of a session, with all the evidence of who it is (I1, I3)."""

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
    """More evidence about a known session; it may join two origins."""

    evidence: tuple[str, ...]


class TokenIssued(Event, frozen=True, kw_only=True):
    """A session was given a secret (I2): good for one role, one task, and only below one process. Only its hash is
    kept.

    The session of the row gave it out; `evidence` makes one origin of all that one person or service gives out (I4).
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
    """A session is over: its token is void, its claims are free."""

    session: SessionId
    reason: str = ""


class AttributionCleared(Event, frozen=True, kw_only=True):
    """I8: a person says that trailers up to this attempt name a session wrongly. The entries stay; they no longer
    count.
    """

    session: SessionId
    attempt: int
    reason: str


class KeyAdded(Event, frozen=True, kw_only=True):
    """A person's public key (I9). The first one of a project rests on an observed person, later ones on an earlier
    key.
    """

    fingerprint: str
    public: str
    person: str


class KeyRetired(Event, frozen=True, kw_only=True):
    """A key that counts no more; what it signed before stays signed."""

    fingerprint: str
    reason: str


class DecisionSigned(Event, frozen=True, kw_only=True):
    """I9: a person's signature under what the rows beside it record: project, task, verb, diff id, reason, journal
    head.
    """

    key: str
    statement: str
    signature: str
