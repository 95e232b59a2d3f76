"""Attempts travel: what was submitted here and the remote lacks is pushed, with the task's own branch (A1, Q6).

A branch of another name is not pushed: whoever works chooses that name, and who sends may have rights to it there.
A push that fails loses nothing: the attempt is on record and kept here, and the next command that sends tries again.
What the remote does not take of one attempt keeps no other from travelling.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.git_ports import Moved, RefUpdate
from foureyes.app.work.other_machines import both_taken, branch_there, is_elsewhere, pushing
from foureyes.app.work.unsent import SendableAttempt, waiting_here
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import DETACHED, attempt_ref, left_ref, tracked
from foureyes.errors import GitProblem, RemoteProblem
from foureyes.steps import NO_STEP, Steps, either, in_turn, prose, shell

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.git_ports import Remote
    from foureyes.app.views.attempt import SubmitOutcome
    from foureyes.core.nouns.attempt import Attempt

ATTEMPTS_IN_A_PUSH = 200
"""So many attempts go with one push."""
TRIES = 4


class SendOutcome(msgspec.Struct, frozen=True):
    """What pushes came to: whose attempts went, what was left where it was, what still waits (by ref), and why. `look`:
    how to see what was left; `lifts`: what has to be said before trying again helps.
    """

    remote: str = ""
    attempts: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    why_not: str = ""
    waits: tuple[str, ...] = ()
    look: Steps = NO_STEP
    lifts: Steps = NO_STEP


class Over(msgspec.Struct, frozen=True):
    """What somebody pushed to the branch of an attempt after that was submitted."""

    at: Sha
    words: str


NOTHING = SendOutcome()


def send(context: Context, first: str = "") -> SendOutcome:
    """Push every attempt that is kept here and that the remote is not known to have; those of one task `first`."""
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
    """What a remote that refuses a submission has to allow."""
    return prose(
        f"at {remote}: allow the submitting account to push refs/foureyes/attempts/*, refs/foureyes/left/* and fe/*"
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
    """Of a task the latest attempt, where it was noted as pushed and the remote has it not: anybody writes notes."""
    own = [row for row in latest if not (row.merged or row.landed or row in waiting)]
    with suppress(RemoteProblem):
        if own and context.repo.commit_of(own[0].kept_as) == own[0].head:
            return [row for row in own if row.head not in remote.tips(row.names).values()]
    return []


class _Sending:
    """Pushes to one remote, each of it all at once: attempts, their branches, and what was left on a branch."""

    def __init__(self, context: Context, remote: Remote, rows: list[SendableAttempt], target: str) -> None:
        self._context, self._remote, self._rows, self._target = context, remote, rows, target
        self._went: list[SendableAttempt] = []
        self._left: list[str] = []
        self._look = NO_STEP
        self._taken: dict[str, Sha] = {}
        self._attempts: dict[str, SendableAttempt] = {}
        self._branches: dict[str, RefUpdate] = {}
        self._marks: dict[str, RefUpdate] = {}

    def sum(self, waiting: list[SendableAttempt], why: str) -> SendOutcome:
        waits = tuple(row.kept_as for row in waiting if row not in self._went)
        tasks = tuple(row.task for row in self._went)
        return SendOutcome(self._remote.name, tasks, tuple(dict.fromkeys(self._left)), why, waits, self._look)

    def push(self, some: list[SendableAttempt]) -> None:
        """A branch to which somebody else has pushed meanwhile stays, and the rest goes; so it does where the remote
        takes a branch not as it is now.
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
                self._left.append(f"{has}, {why}: attempt {row.n} of {row.task} is {ref} there")

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
        """The branches of the latest attempts, if they are the tasks' own; the target moves by merges alone (Q6), and
        what is merged needs none any more (K1).
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
                self._left.append(f"the branch {name} was left as it is there: it is not the own one of {row.task}")
        mine = [row for row in mine if row.is_own]
        known = {row.ref: commit_of(tracked(self._remote.name, row.ref)) for row in mine}
        updates = [RefUpdate(row.ref, row.head, known[row.ref]) for row in mine if known[row.ref] != row.head]
        return {update.ref: update if self._may_go(update) else replace(update, old=None) for update in updates}

    def _may_go(self, update: RefUpdate) -> bool:
        """Whether a branch goes on from what is known of it; else it is looked at again, and left (`_look_again`)."""
        return update.old is None or self._is_behind(update.old, update)

    def _look_again(self, answer: Moved) -> None:
        """Something is not where it was: of all that goes, what it is now."""
        now: dict[str, Sha | None] = dict(self._remote.tips([*self._attempts, *self._branches, *self._marks]))
        now[answer.ref] = answer.now
        for ref, row in list(self._attempts.items()):
            if (at := now.get(ref)) is not None and at != row.head:
                self._name_anew(ref, row, at)
        for ref, update in list(self._branches.items()):
            at = now.get(ref)
            if at is None or at == update.new or self._is_behind(at, update):
                self._branches[ref] = replace(update, old=at)
            else:
                self._leave(update, at)
        self._marks = {ref: replace(mark, old=now.get(ref)) for ref, mark in self._marks.items()}

    def _name_anew(self, ref: str, row: SendableAttempt, at: Sha) -> None:
        """Another commit is where this attempt belongs, of before the store was put back or of anybody: it goes by its
        own name. Where that is taken, too, it stays here, and does not hinder the others.
        """
        del self._attempts[ref]
        if ref == row.kept_as:
            self._attempts[row.names[1]], self._taken[ref] = row, at
            return
        self._branches.pop(row.ref, None)
        self._marks.pop(left_ref(row.task, row.n), None)
        has, away = both_taken(self._remote.name, {row.kept_as: self._taken.pop(row.kept_as), ref: at})
        self._left.append(f"attempt {row.n} of {row.task} was not pushed: {has}")
        self._look = self._look or away

    def _leave(self, update: RefUpdate, at: Sha) -> None:
        """Somebody else's commits are on the branch."""
        del self._branches[update.ref]
        self._mark(update, at)
        name, where = update.ref.removeprefix("refs/heads/"), self._remote.name
        self._left.append(f"{name} on {where} is at {at[:7]}, which is not part of this: it was left there")
        self._look = self._look or shell("git", "log", "--oneline", f"{update.new}..{at}")

    def _mark(self, update: RefUpdate, at: Sha) -> None:
        """D4: what is on a branch that is left goes to the other machines with the attempt: it was there before, so
        nobody has moved the branch since.
        """
        if self._remote.fetch([update.ref]).get(update.ref) != at:
            return
        for row in self._attempts.values():
            if row.ref == update.ref and row.head == update.new:
                ref = left_ref(row.task, row.n)
                self._marks[ref] = RefUpdate(ref, at)

    def _without_branches(self) -> dict[str, RefUpdate]:
        """The branches, which do not go with the attempts; what the remote has for them is told."""
        alone, now = self._branches, self._remote.tips(list(self._branches))
        self._branches = {}
        for ref, at in now.items():
            self._mark(alone[ref], at)
        return alone

    def _one_by_one(self, branches: dict[str, RefUpdate], why: str) -> None:
        """Each for itself, where not all of them together were taken."""
        for update in branches.values():
            name = update.ref.removeprefix("refs/heads/")
            try:
                if not isinstance(self._remote.push([update]), Moved):
                    continue
            except RemoteProblem as problem:
                why = problem.message
            self._left.append(f"{name} was left there as it is: {why}")

    def _is_behind(self, now: Sha, update: RefUpdate) -> bool:
        return _is_behind(self._context, self._rows, update, now)


def _is_behind(context: Context, rows: list[SendableAttempt], update: RefUpdate, now: Sha) -> bool:
    """Whether what the remote has for a branch is in this attempt, or was submitted from that branch before: here, or
    as what a redo has set back since.
    """
    repo = context.repo
    if repo.commit_of(now) is not None and repo.is_ancestor(now, update.new):
        return True
    before = [row for row in rows if row.ref == update.ref and row.head == now]
    return any(not is_elsewhere(context, row.clone) or _is_set_back(context, row) for row in before)


def _is_set_back(context: Context, row: SendableAttempt) -> bool:
    from foureyes.app.views.review import FeedbackView

    with context.store.read() as tx:
        feedback = tx.all("attempt.feedback", FeedbackView, task=row.task)
    return any(each.iteration == row.n and each.reset_to for each in feedback)


def pushed_over(context: Context, task: str, attempt: Attempt) -> Over | None:
    """D4: what somebody else pushed to the branch of an attempt, where other machines see by that that it has moved.
    None where they do not, and where it cannot be asked; also where the branch is only behind, and before the attempt
    itself is there: then what is sent next brings it to where it belongs, or tells what was left.
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
    return Over(tip, f"{what}: this is the same work once more")


def _is_outstanding(context: Context, remote: Remote, rows: list[SendableAttempt]) -> bool:
    """Whether attempts wait to be pushed, and the remote says that it has them not."""
    waiting = waiting_here(context, remote.name, rows)
    try:
        tips = remote.tips([ref for row in waiting for ref in row.names])
    except RemoteProblem:
        return True
    return any(row.head not in map(tips.get, row.names) for row in waiting)


def _bring_back(context: Context, task: str) -> str:
    """D4: the branch of an attempt that the remote has is brought to where it was, if it was only set back there; what
    became of that.
    """
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
            return f"{name} moved on {remote.name} meanwhile, and was left there"
        return f"{name} was behind on {remote.name}, and is at attempt {row.n} again"
    except RemoteProblem as problem:
        if problem.kind == "refused":
            with suppress(GitProblem):
                remote.push([RefUpdate(left, at, known)])
        return f"{name} was left there as it is: {problem.message}"


def _named(context: Context, ref: str) -> str:
    """The branch that a submission has to name: none where it is the one that is checked out."""
    return "" if ref in ("", DETACHED, context.repo.current_ref()) else ref.removeprefix("refs/heads/")


def with_sent(context: Context, made: SubmitOutcome) -> SubmitOutcome:
    """A submission, and whether the other machines have it by now (Q6)."""
    sent = send(context, made.task)
    back = _bring_back(context, made.task) if not (made.changed or sent.why_not) else ""
    if not sent.remote:
        return replace(made, sent=back) if back else made
    own = attempt_ref(made.task, made.attempt)
    if (own in sent.waits or not sent.waits) and sent.why_not:
        again = pushing(made.task, made.status, "to try again: ", _named(context, made.ref))
        step = either(in_turn(sent.lifts, again) if sent.lifts else again, made.next, joint="; ")
        return replace(made, sent="; ".join([f"not pushed yet: {sent.why_not}", *sent.left]), next=step)
    others = len(sent.waits) - (own in sent.waits)
    more = [f"{others} more wait{'s' if others == 1 else ''}"] if others else []
    more += [sent.why_not] if sent.why_not else []
    parts = [f"pushed to {sent.remote}"] if own not in sent.waits else []
    parts += [back] if back else []
    step = either(made.next, sent.look, joint="; ") if sent.look else made.next
    if own in sent.waits and sent.look:
        again = pushing(made.task, made.status, "", _named(context, made.ref))
        step = either(in_turn(sent.look, again), made.next, joint="; ")
    return replace(made, sent="; ".join([*parts, *sent.left, *more]), next=step)
