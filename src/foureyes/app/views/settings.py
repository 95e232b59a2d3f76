"""Settings, keys, setups of agent programs, restored stores."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.steps import NO_STEP, Steps

# ---- Settings in force, and a configuration that a person may accept ----


class SettingView(msgspec.Struct, frozen=True, kw_only=True):
    """A setting in force."""

    key: str
    value: object
    source: str
    note: str = ""


class ChangedSetting(msgspec.Struct, frozen=True):
    """A setting that accepting a configuration would change. `looser`: it would ask for less."""

    key: str
    old: str
    new: str
    looser: bool = False

    @property
    def text(self) -> str:
        return f"{self.key}: {self.old} → {self.new}{' (looser)' if self.looser else ''}"


class ConfigurationOffer(msgspec.Struct, frozen=True, kw_only=True):
    """A configuration that a person may accept: what would change, in lines to be read, the whole text of templates
    among them. `seen` stands for all of it; `new`: it is not the accepted one.
    """

    target: str
    seen: str
    digest: str
    new: bool
    changed: tuple[ChangedSetting, ...]
    lines: tuple[str, ...]


class Acceptance(msgspec.Struct, frozen=True):
    """What accepting a configuration changed. `digest` is of the file, `seen` of all that was shown."""

    digest: str
    changed: list[str]
    new: bool = True
    seen: str = ""


# ---- Keys of people on record ----


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


# ---- Setting up agent programs ----

SetupResult = Literal["written", "updated", "unchanged", "removed", "absent", "kept", "by hand"]


class FileChange(msgspec.Struct, frozen=True, kw_only=True):
    """What `fe setup` does to a file; `before` and `after` are its texts, None where there is no file. `lines` are what
    somebody adds, or takes out, by hand.
    """

    file: str
    result: SetupResult
    why: str = ""
    lines: str = ""
    before: str | None = None
    after: str | None = None


class ProgramSetup(msgspec.Struct, frozen=True, kw_only=True):
    """What a program finds in this checkout, and what of it does not fit."""

    program: str
    found: tuple[str, ...]
    wrong: tuple[str, ...] = ()


# ---- A store that was restored or taken up ----


class Adoption(msgspec.Struct, frozen=True, kw_only=True):
    """What `fe store adopt` took up; `place` and `anchor` are empty where they were right already."""

    rows: int
    place: str = ""
    anchor: str = ""
    notes: tuple[str, ...] = ()


class StoreRole(msgspec.Struct, frozen=True, kw_only=True):
    """Who a caller is to a server's store: its owner, a writer or a reader. `rewrites`: a writer who could change what
    is recorded. `owner`: who the owner is.
    """

    name: str
    kind: str
    schema: str
    rewrites: bool = False
    owner: str = ""


class Milestones(msgspec.Struct, frozen=True, kw_only=True):
    """How far a store goes: the rows of its journal, the tasks that it knows as merged."""

    rows: int
    merged: tuple[str, ...] = ()


class CopiedStore(msgspec.Struct, frozen=True, kw_only=True):
    """What `fe store copy` did: how many rows, and where the store is now."""

    rows: int
    store: str


class RestoredStore(msgspec.Struct, frozen=True, kw_only=True):
    """What `fe store restore` did. `where` is where the store lies now: a file, or a server's address; `kept` is where the
    store before it is, empty if there was none; `rows_undone` is None where that one could not be read. `behind`: why
    merging waits until a person takes this store up (P12). `on_server`: the store is on a server, and `kept` the name
    of a schema there; `owner`: whose it is now.
    """

    kept: str
    rows: int
    rows_undone: int | None = None
    merged_undone: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    on_server: bool = False
    owner: str = ""
    where: str = ""
    next: Steps = NO_STEP
