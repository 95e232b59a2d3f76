"""Lists: pages of tasks, what the caller may approve, one task in full. Reads write nothing (D7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.authors import authors_of
from foureyes.app.call.facts import HistoryRow, facts_for, facts_of, parties_of
from foureyes.app.views.check import CheckView
from foureyes.app.views.review import ApprovalView, FeedbackView
from foureyes.app.views.session import SessionView
from foureyes.app.views.task import EditView, HandoffView, LogView, TaskDetail
from foureyes.app.views.task_list import Link, ListQuery, Preview, ReviewableRow, TaskRow
from foureyes.app.work.branches import tip_among, tip_of
from foureyes.core.events import DependencyRemoved, LabelAdded, LabelRemoved, MinorSet, TaskEdited, kind_of
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.session import Actor, Party, is_tied
from foureyes.core.rules import gate
from foureyes.core.rules.check_states import check_states
from foureyes.core.rules.facts import Facts, HistoryEntry
from foureyes.core.rules.four_eyes import NOTHING, may_approve
from foureyes.core.rules.involvement import makers_of
from foureyes.core.rules.modes import mode_of
from foureyes.core.words.ids import SessionId, Sha, TaskId
from foureyes.core.words.text import clean_text
from foureyes.errors import ConfigError, Reason

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.rules.policy import ReviewPolicy

PAGE = 50
MOST = 1_000
LOG_LINES = 20


class Lists:
    """The read side of tasks."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def page(self, query: ListQuery) -> list[TaskRow]:
        """One page of a list."""
        with self._context.store.read() as tx:
            if query.text is not None:
                clean_text(query.text.replace("\0", " "), "the text to search for")
            if query.parent is not None:
                query = msgspec.structs.replace(query, parent=self._context.find_id(tx, query.parent))
            return tx.tasks(query, TaskRow)

    def place(self, task: str) -> tuple[int, int]:
        """Where a task stands in a list, to continue after it."""
        with self._context.store.read() as tx:
            found = tx.one("task.place", PageMark, id=self._context.find_id(tx, task))
        assert found is not None
        return found.priority, found.n

    def reviewable(self, actor: Actor, query: ListQuery, *, candidates: int | None = None) -> list[ReviewableRow]:
        """P13: exactly the tasks that P and D1–D3 would let the caller approve; of the first `candidates` in review, if
        given.
        """
        heads = self._context.repo.heads()
        found: list[ReviewableRow] = []
        with self._context.store.read() as tx:
            me, policy = self._context.party(tx, actor), self._context.policy(tx, actor)
            target = f"refs/heads/{self._context.project(tx).target}"
            after = query.after
            looked = 0
            while len(found) < query.limit and (candidates is None or looked < candidates):
                page = msgspec.structs.replace(query, status="reviewing", sort="priority", limit=PAGE, after=after)
                rows = tx.tasks(page, TaskRow)
                facts = facts_for(self._context, tx, [TaskId(row.id) for row in rows], me)
                found += [
                    row for row in (self._row(row, facts, me, policy, heads, target) for row in rows) if row is not None
                ]
                looked += len(rows)
                if len(rows) < PAGE:
                    break
                after = (rows[-1].priority, rows[-1].n)
        return found[: query.limit]

    def _row(
        self,
        row: TaskRow,
        facts: dict[TaskId, Facts],
        me: Party,
        policy: ReviewPolicy,
        heads: dict[str, Sha],
        target: str,
    ) -> ReviewableRow | None:
        about = facts[TaskId(row.id)]
        if about.attempt is None or gate.is_reviewing(about) or gate.has_blocking(about) or gate.holds(about):
            return None
        decision = may_approve(about, me, policy, NOTHING)
        if not decision.allowed and not decision.needs_reason:
            return None
        attempt = about.attempt
        stale = gate.is_stale(about, tip_among(self._context, attempt, heads, target)) is not None
        you = Preview(may_approve=True, rule=decision.rule, needs_reason=decision.needs_reason, stale=stale)
        return ReviewableRow(task=row, attempt=attempt.n, diff_id=attempt.diff_id, you=you)

    def show(self, actor: Actor, task: str, *, log_lines: int = LOG_LINES) -> TaskDetail:
        """Everything about one task, with what the caller could do about it."""
        with self._context.store.read() as tx:
            found = self._context.find(tx, task)
            me = self._context.party(tx, actor)
            facts = facts_of(self._context, tx, found.id, me)
            target = self._context.project(tx).target
            detail = self._detail(tx, facts, log_lines)
            you = self._preview(tx, facts, me, actor, target) if found.status == "reviewing" else None
            if facts.attempt is not None:
                from foureyes.app.pages.loop import with_loop

                detail = with_loop(self._context, tx, self._gated(tx, detail, facts, actor), facts)
        return msgspec.structs.replace(detail, you=you)

    def _gated(self, tx: Tx, detail: TaskDetail, facts: Facts, actor: Actor) -> TaskDetail:
        """M, D5: how it is reviewed and where its checks stand; nothing while the configuration is broken."""
        try:
            policy = self._context.policy(tx, actor)
        except ConfigError:
            return detail
        chosen = mode_of(facts, policy)
        checks = tuple(
            CheckView(
                check=one.rule.name, required=one.rule.required, outcome=one.word, summary=one.said, claimed=one.claimed
            )
            for one in check_states(facts, policy)
        )
        return msgspec.structs.replace(detail, mode=chosen.mode, mode_reasons=chosen.reasons, checks=checks)

    def _preview(self, tx: Tx, facts: Facts, me: Party, actor: Actor, target: str) -> Preview:
        """What the caller may do; nothing while the configuration is broken (G1)."""
        tip = tip_of(self._context, facts.attempt, target) if facts.attempt else gate.Tip()
        try:
            return preview(facts, me, self._context.policy(tx, actor), tip)
        except ConfigError as problem:
            reason = Reason("G1", problem.message, problem.next_step)
            return Preview(may_approve=False, rule="G1", reasons=(reason,))

    def _detail(self, tx: Tx, facts: Facts, log_lines: int) -> TaskDetail:
        task = facts.task.id
        detail = TaskDetail(
            task=facts.task,
            depends_on=tx.all("task.dependencies", Link, id=task),
            dependents=tx.all("task.dependent_tasks", Link, id=task),
            children=tx.all("task.children", Link, id=task),
            attempts=tx.all("attempt.of_task", Attempt, task=task),
            authors=[row.session for row in authors_of(tx, [task])],
            cleared=sorted(author.session for author in facts.authors or () if author.session not in makers_of(facts)),
            history=[
                HistoryEntry(row.session, row.action, row.attempt, row.via, row.at)
                for row in tx.all("attempt.history", HistoryRow, ids=[task])
            ],
            approvals=tx.all("attempt.approvals", ApprovalView, task=task),
            feedback=tx.all("attempt.feedback", FeedbackView, task=task),
            logs=list(reversed(tx.all("record.logs", LogView, task=task, limit=log_lines))),
            handoff=tx.one("record.latest_handoff", HandoffView, task=task),
            edits=edits_of(tx, facts),
        )
        return msgspec.structs.replace(detail, names=names_in(tx, detail))

    def tree(self, task: str) -> list[tuple[int, Link]]:
        """What a task waits for, and what that waits for, as depth and task; each task once."""
        rows: list[tuple[int, Link]] = []
        with self._context.store.read() as tx:
            root = self._context.find(tx, task)
            seen: set[str] = set()
            stack = [(0, Link(root.id, root.status, root.title))]
            while stack:
                depth, link = stack.pop()
                rows.append((depth, link))
                if link.id not in seen:
                    seen.add(link.id)
                    stack += [(depth + 1, below) for below in reversed(tx.all("task.dependencies", Link, id=link.id))]
        return rows


class EditRow(msgspec.Struct, frozen=True):
    """A journal row about what a task says."""

    seq: int
    at: str
    session: str
    kind: str
    payload: str


def edits_of(tx: Tx, facts: Facts) -> list[EditView]:
    """T3, T8: what was changed about the task since it was created, and whether an author did it after the start."""
    rows = tx.all("journal.edits", EditRow, task=facts.task.id)
    parties = parties_of(tx, {SessionId(row.session) for row in rows})
    makers = [facts.party(session) for session in makers_of(facts)]
    started = min((entry.at for entry in facts.history or () if entry.action == "started"), default="")
    found = []
    for row in rows:
        editor = parties[SessionId(row.session)]
        tied = any(is_tied(editor, maker) for maker in makers)
        late = bool(started) and row.at >= started
        found.append(
            EditView(seq=row.seq, at=row.at, session=row.session, what=in_words(row), by_author=tied, after_start=late)
        )
    return found


def in_words(row: EditRow) -> str:
    """What an edit changed, in a few words."""
    event = msgspec.json.decode(row.payload, type=kind_of(row.kind))
    match event:
        case TaskEdited():
            return "edited " + ", ".join(sorted(event.old))
        case DependencyRemoved():
            return f"no longer waits for {event.depends_on}"
        case LabelAdded():
            return f"label {event.label} put on"
        case LabelRemoved():
            return f"label {event.label} taken off"
        case MinorSet():
            return "marked minor" if event.minor else "no longer minor"
        case _:
            return "moved to another parent"


class PageMark(msgspec.Struct, frozen=True):
    """What lists are ordered by."""

    priority: int
    n: int


def preview(facts: Facts, me: Party, policy: ReviewPolicy, tip: gate.Tip | None) -> Preview:
    """What would happen if the caller approved now, having looked at the diff."""
    seen = facts.attempt.diff_id if facts.attempt else ""
    reasons = gate.check(facts, me, tip, seen, policy)
    decision = may_approve(facts, me, policy, NOTHING)
    return Preview(
        may_approve=not reasons and (decision.allowed or decision.needs_reason),
        rule=decision.rule,
        needs_reason=decision.needs_reason,
        stale=any(reason.rule == "D4" for reason in reasons),
        reasons=reasons if decision.allowed or decision.needs_reason else (*reasons, *decision.reasons),
    )


def names_in(tx: Tx, detail: TaskDetail) -> dict[str, str]:
    """What people call every session that a task's story mentions."""
    task = detail.task
    ids = {task.creator, task.implementer, task.rejected_by, *detail.authors}
    ids |= {entry.session for entry in detail.history} | {row.session for row in detail.logs}
    ids |= {row.finished_by for row in detail.approvals}
    ids |= {row.session for row in detail.approvals} | {row.session for row in detail.feedback}
    ids |= {row.session for row in detail.edits}
    ids |= {detail.handoff.session} if detail.handoff else set()
    wanted = sorted(str(session) for session in ids if session)
    return {row.id: display_name(row) for row in tx.all("session.some", SessionView, ids=wanted)}


def display_name(row: SessionView) -> str:
    """`claude#1 (ses-…)`, or just a person's name; a name that somebody typed is shown as that."""
    if row.trust == "asserted":
        return f'"{row.name}" (typed, {row.id})'
    return row.name if row.kind == "human" and row.trust != "asserted" else f"{row.name} ({row.id})"
