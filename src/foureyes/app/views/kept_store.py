"""A store that was restored or taken up: how far it goes, what was undone."""

from __future__ import annotations

import msgspec

from foureyes.steps import NO_STEP, Steps


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
