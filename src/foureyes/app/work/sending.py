"""Attempts travel: what was handed in here and the remote lacks is pushed, with its branch (A1, Q6).

A push that fails loses nothing: the attempt is on record and kept here, and the next command that sends tries again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.git_ports import Moved, RefUpdate
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import DETACHED, KEPT_ATTEMPTS, KEPT_REMOTES, attempt_ref, tracked
from foureyes.errors import GitProblem
from foureyes.steps import either, fe

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.git_ports import Remote
    from foureyes.app.views.attempt import SubmitOutcome

MOST = 200
"""So many attempts go with one push."""
TRIES = 4


class Kept(msgspec.Struct, frozen=True):
    """An attempt, and where its branch is."""

    task: str
    n: int
    head: Sha
    ref: str
    landed: bool

    @property
    def kept_as(self) -> str:
        return attempt_ref(self.task, self.n)


class Sent(msgspec.Struct, frozen=True):
    """What a push came to: how many attempts went, what was left where it was, and why nothing went."""

    remote: str = ""
    attempts: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    why_not: str = ""


NOTHING = Sent()


def send(context: Context) -> Sent:
    """Push every attempt that is kept here and that the remote is not known to have."""
    with context.store.read() as tx:
        remote = context.remote(tx)
        if remote is None:
            return NOTHING
        rows, target = tx.all("attempt.kept", Kept), context.project(tx).target
    try:
        waiting = _waiting(context, remote.name, rows)
        return _push(context, remote, waiting[:MOST], rows, f"refs/heads/{target}") if waiting else NOTHING
    except GitProblem as problem:
        return Sent(remote.name, why_not=problem.message)


def unsent(context: Context) -> tuple[str, list[str]]:
    """The project's remote, and the tasks with attempts that are kept here and were never pushed; nobody is asked."""
    with context.store.read() as tx:
        remote = context.remote(tx)
        rows = tx.all("attempt.kept", Kept) if remote is not None else []
    if remote is None:
        return "", []
    return remote.name, list(dict.fromkeys(row.task for row in _waiting(context, remote.name, rows)))


def _waiting(context: Context, name: str, rows: list[Kept]) -> list[Kept]:
    """The attempts that are kept here and were never pushed from here, nor fetched."""
    here = context.repo.kept(KEPT_ATTEMPTS)
    there = context.repo.kept(f"{KEPT_REMOTES}{name}/")
    return [
        row for row in rows if here.get(row.kept_as) == row.head and there.get(tracked(name, row.kept_as)) != row.head
    ]


def _push(context: Context, remote: Remote, waiting: list[Kept], rows: list[Kept], target: str) -> Sent:
    """All of it at once. A branch to which somebody else has pushed meanwhile stays, and the rest goes."""
    attempts = [RefUpdate(row.kept_as, row.head) for row in waiting]
    branches = _branches(context, remote.name, waiting, rows, target)
    left: list[str] = []
    for _ in range(TRIES):
        answer = remote.push([*attempts, *branches.values()])
        if not isinstance(answer, Moved):
            return Sent(remote.name, tuple(row.task for row in waiting), tuple(left))
        update = branches.pop(answer.ref, None)
        if update is None:
            return Sent(remote.name, left=tuple(left), why_not=f"{remote.name} has another commit as {answer.ref}")
        if answer.now is not None and _is_behind(context, answer.now, update, rows):
            branches[answer.ref] = RefUpdate(update.ref, update.new, answer.now)
        else:
            name, at = answer.ref.removeprefix("refs/heads/"), answer.now[:7] if answer.now else "nothing"
            left.append(f"{name} on {remote.name} is at {at}, which is not part of this: it was left there")
    return Sent(remote.name, left=tuple(left), why_not=f"{remote.name} moved {TRIES} times meanwhile")


def _branches(context: Context, name: str, waiting: list[Kept], rows: list[Kept], target: str) -> dict[str, RefUpdate]:
    """The branches of the latest attempts; the target moves by merges alone (Q6)."""
    latest = {row.task: row for row in rows}
    mine = [row for row in waiting if latest[row.task] is row and not row.landed and row.ref not in (DETACHED, target)]
    known = {row.ref: context.repo.commit_of(tracked(name, row.ref)) for row in mine}
    return {row.ref: RefUpdate(row.ref, row.head, known[row.ref]) for row in mine if known[row.ref] != row.head}


def _is_behind(context: Context, now: Sha, update: RefUpdate, rows: list[Kept]) -> bool:
    """Whether what the remote has for a branch is in this attempt, or was handed in from that branch before."""
    handed = {row.head for row in rows if row.ref == update.ref}
    return now in handed or (context.repo.commit_of(now) is not None and context.repo.is_ancestor(now, update.new))


def with_sent(context: Context, made: SubmitOutcome) -> SubmitOutcome:
    """A hand-in, and whether the other machines have it by now (Q6)."""
    sent = send(context)
    if not sent.remote:
        return made
    if sent.why_not:
        step = either(fe("submit", made.task, before="to try again: "), made.next, joint="; ")
        return replace(made, sent=f"not pushed yet: {sent.why_not}", next=step)
    said = "; ".join([f"pushed to {sent.remote}", *sent.left])
    return replace(made, sent=said)
