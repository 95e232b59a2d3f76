"""The merge queue (Q). Approved attempts are merged one after the other, each after checks on its merge candidate."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

from msgspec.structs import replace

from foureyes.app.context import Context, permit, refuse_task, refuse_verb
from foureyes.app.facts import attempts_of
from foureyes.app.gate.checks import Telling
from foureyes.app.gate.landing import TargetLine, line_of, recognise, refuse_foreign_target, what_to_allow
from foureyes.app.gate.merge_candidate import OneMerge, Try, checkout_news, read_try
from foureyes.app.gate.merge_queue import (
    Lease,
    explain,
    is_live,
    items_of,
    lease_words,
    obstacle,
    rules_of,
    seconds_to_next,
    waits_for,
)
from foureyes.app.gate.stacks import decide_above
from foureyes.app.outcome import merge_by, outcome
from foureyes.app.ports import Tx
from foureyes.app.results.attempt import MergeItem, MergeRow, MergesGoOn
from foureyes.app.results.project import News
from foureyes.app.results.task_list import Outcome
from foureyes.app.target import NOT_ARRIVED, NOT_KNOWN, MergePlace, merge_place_of, remote_of, sent_merges
from foureyes.app.target_merges import (
    HERE,
    NEAR_TIP,
    UNTOLD,
    MergeOf,
    accepting,
    built_on,
    elsewhere,
    given_up,
    lacking,
    moved_to,
    recorded,
    said_about,
)
from foureyes.app.work.remote_attempts import send
from foureyes.app.work.worktrees import tidy_merged
from foureyes.core import events as e
from foureyes.core.events.gate import MergeLeft, MergesPlaced, TargetSetBack
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.task import Task
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.refs import OWN_BRANCHES, own_branch, own_name, tracked
from foureyes.core.words.text import visible
from foureyes.core.words.untrusted_text import some
from foureyes.errors import (
    BadInput,
    Conflict,
    CutOff,
    FoureyesError,
    GitProblem,
    Reason,
    Refused,
    RemoteProblem,
    StoreProblem,
)
from foureyes.steps import NO_STEP, by, fe, shell, unshallow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from foureyes.app.ports import Beacon, Store
    from foureyes.app.target import SentMerge
    from foureyes.steps import Steps


# ---- The merge queue (Q) ----

UNDECIDED = ("waiting", "stuck")
"""Outcomes that the next pass over the queue reports again."""
SPARE_SECONDS = 300
UNKNOWN = "the merge was interrupted. The next fe merge shows whether it went through"


class Merges:
    """The merge queue, with the verbs that process it."""

    def __init__(self, context: Context, *, of_runner: bool = False) -> None:
        """Set up the queue. `of_runner`: the caller is a runner, which has its own database lock. (J4)"""
        self._context = context
        self._lock = None if of_runner else MergeLock(context.store)
        self._only: frozenset[str] = frozenset()

    @cached_property
    def _nameless(self) -> str:
        """Name of this process on a platform that gives processes no evidence. Unique each time."""
        return f"unknown:{os.urandom(8).hex()}"

    @property
    def _me(self) -> str:
        """This process's name in a lease."""
        return self._context.outside.process() or self._nameless

    def all(self, actor: Actor | None = None) -> list[MergeItem]:
        """Return the approved tasks that are not merged, in queue order, each with why it waits and this caller's next
        step.
        """
        with self._context.store.read() as tx:
            rules = rules_of(self._context, tx, with_stop=True)
            return [explain(self._context, item, rules, actor) for item in items_of(tx)]

    def process(
        self,
        actor: Actor,
        tell: Telling | None = None,
        *,
        task: str = "",
        only: Collection[str] = (),
        wait: bool = False,
    ) -> list[MergeRow]:
        """Merge everything that is ready, one task at a time, and report why the rest waits. (Q1)

        `task`: merge only this one, and refuse if it is not next. `only`: ignore other tasks. `wait`: go on until no
        task is left that waits only for its settle time (Q0).
        """
        permit(actor, "merge")
        self._only = frozenset([self._first(actor, task, wait=wait)] if task else only)
        try:
            return self._process(actor, tell, wait=wait)
        finally:
            if self._lock is not None:
                self._lock.close()

    def _first(self, actor: Actor, task: str, *, wait: bool) -> TaskId:
        """Return the task's id. Refuse a task that is not next, because nobody chooses the order. (Q1)"""
        with self._context.store.read() as tx:
            row = self._context.find(tx, task)
            refuse_unless_queued(row)
            rules, items = rules_of(self._context, tx), items_of(tx)
            shown = {item.task: explain(self._context, item, rules, actor) for item in items}
        at = [item.task for item in items].index(row.id)
        if why := obstacle(items[at], rules) if wait else waits_for(items[at], rules):
            refuse_task(row.id, "was not merged", Reason("Q1", f"{row.id} {why}", shown[row.id].next))
        first = [item.task for item in items[:at] if shown[item.task].ready and item.state != "stuck"]
        if first:
            why = f"{some(first, 3)} {'is' if len(first) == 1 else 'are'} before {row.id} in the merge queue"
            refuse_task(row.id, "was not merged", Reason("Q1", why, merge_by(actor)))
        return row.id

    def _process(self, actor: Actor, tell: Telling | None, *, wait: bool) -> list[MergeRow]:
        sent = send(self._context)
        if sent.attempts and tell is not None:
            tell(News(f"pushed to {sent.remote}, submitted earlier: {', '.join(dict.fromkeys(sent.attempts))}"))
        for left in (*sent.left, *([f"not pushed yet: {sent.why_not}"] if sent.why_not else [])):
            if tell is not None:
                tell(News(left))
        rows, seconds = self._work_off(actor, tell, [])
        while wait and seconds is not None:
            if seconds and tell is not None:
                tell(News("waiting a few seconds in case you withdraw the approval (Q0)"))
            if seconds:
                self._context.clock.wait(seconds)
            later, seconds = self._again(actor, tell, rows)
            rows = [row for row in rows if row.outcome not in UNDECIDED] + later
        return rows

    def _again(self, actor: Actor, tell: Telling | None, before: list[MergeRow]) -> tuple[list[MergeRow], float | None]:
        """Process the queue again. If this fails, the error lists the merges made before. (Q4, Q6)"""
        try:
            return self._work_off(actor, tell, before)
        except CutOff:
            raise
        except FoureyesError as problem:
            if (cut := with_done(before, problem)) is not None:
                raise cut from problem
            raise

    def _work_off(
        self, actor: Actor, tell: Telling | None, before: list[MergeRow]
    ) -> tuple[list[MergeRow], float | None]:
        """Go through the queue once. Return the results, and the seconds until the next pass, None if nothing waits
        only for its settle time.
        """
        line = line_of(self._context)
        if line.remote is not None:
            line.tip()
        with self._context.store.read() as tx:
            refuse_foreign_target(self._context, tx, line)
        self._refuse_programs()
        rows: list[MergeRow] = []
        shown: set[News] = set()
        try:
            self._settle(actor, line, rows, tell)
            tried = self._go_through(actor, line, before, rows, tell, lambda: self._catch_up(line, tell, shown))
            self._take_away(line, rows, tell)
            left, seconds = self._left(actor, tried)
        except FoureyesError as problem:
            self._catch_up(line, tell, shown)
            if (cut := with_done(before + rows, problem)) is not None:
                raise cut from problem
            raise
        reported_tasks = {row.task for row in rows}
        return rows + [row for row in left if row.task not in reported_tasks], seconds

    def _settle(self, actor: Actor, line: TargetLine, rows: list[MergeRow], tell: Telling | None) -> None:
        """Record merges found on the target, settle unconfirmed pushes, and remove what earlier merges left."""
        heads = self._context.repo.heads()
        rows += [row for row in recognise(self._context, actor, line, heads) if row.outcome not in UNDECIDED]
        settle_sent(self._context, actor, line, self._me, rows)
        decide_above(self._context, actor, [row.task for row in rows])
        for went in tidy_merged(self._context, line.name, heads):
            if tell is not None:
                tell(News(went))

    def _take_away(self, line: TargetLine, rows: list[MergeRow], tell: Telling | None) -> None:
        """Delete the remote branches of merged tasks. Report those of this pass, and earlier ones only if deleted now.
        (K1, Q6)
        """
        became = take_away(self._context, line, [row.task for row in rows if row.merged])
        for at, row in enumerate(rows):
            if row.task in became:
                rows[at] = replace(row, notes=(*row.notes, became.pop(row.task)))
        for task, words in became.items():
            if tell is not None:
                tell(News(f"{task}  {words}"))

    def _go_through(
        self,
        actor: Actor,
        line: TargetLine,
        before: list[MergeRow],
        rows: list[MergeRow],
        tell: Telling | None,
        catch_up: Callable[[], None],
    ) -> set[int]:
        """Merge items in order and append their results to `rows`. Return the approvals that were tried."""
        tried: set[int] = set()
        caught_up = False
        while (taken := self._next(actor, tried, before + rows)) is not None:
            item, first = taken
            tried.add(item.approval)
            merge = OneMerge(self._context, actor, line, item, self._me, tell)
            try:
                done = merge.run(first)
            except FoureyesError:
                if merge.may_be_there:  # the push may have arrived despite the error
                    rows.append(MergeRow(task=item.task, attempt=item.attempt, outcome="cut", message=UNKNOWN))
                raise
            if any(row.outcome == "merged" for row in done):
                catch_up()
                caught_up = True
            rows += done
            decide_above(self._context, actor, [row.task for row in done if row.merged])
        if not caught_up:
            catch_up()
        return tried

    def _left(self, actor: Actor, tried: set[int]) -> tuple[list[MergeRow], float | None]:
        """Return the items that were not tried, each with the reason, and the seconds until the next pass. Both come
        from one read, so that no item settles in between.
        """
        with self._context.store.read() as tx:
            left = [item for item in self._items(tx) if item.approval not in tried]
            if not left:
                return [], None
            rules = rules_of(self._context, tx)
            alone = not any(self._is_anothers(lease) for lease in tx.all("merge.leases", Lease))
            sent = sent_merges(tx)
        shown = [explain(self._context, item, rules, actor) for item in left]
        rows = [
            MergeRow(
                task=item.task,
                attempt=item.attempt,
                outcome=item.state,
                message=item.why or (NOT_KNOWN if item.task in sent else "waits"),
                next=item.next if item.why else NO_STEP,
            )
            for item in shown
        ]
        return rows, seconds_to_next([item for item in left if item.task not in sent], rules, alone=alone)

    def _next(self, actor: Actor, tried: set[int], rows: list[MergeRow]) -> tuple[MergeItem, Try] | None:
        """Lease the next item. If another process is merging and this pass has results, return None."""
        try:
            return self._lease(actor, tried)
        except Conflict:
            if not rows:
                raise
            return None

    def _is_anothers(self, lease: Lease) -> bool:
        """Return True if another live process holds the lease. The lease of an ended process is free. (Q1, Q4)"""
        return is_live(self._context, lease) and lease.process != self._me

    def _refuse_programs(self) -> None:
        """Refuse a git configuration that names a program, because it could change the content of a merge. (Q2)"""
        named = self._context.workshop.programs_named()
        if named:
            step = by(
                "person",
                shell("git", "config", "--show-origin", "--get-all", named[0]),
                "a person checks it, and removes it if it is not needed: ",
            )
            why = "the repository's git configuration names a program"
            refuse_verb("nothing was merged.", *[Reason("Q2", f"{why}: {key}", step) for key in named])

    def _lease(self, actor: Actor, tried: set[int]) -> tuple[MergeItem, Try] | None:
        """Lease the next item and return it with its inputs. (Q1)

        If none is left, return None without a write transaction. Raise `Conflict` if another process is merging.
        """
        with self._context.store.read() as tx:
            self._refuse_second(tx)
            if not self._untried(tx, tried):
                return None
        beacon = self._lock.held() if self._lock is not None else ""
        with self._context.writing(actor, "merge") as work:
            self._refuse_second(work.tx)
            taken = self._first_ready(work.tx, tried)
            if taken is None:
                return None
            item, first = taken
            seconds = SPARE_SECONDS + 2 * 60 * sum(rule.timeout_minutes for rule in first.case.policy.checks)
            event = e.MergeLeased(
                attempt=item.attempt,
                approval=item.approval,
                until=self._context.later(seconds),
                process=self._me,
                host=actor.host,
                via=actor.session,
                beacon=beacon,
            )
            work.gate.record(item.task, event)
            return taken

    def _first_ready(self, tx: Tx, tried: set[int]) -> tuple[MergeItem, Try] | None:
        """Return the first item that can be merged, with its inputs. Tasks with an unconfirmed push are skipped.
        (Q6)
        """
        items = self._untried(tx, tried)
        rules = rules_of(self._context, tx) if items else None
        for item in items:
            if rules and not waits_for(item, rules) and (first := read_try(self._context, tx, item)):
                return item, first
        return None

    def _untried(self, tx: Tx, tried: set[int]) -> list[MergeItem]:
        sent = sent_merges(tx)
        return [item for item in self._items(tx) if item.approval not in tried and item.task not in sent]

    def _items(self, tx: Tx) -> list[MergeItem]:
        return [item for item in items_of(tx) if not self._only or item.task in self._only]

    def _refuse_second(self, tx: Tx) -> None:
        """Refuse if another live process merges. The lease of an ended process is free. (Q1, Q4)"""
        for lease in tx.all("merge.leases", Lease):
            if self._is_anothers(lease):
                words = f"another fe merge is running{lease_words(lease)} and merges {lease.task}."
                raise Conflict(words, next_step=fe("merge", "--list"))

    def _catch_up(self, line: TargetLine, tell: Telling | None, shown: set[News]) -> None:
        """Update the local target branch and its checkouts. One that cannot be updated is skipped and reported once.
        (Q5)
        """
        try:
            ahead = line.follow()
            checkouts = self._context.workshop.catch_up(line.name)
            news = [*([ahead] if ahead else []), *map(checkout_news, checkouts)]
        except GitProblem as problem:  # the merge stays
            news = [News(f"git: {problem.message}", problem.next_step)]
        for each in news:
            if tell is not None and each not in shown:
                shown.add(each)
                tell(each)

    def retry(self, actor: Actor, task: str) -> Outcome:
        """Make a stuck merge ready again."""
        permit(actor, "merge --retry")
        with self._context.writing(actor, "merge --retry") as work:
            row = self._context.find(work.tx, task)
            lease = work.tx.one("merge.of", Lease, task=row.id)
            refuse_unless_queued(row)
            if lease is None or lease.state != "stuck":
                return outcome(row, f"{row.id} is not stuck", merge_by(actor), changed=False)
            work.record(row.id, e.MergeRetried(attempt=row.iteration))
            return outcome(self._context.get(work.tx, row.id), f"{row.id} is back in the merge queue", merge_by(actor))

    def here(self, actor: Actor, reason: str) -> MergesGoOn:
        """Make this clone the one that merges. (Q6)"""
        permit(actor, "target here")
        return merge_here(self._context, actor, reason)

    def accept(self, actor: Actor, reason: str, seen: str = "") -> MergesGoOn:
        """Accept a target that was reset on purpose, at the commit `seen` that the person was shown. (Q6)"""
        permit(actor, "target accept")
        return accept_target(self._context, actor, reason, seen)

    def address(self, actor: Actor, reason: str, seen: str = "") -> MergesGoOn:
        """Accept the remote's address in this clone, if it is the one that the person saw (`seen`). (Q6)"""
        permit(actor, "target accept --address")
        return accept_address(self._context, actor, reason, seen)


def refuse_unless_queued(task: Task) -> None:
    """Refuse a task that is not approved."""
    if task.status != "approved":
        why = f"{task.id} is {task.status}. Only approved tasks are in the merge queue."
        refuse_task(task.id, "was not changed", Reason("T2", why, fe("merge", "--list")))


def with_done(rows: list[MergeRow], problem: FoureyesError) -> CutOff | None:
    """Return a `CutOff` with the problem and the items that this pass finished, or None if it finished none. They are
    not undone by a lost store, remote or target. (Q4)
    """
    done = tuple(row for row in rows if row.outcome not in UNDECIDED)
    if not done:
        return None
    why, step = "the store no longer answers", fe("doctor")
    if not isinstance(problem, StoreProblem):
        why = ", and ".join(reason.message for reason in problem.reasons) or problem.message.rstrip(".")
        step = problem.way_on or step
    merged = ", ".join(f"{row.task} ({row.sha[:7]})" for row in done if row.merged)
    cut = "".join(f". The next fe merge shows whether {row.task} was merged" for row in done if row.outcome == "cut")
    before = f"Merged before: {merged}" if merged else f"Nothing was merged{' before' if cut else ''}"
    return CutOff(f"{why}. {before}{cut}. The rest of the queue waits.", of=problem, next_step=step, done=done)


# ---- Merge lock (J4) ----


class MergeLock:
    """A database lock, taken with the first lease, and again after a broken connection."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._beacon: Beacon | None = None

    def held(self) -> str:
        """Take the lock if necessary and return its name. "" if there is none: other processes then wait until the
        lease expires.
        """
        if self._beacon is not None and self._beacon.is_lit():
            return self._beacon.name
        self.close()
        try:
            self._beacon = self._store.beacon(f"merge {os.urandom(16).hex()}")
        except StoreProblem:
            return ""
        return self._beacon.name if self._beacon is not None else ""

    def close(self) -> None:
        if self._beacon is not None:
            self._beacon.close()
        self._beacon = None


# ---- Merge place (Q6) ----

MERGE = fe("merge")
EVERY_COMMIT = 10**9
LOST_SHOWN = 3
"""Number of tasks with lost merges to name."""


def merge_here(context: Context, actor: Actor, reason: str) -> MergesGoOn:
    """Make this clone the one that merges. Refuse a clone that lacks earlier merges. (Q6)"""
    _refuse_silent(reason, HERE)
    clone = context.outside.clone()
    with context.store.read() as tx:
        before, remote = merge_place_of(tx), remote_of(context, tx)
        stop = lacking(context, tx, context.project(tx)) if not remote else None
    if remote:
        return MergesGoOn(
            message=f"any clone may merge, because the target branch is on {remote}", changed=False, next=MERGE
        )
    if stop is not None:
        refuse_verb("this clone was not made the one that merges.", Reason("Q6", stop.text, stop.next))
    if before.clone == clone:
        return MergesGoOn(message="this clone already makes the merges", changed=False, next=MERGE)
    with context.deciding(actor, "target here", reason=reason) as work:
        from_where = f"before: {before.host or before.clone}" if before.clone else "it was not recorded before"
        work.record(
            "",
            SecurityRecorded(kind="merges_moved", rule="Q6", reason=reason.strip(), detail=from_where),
            MergesPlaced(clone=clone),
        )
    return MergesGoOn(message="this clone makes the merges from now on", next=MERGE)


def accept_target(context: Context, actor: Actor, reason: str, seen: str) -> MergesGoOn:
    """Accept a target that lacks merges, if it is still at `seen`. From then on it must contain that commit. (Q6)

    If another clone made the merges, it may be lost too, so this clone takes over.
    """
    tip = line_of(context).tip()
    _refuse_silent(reason, accepting(tip))
    with context.store.read() as tx:
        project, before = context.project(tx), merge_place_of(tx)
        stop, other = lacking(context, tx, project, tip), elsewhere(context, tx)
    if stop is None:
        return MergesGoOn(
            message=f"{project.target} contains the last recorded merge, so there is nothing to accept",
            changed=False,
            next=MERGE,
        )
    _refuse_cut_short(context, before, tip)
    lost = _lost(context, before, tip)
    stray = built_on(context, tip)
    other_notes = [*([other.text] if other else []), *([stray.text] if stray else [])]
    if seen != tip:
        where = f"{project.target} is at {tip}" + (f", but you named {visible(seen)}" if seen else "")
        gone = f"{len(lost)} of the recorded merges would be lost: {', '.join(lost[:LOST_SHOWN])}"
        _refuse_unseen(
            [where, stop.text, gone + (" …" if len(lost) > LOST_SHOWN else ""), *other_notes], accepting(tip)
        )
    with context.deciding(actor, "target accept", reason=reason, how=tip) as work:
        if merge_place_of(work.tx) != before:
            raise Conflict("something was merged meanwhile. Nothing was changed.", next_step=MERGE)
        work.record(
            "",
            SecurityRecorded(kind="target_set_back", rule="Q6", reason=reason.strip(), detail=stop.text),
            TargetSetBack(tip=tip, newest=tip, lost=lost),
            *([MergesPlaced(clone=context.outside.clone())] if other else []),
        )
    notes = [f"{task} stays closed, but its merge is not on {project.target}" for task in lost]
    message = f"merging continues from {project.target} at {tip[:7]}" + (" in this clone" if other else "")
    return MergesGoOn(message=message, notes=(*notes, *other_notes), next=MERGE)


def _refuse_cut_short(context: Context, before: MergePlace, tip: Sha) -> None:
    """Refuse a shallow clone. It cannot tell which merges the target lacks. (Q6)"""
    if context.repo.commit_of(before.newest) is None and context.repo.history(tip, NEAR_TIP).lacks:
        why = f"the history of this clone ends before the last recorded merge, so {UNTOLD}"
        refuse_verb("nothing was accepted.", Reason("Q6", why, unshallow()))


def _lost(context: Context, before: MergePlace, tip: Sha) -> tuple[TaskId, ...]:
    """Return the tasks whose merges the target lacks, without merges that were given up before and never came back."""
    with context.store.read() as tx:
        merges, gone = tx.all("merge.shas", MergeOf), given_up(tx)
    has = _behind(context, tip)
    had = _behind(context, Sha(before.newest)) if context.repo.commit_of(before.newest) else set[Sha]()
    lacks = [row for row in merges if row.sha not in has]
    return tuple(TaskId(row.id) for row in lacks if row.sha in had or row.id not in gone)


def _behind(context: Context, tip: Sha) -> set[Sha]:
    """Return all ancestors of a commit. Grafts and replaced commits, which could hide a loss, are ignored."""
    return {commit.sha for commit in context.repo.history(tip, EVERY_COMMIT).commits}


def accept_address(context: Context, actor: Actor, reason: str, seen: str) -> MergesGoOn:
    """Record the remote's current address, if it is `seen`, which the person was shown. (Q6)"""
    with context.store.read() as tx:
        remote = context.remote(tx)
        known = recorded(context, tx, remote.name) if remote is not None else None
    if remote is None:
        return MergesGoOn(message="the project has no remote", changed=False, next=MERGE)
    address = remote.address()
    _refuse_silent(reason, moved_to(address.shown))
    if known is not None and known.digest == address.digest:
        return MergesGoOn(message=f"{remote.name} is already recorded at {address.shown}", changed=False, next=MERGE)
    before = f"before: {known.shown}" if known is not None else "its address was not recorded before"
    if seen != address.shown:
        where = f"{remote.name} is at {address.shown}" + (f", but you named {visible(seen)}" if seen else "")
        _refuse_unseen([where, before], moved_to(address.shown))
    with context.deciding(actor, "target accept --address", reason=reason, how=address.shown) as work:
        detail = f"{remote.name}: {address.shown}; {before}"
        work.record(
            "",
            SecurityRecorded(kind="remote_moved", rule="Q6", reason=reason.strip(), detail=detail),
            said_about(context, remote.name, address),
        )
    return MergesGoOn(message=f"{remote.name} is at {address.shown} from now on", notes=(before,), next=MERGE)


def _refuse_unseen(lines: list[str], step: Steps) -> NoReturn:
    """Refuse to accept a value that the person has not confirmed as shown. Others may have changed it. (Q6)"""
    reasons = tuple(Reason("Q6", line, step) for line in lines)
    raise BadInput(
        "nothing was accepted, because you must name what you saw with --seen.", reasons=reasons, next_step=step
    )


def _refuse_silent(reason: str, step: Steps) -> None:
    if not reason.strip():
        raise BadInput("give a reason. It is recorded.", next_step=step)


# ---- The branches of merged tasks at the remote (K1, Q6) ----

# This deletes no commits of others, keeps the attempts, and no merge fails because of it.


def take_away(context: Context, line: TargetLine, merged: Iterable[str]) -> dict[str, str]:
    """Delete the remote branches of tasks in `merged`, and of tasks merged earlier that this clone knows.

    Return a message by task. Tasks merged earlier get one only if their branch was deleted.
    """
    remote, just = line.remote, set(merged)
    if remote is None:
        return {}
    try:
        below = tracked(remote.name, OWN_BRANCHES)
        known = {ref.removeprefix(below) for ref in context.repo.kept(below)}
        going = _merged(context, line, sorted(known | just))
        taken = remote.take_away({own_branch(task): head for task, head in going.items()}) if going else None
    except GitProblem:
        return {}  # the next merge tries again
    if taken is None:
        return {}
    words = dict.fromkeys(taken.gone, f"was deleted on {remote.name}")
    stay = {own_branch(task) for task in just} & taken.stay.keys()
    words |= {ref: f"stays on {remote.name}: {taken.stay[ref]}" for ref in stay}
    return {task: f"{own_name(task)} {words[own_branch(task)]}" for task in going if own_branch(task) in words}


def _merged(context: Context, line: TargetLine, tasks: list[str]) -> dict[str, Sha]:
    """Return the branches to delete: those of merged tasks whose work the target has, by task with their heads."""
    with context.store.read() as tx:
        rows = tx.all("task.some", Task, ids=tasks) if tasks else []
        attempts = attempts_of(tx, [TaskId(row.id) for row in rows if row.resolution == "merged"])
    heads = {task: attempt.head for task, attempt in attempts.items() if attempt.ref == own_branch(task)}
    tip = context.repo.commit_of(line.at)
    return {task: head for task, head in heads.items() if tip is not None and context.repo.is_ancestor(head, tip)}


# ---- Unconfirmed pushes (Q4, Q6) ----

TRIES = 5


def settle_sent(context: Context, actor: Actor, line: TargetLine, me: str, rows: list[MergeRow]) -> None:
    """Find out if unconfirmed pushes succeeded, at the remote that each went to. (Q4)

    One that stays unknown waits and does not block others. Results are added to `rows` at once, so that a later error
    does not lose them.
    """
    with context.store.read() as tx:
        names = {sent.remote for sent in _left_behind(context, tx, me).values()}
    for name in sorted(names):
        _Settling(context, actor, line, me, name, rows).run()


class _Settling:
    """The unconfirmed pushes to one remote. Once the fence has moved, none of them can succeed any more. Only then may
    the task be pushed again.
    """

    def __init__(
        self, context: Context, actor: Actor, line: TargetLine, me: str, remote: str, rows: list[MergeRow]
    ) -> None:
        self._context, self._actor, self._line, self._me, self._remote = context, actor, line, me, remote
        self._rows = rows

    def run(self) -> None:
        why = f"{self._line.name} of {self._remote} moved {TRIES} times meanwhile"
        try:
            line = self._line_there()
            if any(self._is_settled(line) for _ in range(TRIES)):
                return
        except (GitProblem, Refused) as problem:
            why = problem.in_a_line
        self._rows += [self._waits(sent, why) for sent in self._left().values()]

    def _line_there(self) -> TargetLine:
        remote = self._line.remote
        if remote is not None and remote.name == self._remote:
            return self._line
        with self._context.store.read() as tx:
            remote = self._context.remote_named(tx, self._remote)
        return TargetLine(self._context, self._line.name, remote)

    def _is_settled(self, line: TargetLine) -> bool:
        """Return True if no push is left to settle. False if something arrived meanwhile, so that the caller must call
        again.
        """
        tip = self._find(line)
        left = self._left()
        if not left:
            return True
        try:
            is_out = line.shut_out(tip)
        except RemoteProblem as problem:
            if problem.kind != "refused" or self._find(line) != tip:
                raise
            self._leave(left, what_to_allow(problem, line), stuck=True)  # every merge pushes the fence too
            return True
        if is_out:
            self._leave(left, NOT_ARRIVED, stuck=False)
        return is_out

    def _find(self, line: TargetLine) -> Sha:
        """Record the merges found on the target, and return its tip."""
        tip = line.tip()
        self._rows += recognise(self._context, self._actor, line, self._context.repo.heads(), only=self._left())
        return tip

    def _left(self) -> dict[str, SentMerge]:
        with self._context.store.read() as tx:
            sent = _left_behind(self._context, tx, self._me)
        return {task: each for task, each in sent.items() if each.remote == self._remote}

    def _leave(self, left: dict[str, SentMerge], why: str, *, stuck: bool) -> None:
        """Record that these pushes did not succeed. Skip one that another process has settled and repeated
        meanwhile.
        """
        with self._context.writing(self._actor, "merge") as work:
            still = _left_behind(self._context, work.tx, self._me)
            for task, sent in left.items():
                if still.get(task) == sent:
                    work.gate.record(task, MergeLeft(attempt=sent.attempt, why=why, stuck=stuck))

    def _waits(self, sent: SentMerge, why: str) -> MergeRow:
        message = f"{NOT_KNOWN}, and only {self._remote} can tell ({why})"
        return MergeRow(task=sent.task, attempt=sent.attempt, outcome="waiting", message=message)


def _left_behind(context: Context, tx: Tx, me: str) -> dict[str, SentMerge]:
    """Return the unconfirmed pushes by task, without those of other live processes."""
    sent = sent_merges(tx)
    leases = tx.all("merge.leases", Lease) if sent else []
    others = {lease.task for lease in leases if is_live(context, lease) and lease.process != me}
    return {task: each for task, each in sent.items() if task not in others}
