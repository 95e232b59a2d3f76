"""Claims (T1): a task has one claim. It is taken, released or taken over. Also an agent's own unfinished work."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.context import OF_PROJECT, Count, IdRow, permit, refuse_task, refuse_verb
from foureyes.app.facts import facts_of, parties_of, processes_of
from foureyes.app.outcome import claim_by, outcome
from foureyes.app.results.session import SessionView
from foureyes.app.results.status import OpenPoint
from foureyes.app.results.task_list import Link, ListQuery, TaskRow
from foureyes.app.target import (
    CurrentTarget,
    TargetHere,
    as_the_remote_has_it,
    current_target,
    merged_reason,
    refuse_merged,
    target_here,
)
from foureyes.core import events as e
from foureyes.core.nouns.session import Actor, is_oneself, is_same
from foureyes.core.rules.check_states import check_states
from foureyes.core.rules.claims import RESUME, began_at, is_next_process, why_not_free
from foureyes.core.rules.involvement import has_spawned
from foureyes.core.words.ids import TaskId
from foureyes.core.words.refs import OWN_BRANCHES, own_branch
from foureyes.core.words.text import clean_text, one_line
from foureyes.errors import LostClaim, NotFound, Reason
from foureyes.steps import NO_STEP, Steps, by_person, either, fe, in_turn, phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from foureyes.app.context import Context, Work
    from foureyes.app.ports import Tx
    from foureyes.app.results.task_list import Outcome
    from foureyes.app.results.work import ClaimedWorktree
    from foureyes.core.nouns.task import Task
    from foureyes.core.rules.facts import Facts
    from foureyes.core.words.ids import Sha
    from foureyes.core.words.lifecycle import RunEnd


# ---- Claims ----

SAID = 3
"""Number of the caller's own tasks to name."""


class Claims:
    """Verbs to claim a task, to claim the next one, and to release a claim."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def start(
        self, actor: Actor, task: str, *, if_version: int | None = None, worktree: bool | None = False
    ) -> Outcome | ClaimedWorktree:
        """Claim a task. With a worktree, create or find one for it, or claim nothing if that fails. (K1)

        `worktree` None: as the project's configuration says.
        """
        permit(actor, "start")
        target, separate = self._read(actor, worktree)
        here = not separate or (worktree is None and self._is_at_its_place(task, target.tip))
        head = current_target(self._context, named=target.named).at if here else None
        done: Outcome | None = None
        with self._context.writing(actor, "start") as work:
            row = self._context.find(work.tx, task)
            self._context.check_version(work.tx, row, if_version)
            if row.status == "in_progress" and row.implementer is not None:
                done = self._continued(work, row) or self._already(work, row)
            else:
                refuse_merged(row.id, target.merged)
                self._refuse_if_not_free(work.tx, row)
                self._refuse_reserved(work, row)
                done = self._claim(work, row, head) if here else self._reserve(work, row)
        if done is None:
            return self._start_reserved(actor, row)
        if row.status == "in_progress":
            return self._found_again(actor, done, worktree, here=here)
        return self._prepared(work, row, done)

    def _found_again(
        self, actor: Actor, done: Outcome, worktree: bool | None, *, here: bool
    ) -> Outcome | ClaimedWorktree:
        """Return the outcome for a claim that the caller already has, in its worktree if it has one or should have
        one.
        """
        is_wanted = bool(worktree) or (worktree is None and self._has_place(actor, TaskId(done.task), here=here))
        return self._in_worktree(actor, done) if is_wanted else done

    def _read(self, actor: Actor, worktree: bool | None) -> tuple[TargetHere, bool]:
        """Return the target, and True if the claim gets a worktree. Refuse that if the target is missing. (K1)"""
        with self._context.store.read() as tx:
            target, separate = target_here(self._context, tx), bool(worktree)
            if worktree is None:
                from foureyes.app.work.worktrees import wants_worktree

                separate = wants_worktree(self._context, tx, actor)
        if target.lost:
            target = as_the_remote_has_it(self._context, target)
        if separate and target.tip is None:
            from foureyes.app.work.worktrees import refuse_targetless

            refuse_targetless(self._context, target.named.target)
        return target, separate

    def _is_at_its_place(self, task: str, head: Sha | None) -> bool:
        from foureyes.app.work.worktrees import is_at_its_place

        with self._context.store.read() as tx:
            task_id = self._context.find_id(tx, task)
        return is_at_its_place(self._context, task_id, head)

    def _has_place(self, actor: Actor, task: TaskId, *, here: bool) -> bool:
        """Return True if a task that the caller has already claimed has a worktree or should get one.

        It gets one if the claim came with a token, or if the worktree is lost: its branch is here, or it was made in a
        clone that is gone.
        """
        if task in self._context.workshop.worktrees():
            return True
        if here or actor.role == "implement":
            return not here
        from foureyes.app.work.worktrees import is_lost

        return is_lost(self._context, task)

    def _refuse_reserved(self, work: Work, task: Task) -> None:
        if work.tx.one("reservation.any", IdRow) is not None:
            from foureyes.app.work.worktrees import refuse_reserved

            refuse_reserved(self._context, work.tx, work.actor, task.id)

    def _reserve(self, work: Work, task: Task) -> Outcome | None:
        """Reserve the task and return None, because the worktree has to be created before the claim."""
        from foureyes.app.work.worktrees import reserve

        reserve(self._context, work, task.id)
        return None

    def _start_reserved(self, actor: Actor, task: Task) -> Outcome:
        from foureyes.app.work.worktrees import start_reserved

        return start_reserved(self._context, actor, task.id, partial(self._claim_reserved, task.id))

    def _claim_reserved(self, task: TaskId, work: Work, head: Sha | None) -> Outcome:
        """Claim a task that was reserved, if it is still free."""
        row = self._context.get(work.tx, task)
        self._refuse_if_not_free(work.tx, row)
        self._refuse_reserved(work, row)
        return self._claim(work, row, head)

    def _prepared(self, work: Work, task: Task, done: Outcome) -> Outcome:
        """Return the outcome with notes about earlier work. If a redo wanted the branch reset and a crash prevented
        that, reset it now. (F1)
        """
        if not task.iteration:
            return done
        from foureyes.app.work.branches import begin_again, way_back

        set_back = begin_again(self._context, task.id)
        came, way = way_back(self._context, task.id)
        notes = [note for note in (set_back, came) if note]
        step = in_turn(way, _submit(task.id, "work"), joint=", ") if way else done.next
        return replace(done, notes=(*done.notes, *notes, *work.notes), next=step)

    def _in_worktree(self, actor: Actor, done: Outcome) -> ClaimedWorktree:
        """Return the worktree of a task that the caller has claimed, creating it if needed. (K1)"""
        from foureyes.app.work.worktrees import Worktrees, claimed_in

        return claimed_in(done, Worktrees(self._context).open(actor, done.task))

    def next(self, actor: Actor, *, worktree: bool | None = False) -> Outcome | ClaimedWorktree:
        """Claim the best ready task: highest priority, then oldest. `worktree` is as for start(). (T4, K1)

        A claim of this session that was interrupted is finished first.
        """
        permit(actor, "next")
        target, separate = self._read(actor, worktree)
        separate = separate and not (worktree is None and target.tip is None)
        head = None if separate else current_target(self._context, named=target.named).at
        over = passed_over(self._context, actor, target.merged, worktree=separate)
        with self._context.writing(actor, "next") as work:
            own = own_work(self._context, work.tx, actor)
            task = self._best(work, own, over)
            done = self._continued(work, task)
            if done is None:
                refuse_merged(task.id, target.merged)
                done = self._reserve(work, task) if separate else self._claim(work, task, head)
        if done and task.status == "in_progress":
            return self._found_again(actor, done, worktree, here=not separate)
        begun = self._prepared(work, task, done) if done else self._start_reserved(actor, task)
        asked = [each.text for each in own if not each.sent_back]
        notes = (*asked, *begun.notes, *in_words(over))
        return replace(begun, notes=notes) if notes else begun

    def _best(self, work: Work, own: Sequence[OwnWork], over: Mapping[str, Reason]) -> Task:
        """Return the first ready task that can be started and that nobody else is about to start.

        Tasks sent back to the caller come first, unless their tier wants another agent (E2).
        """
        taken, left = self._reserved(work)
        query = ListQuery(ready=True, limit=1 + len(taken) + len(over))
        rows = [row for row in work.tx.tasks(query, TaskRow) if row.id not in taken and row.id not in over]
        hold = self._context.project(work.tx).hold
        if hold is not None:
            refuse_verb("nothing was claimed.", Reason("D3", f"the project is held: {hold}", RESUME))
        if left is not None and (row := self._context.get(work.tx, TaskId(left))).ready:
            return row
        if (begun := self._begun_before(work)) is not None:
            return begun
        for task in (self._context.get(work.tx, TaskId(each.task)) for each in own if each.sent_back):
            if task.id not in taken and task.id not in over and not self._of_tier(work, task):
                return task
        if not rows:
            self._refuse_for_own(work, own, over)
            refuse_all(over)
            raise NotFound(
                "no task is ready.",
                next_step=either(
                    fe("list"),
                    fe("list", "--blocked", before="the waiting tasks and their blockers: ", after=")"),
                    joint="   (",
                ),
            )
        return self._context.find(work.tx, rows[0].id)

    @staticmethod
    def _refuse_for_own(work: Work, own: Sequence[OwnWork], over: Mapping[str, Reason]) -> None:
        """Refuse if no task is ready but the caller has work of its own: a claim in progress, or a question to
        answer.
        """
        query = ListQuery(mine=work.actor.session, status="in_progress", sort="oldest", limit=1)
        claimed = next((TaskId(row.id) for row in work.tx.tasks(query, TaskRow)), None)
        ready = f"you already have {claimed}, and no other task is ready" if claimed else "no task is ready"
        if own or (claimed and not over):
            step = _submit(claimed, "go on") if claimed else own[0].step
            raise NotFound(f"{ready}; {own[0].text}" if own else f"{ready}.", next_step=step)

    def _begun_before(self, work: Work) -> Task | None:
        """Return a task that an earlier process of the same program had begun when it ended, or None. (T2)"""
        if work.actor.kind != "agent":
            return None
        rows = work.tx.all("task.begun_by_program", IdRow, agent=work.actor.agent, session=work.actor.session)
        begun = (self._context.get(work.tx, TaskId(row.id)) for row in rows)
        return next((task for task in begun if is_successor(self._context, work.tx, work.actor, task)), None)

    def _continued(self, work: Work, task: Task) -> Outcome | None:
        """Take over the claim if the caller may. Return the outcome, or None. (T2)"""
        owner = task.implementer
        if not take_over(self._context, work, task):
            return None
        assert owner is not None
        now, before = self._context.get(work.tx, task.id), self._facts(work, task).party_name(owner)
        message = f"you claimed {now.id}: {now.title}"
        notes = (f"you continue the work of {before}, whose process has ended", *self._to_answer(work, now))
        return outcome(now, message, _submit(now.id, "go on"), notes=notes)

    def _reserved(self, work: Work) -> tuple[set[str], str | None]:
        """Return the tasks that others are about to start, and the one that this session was."""
        if work.tx.one("reservation.any", IdRow) is None:
            return set(), None
        from foureyes.app.work.worktrees import left_by_me, reserved_by_others

        taken = set(reserved_by_others(self._context, work.tx, work.actor))
        return taken, left_by_me(self._context, work.tx, work.actor)

    def _facts(self, work: Work, task: Task) -> Facts:
        from foureyes.app.facts import facts_of  # most claims are of a free task, and need none of it

        return facts_of(self._context, work.tx, task.id)

    def _claim(self, work: Work, task: Task, head: Sha | None) -> Outcome:
        work.record(task.id, e.TaskStarted(target_head=began_at(task, head)))
        now = self._context.get(work.tx, task.id)
        step = _submit(now.id, "work on a branch")
        author = (_author(now.id),) if work.actor.kind == "human" else ()
        notes = (*self._to_answer(work, now), *self._of_tier(work, now), *self._other_notes(work, now), *author)
        return outcome(now, f"started {now.id}: {now.title}", step, notes=notes)

    def _of_tier(self, work: Work, now: Task) -> tuple[str, ...]:
        """Return a note for an agent that takes a task meant for another profile by its tier. (E2)"""
        if now.tier == "developer" or not now.iteration or work.actor.kind != "agent":
            return ()
        from foureyes.app.tasks.escalation import loop_state_of, profile_of

        profile = profile_of(self._context, work.tx, now, loop_state_of(self._context, work.tx, now))
        if not profile or profile == work.actor.agent:
            return ()
        tier = f"it escalated to tier {now.tier}, so the next attempt is for {profile}"
        return (
            f"{tier} and not for {work.actor.agent or 'you'} (E2). Unless you were asked to do it: fe unstart {now.id}",
        )

    @staticmethod
    def _other_notes(work: Work, now: Task) -> tuple[str, ...]:
        """Return a note about the caller's other tasks in progress, which it may have forgotten. (T1)"""
        query = ListQuery(mine=work.actor.session, status="in_progress", sort="oldest", limit=SAID + 2)
        others = [row.id for row in work.tx.tasks(query, TaskRow) if row.id != now.id]
        if not others:
            return ()
        more = " and more" if len(others) > SAID else ""
        are = "is" if len(others) == 1 else "are"
        return (f"{', '.join(others[:SAID])}{more} {are} already yours and in progress: fe list --mine",)

    @staticmethod
    def _to_answer(work: Work, now: Task) -> tuple[str, ...]:
        """Return a note about open findings that the next attempt has to answer. (L6)"""
        count = work.tx.one("finding.unresolved", Count, task=now.id) if now.iteration else None
        if count is None or not count.n:
            return ()
        findings = "1 finding is" if count.n == 1 else f"{count.n} findings are"
        return (f"{findings} open: fe finding list {now.id} --open   (answer each that blocks: fe finding answer ID)",)

    def _already(self, work: Work, task: Task) -> Outcome:
        assert task.implementer is not None
        facts = self._facts(work, task)
        owner = facts.party(task.implementer)
        if is_same(self._context.party(work.tx, work.actor), owner):
            return outcome(task, f"you already have {task.id}", _submit(task.id, "work on a branch"), changed=False)
        freed = fe("unstart", task.id)
        is_gone = is_silent(self._context, work, task)
        says = ", and has been silent since then" if is_gone else ""
        other = freed if is_gone else by_person(freed)
        raise LostClaim(
            f"{task.id} was started by {facts.party_name(task.implementer)} at {task.started_at}{says}.",
            next_step=either(claim_by(work.actor), other, joint=". If the claim is abandoned: "),
            task=task.id,
        )

    def _refuse_if_not_free(self, tx: Tx, task: Task) -> None:
        tx.ahead(*OF_PROJECT, ("task.dependencies", {"id": task.id}), ("reservation.any", {}))
        reasons = why_not_free(
            task,
            project_hold=self._context.project(tx).hold,
            waits_for=[(link.id, link.status) for link in tx.all("task.dependencies", Link, id=task.id)],
            is_parent_blocked=task.parent is not None and self._context.get(tx, task.parent).status == "blocked",
        )
        if reasons:
            refuse_task(task.id, "was not started", *reasons)

    def _is_free_for_child(self, work: Work, task: Task) -> bool:
        """Return True if a spawned session can get the claim of a free task. A child may also help with a claim of its
        spawner, or of a session below it: return False then, and refuse any other.
        """
        if task.status != "in_progress" or task.implementer is None:
            self._refuse_if_not_free(work.tx, task)
            self._refuse_reserved(work, task)
            return True
        facts = self._facts(work, task)
        me, owner = self._context.party(work.tx, work.actor), facts.party(task.implementer)
        if work.actor.kind == "service" or not (is_oneself(me, owner) or has_spawned(facts, me, owner)):
            raise LostClaim(
                f"{task.id} was started by {facts.party_name(task.implementer)} at {task.started_at}.",
                next_step=claim_by(work.actor),
                task=task.id,
            )
        return False

    def unstart(self, actor: Actor, task: str, *, reason: str = "", how: RunEnd = "") -> Outcome:
        """Release the caller's claim, or another's that may be released. `how` says how the run ended (L17)."""
        return unstart(self._context, actor, task, reason, how)


def _author(task: TaskId) -> str:
    """P2: what a person may not know who only wanted to see the task under way."""
    return f"you are now an author of {task} and cannot approve it (P2). Agents start tasks themselves with fe next"


def _submit(task: TaskId, work: str) -> Steps:
    return fe("submit", task, "-m", phrase("what you did"), before=f"{work}, commit, then: ")


def is_free_for_child(context: Context, work: Work, task: Task) -> bool:
    """Return True if a spawned session can get the claim of a task, and False if it only helps with a claim."""
    return Claims(context)._is_free_for_child(work, task)


# ---- An agent's own work that is not finished ----

QUESTION = 200
"""Number of characters shown of a reviewer's question."""


class OwnWork(msgspec.Struct, frozen=True):
    """A task, what its author can do for it now, and the command. `sent_back`: it can be started again."""

    task: str
    text: str
    step: Steps
    sent_back: bool = False


def own_work(context: Context, tx: Tx, actor: Actor) -> list[OwnWork]:
    """Return what an agent should do before new work. The next process of its program gets the same once it has ended.
    (T2)
    """
    if actor.kind != "agent":
        return []
    points = tx.all("cycle.asks_maker", OpenPoint, session=actor.session, limit=SAID)
    found = [OwnWork(point.task, _question(point), point.step) for point in points]
    for row in tx.all("task.own", IdRow, session=actor.session, agent=actor.agent):
        task = context.get(tx, TaskId(row.id))
        if task.ready:
            text = f"{task.id} was sent back to you: fe start {task.id}, then fe show {task.id} --context"
            found.append(OwnWork(task.id, text, fe("start", task.id), sent_back=True))
        elif task.implementer == actor.session or is_successor(context, tx, actor, task):
            found += _in_review(context, tx, actor, task)
        if len(found) >= SAID:
            break
    return found


def _in_review(context: Context, tx: Tx, actor: Actor, task: Task) -> Iterator[OwnWork]:
    count = tx.one("finding.to_answer", Count, task=task.id)
    if count is not None and count.n:
        findings = f"{count.n} finding{'' if count.n == 1 else 's'}"
        text = f"{task.id} has {findings} for you to answer: fe finding list {task.id} --open"
        yield OwnWork(task.id, text, fe("finding", "list", task.id, "--open"))
        return
    states = check_states(facts_of(context, tx, task.id), context.policy(tx, actor))
    red = [
        f"{state.rule.name} {state.result.outcome.replace('_', ' ')}"
        for state in states
        if state.rule.required and state.result is not None and state.result.outcome != "passed"
    ]
    if red:
        words = f"a required check did not pass ({', '.join(red)})"
        text = f"{task.id} is in review, but {words}: fe check show {task.id}"
        yield OwnWork(task.id, text, fe("check", "show", task.id))


def _question(point: OpenPoint) -> str:
    """Return a reviewer's question and the command to answer it, in one line. (R2)"""
    line = one_line(f"reviewers ask you about {point.task}, {point.cycle} {point.id}: {point.text}", QUESTION)
    return f'{line} · answer: fe review clarify {point.cycle} {point.id} -m "…"'


# ---- Passing over (T4) ----

HOW_MANY = 200


def passed_over(context: Context, actor: Actor, merged: Mapping[str, Sha], *, worktree: bool) -> dict[str, Reason]:
    """Return the ready tasks that come before the first one that can be started, with why each cannot.

    Its merge is on the target (P12), or, with a `worktree`, its branch has work of an unknown author (P2). Tasks that
    others are about to start count as not startable too.
    """
    if not merged and not worktree:
        return {}
    over: dict[str, Reason] = {}
    target = cache(lambda: current_target(context))  # nobody waits for a remote once for each task
    for most in (1, HOW_MANY):  # nearly always the first one will do
        with context.store.read() as tx:
            rows = tx.tasks(ListQuery(ready=True, limit=most), TaskRow)
            taken = _reserved(context, tx, actor)
        for row in (row for row in rows if row.id not in over):
            reason = merged_reason(row.id, merged) or (_planted(context, row, target) if worktree else None)
            if reason is not None:
                over[row.id] = reason
            elif row.id not in taken:
                return over
    return over


def _reserved(context: Context, tx: Tx, actor: Actor) -> set[str]:
    if tx.one("reservation.any", IdRow) is None:
        return set()
    from foureyes.app.work.worktrees import reserved_by_others

    return set(reserved_by_others(context, tx, actor))


def _planted(context: Context, row: TaskRow, target: Callable[[], CurrentTarget]) -> Reason | None:
    if row.iteration or context.repo.commit_of(own_branch(row.id)) is None:
        return None
    from foureyes.app.work.worktrees import planted

    task, base = TaskId(row.id), current_target(context, asks=False).at
    problem = planted(context, task, own_branch(task), base, target)
    return Reason("P2", problem.message, problem.next_step) if problem else None


def refuse_all(over: Mapping[str, Reason]) -> None:
    """Refuse with all reasons if nothing else is ready."""
    if over:
        refuse_verb("nothing was claimed.", *(_named(task, reason) for task, reason in over.items()))


def _named(task: str, reason: Reason) -> Reason:
    return reason if task in reason.message else Reason(reason.rule, f"{task}: {reason.message}", reason.next)


def in_words(over: Mapping[str, Reason]) -> tuple[str, ...]:
    """What was passed over, a sentence each."""
    return tuple(f"{task} was skipped, because {reason.message} ({reason.rule})" for task, reason in over.items())


# ---- A claim ends (T1) ----


def unstart(context: Context, actor: Actor, task: str, reason: str, how: RunEnd) -> Outcome:
    """Release the caller's claim, or another's that may be released. `how` says how the run ended (L17)."""
    from foureyes.app.facts import facts_of

    reason = clean_text(reason, "the reason")
    with context.writing(actor, "unstart") as work:
        row = context.find(work.tx, task)
        if row.status == "open":
            return outcome(row, f"{row.id} is already open, so there is nothing to do", claim_by(actor), changed=False)
        if row.status != "in_progress" or row.implementer is None:
            refuse_task(
                row.id,
                f"is {row.status}, and only a task in progress can be given back",
                Reason("T2", f"{row.id} is {row.status}", fe("show", row.id)),
            )
        facts = facts_of(context, work.tx, row.id)
        me, owner = context.party(work.tx, actor), facts.party(row.implementer)
        if is_oneself(me, owner):
            work.record(row.id, e.TaskUnstarted(reason=reason, how=how))
            return _given_back(context, work, row, f"gave {row.id} back", claim_by(actor), how)
        may_release = (
            actor.kind == "human" or has_spawned(facts, me, owner) or is_successor(context, work.tx, actor, row)
        )
        if not may_release and not is_silent(context, work, row):
            _refuse_live(context, work, row, facts.party_name(row.implementer))
        return release(context, work, row, reason, how)


def _refuse_live(context: Context, work: Work, task: Task, who: str) -> None:
    minutes = context.policy(work.tx, work.actor).claim_stale_minutes
    why = f"{who} holds the claim and was active within {minutes} minutes. Anyone may release it once that session has ended or is silent for longer."
    refuse_task(task.id, "was not released", Reason("T1", why, by_person(fe("unstart", task.id))))


def release(context: Context, work: Work, task: Task, reason: str, how: RunEnd) -> Outcome:
    """Release another session's claim, for a caller who may. (T, L17)"""
    assert task.implementer is not None
    work.record(task.id, e.TaskReleased(implementer=task.implementer, reason=reason, how=how))
    return _given_back(context, work, task, f"released {task.id}", NO_STEP, how)


def _given_back(context: Context, work: Work, task: Task, message: str, step: Steps, how: RunEnd) -> Outcome:
    """Return the outcome of a released claim. If a run had findings to work on and ended badly, count a round without
    progress. (L17)
    """
    if how:
        from foureyes.app.tasks.escalation import escalate

        escalate(context, work, task.id)
    now = context.get(work.tx, task.id)
    who = "a person" if now.waiting_for == "user" else "the lead"
    notes = (f"it is stuck, so {who} must decide how it goes on (tier {now.tier}, E1)",) if now.waiting_for else ()
    notes = (f"it goes to tier {now.tier} (E1)",) if not notes and now.tier != task.tier else notes
    again = fe("start" if now.ready and work.actor.kind == "agent" else "show", now.id)
    return outcome(now, message, step or again, notes=notes)


def is_successor(context: Context, tx: Tx, actor: Actor, task: Task) -> bool:
    """Return True if the implementer's process has certainly ended (J4) and the caller is its successor. Agent
    processes above it that still run keep the claim. (T2)
    """
    if task.implementer in (None, actor.session) or actor.kind != "agent":
        return False
    owner = parties_of(tx, [task.implementer])[task.implementer]
    if not context.outside.is_gone(owner.process):
        return False
    living = [piece for piece in processes_of(tx, owner.session) if not context.outside.is_gone(piece)]
    claims = tx.all("session.claims", IdRow, session=actor.session)
    is_there = _is_there(context, tx, task)
    me = context.party(tx, actor)
    return is_next_process(actor, me, owner, living=living, is_there=is_there, has_claims=bool(claims))


def _is_there(context: Context, tx: Tx, task: Task) -> bool:
    """Return True if the caller is in the task's worktree. A task without one was begun outside all worktrees."""
    from foureyes.app.work.worktrees import branch_in

    here = context.repo.current_ref()
    has_own = task.id in context.workshop.worktrees()
    return here == branch_in(context, tx, task.id) or not (has_own or here.startswith(OWN_BRANCHES))


def take_over(context: Context, work: Work, task: Task) -> bool:
    """Pass the claim to the caller if it succeeds the process that has it. The earlier session stays an author. (T2)"""
    if task.status != "in_progress" or not is_successor(context, work.tx, work.actor, task):
        return False
    assert task.implementer is not None
    work.record(task.id, e.TaskReleased(implementer=task.implementer, reason="its process has ended"))
    work.record(task.id, e.TaskStarted())
    return True


def is_silent(context: Context, work: Work, task: Task) -> bool:
    """Return True if the claim's session has ended, or has not written for `claim_stale_minutes`."""
    owner = work.tx.one("session.get", SessionView, id=task.implementer)
    limit = context.ago(context.policy(work.tx, work.actor).claim_stale_minutes)
    return owner is not None and (owner.ended or owner.last_seen_at <= limit)
