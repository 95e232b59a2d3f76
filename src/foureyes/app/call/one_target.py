"""One target (Q6): the merge that it has to have, and the clone that merges where no remote carries it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.refusals import refuse_task
from foureyes.core.nouns.attempt import Commit
from foureyes.core.words.ids import Sha
from foureyes.core.words.place import FILE
from foureyes.core.words.refs import FENCE, exactly, tracked
from foureyes.errors import ConfigError, EnvironmentProblem, Reason, RemoteProblem
from foureyes.steps import Steps, blank, by_person, by_person_or_service, either, fe, in_turn, phrase, shell

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.app.views.project import ProjectView
    from foureyes.core.nouns.task import Task

NEAR_TIP = 500
"""So many commits below a tip are looked at."""
SHOWN = 3
MEANT = "; if that was meant: "
NOT_ARRIVED = "its merge was pushed and did not arrive"
NOT_KNOWN = "its merge was pushed, and it is not known yet whether it arrived"
HERE = by_person(fe("merges", "here", "-m", phrase("why they move")))


class MergePlace(msgspec.Struct, frozen=True):
    """What the journal says: the newest merge of the target, and where merges are made; empty where nothing is
    known.
    """

    newest: str
    clone: str

    @property
    def host(self) -> str:
        """The machine that merges."""
        return self.clone.rpartition(":")[0]


class MergeOf(msgspec.Struct, frozen=True):
    """A task, and the commit that it was merged as."""

    id: str
    sha: Sha


class SetBackRow(msgspec.Struct, frozen=True):
    """When a person accepted that the target lacks merges, and what was recorded."""

    seq: int
    at: str
    payload: str


class AttemptCommits(msgspec.Struct, frozen=True):
    """The commits of an attempt that is on the target."""

    task: str
    commits: list[Commit]


class MergedBefore(msgspec.Struct, frozen=True):
    """A merge of a task whose approval has ended since, as it was recorded, and the commits of the attempt."""

    seq: int
    task: str
    payload: str
    commits: list[Commit]


class RemoteAnswer(msgspec.Struct, frozen=True):
    """A remote that answers, and where its target is; None where it has none. `newest`: the last merge on record when
    it was asked.
    """

    name: str
    target: str
    tip: Sha | None
    newest: str = ""


class MergeStop(msgspec.Struct, frozen=True):
    """What keeps this clone from merging: a sentence, and the way back."""

    text: str
    next: Steps


class SentMerge(msgspec.Struct, frozen=True):
    """A merge that was pushed to the remote, while nobody knows whether it arrived; `value` is what its intent says."""

    task: str
    value: str

    @property
    def made(self) -> Sha:
        return Sha(self.value.split(" ")[0])

    @property
    def attempt(self) -> int:
        return int(self.value.split(" ")[1])

    @property
    def remote(self) -> str:
        """Where it was pushed to."""
        return self.value.split(" ", 2)[2]


def accepting(tip: str) -> Steps:
    """How a person says that the target lacks merges on purpose, and that this is where they saw it."""
    return by_person(fe("merges", "accept", "--seen", tip, "-m", phrase("why it was set back")))


def sent_merges(tx: Tx) -> dict[str, SentMerge]:
    """Q6: tasks whose merges may be on the remote, with what was pushed."""
    return {row.task: row for row in tx.all("merge.sent", SentMerge)}


def sent_for(tx: Tx, task: str) -> Sha | None:
    """The merge of a task that may be on the remote."""
    sent = sent_merges(tx).get(task)
    return sent.made if sent else None


def refuse_sent(tx: Tx, task: str) -> None:
    """Q4, Q6: what may be on the remote's target already is not taken back by a word."""
    if sent_for(tx, task) is not None:
        why = f"the merge of {task} was pushed, and it is not known yet whether it arrived"
        refuse_task(task, "was not changed", Reason("Q4", why, by_person_or_service(fe("merge"))))


def remote_of(context: Context, tx: Tx) -> str:
    """The name of the project's remote; empty where it has none, or nobody can tell."""
    try:
        return context.gate_policy(tx).remote
    except ConfigError:
        return ""


def asked(context: Context) -> RemoteAnswer | None:
    """What the remote says about the target, fetched; None where the project has none. `RemoteProblem` where it cannot
    be asked. The fence comes with it where this clone lacks the last merge: a target that was set back has it no more.
    """
    with context.store.read() as tx:
        remote = context.remote(tx) if remote_of(context, tx) else None
        target, newest = context.project(tx).target, merge_place_of(tx).newest
    if remote is None:
        return None
    branch, has_newest = f"refs/heads/{target}", not newest or context.repo.commit_of(newest) is not None
    tips = remote.fetch([branch] if has_newest else [branch, FENCE])
    return RemoteAnswer(remote.name, target, tips.get(branch), newest)


def target_ref(context: Context, tx: Tx, project: ProjectView) -> str:
    """What git calls the target: the branch, or what the remote had for it when it was last asked (Q6)."""
    branch, remote = f"refs/heads/{project.target}", remote_of(context, tx)
    ref = tracked(remote, branch) if remote else ""
    return ref if ref and context.repo.commit_of(ref) is not None else branch


def known_target(context: Context, tx: Tx, project: ProjectView) -> str:
    """The target that work is counted against (K4, Q6): the branch by its name, or what the remote had for it."""
    ref = target_ref(context, tx, project)
    return project.target if ref == f"refs/heads/{project.target}" else ref


def there_now(context: Context) -> Sha | None:
    """Where the remote has the target, asked now; None where the project has none, or where it cannot be asked."""
    try:
        answered = asked(context)
    except RemoteProblem:
        return None
    return answered.tip if answered else None


def known_ref(context: Context, tx: Tx, project: ProjectView) -> str:
    """The target as far as this clone knows it: the branch, or what the remote had for it, if that is further. A clone
    that was brought up to date since the remote was asked knows more.
    """
    branch, ref = f"refs/heads/{project.target}", target_ref(context, tx, project)
    here, tip = (context.repo.commit_of(each) for each in (branch, ref))
    if here == tip or tip is None or (here is not None and context.repo.is_ancestor(tip, here)):
        return branch
    return ref


def known_tip(context: Context) -> Sha | None:
    """Where that stands; asked before a transaction, because git takes its time."""
    with context.store.read() as tx:
        ref = known_ref(context, tx, context.project(tx))
    return context.repo.commit_of(ref)


def merge_place_of(tx: Tx) -> MergePlace:
    """Where merges stand."""
    return tx.one("merge.place", MergePlace) or MergePlace("", "")


def lacking(context: Context, tx: Tx, project: ProjectView, seen: Sha | None = None) -> MergeStop | None:
    """Q6: that the target lacks the newest merge on record; None where it has it, or where there is no target. `seen`:
    where the remote has it, for who asked; a page goes by what is noted here.
    """
    newest, repo = Sha(merge_place_of(tx).newest), context.repo
    tip = (seen or repo.commit_of(target_ref(context, tx, project))) if newest else None
    if tip is None or tip == newest or repo.is_ancestor(newest, tip):
        return None
    task = next((row.id for row in tx.all("merge.shas", MergeOf) if row.sha == newest), "")
    last = f"the last merge on record ({newest[:7]} of {task})" if task else f"{newest[:7]}, from which merges go on"
    remote, target = remote_of(context, tx), project.target
    where = f"{target} of {remote}" if remote else target
    text = f"{where} is at {tip[:7]} and lacks {last}"
    if repo.commit_of(newest) is None:
        fetch = shell("git", "fetch", blank("REMOTE"), before="bring it from the clone that has it: ")
        return MergeStop(f"{text}, which this clone does not have", either(fetch, accepting(tip), joint=MEANT))
    accept, set_back = accepting(tip), repo.is_ancestor(tip, newest)
    what = "it was set back" if set_back else "it was set to something else"
    text = f"{text}: {what}, or the merge never arrived there"
    from foureyes.app.call.unbrought import looking_at, some_of, strays_beyond

    if strange := strays_beyond(context, tx, newest, tip):  # nobody is to push that unseen (Q5)
        look = by_person(looking_at(strange[0]))
        text = f"{text}; that merge stands on what no task brought: {some_of(strange)}"
        return MergeStop(text, either(look, accept, joint=MEANT))
    back = by_person(_back(remote, target, tip, newest, set_back=set_back))
    if strange := strays_beyond(context, tx, tip, newest):
        text = f"{text}; no task brought what is there: {some_of(strange)}"
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


def given_up(tx: Tx) -> dict[str, str]:
    """Q6: tasks whose merges a person has accepted to be off the target, and when that was last."""
    from foureyes.core.events.gate import TargetSetBack

    rows = tx.all("merge.set_back", SetBackRow)
    return {task: row.at for row in rows for task in msgspec.json.decode(row.payload, type=TargetSetBack).lost}


def lost_merge(context: Context, tx: Tx, project: ProjectView, task: Task) -> str:
    """Q6: that a person accepted a target without the merge of a task; empty where it has it, or has it again."""
    at = given_up(tx).get(task.id) if task.merge else None
    tip = context.repo.commit_of(target_ref(context, tx, project)) if at else None
    if not at or not task.merge or (tip is not None and context.repo.is_ancestor(task.merge, tip)):
        return ""
    return f"its merge is not on {project.target}: a person accepted that on {at[:10]} (fe rules Q6)"


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
    branch, repo = f"refs/heads/{target}", context.repo
    here = repo.commit_of(branch)
    if here is None or here == there or repo.is_ancestor(here, there):
        return None
    keep, switch = shell("git", "branch", f"{target}-{here[:7]}", target), shell("git", "switch", target)
    go = in_turn(keep, switch, shell("git", "reset", "--keep", there))
    look = shell("git", "log", "--oneline", f"{there}..refs/heads/{target}")
    text = f"{target} of this clone has commits that {remote} lacks, and was left as it is"
    return MergeStop(text, either(look, go, joint=f"; to put them aside and go on from {remote}: "))


def has_newest(context: Context, tx: Tx, tip: Sha) -> bool:
    """Q6: whether a commit has the newest merge on record."""
    newest = Sha(merge_place_of(tx).newest)
    return not newest or newest == tip or context.repo.is_ancestor(newest, tip)


def newest_after(context: Context, tx: Tx, found: Sha) -> Sha:
    """The newest merge once another one was found on the target: that one, unless it lies behind the one on record."""
    newest = Sha(merge_place_of(tx).newest)
    return newest if newest and context.repo.is_ancestor(found, newest) else found


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
