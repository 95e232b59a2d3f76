"""The target as the journal has it (Q6): whose it is, which merge it has to have, and which clone makes the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.rows import TargetCommit
from foureyes.core.words.ids import Sha
from foureyes.errors import ConfigError

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx

LAST_MERGES = 200
"""Among so many of the last merges one is looked for that is here."""


class MergePlace(msgspec.Struct, frozen=True):
    """The newest merge of the target, and where merges are made; empty where nothing is known."""

    newest: str
    clone: str

    @property
    def host(self) -> str:
        """The machine that merges."""
        return self.clone.rpartition(":")[0]


def remote_of(context: Context, tx: Tx) -> str:
    """The name of the remote that has the target; empty where the project has none, or nobody can tell."""
    try:
        return context.gate_policy(tx).remote
    except ConfigError:
        return ""


def merge_place_of(tx: Tx) -> MergePlace:
    """Where merges stand."""
    return tx.one("merge.place", MergePlace) or MergePlace("", "")


def has_newest(context: Context, tx: Tx, tip: Sha) -> bool:
    """Q6: whether a commit has the newest merge on record."""
    newest = Sha(merge_place_of(tx).newest)
    return not newest or newest == tip or context.repo.is_ancestor(newest, tip)


def newest_after(context: Context, tx: Tx, merge: Sha) -> Sha:
    """The newest merge once another one was found on the target: that one, unless it lies behind the one on record."""
    newest = Sha(merge_place_of(tx).newest)
    return newest if newest and context.repo.is_ancestor(merge, newest) else merge


def last_merge_here(context: Context) -> tuple[Sha | None, bool]:
    """The last merge on record that is in this clone, and whether there are any. None is older than what a person
    accepted as the target, or than the target's own name: those may not be on it.
    """
    with context.store.read() as tx:
        newest = merge_place_of(tx).newest
        if not newest or context.repo.commit_of(newest) is not None:
            return (Sha(newest) if newest else None), bool(newest)
        merged = [row.sha for row in tx.all("merge.latest", TargetCommit, limit=LAST_MERGES)]
    lacking = set(context.repo.missing(merged)) if merged else set()
    return next((sha for sha in merged if sha not in lacking), None), True


def last_merge(tx: Tx) -> Sha | None:
    """The merge of the task that was merged last, whatever a person accepted since."""
    last = tx.one("merge.last", TargetCommit)
    return last.sha if last else None


def points_on_record(tx: Tx) -> set[Sha]:
    """Where the target was when tasks began there, or were merged."""
    return {row.sha for name in ("merge.points", "merge.starts") for row in tx.all(name, TargetCommit)}
