"""Attempts that the remote lacks: what waits here to be pushed, and what was pushed and is not there any more (Q6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import KEPT_ATTEMPTS, KEPT_REMOTES, attempt_ref, attempt_refs, own_branch, tracked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from foureyes.app.call.context import Context


class SendableAttempt(msgspec.Struct, frozen=True):
    """An attempt, and where its branch is."""

    task: str
    n: int
    head: Sha
    ref: str
    landed: bool
    clone: str = ""
    merged: bool = False

    @property
    def kept_as(self) -> str:
        return attempt_ref(self.task, self.n)

    @property
    def names(self) -> tuple[str, str]:
        """What it may be called at the remote."""
        return attempt_refs(self.task, self.n, self.head)

    @property
    def is_own(self) -> bool:
        """Whether it came from the branch that is the task's by its name."""
        return self.ref == own_branch(self.task)


def unsent(context: Context) -> tuple[str, list[str]]:
    """The project's remote, and the tasks with attempts that are kept here and were never pushed; nobody is asked."""
    with context.store.read() as tx:
        remote = context.remote(tx)
        rows = tx.all("attempt.kept", SendableAttempt) if remote is not None else []
    if remote is None:
        return "", []
    return remote.name, list(dict.fromkeys(row.task for row in waiting_here(context, remote.name, rows)))


def lacking_there(context: Context) -> tuple[list[str], list[str]]:
    """The attempts (by ref) that were pushed from here or fetched, are not merged, and are not at the remote any more;
    and those that have something else in their place there. It is asked.
    """
    with context.store.read() as tx:
        remote, rows, target = context.remote(tx), tx.all("attempt.kept", SendableAttempt), context.project(tx).target
    if remote is None:
        return [], []
    known = context.repo.kept(f"{KEPT_REMOTES}{remote.name}/")
    ours = [row for row in rows if not row.merged and is_noted(known, remote.name, row)]
    tips = remote.tips([f"refs/heads/{target}", *(ref for row in ours for ref in row.names)])
    lacking = [row.kept_as for row in ours if row.head not in map(tips.get, row.names)]
    return [ref for ref in lacking if ref not in tips], [ref for ref in lacking if ref in tips]


def is_noted(pushed: Mapping[str, Sha], name: str, row: SendableAttempt) -> bool:
    """Whether it is noted here that the remote has it; anybody writes notes."""
    return any(pushed.get(tracked(name, ref)) == row.head for ref in row.names)


def waiting_here(context: Context, name: str, rows: list[SendableAttempt]) -> list[SendableAttempt]:
    """The attempts that are kept here and were never pushed from here, nor fetched."""
    here = context.repo.kept(KEPT_ATTEMPTS)
    pushed = context.repo.kept(f"{KEPT_REMOTES}{name}/")
    return [row for row in rows if here.get(row.kept_as) == row.head and not is_noted(pushed, name, row)]
