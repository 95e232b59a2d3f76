"""What waits in review, judged for one caller: the rows of the review queue and of the board, in one order (H1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.context import seconds_since
from foureyes.app.call.facts import facts_for
from foureyes.app.pages.preview import preview
from foureyes.app.views.review import QueueRow
from foureyes.app.views.session import SessionView
from foureyes.core.rules import gate
from foureyes.core.rules.check_states import check_states
from foureyes.core.rules.modes import mode_of, why_not_by_itself
from foureyes.core.rules.risk import CLASSES, Around, risk_of
from foureyes.core.words.ids import SessionId, Sha, TaskId

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.attempt import Attempt
    from foureyes.core.nouns.session import Actor, Party
    from foureyes.core.rules.facts import Facts
    from foureyes.core.rules.policy import ReviewPolicy

PAGE = 200


class Blocks(msgspec.Struct, frozen=True):
    """How many tasks wait for one."""

    task: str
    n: int


class Decided(msgspec.Struct, frozen=True):
    """How many attempts of an agent program were decided."""

    agent: str
    n: int


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """What was read about some tasks in review, and for whom."""

    me: Party
    policy: ReviewPolicy
    target: str
    facts: Mapping[TaskId, Facts]
    blocks: Mapping[str, int]
    known: Mapping[TaskId, int | None]
    names: Mapping[SessionId, str]


class Judge:
    """Reads and judges tasks in review. One that is kept counts what agents had decided only while some are new."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._decided: dict[str, int] = {}

    def read(self, tx: Tx, actor: Actor, tasks: Sequence[TaskId]) -> Waiting:
        """Everything that judging these tasks needs."""
        context = self._context
        me, policy = context.party(tx, actor), context.policy(tx, actor)
        facts: dict[TaskId, Facts] = {}
        for first in range(0, len(tasks), PAGE):
            page = facts_for(context, tx, list(tasks[first : first + PAGE]), me)
            facts |= {task: about for task, about in page.items() if about.attempt is not None}
        blocks = {row.task: row.n for row in tx.all("task.blocking", Blocks, ids=sorted(facts))} if facts else {}
        makers = self._makers(tx, facts)
        known = self._known(tx, facts, {maker.id: maker.agent for maker in makers}, policy.risk.new_agent)
        names = {SessionId(maker.id): maker.name for maker in makers}
        target = context.project(tx).target
        return Waiting(me=me, policy=policy, target=target, facts=facts, blocks=blocks, known=known, names=names)

    def _makers(self, tx: Tx, facts: Mapping[TaskId, Facts]) -> list[SessionView]:
        """The sessions that handed in."""
        makers = {about.attempt.submitted_by for about in facts.values() if about.attempt}
        return tx.all("session.some", SessionView, ids=sorted(makers))

    def _known(
        self, tx: Tx, facts: Mapping[TaskId, Facts], agents: Mapping[str, str], enough: int
    ) -> dict[TaskId, int | None]:
        """How much of each maker's work was decided before; None for a person's. What was decided stays decided, so
        that who is no longer new need not be counted again.
        """
        if any(agent and self._decided.get(agent, 0) < enough for agent in agents.values()):
            self._decided = {row.agent: row.n for row in tx.all("attempt.decided_by_agent", Decided)}
        by = {task: agents.get(about.attempt.submitted_by, "") for task, about in facts.items() if about.attempt}
        return {task: self._decided.get(agent, 0) if agent else None for task, agent in by.items()}

    def rows(self, waiting: Waiting, heads: Mapping[str, Sha]) -> list[QueueRow]:
        """The rows: per-task and held first, then by risk, priority, what waits for it, and age (H1)."""
        touched = Counter(path for about in waiting.facts.values() for path in set(about.changed_paths()))
        landed = self._landed(waiting, heads)
        rows = []
        for task, about in waiting.facts.items():
            assert about.attempt is not None
            shared = tuple(path for path in about.changed_paths() if touched[path] > 1)
            tip = _tip(about.attempt, heads, landed)
            rows.append(self._row(about, waiting, tip, Around(waiting.known[task], shared)))
        return sorted(rows, key=_order)

    def _landed(self, waiting: Waiting, heads: Mapping[str, Sha]) -> set[Sha]:
        """The heads that landed before their review and are still on the target: git is asked once for all of them."""
        attempts = [about.attempt for about in waiting.facts.values() if about.attempt]
        landed = [attempt.head for attempt in attempts if attempt.landed]
        has_target = f"refs/heads/{waiting.target}" in heads
        return self._context.repo.reached(landed, waiting.target) if landed and has_target else set()

    def _row(self, facts: Facts, waiting: Waiting, tip: gate.Tip, around: Around) -> QueueRow:
        attempt, task, policy = facts.attempt, facts.task, waiting.policy
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
            blocks=waiting.blocks.get(task.id, 0),
            version=task.version,
            labels=tuple(task.labels),
            who=waiting.names.get(attempt.submitted_by, attempt.submitted_by),
            submitted_at=attempt.submitted_at,
            age_seconds=seconds_since(self._context, attempt.submitted_at),
            you=preview(facts, waiting.me, policy, tip),
        )


def _tip(attempt: Attempt, heads: Mapping[str, Sha], landed: set[Sha]) -> gate.Tip:
    """What one look at all branches says about an attempt."""
    return gate.Tip(on_target=attempt.head in landed) if attempt.landed else gate.Tip(head=heads.get(attempt.ref))


def _order(row: QueueRow) -> tuple[int, int, int, int, str, str]:
    waits_on_purpose = 0 if row.mode == "per-task" or row.held else 1
    return waits_on_purpose, CLASSES.index(row.risk.level), row.priority, -row.blocks, row.submitted_at, row.task
