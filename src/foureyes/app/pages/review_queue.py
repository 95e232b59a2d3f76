"""The review queue: tasks waiting for review, judged for one caller, riskiest first. (H, M8)"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.context import Context, Hash, IdRow, refuse_verb
from foureyes.app.facts import WAIVED, facts_for, parties_of
from foureyes.app.pages.next_steps import after_queue, lifting
from foureyes.app.results.attempt import CheckView
from foureyes.app.results.project import CounterRow
from foureyes.app.results.review import Batch, QueueRow, QueueView
from foureyes.app.results.session import SessionView
from foureyes.app.results.task_list import ListQuery, Preview, ReviewablePage, ReviewableRow, TaskRow
from foureyes.app.signatures import why_unsignable
from foureyes.app.stacked_tasks import inside_row
from foureyes.app.target import noted_target, noted_tip
from foureyes.app.work.branches import tip_among, tip_of
from foureyes.app.work.remote_attempts import is_elsewhere
from foureyes.core.nouns.decision import Viewing
from foureyes.core.nouns.session import Actor, Party
from foureyes.core.rules import gate
from foureyes.core.rules.check_states import check_states
from foureyes.core.rules.four_eyes import NOTHING, may_approve
from foureyes.core.rules.gate import Tip, waits_for_checks
from foureyes.core.rules.involvement import labels_in_force
from foureyes.core.rules.modes import mode_of, why_not_by_itself
from foureyes.core.rules.policy import BATCH_MAX, ReviewPolicy, must_be_seen, rule_of
from foureyes.core.rules.risk import CLASSES, NEW_AGENT, Around, raised_by, risk_of, side_by_side
from foureyes.core.words.ids import SessionId, Sha, TaskId
from foureyes.errors import ConfigError, Reason
from foureyes.steps import NO_STEP, fe

if TYPE_CHECKING:
    from foureyes.app.ports import Tx
    from foureyes.app.results.task import TaskDetail
    from foureyes.core.nouns.attempt import Attempt
    from foureyes.core.rules.facts import Facts


# ---- The review queue ----

ALL = 2**62
AHEAD = 50
"""Number of tasks to judge in advance at once. It limits how long a key press waits."""


class Queue:
    """Tasks waiting for review."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._judge = context.shared(Judge, lambda: Judge(context))

    def view(self, actor: Actor, *, limit: int | None = None, most: int = 0) -> QueueView:
        """Return the queue. Per-task and held tasks come first, then risk, priority, number of blocked tasks and age
        decide. (H1)

        `limit` is the number of rows, while the counts cover all tasks. `most`: judge only this many tasks by priority
        and age. Then only `count` covers all.
        """
        heads = self._context.repo.heads()
        with self._context.store.read() as tx:
            tasks = tx.all("board.of_status", IdRow, status="reviewing", after=0, limit=most or ALL)
            counters = {row.name: row.n for row in tx.all("project.counters", CounterRow)}
            rows = self._judge.rows(tx, actor, [row.id for row in tasks], heads)
            names = tuple(rule.name for rule in self._context.policy(tx, actor).checks)
        numbered = tuple(msgspec.structs.replace(row, n=number) for number, row in enumerate(rows[:limit], 1))
        auto = sum(row.is_in_batch for row in rows)
        count = max(len(rows), counters.get("status:reviewing", 0)) if most else len(rows)
        return QueueView(
            count=count,
            auto_approvable=auto,
            need_attention=len(rows) - auto,
            approvable=sum(row.you.may_approve for row in rows),
            checks=names,
            rows=numbered,
            next=after_queue(numbered, auto if actor.kind == "human" else 0),
        )

    def ahead(self, actor: Actor, *, after: int = 0) -> int:
        """Judge tasks in advance, from number `after` on, for a long-running program. Return the next `after`, 0 at the
        end.
        """
        with self._context.store.read() as tx:
            tasks = tx.all("board.of_status", IdRow, status="reviewing", after=after, limit=AHEAD)
            self._judge.ahead(tx, actor, [row.id for row in tasks])
        return after + AHEAD if len(tasks) == AHEAD else 0

    def batch(self, actor: Actor) -> Batch:
        """Return the tasks that `--all-auto` would approve. Tasks with high risk are never selected. (H2, M8)"""
        if actor.kind != "human":
            reason = Reason(
                "D7",
                "an agent must approve each change by its diff. Only people can approve several at once",
                fe("list", "--reviewable"),
            )
            refuse_verb("nothing was approved.", reason)
        rows = [row for row in self.view(actor).rows if row.is_batchable]
        chosen = [row for row in rows if row.is_in_batch]
        return Batch(
            tasks=tuple(chosen[:BATCH_MAX]),
            high=tuple(row for row in rows if row.risk.level == "high"),
            left_off=max(0, len(chosen) - BATCH_MAX),
        )


# ---- Reviewable (P13) ----

REVIEWABLE_PAGE = 50
LOOKED_AT = 500
"""Number of tasks in review that one call judges. A caller who may approve none of thousands then still gets an answer,
and a place to continue.
"""


class QueueQuery(msgspec.Struct, frozen=True):
    """Inputs of one query: caller, policy and branch heads."""

    context: Context
    actor: Actor
    me: Party
    policy: ReviewPolicy
    heads: dict[str, Sha]
    target: Sha | None
    unsigned: Reason | None = None

    def barred(self, task: TaskRow, facts: Facts) -> ReviewableRow | None:
        """Return the row of a task that P forbids this person to approve, otherwise None. Agents get no such rows."""
        attempt, decision = facts.attempt, may_approve(facts, self.me, self.policy, NOTHING)
        if attempt is None or self.actor.kind != "human" or decision.allowed or decision.needs_reason:
            return None
        you = Preview(may_approve=False, rule=decision.rule, reasons=decision.reasons)
        step = lifting(task, you, self.actor)
        return ReviewableRow(
            task=task, attempt=attempt.n, diff_id=attempt.diff_id, seen=attempt.seen, you=you, next=step
        )

    def row(self, task: TaskRow, facts: Facts) -> ReviewableRow | None:
        """Return the row of a task that the caller may approve, now or when something missing is there. Return None if
        P forbids it. Stale attempts are marked. (D4)
        """
        attempt, decision = facts.attempt, may_approve(facts, self.me, self.policy, NOTHING)
        if attempt is None or not (decision.allowed or decision.needs_reason):
            return None
        tip = tip_among(self.context, attempt, self.heads, self.target)
        you = preview(facts, self.me, self.policy, tip, self.unsigned)
        missing = tuple(reason for reason in you.reasons if reason.rule != "D4")
        you = msgspec.structs.replace(you, may_approve=not missing, reasons=missing)
        step = lifting(task, you, self.actor) if missing else NO_STEP
        return ReviewableRow(
            task=task, attempt=attempt.n, diff_id=attempt.diff_id, seen=attempt.seen, you=you, next=step
        )


def reviewable(context: Context, actor: Actor, query: ListQuery) -> ReviewablePage:
    """Return exactly the tasks that P and D let the caller approve, and separately those that only P does. `after` is
    where to continue. (P13)
    """
    heads = context.repo.heads()
    with context.store.read() as tx:
        target = noted_tip(context, tx, context.project(tx))
        policy = context.policy(tx, actor)
        unsigned = why_unsignable(context, tx, actor, "approve", policy)
        look = QueueQuery(context, actor, context.party(tx, actor), policy, heads, target, unsigned)
        return _page(tx, look, query)


def _page(tx: Tx, look: QueueQuery, query: ListQuery) -> ReviewablePage:
    rows: list[ReviewableRow] = []
    missing: list[ReviewableRow] = []
    barred: list[ReviewableRow] = []
    after, examined, more, last, unchecked = query.after, 0, True, "", 0
    while more and len(rows) < query.limit and examined < LOOKED_AT:
        page = msgspec.structs.replace(query, status="reviewing", sort="priority", limit=REVIEWABLE_PAGE, after=after)
        tasks = tx.tasks(page, TaskRow)
        facts = facts_for(look.context, tx, [TaskId(task.id) for task in tasks], look.me)
        judged = [row for task in tasks if (row := look.row(task, facts[TaskId(task.id)])) is not None]
        rows += [row for row in judged if row.you.may_approve]
        missing += [row for row in judged if not row.you.may_approve]
        others = [look.barred(task, facts[TaskId(task.id)]) for task in tasks]
        barred += [row for row in others if row is not None]
        unchecked += sum(waits_for_checks(each, look.policy) for each in facts.values())
        examined += len(tasks)
        more = len(tasks) == REVIEWABLE_PAGE
        if more:
            after, last = (tasks[-1].priority, tasks[-1].n), tasks[-1].id
    there_is_more = more and len(rows) < query.limit
    return ReviewablePage(
        rows=rows[: query.limit],
        missing=missing[: query.limit],
        barred=barred[: query.limit],
        unchecked=unchecked,
        examined=examined,
        after=last if there_is_more else "",
    )


# ---- Waiting (H1) ----

PAGE = 200


class Blocks(msgspec.Struct, frozen=True):
    """A task, and how many tasks depend on it."""

    task: str
    n: int


class Decided(msgspec.Struct, frozen=True):
    """An agent program, and how many of its attempts were decided."""

    agent: str
    n: int


class Judge:
    """Reads and judges tasks in review. If it lives on, it judges only changed tasks again."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._judged = Judgements()
        self._decided: dict[str, int] = {}
        self._heads: Mapping[str, Sha] | None = None

    def rows(self, tx: Tx, actor: Actor, tasks: Sequence[str], heads: Mapping[str, Sha]) -> list[QueueRow]:
        """Return rows: per-task and held tasks first, then by risk, priority and number of blocked tasks. (H1)

        Within that, tasks that share files are next to each other, and the rest is by age.
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
            risk = raised_by(row.risk, Around(known, shared), policy)
            rows.append(replace(row, risk=risk, blocks=blocks.get(row.task, 0), age_seconds=age))
        return _in_order(rows, {judgement.row.task: judgement.paths for judgement in judgements})

    def ahead(self, tx: Tx, actor: Actor, tasks: Sequence[str]) -> None:
        """Judge tasks in advance. Those that change in git later are judged again by the next query."""
        self._judgements(tx, actor, tasks, self._context.repo.heads() if self._heads is None else self._heads)

    def _judgements(self, tx: Tx, actor: Actor, tasks: Sequence[str], heads: Mapping[str, Sha]) -> list[Judgement]:
        """Return judgements, from the cache if possible. A task without an attempt has none."""
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
        """Return those heads of work landed before its review that the target, as last fetched, still contains. This is
        one git call. (Q6)
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
        """Return the number of decided attempts by agent. The numbers never shrink, so only agents below `enough` are
        read again.
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


def _row(facts: Facts, attempt: Attempt, basis: JudgingBasis, tip: gate.Tip, owner: str) -> QueueRow:
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
        owner=owner,
        submitted_at=attempt.submitted_at,
        fixes=sum(finding.state == "claimed" for finding in facts.open_blocking),
        disputes=sum(finding.state == "disputed" for finding in facts.open_blocking),
        you=preview(facts, basis.me, policy, tip, basis.unsigned),
        inside=tuple(inside_row(lower.inside, lower.task) for lower in facts.below),
    )


def _tip(of: Attempt | Judgement, heads: Mapping[str, Sha], landed: set[Sha], elsewhere: bool) -> gate.Tip:
    """Return the tip of an attempt's branch, given all heads. For an attempt of another clone it is the head as last
    fetched. (D4)
    """
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


# ---- Cached judgements ----

# A judgement depends on the task's history, its sessions, the check results of its trees, the policy and the caller.
# Each of these is in the journal or is compared. Facts that time or other tasks can change without an event of the task
# are not cached.

JOINING = frozenset({"SessionStarted", "SessionEvidenceAdded", "TokenIssued"})
"""Events that can merge two origins into one. (I3)"""
CHECKED = "CheckFinished"


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """A judged attempt, apart from the influence of other tasks, and the git state it depends on.

    `row` has no number, age or neighbors yet. `agent` is the program that submitted it. `elsewhere`: it is in another
    clone.
    """

    row: QueueRow
    ref: str
    head: str
    landed: bool
    elsewhere: bool
    tip: Tip
    paths: tuple[str, ...]
    trees: tuple[str, ...]
    agent: str
    lasting: bool


class JudgingBasis(msgspec.Struct, frozen=True, kw_only=True):
    """Inputs shared by all judgements."""

    me: Party
    policy: ReviewPolicy
    gate_policy: ReviewPolicy
    target: str
    hold: str | None
    unsigned: Reason | None = None


class JournalEnd(msgspec.Struct, frozen=True):
    """The end of the journal."""

    seq: int
    hash: str


class TouchedTask(msgspec.Struct, frozen=True):
    """A task with a new event, and the event's kind."""

    task: str
    kind: str


class JudgedTree(msgspec.Struct, frozen=True):
    """A tree with a check result."""

    tree: str


class Judgements:
    """A cache of valid judgements."""

    def __init__(self) -> None:
        self.of: dict[str, Judgement] = {}
        self._basis: JudgingBasis | None = None
        self._end = JournalEnd(0, "")
        self._parties: dict[SessionId, Party] = {}

    def catch_up(self, tx: Tx, basis: JudgingBasis) -> None:
        """Drop judgements that are no longer valid."""
        end = tx.one("journal.head", JournalEnd) or JournalEnd(0, "")
        if basis != self._basis or not self._goes_on(tx, end):
            self._forget_all()
        elif end.seq > self._end.seq:
            self._follow(tx)
        self._basis, self._end = basis, end

    def _goes_on(self, tx: Tx, end: JournalEnd) -> bool:
        """Return True if the journal only grew. A restored store has another journal."""
        if end.seq == self._end.seq:
            return end == self._end
        row = tx.one("journal.at", Hash, seq=self._end.seq)
        return row is not None and row.hash == self._end.hash

    def _follow(self, tx: Tx) -> None:
        touched = tx.all("journal.touched", TouchedTask, after=self._end.seq)
        self.forget(row.task for row in touched)
        kinds = {row.kind for row in touched}
        if kinds & JOINING and parties_of(tx, self._parties) != self._parties:
            self._forget_all()
        if CHECKED in kinds:
            trees = {row.tree for row in tx.all("check.trees_since", JudgedTree, after=self._end.seq)}
            self.forget([task for task, judgement in self.of.items() if not trees.isdisjoint(judgement.trees)])

    def add(self, judgements: Iterable[Judgement], parties: dict[SessionId, Party]) -> None:
        """Cache the judgements that last, and their parties."""
        self.of |= {judgement.row.task: judgement for judgement in judgements if judgement.lasting}
        self._parties |= parties

    def forget(self, tasks: Iterable[str]) -> None:
        """Drop the judgements of these tasks."""
        for task in tasks:
            self.of.pop(task, None)

    def _forget_all(self) -> None:
        self.of, self._parties = {}, {}


def lasts(facts: Facts) -> bool:
    """Return True if a judgement stays valid until the task's next event.

    It does not for minor tasks (counted per day), waivers (they expire), epics and stacks (they depend on other tasks),
    and trailers with an unknown session.
    """
    if facts.task.minor or facts.task.type == "epic" or facts.below or WAIVED in facts.troubles:
        return False
    named = {entry.session for entry in facts.history or ()} | {author.session for author in facts.authors or ()}
    return all(not session or session in facts.parties for session in named)


# ---- Preview of a decision ----

ALL_OF_IT = Viewing(hunks=0)
"""The viewing record of a caller who saw every hunk."""


def gated(context: Context, tx: Tx, detail: TaskDetail, facts: Facts, actor: Actor) -> TaskDetail:
    """Add the review mode and check states to a task. Return it unchanged while the configuration is invalid. (D5,
    M)
    """
    try:
        policy = context.policy(tx, actor)
    except ConfigError:
        return detail
    chosen = mode_of(facts, policy)
    checks = tuple(
        CheckView(
            check=state.rule.name,
            required=state.rule.required,
            outcome=state.word,
            summary=state.summary,
            claimed=state.claimed,
        )
        for state in check_states(facts, policy)
    )
    return msgspec.structs.replace(detail, mode=chosen.mode, mode_reasons=chosen.reasons, checks=checks)


def preview_of(context: Context, tx: Tx, facts: Facts, me: Party, actor: Actor) -> Preview:
    """Return what the caller may do. With an invalid configuration, nothing. (G1)"""
    target = context.project(tx).target
    tip = tip_of(context, facts.task.id, facts.attempt, target, tx, shown=True) if facts.attempt else gate.Tip()
    try:
        policy = context.policy(tx, actor)
        return preview(facts, me, policy, tip, why_unsignable(context, tx, actor, "approve", policy))
    except ConfigError as problem:
        reason = Reason("G1", problem.message, problem.next_step)
        return Preview(may_approve=False, rule="G1", reasons=(reason,))


def preview(
    facts: Facts, me: Party, policy: ReviewPolicy, tip: gate.Tip | None, unsigned: Reason | None = None
) -> Preview:
    """Return the result if the caller approved now, having seen the whole diff. `unsigned` is why they could not sign
    it. (I9)
    """
    seen = facts.attempt.seen if facts.attempt else ""
    reasons = gate.check(facts, me, tip, seen, policy, viewed=ALL_OF_IT)
    reasons = (*reasons, unsigned) if unsigned else reasons
    decision = may_approve(facts, me, policy, NOTHING)
    label = must_be_seen(policy, labels_in_force(facts)) if me.kind == "human" else None
    rule = rule_of(policy, label) if label else None
    return Preview(
        may_approve=not reasons and (decision.allowed or decision.needs_reason),
        rule=decision.rule,
        needs_reason=decision.needs_reason,
        stale=any(reason.rule == "D4" for reason in reasons),
        reasons=reasons if decision.allowed or decision.needs_reason else (*reasons, *decision.reasons),
        unseen=rule.unseen if rule else "note",
    )
