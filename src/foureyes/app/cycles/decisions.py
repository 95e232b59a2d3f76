"""Decisions about cycles and what follows from them, in the transaction of the last answer. (V8, R2)"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import islice, takewhile

import msgspec

from foureyes.app.blockers import last_verdicts, stop
from foureyes.app.context import Context, Work, stamp
from foureyes.app.cycles.cycle_record import WholeCycle, chain, last_words, reviewer_names, whole, wholes
from foureyes.app.cycles.reviewers import ask_more, left_out, open_again
from foureyes.app.facts import facts_of, parties_of, voiceless
from foureyes.app.findings.auto_decisions import decide_by_rule
from foureyes.app.findings.raising import open_blocking
from foureyes.app.findings.rulings import send_back
from foureyes.app.ports import Tx
from foureyes.app.results.run import PauseView
from foureyes.app.work.branches import tip_of
from foureyes.core import events as e
from foureyes.core.cycle.decision import NAMED, AskedReviewer, CycleResult, TargetReview, decide, is_complete, stops
from foureyes.core.documents.shapes import ClarifiedPoint
from foureyes.core.loop.reviews import Review
from foureyes.core.nouns.cycle import CLARIFICATIONS_MOST, Asked, Clarification, Cycle, CycleId, Point, TargetRow
from foureyes.core.nouns.finding import Finding
from foureyes.core.nouns.finding_state import UNRESOLVED
from foureyes.core.nouns.session import is_one_origin, is_oneself
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.gate import Tip
from foureyes.core.rules.involvement import made_by, makers_of
from foureyes.core.rules.required import is_profile, unmet_names
from foureyes.core.words.ids import SessionId
from foureyes.core.words.text import one_line
from foureyes.core.words.untrusted_text import some

# ---- A cycle is decided (V8), in the transaction that takes the last answer ----


class CycleEffect(msgspec.Struct, frozen=True, kw_only=True):
    """The result for a cycle: still open, or the rule that decided it. Also the attempts that were sent back or
    approved.
    """

    ruled: CycleResult | None = None
    sent_back: tuple[str, ...] = ()
    by_rule: tuple[str, ...] = ()


WAITS = CycleEffect()


class LastLetGo(msgspec.Struct, frozen=True):
    """The last attempt of a task about which a cycle was decided by R3 or R4, and whether the task is closed."""

    attempt: int
    closed: bool


def decide_if_due(context: Context, work: Work, cycle: CycleId, *, now: bool = False) -> CycleEffect:
    """Decide the cycle if possible, or ask the next reviewer. (V8)

    One blocker or two concerns decide at once. Otherwise an overdue reviewer counts as giving no review, the next one
    is asked, and the rule is applied when no request is open. If nobody could be asked, the cycle stays open for as
    long as a reviewer would have had. `now` skips that wait, and asks nobody else. A decided cycle is decided again if
    a later answer changes its rule.
    """
    known = _without_overdue(context, work, whole(work.tx, cycle))
    if known.cycle.state == "ended" or not known.live:
        return WAITS
    names = reviewer_names(work.tx, known)
    asked, answered = asks_of(known), answers_of(context, work, known, names)
    is_open = known.cycle.state == "open"
    if is_open and not stops(answered) and _still_waits(context, work, known, asked, now=now):
        return WAITS
    counting, unmet = counting_in(context, work, known), unmet_in(context, work, known)
    ruled = decide(known.tasks, asked, answered, counting, known.cycle.quorum, unmet)
    if ruled.rule in ("R3", "R4") and (left := concerns_left(work.tx, known)):
        ruled = msgspec.structs.replace(ruled, rule="R0", reasons=left)
    if not is_open and not _changes(known, ruled):
        return settle_clarification(context, work, known) if known.cycle.state == "clarifying" else WAITS
    ruled = _with_whom(context, work, known, ruled) if ruled.rule == "R0" else ruled
    if is_open and ruled.rule == "R0" and not now and ask_more(context, work, known, ruled.short, ruled.lacking):
        return WAITS
    return _follow(context, work, known, ruled)


def _still_waits(
    context: Context,
    work: Work,
    known: WholeCycle,
    asked: Sequence[AskedReviewer],
    *,
    now: bool,
) -> bool:
    """Return True if a request is open, another reviewer is asked now, or someone may still review unasked. (V8)"""
    if any(row.state == "asked" and row.task in known.tasks for row in known.requested):
        return True
    seated = answers_of(context, work, known, reviewer_names(work.tx, known, is_one_origin))
    if now or is_complete(asked, seated, known.tasks, known.cycle.seats):
        return False
    return ask_more(context, work, known) or not (known.requested or is_waited_out(context, work.tx, known))


def _changes(known: WholeCycle, ruled: CycleResult) -> bool:
    """Return True if a later answer changes the rule that decided the cycle. (V8, R2)

    Two concerns (R2) end by clarification, by a person, or when their reviewers take them back (R4). Before that, only
    a blocker changes it.
    """
    was = known.cycle.rule
    withdrawn = was == "R2" and ruled.rule == "R4"
    return ruled.rule != was and (ruled.rule == "R1" or withdrawn or not (was == "R2" or known.points))


def _without_overdue(context: Context, work: Work, known: WholeCycle) -> WholeCycle:
    late = [row for row in known.requested if is_overdue(row, context.now()) and known.cycle.state == "open"]
    for row in late:
        event = e.ReviewNotGiven(cycle=known.cycle.id, reviewer=row.reviewer, why="timeout", text=f"until {row.until}")
        work.gate.record(row.task, event)
    return whole(work.tx, known.cycle.id) if late else known


def give_up_on_people(context: Context, work: Work, cycle: CycleId) -> None:
    """Stop waiting for other people's reviews, because a person decides now. Not for work that this person made.
    (V8)
    """
    known, me = whole(work.tx, cycle), context.party(work.tx, work.actor)
    for row in known.requested if me.kind == "human" and known.cycle.state == "open" else ():
        silent = row.kind == "person" and row.state == "asked" and row.task in known.tasks
        if silent and made_by(facts_of(context, work.tx, row.task), me) is None:
            event = e.ReviewNotGiven(
                cycle=cycle, reviewer=row.reviewer, why="timeout", text=f"{me.name} ended the wait"
            )
            work.record(row.task, event)


def is_waited_out(context: Context, tx: Tx, known: WholeCycle) -> bool:
    """Return True if nobody could be asked, for as long as a reviewer has to answer. Then only a person is left (R0).
    (V8)
    """
    if known.requested or known.cycle.state != "open":
        return False
    return known.cycle.at <= context.ago(max(1, context.gate_policy(tx).peers.timeout_minutes))


def may_be_due(context: Context, tx: Tx, known: WholeCycle) -> bool:
    """Return True if there may be something to decide: a reviewer is late, no request is open, or the time for unasked
    reviews is over.
    """
    now = context.now()
    if known.cycle.state == "clarifying":
        return not known.unanswered or (bool(known.cycle.clarify_until) and known.cycle.clarify_until <= now)
    live = set(known.tasks)
    silent = [row for row in known.requested if row.state == "asked" and row.task in live]
    if silent:
        return any(is_overdue(row, now) for row in silent)
    return bool(known.requested or known.reviews) or is_waited_out(context, tx, known)


def is_overdue(row: Asked, now: str) -> bool:
    """Return True if the request is open and its deadline has passed."""
    return row.state == "asked" and bool(row.until) and row.until <= now


def asks_of(known: WholeCycle) -> list[AskedReviewer]:
    """Return the requests about targets that have not moved on."""
    live = set(known.tasks)
    return [
        AskedReviewer(reviewer=row.reviewer, target=row.task, state=row.state, why=row.why)
        for row in known.requested
        if row.task in live
    ]


def answers_of(context: Context, work: Work, known: WholeCycle, names: dict[str, str]) -> list[TargetReview]:
    """Return the valid reviews of targets that have not moved on. (V8, I3)

    An author's approval does not count. A concern or blocker stays, even if its reviewer is tied to an author later.
    """
    answers = []
    for target in known.live:
        facts = facts_of(context, work.tx, target.task)
        reviews = [review for review in known.reviews if review.task == target.task]
        parties = parties_of(work.tx, {SessionId(review.session) for review in reviews})
        for review in reviews:
            party = parties.get(SessionId(review.session))
            if party is not None and (review.effective != "approved" or made_by(facts, party) is None):
                name = names[review.session]
                answers.append(
                    TargetReview(review=review.seq, reviewer=name, target=target.task, verdict=review.effective)
                )
    return answers


def counting_in(context: Context, work: Work, known: WholeCycle) -> set[int]:
    """Return the rows of the reviews that count. For an attempt its facts decide, and of an early review the complete
    ones count. (V6)
    """
    rows: set[int] = set()
    without = voiceless(
        context, work.tx, [SessionId(review.session) for review in known.reviews if review.early_review]
    )
    parties = parties_of(work.tx, {SessionId(review.session) for review in known.reviews})
    for target in known.live:
        facts = facts_of(context, work.tx, target.task)
        reviews = [review for review in known.reviews if review.task == target.task]
        for review in last_verdicts(reviews, parties.__getitem__, is_one_origin):
            counts = review.session not in without if target.early_review else review.session in facts.reviewers
            rows |= {review.seq} if counts and review.agrees else set()
    return rows


def unmet_in(context: Context, work: Work, known: WholeCycle) -> dict[str, list[str]]:
    """Return the agents that must review an attempt of the cycle and have not, by task. People are left out: their
    approval counts as their review. (D6)
    """
    policy = context.gate_policy(work.tx)
    unmet: dict[str, list[str]] = {}
    for target in known.live:
        names = unmet_names(facts_of(context, work.tx, target.task), policy) if target.attempt else {}
        unmet[target.task] = [name for name in names if is_profile(name)]
    return unmet


def _with_whom(context: Context, work: Work, known: WholeCycle, ruled: CycleResult) -> CycleResult:
    """Add to the reasons who agreed without counting, and if nobody was asked, why. (R0, V3, V4)"""
    without = voiceless(context, work.tx, [SessionId(each.session) for each in known.reviews if each.agrees])
    left = [] if known.requested else left_out(context, work.tx, known)
    return msgspec.structs.replace(ruled, reasons=(*ruled.reasons, *dict.fromkeys([*left, *without.values()])))


def _follow(context: Context, work: Work, known: WholeCycle, ruled: CycleResult) -> CycleEffect:
    """Do what the rule says: hold, pause and clarify, flag, or continue. Then the findings decide about each attempt.
    (V10)
    """
    cycle, gate = known.cycle, work.gate
    reasons = ruled.reasons
    last = ruled.rule == "R2" and is_last_round(work.tx, cycle)
    if last:
        reasons = (*reasons, "it was already clarified once, so a person must decide")
    event = e.CycleDecided(
        cycle=cycle.id,
        rule=ruled.rule,
        requested=ruled.requested,
        answered=ruled.answered,
        counting=ruled.counting,
        reasons=reasons,
    )
    gate.record(cycle.task, event)
    words = f"{cycle.id} {ruled.rule}: {'; '.join(ruled.reasons)}"
    if ruled.rule == "R1":
        for task in known.tasks:
            stop(context, work, task, words)
        if cycle.wide:
            pause(work, known, "R1", words)
    elif ruled.rule == "R2":
        pause(work, known, "R2", words)
        if not last:
            ask_to_clarify(context, work, known)
    elif ruled.rule in ("R3", "R4") and (cycle.quorum or cycle.rule == "R2"):
        lift(work, known, ruled.rule)
    return _by_findings(context, work, known, ruled)


def pause(work: Work, known: WholeCycle, rule: str, words: str) -> None:
    """Pause new work on the targets, or everywhere. (V9)"""
    for task in [""] if known.cycle.wide else known.tasks:
        work.gate.record(task, e.RunsPaused(reason=words, by="rule", rule=rule, cycle=known.cycle.id))


def lift(work: Work, known: WholeCycle, rule: str) -> None:
    """Lift what R2 paused, after R3 or R4: in this cycle, in those it follows, and about older work on the same target.
    (V9)

    By then every reviewer with concerns has reviewed again (`concerns_left`).
    """
    for each in work.tx.all("run.pauses", PauseView):
        if each.made_by == "rule" and each.rule == "R2" and _is_settled(work.tx, known, each):
            event = e.RunsResumed(reason=f"{known.cycle.id} {rule}", by="rule", rule=rule, cycle=each.cycle)
            work.gate.record(each.task, event)


def _is_settled(tx: Tx, known: WholeCycle, paused: PauseView) -> bool:
    """Return True if each target of a pause is closed, or R3 or R4 decided about it. (R2)

    What was left to a person is lifted only by a person or by the cycle itself. Otherwise an author could open another
    cycle to get rid of it.
    """
    was = whole(tx, paused.cycle)
    follows = any(each.id == was.cycle.id for each in chain(tx, known.cycle))
    about = [target for target in was.targets if paused.task in ("", target.task)]
    if (was.cycle.state == "decided" and not follows) or not any(target.task in known.tasks for target in about):
        return False
    return all(_is_judged(tx, known, target, follows=follows) for target in about)


def _is_judged(tx: Tx, known: WholeCycle, was: TargetRow, *, follows: bool) -> bool:
    now = next((target for target in known.live if target.task == was.task), None)
    if now is not None:
        return follows or was.attempt < now.attempt
    last = tx.one("cycle.judged", LastLetGo, task=was.task)
    return last is not None and (last.closed or last.attempt > was.attempt)


def concerns_left(tx: Tx, known: WholeCycle) -> tuple[str, ...]:
    """Return the reviewers whose concerns pause a target and who have not reviewed it again since. (R2, V9)

    Silence is no answer, and another reviewer's approval does not replace theirs.
    """
    pauses = [each for each in tx.all("run.pauses", PauseView) if each.made_by == "rule" and each.rule == "R2"]
    about = {each.cycle for each in pauses if each.task in ("", *known.tasks)} - {known.cycle.id}
    if not about:
        return ()
    since = wholes(tx, list(chain(tx, known.cycle)))
    reasons = []
    for cycle in sorted(about, key=lambda each: int(each.removeprefix("c-"))):
        was = whole(tx, cycle)
        names = reviewer_names(tx, was)
        last = {(names[review.session], review.task): review for review in was.reviews if review.task in known.tasks}
        silent = [
            name
            for (name, _), review in last.items()
            if review.effective == "concerns" and not _reviewed_again(tx, was, review, since)
        ]
        if silent:
            who = some(list(dict.fromkeys(silent)), NAMED)
            reasons.append(f"{who} had concerns in {cycle} and did not review it again")
    return tuple(reasons)


def _reviewed_again(tx: Tx, was: WholeCycle, concern: Review, since: Sequence[WholeCycle]) -> bool:
    """Return True if the reviewer, or the next run of its profile, reviewed the target again after its concern."""
    seat = _profile_of(was, concern)
    later = [
        (each, review)
        for each in since
        for review in each.reviews
        if review.task == concern.task and review.seq > concern.seq
    ]
    parties = parties_of(tx, {concern.session, *(review.session for _, review in later)})
    return any(
        is_oneself(parties[review.session], parties[concern.session]) or (seat and seat == _profile_of(each, review))
        for each, review in later
    )


def _profile_of(known: WholeCycle, review: Review) -> str:
    """Return the profile that was asked and gave this review, or ""."""
    rows = [row for row in known.requested if row.kind == "profile" and row.task == review.task]
    return next((row.reviewer for row in rows if row.session == review.session), "")


def _by_findings(context: Context, work: Work, known: WholeCycle, ruled: CycleResult) -> CycleEffect:
    """Decide about each attempt after its cycle: send it back if findings block, or let its mode decide. (V10, M4)"""
    sent_back, by_rule = [], []
    for target in known.live:
        if not target.attempt:
            continue
        if send_back(context, work, target.task):
            sent_back.append(str(target.task))
        elif not open_blocking(work.tx, target.task, work.at):
            facts = facts_of(context, work.tx, target.task)
            if decide_by_rule(context, work, target.task, _tip(context, work, facts)).is_by_rule:
                by_rule.append(str(target.task))
    return CycleEffect(ruled=ruled, sent_back=tuple(sent_back), by_rule=tuple(by_rule))


def _tip(context: Context, work: Work, facts: Facts) -> Tip | None:
    target = context.project(work.tx).target
    return tip_of(context, facts.task.id, facts.attempt, target, work.tx) if facts.attempt else None


def settle_clarification(context: Context, work: Work, known: WholeCycle) -> CycleEffect:
    """End a clarification. (R2, V9, V10)

    Once every point is answered, attempts with open blocking findings are sent back, and the cycle runs again about the
    others. Without an answer by the deadline it is R0: a person decides, and the pause stays.
    """
    cycle = known.cycle
    if not known.unanswered:
        work.gate.record(cycle.task, e.CycleEnded(cycle=cycle.id, why="clarified"))
        sent_back = [target.task for target in known.live if send_back(context, work, target.task, clarified=True)]
        again = [target for target in known.live if target.task not in sent_back]
        if again:
            open_again(context, work.gate, known, again)
        return CycleEffect(sent_back=tuple(sent_back))
    deadline = answer_by(context, work.tx, cycle)
    if not deadline or deadline > context.now():
        return WAITS
    open_points = [point.id for point in known.unanswered]
    reasons = (f"no answer about {', '.join(open_points)} by {deadline}",)
    ruled = CycleResult(
        rule="R0", reasons=reasons, requested=len(known.requested), answered=len(known.reviews), counting=0
    )
    return _follow(context, work, known, ruled)


# ---- Clarification (R2) ----

TEXT = 600


class LastWork(msgspec.Struct, frozen=True):
    """Runs that were working on the targets when the cycle asked its question, and when the last one ended."""

    runs: int
    live: int
    ended_at: str


def is_last_round(tx: Tx, cycle: Cycle) -> bool:
    """Return True if so many cycles in a row needed clarification that a person is asked instead. Clarifications after
    a blocker (R1) do not count. (R2)
    """
    before = islice(chain(tx, cycle), 1, None)
    rounds = 1 + sum(1 for _ in takewhile(lambda each: each.rule == "R2", before))
    return rounds >= CLARIFICATIONS_MOST


def ask_to_clarify(context: Context, work: Work, known: WholeCycle) -> None:
    """Ask the authors to clarify every concern. (R2)"""
    points = points_of(work.tx, known)
    minutes = max(1, context.gate_policy(work.tx).peers.timeout_minutes)
    asked: list[str] = []
    for task in known.tasks:
        facts = facts_of(context, work.tx, task)
        author = facts.task.implementer or next(iter(makers_of(facts)), None)
        asked += [str(author)] if author else []
    event = e.ClarificationAsked(
        cycle=known.cycle.id, points=points, requested=tuple(dict.fromkeys(asked)), until=context.later(minutes * 60)
    )
    work.gate.record(known.cycle.task, event)


def answer_by(context: Context, tx: Tx, cycle: Cycle) -> str:
    """Return the deadline for an answer. (V9)

    An agent that was working when the question came has the same time from the end of that run. "" while it still
    works.
    """
    row = tx.one("cycle.at_work_since", LastWork, cycle=cycle.id, seq=cycle.seq)
    if row is None or not row.runs:
        return cycle.clarify_until
    if row.live:
        return ""
    minutes = max(1, context.gate_policy(tx).peers.timeout_minutes)
    return max(cycle.clarify_until, stamp(datetime.fromisoformat(row.ended_at) + timedelta(minutes=minutes)))


def points_of(tx: Tx, known: WholeCycle) -> tuple[Point, ...]:
    """Return the points to clarify: the findings of each concern, or its summary if it has none left.

    Findings that were withdrawn, and concerns of a reviewer who has agreed since, are left out.
    """
    names = reviewer_names(tx, known)
    points: list[Point] = []
    for review in last_words(known, names):
        if review.effective == "approved":
            continue
        raised = tx.all("finding.raised_in", Finding, task=review.task, seq=review.raised_in)
        standing = [row for row in raised if row.state in UNRESOLVED]
        texts = [(row.root, f"{row.title}: {row.problem}" if row.problem else row.title) for row in standing]
        for finding, text in texts or [("", review.summary)]:
            points.append(
                Point(
                    id=f"p{len(points) + 1}",
                    task=next(target.task for target in known.live if target.task == review.task),
                    reviewer=names[review.session],
                    review=review.seq,
                    finding=finding,
                    text=one_line(text, TEXT),
                )
            )
    return tuple(points)


def clarified_of(tx: Tx, task: str, *, attempt: int = 0, early_review: int = 0) -> tuple[ClarifiedPoint, ...]:
    """Return what was answered to concerns about this attempt or early review, for its next reviewers. (R2, V2)"""
    rows = tx.all("cycle.clarified", Clarification, task=task, attempt=attempt, early_review=early_review)
    return tuple(
        ClarifiedPoint(
            point=f"{row.cycle} {row.id}",
            reviewer=row.reviewer,
            concern=row.text,
            answer=row.answer,
            answered_by=row.session,
            finding=row.finding,
        )
        for row in rows
    )
