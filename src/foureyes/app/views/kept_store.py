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
    """Who a caller is to a server's store: its owner, a writer or a reader. `lacks`: rights that such a one needs;
    `more`: what a writer could do to what is recorded, and need not; `aside`: the stores that were set aside beside it,
    for the owner. `owner`: who that is.
    """

    name: str
    kind: str
    schema: str
    lacks: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    owner: str = ""


class Milestones(msgspec.Struct, frozen=True, kw_only=True):
    """How far a store goes: the rows of its journal, the tasks that it knows as merged."""

    rows: int
    merged: tuple[str, ...] = ()


class CopiedStore(msgspec.Struct, frozen=True, kw_only=True):
    """What `fe store copy` did: how many rows, and where the store is now. `let_in`: the roles that the store let in
    when it was on that server before, and lets in again.
    """

    rows: int
    store: str
    let_in: tuple[str, ...] = ()


class RestoredStore(msgspec.Struct, frozen=True, kw_only=True):
    """What `fe restore` did. `where` is where the store lies now: a file, or a server's address; `kept` is where the
    store before it is, empty if there was none; `rows_undone` is None where that one could not be read. `behind`: why
    merging waits until a person takes this store up (P12). `on_server`: the store is on a server, and `kept` the name
    of a schema there; `owner`: whose it is now; `let_in`: the other roles that it lets in as before, `absent`: those
    that this server does not know; `unknown`: nothing tells who was let in.
    """

    kept: str
    rows: int
    rows_undone: int | None = None
    merged_undone: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    on_server: bool = False
    owner: str = ""
    where: str = ""
    let_in: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    unknown: bool = False
    next: Steps = NO_STEP
