"""The merge queue (Q): approved attempts reach the target one by one, each checked as what the target would become."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from functools import cached_property

from msgspec.structs import replace

from foureyes.app.call.caller import permit
from foureyes.app.call.context import Context
from foureyes.app.call.merge_intents import NOT_KNOWN, sent_merges
from foureyes.app.call.outcome import merge_by, outcome
from foureyes.app.call.refusals import refuse_task, refuse_verb
from foureyes.app.gate.landing import recognise, refuse_foreign_target
from foureyes.app.gate.merge_lock import MergeLock
from foureyes.app.gate.merge_place import accept_address, accept_target, merge_here
from foureyes.app.gate.merge_plan import Try, look_at
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
from foureyes.app.gate.merge_words import checkout_news
from foureyes.app.gate.merged_branches import take_away
from foureyes.app.gate.one_merge import OneMerge
from foureyes.app.gate.running import Telling
from foureyes.app.gate.sent_merges import settle_sent
from foureyes.app.gate.stacking import decide_above
from foureyes.app.gate.target_line import TargetLine, line_of
from foureyes.app.ports import Tx
from foureyes.app.views.merge import MergeItem, MergeRow, MergesGoOn
from foureyes.app.views.news import News
from foureyes.app.views.outcome import Outcome
from foureyes.app.work.sending import send
from foureyes.app.work.worktrees import tidy_merged
from foureyes.core import events as e
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.task import Task
from foureyes.core.words.fence import some
from foureyes.core.words.ids import TaskId
from foureyes.errors import Conflict, CutOff, FoureyesError, GitProblem, Reason, StoreProblem
from foureyes.steps import NO_STEP, by, fe, shell

UNDECIDED = ("waiting", "stuck")
"""Outcomes that the next look at the queue tells again."""
SPARE_SECONDS = 300
UNKNOWN = "it was cut off: whether it is merged the next fe merge tells"


class Merges:
    """The queue, and the step that works it off."""

    def __init__(self, context: Context, *, of_runner: bool = False) -> None:
        """`of_runner`: of one that shows itself that it is connected (J4)."""
        self._context = context
        self._lock = None if of_runner else MergeLock(context.store)
        self._only: frozenset[str] = frozenset()

    @cached_property
    def _nameless(self) -> str:
        """What nobody else has, where processes have no names."""
        return f"unknown:{os.urandom(8).hex()}"

    @property
    def _me(self) -> str:
        """What a lease names: this process."""
        return self._context.outside.process() or self._nameless

    def all(self, actor: Actor | None = None) -> list[MergeItem]:
        """What is approved and not merged, in the order in which it will be tried, each with what it waits for and, for
        this caller, what brings it on.
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
        """Process the queue: everything that can be merged now is, the rest says why not. One at a time (Q1).

        `task`: this one, if it is its turn; `only`: no others than these. `wait`: and again for what only has to
        settle, until nothing is left that does (Q0).
        """
        permit(actor, "merge")
        self._only = frozenset([self._first(actor, task, wait=wait)] if task else only)
        try:
            return self._process(actor, tell, wait=wait)
        finally:
            if self._lock is not None:
                self._lock.close()

    def _first(self, actor: Actor, task: str, *, wait: bool) -> TaskId:
        """The id of a task whose turn it is: the order of the queue is nobody's choice (Q1)."""
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
            tell(News(f"pushed to {sent.remote}, submitted before: {', '.join(dict.fromkeys(sent.attempts))}"))
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
        """Once more; nothing that goes wrong meanwhile takes back what was merged before (Q4, Q6)."""
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
        """Go through the queue once. What became of each item, and after how many seconds to do so again; None when
        nothing is left that only has to settle.
        """
        line = line_of(self._context)
        if line.remote is not None:
            line.tip()
        with self._context.store.read() as tx:
            refuse_foreign_target(self._context, tx, line)
        self._refuse_programs()
        rows: list[MergeRow] = []
        told: set[News] = set()
        try:
            self._settle(actor, line, rows, tell)
            tried = self._go_through(actor, line, before, rows, tell, lambda: self._catch_up(line, tell, told))
            self._take_away(line, rows, tell)
            left, seconds = self._left(actor, tried)
        except FoureyesError as problem:
            self._catch_up(line, tell, told)
            if (cut := with_done(before + rows, problem)) is not None:
                raise cut from problem
            raise
        told_of = {row.task for row in rows}
        return rows + [row for row in left if row.task not in told_of], seconds

    def _settle(self, actor: Actor, line: TargetLine, rows: list[MergeRow], tell: Telling | None) -> None:
        """What is on the target already, what became of pushes that nobody heard of, and what merges left behind."""
        heads = self._context.repo.heads()
        rows += [row for row in recognise(self._context, actor, line, heads) if row.outcome not in UNDECIDED]
        settle_sent(self._context, actor, line, self._me, rows)
        decide_above(self._context, actor, [row.task for row in rows])
        for went in tidy_merged(self._context, line.name, heads):
            if tell is not None:
                tell(News(went))

    def _take_away(self, line: TargetLine, rows: list[MergeRow], tell: Telling | None) -> None:
        """K1, Q6: the branches of what was merged go at the remote, too; told with each, or, of what was merged before,
        if it went.
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
        """One item after the other, what became of each behind the rows; the approvals that were tried."""
        tried: set[int] = set()
        caught_up = False
        while (taken := self._next(actor, tried, before + rows)) is not None:
            item, first = taken
            tried.add(item.approval)
            merge = OneMerge(self._context, actor, line, item, self._me, tell)
            try:
                done = merge.run(first)
            except FoureyesError:
                if merge.may_be_there:  # its push may have arrived, whatever went wrong after it
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
        """What was not tried, why, and when to look again: all by one look, so that nothing settles between."""
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
        """The next item; if somebody else is at work by now, what was done so far is still told."""
        try:
            return self._lease(actor, tried)
        except Conflict:
            if not rows:
                raise
            return None

    def _is_anothers(self, lease: Lease) -> bool:
        """Q1: whether another process is at work on it; a lease of one that ended is free (Q4)."""
        return is_live(self._context, lease) and lease.process != self._me

    def _refuse_programs(self) -> None:
        """Q2: repository configuration that names a program is an error: what reaches the target is not decided by
        it.
        """
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
        """Q1: take the next item, unless another process is at work; with what its merge rests on. Nobody's turn to
        write is taken to find out that there is none.
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
        """The first item that waits for nothing, not even for what became of its push (Q6); the rules are only looked
        at where there is one.
        """
        items = self._untried(tx, tried)
        rules = rules_of(self._context, tx) if items else None
        for item in items:
            if rules and not waits_for(item, rules) and (first := look_at(self._context, tx, item)):
                return item, first
        return None

    def _untried(self, tx: Tx, tried: set[int]) -> list[MergeItem]:
        sent = sent_merges(tx)
        return [item for item in self._items(tx) if item.approval not in tried and item.task not in sent]

    def _items(self, tx: Tx) -> list[MergeItem]:
        return [item for item in items_of(tx) if not self._only or item.task in self._only]

    def _refuse_second(self, tx: Tx) -> None:
        """Q1: one at a time; a lease of a process that ended is free (Q4)."""
        for lease in tx.all("merge.leases", Lease):
            if self._is_anothers(lease):
                words = f"another fe merge is at work{lease_words(lease)}: it merges {lease.task}."
                raise Conflict(words, next_step=fe("merge", "--list"))

    def _catch_up(self, line: TargetLine, tell: Telling | None, told: set[News]) -> None:
        """Q5: branch and checkouts of the target follow each merge; what cannot is skipped, and the person told
        once.
        """
        try:
            ahead = line.follow()
            checkouts = self._context.workshop.catch_up(line.name)
            news = [*([ahead] if ahead else []), *map(checkout_news, checkouts)]
        except GitProblem as problem:  # what was merged is merged
            news = [News(f"git: {problem.message}", problem.next_step)]
        for each in news:
            if tell is not None and each not in told:
                told.add(each)
                tell(each)

    def retry(self, actor: Actor, task: str) -> Outcome:
        """Try a stuck merge again."""
        permit(actor, "merge --retry")
        with self._context.writing(actor, "merge --retry") as work:
            row = self._context.find(work.tx, task)
            lease = work.tx.one("merge.of", Lease, task=row.id)
            refuse_unless_queued(row)
            if lease is None or lease.state != "stuck":
                return outcome(row, f"{row.id} is not stuck", merge_by(actor), changed=False)
            work.record(row.id, e.MergeRetried(attempt=row.iteration))
            return outcome(self._context.get(work.tx, row.id), f"{row.id} is tried again", merge_by(actor))

    def here(self, actor: Actor, reason: str) -> MergesGoOn:
        """Q6: merge in this clone from now on."""
        permit(actor, "target here")
        return merge_here(self._context, actor, reason)

    def accept(self, actor: Actor, reason: str, seen: str = "") -> MergesGoOn:
        """Q6: go on from a target that was set back on purpose, to the commit that was `seen`."""
        permit(actor, "target accept")
        return accept_target(self._context, actor, reason, seen)

    def address(self, actor: Actor, reason: str, seen: str = "") -> MergesGoOn:
        """Q6: go on with the address that the remote has in this clone, if it is the one that was `seen`."""
        permit(actor, "target address")
        return accept_address(self._context, actor, reason, seen)


def refuse_unless_queued(task: Task) -> None:
    """Only what is approved waits to be merged."""
    if task.status != "approved":
        why = f"{task.id} is {task.status}. Only approved tasks are in the merge queue."
        refuse_task(task.id, "was not changed", Reason("T2", why, fe("merge", "--list")))


def with_done(rows: list[MergeRow], problem: FoureyesError) -> CutOff | None:
    """Q4: what went wrong in the middle of the queue, with what became of the items before it; None where nothing did.
    That the store, the remote or the target is away takes back nothing.
    """
    done = tuple(row for row in rows if row.outcome not in UNDECIDED)
    if not done:
        return None
    why, step = "the store does not answer any more", fe("doctor")
    if not isinstance(problem, StoreProblem):
        why = "; ".join(reason.message for reason in problem.reasons) or problem.message.rstrip(".")
        step = problem.way_on or step
    merged = ", ".join(f"{row.task} ({row.sha[:7]})" for row in done if row.merged)
    cut = "".join(f"; whether {row.task} is, the next fe merge tells" for row in done if row.outcome == "cut")
    before = f"Merged before: {merged}" if merged else f"Nothing was merged{' before' if cut else ''}"
    return CutOff(f"{why}. {before}{cut}. The rest of the queue waits.", of=problem, next_step=step, done=done)
