"""What only a person can move, as far as a runner tells about it (E6): each by a key that stays while it stays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from foureyes.app.cycles.unreviewed import unreviewed
from foureyes.app.run.rows import Troubled
from foureyes.app.views.pause import PauseView
from foureyes.core.nouns.cycle import Cycle
from foureyes.core.rules.required import all_reviewers
from foureyes.core.run.snapshot import AttentionItem
from foureyes.core.words.text import one_line

if TYPE_CHECKING:
    from foureyes.app.ports import Tx
    from foureyes.app.views.standstill import Cooldown
    from foureyes.core.rules.policy import ReviewPolicy

MOST_OF_A_KIND = 10
LINE_LENGTH = 300


def attention(tx: Tx, policy: ReviewPolicy, cooled: Sequence[Cooldown]) -> tuple[AttentionItem, ...]:
    """The newest of each kind."""
    rows = [
        AttentionItem(key=f"stuck:{row.id}:{row.seq}", text=f"{row.id} waits for a person: {row.text}   ({row.title})")
        for row in tx.all("runner.stuck", Troubled, limit=MOST_OF_A_KIND)
    ]
    rows += [
        AttentionItem(key=f"held:{row.id}:{row.seq}", text=f"{row.id} is stopped by a reviewer (R1): {row.text}")
        for row in tx.all("runner.stopped", Troubled, limit=MOST_OF_A_KIND)
    ]
    who = ("user", "lead") if policy.tiers.lead == "human" else ("user",)
    rows += [
        AttentionItem(key=f"loop:{row.id}:{row.text}", text=f"{row.id} waits for a person to decide: {row.text}")
        for row in tx.all("runner.loops", Troubled, who=list(who), limit=MOST_OF_A_KIND)
    ]
    rows += [
        AttentionItem(key=f"blocked:{row.id}:{row.text}", text=f"{row.id} is blocked: {row.text}")
        for row in tx.all("runner.blocked", Troubled, limit=MOST_OF_A_KIND)
    ]
    rows += [
        AttentionItem(key=f"cooled:{row.profile}:{row.error}", text=f"{row.profile} cannot be used: {row.error_text}")
        for row in cooled
        if row.error in ("auth", "crash") or (row.error == "missing" and row.until)
    ]
    rows += _cycles(tx, policy)
    return tuple(
        AttentionItem(key=one_line(row.key, LINE_LENGTH), text=one_line(row.text, LINE_LENGTH)) for row in rows
    )


def _cycles(tx: Tx, policy: ReviewPolicy) -> list[AttentionItem]:
    """V8: what reviewers paused, until a person lifts that; and what nobody reviews."""
    rows = tx.all("cycle.flagged", Cycle, limit=MOST_OF_A_KIND)
    paused = {row.task for row in tx.all("run.pauses", PauseView) if row.made_by == "rule"}
    stopped = [
        row
        for row in rows
        if row.rule == "R0"
        or (row.rule == "R2" and row.state == "decided" and (row.task in paused or (row.wide and "" in paused)))
    ]
    items = [AttentionItem(key=f"cycle:{row.id}:{row.task}:{row.rule}", text=_ruled(row)) for row in stopped]
    return items + [
        AttentionItem(
            key=f"cycle:{row.cycle}:{row.task}:{row.state}", text=f"{row.task} was not reviewed: {row.sentence}"
        )
        for row in unreviewed(tx, all_reviewers(policy), MOST_OF_A_KIND)
        if row.state != "decided"
    ]


def _ruled(cycle: Cycle) -> str:
    """V8: what reviewers came to that waits for a person."""
    what = "was not reviewed" if cycle.rule == "R0" else "is paused by reviewers"
    return f"{cycle.task} {what} ({cycle.id} {cycle.rule}): {'; '.join(cycle.reasons)}"
