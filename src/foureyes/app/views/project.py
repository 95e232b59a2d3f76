"""The project: its row, status, health, settings, keys."""

from __future__ import annotations

import msgspec

from foureyes.app.views.sprint import SprintGlance
from foureyes.steps import NO_STEP, Steps


class CounterRow(msgspec.Struct, frozen=True):
    """A counter row."""

    name: str = ""
    n: int = 0


class ProjectView(msgspec.Struct, frozen=True, kw_only=True):
    """The project row. `tip`: where the target was when a person made another branch the target."""

    id: str
    name: str
    prefix: str
    target: str
    hold: str | None = None
    accepted_digest: str | None = None
    accepted_text: str | None = None
    created_at: str = ""
    place: str | None = None
    anchor: str | None = None
    tip: str | None = None


class Adoption(msgspec.Struct, frozen=True, kw_only=True):
    """What `fe store adopt` took up; `place` and `anchor` are empty where they were right already."""

    rows: int
    place: str = ""
    anchor: str = ""
    notes: tuple[str, ...] = ()


class Milestones(msgspec.Struct, frozen=True, kw_only=True):
    """How far a store goes: the rows of its journal, the tasks that it knows as merged."""

    rows: int
    merged: tuple[str, ...] = ()


class Restored(msgspec.Struct, frozen=True, kw_only=True):
    """What `fe restore` did. `kept` is where the store before it is, empty if there was none; `rows_undone` is None
    where that one could not be read. `behind`: why merging waits until a person takes this store up (P12).
    """

    kept: str
    rows: int
    rows_undone: int | None = None
    merged_undone: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    next: Steps = NO_STEP


class StatusView(msgspec.Struct, frozen=True, kw_only=True):
    """The project at a glance. `lacking`: what the caller can do for the first task in review that they could approve,
    were nothing missing. `barred`: how many in review a person cannot approve, whatever comes (P). `unaccepted` is the
    one of the notes that says so of the configuration (P12).
    """

    project: str
    target: str
    policy: str
    policy_source: str
    counts: dict[str, int]
    reviewable: int
    reviewable_more: bool = False
    lacking: Steps = NO_STEP
    barred: int = 0
    hold: str | None = None
    notes: tuple[Steps, ...] = ()
    unaccepted: Steps | None = None
    sprint: SprintGlance | None = None
    """X2: the sprint that goes on, if any."""
    next: Steps = NO_STEP


class Check(msgspec.Struct, frozen=True):
    """One line of `fe doctor`."""

    check: str
    result: str
    message: str
    next: Steps = NO_STEP


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


class Offer(msgspec.Struct, frozen=True, kw_only=True):
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
    """What accepting a configuration changed."""

    digest: str
    changed: list[str]
    new: bool = True


class SecurityTotal(msgspec.Struct, frozen=True):
    """How often an exception of one kind was made."""

    kind: str
    n: int
    first: str
    last: str


class Key(msgspec.Struct, frozen=True, kw_only=True):
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


class KeyView(Key, frozen=True, kw_only=True):
    """A key on record; `here` when its private part lies on this machine."""

    here: bool = False
