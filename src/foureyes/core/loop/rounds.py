"""The engine of the review loop: rounds, progress, tier and next action. Only this module routes tasks. (L11–L17,
E1–E5)

All state is computed from the journal. No counter is stored (G6, L12).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import msgspec

from foureyes.core.events.loop import LeadOption, Tier
from foureyes.core.nouns.finding_state import FindingState
from foureyes.core.rules.policy import Limits
from foureyes.core.words.lifecycle import RunEnd

WaitingFor = Literal["", "lead", "user"]
TIERS: tuple[Tier, ...] = ("developer", "senior", "lead", "user")
LEAD_OPTIONS: tuple[LeadOption, ...] = ("split", "senior", "fresh", "ask", "continue")
MERGE_FAILURES = 3
"""Number of failed merges before escalation. (Q3)"""

NOT_YET = 1 << 62
"""Closing position of a round that another one replaced before it was sent back: after all its events."""

WAITING: tuple[FindingState, ...] = ("open", "claimed", "disputed")
ENDED: dict[RunEnd, str] = {
    "crash": "it crashed",
    "timeout": "it took too long",
    "blocked": "it is blocked",
    "unchanged": "it changed nothing",
}
"""Endings of a run that count as a round without progress. (L17)"""


class LoopAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt, as the loop sees it.

    `starts` counts the starts of work before it. `close_seq` is the journal row that sent it back, and `approved` the
    row of its approval, 0 if none.
    """

    n: int
    tree: str
    head: str = ""
    starts: int = 0
    close_seq: int = 0
    approved: int = 0
    merge_failures: int = 0

    def goes_on_as(self, after: LoopAttempt) -> bool:
        """Return True if `after` is the same commit submitted again, with no send-back and no new work in between. (Q2,
        D4)
        """
        return bool(self.head) and (self.head, self.starts) == (after.head, after.starts) and not self.close_seq


class FindingMove(msgspec.Struct, frozen=True):
    """A state change of a blocking finding, in journal order."""

    root: str
    iteration: int
    state: FindingState
    kind: str


class LoopAct(msgspec.Struct, frozen=True):
    """An act on the loop: the gate asked for the lead (L14), an approval ended that request, or the lead decided
    (E3).
    """

    seq: int
    iteration: int
    option: Literal["asked", "agreed", "split", "senior", "fresh", "ask", "continue"]
    why: str = ""


class FruitlessRun(msgspec.Struct, frozen=True):
    """A run that ended without a submission. `had` is the number of blocking findings it started with, `why` its
    reported reason. (L17)
    """

    seq: int
    iteration: int
    how: RunEnd
    had: int
    why: str = ""


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """One iteration with its blocking findings: open at submission, resolved, and new.

    `goes_on`: it is not a round of its own, and its events count in the next one.
    """

    n: int
    had: int = 0
    fixed: int = 0
    raised: int = 0
    same_tree: bool = False
    goes_on: bool = False
    closed: bool = False
    tier: Tier = "developer"
    no_progress: int = 0
    action: Literal["", "continue", "warn", "escalate"] = ""

    @property
    def is_progress(self) -> bool:
        """True if a blocking finding was resolved and the tree changed. (L11)"""
        return self.fixed > 0 and not self.same_tree


class LoopState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a task's loop and its next action, as every interface, the prompt and the router use it."""

    tier: Tier = "developer"
    waiting_for: WaitingFor = ""
    round: int = 0
    iteration: int = 0
    no_progress: int = 0
    rounds: tuple[Round, ...] = ()
    escalations: int = 0
    lead_decisions: int = 0
    why: str = ""
    next_tier: Tier = "senior"
    warning: str = ""

    @property
    def open_blocking(self) -> int:
        """Number of blocking findings that the last round left open."""
        last = self.rounds[-1] if self.rounds else Round(n=0)
        return last.had - last.fixed + last.raised

    @property
    def outlook(self) -> str:
        """How near the next escalation is, in one sentence. "" before the first round has ended. (E5)"""
        if self.waiting_for:
            who = "a person" if self.waiting_for == "user" else "the lead"
            return f"waits for {who}: {self.why}"
        where = (
            f"tier {self.tier} since iteration {self.iteration - self.round + 1}: {self.why}"
            if self.escalations and self.tier != "developer"
            else ""
        )
        return "; ".join(part for part in (self.warning, where) if part)


class _Count(msgspec.Struct):
    """The counters within a tier. `left_with` is the no-progress count at the end of the previous tier."""

    tier: Tier = "developer"
    waiting_for: WaitingFor = ""
    round: int = 0
    no_progress: int = 0
    merge_failures: int = 0
    escalations: int = 0
    decisions: int = 0
    left_with: int = 0
    asked: bool = False
    why: str = ""

    def up(self, why: str) -> None:
        """Move to the next tier and reset the counters. (E1)"""
        self.tier = above(self.tier, self.decisions)
        self.left_with = self.no_progress
        self.begin()
        self.escalations += 1
        self.why = why
        self.waiting_for = waits(self.tier)

    def begin(self) -> None:
        self.round = self.no_progress = 0


def above(tier: Tier, lead_decisions: int) -> Tier:
    """Return the next tier. If the lead has decided before, that is a person. (E1)"""
    after = TIERS[min(TIERS.index(tier) + 1, len(TIERS) - 1)]
    return "user" if after == "lead" and lead_decisions else after


def waits(tier: Tier) -> WaitingFor:
    """Return the role that has to act. Developer and senior implement, lead and user decide. (E2)"""
    if tier == "lead":
        return "lead"
    return "user" if tier == "user" else ""


def rounds(submitted: Sequence[LoopAttempt], steps: Iterable[FindingMove], *, closed: bool) -> list[Round]:
    """Return each iteration's effect on the blocking findings. `closed`: the latest attempt was sent back too. (L11)"""
    by_iteration: dict[int, list[FindingMove]] = {}
    for step in steps:
        by_iteration.setdefault(step.iteration, []).append(step)
    state: dict[str, FindingState] = {}
    table: list[Round] = []
    tree, now = "", _Hands()
    for attempt, after in zip(submitted, [*submitted[1:], None], strict=True):
        if not (table and table[-1].goes_on):
            now = _Hands.at(state, is_same=attempt.tree == tree)
        for step in by_iteration.get(attempt.n, ()):
            now.move(state, step)
        is_over = closed or after is not None
        if after is not None and attempt.goes_on_as(after):
            table.append(Round(n=attempt.n, goes_on=True, closed=is_over))
        else:
            table.append(now.round(state, attempt.n, is_over=is_over))
        tree = attempt.tree
    return table


class _Hands(msgspec.Struct):
    """The blocking findings of one round: open before it, waived, and the last event of each one that changed."""

    before: set[str] = set()
    waived: set[str] = set()
    settled: dict[str, str] = {}
    is_same: bool = False

    @classmethod
    def at(cls, state: dict[str, FindingState], *, is_same: bool) -> _Hands:
        before = {root for root, now in state.items() if now in WAITING}
        return cls(before=before, waived={root for root, now in state.items() if now == "waived"}, is_same=is_same)

    def move(self, state: dict[str, FindingState], step: FindingMove) -> None:
        if step.kind == "answered" and step.root in self.waived and state[step.root] == "waived":
            self.before.add(step.root)  # its waiver expired, so this round had to handle it again
        self.settled[step.root] = step.kind
        state[step.root] = step.state

    def round(self, state: dict[str, FindingState], n: int, *, is_over: bool) -> Round:
        by = self.settled
        fixed = [root for root in self.before if state[root] == "resolved" and by.get(root) in ("ruled", "cleared")]
        new = [root for root in by if root not in self.before and state[root] in WAITING]
        return Round(
            n=n, had=len(self.before), fixed=len(fixed), raised=len(new), same_tree=self.is_same, closed=is_over
        )


def loop_state(
    submitted: Sequence[LoopAttempt],
    done: Sequence[Round],
    acts: Sequence[LoopAct],
    odds: Sequence[FruitlessRun],
    limits: Limits,
) -> LoopState:
    """Compute the current loop state from the rounds, in journal order. (E1)"""
    count, table = _Count(), []
    for attempt, current in zip(submitted, done, strict=True):
        tier, happened = count.tier, _in_order(count, attempt, current, acts, odds, limits)
        judged = current
        for seq, act in sorted(happened, key=lambda pair: pair[0]):
            before = count.escalations
            act()
            if seq == (attempt.close_seq or NOT_YET) and not current.goes_on:
                judged = _judged(current, tier, count, limits, is_over=count.escalations > before)
        table.append(
            judged
            if current.closed and not current.goes_on
            else msgspec.structs.replace(current, tier=tier, no_progress=count.no_progress)
        )
    last = submitted[-1].n if submitted else 0
    return LoopState(
        tier=count.tier,
        waiting_for=count.waiting_for,
        round=count.round,
        iteration=last,
        no_progress=count.no_progress,
        rounds=tuple(table),
        escalations=count.escalations,
        lead_decisions=count.decisions,
        why=count.why,
        next_tier=above(count.tier, count.decisions),
        warning=_warning(count, last, limits),
    )


def _judged(current: Round, tier: Tier, count: _Count, limits: Limits, *, is_over: bool) -> Round:
    """Return a closed round with its outcome. `is_over`: the round ended the tier."""
    if is_over:
        return msgspec.structs.replace(current, tier=tier, no_progress=count.left_with, action="escalate")
    action: Literal["continue", "warn"] = "warn" if _is_near(count, limits) else "continue"
    return msgspec.structs.replace(current, tier=tier, no_progress=count.no_progress, action=action)


def _in_order(
    count: _Count,
    attempt: LoopAttempt,
    current: Round,
    acts: Sequence[LoopAct],
    odds: Sequence[FruitlessRun],
    limits: Limits,
) -> list[tuple[int, Callable[[], None]]]:
    """Return the events of one iteration, each with its journal position."""
    happened: list[tuple[int, Callable[[], None]]] = []
    if current.closed and not current.goes_on:
        happened.append((attempt.close_seq or NOT_YET, lambda: _close(count, attempt, current, limits)))
    if attempt.approved:
        happened.append((attempt.approved, lambda: _approved(count)))
    for act in (act for act in acts if act.iteration == attempt.n):
        happened.append((act.seq, lambda act=act: _act(count, act)))  # type: ignore[misc]
    for odd in (odd for odd in odds if odd.iteration == attempt.n and odd.how in ENDED and odd.had):
        happened.append((odd.seq, lambda odd=odd: _odd(count, odd, limits)))  # type: ignore[misc]
    return happened


def _close(count: _Count, attempt: LoopAttempt, current: Round, limits: Limits) -> None:
    """Count a closed round. Progress resets the no-progress count, and a round without progress adds one. A round
    without blocking findings changes nothing. (L12)
    """
    count.round += 1
    if current.had:
        count.no_progress = 0 if current.is_progress else count.no_progress + 1
    before, count.merge_failures = count.merge_failures, count.merge_failures + attempt.merge_failures
    if before // MERGE_FAILURES < count.merge_failures // MERGE_FAILURES:
        count.up(f"{MERGE_FAILURES} merges failed (Q3)")
    elif count.no_progress >= limits.no_progress_limit:
        count.up(f"{count.no_progress} rounds without progress (E1)")
    elif count.round >= limits.iteration_cap:
        count.up(f"iteration {count.round} of tier {count.tier} was sent back (E1)")


def _odd(count: _Count, odd: FruitlessRun, limits: Limits) -> None:
    """Count a run that ended without a submission as no progress, if it had findings. (L17)"""
    count.no_progress += 1
    if count.no_progress >= limits.no_progress_limit:
        count.up(f"{count.no_progress} rounds without progress, and in the last run {odd.why or ENDED[odd.how]} (L17)")


def _approved(count: _Count) -> None:
    """End the wait for a decision. An approval makes it unnecessary."""
    count.waiting_for = ""


def _act(count: _Count, act: LoopAct) -> None:
    """Apply a request for the lead or the lead's decision. (L14, E3)"""
    if act.option == "asked":
        count.waiting_for, count.why, count.asked = "lead", act.why, True
        return
    if act.option == "agreed":
        count.waiting_for, count.asked = ("" if count.asked else count.waiting_for), False
        return
    count.asked = False
    count.decisions += 1
    count.waiting_for = ""
    if act.option == "ask":
        count.tier, count.waiting_for = "user", "user"
        count.escalations += 1
    elif act.option != "continue" or count.tier in ("lead", "user"):
        count.tier = "developer" if act.option in ("split", "fresh") else "senior"
        count.begin()
    count.why = act.why


def _is_near(count: _Count, limits: Limits) -> bool:
    """Return True if one more round like this one escalates. (E5)"""
    is_stuck = count.no_progress == limits.no_progress_limit - 1 and (
        count.no_progress > 0 or limits.no_progress_limit == 1
    )
    return bool(count.round) and (is_stuck or count.round == limits.iteration_cap - 1)


def _warning(count: _Count, iteration: int, limits: Limits) -> str:
    """Return a warning one round before an escalation, or "". (E5)"""
    if count.waiting_for:
        return ""
    after = above(count.tier, count.decisions)
    if (
        count.no_progress == limits.no_progress_limit - 1
        and (count.no_progress or limits.no_progress_limit == 1)
        and iteration
    ):
        return (
            f"iteration {iteration}, {count.no_progress} without progress. One more round without fixes escalates to "
            f"tier {after} (E1)"
        )
    if count.round == limits.iteration_cap - 1:
        return (
            f"iteration {iteration}. If the next submission is sent back, the task escalates to tier {after} (E1, limit "
            f"{limits.iteration_cap})"
        )
    return ""


def wants_lead(answers: Sequence[str], limits: Limits) -> bool:
    """Return True if more of an attempt's blocking findings were rejected than the limit allows. (L14)"""
    return bool(answers) and sum(word == "REJECTED" for word in answers) > limits.rejection_review_share * len(answers)
