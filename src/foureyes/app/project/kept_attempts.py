"""Every attempt that was submitted is still there: its ref, its commit, its tree (A1, J2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.views.audit import Discrepancy
from foureyes.core.words.ids import Sha
from foureyes.core.words.place import FILE
from foureyes.core.words.refs import KEPT_ATTEMPTS, attempt_ref
from foureyes.errors import GitProblem

if TYPE_CHECKING:
    from foureyes.app.call.context import Context


class KeptAttempt(msgspec.Struct, frozen=True):
    """What was submitted, and what git has to keep of it."""

    task: str
    n: int
    head: Sha
    tree: Sha

    @property
    def ref(self) -> str:
        return attempt_ref(self.task, self.n)


def attempts_lost(context: Context) -> tuple[list[Discrepancy], list[str]]:
    """What is not as it was submitted, and what cannot be told: a clone of a shared project has what was submitted
    there, and perhaps nothing of the others.
    """
    with context.store.read() as tx:
        attempts = tx.all("attempt.kept", KeptAttempt)
    if not attempts:
        return [], []
    try:
        refs = context.repo.kept(KEPT_ATTEMPTS)
        gone = context.repo.missing([sha for attempt in attempts for sha in (attempt.head, attempt.tree)])
    except GitProblem as problem:
        return [Discrepancy("completeness", f"the kept attempts cannot be read: {problem.message}")], []
    elsewhere = [each for each in attempts if context.store.place != FILE and each.ref not in refs]
    lost = [
        discrepancy
        for each in attempts
        if each not in elsewhere
        for discrepancy in _wrong(each, refs.get(each.ref), gone)
    ]
    notes = [f"{len(elsewhere)} of {len(attempts)} attempts are not kept in this clone"] if elsewhere else []
    return lost, notes


def _wrong(attempt: KeptAttempt, kept: Sha | None, gone: set[Sha]) -> list[Discrepancy]:
    name = f"attempt {attempt.n} of {attempt.task}"
    if kept is not None and kept != attempt.head:
        return [Discrepancy("integrity", f"{name}: {attempt.ref} is at {kept[:12]}, not at {attempt.head[:12]}")]
    lost = [
        f"{name}: its {word} {sha[:12]} is not in the repository, or not all of it"
        for word, sha in (("commit", attempt.head), ("tree", attempt.tree))
        if sha in gone
    ]
    if kept is None:
        lost.append(f"{name}: {attempt.ref} is gone (git update-ref {attempt.ref} {attempt.head} puts it back)")
    return [Discrepancy("completeness", text) for text in lost]
