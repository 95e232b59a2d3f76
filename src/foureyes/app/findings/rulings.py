"""Rulings: judgements of answers by a session that P would let approve, and what follows from them. (L8, L9, L18,
V7)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import msgspec

from foureyes.app.case import Case, case_of
from foureyes.app.context import Context, IdRow, Work, needed, permit, refuse_task, refuse_verb
from foureyes.app.facts import facts_of, parties_of
from foureyes.app.findings.auto_decisions import decide_by_rule
from foureyes.app.findings.raising import finding_named, one_task, open_blocking
from foureyes.app.outcome import merge_by, outcome
from foureyes.app.ports import Tx
from foureyes.app.results.finding import MoveView
from foureyes.app.results.task_list import Outcome
from foureyes.app.tasks.escalation import escalate
from foureyes.app.work.branches import tip_of
from foureyes.core import events as e
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.loop.answers import why_not_ruling, why_not_withdrawn
from foureyes.core.loop.reviews import Review
from foureyes.core.nouns.finding import RULINGS, Finding, Ruling
from foureyes.core.nouns.session import Actor, Party, is_one_origin, is_oneself, is_same
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.four_eyes import Declaration, may_approve
from foureyes.core.rules.gate import Tip, holds, pauses, was_not_seen
from foureyes.core.rules.involvement import labels_in_force, made_by
from foureyes.core.rules.modes import mode_of
from foureyes.core.rules.policy import required_reviews
from foureyes.core.words.decision import Decision, allow, refuse
from foureyes.core.words.ids import SessionId, TaskId
from foureyes.core.words.text import clean_text
from foureyes.core.words.untrusted_text import named
from foureyes.errors import BadInput, Reason
from foureyes.steps import Steps, blank, fe, one_of, phrase, prose

FINDINGS_SHOWN = 20
SOMEONE_ELSE = prose("someone else has to rule on it")
STANDS = frozenset({"NOT_FIXED", "OVERRULED", "CONFIRMED"})
"""Rulings that confirm a finding, as if the session had raised it. (L4)"""


class Rulings:
    """Verbs to rule, to withdraw a ruling, and to withdraw a finding."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def rule(self, actor: Actor, rulings: Sequence[Ruling], *, seen: str = "") -> Outcome:
        """Record rulings, all or none. The gate then sends the attempt back if findings are open. (L8, L9)"""
        permit(actor, "finding judge")
        rulings = [
            Ruling(ruling.finding, ruling.ruling, clean_text(ruling.reason, "the reason").strip()) for ruling in rulings
        ]
        if not rulings:
            raise BadInput(
                "no ruling was given.",
                next_step=fe(
                    "finding", "judge", blank("ID"), one_of("--verified", "--not-fixed", "--accepted", "--overruled")
                ),
            )
        with self._context.store.read() as tx:
            task = one_task(tx, [ruling.finding for ruling in rulings])
            before = case_of(self._context, tx, actor, task)
        words, tip = words_of(rulings), tip_in(self._context, before)
        with self._context.deciding(
            actor, "finding judge", task=task, diff_id=before.diff_id, reason=words, policy=before.policy
        ) as work:
            case = case_of(self._context, work.tx, work.actor, task, tip=tip)
            unseen = was_not_seen(case.facts, case.me, seen) if seen else None
            if unseen is not None:
                refuse_task(task, "was not changed", unseen)
            decision = refuse_rulings(work, case, rulings)
            record_rulings(work, case, rulings, decision)
            after = decide_after(self._context, work, case)
            done = self._context.get(work.tx, task)
        given = ", ".join(f"{ruling.finding} {ruling.ruling}" for ruling in rulings)
        return outcome(done, f"{given}. {after.sentence}", _next(case, after, actor), notes=work.notes)

    def take_back(self, actor: Actor, finding: str) -> Outcome:
        """Withdraw the caller's own ruling, until the next submission. (L18)"""
        with self._context.store.read() as tx:
            named = finding_named(tx, finding)
        act = f"take back the ruling on {named.id}"
        with self._context.deciding(actor, "finding judge", task=named.task, reason=act) as work:
            row = finding_named(work.tx, finding)
            task = self._context.get(work.tx, TaskId(row.task))
            moves = work.tx.all("finding.moves_of", MoveView, root=row.root)
            last = next((move for move in reversed(moves) if move.kind != "taken_back" and not move.undone), None)
            if last is None or last.kind != "ruled":
                _refuse_taking_back(row, f"the last action on {row.id} was not a ruling")
            if last.iteration != task.iteration:
                _refuse_taking_back(
                    row, f"attempt {task.iteration} was submitted since then, so the author has already read the ruling"
                )
            me = self._context.party(work.tx, work.actor)
            giver = _who(work.tx, last.session)
            if not is_oneself(me, giver):
                _refuse_taking_back(row, f"{giver.name} gave the ruling, and only they can take it back")
            made = made_by(facts_of(self._context, work.tx, task.id, me), me)
            if made is not None:
                _refuse_taking_back(
                    row, f"you are an author of the change and cannot withdraw a ruling on it ({made.why})"
                )
            if task.status in ("approved", "closed") and last.now != "open":
                _refuse_taking_back(row, f"{task.id} is already {task.status}. Send it back instead: fe redo {task.id}")
            work.record(task.id, e.RulingTakenBack(root=row.root, ruling=last.seq))
            escalate(self._context, work, task.id)
            return outcome(
                self._context.get(work.tx, task.id), f"withdrew {last.word} on {row.id}, which is {last.was} again"
            )

    def withdraw(self, actor: Actor, finding: str, reason: str) -> Outcome:
        """Withdraw a finding, by the session that raised it. A person who is not an author may do it for them, on
        record. (L4, P8)
        """
        permit(actor, "finding judge --withdraw")
        with self._context.store.read() as tx:
            raised = finding_named(tx, finding)
            before = case_of(self._context, tx, actor, TaskId(raised.task))
            _refuse_withdrawing(tx, before, raised.at_time(self._context.now()))
        reason = needed(reason, "finding judge --withdraw", raised.id)
        words, tip = f"{raised.id}: {reason}", tip_in(self._context, before)
        with self._context.deciding(
            actor,
            "finding judge --withdraw",
            task=raised.task,
            diff_id=before.diff_id,
            reason=words,
            policy=before.policy,
        ) as work:
            case = case_of(self._context, work.tx, work.actor, TaskId(raised.task), tip=tip)
            row = finding_named(work.tx, finding).at_time(work.at)
            others = _refuse_withdrawing(work.tx, case, row)
            event = e.FindingWithdrawn(root=row.root, iteration=case.task.iteration, reason=reason)
            work.record(case.task.id, event)
            if others and row.blocking:
                detail = f"{row.id} of {', '.join(party.name for party in others)}"[:200]
                audited = SecurityRecorded(kind="finding_withdrawn", rule="L4", reason=reason, detail=detail)
                work.record(case.task.id, audited)
            escalate(self._context, work, case.task.id)
            after = decide_after(self._context, work, case)
            done = self._context.get(work.tx, case.task.id)
        step = fe("show", done.id) if case.task.status != "reviewing" else _next(case, after, actor)
        return outcome(done, f"withdrew {row.id}. {after.sentence}", step, notes=work.notes)


def _refuse_withdrawing(tx: Tx, case: Case, finding: Finding) -> list[Party]:
    """Refuse an author who withdraws a finding. Return the other sessions that raised or confirmed it. (L4)"""
    known = {
        SessionId(move.session)
        for move in tx.all("finding.moves_of", MoveView, root=finding.root)
        if move.kind in ("raised", "flagged") or (move.kind == "ruled" and move.word in STANDS and not move.undone)
    }
    holders = [_who(tx, session) for session in sorted(known)]
    others = [party for party in holders if not is_oneself(case.me, party)]
    reasons = why_not_withdrawn(finding, case.me, made_by(case.facts, case.me), others)
    if reasons:
        refuse_verb(f"{finding.id} was not withdrawn.", *reasons, task=finding.task)
    return others


def _refuse_taking_back(finding: Finding, why: str) -> NoReturn:
    """Refuse to withdraw a ruling. (L18)"""
    reason = Reason("L18", why, fe("finding", "show", finding.id))
    refuse_verb(f"{finding.id} was not changed.", reason, task=finding.task)


def words_of(rulings: Sequence[Ruling]) -> str:
    """Return the text that a person signs: all rulings."""
    return "; ".join(
        f"{ruling.finding} {ruling.ruling}{f': {ruling.reason}' if ruling.reason else ''}" for ruling in rulings
    )


def may_rule(case: Case, reason: str) -> Decision:
    """Decide if the caller may rule. (L8)

    They must not be an author, and P would let them approve, with the ruling's words as the reason.
    """
    made = made_by(case.facts, case.me)
    if made is not None and case.me.kind != "service":
        who = case.facts.party_name(made.session)
        return refuse("L8", f"{who} {made.why}, so someone else must rule", SOMEONE_ELSE)
    return may_approve(case.alone, case.me, case.policy, Declaration(reason))


def refuse_rulings(work: Work, case: Case, rulings: Sequence[Ruling], *, words: str = "") -> Decision:
    """Return what allows a set of rulings, or refuse it with every reason. Nothing is stored then. (L8, L9, V7)

    `words` is the summary of the review that has the rulings.
    """
    task = case.task
    known = {ruling.finding: work.tx.one("finding.one", Finding, id=ruling.finding) for ruling in rulings}
    reasons: list[Reason] = []
    if task.status != "reviewing":
        reasons.append(
            Reason(
                "L8", f"{task.id} is {task.status}, and only an attempt in review can be ruled on", fe("show", task.id)
            )
        )
    decision = may_rule(case, " ".join([*(ruling.reason for ruling in rulings), words]))
    if decision.rule == "P5" and all(row and is_one_origin(case.me, _raiser(work.tx, row)) for row in known.values()):
        decision = allow("L8", "you raised the finding that you rule on")
    reasons += () if decision.allowed else _against(decision, rulings)
    roots: list[str] = []
    for ruling in rulings:
        row = known[ruling.finding]
        finding = row.at_time(work.at) if row else None
        if ruling.ruling not in RULINGS or finding is None or finding.task != task.id:
            reasons.append(
                Reason("L8", f"{ruling.finding} is not a finding of {task.id}", fe("finding", "list", task.id))
            )
            continue
        if finding.root in roots:
            reasons.append(Reason("L8", f"{ruling.finding} is ruled on twice", prose("keep one of them")))
        roots.append(finding.root)
        if _is_own_answer(work.tx, finding, case.me):
            reasons.append(Reason("L8", f"you answered {finding.id}, so someone else must rule", SOMEONE_ELSE))
        is_raiser = is_one_origin(case.me, _raiser(work.tx, finding))
        is_in_change = finding.path in case.facts.changed_paths()
        wrong = why_not_ruling(finding, ruling.ruling, is_raiser=is_raiser, is_in_change=is_in_change)
        reasons += [wrong] if wrong else []
    if reasons:
        refuse_verb("nothing was ruled.", *dict.fromkeys(reasons), task=task.id)
    return decision


def _against(decision: Decision, rulings: Sequence[Ruling]) -> tuple[Reason, ...]:
    """Return the decision's reasons. If only the caller's reason is missing, suggest the same command with one. (P3,
    P5)
    """
    if not decision.needs_reason:
        return decision.reasons
    words = {ruling.ruling for ruling in rulings}
    flag = f"--{words.pop().lower().replace('_', '-')}" if len(words) == 1 else ""
    names = [ruling.finding for ruling in rulings]
    step = fe("finding", "judge", *names, flag, "-m", phrase("why")) if flag else prose("give each ruling a reason")
    return (Reason(decision.rule, decision.message, step),)


def _raiser(tx: Tx, finding: Finding) -> Party:
    """Return the session that flagged the finding last. (V7)"""
    return _who(tx, _last(tx, finding, "raised", "flagged") or finding.session)


def _is_own_answer(tx: Tx, finding: Finding, me: Party) -> bool:
    """Return True if a person rules on the answer that they gave. An agent that answered is an author anyway. (L8, I3)"""
    if me.kind != "human" or finding.state not in ("claimed", "disputed"):
        return False
    return is_same(me, _who(tx, _last(tx, finding, "answered")))


def _last(tx: Tx, finding: Finding, *kinds: str) -> str:
    moves = tx.all("finding.moves_of", MoveView, root=finding.root)
    return next((move.session for move in reversed(moves) if move.kind in kinds), "")


def _who(tx: Tx, session: str) -> Party:
    """Return the party of a session, even if it has no part in the task."""
    known = SessionId(session)
    return parties_of(tx, {known}).get(known) or Party(session=known, kind="agent", name=session)


def record_rulings(work: Work, case: Case, rulings: Sequence[Ruling], decision: Decision) -> None:
    """Record the rulings, and the exception that allowed them, if any. (P8)"""
    task = case.task
    for ruling in rulings:
        finding = finding_named(work.tx, ruling.finding)
        event = e.FindingRuled(root=finding.root, iteration=task.iteration, ruling=ruling.ruling, reason=ruling.reason)
        work.record(task.id, event)
    if decision.exception:
        detail = f"rule, attempt {task.iteration}: {', '.join(ruling.finding for ruling in rulings)}"[:200]
        why = next((ruling.reason for ruling in rulings if ruling.reason), decision.message)
        work.record(task.id, SecurityRecorded(kind=decision.exception, rule=decision.rule, reason=why, detail=detail))


class AfterRulings(msgspec.Struct, frozen=True):
    """The state after rulings or a review: the open blocking findings, and what the gate decided."""

    left: tuple[Finding, ...]
    sent_back: bool = False
    by_rule: bool = False

    @property
    def sentence(self) -> str:
        """The state as part of a sentence."""
        if not self.left:
            return "No blocking finding is open" + (", so it is approved automatically (M4)" if self.by_rule else "")
        waiting = sum(finding.state != "open" or finding.waiting for finding in self.left)
        words = (
            "1 blocking finding is still open"
            if len(self.left) == 1
            else f"{len(self.left)} blocking findings are still open"
        )
        return (
            f"{words}, so the task was sent back"
            if self.sent_back
            else f"{words}, {waiting} to rule on"
            if waiting
            else words
        )


def decide_after(context: Context, work: Work, case: Case) -> AfterRulings:
    """Send the attempt back if findings are open. Otherwise let the rule decide. (M4)"""
    task = case.task.id
    sent_back = send_back(context, work, task)
    by_rule = not sent_back and decide_by_rule(context, work, task, case.tip).is_by_rule
    return AfterRulings(tuple(open_blocking(work.tx, task, work.at)), sent_back, by_rule)


def tip_in(context: Context, case: Case) -> Tip | None:
    """Return the git state of the attempt. Call it before the write transaction."""
    return tip_of(context, case.task.id, case.attempt, case.target) if case.attempt else None


def _next(case: Case, after: AfterRulings, actor: Actor) -> Steps:
    """Return the next step after a ruling. An agent's approval has to name the change it saw. (D7)"""
    task = case.task.id
    if after.by_rule:
        return merge_by(actor)
    if not after.left:
        if case.me.kind == "agent":
            return fe("approve", task, "--seen", case.seen)
        return fe("approve", task)
    return fe("list", "--reviewable") if after.sent_back else fe("finding", "list", task, "--open")


def send_back(context: Context, work: Work, task: TaskId, *, clarified: bool = False) -> bool:
    """Send the attempt back if its review round is over and blocking findings are open, whatever the verdicts. Return
    True if it was. (T `send_back`, V10)

    `clarified`: the clarification that paused the cycle has just ended (R2).
    """
    blocking = open_blocking(work.tx, task, work.at)
    if not blocking:
        return False
    facts = facts_of(context, work.tx, task)
    if not is_due(context, work.tx, facts, blocking, clarified=clarified):
        return False
    event = e.AttemptSentBack(iteration=facts.task.iteration, feedback=in_words(blocking), source="findings")
    work.gate.record(task, event)
    escalate(context, work, task)
    return True


def in_words(blocking: Sequence[Finding]) -> str:
    """Return the open blocking findings as feedback."""
    lines = [f"{len(blocking)} blocking {'finding is' if len(blocking) == 1 else 'findings are'} open:"]
    lines += [
        f"- {finding.id} {finding.severity} {finding.title}{f' ({named(finding.where)})' if finding.where else ''}"
        for finding in blocking[:FINDINGS_SHOWN]
    ]
    return "\n".join(
        [*lines, *([f"- and {len(blocking) - FINDINGS_SHOWN} more"] if len(blocking) > FINDINGS_SHOWN else [])]
    )


def is_due(context: Context, tx: Tx, facts: Facts, blocking: Sequence[Finding], *, clarified: bool = False) -> bool:
    """Return True if the attempt's round is over with open blocking findings and no reviewer is still due. Never for a
    stopped task. (V9)
    """
    attempt = facts.attempt
    if not blocking or facts.task.status != "reviewing" or attempt is None or attempt.landed:
        return False
    if any(finding.state in ("claimed", "disputed") or finding.waiting for finding in blocking):
        return False
    if holds(facts) or (pauses(facts) and not clarified):
        return False
    policy = context.gate_policy(tx)
    if mode_of(facts, policy).mode == "per-task" or (facts.cycle is not None and facts.cycle.is_live):
        return False
    rows = tx.all("review.of_task", Review, task=facts.task.id)
    reviews = [row for row in rows if row.diff_id == attempt.diff_id and not row.early_review]
    sessions = {row.session for row in reviews}
    sessions |= {SessionId(row.id) for row in tx.all("finding.rulers", IdRow, task=facts.task.id, iteration=attempt.n)}
    sessions -= {context.gate.session}  # a check's rulings are not a review
    wanted = (
        1 if facts.cycle is not None and facts.cycle.is_current else required_reviews(policy, labels_in_force(facts))
    )
    return bool(sessions) and _independent_reviewers(tx, facts, sessions) >= wanted


def _independent_reviewers(tx: Tx, facts: Facts, sessions: set[SessionId]) -> int:
    """Return the number of reviewers who are not authors. Sessions of one origin count once. (I4)"""
    pairs: list[Party] = []
    for party in parties_of(tx, sessions).values():
        if (
            party.session in sessions
            and made_by(facts, party) is None
            and not any(is_one_origin(party, other) for other in pairs)
        ):
            pairs.append(party)
    return len(pairs)
