"""What a face shows of review cycles; nothing is written by looking."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_for, parties_of, voiceless
from foureyes.app.call.lifting import Chained
from foureyes.app.call.rows import Count
from foureyes.app.cycles.clarifying import answer_by
from foureyes.app.cycles.deciding import is_overdue, is_waited_out
from foureyes.app.cycles.reading import HeldTask, WholeCycle, whole, wholes
from foureyes.app.ports import Tx
from foureyes.app.views.cycle import AskedView, CycleOutcome, CycleTargetView, CycleView, GivenView, IssueRow, PointView
from foureyes.app.views.pause import PauseView
from foureyes.core.nouns.cycle import Asked, Clarification, Cycle, CycleId
from foureyes.core.words.ids import SessionId
from foureyes.core.words.text import one_line
from foureyes.steps import NO_STEP, Steps, by_person, fe, in_turn, phrase

LINE = 300


def view_of(context: Context, tx: Tx, known: WholeCycle) -> CycleView:
    """A cycle with everything that is known about it, and what moves it."""
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
                task=t.task, attempt=t.attempt, look=t.look, diff_id=t.diff_id, summary=t.summary, over=t.over
            )
            for t in known.targets
        ),
        asked=tuple(_asked(row, late=cycle.is_live and is_overdue(row, now)) for row in known.asked),
        reviews=_given(context, tx, known, names),
        points=tuple(_point(point, names) for point in known.points),
        clarify_until=cycle.clarify_until,
        waits_for=tuple(names.get(each, each) for each in waits_for(known)),
        at=cycle.at,
        ended_at=cycle.ended_at,
        next=next_of(tx, known, now, out=is_waited_out(context, tx, known)),
    )


def _with_deadline(context: Context, tx: Tx, known: WholeCycle) -> WholeCycle:
    """V9: with the time until which an answer is waited for, as things stand now."""
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
    """What became of a cycle by a verb: how it stands, whom it waits for, and what moves it."""
    known = whole(tx, cycle)
    view = view_of(context, tx, known)
    waiting = tuple(dict.fromkeys(row.reviewer for row in known.asked if row.state == "asked"))
    words = f"{view.rule}: {'; '.join(view.reasons)}" if view.rule else view.state
    if not view.rule and view.waits_for:
        until = max((row.until for row in known.asked if row.state == "asked"), default="")
        words += f": it waits for {', '.join(view.waits_for)}" + (f" until {until[:16]}Z" if until else "")
    return CycleOutcome(
        cycle=cycle,
        state=view.state,
        rule=view.rule,
        changed=changed,
        message=message or f"{cycle} {words}",
        asked=waiting,
        notes=notes,
        next=step or view.next,
    )


def _asked(row: Asked, *, late: bool) -> AskedView:
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
    """The reviews, and which of them count as things stand now (V6)."""
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
    """Whom a cycle waits for."""
    if known.cycle.state == "clarifying":
        return tuple(known.cycle.clarifiers)
    if known.cycle.state != "open":
        return ()
    silent = [row.reviewer for row in known.asked if row.state == "asked" and row.task in known.tasks]
    return tuple(dict.fromkeys(silent)) or ("any reviewer",)


def next_of(tx: Tx, known: WholeCycle, now: str, *, out: bool = False) -> Steps:
    """What moves a cycle, and who may do that. `out`: nobody could be asked, and nobody came by for long enough."""
    cycle = known.cycle
    task = known.tasks[0] if known.tasks else ""
    if cycle.state == "clarifying":
        points = known.unanswered
        if not points or (cycle.clarify_until and cycle.clarify_until <= now):
            return fe("review", "decide", cycle.id)
        return fe("review", "clarify", cycle.id, points[0].id, "-m", phrase("the answer"))
    if cycle.state == "open":
        late = any(is_overdue(row, now) for row in known.asked)
        if late or out or not task:
            return fe("review", "decide", cycle.id)
        return fe("show", task, "--diff")
    return after_rule(tx, cycle, known.tasks or [target.task for target in known.targets])


def after_rule(tx: Tx, cycle: Cycle, tasks: Sequence[str]) -> Steps:
    """What a person does next about a cycle that is over: lift what it still stops, or see what followed."""
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
    """The issues list: of each task that is not closed every concern with its latest attempt, until its reviewer
    agrees; and who gave no review.
    """
    rows: list[IssueRow] = []
    flagged = tx.all("cycle.flagged", Cycle, limit=limit)
    known = {each.cycle.id: each for each in wholes(tx, list({row.id: row for row in flagged}.values()))}
    settled = {row.n for row in tx.all("cycle.settled", Count, ids=list(known))} if known else set()
    for row in flagged:
        rows += _issues(tx, row, known[row.id], settled)
    return rows[:limit]


def _is_unreviewed(flagged: Cycle, known: WholeCycle) -> bool:
    """R0: whether this target is one that too few agreed about; of several, others may be none."""
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
