"""What waits in review, judged for one caller: the rows of the review queue and of the board, in one order (H1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.call.facts import facts_for
from foureyes.app.call.noted_target import noted_target
from foureyes.app.call.signing import why_unsignable
from foureyes.app.call.stacks import inside_row
from foureyes.app.pages.judged import Judgement, Judgements, JudgingBasis, lasts
from foureyes.app.pages.preview import preview
from foureyes.app.views.review import QueueRow
from foureyes.app.views.session import SessionView
from foureyes.app.work.other_machines import is_elsewhere
from foureyes.core.rules import gate
from foureyes.core.rules.check_states import check_states
from foureyes.core.rules.modes import mode_of, why_not_by_itself
from foureyes.core.rules.risk import CLASSES, NEW_AGENT, Around, beside, risk_of
from foureyes.core.rules.side_by_side import side_by_side
from foureyes.core.words.ids import SessionId, Sha, TaskId

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.attempt import Attempt
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.facts import Facts

PAGE = 200


class Blocks(msgspec.Struct, frozen=True):
    """How many tasks wait for one."""

    task: str
    n: int


class Decided(msgspec.Struct, frozen=True):
    """How many attempts of an agent program were decided."""

    agent: str
    n: int


class Judge:
    """Reads and judges tasks in review. One that is kept judges again only what has changed, and counts what agents had
    decided only while some are new.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._judged = Judgements()
        self._decided: dict[str, int] = {}
        self._heads: Mapping[str, Sha] | None = None

    def rows(self, tx: Tx, actor: Actor, tasks: Sequence[str], heads: Mapping[str, Sha]) -> list[QueueRow]:
        """The rows: per-task and held first, then by risk, priority and what waits for it; there what shares files
        stands side by side, and the rest by age (H1).
        """
        self._heads = heads
        policy = self._context.policy(tx, actor)
        judgements = self._judgements(tx, actor, tasks, heads)
        ids = [judgement.row.task for judgement in judgements]
        blocks = {row.task: row.n for row in tx.all("task.blocking", Blocks, ids=sorted(ids))} if ids else {}
        decided = self._known({judgement.agent for judgement in judgements} - {""}, tx, NEW_AGENT)
        touched = Counter(path for judgement in judgements for path in judgement.paths)
        now = self._context.clock.now()
        rows = []
        for judgement in judgements:
            shared = tuple(path for path in judgement.paths if touched[path] > 1)
            known = decided.get(judgement.agent, 0) if judgement.agent else None
            row = judgement.row
            age = max(0, int((now - datetime.fromisoformat(row.submitted_at)).total_seconds()))
            risk = beside(row.risk, Around(known, shared), policy)
            rows.append(replace(row, risk=risk, blocks=blocks.get(row.task, 0), age_seconds=age))
        return _in_order(rows, {judgement.row.task: judgement.paths for judgement in judgements})

    def ahead(self, tx: Tx, actor: Actor, tasks: Sequence[str]) -> None:
        """Judge what will be asked for soon. What moved in git since the last look is judged again then."""
        self._judgements(tx, actor, tasks, self._context.repo.heads() if self._heads is None else self._heads)

    def _judgements(self, tx: Tx, actor: Actor, tasks: Sequence[str], heads: Mapping[str, Sha]) -> list[Judgement]:
        """What is known of tasks, and the rest judged now, page by page. A task without an attempt has no row."""
        basis = self._basis(tx, actor)
        self._judged.catch_up(tx, basis)
        judged = self._judged.of
        known = {task: judged[task] for task in tasks if task in judged}
        landed = self._still_landed([Sha(each.head) for each in known.values() if each.landed], basis.target, heads)
        moved = {task for task, each in known.items() if each.tip != _tip(each, heads, landed, each.elsewhere)}
        missing = [TaskId(task) for task in tasks if task not in known or task in moved]
        for first in range(0, len(missing), PAGE):
            known |= self._page(tx, missing[first : first + PAGE], basis, heads)
        return [known[task] for task in tasks if task in known]

    def _basis(self, tx: Tx, actor: Actor) -> JudgingBasis:
        context = self._context
        project = context.project(tx)
        policy = context.policy(tx, actor)
        return JudgingBasis(
            me=context.party(tx, actor),
            policy=policy,
            gate_policy=context.gate_policy(tx),
            target=noted_target(context, tx, project),
            hold=project.hold,
            unsigned=why_unsignable(context, tx, actor, "approve", policy),
        )

    def _still_landed(self, landed: list[Sha], target: str, heads: Mapping[str, Sha]) -> set[Sha]:
        """The heads that landed before their review and are still on the target, as it was seen last (Q6): git is asked
        once for all of them.
        """
        is_there = f"refs/heads/{target}" in heads or target.startswith("refs/")
        return self._context.repo.reached(landed, target) if landed and is_there else set()

    def _page(self, tx: Tx, tasks: list[TaskId], basis: JudgingBasis, heads: Mapping[str, Sha]) -> dict[str, Judgement]:
        facts = {task: about for task, about in facts_for(self._context, tx, tasks, basis.me).items() if about.attempt}
        attempts = [about.attempt for about in facts.values() if about.attempt]
        landed = self._still_landed([attempt.head for attempt in attempts if attempt.landed], basis.target, heads)
        ids = sorted({attempt.submitted_by for attempt in attempts})
        makers = {SessionId(maker.id): maker for maker in tx.all("session.some", SessionView, ids=ids)}
        page: dict[str, Judgement] = {
            task: self._judge(about, basis, heads, landed, makers) for task, about in facts.items()
        }
        self._judged.add(page.values(), next(iter(facts.values())).parties if facts else {})
        return page

    def _known(self, agents: set[str], tx: Tx, enough: int) -> Mapping[str, int]:
        """How much of each agent's work was decided before. What was decided stays decided, so that who is no longer
        new need not be counted again.
        """
        if any(self._decided.get(agent, 0) < enough for agent in agents):
            self._decided = {row.agent: row.n for row in tx.all("attempt.decided_by_agent", Decided)}
        return self._decided

    def _judge(
        self,
        facts: Facts,
        basis: JudgingBasis,
        heads: Mapping[str, Sha],
        landed: set[Sha],
        makers: Mapping[SessionId, SessionView],
    ) -> Judgement:
        attempt = facts.attempt
        assert attempt is not None
        elsewhere = is_elsewhere(self._context, attempt.clone)
        tip = _tip(attempt, heads, landed, elsewhere)
        maker = makers.get(attempt.submitted_by)
        return Judgement(
            row=_row(facts, attempt, basis, tip, maker.name if maker else attempt.submitted_by),
            ref=attempt.ref,
            head=attempt.head,
            landed=attempt.landed,
            elsewhere=elsewhere,
            tip=tip,
            paths=tuple(dict.fromkeys(facts.changed_paths())),
            trees=tuple(tree for tree in (attempt.tree, attempt.base_tree) if tree),
            agent=maker.agent if maker else "",
            lasting=lasts(facts),
        )


def _row(facts: Facts, attempt: Attempt, basis: JudgingBasis, tip: gate.Tip, who: str) -> QueueRow:
    task, policy = facts.task, basis.policy
    chosen, checked = mode_of(facts, policy), check_states(facts, policy)
    not_by_itself = why_not_by_itself(facts, policy, chosen, checked, tip)
    in_batch = why_not_by_itself(facts, policy, chosen, checked, tip, any_mode=True)
    return QueueRow(
        task=task.id,
        title=task.title,
        priority=task.priority,
        attempt=attempt.n,
        diff_id=attempt.diff_id,
        seen=attempt.seen,
        mode=chosen.mode,
        mode_reasons=chosen.reasons,
        risk=risk_of(facts, policy, chosen, checked, not_by_itself),
        auto_approvable=not in_batch,
        auto_reasons=in_batch,
        checks={state.rule.name: state.word for state in checked},
        claimed=tuple(state.rule.name for state in checked if state.claimed),
        files=len(attempt.files),
        added=attempt.added,
        removed=attempt.removed,
        held=task.hold is not None,
        version=task.version,
        labels=tuple(task.labels),
        who=who,
        submitted_at=attempt.submitted_at,
        fixes=sum(finding.state == "claimed" for finding in facts.open_blocking),
        disputes=sum(finding.state == "disputed" for finding in facts.open_blocking),
        you=preview(facts, basis.me, policy, tip, basis.unsigned),
        inside=tuple(inside_row(lower.inside, lower.task) for lower in facts.below),
    )


def _tip(of: Attempt | Judgement, heads: Mapping[str, Sha], landed: set[Sha], elsewhere: bool) -> gate.Tip:
    """What one look at all branches says about an attempt; of one of another clone what its machine last told (D4)."""
    head = Sha(of.head)
    if of.landed:
        return gate.Tip(on_target=head in landed)
    return gate.Tip(head=head if elsewhere else heads.get(of.ref))


def _in_order(rows: list[QueueRow], paths: Mapping[str, tuple[str, ...]]) -> list[QueueRow]:
    by_age = sorted(rows, key=lambda row: (row.submitted_at, row.task))
    ordered: list[QueueRow] = []
    for _, group in groupby(sorted(by_age, key=_weight), key=_weight):
        alike = list(group)
        ordered += [alike[place] for place in side_by_side([paths[row.task] for row in alike])]
    return ordered


def _weight(row: QueueRow) -> tuple[int, int, int, int]:
    waits_on_purpose = 0 if row.mode == "per-task" or row.held else 1
    return waits_on_purpose, CLASSES.index(row.risk.level), row.priority, -row.blocks
