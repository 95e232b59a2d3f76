"""Review cycles (V): let reviewers look, ask them, decide by the four rules, clarify; and what there is to see."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foureyes.app.call.caller import permit
from foureyes.app.call.context import Context
from foureyes.app.call.refusals import needed, refuse_verb
from foureyes.app.call.rows import IdRow
from foureyes.app.cycles.asking import ask, can_ask
from foureyes.app.cycles.deciding import decide_if_due, give_up_on_people, may_be_due
from foureyes.app.cycles.reading import WholeCycle, cycle_named, is_cycle_name, whole, wholes
from foureyes.app.ports import Tx
from foureyes.app.review.clarifications import ask_author, clarify_points
from foureyes.app.review.cycle_pages import issues_of, outcome_of, view_of
from foureyes.app.review.requesting import open_about, refuse_maker
from foureyes.app.views.cycle import CycleOutcome, CycleView, IssueRow
from foureyes.core import events as e
from foureyes.core.nouns.cycle import Cycle, NotGivenWhy, ReviewerKind, Trigger
from foureyes.core.nouns.session import Actor
from foureyes.core.words.text import clean_text, one_line, spaced
from foureyes.errors import BadInput, Reason
from foureyes.steps import fe

MOST_ROWS = 50
TEXT = 2_000
AGENTS_ANSWER = "--now ends the wait for people; an agent that was asked may still answer"


class Cycles:
    """Everything that is done to a review cycle."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def now(self, actor: Actor, task: str | None = None, *, reason: str = "") -> CycleOutcome:
        """V1 USER_MANUAL: a person lets reviewers look, at one task or at everything that is in progress."""
        permit(actor, "review now")
        reason = clean_text(reason, "the reason")
        tasks = [task] if task else self._at_work()
        done = open_about(
            self._context, actor, "review now", "USER_MANUAL", tasks[:MOST_ROWS], reason=reason, wide=task is None
        )
        if len(tasks) <= MOST_ROWS:
            return done
        others = f"of the others {tasks[MOST_ROWS]} is the first (fe review now TASK)"
        left = f"more than {MOST_ROWS} tasks are in progress: {others}"
        return msgspec.structs.replace(done, notes=(*done.notes, left))

    def request(self, actor: Actor, task: str, *, reviewers: Sequence[str] = (), reason: str = "") -> CycleOutcome:
        """V1 REQUEST_REVIEW: named reviewers, or those that the policy chooses, are asked about a task."""
        permit(actor, "review request")
        names = [one_line(name, 100) for name in reviewers if name.strip()]
        return open_about(
            self._context, actor, "review request", "REQUEST_REVIEW", [task], reason=reason, reviewers=names
        )

    def open(
        self, actor: Actor, trigger: Trigger, tasks: Sequence[str], *, reason: str = "", wide: bool = False
    ) -> CycleOutcome:
        """V1: a runner opens a cycle for what an agent said, or for silence; the same trigger twice opens one."""
        permit(actor, "run")
        return open_about(self._context, actor, "run", trigger, tasks, reason=reason, wide=wide)

    def ask(
        self, actor: Actor, cycle: str, reviewer: str, *, task: str = "", kind: ReviewerKind = "profile"
    ) -> CycleOutcome:
        """V4: one more reviewer is asked, about one target or about all; who was asked already is not asked twice."""
        with self._context.writing(actor, "run") as work:
            known = whole(work.tx, cycle)
            _refuse_over(known.cycle)
            wanted = [self._context.find_id(work.tx, task)] if task else known.tasks
            silent = {row.task for row in known.asked if row.reviewer == reviewer and row.state == "asked"}
            new = [each for each in wanted if each in known.tasks and each not in silent]
            for each in new:
                refuse_maker(self._context, work, each, reviewer, kind)
                ask(self._context, work, known.cycle.id, each, reviewer, kind)
            words = f"{known.cycle.id} asks {reviewer}"
            return outcome_of(self._context, work.tx, known.cycle.id, changed=bool(new), message=words)

    def not_given(
        self, actor: Actor, cycle: str, reviewer: str, *, why: NotGivenWhy, text: str = "", task: str = ""
    ) -> CycleOutcome:
        """V3, V4: who was asked gives no review; the next one is asked, or the rule decides."""
        with self._context.writing(actor, "run") as work:
            known = whole(work.tx, cycle)
            _refuse_over(known.cycle)
            rows = [row for row in known.asked if row.reviewer == reviewer and row.state == "asked"]
            rows = [row for row in rows if not task or row.task == self._context.find_id(work.tx, task)]
            for row in rows:
                event = e.ReviewNotGiven(cycle=known.cycle.id, reviewer=reviewer, why=why, text=spaced(text, TEXT))
                work.record(row.task, event)
            if rows:
                decide_if_due(self._context, work, known.cycle.id)
            return outcome_of(self._context, work.tx, known.cycle.id, changed=bool(rows))

    def decide(self, actor: Actor, cycle: str = "", *, now: bool = False) -> list[CycleOutcome]:
        """V8: one cycle, or every one that waits for nobody any more; `now`: who never was asked is not waited for, and
        if a person says so, no other person either.
        """
        with self._context.writing(actor, "review decide") as work:
            rows = [cycle_named(work.tx, cycle)] if cycle else work.tx.all("cycle.live", Cycle, limit=1_000)
            if now and actor.kind == "agent":
                refuse_verb(
                    "nothing was decided.",
                    Reason("V8", "an agent cannot end the wait for a reviewer", fe("review", "decide")),
                )
            outcomes = []
            due = {each.cycle.id for each in wholes(work.tx, rows) if cycle or self._is_due(work.tx, each)}
            for row in rows:
                if row.is_live and row.id in due:
                    if now and cycle:
                        give_up_on_people(self._context, work, row.id)
                    done = decide_if_due(self._context, work, row.id, now=now and bool(cycle))
                    after = cycle_named(work.tx, row.id)
                    notes = (AGENTS_ANSWER,) if now and after.state == "open" else ()
                    if done.ruled is not None or cycle:
                        changed = after.state != row.state
                        outcomes.append(outcome_of(self._context, work.tx, row.id, changed=changed, notes=notes))
                elif cycle:
                    outcomes.append(outcome_of(self._context, work.tx, row.id, changed=False))
            return outcomes

    def _is_due(self, tx: Tx, known: WholeCycle) -> bool:
        """V4, V8: it may have to be decided, or somebody can be asked by now."""
        if may_be_due(self._context, tx, known):
            return True
        return known.cycle.state == "open" and not known.asked and can_ask(self._context, tx, known)

    def clarify(self, actor: Actor, cycle: str, point: str, text: str) -> CycleOutcome:
        """R2: who made the work, or a person, answers a concern; with the last answer the cycle runs again."""
        text = needed(text, "review clarify", f"{cycle} {point}")
        return clarify_points(self._context, actor, cycle, {point: text})

    def ask_author(self, actor: Actor, cycle: str) -> CycleOutcome:
        """R1, R2: a person asks who made the work about each point that stopped it; then the reviewers look again."""
        return ask_author(self._context, actor, cycle)

    def end(self, actor: Actor, cycle: str, reason: str) -> CycleOutcome:
        """A person ends a cycle without a rule, and signs that (I9); pauses and holds stay until they are lifted."""
        reason = needed(reason, "review end", cycle)
        with self._context.store.read() as tx:
            before = cycle_named(tx, cycle)
        worth = lambda: before.is_live  # noqa: E731
        with self._context.deciding(actor, "review end", reason=reason, how=before.id, worth=worth) as work:
            row = cycle_named(work.tx, before.id)
            words = f"{row.id} is over: {reason}"
            if row.is_live:
                work.record(row.task, e.CycleEnded(cycle=row.id, why=reason))
            else:
                words = f"{row.id} was over before: {row.rule or row.why}, {row.ended_at}"
            return outcome_of(self._context, work.tx, row.id, changed=row.is_live, message=words)

    # What there is to see

    def listed(self, *, task: str = "", live: bool = False, limit: int = MOST_ROWS) -> list[CycleView]:
        """Cycles, the latest first; of one task, or those that are not over."""
        with self._context.store.read() as tx:
            of = self._context.find_id(tx, task) if task else ""
            if live:
                rows = tx.all("cycle.live", Cycle, limit=1_000)
                cycles = [each for each in wholes(tx, rows) if not of or of in each.tasks][-limit:]
                return [view_of(self._context, tx, each) for each in reversed(cycles)]
            rows = tx.all("cycle.latest", Cycle, task=of, limit=limit)
            return [view_of(self._context, tx, each) for each in wholes(tx, rows)]

    def show(self, cycle: str) -> CycleView:
        """One cycle: targets, who was asked, reviews, points, the rule and its reasons."""
        if not is_cycle_name(cycle) and not cycle.strip().isdigit():
            raise BadInput(f"{one_line(cycle, 40)!r} is no review cycle.", next_step=fe("review", "list"))
        with self._context.store.read() as tx:
            return view_of(self._context, tx, whole(tx, cycle))

    def issues(self, *, limit: int = MOST_ROWS) -> list[IssueRow]:
        """R3, and what else reviewers left: concerns of the last cycle of each task that is not closed."""
        with self._context.store.read() as tx:
            return issues_of(tx, limit)

    # How it is done

    def _at_work(self) -> list[str]:
        """V9: what a run-wide cycle is about."""
        with self._context.store.read() as tx:
            ids = [row.id for row in tx.all("cycle.at_work", IdRow, limit=MOST_ROWS + 1)]
        if not ids:
            reason = Reason("V1", "nothing is in progress", fe("review", "now", "TASK"))
            refuse_verb("there is nothing to review.", reason)
        return ids


def _refuse_over(cycle: Cycle) -> None:
    if cycle.state != "open":
        why = f"{cycle.id} is {cycle.state}"
        refuse_verb("no reviewer was asked.", Reason("V8", why, fe("review", "show", cycle.id)), task=cycle.task)
