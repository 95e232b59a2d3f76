"""The target as the remote answers, or as the journal has it (K1, K4, Q6): no ref of a clone says where it is.

Agents can write the refs of the clone they work in, those that note what a remote had among them. What work begins at,
and what it is counted against, is the remote's answer; where it cannot be asked, the last merge on record that is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.one_target import MergeOf, asked, known_target, merge_place_of, remote_of
from foureyes.core.words.ids import Sha
from foureyes.errors import RemoteProblem
from foureyes.steps import NO_STEP, Steps

if TYPE_CHECKING:
    from foureyes.app.call.context import Context

HOW_FAR = 200
"""Among so many of the last merges one is looked for that is here."""


class ToldTarget(msgspec.Struct, frozen=True):
    """Where the target is; None where nobody says it. `remote`: whose target it is, empty where it is the branch here.
    `is_told`: the remote answered, or there is none. `unasked`: why it could not be asked, and what helps.
    """

    at: Sha | None
    remote: str = ""
    is_told: bool = True
    unasked: str = ""
    step: Steps = NO_STEP

    def must(self, target: str) -> RemoteProblem:
        """That nobody says it."""
        why = self.unasked or f"{self.remote} was not asked"
        return RemoteProblem(
            f"nothing was merged yet, so only {self.remote} can say where {target} is: {why}",
            kind="unreachable",
            next_step=self.step,
        )


class TargetOfHandIn(msgspec.Struct, frozen=True):
    """What a hand-in is counted against: a commit or the branch here. `is_told`: it is the target for sure; else what
    was on it before, which says of nothing that it landed; `unsaid`: why it is only what this clone has of it.
    """

    at: str
    is_told: bool
    unsaid: str = ""


def told_target(context: Context, *, asks: bool = True, heard: Sha | None = None) -> ToldTarget:
    """Where the target is: the remote is asked, or was (`heard`). A remote that answers and has no such branch leaves
    the one that is here.
    """
    with context.store.read() as tx:
        remote, branch = remote_of(context, tx), f"refs/heads/{context.project(tx).target}"
    if not remote:
        return ToldTarget(context.repo.commit_of(branch))
    if heard is not None:
        return ToldTarget(heard, remote)
    why, step = "", NO_STEP
    if asks:
        try:
            answered = asked(context)
            there = answered.tip if answered else None
            return ToldTarget(there or context.repo.commit_of(branch), remote, is_told=there is not None)
        except RemoteProblem as problem:
            why, step = problem.message, problem.next_step
    return ToldTarget(_on_record(context), remote, is_told=False, unasked=why, step=step)


def _on_record(context: Context) -> Sha | None:
    """The last merge on record that is in this clone."""
    with context.store.read() as tx:
        newest = merge_place_of(tx).newest
        if not newest or context.repo.commit_of(newest) is not None:
            return Sha(newest) if newest else None
        merged = [row.sha for row in tx.all("merge.shas", MergeOf)][-HOW_FAR:]
    lacking = set(context.repo.missing(merged)) if merged else set()
    return next((sha for sha in reversed(merged) if sha not in lacking), None)


def counted_against(context: Context, began: Sha | None, *, asks: bool) -> TargetOfHandIn:
    """K4, Q6: what work that `began` somewhere on the target is counted against, when it is handed in or looked at: the
    remote's answer; else where it began or the last merge on record, whichever is further. Before the first merge that
    may be nothing: then what this clone has, and the merge stops what the target turns out to lack (Q2).
    """
    told = told_target(context, asks=asks)
    with context.store.read() as tx:
        project = context.project(tx)
        known = known_target(context, tx, project)
    if not told.remote:
        return TargetOfHandIn(project.target, is_told=True)
    if told.at is None and began is None:
        return TargetOfHandIn(known, is_told=False, unsaid=told.must(project.target).message)
    if told.is_told or told.at is None or began is None:
        return TargetOfHandIn(told.at or began or known, is_told=told.is_told)
    is_later = context.repo.commit_of(began) is not None and context.repo.is_ancestor(told.at, began)
    return TargetOfHandIn(began if is_later else told.at, is_told=False)
