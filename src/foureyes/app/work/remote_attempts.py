"""Attempts at the remote (A1, Q6): pushed from here, or fetched after another machine submitted them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.git_ports import Moved, RefUpdate
from foureyes.app.target import CurrentTarget, branch_here, current_target, merge_place_of
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.refs import (
    DETACHED,
    KEPT_ATTEMPTS,
    KEPT_REMOTES,
    attempt_ref,
    attempt_refs,
    left_ref,
    own_branch,
    tracked,
)
from foureyes.core.words.store_place import FILE
from foureyes.core.words.text import one_line
from foureyes.errors import GitProblem, RemoteProblem
from foureyes.steps import NO_STEP, Steps, by, either, fe, in_turn, prose, shell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from foureyes.app.context import Context
    from foureyes.app.git_ports import Remote
    from foureyes.app.ports import Tx
    from foureyes.app.results.attempt import SubmitOutcome
    from foureyes.core.nouns.attempt import Attempt


# ---- Pushing attempts ----

# A branch with a custom name is not pushed: its author chose the name, and the pushing account may have rights to it.
# A failed push loses nothing: the attempt is recorded and kept here, and the next push tries again. An attempt that
# the remote refuses does not stop the others.

ATTEMPTS_IN_A_PUSH = 200
"""Maximum number of attempts in one push."""
TRIES = 4


class SendOutcome(msgspec.Struct, frozen=True):
    """The result of pushing.

    It has the tasks whose attempts were pushed, notes about what was skipped, the refs that still wait, and why. `check`
    is the command to see what was skipped, and `lifts` what must be done before a retry can help.
    """

    remote: str = ""
    attempts: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    why_not: str = ""
    waits: tuple[str, ...] = ()
    check: Steps = NO_STEP
    lifts: Steps = NO_STEP


class Over(msgspec.Struct, frozen=True):
    """A commit pushed to the attempt's branch after the submission."""

    at: Sha
    words: str


NOTHING = SendOutcome()


def send(context: Context, first: str = "") -> SendOutcome:
    """Push every kept attempt that the remote is not known to have. Attempts of the task `first` go first."""
    with context.store.read() as tx:
        remote = context.remote(tx)
        if remote is None:
            return NOTHING
        rows, target = tx.all("attempt.kept", SendableAttempt), context.project(tx).target
    try:
        waiting = waiting_here(context, remote.name, rows)
        waiting += _lacking_own(context, remote, [row for row in rows if row.task == first][-1:], waiting)
    except GitProblem as problem:
        return SendOutcome(remote.name, why_not=problem.message)
    sending, why, lifts = _Sending(context, remote, rows, f"refs/heads/{target}"), "", NO_STEP
    batches = _batches(waiting, first)
    while batches:
        some = batches.pop(0)
        try:
            sending.push(some)
        except GitProblem as problem:
            if len(some) > 1 and isinstance(problem, RemoteProblem) and problem.kind == "refused":
                batches[:0] = [[row] for row in some]
                continue
            why = why or problem.message
            if isinstance(problem, RemoteProblem) and problem.kind in ("moved", "refused"):
                lifts = lifts or problem.next_step or _allowing(remote.name)
            if not isinstance(problem, RemoteProblem) or problem.kind != "refused":
                break
    return replace(sending.sum(waiting, why), lifts=lifts) if waiting else NOTHING


def _allowing(remote: str) -> Steps:
    """Return the permissions that the remote must grant after it refused a submission."""
    return prose(
        f"on {remote}, allow the submitting account to push refs/foureyes/attempts/*, refs/foureyes/left/* and fe/*"
    )


def _batches(waiting: list[SendableAttempt], first: str) -> list[list[SendableAttempt]]:
    others = [row for row in waiting if row.task != first]
    ahead = [row for row in waiting if row.task == first]
    return [
        *([ahead] if ahead else []),
        *(others[at : at + ATTEMPTS_IN_A_PUSH] for at in range(0, len(others), ATTEMPTS_IN_A_PUSH)),
    ]


def _lacking_own(
    context: Context, remote: Remote, latest: list[SendableAttempt], waiting: list[SendableAttempt]
) -> list[SendableAttempt]:
    """Return the latest attempt if this clone believes it was pushed but the remote lacks it. Anyone can write the refs
    that say so.
    """
    own = [row for row in latest if not (row.merged or row.landed or row in waiting)]
    with suppress(RemoteProblem):
        if own and context.repo.commit_of(own[0].kept_as) == own[0].head:
            return [row for row in own if row.head not in remote.tips(row.names).values()]
    return []


class _Sending:
    """Pushes to one remote. Each push makes all updates or none, with attempts, their branches, and marks for skipped
    branches.
    """

    def __init__(self, context: Context, remote: Remote, rows: list[SendableAttempt], target: str) -> None:
        self._context, self._remote, self._rows, self._target = context, remote, rows, target
        self._went: list[SendableAttempt] = []
        self._left: list[str] = []
        self._check = NO_STEP
        self._taken: dict[str, Sha] = {}
        self._attempts: dict[str, SendableAttempt] = {}
        self._branches: dict[str, RefUpdate] = {}
        self._marks: dict[str, RefUpdate] = {}

    def sum(self, waiting: list[SendableAttempt], why: str) -> SendOutcome:
        waits = tuple(row.kept_as for row in waiting if row not in self._went)
        tasks = tuple(row.task for row in self._went)
        return SendOutcome(self._remote.name, tasks, tuple(dict.fromkeys(self._left)), why, waits, self._check)

    def push(self, some: list[SendableAttempt]) -> None:
        """Push these attempts. A branch that others moved, or that the remote refuses, is skipped, and the rest is
        pushed.
        """
        self._attempts, self._marks = {row.kept_as: row for row in some}, {}
        self._branches = self._latest(some)
        try:
            self._push_all()
        except RemoteProblem as problem:
            if problem.kind != "refused" or not self._branches:
                raise
            alone = self._without_branches()
            self._push_all()
            self._one_by_one(alone, problem.message)
        self._went += self._attempts.values()
        for ref, row in self._attempts.items():
            if ref != row.kept_as:
                has = f"{self._remote.name} has {self._taken[row.kept_as][:7]} as {row.kept_as}"
                why = "submitted before, or written by someone"
                self._left.append(f"{has}, {why}. Attempt {row.n} of {row.task} is stored there as {ref}")

    def _push_all(self) -> None:
        for _ in range(TRIES):
            attempts = [RefUpdate(ref, row.head) for ref, row in self._attempts.items()]
            if not attempts:
                return
            answer = self._remote.push([*attempts, *self._branches.values(), *self._marks.values()])
            if not isinstance(answer, Moved):
                return
            self._look_again(answer)
        raise RemoteProblem(f"{self._remote.name} moved {TRIES} times meanwhile")

    def _latest(self, some: list[SendableAttempt]) -> dict[str, RefUpdate]:
        """Return the updates of the tasks' own branches to their latest attempts. Merged tasks and the target are
        excluded. (K1, Q6)
        """
        latest, commit_of = {row.task: row for row in self._rows}, self._context.repo.commit_of
        mine = [
            row
            for row in some
            if latest[row.task] is row and not (row.landed or row.merged) and row.ref not in (DETACHED, self._target)
        ]
        for row in mine:
            if not row.is_own:
                name = row.ref.removeprefix("refs/heads/")
                self._left.append(
                    f"the branch {name} was left as it is there, because it is not the branch of {row.task}"
                )
        mine = [row for row in mine if row.is_own]
        known = {row.ref: commit_of(tracked(self._remote.name, row.ref)) for row in mine}
        updates = [RefUpdate(row.ref, row.head, known[row.ref]) for row in mine if known[row.ref] != row.head]
        return {update.ref: update if self._may_go(update) else replace(update, old=None) for update in updates}

    def _may_go(self, update: RefUpdate) -> bool:
        """Return True if the update continues the last known branch head. Otherwise `_look_again` reads the remote and
        may leave the branch.
        """
        return update.old is None or self._is_behind(update.old, update)

    def _look_again(self, answer: Moved) -> None:
        """Adapt all updates to the current refs of the remote, after one of them had moved."""
        now: dict[str, Sha | None] = dict(self._remote.tips([*self._attempts, *self._branches, *self._marks]))
        now[answer.ref] = answer.now
        for ref, row in list(self._attempts.items()):
            if (at := now.get(ref)) is not None and at != row.head:
                self._rename(ref, row, at)
        for ref, update in list(self._branches.items()):
            at = now.get(ref)
            if at is None or at == update.new or self._is_behind(at, update):
                self._branches[ref] = replace(update, old=at)
            else:
                self._leave(update, at)
        self._marks = {ref: replace(mark, old=now.get(ref)) for ref, mark in self._marks.items()}

    def _rename(self, ref: str, row: SendableAttempt, at: Sha) -> None:
        """Use the attempt's second name, because another commit has the first. If that is taken too, the attempt stays
        here and the others are still pushed.
        """
        del self._attempts[ref]
        if ref == row.kept_as:
            self._attempts[row.names[1]], self._taken[ref] = row, at
            return
        self._branches.pop(row.ref, None)
        self._marks.pop(left_ref(row.task, row.n), None)
        has, away = both_taken(self._remote.name, {row.kept_as: self._taken.pop(row.kept_as), ref: at})
        self._left.append(f"attempt {row.n} of {row.task} was not pushed: {has}")
        self._check = self._check or away

    def _leave(self, update: RefUpdate, at: Sha) -> None:
        """Skip a branch that has commits of others."""
        del self._branches[update.ref]
        self._mark(update, at)
        name, where = update.ref.removeprefix("refs/heads/"), self._remote.name
        self._left.append(f"{name} on {where} is at {at[:7]}, which is not part of this work, so it was left as it is")
        self._check = self._check or shell("git", "log", "--oneline", f"{update.new}..{at}")

    def _mark(self, update: RefUpdate, at: Sha) -> None:
        """Mark the head of a branch that was skipped, so that other machines do not take it for a later change. (D4)"""
        if self._remote.fetch([update.ref]).get(update.ref) != at:
            return
        for row in self._attempts.values():
            if row.ref == update.ref and row.head == update.new:
                ref = left_ref(row.task, row.n)
                self._marks[ref] = RefUpdate(ref, at)

    def _without_branches(self) -> dict[str, RefUpdate]:
        """Push without the branches, but with marks of their heads. Return the branches."""
        alone, now = self._branches, self._remote.tips(list(self._branches))
        self._branches = {}
        for ref, at in now.items():
            self._mark(alone[ref], at)
        return alone

    def _one_by_one(self, branches: dict[str, RefUpdate], why: str) -> None:
        """Push the branches one by one after a combined push was refused."""
        for update in branches.values():
            name = update.ref.removeprefix("refs/heads/")
            try:
                if not isinstance(self._remote.push([update]), Moved):
                    continue
            except RemoteProblem as problem:
                why = problem.message
            self._left.append(f"{name} was left as it is there, because {why}")

    def _is_behind(self, now: Sha, update: RefUpdate) -> bool:
        return _is_behind(self._context, self._rows, update, now)


def _is_behind(context: Context, rows: list[SendableAttempt], update: RefUpdate, now: Sha) -> bool:
    """Return True if the remote's branch head is part of this attempt, or was submitted from that branch before (here,
    or on another machine before a redo reset it).
    """
    repo = context.repo
    if repo.commit_of(now) is not None and repo.is_ancestor(now, update.new):
        return True
    before = [row for row in rows if row.ref == update.ref and row.head == now]
    return any(not is_elsewhere(context, row.clone) or _is_set_back(context, row) for row in before)


def _is_set_back(context: Context, row: SendableAttempt) -> bool:
    from foureyes.app.results.review import FeedbackView

    with context.store.read() as tx:
        feedback = tx.all("attempt.feedback", FeedbackView, task=row.task)
    return any(each.iteration == row.n and each.reset_to for each in feedback)


def pushed_over(context: Context, task: str, attempt: Attempt) -> Over | None:
    """Return a commit that was pushed over the attempt's branch from elsewhere, or None. (D4)

    Also None if the remote cannot be asked, if the branch is only behind, or if the attempt still waits to be pushed.
    """
    with context.store.read() as tx:
        remote, rows = context.remote(tx), tx.all("attempt.kept", SendableAttempt)
    if remote is None or not attempt.clone or attempt.landed:
        return None
    tip = branch_there(context, task, attempt).head
    if tip == attempt.head or _is_behind(context, rows, RefUpdate(attempt.ref, attempt.head), tip):
        return None
    if _is_outstanding(context, remote, [row for row in rows if (row.task, row.n) == (task, attempt.n)]):
        return None
    name, tips = attempt.ref.removeprefix("refs/heads/"), context.repo.line(tip, 1)
    at = tips[0].words if tips else tip[:7]
    what = f"{name} on {remote.name} is at {at}, pushed after attempt {attempt.n}"
    return Over(tip, f"{what}, and this is the same work as before")


def _is_outstanding(context: Context, remote: Remote, rows: list[SendableAttempt]) -> bool:
    """Return True if attempts wait to be pushed and the remote lacks one of them."""
    waiting = waiting_here(context, remote.name, rows)
    try:
        tips = remote.tips([ref for row in waiting for ref in row.names])
    except RemoteProblem:
        return True
    return any(row.head not in map(tips.get, row.names) for row in waiting)


def _bring_back(context: Context, task: str) -> str:
    """Move the remote's branch of an attempt forward again if it was only set back there. Return a note. (D4)"""
    with context.store.read() as tx:
        remote, rows = context.remote(tx), tx.all("attempt.kept", SendableAttempt)
    own = [row for row in rows if row.task == task]
    if remote is None or not own or own[-1].landed or own[-1].merged or not own[-1].is_own:
        return ""
    row, commit_of, left = own[-1], context.repo.commit_of, left_ref(task, own[-1].n)
    at, known = commit_of(tracked(remote.name, row.ref)), commit_of(tracked(remote.name, left))
    update = RefUpdate(row.ref, row.head, at)
    if at is None or at in (row.head, known) or not _is_behind(context, rows, update, at):
        return ""
    name = row.ref.removeprefix("refs/heads/")
    try:
        if isinstance(remote.push([update]), Moved):
            return f"{name} moved on {remote.name} in the meantime, so it was left as it is"
        return f"{name} was behind on {remote.name} and now points to attempt {row.n} again"
    except RemoteProblem as problem:
        if problem.kind == "refused":
            with suppress(GitProblem):
                remote.push([RefUpdate(left, at, known)])
        return f"{name} was left as it is there: {problem.message}"


def _named(context: Context, ref: str) -> str:
    """Return the branch that a submission must name, or "" if it is checked out."""
    return "" if ref in ("", DETACHED, context.repo.current_ref()) else ref.removeprefix("refs/heads/")


def with_sent(context: Context, made: SubmitOutcome) -> SubmitOutcome:
    """Push a submission and return it with a note about that. (Q6)"""
    sent = send(context, made.task)
    back = _bring_back(context, made.task) if not (made.changed or sent.why_not) else ""
    if not sent.remote:
        return replace(made, sent=back) if back else made
    own = attempt_ref(made.task, made.attempt)
    if (own in sent.waits or not sent.waits) and sent.why_not:
        again = pushing(made.task, made.status, "to try again: ", _named(context, made.ref))
        step = either(in_turn(sent.lifts, again) if sent.lifts else again, made.next, joint=", or ")
        return replace(made, sent=". ".join([f"not pushed yet: {sent.why_not}", *sent.left]), next=step)
    others = len(sent.waits) - (own in sent.waits)
    more = [f"{others} more wait{'s' if others == 1 else ''}"] if others else []
    more += [sent.why_not] if sent.why_not else []
    parts = [f"pushed to {sent.remote}"] if own not in sent.waits else []
    parts += [back] if back else []
    step = either(made.next, sent.check, joint=", or ") if sent.check else made.next
    if own in sent.waits and sent.check:
        again = pushing(made.task, made.status, "", _named(context, made.ref))
        step = either(in_turn(sent.check, again), made.next, joint=", or ")
    return replace(made, sent=". ".join([*parts, *sent.left, *more]), next=step)


# ---- Attempts missing at the remote ----


class SendableAttempt(msgspec.Struct, frozen=True):
    """Kept attempt with its branch and its state."""

    task: str
    n: int
    head: Sha
    ref: str
    landed: bool
    clone: str = ""
    merged: bool = False

    @property
    def kept_as(self) -> str:
        return attempt_ref(self.task, self.n)

    @property
    def names(self) -> tuple[str, str]:
        """The two names it may have at the remote."""
        return attempt_refs(self.task, self.n, self.head)

    @property
    def is_own(self) -> bool:
        """True if it came from the task's own branch."""
        return self.ref == own_branch(self.task)


def unsent(context: Context) -> tuple[str, list[str]]:
    """Return the remote's name and the tasks with unpushed attempts, without asking the remote."""
    with context.store.read() as tx:
        remote = context.remote(tx)
        rows = tx.all("attempt.kept", SendableAttempt) if remote is not None else []
    if remote is None:
        return "", []
    return remote.name, list(dict.fromkeys(row.task for row in waiting_here(context, remote.name, rows)))


def lacking_there(context: Context) -> tuple[list[str], list[str]]:
    """Ask the remote for unmerged attempts that it should have. Return the refs that are missing there, and those with
    another commit.
    """
    with context.store.read() as tx:
        remote, rows, target = context.remote(tx), tx.all("attempt.kept", SendableAttempt), context.project(tx).target
    if remote is None:
        return [], []
    known = context.repo.kept(f"{KEPT_REMOTES}{remote.name}/")
    ours = [row for row in rows if not row.merged and is_noted(known, remote.name, row)]
    tips = remote.tips([f"refs/heads/{target}", *(ref for row in ours for ref in row.names)])
    lacking = [row.kept_as for row in ours if row.head not in map(tips.get, row.names)]
    return [ref for ref in lacking if ref not in tips], [ref for ref in lacking if ref in tips]


def is_noted(pushed: Mapping[str, Sha], name: str, row: SendableAttempt) -> bool:
    """Return True if a local ref says that the remote has the attempt. Anyone can write such a ref."""
    return any(pushed.get(tracked(name, ref)) == row.head for ref in row.names)


def waiting_here(context: Context, name: str, rows: list[SendableAttempt]) -> list[SendableAttempt]:
    """Return the attempts kept here that were neither pushed from here nor fetched."""
    here = context.repo.kept(KEPT_ATTEMPTS)
    pushed = context.repo.kept(f"{KEPT_REMOTES}{name}/")
    return [row for row in rows if here.get(row.kept_as) == row.head and not is_noted(pushed, name, row)]


# ---- Other machines (D4, Q6) ----

# Missing objects are fetched before anything is refused for them. If that fails, the reason is reported.

WHY_LENGTH = 200


class BranchTip(msgspec.Struct, frozen=True):
    """The head of a branch on its own machine. `remote_problem` says why the remote could not be asked. In that case `head` is
    the submitted one.
    """

    head: Sha
    remote_problem: str = ""


class LocatedAttempt(msgspec.Struct, frozen=True):
    """An attempt with what is needed to find it."""

    n: int
    head: Sha
    ref: str
    tree: Sha
    clone: str = ""
    base_tree: Sha = Sha("")


def clone_of(context: Context) -> str:
    """Return the id of this clone for a submission, or "" if the store belongs to one repository. (D4)"""
    return "" if context.store.place in ("", FILE) else context.outside.clone()


def is_elsewhere(context: Context, clone: str) -> bool:
    """Return True if the id names another clone."""
    return bool(clone) and clone != context.outside.clone()


def machine_of(clone: str) -> str:
    """Return the machine of a clone."""
    return clone.rpartition(":")[0] or "another machine"


def remote_problem_in_words(why: str, attempt: Attempt) -> tuple[str, ...]:
    """Return the note shown when the remote could not be asked about a branch. (D4)"""
    if not why:
        return ()
    machine = machine_of(attempt.clone)
    return (
        f"it could not be checked whether its branch moved ({why}). The branch as submitted on {machine} counts, and the merge checks it again.",
    )


def branch_there(context: Context, task: str, attempt: Attempt, inside: Tx | None = None) -> BranchTip:
    """Return the branch head of an attempt from another clone, as the remote has it. (D4)

    It is the attempt's head if the remote cannot be asked, lacks the branch, or has only commits that were skipped
    there. `inside` a transaction, the last fetched state is used.
    """
    remote = _remote(context) if inside is None else context.remote(inside)
    if remote is None or attempt.ref != own_branch(task):
        return BranchTip(attempt.head)
    left = left_ref(task, attempt.n)
    if inside is None:
        try:
            tips = remote.fetch([attempt.ref, left])
        except RemoteProblem as problem:
            return BranchTip(attempt.head, one_line(problem.message, WHY_LENGTH))
        tip = tips.get(attempt.ref, attempt.head)
        return BranchTip(tip if tip != tips.get(left) else attempt.head)
    commit_of, names = context.repo.commit_of, attempt_refs(task, attempt.n, attempt.head)
    is_noted = any(commit_of(tracked(remote.name, ref)) == attempt.head for ref in names)
    tip = commit_of(tracked(remote.name, attempt.ref)) or attempt.head
    is_known = is_noted and tip != commit_of(tracked(remote.name, left))
    return BranchTip(tip if is_known else attempt.head)


def bring(context: Context, task: TaskId) -> tuple[str, ...]:
    """Fetch missing attempts of a task and return a note for them. Raises RemoteProblem if one cannot be fetched."""
    lacking = _lacking(context, task)
    if not lacking:
        return ()
    remote = _remote(context)
    if remote is None:
        raise _unknown(task, lacking[-1])
    _fetch(context, remote, task, lacking)
    many = f"attempt {lacking[0].n}" if len(lacking) == 1 else f"{len(lacking)} attempts"
    return (f"{many} of {task}: not in this clone, fetched from {remote.name}",)


def catch_up(context: Context, *, asks: bool = True, current: CurrentTarget | None = None) -> str:
    """Update the local target to the newest recorded merge. Return why that failed, or "". (Q6)

    A target with local commits is skipped. Without `asks` the remote is not contacted, and with `current` it is not asked
    again.
    """
    with context.store.read() as tx:
        tx.along(("merge.place", {}))
        remote, target, newest = context.remote(tx), context.project(tx).target, Sha(merge_place_of(tx).newest)
    repo, branch = context.repo, f"refs/heads/{target}"
    here = branch_here(context, target)
    if remote is None or not newest or here is None or _has(context, newest, here):
        return ""
    behind = f"{target} of this clone lacks the latest merges"
    if not asks:
        return "" if repo.commit_of(newest) is not None else behind
    if current is not None and current.remote_problem and not current.has_none:
        return f"{behind}: {current.remote_problem}"
    try:
        there = (
            remote.fetch([branch]).get(branch, here) if current is None else (current.is_certain and current.at) or here
        )
    except RemoteProblem as problem:
        return f"{behind}: {problem.message}"
    if _has(context, here, there):
        context.workshop.move(branch, new=there, old=here)
        context.workshop.catch_up(target)
    return ""


def begin_at(context: Context, *, asks: bool = True, heard: Sha | None = None) -> tuple[Sha | None, str]:
    """Return the commit where new work begins, and a note. (K1, Q6)

    It is the remote's target, or the last recorded merge if the remote is not asked or cannot be reached. Before the
    first merge, raise RemoteProblem in that case. Commits that only this clone has are not used.
    """
    current = current_target(context, asks=asks, heard=heard)
    behind = catch_up(context, asks=asks, current=current)
    target = current.target
    here = branch_here(context, target)
    if current.remote and current.at is None and here is not None:
        raise current.must(target)
    if current.at is None or here is None or _has(context, here, current.at):
        return current.at, behind
    left = f"{target} of this clone has commits that {current.remote} lacks"
    if not current.is_certain:
        asked = "could not be asked for them" if current.remote_problem else "was not asked for them"
        asked = f"has no branch {target}" if current.has_none else asked
        left = f"{target} of this clone has commits since the last recorded merge, and {current.remote} {asked}"
    return current.at, ". ".join(filter(None, (behind, f"{left}, so work starts without them")))


def is_target_unknown(context: Context) -> bool:
    """Return True if only the remote knows where new work begins. Does not ask it. (Q6)"""
    current = current_target(context, asks=False)
    return bool(current.remote) and current.at is None


def _has(context: Context, commit: Sha, tip: Sha) -> bool:
    return context.repo.commit_of(commit) is not None and context.repo.is_ancestor(commit, tip)


def is_to_fetch(context: Context, task: TaskId) -> bool:
    """Return True if bring() would have to fetch."""
    return bool(_lacking(context, task))


def _lacking(context: Context, task: TaskId) -> list[LocatedAttempt]:
    if context.store.place in ("", FILE):
        return []
    with context.store.read() as tx:
        rows = tx.all("attempt.of_task", LocatedAttempt, task=task)
    return [row for row in rows if not _is_here(context, task, row)]


def _remote(context: Context) -> Remote | None:
    with context.store.read() as tx:
        return context.remote(tx)


def _is_here(context: Context, task: TaskId, row: LocatedAttempt) -> bool:
    """Return True if the attempt's objects are here. Objects fetched by hand are kept from then on."""
    repo, ref = context.repo, attempt_ref(task, row.n)
    if repo.commit_of(ref) == row.head:
        return True
    if not _is_whole(context, row):
        return False
    if is_elsewhere(context, row.clone):
        context.workshop.keep(ref, row.head)
    return True


def _is_whole(context: Context, row: LocatedAttempt) -> bool:
    """Return True if all needed objects are here. An interrupted fetch can leave a commit without its files."""
    return not context.repo.missing([sha for sha in (row.head, row.tree, row.base_tree) if sha])


def _fetch(context: Context, remote: Remote, task: TaskId, lacking: Sequence[LocatedAttempt]) -> None:
    refs = {attempt_ref(task, row.n): row for row in lacking}
    branches = ({row.ref for row in lacking} - {DETACHED}) | {left_ref(task, row.n) for row in lacking}
    branches |= {attempt_refs(task, row.n, row.head)[1] for row in lacking}
    try:
        tips = remote.fetch([*refs, *sorted(branches)])
    except RemoteProblem as problem:
        why = f"{_not_here(task, lacking[-1])} and cannot be fetched: {problem.message}"
        raise RemoteProblem(why, kind=problem.kind, next_step=problem.next_step) from problem
    for ref, row in refs.items():
        if _is_whole(context, row):
            context.workshop.keep(ref, row.head)
            continue
        has = f"{remote.name} has {tips[ref][:7]} in its place" if ref in tips else f"{remote.name} does not have it"
        names, step = attempt_refs(task, row.n, row.head), _there(context, task, row)
        if all(name in tips for name in names):
            has, away = both_taken(remote.name, {name: tips[name] for name in names})
            step = in_turn(away, step)
        raise RemoteProblem(f"{_not_here(task, row)} and cannot be fetched: {has}", kind="missing", next_step=step)


def both_taken(remote: str, tips: Mapping[str, Sha]) -> tuple[str, Steps]:
    """Return the message that both ref names of an attempt are taken, and the step that frees one. (A1, Q6)"""
    some = ", ".join(f"{at[:7]} as {ref}" for ref, at in tips.items())
    away = shell("git", "push", remote, f":{[*tips][-1]}", before="someone with the rights deletes one: ")
    return f"{remote} has other commits under both of its names: {some}", away


def _not_here(task: TaskId, row: LocatedAttempt) -> str:
    where = f" (it was submitted on {machine_of(row.clone)})" if row.clone else ""
    return f"attempt {row.n} of {task} is not in this clone{where}"


def _there(context: Context, task: TaskId, row: LocatedAttempt) -> Steps:
    with context.store.read() as tx:
        status = context.find(tx, task).status
    return by("other", pushing(task, status), f"on {machine_of(row.clone)}, to push it: ")


def pushing(task: str, status: str, before: str = "", branch: str = "") -> Steps:
    """Return the command that pushes a waiting attempt: submit again while it is in review, later merge. `branch` is
    its branch if that is not checked out.
    """
    if status != "reviewing":
        return fe("merge", before=before)
    return fe("submit", task, *(("--branch", branch) if branch else ()), before=before)


def _unknown(task: TaskId, row: LocatedAttempt) -> RemoteProblem:
    step = prose('name the remote that the clones share in foureyes.toml: [git] remote = "origin"')
    return RemoteProblem(
        f"{_not_here(task, row)} and cannot be fetched, because the project names no remote",
        kind="missing",
        next_step=step,
    )
