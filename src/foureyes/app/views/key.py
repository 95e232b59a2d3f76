"""Keys of people on record."""

from __future__ import annotations

import msgspec

from foureyes.steps import NO_STEP, Steps


class SigningKey(msgspec.Struct, frozen=True, kw_only=True):
    """A person's public key on record."""

    fingerprint: str
    public: str
    person: str
    session: str = ""
    at: str = ""
    retired_at: str | None = None
    retired_why: str = ""


class KeyOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a key. `registered` is false for one that somebody with a key still has to add. `partly`: it signs
    what only a person may do, and not every decision (I9); `notes` say which.
    """

    fingerprint: str
    public: str
    registered: bool = True
    partly: bool = False
    message: str = ""
    notes: tuple[str, ...] = ()
    next: Steps = NO_STEP


class KeyView(SigningKey, frozen=True, kw_only=True):
    """A key on record; `here` when its private part lies on this machine."""

    here: bool = False
