"""The gate decides by itself (M4, skip, send back): after a hand-in and after checks, in the transaction of whoever
came.
"""

from __future__ import annotations

import msgspec

from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of
from foureyes.app.call.work import Work
from foureyes.app.ports import Tx
from foureyes.core import events as e
from foureyes.core.events.decision import Approved
from foureyes.core.nouns.approval import grade_of
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.check import CheckState
from foureyes.core.rules import gate
from foureyes.core.rules.check_states import check_states
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import labels_in_force
from foureyes.core.rules.modes import Chosen, mode_of, why_not_by_itself
from foureyes.core.rules.policy import ReviewPolicy, required_grade
from foureyes.core.words.ids import TaskId
from foureyes.core.words.lifecycle import Status
from foureyes.errors import Reason

MOST_SENT_BACK = 5
"""However often the configuration lets an attempt go round by itself, after so many a person is asked (L, E1)."""

SHOWN_FAILURES = 20


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate made of an attempt: its mode, why, and why it did not approve by itself. `person`: what asks for a
    person (P6), empty where an agent will do.
    """

    mode: str
    status: str
    mode_reasons: tuple[Reason, ...] = ()
    reasons: tuple[Reason, ...] = ()
    check_states: tuple[CheckState, ...] = ()
    person: str = ""

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The required checks that nobody ran on this tree yet."""
        return tuple(state.rule.name for state in self.check_states if state.rule.required and state.word == "not_run")


def settle(context: Context, work: Work, task: TaskId, tip: gate.Tip | None) -> Settled:
    """Approve what needs nobody's eyes, send back what is red and waits for nobody; leave the rest to whoever looks."""
    facts = facts_of(context, work.tx, task)
    policy = context.gate_policy(work.tx)
    if facts.task.status == "reviewing" and facts.attempt is not None and policy.checks:
        from foureyes.app.findings.from_checks import note_failures

        note_failures(work.gate, facts, check_states(facts, policy))
    chosen, checked = mode_of(facts, policy), check_states(facts, policy)
    reasons = why_not_by_itself(facts, policy, chosen, checked, tip)
    if facts.task.status == "reviewing" and facts.attempt is not None:
        gatekeeper = work.gate
        if not reasons and chosen.mode in ("auto-approve", "skip"):
            gatekeeper.record(task, approval(facts, chosen, checked))
        elif is_sent_back(facts, policy, chosen, checked):
            red = [state for state in checked if is_red(state)]
            failing = tuple(name for state in red if state.result for name in [*state.result.failing, *state.gone])
            feedback = failures_in_words(work.tx, red)
            gatekeeper.record(task, e.AttemptSentBack(iteration=facts.attempt.n, feedback=feedback, failing=failing))
            from foureyes.app.tasks.escalation import escalate

            escalate(context, work, task)
    status = context.get(work.tx, task).status
    grade, source = required_grade(policy, labels_in_force(facts), facts.changed_paths())
    return Settled(
        mode=chosen.mode,
        status=status,
        mode_reasons=chosen.reasons,
        reasons=reasons,
        check_states=checked,
        person=source if grade == "human" else "",
    )


def approval(facts: Facts, chosen: Chosen, checked: tuple[CheckState, ...]) -> Approved:
    """M4, M5: approved by the rule itself, with what it rests on; nobody waits for it any more."""
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


def after(attempt: Attempt) -> Status:
    """Where an approval leads: what has nothing to merge is done."""
    return "approved" if attempt.is_merged_later else "closed"


def is_red(state: CheckState) -> bool:
    """A required check that ran where it counts and found something wrong with the work; not one that broke itself."""
    return state.rule.required and not state.claimed and state.result is not None and state.word == "failed"


def is_sent_back(facts: Facts, policy: ReviewPolicy, chosen: Chosen, checked: tuple[CheckState, ...]) -> bool:
    """T `send_back`: red, and no person is asked for: the mode is auto-approve and the iterations are not used up."""
    limit = min(policy.auto.max_iterations or MOST_SENT_BACK, MOST_SENT_BACK)
    attempt = facts.attempt
    mine = attempt is not None and not attempt.landed and attempt.n < limit
    return mine and chosen.mode == "auto-approve" and policy.auto.enabled and any(is_red(state) for state in checked)


class Output(msgspec.Struct, frozen=True):
    """What a check printed."""

    seq: int
    output: str


def failures_in_words(tx: Tx, red: list[CheckState]) -> str:
    """What failed, for the next iteration: the failing tests, or, where no report names them, the end of what was
    printed.
    """
    seqs = [str(state.result.seq) for state in red if state.result]
    printed = {row.seq: row.output for row in tx.all("check.outputs", Output, seqs=seqs)}
    lines = []
    for state in red:
        assert state.result is not None
        lines.append(f"Check {state.rule.name} failed: {state.summary} (command: {state.rule.run})")
        names = [*state.result.failing, *[f"gone: {name}" for name in state.gone]]
        lines += [f"- {name}" for name in names[:SHOWN_FAILURES]]
        if len(names) > SHOWN_FAILURES:
            lines.append(f"- and {len(names) - SHOWN_FAILURES} more")
        if not names:
            lines += [
                f"    {line}"
                for line in printed.get(state.result.seq, "").rstrip().split("\n")[-SHOWN_FAILURES:]
                if line.strip()
            ]
    return "\n".join(lines)
