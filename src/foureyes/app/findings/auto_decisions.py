"""Decisions of the gate by rule (M4): after submissions, checks, rulings and waivers."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from foureyes.app.context import Context, Work
from foureyes.app.facts import facts_of
from foureyes.app.ports import Tx
from foureyes.core import events as e
from foureyes.core.events.decision import Approved
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.check import CheckState
from foureyes.core.nouns.decision import grade_of
from foureyes.core.rules import gate
from foureyes.core.rules.check_states import check_states, seen_on_tip
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import is_person, labels_in_force
from foureyes.core.rules.modes import ModeChoice, mode_of, why_not_by_itself
from foureyes.core.rules.policy import ReviewPolicy, required_grade
from foureyes.core.rules.stacks import why_refused
from foureyes.core.words.ids import TaskId
from foureyes.core.words.lifecycle import TaskStatus
from foureyes.errors import Reason

SHOWN_FAILURES = 20
SHOWN_LINES = 20
LINE = 300


class MadeByGate(msgspec.Struct, frozen=True, kw_only=True):
    """The gate's decision about an attempt: its mode, and why it was not approved by rule.

    `person` is the rule that demands a person, "" if an agent may approve (P6). `is_by_rule`: the gate has just
    approved it. `is_sent_back`: the gate has just sent it back.
    """

    mode: str
    status: str
    is_by_rule: bool = False
    is_sent_back: bool = False
    mode_reasons: tuple[Reason, ...] = ()
    reasons: tuple[Reason, ...] = ()
    check_states: tuple[CheckState, ...] = ()
    person: str = ""
    first: tuple[Reason, ...] = ()
    """Reasons why no reviewer can approve now, apart from checks."""

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Required checks that have not run on this tree."""
        return tuple(state.rule.name for state in self.check_states if state.rule.required and state.word == "not_run")

    @property
    def not_green(self) -> tuple[str, ...]:
        """Required checks that ran on this tree and did not pass."""
        broke = ("failed", "crashed", "timed_out", "unsound")
        return tuple(state.rule.name for state in self.check_states if state.rule.required and state.word in broke)


def decide_by_rule(
    context: Context, work: Work, task: TaskId, tip: gate.Tip | None, green: Collection[str] = ()
) -> MadeByGate:
    """Approve the attempt if it needs no review, or send it back if its change fails checks. Otherwise leave it to
    reviewers. `green` names the checks that pass on the target.
    """
    facts = facts_of(context, work.tx, task)
    policy = context.gate_policy(work.tx)
    if facts.task.status == "reviewing" and facts.attempt is not None and policy.checks:
        from foureyes.app.findings.raising import note_failures

        note_failures(work.gate, facts, check_states(facts, policy))
    chosen, checked = mode_of(facts, policy), seen_on_tip(check_states(facts, policy), green)
    reasons = why_not_by_itself(facts, policy, chosen, checked, tip)
    by_rule = sent_back = False
    if facts.task.status == "reviewing" and facts.attempt is not None:
        gatekeeper = work.gate
        if not reasons and chosen.mode in ("auto-approve", "skip"):
            gatekeeper.record(task, approval(facts, chosen, checked))
            by_rule = True
        elif is_sent_back(facts, policy, chosen, checked):
            sent_back = True
            red = [state for state in checked if is_own_red(state) or is_gone(state)]
            failing = tuple(name for state in red if state.result for name in [*state.result.failing, *state.gone])
            feedback = failures_in_words(work.tx, task, red)
            gatekeeper.record(task, e.AttemptSentBack(iteration=facts.attempt.n, feedback=feedback, failing=failing))
            from foureyes.app.tasks.escalation import escalate

            escalate(context, work, task)
    status = context.get(work.tx, task).status
    grade, source = required_grade(policy, labels_in_force(facts), facts.changed_paths())
    return MadeByGate(
        mode=chosen.mode,
        status=status,
        is_by_rule=by_rule,
        is_sent_back=sent_back,
        mode_reasons=chosen.reasons,
        reasons=reasons,
        check_states=checked,
        person=source if grade == "human" else "",
        first=_first(context, work, facts, policy) if status == "reviewing" else (),
    )


def _first(context: Context, work: Work, facts: Facts, policy: ReviewPolicy) -> tuple[Reason, ...]:
    """Return why nobody can approve now, worded for the caller. (A7, D2, D3, D6)"""
    me, reviewer = context.party(work.tx, work.actor), context.party(work.tx, context.gate)
    lacking = gate.lacks_reviews(facts, reviewer, policy)
    return (*gate.has_blocking(facts, me), *gate.holds(facts), *why_refused(facts), *lacking)


def approval(facts: Facts, chosen: ModeChoice, checked: tuple[CheckState, ...]) -> Approved:
    """Build the approval by rule, with its basis. (M4, M5)"""
    attempt = facts.attempt
    assert attempt is not None
    because = "; ".join(reason.message for reason in chosen.reasons[:1])
    green = sum(state.is_green for state in checked)
    reason = f"{chosen.mode} ({because})"
    if chosen.mode == "auto-approve":
        reason += f": {green}/{len(checked)} checks, iteration {attempt.n}, signal {attempt.signal}"
    return Approved(
        attempt=attempt.n,
        diff_id=attempt.diff_id,
        rule="M4",
        status=after(attempt),
        reason=reason,
        seen="by rule",
        grade=grade_of("rule"),
    )


def after(attempt: Attempt) -> TaskStatus:
    """Return the status after an approval. It is closed if there is nothing to merge."""
    return "approved" if attempt.is_merged_later else "closed"


def is_red(state: CheckState) -> bool:
    """Return True if a required check ran properly and failed. A check that broke does not count."""
    return _counts(state) and state.result is not None and state.result.outcome == "failed"


def is_own_red(state: CheckState) -> bool:
    """Like is_red(), but only if the change caused the failure or the target passes by now. (D5)"""
    return is_red(state) and (state.by_change or state.fixed)


def is_gone(state: CheckState) -> bool:
    """Return True if a required check passed without some of the target's tests. A person decides if that is fine.
    (D5)
    """
    return _counts(state) and state.word == "failed" and not is_red(state)


def _counts(state: CheckState) -> bool:
    return state.rule.required and not state.claimed


def is_sent_back(facts: Facts, policy: ReviewPolicy, chosen: ModeChoice, checked: tuple[CheckState, ...]) -> bool:
    """Return True if the gate sends the attempt back because its change failed required checks. (T `send_back`)

    Escalation limits how often (E1, L13). It never does so for work that a person submitted, or for a stopped task
    (V9).
    """
    attempt = facts.attempt
    if attempt is None or attempt.landed or gate.holds(facts) or gate.pauses(facts):
        return False
    if is_person(facts.party(attempt.via or attempt.submitted_by)):
        return False
    asks = chosen.mode != "skip" and gate.asks_for_checks(facts, policy)
    return asks and any(is_own_red(state) for state in checked)


class CheckOutputRow(msgspec.Struct, frozen=True):
    """The output of a check."""

    seq: int
    output: str


def failures_in_words(tx: Tx, task: str, red: list[CheckState]) -> str:
    """Return failed checks as feedback: the failing tests and the end of the output."""
    seqs = [str(state.result.seq) for state in red if state.result]
    printed = {row.seq: row.output for row in tx.all("check.outputs", CheckOutputRow, seqs=seqs)}
    lines = []
    for state in red:
        assert state.result is not None
        lines.append(f"Check {state.rule.name} failed: {state.summary} (command: {state.rule.run})")
        names = [*state.result.failing, *[f"gone: {name}" for name in state.gone]]
        lines += [f"- {name}" for name in names[:SHOWN_FAILURES]]
        more = state.result.failures + len(state.gone) - len(names[:SHOWN_FAILURES])
        lines += [f"- and {more} more"] if more > 0 else []
        if state.result.outcome != "passed":
            end = [line for line in printed.get(state.result.seq, "").rstrip().split("\n") if line.strip()]
            lines += [f"    {line[:LINE]}" for line in end[-SHOWN_LINES:]]
    return "\n".join([*lines, f"The full output: fe check show {task}"])
