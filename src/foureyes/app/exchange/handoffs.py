"""Handoffs of tech lead, developer and QA, exported from the journal. Numbers in imported ones are never trusted. (G6,
L13)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from foureyes.app.context import Context, not_submitted, refuse_verb
from foureyes.app.facts import facts_of, with_trees
from foureyes.app.findings.answers import known_ids
from foureyes.app.findings.raising import findings_of_task
from foureyes.app.ports import Tx
from foureyes.app.results.finding import MoveView
from foureyes.core.documents.findings import issues_of, lead_findings, resolved_of, summary_problems
from foureyes.core.documents.json_reader import read
from foureyes.core.documents.shapes import (
    MOST_IN_TEXT,
    BlockingSummary,
    DeveloperHandoff,
    Issue,
    IssueResponse,
    IssueSummary,
    QaHandoff,
    ReviewPayload,
    ReviewResult,
    RulingLine,
    TechLeadHandoff,
    TestTracking,
    word_of,
)
from foureyes.core.loop.failures import Tests, Tracking, track
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.check import CheckState
from foureyes.core.nouns.finding import BLOCKING, Finding, status_of
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.check_states import check_states_on
from foureyes.core.rules.facts import Facts
from foureyes.core.words.ids import TaskId
from foureyes.core.words.text import visible
from foureyes.errors import BadInput, NotFound, Reason
from foureyes.steps import NO_STEP, Steps, blank, by_person_or_service, fe, prose

ROLES = ("tech_lead", "developer", "qa")
NAMES_SHOWN = 5
CHANGES = ("CHANGES_REQUESTED", "CHANGES_REQUIRED")
Handoff = TechLeadHandoff | DeveloperHandoff | QaHandoff


class HandoffResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of an imported handoff."""

    task: str
    type: str
    changed: bool
    message: str
    next: Steps = NO_STEP
    notes: tuple[str, ...] = ()
    raised: tuple[str, ...] = ()


class DocumentMarks(msgspec.Struct, frozen=True):
    """Fields by which a document without a type is recognized."""

    type: object = ""
    issues: object = None
    issue_responses: object = None
    test_tracking: object = None


class Handoffs:
    """Export and import of handoffs."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def export(self, task: str, role: str) -> Handoff:
        """Return the handoff of one role to the next, from the store."""
        if role not in ROLES:
            raise BadInput(
                f"there is no handoff for the role {visible(role)[:40]!r}. Roles: {', '.join(ROLES)}.",
                next_step=fe("finding", "export", "--help"),
            )
        with self._context.store.read() as tx:
            facts = facts_of(self._context, tx, self._context.find_id(tx, task))
            if facts.attempt is None:
                raise not_submitted(facts.task.id)
            if role == "tech_lead":
                return self._lead(tx, facts, facts.attempt)
            return self._developer(tx, facts) if role == "developer" else self._qa(tx, facts)

    def _lead(self, tx: Tx, facts: Facts, attempt: Attempt) -> TechLeadHandoff:
        """Return the tech lead's handoff: open findings, older ones resolved in this iteration, and new ones."""
        now, rows = self._context.now(), findings_of_task(tx, facts.task.id)
        unresolved = [finding for finding in rows if finding.is_open(now)]
        settled = {
            move.root
            for move in tx.all("finding.moves", MoveView, task=facts.task.id)
            if move.iteration == attempt.n
            and move.kind in ("ruled", "cleared")
            and move.now == "resolved"
            and not move.undone
        }
        new = [finding for finding in unresolved if finding.raised == attempt.n]
        resolved = [
            finding.id
            for finding in rows
            if finding.root in settled and finding.state == "resolved" and finding.raised < attempt.n
        ]
        return TechLeadHandoff(
            issues=tuple(_issue(finding) for finding in unresolved),
            issue_summary=_summary(unresolved),
            iteration=attempt.n,
            status=status_of([finding.severity for finding in unresolved]),
            prior_issues_resolved=tuple(resolved),
            new_blocking_issues=tuple(finding.id for finding in new if finding.blocking),
            new_issues_this_iteration=tuple(finding.id for finding in new),
        )

    def _developer(self, tx: Tx, facts: Facts) -> DeveloperHandoff:
        """Return the developer's handoff: answers to findings in the latest or current attempt, including those given
        while the previous attempt was in review.
        """
        task = facts.task
        iteration = task.iteration + (task.status == "in_progress")
        rows = {finding.root: finding.at_time(self._context.now()) for finding in findings_of_task(tx, task.id)}
        given: dict[str, MoveView] = {}
        reviewed: dict[str, int] = {}
        for move in tx.all("finding.moves", MoveView, task=task.id):
            if move.kind != "answered":
                reviewed[move.root] = move.iteration
                if move.now == "open" and move.iteration < iteration:
                    given.pop(move.root, None)
            elif not move.undone and iteration in (move.iteration, reviewed.get(move.root, 0) + 1):
                given[move.root] = move
        blocking = {
            finding.root
            for finding in rows.values()
            if finding.needs_answer or (finding.blocking and finding.root in given)
        }
        counted = Counter(given[root].word for root in blocking if root in given)
        return DeveloperHandoff(
            issue_responses=tuple(_answer_of(rows[root], move) for root, move in given.items()),
            iteration=iteration,
            blocking_summary=BlockingSummary(
                total_blocking=len(blocking),
                fixed=counted["FIXED"],
                rejected_with_reason=counted["REJECTED"],
                unaddressed=len(blocking) - counted["FIXED"] - counted["REJECTED"],
            ),
        )

    def _qa(self, tx: Tx, facts: Facts) -> QaHandoff:
        tracked = self._tracked(tx, facts)
        if not tracked:
            name = facts.task.id
            message = f"no required check that counts has run on an attempt of {name}."
            raise NotFound(message, next_step=by_person_or_service(fe("check", "run", name)), task=name)
        return _qa_of(tracked[-1])

    def _tracked(self, tx: Tx, facts: Facts) -> list[Tracking]:
        """Return the failing tests of every attempt that has a valid result of a required check. (D5, L13)"""
        policy = self._context.gate_policy(tx)
        attempts = tx.all("attempt.of_task", Attempt, task=facts.task.id)
        known = with_trees(tx, facts, [tree for attempt in attempts for tree in (attempt.tree, attempt.base_tree)])
        tests = []
        for attempt in attempts:
            checked = [
                state for state in check_states_on(known, policy, attempt.tree, attempt.base_tree) if _says(state)
            ]
            if checked:
                tests.append(Tests(attempt.n, frozenset(name for state in checked for name in _failing(state))))
        return track(tests)

    def take_in(self, actor: Actor, task: str, document: bytes, *, seen: str = "") -> HandoffResult:
        """Import a developer's answers or a tech lead's review. `seen` names the reviewed diff. (D7)

        A QA handoff is only compared with the checks and never stored.
        """
        with self._context.store.read() as tx:
            task = self._context.find_id(tx, task)
        kind = kind_of(document)
        if kind == "handoff_developer":
            from foureyes.app.findings.answers import Answers

            done = Answers(self._context).respond_document(actor, task, document)
            return HandoffResult(
                task=done.task, type=kind, changed=True, message=done.message, next=done.next, notes=done.notes
            )
        if kind == "handoff_qa":
            return self._compared(task, document)
        return self._reviewed(actor, TaskId(task), document, seen)

    def _reviewed(self, actor: Actor, task: TaskId, document: bytes, seen: str) -> HandoffResult:
        """Submit a tech lead's handoff as the importer's review. (V3, L8, L9)

        Findings listed as resolved are ruled on, and omitted ones stay as they are. Ids of issues that do not exist
        here are dropped.
        """
        from foureyes.app.review.reviews import Reviews

        handoff = read(document, TechLeadHandoff)
        findings, _, problems = lead_findings(handoff)
        resolved, more = resolved_of(handoff)
        problems += [*summary_problems(handoff), *more]
        if problems:
            what = "the handoff was refused, and none of it was saved."
            raise BadInput(what, reasons=tuple(problems), next_step=prose("fix these and send it again"))
        with self._context.store.read() as tx:
            known = known_ids(tx, task, self._context.now())
        rulings = []
        for name, why in resolved:
            state = known[name].state if name in known else "claimed"
            if state != "resolved":
                rulings.append(
                    RulingLine(finding=name, ruling="ACCEPTED" if state == "disputed" else "VERIFIED", reason=why)
                )
        issues = [issue for _, issue in issues_of(handoff)[0]]
        blocks = any(finding.severity in BLOCKING for finding in findings)
        payload = ReviewPayload(
            verdict="concerns" if blocks or word_of(handoff.status) in CHANGES else "approved",
            summary="",
            status=handoff.status,
            issues=tuple(issue if issue.id.strip() in known else replace(issue, id="") for issue in issues),
            rulings=tuple(rulings),
        )
        review = msgspec.json.encode(ReviewResult(payload=payload))
        done = Reviews(self._context).submit(actor, task, review, seen=seen)
        return HandoffResult(
            task=task,
            type="handoff_tech_lead",
            changed=True,
            message=f"reviewed {task}, attempt {done.attempt}: {done.message}",
            next=done.next,
            notes=done.notes,
            raised=done.raised,
        )

    def _compared(self, task: str, document: bytes) -> HandoffResult:
        """Compare a QA handoff with the check results. Refuse any difference, with both values. (L13)"""
        sent = read(document, QaHandoff, rule="L13")
        problems = summary_problems(sent)
        if problems:
            raise BadInput(
                "the handoff_qa contradicts itself.",
                reasons=tuple(problems),
                next_step=prose("fix these and send it again"),
            )
        with self._context.store.read() as tx:
            facts = facts_of(self._context, tx, self._context.find_id(tx, task))
            tracked = {tracking.iteration: tracking for tracking in self._tracked(tx, facts)}
        name = facts.task.id
        here = tracked.get(sent.test_tracking.iteration)
        if here is None:
            ran = f"iterations {', '.join(str(n) for n in tracked)}" if tracked else "none"
            reasons = [
                Reason(
                    "L13",
                    f"test_tracking.iteration: {sent.test_tracking.iteration} sent, but the checks ran on {ran}",
                    fe("check", "run", name),
                )
            ]
        else:
            reasons = _differences(sent, _qa_of(here), fe("check", "show", name))
        if reasons:
            refuse_verb("the handoff_qa does not match the checks.", *reasons, task=name)
        message = (
            f"the checks of {name} agree with it for iteration {sent.test_tracking.iteration}, so nothing was saved"
        )
        return HandoffResult(
            task=name, type="handoff_qa", changed=False, message=message, next=fe("check", "show", name)
        )


def kind_of(document: bytes) -> str:
    """Return the document's type from its field, or from its content if it has none. The default is a tech lead's
    handoff.
    """
    try:
        marks = msgspec.json.decode(document.removeprefix(b"\xef\xbb\xbf"), type=DocumentMarks)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "handoff_tech_lead"  # the reader reports the problem
    if marks.type in ("handoff_developer", "handoff_qa", "handoff_tech_lead"):
        return str(marks.type)
    if marks.type:
        message = (
            f"{visible(str(marks.type))[:60]!r} is not a handoff. Handoffs are handoff_tech_lead, handoff_developer and "
            "handoff_qa."
        )
        raise BadInput(
            message, next_step=fe("review", "submit", blank("TASK"), blank("FILE"), before="a review_result: ")
        )
    if marks.issue_responses is not None:
        return "handoff_developer"
    return "handoff_qa" if marks.test_tracking is not None else "handoff_tech_lead"


def _issue(finding: Finding) -> Issue:
    return Issue(
        id=finding.id,
        severity=finding.severity,
        title=finding.title,
        blocking=finding.blocking,
        location=finding.where,
        problem=_text(finding.problem),
        fix=_text(finding.fix),
        why=_text(finding.why),
        quote=_text(finding.quote),
        rule=finding.rule,
        fix_patch=finding.fix_patch if len(finding.fix_patch) <= MOST_IN_TEXT else "",
    )


def _text(text: str) -> str:
    return text[:MOST_IN_TEXT]


def _summary(rows: Iterable[Finding]) -> IssueSummary:
    counted = Counter(finding.severity for finding in rows)
    return IssueSummary(
        critical=counted["CRITICAL"],
        high=counted["HIGH"],
        medium=counted["MEDIUM"],
        low=counted["LOW"],
        blocking_count=counted["CRITICAL"] + counted["HIGH"],
    )


def _answer_of(finding: Finding, move: MoveView) -> IssueResponse:
    words = {"details": _text(move.words)} if move.word == "FIXED" else {"reason": _text(move.words)}
    return IssueResponse(
        issue_id=finding.id, action=move.word, ground=move.ground, commit=move.commit, tech_debt_id=move.debt, **words
    )


def _says(state: CheckState) -> bool:
    """Return True if a required check has a result that counts."""
    return state.rule.required and state.result is not None and not state.claimed


def _failing(state: CheckState) -> list[str]:
    """Return the failing tests of a check, or the check's name if it lists none."""
    if state.result is None or state.result.outcome == "passed":
        return []
    return list(state.result.failing) if state.rule.report == "junit" and state.result.failing else [state.rule.name]


def _qa_of(tracked: Tracking) -> QaHandoff:
    fails = tracked.still_failing or tracked.new_failures
    tracking = TestTracking(
        iteration=tracked.iteration,
        original_failures=tracked.original_failures,
        fixed_since_start=tracked.fixed_since_start,
        still_failing=tracked.still_failing,
        new_failures=tracked.new_failures,
    )
    return QaHandoff(test_tracking=tracking, progress_made=tracked.progress_made, status="FAIL" if fails else "PASS")


def _differences(document: QaHandoff, known: QaHandoff, step: Steps) -> list[Reason]:
    reasons = []
    for name in ("original_failures", "fixed_since_start", "still_failing", "new_failures"):
        sent, right = set(getattr(document.test_tracking, name)), set(getattr(known.test_tracking, name))
        if sent != right:
            reasons.append(
                Reason("L13", f"test_tracking.{name}: {_named(sent)} sent, but the checks say {_named(right)}", step)
            )
    if document.progress_made is not None and document.progress_made != known.progress_made:
        sent_word, right_word = str(document.progress_made).lower(), str(known.progress_made).lower()
        reasons.append(Reason("L13", f"progress_made: {sent_word} sent, but the checks say {right_word}", step))
    if document.status.strip() and word_of(document.status) != known.status:
        reasons.append(
            Reason("L13", f"status: {word_of(document.status)} sent, but the checks say {known.status}", step)
        )
    return reasons


def _named(names: set[str]) -> str:
    """Return a few of the names and the number of the others."""
    shown = ", ".join(visible(name)[:100] for name in sorted(names)[:NAMES_SHOWN])
    return f"{shown}{f' and {len(names) - NAMES_SHOWN} more' if len(names) > NAMES_SHOWN else ''}" if names else "none"
