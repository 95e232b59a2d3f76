"""Merges on the target: recorded or made by hand, and the reasons that stop this clone from merging. (Q5, Q6)"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.context import TargetCommit
from foureyes.app.results.work import LineCommit
from foureyes.app.target import branch_here, merge_place_of, noted_target, noted_tip, remote_of
from foureyes.core.events.decision import TaskMerged
from foureyes.core.events.gate import RemoteAddressed, TargetSetBack
from foureyes.core.nouns.attempt import Commit
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.refs import exactly
from foureyes.core.words.store_place import FILE
from foureyes.errors import EnvironmentProblem, GitProblem, RemoteProblem
from foureyes.steps import Steps, blank, by_person, either, fe, in_turn, phrase, shell, unshallow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from foureyes.app.context import Context
    from foureyes.app.git_ports import Address, Moved, Pushed, RefUpdate, Remote, TakenAway, TargetHistory
    from foureyes.app.ports import Tx
    from foureyes.app.results.project import ProjectView
    from foureyes.app.target import RemoteAnswer
    from foureyes.core.nouns.task import Task


# ---- Merge stops (Q6) ----

# Each stop is a sentence and a way to fix it. Decisions pass the remote's answer, pages use the tracking refs.

NEAR_TIP = 500
"""How many commits below a tip to search."""
MEANT = ", or if that was intended: "
UNTOLD = "this clone cannot tell which merges the target lacks"
"""Message for a clone whose history is incomplete."""
HERE = by_person(fe("target", "here", "-m", phrase("why they move")))


class MergeStop(msgspec.Struct, frozen=True):
    """Why this clone cannot merge, and how to fix that."""

    text: str
    next: Steps


def accepting(tip: str) -> Steps:
    """Return the command by which a person accepts a target that lacks merges, at the commit they were shown."""
    return by_person(fe("target", "accept", "--seen", tip, "-m", phrase("why it was set back")))


def lacking(context: Context, tx: Tx, project: ProjectView, seen: Sha | None = None) -> MergeStop | None:
    """Return a stop if the target lacks the newest recorded merge, otherwise None. (Q6)

    Also None if there is no target. `seen` is the remote's answer, by default the tracking ref.
    """
    newest, repo = Sha(merge_place_of(tx).newest), context.repo
    tip = (seen or noted_tip(context, tx, project)) if newest else None
    if tip is None or tip == newest or repo.is_ancestor(newest, tip):
        return None

    task = task_merged_as(tx, newest)
    last = (
        f"the last recorded merge ({newest[:7]} of {task})" if task else f"{newest[:7]}, from which merging continued"
    )
    remote, target = remote_of(context, tx), project.target
    where = f"{target} of {remote}" if remote else target
    text = f"{where} is at {tip[:7]} and does not contain {last}"
    if repo.commit_of(newest) is None and repo.history(tip, NEAR_TIP).lacks:
        return MergeStop(f"the history of this clone ends before {last}, so {UNTOLD}", unshallow(remote))
    if repo.commit_of(newest) is None:
        fetch = shell("git", "fetch", blank("REMOTE"), before="push it from the clone that has it: ")
        return MergeStop(f"{text}, which this clone does not have", either(fetch, accepting(tip), joint=MEANT))
    accept, set_back = accepting(tip), repo.is_ancestor(tip, newest)
    what = "it was reset to an older commit" if set_back else "it was moved to another commit"
    text = f"{text}. Either {what}, or the merge never arrived there"

    if strange := strays_beyond(context, tx, newest, tip):  # do not suggest to push unreviewed commits (Q5)
        show = by_person(log_of(strange[0]))
        text = f"{text}. That merge is based on commits that belong to no task: {some_of(strange)}"
        return MergeStop(text, either(show, accept, joint=MEANT))
    back = by_person(_back(remote, target, tip, newest, set_back=set_back))
    if strange := strays_beyond(context, tx, tip, newest):
        text = f"{text}. It has commits that belong to no task: {some_of(strange)}"
        back = in_turn(by_person(log_of(strange[0])), back)
    return MergeStop(text, either(back, accept, joint=MEANT))


def _back(remote: str, target: str, tip: Sha, newest: Sha, *, set_back: bool) -> Steps:
    """Return the commands that restore the merge on the target and keep its other commits."""
    if remote and set_back:
        return shell("git", "push", remote, f"{exactly(newest)}:refs/heads/{target}")
    if remote:
        switch = shell("git", "switch", "--detach", exactly(tip))
        return in_turn(switch, shell("git", "merge", newest), shell("git", "push", remote, f"HEAD:refs/heads/{target}"))
    ways = ("--ff-only",) if set_back else ()
    return in_turn(shell("git", "switch", target), shell("git", "merge", *ways, newest))


def lost_merge(context: Context, tx: Tx, project: ProjectView, task: Task) -> str:
    """Return a sentence if a person accepted a target without this task's merge, otherwise "". (Q6)"""

    at = given_up(tx).get(task.id) if task.merge else None
    tip = noted_tip(context, tx, project) if at else None
    if not at or not task.merge or (tip is not None and context.repo.is_ancestor(task.merge, tip)):
        return ""
    return f"its merge is not on {project.target}, which a person accepted on {at[:10]} (fe help Q6)"


def amiss(context: Context, tx: Tx, project: ProjectView, answer: RemoteAnswer | None = None) -> MergeStop | None:
    """Like lacking(), but for pages.

    Return None for a clone that does not merge, that has not asked the remote since the last merge, or whose git data
    is unreadable. `answer` is the remote's answer if the caller has one.
    """
    try:
        stop = lacking(context, tx, project, answer.tip if answer else None)
        if stop is None or elsewhere(context, tx) is not None:
            return None
        return None if remote_of(context, tx) and _may_be_there(context, tx, answer) else stop
    except EnvironmentProblem:
        return None


def _may_be_there(context: Context, tx: Tx, answer: RemoteAnswer | None) -> bool:
    """Return True if this clone lacks the newest merge, but the remote's target may have it.

    That is so if the remote was not asked since the merge, or if this clone is shallow.
    """
    newest, repo = merge_place_of(tx).newest, context.repo
    if repo.commit_of(newest) is not None:
        return False
    if answer is None or answer.tip is None or answer.newest != newest:
        return True
    return bool(repo.history(answer.tip, NEAR_TIP).lacks)


def stopped(context: Context, tx: Tx, project: ProjectView) -> MergeStop | None:
    """Return why this clone cannot merge, as far as known without asking the remote. (Q6)"""
    stop = amiss(context, tx, project)
    if stop is not None:
        return stop
    try:
        return elsewhere(context, tx)
    except EnvironmentProblem:
        return None


def ahead_here(context: Context, remote: str, target: str, there: Sha) -> MergeStop | None:
    """Return a stop if the local target branch has commits that the remote lacks, with a safe way to reset it. (Q5,
    Q6)
    """
    here = branch_here(context, target)
    if here is None or here == there or context.repo.is_ancestor(here, there):
        return None
    keep, switch = shell("git", "branch", f"{target}-{here[:7]}", target), shell("git", "switch", target)
    go = in_turn(keep, switch, shell("git", "reset", "--keep", there))
    show = shell("git", "log", "--oneline", f"{there}..refs/heads/{target}")
    text = f"{target} of this clone has commits that {remote} lacks, so it was left as it is"
    return MergeStop(text, either(show, go, joint=f". To drop them here and continue from {remote}: "))


def elsewhere(context: Context, tx: Tx) -> MergeStop | None:
    """Return a stop if another clone makes the merges. Only for clones that share a store without a remote. (Q6)"""
    place = merge_place_of(tx)
    if not place.clone or context.store.place in ("", FILE) or remote_of(context, tx):
        return None
    if place.clone == context.outside.clone():
        return None
    where = f"on {place.host}" if place.host else "in another clone"
    text = f"merges are made {where}, and the target is on no remote, so a merge here would create a second target"
    return MergeStop(text, either(fe("merge", before=f"{where}: "), HERE, joint=", or once this clone has them all: "))


def merged_where(context: Context, tx: Tx) -> str:
    """Return a sentence that names the clone that makes merges, or "" if it is this one."""
    try:
        stop = elsewhere(context, tx)
    except EnvironmentProblem:
        return ""
    return stop.text if stop else ""


# ---- Target commits in the journal (Q5) ----


class MergeOf(msgspec.Struct, frozen=True):
    """A task and its merge commit."""

    id: str
    sha: Sha


class SetBackRow(msgspec.Struct, frozen=True):
    """A person's decision to accept a target that lacks merges."""

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
    """An earlier merge of a task whose approval has ended since, and the commits of its attempt."""

    seq: int
    task: str
    payload: str
    commits: list[Commit]


class KnownCommits(msgspec.Struct, frozen=True):
    """Commits of the target that the journal knows.

    `ends` are where the first task began or was merged, and commits that a person accepted. `merged` are merges, and
    `brought` has these and the work of tasks.
    """

    ends: list[Sha]
    merged: set[Sha]
    brought: set[Sha]


def known_commits(tx: Tx, project: ProjectView) -> KnownCommits:
    """Return all recorded commits of the target."""
    accepted = [row.event.tip for row in tx.all("merge.set_back", SetBackRow)]
    ends = [*(row.sha for row in tx.all("merge.first", TargetCommit)), *accepted, Sha(project.tip or "")]
    merged, brought = _merges(tx)
    return KnownCommits([end for end in dict.fromkeys(ends) if end], merged, merged | brought)


def brought_by_tasks(tx: Tx) -> set[Sha]:
    """Return the commits that tasks brought to the target, by merge or before their review. (Q6)

    Of each task only the merged attempt counts. Merges that a person gave up do not count.
    """
    return _merges(tx)[1]


def approved_commits(tx: Tx) -> set[Sha]:
    """Return the commits of tasks that are approved but not merged."""
    return {commit.sha for row in tx.all("merge.approved", AttemptCommits) for commit in row.commits}


def task_merged_as(tx: Tx, merge: Sha) -> str:
    """Return the task of a merge commit, or ""."""
    return next((row.id for row in tx.all("merge.shas", MergeOf) if row.sha == merge), "")


def given_up(tx: Tx) -> dict[str, str]:
    """Return tasks whose merges a person accepted as lost, each with the time of the last such decision. (Q6)"""
    return {task: row.at for row in tx.all("merge.set_back", SetBackRow) for task in row.event.lost}


def _merges(tx: Tx) -> tuple[set[Sha], set[Sha]]:
    """Return the merges, and the commits they brought. Merges that a person gave up are left out."""
    lost = {task: row.seq for row in tx.all("merge.set_back", SetBackRow) for task in row.event.lost}
    merged = {row.sha for row in tx.all("merge.shas", MergeOf) if row.id not in lost}
    brought = [row.commits for row in tx.all("merge.brought", AttemptCommits) if row.task not in lost]
    for row in tx.all("merge.earlier", MergedBefore):  # a task that was opened again can have several
        if row.seq > lost.get(TaskId(row.task), 0):
            merged.add(msgspec.json.decode(row.payload, type=TaskMerged).sha)
            brought.append(row.commits)
    return merged, {commit.sha for commits in brought for commit in commits}


# ---- Commits that no task brought (Q5) ----

COMMITS_LOOKED_AT = 2_000
"""Number of the target's commits to check, including commits of tasks."""
NAMED = 3
"""Number of such commits that a sentence names."""


class Unbrought(msgspec.Struct, frozen=True):
    """Message about commits that no task brought, the command that shows them, and a short list."""

    text: str
    next: Steps
    commits: str = ""


class _Strange(msgspec.Struct, frozen=True):
    """Commits of the target that no task brought. `more`: there may be older ones. `torn` is the commit where this
    clone's history ends.
    """

    commits: list[LineCommit]
    more: bool = False
    torn: str = ""


def unbrought(context: Context, *, asked: bool = False) -> Unbrought | None:
    """Return the commits on the target that are neither a merge nor work of a task, or None.

    Commits from before `fe init`, or before a person accepted the target, do not count. `asked`: the remote has just
    been asked.
    """
    with context.store.read() as tx:
        project = context.project(tx)
        target, at, known = project.target, noted_target(context, tx, project), known_commits(tx, project)
    try:
        return _as_unbrought(target, _strange(context, known, at, asked=asked))
    except GitProblem as problem:
        return Unbrought(f"the content of {target} cannot be read: {problem.message}", problem.next_step)


def built_on(context: Context, tip: Sha) -> Unbrought | None:
    """Like unbrought(), but only for commits that a merge onto `tip` would be the first to build on. Skip git if the
    target is still at the last merge.
    """
    with context.store.read() as tx:
        project = context.project(tx)
        until = merge_place_of(tx).newest or project.tip or ""
        known = known_commits(tx, project) if tip != until else None
    try:
        return _as_unbrought(project.target, _strange(context, known, tip, until, asked=True)) if known else None
    except GitProblem as problem:
        return Unbrought(f"the content of {project.target} cannot be read: {problem.message}", problem.next_step)


def strays_beyond(context: Context, tx: Tx, at: Sha, other: Sha) -> list[LineCommit]:
    """Return the commits in `at` that `other` lacks and that no task brought. (Q5)"""
    return _strange(context, known_commits(tx, context.project(tx)), at, other, asked=True).commits


def unbrought_since(context: Context, start: Sha, tip: Sha) -> Unbrought | None:
    """Return the commits that came to the target since a task began at `start` and that no task brought. (K4)

    They may be that task's work, even if they were force-pushed over `start`.
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
    return _as_unbrought(project.target, _Strange(strange))


def _strange(context: Context, known: KnownCommits, at: str, *also: str, asked: bool = False) -> _Strange:
    """Return the commits on `at` that no task brought.

    Ancestors of the first known commits and of `also` are left out. A task that begins at a commit does not make it
    known.
    """
    seen = context.repo.history(at, COMMITS_LOOKED_AT)
    ends = _ends(context, known, seen)
    if not ends and not seen.lacks and (not known.ends or not (asked or context.store.place in ("", FILE))):
        return _Strange([])  # no task began yet, or not at a commit of this clone
    behind = _behind(context, known, seen, [*ends, *(Sha(sha) for sha in also if context.repo.commit_of(sha))])
    left = [commit for commit in seen.commits if commit.sha not in behind]
    torn = next((commit.sha for commit in left if seen.lacks.intersection(commit.parents)), "")
    strange = [commit for commit in left if commit.sha not in known.brought] if ends or not torn else []
    return _Strange(strange, seen.more and not behind, torn)


def _ends(context: Context, known: KnownCommits, seen: TargetHistory) -> list[Sha]:
    """Return the oldest known commits in this clone. If its history ends before them, return its merges."""
    repo = context.repo
    here = [end for end in known.ends if repo.commit_of(end) is not None]
    if not here and (seen.lacks or not known.ends):
        return [commit.sha for commit in seen.commits if commit.sha in known.merged]
    return [end for end in here if not any(other != end and repo.is_ancestor(other, end) for other in here)]


def _behind(context: Context, known: KnownCommits, seen: TargetHistory, ends: list[Sha]) -> set[Sha]:
    """Return `ends` and those of the seen commits that are ancestors of one of them."""
    repo, shas = context.repo, {commit.sha for commit in seen.commits}
    behind = set(ends) & shas
    for commit in seen.commits:  # children come before their parents
        if commit.sha in behind:
            behind.update(commit.parents)
    for end in ends if seen.more else [end for end in ends if end not in shas]:  # by a path outside of the seen commits
        rest = [sha for sha in shas if sha not in behind and sha not in known.brought]
        there = repo.reached(sorted(rest), end) if rest else set[Sha]()
        for commit in seen.commits if there else ():
            sha = commit.sha
            if sha in behind or (sha in there and repo.is_ancestor(sha, end)):
                behind.update((sha, *commit.parents))
    return behind


def _as_unbrought(target: str, strange: _Strange) -> Unbrought | None:
    commits = strange.commits
    if strange.torn and not commits:
        text = f"the authors of {target} are unknown, because the history of this clone ends at {strange.torn[:7]}"
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
    return Unbrought(text, log_of(commits[0]), some)


def some_of(commits: list[LineCommit], rest: str = " more") -> str:
    """Name the first commits and count the rest."""
    some = ", ".join(commit.words for commit in commits[:NAMED])
    return f"{some} and {len(commits) - NAMED}{rest}" if len(commits) > NAMED else some


def log_of(commit: LineCommit) -> Steps:
    """Return the command that shows a commit's change. Of a merge, it shows the change from each parent."""
    if len(commit.parents) > 1:
        return shell("git", "show", "-m", commit.sha)
    return shell("git", "show", commit.sha)


# ---- Addresses (Q6) ----

# Agents can write the address in `.git/config`. If they replaced the remote with their own repository, it could put
# unreviewed commits under a merge, and run its hooks as the user who merges.


def moved_to(shown: str) -> Steps:
    """Return the command by which a person confirms the remote's new address, as they saw it."""
    return by_person(fe("target", "accept", "--address", "--seen", shown, "-m", phrase("why it is there now")))


class _Row(msgspec.Struct, frozen=True):
    value: str


class RecordedAddress(msgspec.Struct, frozen=True):
    """The recorded address of this clone's remote."""

    digest: str
    shown: str


def recorded(context: Context, tx: Tx, remote: str) -> RecordedAddress | None:
    """Return the recorded address, or None if this clone has never pushed to this remote."""
    row = tx.one("merge.address", _Row, clone=context.outside.clone())
    digest, name, shown = row.value.split(" ", 2) if row else ("", "", "")
    return RecordedAddress(digest, shown) if name == remote else None


def said_about(context: Context, remote: str, address: Address) -> RemoteAddressed:
    """Return the event that records the remote's address."""
    return RemoteAddressed(clone=context.outside.clone(), remote=remote, digest=address.digest, shown=address.shown)


class Addressed:
    """A remote that refuses to work if its address differs from the recorded one."""

    def __init__(self, context: Context, remote: Remote, known: RecordedAddress | None) -> None:
        self._context, self._remote, self._known = context, remote, known

    @property
    def name(self) -> str:
        """The remote's name in git."""
        return self._remote.name

    @property
    def known(self) -> RecordedAddress | None:
        """The recorded address."""
        return self._known

    def address(self) -> Address:
        """Return the address in git's configuration, recorded or not."""
        return self._remote.address()

    def tips(self, refs: Sequence[str]) -> dict[str, Sha]:
        """Return the remote's refs. Refuse a changed address."""
        self._check()
        return self._remote.tips(refs)

    def fetch(self, refs: Sequence[str]) -> dict[str, Sha]:
        """Fetch refs. Refuse a changed address."""
        self._check()
        return self._remote.fetch(refs)

    def push(self, updates: Sequence[RefUpdate]) -> Pushed | Moved:
        """Push refs. The first push of this clone records the address. Refuse to push to a changed address."""
        address = self._check()
        if self._known is None:
            self._record(address)
        return self._remote.push(updates)

    def take_away(self, refs: Mapping[str, Sha]) -> TakenAway:
        """Delete refs at the remote. Refuse a changed address."""
        self._check()
        return self._remote.take_away(refs)

    def _check(self) -> Address:
        address = self._remote.address()
        if self._known is not None and address.digest != self._known.digest:
            raise self._refused(
                f"{self.name} is at {address.shown} in this clone, but {self._known.shown} is recorded", address
            )
        if self._known is None and address.is_split:
            raise self._refused(
                f"{self.name} is pushed to a different address than it is fetched from: {address.shown}", address
            )
        return address

    def _refused(self, why: str, address: Address) -> RemoteProblem:
        self._context.forget_remote(self.name)
        step = moved_to(address.shown)
        return RemoteProblem(f"{why}. Nothing is pushed there until a person accepts it", kind="moved", next_step=step)

    def _record(self, address: Address) -> None:
        context = self._context
        with context.writing(context.gate, "submit") as work:
            self._known = recorded(context, work.tx, self.name)
            if self._known is None:
                work.record("", said_about(context, self.name, address))
                self._known = RecordedAddress(address.digest, address.shown)
        self._check()
