"""What keeps this clone from merging (Q6): a target that lacks the last merge on record, or that another clone merges.

Each stop is a sentence and the way back. Who decides gives what the remote answered; who looks goes by what is noted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.noted_target import branch_here, noted_tip
from foureyes.app.call.recorded_target import merge_place_of, remote_of
from foureyes.core.words.ids import Sha
from foureyes.core.words.place import FILE
from foureyes.core.words.refs import exactly
from foureyes.errors import EnvironmentProblem
from foureyes.steps import Steps, blank, by_person, either, fe, in_turn, phrase, shell, unshallow

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.call.told_target import RemoteAnswer
    from foureyes.app.ports import Tx
    from foureyes.app.views.project import ProjectView
    from foureyes.core.nouns.task import Task

NEAR_TIP = 500
"""So many commits below a tip are looked at."""
MEANT = "; if that was meant: "
UNTOLD = "this clone cannot tell which merges the target lacks"
"""Of a clone that has not all of its history."""
HERE = by_person(fe("target", "here", "-m", phrase("why they move")))


class MergeStop(msgspec.Struct, frozen=True):
    """What keeps this clone from merging: a sentence, and the way back."""

    text: str
    next: Steps


def accepting(tip: str) -> Steps:
    """How a person says that the target lacks merges on purpose, and that this is where they saw it."""
    return by_person(fe("target", "accept", "--seen", tip, "-m", phrase("why it was set back")))


def lacking(context: Context, tx: Tx, project: ProjectView, seen: Sha | None = None) -> MergeStop | None:
    """Q6: that the target lacks the newest merge on record; None where it has it, or where there is no target. `seen`:
    where the remote has it, for who asked; a page goes by what is noted here.
    """
    newest, repo = Sha(merge_place_of(tx).newest), context.repo
    tip = (seen or noted_tip(context, tx, project)) if newest else None
    if tip is None or tip == newest or repo.is_ancestor(newest, tip):
        return None
    from foureyes.app.call.known_commits import task_merged_as

    task = task_merged_as(tx, newest)
    last = f"the last merge on record ({newest[:7]} of {task})" if task else f"{newest[:7]}, from which merges go on"
    remote, target = remote_of(context, tx), project.target
    where = f"{target} of {remote}" if remote else target
    text = f"{where} is at {tip[:7]} and lacks {last}"
    if repo.commit_of(newest) is None and repo.history(tip, NEAR_TIP).lacks:
        return MergeStop(f"the history of this clone ends before {last}: {UNTOLD}", unshallow(remote))
    if repo.commit_of(newest) is None:
        fetch = shell("git", "fetch", blank("REMOTE"), before="bring it from the clone that has it: ")
        return MergeStop(f"{text}, which this clone does not have", either(fetch, accepting(tip), joint=MEANT))
    accept, set_back = accepting(tip), repo.is_ancestor(tip, newest)
    what = "it was set back" if set_back else "it was set to something else"
    text = f"{text}: {what}, or the merge never arrived there"
    from foureyes.app.call.unbrought import looking_at, some_of, strays_beyond

    if strange := strays_beyond(context, tx, newest, tip):  # nobody is to push that unseen (Q5)
        look = by_person(looking_at(strange[0]))
        text = f"{text}; that merge is based on commits of no task: {some_of(strange)}"
        return MergeStop(text, either(look, accept, joint=MEANT))
    back = by_person(_back(remote, target, tip, newest, set_back=set_back))
    if strange := strays_beyond(context, tx, tip, newest):
        text = f"{text}; these commits are there and belong to no task: {some_of(strange)}"
        back = in_turn(by_person(looking_at(strange[0])), back)
    return MergeStop(text, either(back, accept, joint=MEANT))


def _back(remote: str, target: str, tip: Sha, newest: Sha, *, set_back: bool) -> Steps:
    """How the merge comes back to the target, with whatever else is there now."""
    if remote and set_back:
        return shell("git", "push", remote, f"{exactly(newest)}:refs/heads/{target}")
    if remote:
        switch = shell("git", "switch", "--detach", exactly(tip))
        return in_turn(switch, shell("git", "merge", newest), shell("git", "push", remote, f"HEAD:refs/heads/{target}"))
    ways = ("--ff-only",) if set_back else ()
    return in_turn(shell("git", "switch", target), shell("git", "merge", *ways, newest))


def lost_merge(context: Context, tx: Tx, project: ProjectView, task: Task) -> str:
    """Q6: that a person accepted a target without the merge of a task; empty where it has it, or has it again."""
    from foureyes.app.call.known_commits import given_up

    at = given_up(tx).get(task.id) if task.merge else None
    tip = noted_tip(context, tx, project) if at else None
    if not at or not task.merge or (tip is not None and context.repo.is_ancestor(task.merge, tip)):
        return ""
    return f"its merge is not on {project.target}: a person accepted that on {at[:10]} (fe help Q6)"


def amiss(context: Context, tx: Tx, project: ProjectView, answer: RemoteAnswer | None = None) -> MergeStop | None:
    """The same for who looks: a clone in which nobody merges, or that has not asked the remote since, need not have it;
    where git or a file cannot be read, that is said by others. `answer`: what the remote said, for who asked.
    """
    try:
        stop = lacking(context, tx, project, answer.tip if answer else None)
        if stop is None or elsewhere(context, tx) is not None:
            return None
        return None if remote_of(context, tx) and _may_be_there(context, tx, answer) else stop
    except EnvironmentProblem:
        return None


def _may_be_there(context: Context, tx: Tx, answer: RemoteAnswer | None) -> bool:
    """Whether the newest merge is not in this clone, and may be on the remote's target all the same: that was not asked
    since it is on record, or the history of this clone ends somewhere (`--depth`). Else it is not on it.
    """
    newest, repo = merge_place_of(tx).newest, context.repo
    if repo.commit_of(newest) is not None:
        return False
    if answer is None or answer.tip is None or answer.newest != newest:
        return True
    return bool(repo.history(answer.tip, NEAR_TIP).lacks)


def stopped(context: Context, tx: Tx, project: ProjectView) -> MergeStop | None:
    """Q6: what keeps this clone from merging, as far as it is known here without asking the remote."""
    stop = amiss(context, tx, project)
    if stop is not None:
        return stop
    try:
        return elsewhere(context, tx)
    except EnvironmentProblem:
        return None


def ahead_here(context: Context, remote: str, target: str, there: Sha) -> MergeStop | None:
    """Q5, Q6: that the target's branch here has commits that the remote lacks, and how it comes to what the remote has
    without losing them. None where it has none.
    """
    here = branch_here(context, target)
    if here is None or here == there or context.repo.is_ancestor(here, there):
        return None
    keep, switch = shell("git", "branch", f"{target}-{here[:7]}", target), shell("git", "switch", target)
    go = in_turn(keep, switch, shell("git", "reset", "--keep", there))
    look = shell("git", "log", "--oneline", f"{there}..refs/heads/{target}")
    text = f"{target} of this clone has commits that {remote} lacks, and was left as it is"
    return MergeStop(text, either(look, go, joint=f"; to put them aside and go on from {remote}: "))


def elsewhere(context: Context, tx: Tx) -> MergeStop | None:
    """Q6: that another clone merges, where several share the store and no remote carries the target."""
    place = merge_place_of(tx)
    if not place.clone or context.store.place in ("", FILE) or remote_of(context, tx):
        return None
    if place.clone == context.outside.clone():
        return None
    where = f"on {place.host}" if place.host else "in another clone"
    text = f"merges are made {where}, and no remote carries the target: a merge here would make a second one"
    return MergeStop(text, either(fe("merge", before=f"{where}: "), HERE, joint="; or, once this clone has them all: "))


def merged_where(context: Context, tx: Tx) -> str:
    """Where merges are made, if not here; empty else."""
    try:
        stop = elsewhere(context, tx)
    except EnvironmentProblem:
        return ""
    return stop.text if stop else ""
