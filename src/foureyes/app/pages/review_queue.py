"""The review queue: what waits for a person, the riskiest first, and what could be approved in one go (H, M8)."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import msgspec

from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_for
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.pages.next_steps import after_queue
from foureyes.app.pages.task import preview
from foureyes.app.ports import Tx
from foureyes.app.views.review import Batch, QueueRow, QueueView
from foureyes.app.views.task_list import ListQuery, TaskRow
from foureyes.app.work.branches import tip_among
from foureyes.core.nouns.session import Actor, Party
from foureyes.core.rules import gate
from foureyes.core.rules.check_states import check_states
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.modes import mode_of, why_not_by_itself
from foureyes.core.rules.policy import ReviewPolicy
from foureyes.core.rules.risk import CLASSES, Around, risk_of
from foureyes.core.rules.sampling import samples
from foureyes.core.words.ids import SessionId, TaskId
from foureyes.errors import Reason
from foureyes.steps import fe

PAGE = 200


class Blocks(msgspec.Struct, frozen=True):
    """How many tasks wait for one."""

    task: str
    n: int


class Decided(msgspec.Struct, frozen=True):
    """How many attempts of an agent program were decided."""

    agent: str
    n: int


class Queue:
    """What waits for eyes."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def view(self, actor: Actor, *, limit: int | None = None) -> QueueView:
        """Everything in review: per-task and held first, then by risk, priority, what waits for it, and age (H1).

        `limit`: only so many rows of it; the counts are of all.
        """
        heads = self._context.repo.heads()
        rows: list[QueueRow] = []
        with self._context.store.read() as tx:
            me, policy = self._context.party(tx, actor), self._context.policy(tx, actor)
            facts = self._waiting(tx, me)
            target = f"refs/heads/{self._context.project(tx).target}"
            blocks = {row.task: row.n for row in tx.all("task.blocking", Blocks, ids=sorted(facts))} if facts else {}
            decided = {row.agent: row.n for row in tx.all("attempt.decided_by_agent", Decided)}
            agents = self._agents(tx, facts)
        touched = Counter(path for about in facts.values() for path in set(about.changed_paths()))
        for about in facts.values():
            assert about.attempt is not None
            known = decided.get(agents[about.task.id], 0) if agents[about.task.id] else None
            shared = tuple(path for path in about.changed_paths() if touched[path] > 1)
            tip = tip_among(self._context, about.attempt, heads, target)
            rows.append(self._row(about, me, policy, tip, Around(known, shared), blocks.get(about.task.id, 0)))
        rows.sort(key=_order)
        numbered = tuple(msgspec.structs.replace(row, n=number) for number, row in enumerate(rows[:limit], 1))
        auto = sum(row.auto_approvable for row in rows)
        names = tuple(rule.name for rule in policy.checks)
        return QueueView(
            count=len(rows),
            auto_approvable=auto,
            need_attention=len(rows) - auto,
            checks=names,
            rows=numbered,
            next=after_queue(numbered, auto),
        )

    def _waiting(self, tx: Tx, me: Party) -> dict[TaskId, Facts]:
        waiting: dict[TaskId, Facts] = {}
        after = None
        while rows := tx.tasks(ListQuery(status="reviewing", limit=PAGE, after=after), TaskRow):
            page = facts_for(self._context, tx, [TaskId(row.id) for row in rows], me)
            waiting |= {task: about for task, about in page.items() if about.attempt is not None}
            after = (rows[-1].priority, rows[-1].n)
        return waiting

    @staticmethod
    def _agents(tx: Tx, facts: dict[TaskId, Facts]) -> dict[TaskId, str]:
        """The agent program that handed each attempt in; empty for a person."""
        from foureyes.app.views.session import SessionView

        makers = {about.attempt.submitted_by for about in facts.values() if about.attempt}
        known = {SessionId(row.id): row for row in tx.all("session.some", SessionView, ids=sorted(makers))}
        return {
            task: known[about.attempt.submitted_by].agent
            if about.attempt and about.attempt.submitted_by in known
            else ""
            for task, about in facts.items()
        }

    def _row(
        self, facts: Facts, me: Party, policy: ReviewPolicy, tip: gate.Tip, around: Around, blocks: int
    ) -> QueueRow:
        attempt, task = facts.attempt, facts.task
        assert attempt is not None
        chosen, checked = mode_of(facts, policy), check_states(facts, policy)
        not_by_itself = why_not_by_itself(facts, policy, chosen, checked, tip)
        in_batch = why_not_by_itself(facts, policy, chosen, checked, tip, any_mode=True)
        return QueueRow(
            task=task.id,
            title=task.title,
            priority=task.priority,
            attempt=attempt.n,
            diff_id=attempt.diff_id,
            mode=chosen.mode,
            mode_reasons=chosen.reasons,
            risk=risk_of(facts, policy, chosen, checked, not_by_itself, around),
            auto_approvable=not in_batch,
            auto_reasons=in_batch,
            checks={state.rule.name: state.word for state in checked},
            claimed=tuple(state.rule.name for state in checked if state.claimed),
            files=len(attempt.files),
            added=attempt.added,
            removed=attempt.removed,
            held=task.hold is not None,
            blocks=blocks,
            version=task.version,
            submitted_at=attempt.submitted_at,
            age_seconds=self._age(attempt.submitted_at),
            you=preview(facts, me, policy, tip),
        )

    def _age(self, moment: str) -> int:
        return max(0, int((self._context.clock.now() - datetime.fromisoformat(moment)).total_seconds()))

    def batch(self, actor: Actor) -> Batch:
        """M8, H2, H3: what `--all-auto` would approve. High risk is never pre-selected; samples stay until they were
        looked at.
        """
        if actor.kind != "human":
            reason = Reason(
                "D7",
                "an agent says of each change which diff it looked at; all at once is for people",
                fe("reviewable"),
            )
            refuse_verb("nothing was approved.", reason)
        with self._context.store.read() as tx:
            rule = self._context.policy(tx, actor).human
        rows = [row for row in self.view(actor).rows if row.auto_approvable and row.you.may_approve]
        chosen = [row for row in rows if row.risk.level != "high"]
        page = chosen[: rule.batch_max]
        left = samples([row.diff_id for row in page], self._context.store.project, rule)
        return Batch(
            tasks=tuple(row for row in page if row.diff_id not in left),
            sampled=tuple(row for row in page if row.diff_id in left),
            high=tuple(row for row in rows if row.risk.level == "high"),
            left_off=len(chosen) - len(page),
        )


def _order(row: QueueRow) -> tuple[int, int, int, int, str, str]:
    waits_on_purpose = 0 if row.mode == "per-task" or row.held else 1
    return waits_on_purpose, CLASSES.index(row.risk.level), row.priority, -row.blocks, row.submitted_at, row.task
