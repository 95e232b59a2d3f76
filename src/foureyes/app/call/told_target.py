"""The target as the remote answers, or as the journal has it (K1, K4, Q6): no ref of a clone says where it is.

Agents can write the refs of the clone they work in, those that note what a remote had among them. What work begins at,
and what it is counted against, is the remote's answer; where it cannot be asked, the last merge on record that is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.call.noted_target import branch_here, furthest_target, noted_name, tip_of
from foureyes.app.call.placing import lost_anchor, merged_there
from foureyes.app.call.recorded_target import last_merge_here, merge_place_of, remote_of
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import FENCE
from foureyes.errors import RemoteProblem
from foureyes.steps import NO_STEP, Steps

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.git_ports import Remote
    from foureyes.app.ports import Tx


class RemoteQuestion(msgspec.Struct, frozen=True):
    """A remote before it is asked for the target. `newest`: the last merge on record by then."""

    remote: Remote
    target: str
    newest: str


class RemoteAnswer(msgspec.Struct, frozen=True):
    """A remote that answers, and where its target is; None where it has none. `newest`: the last merge on record when
    it was asked.
    """

    name: str
    target: str
    tip: Sha | None
    newest: str = ""


class NamedTarget(msgspec.Struct, frozen=True):
    """What the target is called, and whose it is: empty where it is the branch here. `question`: what its remote can be
    asked.
    """

    target: str
    remote: str = ""
    question: RemoteQuestion | None = None


class TargetHere(msgspec.Struct, frozen=True):
    """The target as this clone and its store know it, before anybody is asked. `at` is what git calls it, `tip` where
    it is by that; `lost`: an anchor on it that this store does not hold, and `merged` the tasks whose merges are there
    then (P12).
    """

    named: NamedTarget
    at: str
    tip: Sha | None
    lost: str
    merged: dict[str, Sha] = {}


class ToldTarget(msgspec.Struct, frozen=True):
    """Where the target is; None where nobody says it. `remote`: whose target it is, empty where it is the branch here;
    `target`: what it is called. `is_told`: the remote answered, or there is none. `unasked`: why it did not say it, and
    what helps; `has_none`: it answered, and has no such branch. `is_merged`: there are merges on record.
    """

    at: Sha | None
    remote: str = ""
    target: str = ""
    is_told: bool = True
    unasked: str = ""
    step: Steps = NO_STEP
    has_none: bool = False
    is_merged: bool = False

    def must(self, target: str) -> RemoteProblem:
        """That nobody says it."""
        why = self.unasked or f"{self.remote} was not asked"
        here = f"no merge on record that {target} has is in this clone" if self.is_merged else "nothing was merged yet"
        return RemoteProblem(
            f"{here}, so only {self.remote} can say where {target} is: {why}",
            kind="unreachable",
            next_step=self.step,
        )


class TargetOfHandIn(msgspec.Struct, frozen=True):
    """What a submission is counted against: a commit or the branch here. `is_told`: it is the target for sure; else what
    was on it before, which says of nothing that it landed; `unsaid`: why it is only what this clone has of it.
    """

    at: str
    is_told: bool
    unsaid: str = ""


def ask_target(context: Context) -> RemoteAnswer | None:
    """What the remote says about the target, fetched; None where the project has none. `RemoteProblem` where it cannot
    be asked. The fence comes with it where this clone lacks the last merge: a target that was set back has it no more.
    """
    with context.store.read() as tx:
        question = remote_question(context, tx)
    return answer_to(context, question) if question else None


def remote_question(context: Context, tx: Tx) -> RemoteQuestion | None:
    """What there is to ask the remote, and where it is on record; None where the project has none."""
    remote = context.remote(tx) if remote_of(context, tx) else None
    return RemoteQuestion(remote, context.project(tx).target, merge_place_of(tx).newest) if remote else None


def answer_to(context: Context, question: RemoteQuestion) -> RemoteAnswer:
    """The remote's answer, fetched."""
    newest, branch = question.newest, f"refs/heads/{question.target}"
    has_newest = not newest or context.repo.commit_of(newest) is not None
    tips = question.remote.fetch([branch] if has_newest else [branch, FENCE])
    return RemoteAnswer(question.remote.name, question.target, tips.get(branch), newest)


def tip_there(context: Context) -> Sha | None:
    """Where the remote has the target, asked now; None where the project has none, or where it cannot be asked."""
    try:
        answer = ask_target(context)
    except RemoteProblem:
        return None
    return answer.tip if answer else None


def named_target(context: Context, tx: Tx, *, asks: bool = True) -> NamedTarget:
    """The target by its name, with what its remote is asked where it is to be."""
    remote, target = remote_of(context, tx), context.project(tx).target
    return NamedTarget(target, remote, remote_question(context, tx) if remote and asks else None)


def target_here(context: Context, tx: Tx) -> TargetHere:
    """What a claim looks at before it is made, by one read: git takes its time, and is asked outside of the claim."""
    tx.along(("merge.last", {}))
    project = context.project(tx)
    at = furthest_target(context, tx, project)
    lost = lost_anchor(context, tx, project, ref=at)
    return TargetHere(named_target(context, tx), at, tip_of(context, project, at), lost)


def as_the_remote_has_it(context: Context, here: TargetHere) -> TargetHere:
    """P12: a target that seems to lack this store, looked at where the remote has it, with the tasks that are merged
    there: whoever works in the clone can write what it noted. Where the remote cannot be asked, what the clone has
    counts.
    """
    target = told_target(context, named=here.named)
    at = target.at if target.remote and target.is_told else None
    if at is None:
        return replace(here, merged=merged_there(context, here.at))
    with context.store.read() as tx:
        lost = lost_anchor(context, tx, context.project(tx), ref=at)
    return replace(here, at=at, lost=lost, merged=merged_there(context, at) if lost else {})


def told_target(
    context: Context, *, asks: bool = True, heard: Sha | None = None, named: NamedTarget | None = None
) -> ToldTarget:
    """Where the target is: the remote is asked, or was (`heard`). A remote that answers and has no such branch leaves
    what is on record, and before the first merge the branch that is here. `named`: for who has read that already.
    """
    if named is None:
        with context.store.read() as tx:
            named = named_target(context, tx, asks=asks and heard is None)
    remote, target = named.remote, named.target
    if not remote:
        return ToldTarget(branch_here(context, target), "", target)
    if heard is not None:
        return ToldTarget(heard, remote, target)
    why, step, has_none = "", NO_STEP, False
    if asks and named.question is not None:
        try:
            answered = answer_to(context, named.question)
            if answered.tip is not None:
                return ToldTarget(answered.tip, remote, target)
            why, has_none = f"{remote} has no branch {target}", True
        except RemoteProblem as problem:
            why, step = problem.message, problem.next_step
    at, is_merged = last_merge_here(context)
    at = branch_here(context, target) if has_none and not is_merged else at
    return ToldTarget(at, remote, target, is_told=False, unasked=why, step=step, has_none=has_none, is_merged=is_merged)


def counted_against(context: Context, began: Sha | None, *, asks: bool) -> TargetOfHandIn:
    """K4, Q6: what work that `began` somewhere on the target is counted against, when it is submitted or looked at: the
    remote's answer; else where it began or the last merge on record, whichever is further. Before the first merge that
    may be nothing: then what this clone has, and the merge stops what the target turns out to lack (Q2).
    """
    told = told_target(context, asks=asks)
    if not told.remote:
        return TargetOfHandIn(told.target, is_told=True)
    noted = noted_name(context, told.remote, told.target)
    if told.at is None and began is None:
        return TargetOfHandIn(noted, is_told=False, unsaid=told.must(told.target).message)
    if told.is_told or told.at is None or began is None:
        return TargetOfHandIn(told.at or began or noted, is_told=told.is_told)
    is_later = context.repo.commit_of(began) is not None and context.repo.is_ancestor(told.at, began)
    return TargetOfHandIn(began if is_later else told.at, is_told=False)
