"""Review cycles: request reviews, decide by the four rules, clarify, show. (V)"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from foureyes.app.context import Context, Count, IdRow, Work, needed, permit, refuse_other_task, refuse_verb
from foureyes.app.cycles.cycle_record import HeldTask, WholeCycle, cycle_named, is_cycle_name, live_of, whole, wholes
from foureyes.app.cycles.decisions import (
    answer_by,
    ask_to_clarify,
    decide_if_due,
    give_up_on_people,
    is_overdue,
    is_waited_out,
    may_be_due,
    settle_clarification,
)
from foureyes.app.cycles.reviewers import (
    ask,
    attempt_target,
    can_ask,
    choice_for,
    meant,
    open_cycle,
    pending_of,
    refuse_choosing,
    same_work,
    why_not_asked,
)
from foureyes.app.facts import facts_for, facts_of, parties_of, voiceless
from foureyes.app.ports import Tx
from foureyes.app.results.review import (
    AskedView,
    CycleOutcome,
    CycleTargetView,
    CycleView,
    GivenView,
    IssueRow,
    PointView,
)
from foureyes.app.results.run import PauseView
from foureyes.app.review.early_reviews import ReviewSubject, record_early_review, take_early_review
from foureyes.app.runner_registry import live_runners
from foureyes.core import events as e
from foureyes.core.nouns.cycle import (
    Asked,
    Clarification,
    Cycle,
    CycleId,
    CycleTarget,
    NotGivenWhy,
    ReviewerKind,
    Trigger,
)
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.involvement import labels_in_force, made_by
from foureyes.core.rules.required import wants_reviews
from foureyes.core.words.ids import SessionId, TaskId
from foureyes.core.words.text import clean_text, one_line, spaced
from foureyes.core.words.untrusted_text import named, some
from foureyes.errors import BadInput, FoureyesError, Reason
from foureyes.steps import NO_STEP, Steps, by_person, fe, in_turn, phrase

# ---- Review cycles (V) ----

MOST_ROWS = 50
TEXT = 2_000
AGENTS_ANSWER = "--now ends only the wait for people, and an agent that was asked may still answer"


class Chained(msgspec.Struct, frozen=True):
    """A cycle, its state, and the cycle that repeated it."""

    state: str
    next: str


class Cycles:
    """Everything that can be done with a review cycle."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def now(self, actor: Actor, task: str | None = None, *, reason: str = "") -> CycleOutcome:
        """V1 USER_MANUAL: a person lets reviewers look, at one task or at everything that is in progress."""
        permit(actor, "review request --now")
        reason = clean_text(reason, "the reason")
        tasks = [task] if task else self._at_work()
        done = open_about(
            self._context,
            actor,
            "review request --now",
            "USER_MANUAL",
            tasks[:MOST_ROWS],
            reason=reason,
            wide=task is None,
        )
        if len(tasks) <= MOST_ROWS:
            return done
        others = f"the next one is {tasks[MOST_ROWS]} (fe review request TASK --now)"
        left = f"more than {MOST_ROWS} tasks are in progress, and only {MOST_ROWS} are reviewed at once. Of the others, {others}"
        return msgspec.structs.replace(done, notes=(*done.notes, left))

    def request(self, actor: Actor, task: str, *, reviewers: Sequence[str] = (), reason: str = "") -> CycleOutcome:
        """Ask named reviewers, or those that the policy chooses, to review a task. (V1 REQUEST_REVIEW)"""
        permit(actor, "review request")
        names = [one_line(name, 100) for name in reviewers if name.strip()]
        return open_about(
            self._context, actor, "review request", "REQUEST_REVIEW", [task], reason=reason, reviewers=names
        )

    def open(
        self, actor: Actor, trigger: Trigger, tasks: Sequence[str], *, reason: str = "", wide: bool = False
    ) -> CycleOutcome:
        """Open a cycle for a runner, because of an agent's event or of silence. The same event opens only one. (V1)"""
        permit(actor, "run")
        return open_about(self._context, actor, "run", trigger, tasks, reason=reason, wide=wide)

    def ask(
        self, actor: Actor, cycle: str, reviewer: str, *, task: str = "", kind: ReviewerKind = "profile"
    ) -> CycleOutcome:
        """Ask one more reviewer about one target or all. Skip targets about which this reviewer is already asked.
        (V4)
        """
        with self._context.writing(actor, "run") as work:
            known = whole(work.tx, cycle)
            _refuse_over(known.cycle)
            wanted = [self._context.find_id(work.tx, task)] if task else known.tasks
            silent = {row.task for row in known.requested if row.reviewer == reviewer and row.state == "asked"}
            new = [each for each in wanted if each in known.tasks and each not in silent]
            for each in new:
                refuse_maker(self._context, work, each, reviewer, kind)
                ask(self._context, work, known.cycle.id, each, reviewer, kind)
            words = f"{known.cycle.id} asks {reviewer}"
            return outcome_of(self._context, work.tx, known.cycle.id, changed=bool(new), message=words)

    def not_given(
        self, actor: Actor, cycle: str, reviewer: str, *, why: NotGivenWhy, text: str = "", task: str = ""
    ) -> CycleOutcome:
        """Record that a reviewer gives no review. The next one is asked, or the rule decides. (V3, V4)"""
        with self._context.writing(actor, "run") as work:
            known = whole(work.tx, cycle)
            _refuse_over(known.cycle)
            rows = [row for row in known.requested if row.reviewer == reviewer and row.state == "asked"]
            rows = [row for row in rows if not task or row.task == self._context.find_id(work.tx, task)]
            for row in rows:
                event = e.ReviewNotGiven(cycle=known.cycle.id, reviewer=reviewer, why=why, text=spaced(text, TEXT))
                work.record(row.task, event)
            if rows:
                decide_if_due(self._context, work, known.cycle.id)
            return outcome_of(self._context, work.tx, known.cycle.id, changed=bool(rows))

    def decide(self, actor: Actor, cycle: str = "", *, now: bool = False) -> list[CycleOutcome]:
        """Decide one cycle, or all that have nothing to wait for. (V8)

        With `now`, the cycle does not wait for someone to review unasked. If a person calls this, it does not wait for
        other people either.
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
        """Return True if the cycle may have to be decided, or a reviewer has become available. (V4, V8)"""
        if may_be_due(self._context, tx, known):
            return True
        return known.cycle.state == "open" and not known.requested and can_ask(self._context, tx, known)

    def clarify(self, actor: Actor, cycle: str, point: str, text: str) -> CycleOutcome:
        """Answer a concern, as an author of the work or a person. After the last answer the cycle runs again. (R2)"""
        text = needed(text, "review clarify", f"{cycle} {point}")
        return clarify_points(self._context, actor, cycle, {point: text})

    def ask_author(self, actor: Actor, cycle: str) -> CycleOutcome:
        """Ask the authors about each point that stopped the work, for a person. Then the reviewers review again. (R1,
        R2)
        """
        return ask_author(self._context, actor, cycle)

    def end(self, actor: Actor, cycle: str, reason: str) -> CycleOutcome:
        """A person ends a cycle without a rule, and signs that (I9); pauses and holds stay until they are lifted."""
        reason = needed(reason, "review decide --end", cycle)
        with self._context.store.read() as tx:
            before = cycle_named(tx, cycle)
        worth = lambda: before.is_live  # noqa: E731
        with self._context.deciding(actor, "review decide --end", reason=reason, how=before.id, worth=worth) as work:
            row = cycle_named(work.tx, before.id)
            words = f"ended {row.id}: {reason}"
            if row.is_live:
                work.record(row.task, e.CycleEnded(cycle=row.id, why=reason))
            else:
                words = f"{row.id} had already ended: {row.rule or row.why}, {row.ended_at}"
            return outcome_of(self._context, work.tx, row.id, changed=row.is_live, message=words)

    # What there is to see

    def listed(self, *, task: str = "", live: bool = False, limit: int = MOST_ROWS) -> list[CycleView]:
        """Return cycles, latest first: of one task, or all that are not over."""
        with self._context.store.read() as tx:
            of = self._context.find_id(tx, task) if task else ""
            if live:
                rows = tx.all("cycle.live", Cycle, limit=1_000)
                cycles = [each for each in wholes(tx, rows) if not of or of in each.tasks][-limit:]
                return [view_of(self._context, tx, each) for each in reversed(cycles)]
            rows = tx.all("cycle.latest", Cycle, task=of, limit=limit)
            return [view_of(self._context, tx, each) for each in wholes(tx, rows)]

    def show(self, cycle: str) -> CycleView:
        """Return one cycle: targets, requests, reviews, points, the rule and its reasons."""
        if not is_cycle_name(cycle) and not cycle.strip().isdigit():
            raise BadInput(f"{one_line(cycle, 40)!r} is not a review cycle.", next_step=fe("review", "show"))
        with self._context.store.read() as tx:
            return view_of(self._context, tx, whole(tx, cycle))

    def issues(self, *, limit: int = MOST_ROWS) -> list[IssueRow]:
        """Return what reviewers left open: concerns of the last cycle of each task that is not closed. (R3)"""
        with self._context.store.read() as tx:
            return issues_of(tx, limit)

    # How it is done

    def _at_work(self) -> list[str]:
        """Return the tasks for a cycle about everything in progress. (V9)"""
        with self._context.store.read() as tx:
            ids = [row.id for row in tx.all("cycle.at_work", IdRow, limit=MOST_ROWS + 1)]
        if not ids:
            reason = Reason("V1", "nothing is in progress", fe("review", "request", "TASK", "--now"))
            refuse_verb("there is nothing to review.", reason)
        return ids


def _refuse_over(cycle: Cycle) -> None:
    if cycle.state != "open":
        why = f"{cycle.id} is {cycle.state}"
        refuse_verb("no reviewer was asked.", Reason("V8", why, fe("review", "show", cycle.id)), task=cycle.task)


# ---- Cycle pages ----

LINE = 300


def view_of(context: Context, tx: Tx, known: WholeCycle) -> CycleView:
    """Return a cycle with everything known about it, and its next step."""
    known = _with_deadline(context, tx, known)
    cycle, now = known.cycle, context.now()
    sessions = {SessionId(review.session) for review in known.reviews}
    sessions |= {SessionId(point.session) for point in known.points if point.session}
    sessions |= {SessionId(each) for each in known.cycle.clarifiers}
    parties = parties_of(tx, sessions) if sessions else {}
    names = {str(session): party.name for session, party in parties.items()}
    return CycleView(
        id=cycle.id,
        trigger=cycle.trigger,
        state=cycle.state,
        rule=cycle.rule,
        wide=cycle.wide,
        reason=cycle.reason,
        reasons=tuple(cycle.reasons),
        why=cycle.why,
        follows=cycle.follows,
        quorum=cycle.quorum,
        seats=cycle.seats,
        targets=tuple(
            CycleTargetView(
                task=t.task,
                attempt=t.attempt,
                early_review=t.early_review,
                diff_id=t.diff_id,
                summary=t.summary,
                over=t.over,
            )
            for t in known.targets
        ),
        requested=tuple(_asked_view(row, late=cycle.is_live and is_overdue(row, now)) for row in known.requested),
        reviews=_given(context, tx, known, names),
        points=tuple(_point(point, names) for point in known.points),
        clarify_until=cycle.clarify_until,
        waits_for=tuple(names.get(each, each) for each in waits_for(known)),
        at=cycle.at,
        ended_at=cycle.ended_at,
        next=next_of(tx, known, now, out=is_waited_out(context, tx, known)),
    )


def _with_deadline(context: Context, tx: Tx, known: WholeCycle) -> WholeCycle:
    """Return the cycle with its current deadline for answers. (V9)"""
    if known.cycle.state != "clarifying":
        return known
    return replace(known, cycle=replace(known.cycle, clarify_until=answer_by(context, tx, known.cycle)))


def outcome_of(
    context: Context,
    tx: Tx,
    cycle: CycleId,
    *,
    message: str = "",
    changed: bool = True,
    notes: tuple[str, ...] = (),
    step: Steps | None = None,
) -> CycleOutcome:
    """Return the result of a verb for a cycle: its state, whom it waits for, and the next step."""
    known = whole(tx, cycle)
    view = view_of(context, tx, known)
    waiting = tuple(dict.fromkeys(row.reviewer for row in known.requested if row.state == "asked"))
    words = f"is decided: {'. '.join(view.reasons)} ({view.rule})" if view.rule else f"is {view.state}"
    if not view.rule and view.waits_for:
        until = max((row.until for row in known.requested if row.state == "asked"), default="")
        words += f" and waits for {', '.join(view.waits_for)}" + (f" until {until[:16]}Z" if until else "")
    return CycleOutcome(
        cycle=cycle,
        state=view.state,
        rule=view.rule,
        changed=changed,
        message=message or f"{cycle} {words}",
        requested=waiting,
        notes=notes,
        next=step or view.next,
    )


def _asked_view(row: Asked, *, late: bool) -> AskedView:
    return AskedView(
        task=row.task,
        reviewer=row.reviewer,
        kind=row.kind,
        state=row.state,
        until=row.until,
        why=row.why,
        text=row.text,
        late=late,
    )


def _given(context: Context, tx: Tx, known: WholeCycle, names: dict[str, str]) -> tuple[GivenView, ...]:
    """Return the reviews of a cycle, and which of them count now. (V6)"""
    facts = facts_for(context, tx, known.tasks) if known.reviews and known.tasks else {}
    counting = {(task, session) for task, about in facts.items() for session in about.reviewers}
    without = voiceless(context, tx, [SessionId(review.session) for review in known.reviews if review.agrees])
    return tuple(
        GivenView(
            task=review.task,
            by=names.get(str(review.session), str(review.session)),
            verdict=review.verdict,
            effective=review.effective,
            summary=review.summary,
            review=review.seq,
            counts=(review.task, review.session) in counting and review.agrees,
            against=without.get(SessionId(review.session), "") if review.agrees else "",
            at=review.at,
        )
        for review in known.reviews
    )


def _point(point: Clarification, names: dict[str, str]) -> PointView:
    return PointView(
        id=point.id,
        task=point.task,
        reviewer=point.reviewer,
        text=point.text,
        finding=point.finding,
        answer=point.answer,
        by=names.get(point.session, point.session),
    )


def waits_for(known: WholeCycle) -> tuple[str, ...]:
    """Return the reviewers or authors that a cycle waits for."""
    if known.cycle.state == "clarifying":
        return tuple(known.cycle.clarifiers)
    if known.cycle.state != "open":
        return ()
    silent = [row.reviewer for row in known.requested if row.state == "asked" and row.task in known.tasks]
    return tuple(dict.fromkeys(silent)) or ("any reviewer",)


def next_of(tx: Tx, known: WholeCycle, now: str, *, out: bool = False) -> Steps:
    """Return the next step for a cycle, and who may take it. `out`: nobody could be asked, and the time for unasked
    reviews is over.
    """
    cycle = known.cycle
    task = known.tasks[0] if known.tasks else ""
    if cycle.state == "clarifying":
        points = known.unanswered
        if not points or (cycle.clarify_until and cycle.clarify_until <= now):
            return fe("review", "decide", cycle.id)
        return fe("review", "clarify", cycle.id, points[0].id, "-m", phrase("the answer"))
    if cycle.state == "open":
        late = any(is_overdue(row, now) for row in known.requested)
        if late or out or not task:
            return fe("review", "decide", cycle.id)
        return fe("show", task, "--diff")
    return after_rule(tx, cycle, known.tasks or [target.task for target in known.targets])


def after_rule(tx: Tx, cycle: Cycle, tasks: Sequence[str]) -> Steps:
    """Return a person's next step after a cycle: lift what it still stops, or look at what followed."""
    later = tx.one("cycle.chained", Chained, cycle=cycle.id)
    if later is not None and later.next:
        return fe("review", "show", later.next)
    rows = {row.id: row for row in tx.all("cycle.stands", HeldTask, ids=list(tasks))}
    paused = {row.task for row in tx.all("run.pauses", PauseView) if row.made_by == "rule" and row.cycle == cycle.id}
    stopped = [task for task in rows if task in paused or (cycle.rule == "R1" and rows[task].hold is not None)]
    stopped += ["--project"] if "" in paused else []
    if stopped:
        return by_person(in_turn(*[fe("resume", each, "-m", phrase("why")) for each in stopped]))
    task = next(iter(rows), "")
    if not task:
        return NO_STEP
    return fe("show", task, "--diff") if rows[task].status == "reviewing" else fe("show", task)


def issues_of(tx: Tx, limit: int) -> list[IssueRow]:
    """Return the issues list. It has every concern with the latest attempt of an open task until its reviewer approves,
    and reviewers who gave no review.
    """
    rows: list[IssueRow] = []
    flagged = tx.all("cycle.flagged", Cycle, limit=limit)
    known = {each.cycle.id: each for each in wholes(tx, list({row.id: row for row in flagged}.values()))}
    settled = {row.n for row in tx.all("cycle.settled", Count, ids=list(known))} if known else set()
    for row in flagged:
        rows += _issues(tx, row, known[row.id], settled)
    return rows[:limit]


def _is_unreviewed(flagged: Cycle, known: WholeCycle) -> bool:
    """Return True if too few reviewers approved this target. The cycle's other targets may have had enough. (R0)"""
    agreed = {review.session for review in known.reviews if review.task == flagged.task and review.agrees}
    return flagged.rule == "R0" and (len(known.targets) == 1 or len(agreed) < known.cycle.quorum)


def _issues(tx: Tx, flagged: Cycle, known: WholeCycle, settled: Collection[int]) -> list[IssueRow]:
    task, step = flagged.task, after_rule(tx, flagged, [flagged.task])
    parties = parties_of(tx, {SessionId(review.session) for review in known.reviews})
    against = [review for review in known.reviews if review.task == task and review.effective != "approved"]
    issues = [
        IssueRow(
            cycle=flagged.id,
            task=task,
            rule=flagged.rule,
            reviewer=party.name if (party := parties.get(SessionId(review.session))) else str(review.session),
            verdict=review.effective,
            text=one_line(review.summary, LINE),
            at=review.at,
            next=step,
        )
        for review in against
        if review.seq not in settled
    ]
    if issues or against or not _is_unreviewed(flagged, known):
        return issues
    text = one_line("; ".join(known.cycle.reasons), LINE)
    return [
        IssueRow(
            cycle=flagged.id, task=task, rule=flagged.rule, reviewer="", verdict="", text=text, at=flagged.at, next=step
        )
    ]


# ---- Answers to concerns (R2) ----

NAMED = 3


def clarify_points(context: Context, actor: Actor, cycle: str, answers: Mapping[str, str]) -> CycleOutcome:
    """Answer all of these points, or none. After the last answer the cycle runs again. (R2)"""
    given = {point.strip().lower(): one_line(text, TEXT) for point, text in answers.items()}
    with context.writing(actor, "review clarify") as work:
        known = whole(work.tx, cycle)
        points = _points_of(known, given)
        for task in dict.fromkeys(point.task for point in points):
            refuse_other_task(actor, task)
            _refuse_stranger(context, work, task)
        for point in points:
            event = e.ClarificationAnswered(cycle=known.cycle.id, point=point.id, text=given[point.id])
            work.record(point.task, event)
        names = ", ".join(point.id for point in points)
        left = [each.id for each in known.unanswered if each.id not in given]
        if left:
            step = fe("review", "clarify", known.cycle.id, left[0], "-m", phrase("the answer"))
            words = f"{names} {'is' if len(points) == 1 else 'are'} answered. Not yet answered: {', '.join(left)}"
            return outcome_of(context, work.tx, known.cycle.id, message=words, step=step)
        done = settle_clarification(context, work, whole(work.tx, cycle))
        new = work.tx.all("cycle.latest", Cycle, task=points[0].task, limit=1)[0].id
        became = [f"{', '.join(done.sent_back)} went back with the open findings"] if done.sent_back else []
        became += [f"it runs again as {new}"] if new != known.cycle.id else []
        return outcome_of(context, work.tx, new, message=f"{known.cycle.id} is clarified: {' and '.join(became)}")


def ask_author(context: Context, actor: Actor, cycle: str) -> CycleOutcome:
    """R1, R2: what a cycle left to a person is put to who made the work; what is held stays so until it is lifted."""
    with context.writing(actor, "review clarify --ask") as work:
        known = whole(work.tx, cycle)
        why = why_not_clarified(context, work.tx, known)
        if why:
            step = fe("review", "show", known.cycle.id)
            refuse_verb("no clarification was requested.", Reason("R2", why, step), task=known.cycle.task)
        ask_to_clarify(context, work, known)
        names = ", ".join(point.id for point in whole(work.tx, cycle).points if not point.answer)
        return outcome_of(
            context, work.tx, known.cycle.id, message=f"the author is asked to clarify {names} of {known.cycle.id}"
        )


def why_not_clarified(context: Context, tx: Tx, known: WholeCycle) -> str:
    """Return why the authors cannot be asked about the cycle's concerns, or ""."""
    cycle, tasks = known.cycle, {target.task: context.get(tx, target.task) for target in known.live}
    if cycle.state != "decided" or cycle.rule not in ("R0", "R1", "R2"):
        return f"{cycle.id} is {cycle.state}{f' ({cycle.rule})' if cycle.rule else ''}, so there is nothing to clarify"
    if known.points:
        return f"{cycle.id} already asked, and no answer came in time"
    if not any(review.effective != "approved" for review in known.reviews):
        return f"no reviewer had concerns in {cycle.id}"
    moved = [
        target.task
        for target in known.live
        if (tasks[target.task].status, target.attempt)
        not in (("in_progress", 0), ("open", 0), ("reviewing", tasks[target.task].iteration))
    ]
    if moved or not known.live:
        return f"{some(moved, NAMED) or cycle.id} has changed since then"
    again = [row.id for target in known.live for row in live_of(tx, target.task)]
    return f"{again[0]} is still open about the same work" if again else ""


def _points_of(known: WholeCycle, given: Mapping[str, str]) -> list[Clarification]:
    """Return the points with these names. Refuse if one does not exist or is answered."""
    cycle = known.cycle
    points = {point.id: point for point in known.points}
    wrong = [f"{cycle.id} is {cycle.state} and has no open questions"]
    if cycle.state == "clarifying":
        wrong = [f"{one_line(name, 20)} is not a point of {cycle.id}" for name in given if name not in points]
        wrong += [f"{name} is already answered" for name in given if name in points and points[name].answer]
    if wrong or not given:
        step = fe("review", "show", cycle.id)
        refuse_verb("nothing was clarified.", *[Reason("R2", why, step) for why in wrong], task=cycle.task)
    return [points[name] for name in given]


def _refuse_stranger(context: Context, work: Work, task: TaskId) -> None:
    me = context.party(work.tx, work.actor)
    if work.actor.role == "implement":
        return  # its token is for this task, and a runner gave it to who made it (V9)
    if me.kind == "human" or made_by(facts_of(context, work.tx, task), me) is not None:
        return
    reason = Reason("R2", f"you are not an author of {task}, and only an author can clarify it", fe("show", task))
    refuse_verb("nothing was clarified.", reason, task=task)


# ---- Reviewers are asked about tasks (V1, V4) ----


def open_about(
    context: Context,
    actor: Actor,
    verb: str,
    trigger: Trigger,
    tasks: Sequence[str],
    *,
    reason: str = "",
    wide: bool = False,
    reviewers: Sequence[str] = (),
) -> CycleOutcome:
    """Open a cycle about these tasks.

    Early reviews are frozen before the transaction. Tasks that cannot be reviewed are left out, or refused if there are
    no others.
    """
    taken, left = _taken(context, actor, tasks)
    with context.writing(actor, verb) as work:
        if verb != "run":
            refuse_choosing(context, work, [each.task for each in taken], reviewers)
        targets = [_target(context, work, each) for each in taken]
        targets = _not_asked_about(work, targets, left) if verb == "review request --now" and wide else targets
        before = {row.id for row in live_of(work.tx, targets[0].task)}
        cycle = open_cycle(context, work, trigger, targets, reason=reason, wide=wide, choose=not reviewers)
        any_new = _ask_named(context, work, cycle, [target.task for target in targets], reviewers)
        notes = tuple(left) + _nobody(context, work, cycle)
        step = _start(context, work, cycle) if verb == "review request --now" else None
        notes += ("no runner is running to start the reviewers",) if step else ()
        words = f"{cycle} is already open" if cycle in before else f"opened the review cycle {cycle}"
        changed = cycle not in before or any_new
        return outcome_of(context, work.tx, cycle, message=words, changed=changed, notes=notes, step=step)


def _not_asked_about(work: Work, targets: list[CycleTarget], left: list[str]) -> list[CycleTarget]:
    """Return the targets about which nobody is asked yet. If a cycle about exactly these is open, return all, to get
    that one. (V1)
    """
    if same_work(work, targets, "USER_MANUAL", wide=True) is not None:
        return targets
    new = []
    for target in targets:
        open_ones = [each for each in wholes(work.tx, live_of(work.tx, target.task)) if each.cycle.state == "open"]
        known = next((each for each in open_ones if _is_about(each, target)), None)
        if known is None:
            new.append(target)
        else:
            left.append(f"{target.task} is left out, because {known.cycle.id} already asks about the same work")
    if not new:
        refuse_verb("no reviewer was asked.", Reason("V1", ". ".join(left), fe("review", "show")))
    return new


def _is_about(known: WholeCycle, target: CycleTarget) -> bool:
    return any((each.task, each.diff_id) == (target.task, target.diff_id) for each in known.live)


def _start(context: Context, work: Work, cycle: CycleId) -> Steps | None:
    """Return the command that starts a runner, if agents were asked and no runner can start them. (V4)"""
    waits = any(row.kind == "profile" and row.state == "asked" for row in whole(work.tx, cycle).requested)
    if not waits or any(row.agents for row in live_runners(context, work.tx)):
        return None
    return by_person(fe("run", "--until-idle"))


def triggered(context: Context, actor: Actor, task: str, trigger: Trigger, reason: str) -> str:
    """Open a cycle for an agent's event outside a run, if peers should review the task. Return what happened, "" for
    nothing. (V1)
    """
    with context.store.read() as tx:
        facts, policy = facts_of(context, tx, context.find_id(tx, task)), context.gate_policy(tx)
    if not wants_reviews(policy, labels_in_force(facts)):
        return ""
    try:
        return open_about(context, actor, "agent emit", trigger, [task], reason=reason).message
    except FoureyesError as problem:
        return problem.message


def refuse_maker(context: Context, work: Work, task: TaskId, reviewer: str, kind: ReviewerKind) -> None:
    """Refuse a reviewer that made the work or does not reach the grade. (V4)"""
    why = why_not_asked(context, work.tx, task, reviewer, kind)
    if why:
        name = named(one_line(reviewer, 100))
        step = fe("review", "request", task, "--ask", "human") if kind == "person" else fe("review", "request", task)
        refuse_verb(f"{name} was not asked about {task}.", Reason("V4", f"{name}: {why}", step), task=task)


def _taken(context: Context, actor: Actor, tasks: Sequence[str]) -> tuple[list[ReviewSubject], list[str]]:
    subjects: list[ReviewSubject] = []
    left: list[str] = []
    for task in dict.fromkeys(tasks):
        try:
            subjects.append(take_early_review(context, actor, task))
        except FoureyesError as problem:
            if len(tasks) == 1:
                raise
            left.append(f"{task} is left out: {problem.message}")
    if not subjects:
        refuse_verb("there is nothing to review.", Reason("V1", ". ".join(left), fe("review", "show")))
    return subjects, left


def _target(context: Context, work: Work, taken: ReviewSubject) -> CycleTarget:
    if taken.change is not None:
        return record_early_review(context, work, taken)
    return attempt_target(facts_of(context, work.tx, taken.task))


def _ask_named(context: Context, work: Work, cycle: CycleId, tasks: Sequence[TaskId], reviewers: Sequence[str]) -> bool:
    """Ask the named reviewers, unless they are asked already. Refuse one that made the work. (V4)"""
    known = whole(work.tx, cycle)
    asked = {(row.task, row.reviewer) for row in known.requested if row.state == "asked"}
    any_new = False
    for name in reviewers:
        reviewer, kind = meant(work.tx, name)
        for task in tasks:
            if (task, reviewer) not in asked:
                refuse_maker(context, work, task, reviewer, kind)
                ask(context, work, cycle, task, reviewer, kind)
                any_new = True
    return any_new


def _nobody(context: Context, work: Work, cycle: CycleId) -> tuple[str, ...]:
    """Return messages that say why nobody is asked. (V4)"""
    known = whole(work.tx, cycle)
    notes = []
    for target in known.live:
        if pending_of(known, target) or any(review.task == target.task for review in known.reviews):
            continue
        choice = choice_for(context, work.tx, target.task, seats=known.cycle.seats, already=())
        notes += [f"{each.name} is not asked, because {each.why}" for each in choice.left_out]
        notes.append(f"nobody is asked about {target.task}. Any reviewer may review it: fe review submit")
    return tuple(notes)
