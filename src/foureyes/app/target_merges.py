"""Merges on the target (Q4, Q5, Q6): on record, pushed but not confirmed, made by hand; and what stops this clone from merging."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.context import TargetCommit, refuse_task
from foureyes.app.target import branch_here, merge_place_of, noted_target, noted_tip, remote_of
from foureyes.app.views.work import LineCommit
from foureyes.core.events.decision import TaskMerged
from foureyes.core.events.gate import RemoteAddressed, TargetSetBack
from foureyes.core.nouns.attempt import Commit
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.refs import exactly
from foureyes.core.words.store_place import FILE
from foureyes.core.words.text import visible
from foureyes.errors import EnvironmentProblem, GitProblem, Reason, RemoteProblem, StoreProblem
from foureyes.steps import Steps, blank, by_person, by_person_or_service, either, fe, in_turn, phrase, shell, unshallow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from foureyes.app.context import Context
    from foureyes.app.git_ports import Address, Moved, Pushed, RefUpdate, Remote, TakenAway, TargetHistory
    from foureyes.app.ports import Tx
    from foureyes.app.target import RemoteAnswer
    from foureyes.app.views.project import ProjectView
    from foureyes.core.nouns.task import Task


# ---- Merge stops (Q6) ----

# Each stop is a sentence and the way back. Who decides gives what the remote answered; who looks goes by what is noted.

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

    if strange := strays_beyond(context, tx, newest, tip):  # nobody is to push that unseen (Q5)
        look = by_person(looking_at(strange[0]))
        text = f"{text}; that merge is based on commits that no task brought: {some_of(strange)}"
        return MergeStop(text, either(look, accept, joint=MEANT))
    back = by_person(_back(remote, target, tip, newest, set_back=set_back))
    if strange := strays_beyond(context, tx, tip, newest):
        text = f"{text}; commits are there that no task brought: {some_of(strange)}"
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


# ---- Merge intents (Q4, Q6) ----

_INTENT = re.compile(r"([0-9a-f]{40}|[0-9a-f]{64}) ([0-9]{1,9}) (.+)")
NOT_ARRIVED = "its merge was pushed and did not arrive"
NOT_KNOWN = "its merge was pushed, and the remote has not confirmed it yet"


class SentMerge(msgspec.Struct, frozen=True):
    """A merge that was pushed to the remote, while nobody knows whether it arrived; `value` is what its intent says."""

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
        """Where it was pushed to."""
        return self._words()[2]

    def _words(self) -> Sequence[str]:
        """The parts of the intent; what no gate wrote is a `StoreProblem`: nothing goes on by it (J2)."""
        words = _INTENT.fullmatch(self.value)
        if words is None:
            text = (
                f"what is on record of the push of {self.task} was written by no merge: {visible(self.value[:60])!r}."
            )
            raise StoreProblem(text, next_step=fe("audit", "verify"), task=self.task)
        return words.groups()


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


# ---- Commits of the target that the journal knows (Q5) ----


class MergeOf(msgspec.Struct, frozen=True):
    """A task, and the commit that it was merged as."""

    id: str
    sha: Sha


class SetBackRow(msgspec.Struct, frozen=True):
    """When a person accepted that the target lacks merges, and what was recorded."""

    seq: int
    at: str
    payload: str

    @property
    def event(self) -> TargetSetBack:
        return msgspec.json.decode(self.payload, type=TargetSetBack)


class AttemptCommits(msgspec.Struct, frozen=True):
    """The commits of an attempt."""

    task: str
    commits: list[Commit]


class MergedBefore(msgspec.Struct, frozen=True):
    """A merge of a task whose approval has ended since, as it was recorded, and the commits of the attempt."""

    seq: int
    task: str
    payload: str
    commits: list[Commit]


class KnownCommits(msgspec.Struct, frozen=True):
    """What the journal says about commits: where the target was when the first task began there or was merged, or when
    a person accepted it; which are merges; and which are these or work of tasks.
    """

    ends: list[Sha]
    merged: set[Sha]
    brought: set[Sha]


def known_commits(tx: Tx, project: ProjectView) -> KnownCommits:
    """All that is on record about commits of the target."""
    accepted = [row.event.tip for row in tx.all("merge.set_back", SetBackRow)]
    ends = [*(row.sha for row in tx.all("merge.first", TargetCommit)), *accepted, Sha(project.tip or "")]
    merged, brought = _merges(tx)
    return KnownCommits([end for end in dict.fromkeys(ends) if end], merged, merged | brought)


def brought_by_tasks(tx: Tx) -> set[Sha]:
    """The work of tasks that is on the target by a merge, or was there before its review; of a task only the attempt
    that was merged, and none whose merge a person gave up (Q6).
    """
    return _merges(tx)[1]


def approved_commits(tx: Tx) -> set[Sha]:
    """The work of tasks that are approved and not merged yet."""
    return {commit.sha for row in tx.all("merge.approved", AttemptCommits) for commit in row.commits}


def task_merged_as(tx: Tx, merge: Sha) -> str:
    """The task that was merged as this commit; empty where none was."""
    return next((row.id for row in tx.all("merge.shas", MergeOf) if row.sha == merge), "")


def given_up(tx: Tx) -> dict[str, str]:
    """Q6: tasks whose merges a person has accepted to be off the target, and when that was last."""
    return {task: row.at for row in tx.all("merge.set_back", SetBackRow) for task in row.event.lost}


def _merges(tx: Tx) -> tuple[set[Sha], set[Sha]]:
    """Merges, and the work that they brought, without those that a person gave up when the target lacked them."""
    lost = {task: row.seq for row in tx.all("merge.set_back", SetBackRow) for task in row.event.lost}
    merged = {row.sha for row in tx.all("merge.shas", MergeOf) if row.id not in lost}
    brought = [row.commits for row in tx.all("merge.brought", AttemptCommits) if row.task not in lost]
    for row in tx.all("merge.earlier", MergedBefore):  # a task that was opened again can have several
        if row.seq > lost.get(TaskId(row.task), 0):
            merged.add(msgspec.json.decode(row.payload, type=TaskMerged).sha)
            brought.append(row.commits)
    return merged, {commit.sha for commits in brought for commit in commits}


# ---- Q5 ----

COMMITS_LOOKED_AT = 2_000
"""So many commits of the target are looked at, those of tasks among them."""
NAMED = 3
"""So many of them are named in a sentence."""


class Unbrought(msgspec.Struct, frozen=True):
    """What to say about them, in one line, the command that shows them, and the commits in short."""

    text: str
    next: Steps
    commits: str = ""


class _Strange(msgspec.Struct, frozen=True):
    """Commits of the target that no task brought; `more`: there may be others behind them. `torn`: where what is known
    of them ends, in words.
    """

    commits: list[LineCommit]
    more: bool = False
    torn: str = ""


def unbrought(context: Context, *, asked: bool = False) -> Unbrought | None:
    """The commits on the target, on whichever of its lines, since `fe init` or since a person accepted it, that are no merge and no work of a task; None where there are none. `asked`: the remote was asked where it is."""
    with context.store.read() as tx:
        project = context.project(tx)
        target, at, known = project.target, noted_target(context, tx, project), known_commits(tx, project)
    try:
        return _told(target, _strange(context, known, at, asked=asked))
    except GitProblem as problem:
        return Unbrought(f"the content of {target} cannot be read: {problem.message}", problem.next_step)


def unbrought_lately(context: Context) -> Unbrought | None:
    """The same for who is in a hurry: where the target is at the last merge, or where nothing was merged yet and it is
    where it was at `fe init` or accepted, nothing is asked.
    """
    with context.store.read() as tx:
        project = context.project(tx)
        ref, until = noted_target(context, tx, project), _known_until(tx, project)
    head = context.repo.commit_of(ref)
    return unbrought(context) if head is not None and until and head != until else None  # none: said elsewhere


def built_on(context: Context, tip: Sha) -> Unbrought | None:
    """Of these commits what a merge onto `tip` would be the first to stand on, to be told before. Where the target is
    at the last merge, nothing is asked.
    """
    with context.store.read() as tx:
        project = context.project(tx)
        until = _known_until(tx, project)
        known = known_commits(tx, project) if tip != until else None
    try:
        return _told(project.target, _strange(context, known, tip, until, asked=True)) if known else None
    except GitProblem as problem:
        return Unbrought(f"the content of {project.target} cannot be read: {problem.message}", problem.next_step)


def strays_beyond(context: Context, tx: Tx, at: Sha, other: Sha) -> list[LineCommit]:
    """Q5: of what `at` has and `other` lacks, on whichever line, what no task brought."""
    return _strange(context, known_commits(tx, context.project(tx)), at, other, asked=True).commits


def unbrought_since(context: Context, start: Sha, tip: Sha) -> Unbrought | None:
    """K4: of these commits what came to the target, which is at `tip`, since a task began at `start`: it may be the
    work of that task, also where it was pushed over `start`.
    """
    repo = context.repo
    if tip == start or repo.missing([start, tip]):
        return None
    with context.store.read() as tx:
        project = context.project(tx)
        known = known_commits(tx, project)
    seen = repo.history(tip, COMMITS_LOOKED_AT)
    behind = _behind(context, known, seen, [start])
    strange = [commit for commit in seen.commits if commit.sha not in behind | known.brought]
    return _told(project.target, _Strange(strange))


def _known_until(tx: Tx, project: ProjectView) -> str:
    """The last merge, or where the target was at `fe init` or accepted since; empty where there is neither."""
    return merge_place_of(tx).newest or project.tip or ""


def _strange(context: Context, known: KnownCommits, at: str, *also: str, asked: bool = False) -> _Strange:
    """What is behind where the target was at `fe init` or the first task began, or behind what was accepted, is not ours to say, wherever the target
    is now; nor what is behind `also`. The rest is: nobody makes a commit known by beginning a task there.
    """
    seen = context.repo.history(at, COMMITS_LOOKED_AT)
    ends = _ends(context, known, seen)
    if not ends and not seen.lacks and (not known.ends or not (asked or context.store.place in ("", FILE))):
        return _Strange([])  # nothing began yet, or what began elsewhere is not in this clone
    behind = _behind(context, known, seen, [*ends, *(Sha(sha) for sha in also if context.repo.commit_of(sha))])
    left = [commit for commit in seen.commits if commit.sha not in behind]
    torn = next((commit.sha for commit in left if seen.lacks.intersection(commit.parents)), "")
    strange = [commit for commit in left if commit.sha not in known.brought] if ends or not torn else []
    return _Strange(strange, seen.more and not behind, torn)


def _ends(context: Context, known: KnownCommits, seen: TargetHistory) -> list[Sha]:
    """Those that this clone has, and behind which no other one is. Where its history ends before them, or nothing is on
    record but merges, these are.
    """
    repo = context.repo
    here = [end for end in known.ends if repo.commit_of(end) is not None]
    if not here and (seen.lacks or not known.ends):
        return [commit.sha for commit in seen.commits if commit.sha in known.merged]
    return [end for end in here if not any(other != end and repo.is_ancestor(other, end) for other in here)]


def _behind(context: Context, known: KnownCommits, seen: TargetHistory, ends: list[Sha]) -> set[Sha]:
    """These commits, and what of those that were looked at is behind one of them, by whichever way."""
    repo, shas = context.repo, {commit.sha for commit in seen.commits}
    behind = set(ends) & shas
    for commit in seen.commits:  # each comes before those that it stands on
        if commit.sha in behind:
            behind.update(commit.parents)
    for end in ends if seen.more else [end for end in ends if end not in shas]:  # by a way that was not looked at
        rest = [sha for sha in shas if sha not in behind and sha not in known.brought]
        there = repo.reached(sorted(rest), end) if rest else set[Sha]()
        for commit in seen.commits if there else ():
            sha = commit.sha
            if sha in behind or (sha in there and repo.is_ancestor(sha, end)):
                behind.update((sha, *commit.parents))
    return behind


def _told(target: str, strange: _Strange) -> Unbrought | None:
    commits = strange.commits
    if strange.torn and not commits:
        text = f"the authors of {target} are unknown: the history of this clone ends at {strange.torn[:7]}"
        return Unbrought(text, unshallow())
    if not commits:
        return None
    open_end = " or more" if strange.more or strange.torn else ""
    some = some_of(commits, open_end or " more")
    many, are = (
        f"{len(commits)}{open_end}",
        ("commit", "belongs") if len(commits) == 1 and not open_end else ("commits", "belong"),
    )
    text = f"{many} {are[0]} on {target} {are[1]} to no task: {some}"
    return Unbrought(text, looking_at(commits[0]), some)


def some_of(commits: list[LineCommit], rest: str = " more") -> str:
    """The first of some commits, and how many there are besides."""
    some = ", ".join(commit.words for commit in commits[:NAMED])
    return f"{some} and {len(commits) - NAMED}{rest}" if len(commits) > NAMED else some


def looking_at(commit: LineCommit) -> Steps:
    """What shows the change of a commit; of a merge, which git shows without one, that to each of its parents."""
    if len(commit.parents) > 1:
        return shell("git", "show", "-m", commit.sha)
    return shell("git", "show", commit.sha)


# ---- Addresses (Q6) ----

# The address stands in `.git/config`, which agents can write. A repository of their own in the remote's place could put
# commits under a merge that nobody saw, and run its hooks as whoever merges.


def moved_to(shown: str) -> Steps:
    """How a person says that a remote is there from now on, and that this is the address they saw."""
    return by_person(fe("target", "address", "--seen", shown, "-m", phrase("why it is there now")))


class _Row(msgspec.Struct, frozen=True):
    value: str


class RecordedAddress(msgspec.Struct, frozen=True):
    """What the journal says about the remote of this clone."""

    digest: str
    shown: str


def recorded(context: Context, tx: Tx, remote: str) -> RecordedAddress | None:
    """Where the remote was the last time; None where nobody has pushed from this clone, or to another remote."""
    row = tx.one("merge.address", _Row, clone=context.outside.clone())
    digest, name, shown = row.value.split(" ", 2) if row else ("", "", "")
    return RecordedAddress(digest, shown) if name == remote else None


def said_about(context: Context, remote: str, address: Address) -> RemoteAddressed:
    """That it is there from now on."""
    return RemoteAddressed(clone=context.outside.clone(), remote=remote, digest=address.digest, shown=address.shown)


class Addressed:
    """A remote that is asked where it is on record, and nowhere else."""

    def __init__(self, context: Context, remote: Remote, known: RecordedAddress | None) -> None:
        self._context, self._remote, self._known = context, remote, known

    @property
    def name(self) -> str:
        """What git calls it here."""
        return self._remote.name

    @property
    def known(self) -> RecordedAddress | None:
        """What is on record."""
        return self._known

    def address(self) -> Address:
        """Where it is by what git says, on record or not."""
        return self._remote.address()

    def tips(self, refs: Sequence[str]) -> dict[str, Sha]:
        """As the remote says, if it is where it was."""
        self._check()
        return self._remote.tips(refs)

    def fetch(self, refs: Sequence[str]) -> dict[str, Sha]:
        """As the remote says, if it is where it was."""
        self._check()
        return self._remote.fetch(refs)

    def push(self, updates: Sequence[RefUpdate]) -> Pushed | Moved:
        """To where it was; the first one from this clone puts that on record before."""
        address = self._check()
        if self._known is None:
            self._record(address)
        return self._remote.push(updates)

    def take_away(self, refs: Mapping[str, Sha]) -> TakenAway:
        """As the remote says, if it is where it was."""
        self._check()
        return self._remote.take_away(refs)

    def _check(self) -> Address:
        address = self._remote.address()
        if self._known is not None and address.digest != self._known.digest:
            raise self._refused(
                f"{self.name} is at {address.shown} in this clone, and {self._known.shown} is on record", address
            )
        if self._known is None and address.apart:
            raise self._refused(f"{self.name} is written elsewhere than it is read: {address.shown}", address)
        return address

    def _refused(self, why: str, address: Address) -> RemoteProblem:
        self._context.forget_remote(self.name)
        step = moved_to(address.shown)
        return RemoteProblem(f"{why}: nothing goes there until a person says so", kind="moved", next_step=step)

    def _record(self, address: Address) -> None:
        context = self._context
        with context.writing(context.gate, "submit") as work:
            self._known = recorded(context, work.tx, self.name)
            if self._known is None:
                work.record("", said_about(context, self.name, address))
                self._known = RecordedAddress(address.digest, address.shown)
        self._check()
