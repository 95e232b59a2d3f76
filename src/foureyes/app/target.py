"""The target branch, as the remote, the journal and this clone each know it. (K1, K4, Q6)"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.context import TargetCommit, refuse_task
from foureyes.core.words.ids import NO_ROW, Sha, Shape, anchored_row
from foureyes.core.words.refs import FENCE, tracked
from foureyes.core.words.store_place import place_words
from foureyes.core.words.text import visible
from foureyes.errors import ConfigError, GitProblem, Reason, RemoteProblem, StoreProblem
from foureyes.steps import NO_STEP, Steps, by_person, by_person_or_service, fe, phrase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from foureyes.app.context import Context
    from foureyes.app.git_ports import Remote
    from foureyes.app.ports import Tx
    from foureyes.app.results.project import ProjectView
    from foureyes.core.words.ids import TaskId


# ---- The target from the remote, or else from the journal (K1, K4, Q6) ----

# Agents can write the refs of their clone, including remote-tracking refs. So the remote's answer decides where work
# begins and what it is compared with. If the remote cannot be reached, the last recorded merge in this clone decides.


class RemoteQuestion(msgspec.Struct, frozen=True):
    """A query for the target that is not sent yet. `newest` is the last merge recorded so far."""

    remote: Remote
    target: str
    newest: str


class RemoteAnswer(msgspec.Struct, frozen=True):
    """The remote's answer.

    `tip` is the target's commit, None if the remote has no such branch. `newest` is the last merge that was recorded
    when the query was made.
    """

    name: str
    target: str
    tip: Sha | None
    newest: str = ""


class NamedTarget(msgspec.Struct, frozen=True):
    """The target's name and its remote, "" if the target is the local branch. `question` is the query for the remote,
    None if it will not be asked.
    """

    target: str
    remote: str = ""
    question: RemoteQuestion | None = None


class TargetHere(msgspec.Struct, frozen=True):
    """The target as this clone and its store know it, without asking the remote.

    `at` is the target's git name and `tip` its commit. `lost` is an anchor on the target that this store lacks. In that
    case `merged` has the tasks merged there, with their merges. (P12)
    """

    named: NamedTarget
    at: str
    tip: Sha | None
    lost: str
    merged: dict[str, Sha] = {}


class CurrentTarget(msgspec.Struct, frozen=True):
    """The target's commit, and how certain it is.

    - at: the commit, None if no source knows it
    - remote: "" if the target is the local branch
    - is_told: the remote answered, or there is no remote
    - unasked, step: why there is no answer, and how to fix that
    - has_none: the remote answered but has no such branch
    - is_merged: the journal has at least one merge
    """

    at: Sha | None
    remote: str = ""
    target: str = ""
    is_certain: bool = True
    remote_problem: str = ""
    step: Steps = NO_STEP
    has_none: bool = False
    is_merged: bool = False

    def must(self, target: str) -> RemoteProblem:
        """Return the error for a caller that needs a commit although no source knows one."""
        why = self.remote_problem or f"{self.remote} was not asked"
        here = f"no recorded merge of {target} is in this clone" if self.is_merged else "nothing was merged yet"
        return RemoteProblem(
            f"{here}, so only {self.remote} knows where {target} is, but {why}",
            kind="unreachable",
            next_step=self.step,
        )


class SubmissionTarget(msgspec.Struct, frozen=True):
    """The commit or local branch that a submission is compared with.

    `is_certain`: it is certainly the target. Otherwise it is an older commit of the target, so it does not show that
    something was not merged. `why_uncertain` says why only this clone's copy is known.
    """

    at: str
    is_certain: bool
    why_uncertain: str = ""


def ask_target(context: Context) -> RemoteAnswer | None:
    """Fetch the target from the remote, or return None if there is no remote. Raise `RemoteProblem` if it cannot be
    reached.

    If this clone lacks the last merge, the fence is fetched too, because a target that was reset no longer contains
    that merge.
    """
    with context.store.read() as tx:
        question = remote_question(context, tx)
    return answer_to(context, question) if question else None


def remote_question(context: Context, tx: Tx) -> RemoteQuestion | None:
    """Return the query for the remote without sending it, or None if there is no remote."""
    remote = context.remote(tx) if remote_of(context, tx) else None
    return RemoteQuestion(remote, context.project(tx).target, merge_place_of(tx).newest) if remote else None


def answer_to(context: Context, question: RemoteQuestion) -> RemoteAnswer:
    """Fetch the target and return the remote's answer. Raise `RemoteProblem` if there is none."""
    newest, branch = question.newest, f"refs/heads/{question.target}"
    has_newest = not newest or context.repo.commit_of(newest) is not None
    tips = question.remote.fetch([branch] if has_newest else [branch, FENCE])
    return RemoteAnswer(question.remote.name, question.target, tips.get(branch), newest)


def tip_there(context: Context) -> Sha | None:
    """Ask the remote for the target's commit. Return None if there is no remote or it cannot be asked. Then only this
    clone's refs are known, which any agent can change.
    """
    try:
        answer = ask_target(context)
    except GitProblem:
        return None
    return answer.tip if answer else None


def named_target(context: Context, tx: Tx, *, asks: bool = True) -> NamedTarget:
    """Return the target's name and remote, and with `asks` the query for the remote."""
    remote, target = remote_of(context, tx), context.project(tx).target
    return NamedTarget(target, remote, remote_question(context, tx) if remote and asks else None)


def target_here(context: Context, tx: Tx) -> TargetHere:
    """Read the local view of the target in one transaction, for use by a claim. Git is slow, so call this before the
    claim's write transaction.
    """
    tx.along(("merge.last", {}), ("merge.sent", {}))
    project = context.project(tx)
    at = furthest_target(context, tx, project)
    lost = lost_anchor(context, tx, project, ref=at)
    return TargetHere(named_target(context, tx), at, tip_of(context, project, at), lost)


def as_the_remote_has_it(context: Context, here: TargetHere) -> TargetHere:
    """Compare again with the remote's target, and add the tasks merged there. (P12)

    Call this when the target seems to have merges that this store lacks, because anyone who works in the clone can
    write its tracking refs. If the remote cannot be reached, this clone's copy is used.
    """
    target = current_target(context, named=here.named)
    at = target.at if target.remote and target.is_certain else None
    if at is None:
        return replace(here, merged=merged_there(context, here.at))
    with context.store.read() as tx:
        lost = lost_anchor(context, tx, context.project(tx), ref=at)
    return replace(here, at=at, lost=lost, merged=merged_there(context, at) if lost else {})


def current_target(
    context: Context, *, asks: bool = True, heard: Sha | None = None, named: NamedTarget | None = None
) -> CurrentTarget:
    """Return the target's commit, from the remote if possible.

    Without an answer it is the last recorded merge in this clone. If nothing was merged and the remote has no such
    branch, it is the local branch. `heard` is an answer that the caller has, and `named` what named_target() returned.
    """
    if named is None:
        with context.store.read() as tx:
            named = named_target(context, tx, asks=asks and heard is None)
    remote, target = named.remote, named.target
    if not remote:
        return CurrentTarget(branch_here(context, target), "", target)
    if heard is not None:
        return CurrentTarget(heard, remote, target)
    why, step, has_none = "", NO_STEP, False
    if asks and named.question is not None:
        try:
            answered = answer_to(context, named.question)
            if answered.tip is not None:
                return CurrentTarget(answered.tip, remote, target)
            why, has_none = f"{remote} has no branch {target}", True
        except RemoteProblem as problem:
            why, step = problem.message, problem.next_step
    at, is_merged = last_merge_here(context)
    at = branch_here(context, target) if has_none and not is_merged else at
    return CurrentTarget(
        at, remote, target, is_certain=False, remote_problem=why, step=step, has_none=has_none, is_merged=is_merged
    )


def counted_against(context: Context, began: Sha | None, *, asks: bool) -> SubmissionTarget:
    """Return the commit with which to compare work that began at `began`, for a submission or a review. (K4, Q2, Q6)

    It is the remote's answer if there is one. Otherwise it is `began` or the last recorded merge, whichever is later.
    Before the first merge there may be neither. Then it is this clone's copy, and the merge refuses work that the
    target turns out to lack.
    """
    reported = current_target(context, asks=asks)
    if not reported.remote:
        return SubmissionTarget(reported.target, is_certain=True)
    noted = noted_name(context, reported.remote, reported.target)
    if reported.at is None and began is None:
        return SubmissionTarget(noted, is_certain=False, why_uncertain=reported.must(reported.target).message)
    if reported.is_certain or reported.at is None or began is None:
        return SubmissionTarget(reported.at or began or noted, is_certain=reported.is_certain)
    is_later = context.repo.commit_of(began) is not None and context.repo.is_ancestor(reported.at, began)
    return SubmissionTarget(began if is_later else reported.at, is_certain=False)


# ---- The target as this clone has it (Q6) ----

# For pages, never for decisions. Decisions use `current_target`, which asks the remote and falls back to the journal.


def branch_here(context: Context, target: str) -> Sha | None:
    """Return the commit of the local branch. It is the target itself only if the project has no remote."""
    return context.repo.commit_of(f"refs/heads/{target}")


def noted_name(context: Context, remote: str, branch: str) -> str:
    """Return the tracking ref of a remote branch, as last fetched. Without a remote or a tracking ref, return the local
    branch.
    """
    ref = tracked(remote, f"refs/heads/{branch}") if remote else ""
    return ref if ref and context.repo.commit_of(ref) is not None else branch


def noted_target(context: Context, tx: Tx, project: ProjectView) -> str:
    """Return the target's git name for display: its tracking ref, or the local branch."""
    return noted_name(context, remote_of(context, tx), project.target)


def noted_tip(context: Context, tx: Tx, project: ProjectView) -> Sha | None:
    """Return the commit of noted_target()."""
    return tip_of(context, project, noted_target(context, tx, project))


def furthest_target(context: Context, tx: Tx, project: ProjectView) -> str:
    """Like noted_target(), but return the local branch if it is ahead, because someone updated the clone after the last
    fetch.
    """
    target, at = project.target, noted_target(context, tx, project)
    here, there = (tip_of(context, project, each) for each in (target, at)) if at != target else (None, None)
    if there is None or here == there or (here is not None and context.repo.is_ancestor(there, here)):
        return target
    return at


def tip_of(context: Context, project: ProjectView, at: str) -> Sha | None:
    """Return the commit of `at`, a git name of the target."""
    return branch_here(context, at) if at == project.target else context.repo.commit_of(at)


# ---- The target as the journal has it (Q6) ----

LAST_MERGES = 200
"""Number of recent merges that last_merge_here() searches for one in this clone."""


class MergePlace(msgspec.Struct, frozen=True):
    """The newest merge of the target, and the clone that makes merges. Both are "" if nothing is recorded."""

    newest: str
    clone: str

    @property
    def host(self) -> str:
        """The host that runs the merges."""
        return self.clone.rpartition(":")[0]


def remote_of(context: Context, tx: Tx) -> str:
    """Return the name of the remote that has the target, "" if there is none or the configuration is unreadable."""
    try:
        return context.gate_policy(tx).remote
    except ConfigError:
        return ""


def merge_place_of(tx: Tx) -> MergePlace:
    """Return the recorded merge place, or an empty one."""
    return tx.one("merge.place", MergePlace) or MergePlace("", "")


def has_newest(context: Context, tx: Tx, tip: Sha) -> bool:
    """Return True if `tip` contains the newest recorded merge, or if no merge is recorded. (Q6)"""
    newest = Sha(merge_place_of(tx).newest)
    return not newest or newest == tip or context.repo.is_ancestor(newest, tip)


def may_lack_merges(context: Context, tx: Tx, project: ProjectView) -> bool:
    """Return True if a merge is recorded and this clone knows the target at another commit. False if git fails. (Q6)"""
    newest = merge_place_of(tx).newest
    try:
        return bool(newest) and noted_tip(context, tx, project) != newest
    except GitProblem:
        return False


def newest_after(context: Context, tx: Tx, merge: Sha) -> Sha:
    """Return the newest merge once `merge` is on the target. It is `merge`, unless the recorded one contains it."""
    newest = Sha(merge_place_of(tx).newest)
    return newest if newest and context.repo.is_ancestor(merge, newest) else merge


def last_merge_here(context: Context) -> tuple[Sha | None, bool]:
    """Return the last recorded merge in this clone, and True if any merge is recorded.

    Merges from before a person accepted a target do not count, because the target may no longer contain them. Merges
    into a target of another name do not count either.
    """
    with context.store.read() as tx:
        newest = merge_place_of(tx).newest
        if not newest or context.repo.commit_of(newest) is not None:
            return (Sha(newest) if newest else None), bool(newest)
        merged = [row.sha for row in tx.all("merge.latest", TargetCommit, limit=LAST_MERGES)]
    lacking = set(context.repo.missing(merged)) if merged else set()
    return next((sha for sha in merged if sha not in lacking), None), True


def last_merge(tx: Tx) -> Sha | None:
    """Return the last task's merge. Targets that a person accepted since then are ignored."""
    last = tx.one("merge.last", TargetCommit)
    return last.sha if last else None


def points_on_record(tx: Tx) -> set[Sha]:
    """Return the commits of the target at which tasks began or were merged."""
    return {row.sha for name in ("merge.points", "merge.starts") for row in tx.all(name, TargetCommit)}


# ---- Merge intents (Q4, Q6) ----

_INTENT = Shape(r"([0-9a-f]{40}|[0-9a-f]{64}) ([0-9]{1,9}) (.+)")
NOT_ARRIVED = "its merge was pushed but did not arrive"
NOT_KNOWN = "its merge was pushed, but the remote has not confirmed it yet"


class SentMerge(msgspec.Struct, frozen=True):
    """A merge that was pushed without confirmation. `value` is the recorded intent."""

    task: str
    value: str

    @property
    def made(self) -> Sha:
        return Sha(self._words()[0])

    @property
    def attempt(self) -> int:
        return int(self._words()[1])

    @property
    def remote(self) -> str:
        """The remote it was pushed to."""
        return self._words()[2]

    def _words(self) -> Sequence[str]:
        """Parse the intent. Raises `StoreProblem` if the gate did not write it. (J2)"""
        words = _INTENT.fullmatch(self.value)
        if words is None:
            text = (
                f"what is on record of the push of {self.task} was written by no merge: {visible(self.value[:60])!r}."
            )
            raise StoreProblem(text, next_step=fe("audit", "verify"), task=self.task)
        return words.groups()


def sent_merges(tx: Tx) -> dict[str, SentMerge]:
    """Return the merges that may be on the remote, by task. (Q6)"""
    return {row.task: row for row in tx.all("merge.sent", SentMerge)}


def sent_for(tx: Tx, task: str) -> Sha | None:
    """Return the merge of a task that may be on the remote, or None."""
    sent = sent_merges(tx).get(task)
    return sent.made if sent else None


def refuse_sent(tx: Tx, task: str) -> None:
    """Refuse to end an approval while its merge may be on the remote. (Q4, Q6)"""
    if sent_for(tx, task) is not None:
        why = f"the merge of {task} was pushed, but it is not yet known whether it arrived"
        refuse_task(task, "was not changed", Reason("Q4", why, by_person_or_service(fe("merge"))))


# ---- The place of the store (P12, J3) ----

ADOPT = fe("store", "adopt", "-m", phrase("why it is here"))
MERGES_WITHIN = 500
"""How many commits of the target to search for merges that the store lacks."""


def found_elsewhere(context: Context, project: ProjectView) -> str:
    """Return a sentence if the store is not where its journal says, otherwise "". (P12)"""
    recorded, place = project.place, context.store.place
    if not recorded or not place or recorded == place:
        return ""
    return f"the journal says that the store is {place_words(recorded)}, but this one is {place_words(place)}"


def lost_anchor(context: Context, tx: Tx, project: ProjectView, *, ref: str = "") -> str:
    """Return an anchor on the target that this store lacks, or "". (J3, Q6)

    Anchors up to the adopted commit count as held. Anchors older than the last merge were compared when it was made.
    `ref` is the target's git name, by default furthest_target().
    """
    repo, tip = context.repo, context.repo.commit_of(ref or furthest_target(context, tx, project))
    if tip is None or tip == project.adopted:  # another check reports a missing target (K1)
        return ""
    since, adopted = _sent_there(context, tx, tip) or _last(tx, project), _adopted(context, project)
    held = partial(held_of, tx)
    if repo.last_anchor(tip, since, held=held, adopted=adopted) is None:
        return ""
    return repo.last_anchor(tip, since, held=held, adopted=adopted, work=_work(tx)) or ""


def lost_now(context: Context, tx: Tx, project: ProjectView, reported: Sha | None = None) -> tuple[str, str]:
    """Return the last anchor that the store lacks, and the target's commit up to which a person would adopt it. (J3,
    P12)

    `reported` is the remote's target, by default this clone's copy.
    """
    at = reported or furthest_target(context, tx, project)
    tip = reported or tip_of(context, project, at) or ""
    return lost_anchor(context, tx, project, ref=tip or at), tip


def _adopted(context: Context, project: ProjectView) -> Sha | None:
    """Return the commit at which the store was created or adopted, if this clone has it."""
    at = Sha(project.adopted or "")
    return at if at and context.repo.commit_of(at) is not None else None


def _last(tx: Tx, project: ProjectView) -> Sha | None:
    """Return the last merge, or the target's commit at `fe init` or when a person last accepted it."""
    return last_merge(tx) or (Sha(project.tip) if project.tip else None)


def _sent_there(context: Context, tx: Tx, tip: Sha) -> Sha | None:
    """Return a merge that this store pushed and the target contains. Anchors behind it were checked before. (Q4)"""
    sent = [row.made for row in sent_merges(tx).values()]
    return next((made for made in sent if made == tip or context.repo.is_ancestor(made, tip)), None)


def _work(tx: Tx) -> set[Sha]:
    """Return the commits of approved and merged tasks. An anchor in one proves nothing, because its author wrote the
    message.
    """
    from foureyes.app.target_merges import approved_commits, brought_by_tasks

    return brought_by_tasks(tx) | approved_commits(tx)


def held_of(tx: Tx, anchors: Sequence[str]) -> set[str]:
    """Return those of `anchors` (`<row>:<hash>`) that the journal has, with one query. (J3)"""
    from foureyes.app.results.journal import JournalHead

    named = {anchor: row for anchor in anchors if (row := anchored_row(anchor)) < NO_ROW}
    rows = tx.all("journal.some", JournalHead, seqs=sorted(set(named.values()))) if named else []
    there = {row.seq: row.hash for row in rows}
    return {anchor for anchor, row in named.items() if there.get(row) == anchor.partition(":")[2]}


def misplaced(context: Context, tx: Tx, project: ProjectView, *, reported: Sha | None = None) -> list[str]:
    """Return a sentence for each sign that this store does not belong to the target. `reported` is the remote's target."""
    sentences = [found_elsewhere(context, project)]
    try:
        anchor = lost_anchor(context, tx, project, ref=reported or "")
    except (GitProblem, StoreProblem) as problem:
        return [*filter(None, sentences), f"it is unknown whether it lacks a merge of the target: {problem.message}"]
    if anchor:
        sentences.append(
            f"the last merge on {project.target} names a row ({anchor[:20]}) that this store does not have, so the store is an "
            "older state or a copy"
        )
    return [sentence for sentence in sentences if sentence]


def unread_anchor(context: Context, tx: Tx, project: ProjectView) -> GitProblem | StoreProblem | None:
    """Return the problem for which the target's anchors cannot be compared, or None. Then nothing shows that this is
    another store.
    """
    try:
        lost_anchor(context, tx, project)
    except (GitProblem, StoreProblem) as problem:
        return problem
    return None


def merged_there(context: Context, target: str) -> dict[str, Sha]:
    """Return the tasks merged into `target` (a git name), with their merges. (P12)

    A store that lacks the last merge may take these tasks for open.
    """
    merges = [commit for commit in context.repo.history(target, MERGES_WITHIN).commits if len(commit.parents) > 1]
    line = context.repo.line(target, MERGES_WITHIN)
    return {task: commit.sha for commit in (*merges, *line) for task in commit.tasks}


def merged_reason(task: str, merged: Mapping[str, Sha]) -> Reason | None:
    """Return a reason not to work on a task that the target already contains, or None. It stands until a person adopts
    the store. (P12)
    """
    if task not in merged:
        return None
    text = f"its merge is on the target ({merged[task][:7]}), but this store lacks it, so the store is an older state or a copy"
    return Reason("P12", text, by_person(ADOPT))


def refuse_merged(task: TaskId, merged: Mapping[str, Sha]) -> None:
    """Refuse to start a task that is merged already. (P12)"""
    if (reason := merged_reason(task, merged)) is not None:
        refuse_task(task, "was not started", reason)
