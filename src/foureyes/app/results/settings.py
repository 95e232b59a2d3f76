"""Results about settings, keys, agent program setups and restored stores."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.steps import NO_STEP, Steps

# ---- Settings in force and configurations to accept ----


class SettingView(msgspec.Struct, frozen=True, kw_only=True):
    """A setting in force."""

    key: str
    value: object
    source: str
    note: str = ""


class ChangedSetting(msgspec.Struct, frozen=True):
    """A setting that an accepted configuration would change. `looser`: it would demand less."""

    key: str
    old: str
    new: str
    looser: bool = False

    @property
    def text(self) -> str:
        return f"{self.key}: {self.old} → {self.new}{' (looser)' if self.looser else ''}"


class ConfigurationOffer(msgspec.Struct, frozen=True, kw_only=True):
    """A configuration that a person may accept.

    `lines` are the changes to read, with the full text of templates. `seen` identifies all of it. `new`: it differs
    from the accepted one.
    """

    target: str
    seen: str
    digest: str
    new: bool
    changed: tuple[ChangedSetting, ...]
    lines: tuple[str, ...]


class Acceptance(msgspec.Struct, frozen=True):
    """The result of accepting a configuration. `digest` identifies the file, and `seen` everything shown."""

    digest: str
    changed: list[str]
    new: bool = True
    seen: str = ""


# ---- People's keys ----


class SigningKey(msgspec.Struct, frozen=True, kw_only=True):
    """A person's recorded public key."""

    fingerprint: str
    public: str
    person: str
    session: str = ""
    at: str = ""
    retired_at: str | None = None
    retired_why: str = ""


class KeyOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The result for a key.

    `registered` is False if another key owner still has to add it. `partly`: it signs only some decisions, and `notes`
    say which (I9).
    """

    fingerprint: str
    public: str
    registered: bool = True
    partly: bool = False
    message: str = ""
    notes: tuple[str, ...] = ()
    next: Steps = NO_STEP


class KeyView(SigningKey, frozen=True, kw_only=True):
    """A recorded key. `here`: its private part is on this machine."""

    here: bool = False


# ---- Setting up agent programs ----

SetupResult = Literal["written", "updated", "unchanged", "removed", "absent", "kept", "by hand"]


class FileChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a file by `fe setup`. `before` and `after` are its texts, None if there is no file. `lines` have to
    be added or removed by hand.
    """

    file: str
    result: SetupResult
    why: str = ""
    lines: str = ""
    before: str | None = None
    after: str | None = None


class ProgramSetup(msgspec.Struct, frozen=True, kw_only=True):
    """The setup of an agent program in this checkout, and problems with it."""

    program: str
    entries: tuple[str, ...]
    wrong: tuple[str, ...] = ()


# ---- Restored and adopted stores ----


class Adoption(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `fe store adopt`. `place` and `anchor` are empty if they were right already."""

    rows: int
    place: str = ""
    anchor: str = ""
    notes: tuple[str, ...] = ()


class StoreRole(msgspec.Struct, frozen=True, kw_only=True):
    """The caller's role on a database server: owner, writer or reader. `rewrites`: a writer who could change records.
    `owner`: the owner's name.
    """

    name: str
    kind: str
    schema: str
    rewrites: bool = False
    owner: str = ""


class Milestones(msgspec.Struct, frozen=True, kw_only=True):
    """The size of a store: its number of rows, and the tasks it knows as merged."""

    rows: int
    merged: tuple[str, ...] = ()


class CopiedStore(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `fe store copy`."""

    rows: int
    store: str


class RestoredStore(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `fe store restore`.

    - where: the store's place now, a file or a server's address
    - kept: the previous store's place, "" if there was none
    - rows_undone: None if the previous store could not be read
    - behind: why nothing is merged before a person adopts this store (P12)
    - on_server: the store is on a server, and `kept` is a schema there
    - owner: its owner now
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
