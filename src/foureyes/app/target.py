"""The target branch (K1, K4, Q6): as the remote has it, as the journal has it, as this clone has it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.context import TargetCommit, refuse_task
from foureyes.core.words.ids import NO_ROW, Sha, anchored_row
from foureyes.core.words.refs import FENCE, tracked
from foureyes.core.words.store_place import place_words
from foureyes.errors import ConfigError, GitProblem, Reason, RemoteProblem, StoreProblem
from foureyes.steps import NO_STEP, Steps, by_person, fe, phrase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from foureyes.app.context import Context
    from foureyes.app.git_ports import Remote
    from foureyes.app.ports import Tx
    from foureyes.app.views.project import ProjectView
    from foureyes.core.words.ids import TaskId


# ---- The target as the remote answers, or as the journal has it (K1, K4, Q6) ----

# Agents can write the refs of the clone they work in, those that note what a remote had among them. What work begins at,
# and what it is counted against, is the remote's answer; where it cannot be asked, the last merge on record that is here.


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


# ---- The target as this clone has it (Q6) ----

# For pages, never for decisions: those ask `told_target` (the remote) and `recorded_target` (the journal).


def branch_here(context: Context, target: str) -> Sha | None:
    """Where the branch of this clone is: the target itself in a project that has no remote, else one more copy."""
    return context.repo.commit_of(f"refs/heads/{target}")


def noted_name(context: Context, remote: str, branch: str) -> str:
    """What git calls that which the remote had as a branch when it was last asked; the branch here, by its name, where
    there is no remote, or nothing is noted.
    """
    ref = tracked(remote, f"refs/heads/{branch}") if remote else ""
    return ref if ref and context.repo.commit_of(ref) is not None else branch


def noted_target(context: Context, tx: Tx, project: ProjectView) -> str:
    """What git calls the target for who looks: as the remote had it when it was last asked, or the branch here."""
    return noted_name(context, remote_of(context, tx), project.target)


def noted_tip(context: Context, tx: Tx, project: ProjectView) -> Sha | None:
    """Where that is."""
    return tip_of(context, project, noted_target(context, tx, project))


def furthest_target(context: Context, tx: Tx, project: ProjectView) -> str:
    """The same, or the branch here if that is further: a clone that was brought up to date since the remote was asked
    knows more.
    """
    target, at = project.target, noted_target(context, tx, project)
    here, there = (tip_of(context, project, each) for each in (target, at)) if at != target else (None, None)
    if there is None or here == there or (here is not None and context.repo.is_ancestor(there, here)):
        return target
    return at


def tip_of(context: Context, project: ProjectView, at: str) -> Sha | None:
    """Where what git calls the target is."""
    return branch_here(context, at) if at == project.target else context.repo.commit_of(at)


# ---- The target as the journal has it (Q6) ----

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


# ---- Placing (P12, J3) ----

ADOPT = fe("store", "adopt", "-m", phrase("why it is here"))
MERGES_WITHIN = 500
"""Among so many commits of the target merges are looked for that the store does not know."""


def found_elsewhere(context: Context, project: ProjectView) -> str:
    """P12: that the store is not where its journal says; empty where it is, or where nothing is on record."""
    recorded, place = project.place, context.store.place
    if not recorded or not place or recorded == place:
        return ""
    return f"the journal says that the store lies {place_words(recorded)}, and this one was found {place_words(place)}"


def lost_anchor(context: Context, tx: Tx, project: ProjectView, *, ref: str = "") -> str:
    """J3: an anchor on the target that this store does not hold. What the target has up to the adopted commit counts as
    held, and what lies behind the last merge was compared when that was made. `ref`: what git calls the target, if not
    what is known of it here (Q6).
    """
    repo, target = context.repo, ref or furthest_target(context, tx, project)
    since, adopted = _sent_there(context, tx, target) or _last(tx, project), _adopted(context, project)
    held = partial(held_of, tx)
    if repo.commit_of(target) is None:  # said elsewhere (K1)
        return ""
    if repo.last_anchor(target, since, held=held, adopted=adopted) is None:
        return ""
    return repo.last_anchor(target, since, held=held, adopted=adopted, work=_work(tx)) or ""


def lost_now(context: Context, tx: Tx, project: ProjectView, told: Sha | None = None) -> tuple[str, str]:
    """J3, P12: the last anchor that the store lacks, and the commit of the target up to which a person adopts it.
    `told`: where the remote has it; else it is what this clone has.
    """
    at = told or furthest_target(context, tx, project)
    tip = told or tip_of(context, project, at) or ""
    return lost_anchor(context, tx, project, ref=tip or at), tip


def _adopted(context: Context, project: ProjectView) -> Sha | None:
    """Where the target was when the store was made or adopted, if that commit is in this clone."""
    at = Sha(project.adopted or "")
    return at if at and context.repo.commit_of(at) is not None else None


def _last(tx: Tx, project: ProjectView) -> Sha | None:
    """The last merge, or where the target was when a person made it so."""
    return last_merge(tx) or (Sha(project.tip) if project.tip else None)


def _sent_there(context: Context, tx: Tx, at: str) -> Sha | None:
    """Q4: a merge of this store that was pushed and is on the target: what lies behind it was looked at before."""
    from foureyes.app.target_merges import sent_merges

    repo, sent = context.repo, [row.made for row in sent_merges(tx).values()]
    tip = repo.commit_of(at) if sent else None
    return next((made for made in sent if tip is not None and (made == tip or repo.is_ancestor(made, tip))), None)


def _work(tx: Tx) -> set[Sha]:
    """Commits of tasks that are approved or on the target: who made one wrote its message."""
    from foureyes.app.target_merges import approved_commits, brought_by_tasks

    return brought_by_tasks(tx) | approved_commits(tx)


def held_of(tx: Tx, anchors: Sequence[str]) -> set[str]:
    """J3: those of some anchors `<row>:<hash>` of which the journal has the row: one question for all of them."""
    from foureyes.app.views.journal import JournalHead

    named = {anchor: row for anchor in anchors if (row := anchored_row(anchor)) < NO_ROW}
    rows = tx.all("journal.some", JournalHead, seqs=sorted(set(named.values()))) if named else []
    there = {row.seq: row.hash for row in rows}
    return {anchor for anchor, row in named.items() if there.get(row) == anchor.partition(":")[2]}


def misplaced(context: Context, tx: Tx, project: ProjectView, *, told: Sha | None = None) -> list[str]:
    """Everything that says that this is not the store of the target: a sentence each. `told`: where the remote has
    it.
    """
    sentences = [found_elsewhere(context, project)]
    try:
        anchor = lost_anchor(context, tx, project, ref=told or "")
    except (GitProblem, StoreProblem) as problem:
        return [*filter(None, sentences), f"whether it lacks a merge of the target cannot be told: {problem.message}"]
    if anchor:
        sentences.append(
            f"the last merge on {project.target} names a row ({anchor[:20]}) that this store does not have: it is an "
            "older state or a copy"
        )
    return [sentence for sentence in sentences if sentence]


def unread_anchor(context: Context, tx: Tx, project: ProjectView) -> GitProblem | StoreProblem | None:
    """Why the anchors on the target cannot be compared, if so: then nothing says that this is another store."""
    try:
        lost_anchor(context, tx, project)
    except (GitProblem, StoreProblem) as problem:
        return problem
    return None


def merged_there(context: Context, target: str) -> dict[str, Sha]:
    """P12: tasks whose merge is on the target, for a store that lacks the last one: it may take them for open. `target`
    is what git calls it.
    """
    merges = [commit for commit in context.repo.history(target, MERGES_WITHIN).commits if len(commit.parents) > 1]
    line = context.repo.line(target, MERGES_WITHIN)
    return {task: commit.sha for commit in (*merges, *line) for task in commit.tasks}


def merged_reason(task: str, merged: Mapping[str, Sha]) -> Reason | None:
    """P12: why nobody works on what is merged already, as long as nobody took up the store that lacks the merge."""
    if task not in merged:
        return None
    text = f"its merge is on the target ({merged[task][:7]}), and this store, an older state or a copy, lacks it"
    return Reason("P12", text, by_person(ADOPT))


def refuse_merged(task: TaskId, merged: Mapping[str, Sha]) -> None:
    """P12: what is merged already is not started."""
    if (reason := merged_reason(task, merged)) is not None:
        refuse_task(task, "was not started", reason)
