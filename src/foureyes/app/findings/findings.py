"""Findings: list, show, add, waive, track as tasks, apply a patch."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from foureyes.app.case import case_of
from foureyes.app.context import (
    Context,
    IdRow,
    Work,
    needed,
    not_submitted,
    permit,
    refuse_other_task,
    refuse_verb,
    stamp,
)
from foureyes.app.facts import authors_of, facts_of
from foureyes.app.findings.answers import plan_debt
from foureyes.app.findings.auto_decisions import decide_by_rule
from foureyes.app.findings.raising import (
    Anchored,
    Raising,
    anchor,
    code_of,
    finding_named,
    findings_of_task,
    open_blocking,
    raising,
)
from foureyes.app.findings.rulings import tip_in
from foureyes.app.outcome import merge_by, outcome
from foureyes.app.ports import Tx
from foureyes.app.results.finding import FindingDetail, FindingView, MoveView
from foureyes.app.results.review import ApprovalView
from foureyes.app.results.session import SessionView
from foureyes.app.results.task_list import Outcome
from foureyes.app.target import sent_for
from foureyes.app.tasks.escalation import escalate
from foureyes.app.work.remote_attempts import bring
from foureyes.core import events as e
from foureyes.core.documents.findings import path_of
from foureyes.core.events.note import Logged
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.loop.next_steps import next_step, state_in_words
from foureyes.core.nouns.finding import WAIVED_DAYS, Finding, FindingKind, Location, ReportedFinding
from foureyes.core.nouns.finding_state import UNRESOLVED
from foureyes.core.nouns.session import Actor, Party
from foureyes.core.nouns.task import clean_title
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.four_eyes import may_decide
from foureyes.core.rules.involvement import Maker, made_by
from foureyes.core.rules.policy import gate_files
from foureyes.core.words.ids import TaskId
from foureyes.core.words.refs import OWN_BRANCHES
from foureyes.core.words.text import clean_text
from foureyes.core.words.untrusted_text import named
from foureyes.errors import BadInput, NotFound, Reason, Refused
from foureyes.steps import Steps, blank, by, by_person, either, fe, phrase, prose

# ---- Findings ----

PAGE = 1_000
LONGEST_WAIVER = 366
DIFF = "diff --git "
HEADERS = (DIFF, "+++ ", "--- ", "rename from ", "rename to ", "copy from ", "copy to ")


class Findings:
    """Verbs for findings."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def listed(self, task: str = "", *, open_only: bool = False, blocking: bool = False) -> list[FindingView]:
        """Return the findings of a task or of the project, oldest first."""
        with self._context.store.read() as tx:
            rows = findings_of_task(tx, self._context.find_id(tx, task)) if task else everything(tx)
            now = self._context.now()
            rows = [
                finding
                for finding in rows
                if (not open_only or finding.is_open(now)) and (not blocking or finding.blocking)
            ]
            names = self._names(tx, rows)
            at = self._context.get(tx, TaskId(rows[0].task)).iteration if task and rows else 0
            return [view_of(finding, now, names, at) for finding in rows]

    def _names(self, tx: Tx, rows: Sequence[Finding]) -> dict[str, str]:
        sessions = sorted(
            {finding.session for finding in rows}
            | {finding.answered_by for finding in rows if finding.answered_by}
            | {finding.ruled_by for finding in rows if finding.ruled_by}
        )
        return {row.id: row.name for row in tx.all("session.some", SessionView, ids=sessions)} if sessions else {}

    def show(self, actor: Actor, finding: str) -> FindingDetail:
        """Return a finding with its history and the caller's next step."""
        with self._context.store.read() as tx:
            known = finding_named(tx, finding)
            task = self._context.get(tx, TaskId(known.task))
            makers = {author.session for author in authors_of(tx, [task.id])} | {task.implementer}
            step = next_step(known, self._context.now(), status=task.status, mine=actor.session in makers)
            view = self._with_moves(tx, known, task.iteration)
        if actor.kind == "service" and step.steps[-1].argv[1] == "finding":  # a service never decides (I5)
            step = by_person(step)
        return FindingDetail(**msgspec.structs.asdict(view), acceptance=task.acceptance, next=step)

    def _with_moves(self, tx: Tx, known: Finding, iteration: int) -> FindingView:
        """Return a finding with its history."""
        moves = tx.all("finding.moves_of", MoveView, root=known.root)
        rows = tx.all("session.some", SessionView, ids=sorted({known.session, *[move.session for move in moves]}))
        names = {row.id: row.name for row in rows}
        view = view_of(known, self._context.now(), names, iteration)
        return msgspec.structs.replace(view, moves=moves, names=names)

    def task_here(self) -> str:
        """Return the task of the current branch, "" if it is no task's branch. (K1)"""
        ref = self._context.repo.current_ref()
        if not ref.startswith(OWN_BRANCHES):
            return ""
        with self._context.store.read() as tx:
            row = tx.one("task.exists", IdRow, id=ref.removeprefix(OWN_BRANCHES))
        return row.id if row else ""

    def add(self, actor: Actor, task: str, finding: ReportedFinding) -> FindingDetail:
        """Add a finding to the latest attempt. A blocking one ends an approval. (D2)"""
        permit(actor, "finding add")
        finding = _clean(finding)
        facts = at_an_attempt(self._context, actor, task)
        bring(self._context, facts.task.id)
        anchored = anchor(finding, code_of(self._context, facts.attempt, [finding]))
        if anchored.lost:
            step = fe("show", facts.task.id, "--diff")
            what = (
                "the quote"
                if finding.quote.strip()
                else named(f"{finding.path}:{finding.line}" if finding.line else finding.path)
            )
            refuse_verb(
                "nothing was added.",
                Reason(
                    "V7", f"{what} is not in the code, neither before nor after attempt {facts.task.iteration}", step
                ),
            )
        with self._context.writing(actor, "finding add") as work:
            me = self._context.party(work.tx, work.actor)
            now = facts_of(self._context, work.tx, facts.task.id, me)
            source = "person" if actor.kind == "human" else "session"
            done = raise_all(work, now, [anchored], kind="TL", source=source, me=me)
            assert done.event is not None
            end_approvals(work, now)
            escalate(self._context, work, now.task.id)
            raised = finding_named(work.tx, done.event.findings[0].id)
            view = self._with_moves(work.tx, raised, now.task.iteration)
            status = self._context.get(work.tx, now.task.id).status
        step = _after_adding(view, status, may_decide(me) is None and made_by(now, me) is None)
        return FindingDetail(**msgspec.structs.asdict(view), next=step)

    def waive(self, actor: Actor, finding: str, reason: str, *, days: int = WAIVED_DAYS) -> Outcome:
        """Waive a blocking finding for some days. Only a person who is not an author may, and every report shows it.
        (E3)
        """
        permit(actor, "finding waive")
        reason = needed(reason, "finding waive", finding)
        if not 1 <= days <= LONGEST_WAIVER:
            raise BadInput(
                f"a waiver holds for 1 to {LONGEST_WAIVER} days.",
                next_step=fe("finding", "waive", finding, "--days", "30", "-m", phrase("why")),
            )
        with self._context.store.read() as tx:
            row = finding_named(tx, finding)
            before = case_of(self._context, tx, actor, TaskId(row.task))
        words, tip = f"{row.id} for {days} days: {reason}", tip_in(self._context, before)
        with self._context.deciding(actor, "finding waive", task=row.task, reason=words) as work:
            row = finding_named(work.tx, finding)
            me = self._context.party(work.tx, work.actor)
            facts = facts_of(self._context, work.tx, TaskId(row.task), me)
            reasons = why_not_waived(facts, row, made_by(facts, me), work.at)
            if reasons:
                refuse_verb(f"{row.id} was not waived.", *reasons, task=row.task)
            until = stamp(datetime.fromisoformat(work.at) + timedelta(days=days))
            work.record(
                row.task, e.FindingWaived(root=row.root, iteration=facts.task.iteration, reason=reason, until=until)
            )
            work.record(
                row.task,
                SecurityRecorded(kind="waiver", rule="E3", reason=reason, detail=f"{row.id} until {until[:10]}"),
            )
            by_rule = decide_by_rule(self._context, work, facts.task.id, tip).is_by_rule
            now = self._context.get(work.tx, facts.task.id)
        message = f"waived {row.id} until {until[:10]}" + (", so it is approved automatically (M4)" if by_rule else "")
        step = merge_by(actor) if by_rule else fe("show", now.id)
        return outcome(now, message, step, notes=("audited: fe audit log --exceptions",))

    def track(self, actor: Actor, names: Sequence[str], *, task: str = "") -> Outcome:
        """Create follow-up tasks of open notes. A note that has one keeps it. (L16)"""
        permit(actor, "finding answer --track")
        with self._context.writing(actor, "finding answer --track") as work:
            chosen = [finding_named(work.tx, name) for name in names]
            if task:
                chosen += [
                    finding
                    for finding in findings_of_task(work.tx, self._context.find_id(work.tx, task))
                    if is_note(finding)
                ]
            wrong = [
                Reason(
                    "L16",
                    f"{finding.id} blocks, so it must be answered and cannot be deferred",
                    fe("finding", "show", finding.id),
                )
                for finding in chosen
                if finding.blocking
            ]
            if wrong or not chosen:
                none = Reason("L16", "there is no open note", fe("finding", "list", *([task] if task else [])))
                raise Refused(
                    "nothing was planned.", reasons=tuple(wrong) or (none,), next_step=(wrong or [none])[0].next
                )
            planned, fresh = [], 0
            for finding in {finding.root: finding for finding in chosen}.values():
                if not finding.tracked:
                    new = plan_debt(self._context, work, finding.task, finding)
                    work.record(finding.task, e.FindingTracked(root=finding.root, follow_up=new))
                    planned.append(f"{finding.id} is {new}")
                    fresh += 1
                else:
                    planned.append(f"{finding.id} already has the task {finding.tracked}")
            now = self._context.get(work.tx, TaskId(chosen[0].task))
        message = f"planned {fresh} follow-up {'task' if fresh == 1 else 'tasks'}"
        return outcome(
            now,
            message if fresh else "nothing new was planned, because every note already has a task",
            fe("list", "--ready") if fresh else fe("show", chosen[0].tracked),
            changed=fresh > 0,
            notes=tuple(planned),
        )

    def apply(self, actor: Actor, finding: str, *, only_try: bool = False) -> Outcome:
        """Apply the reviewer's patch, all of it or nothing. The caller becomes its author, and the log shows where it
        came from. (L3)
        """
        permit(actor, "log")
        with self._context.store.read() as tx:
            row = finding_named(tx, finding)
            task = self._context.get(tx, TaskId(row.task))
            policy = self._context.policy(tx, actor)
        refuse_other_task(actor, row.task)
        if not row.fix_patch.strip():
            raise NotFound(f"{row.id} has no patch.", next_step=fe("finding", "show", row.id), task=row.task)
        touched = gate_files(policy, _paths_in(row.fix_patch))
        if touched and actor.kind != "human":
            reason = Reason(
                "A4",
                f"the patch of {row.id} changes the gate file {touched[0]}",
                by_person(fe("finding", "answer", row.id, "--apply")),
            )
            refuse_verb("nothing was applied.", reason, task=row.task)
        why = self._context.workshop.apply_patch(row.fix_patch, only_try=only_try)
        if why:
            reason = Reason("L3", f"the patch of {row.id} does not apply here: {why}", fe("finding", "show", row.id))
            refuse_verb("nothing was applied.", reason, task=row.task)
        if only_try:
            return outcome(
                task, f"the patch of {row.id} applies", fe("finding", "answer", row.id, "--apply"), changed=False
            )
        with self._context.writing(actor, "log") as work:
            work.record(task.id, Logged(text=f"applied the patch of {row.id} (by {row.session})", type="patch"))
            now = self._context.get(work.tx, task.id)
        return outcome(
            now,
            f"applied the patch of {row.id} to your files. Nothing is committed yet",
            fe("finding", "answer", row.id, "--fixed", "-m", phrase("applied its patch")),
        )


def _after_adding(finding: FindingView, status: str, may_send_back: bool) -> Steps:
    """Return the next step after adding a finding: a redo, if it blocks a task in review. If the caller may not,
    another person does it. (F1)
    """
    redo = fe("redo", finding.task)
    if not finding.blocking or status != "reviewing":
        return fe("finding", "list", finding.task)
    return redo if may_send_back else by("other", redo)


def why_not_waived(facts: Facts, finding: Finding, me_made: Maker | None, now: str) -> list[Reason]:
    """Return why a finding cannot be waived. `me_made` is the caller's part in the change, if any. (E3)"""
    reasons: list[Reason] = []
    if me_made is not None:
        maker = f"{facts.party_name(me_made.session)} {me_made.why}"
        why = f"only a person who is not an author can waive it: {maker}"
        reasons.append(Reason("E3", why, prose("another person waives it")))
    if not finding.blocking:
        reasons.append(
            Reason("E3", f"{finding.id} is {finding.severity} and does not block", fe("finding", "show", finding.id))
        )
    elif not finding.holds(now):
        reasons.append(
            Reason("E3", f"{finding.id} is {finding.state} and does not block", fe("finding", "show", finding.id))
        )
    elif finding.by_check:
        why = f"check {finding.by_check} raised {finding.id}, so only passing that check resolves it"
        break_glass = by_person(fe("approve", finding.task, "--break-glass", phrase("why")))
        reasons.append(Reason("D5", why, either(prose("fix it"), break_glass, joint=", or ")))
    return reasons


def at_an_attempt(context: Context, actor: Actor, task: str) -> Facts:
    """Return the facts of a task. Refuse one without an attempt."""
    with context.store.read() as tx:
        task_id = context.find_id(tx, task)
        refuse_other_task(actor, task_id)
        facts = facts_of(context, tx, task_id)
    if facts.attempt is None:
        raise not_submitted(task_id, so=", so there is no change to report findings on")
    return facts


def raise_all(
    work: Work, facts: Facts, anchored: Sequence[Anchored], *, kind: FindingKind, source: str, me: Party
) -> Raising:
    """Record all findings or none. Of a tool's report, those that may not be raised again are dropped. (L9)"""
    done = raising(work.tx, facts, anchored, kind=kind, source=source, me=me)
    if done.refused and kind != "CK":
        refuse_verb("nothing was added.", *done.refused, task=facts.task.id)
    if done.event is not None:
        work.record(facts.task.id, done.event)
    return done


def everything(tx: Tx) -> list[Finding]:
    """Return every finding of the project, read in pages."""
    findings: list[Finding] = []
    after = 0
    while page := tx.all("finding.of_project", Finding, after=after, limit=PAGE):
        last = page[-1].seq
        same = tx.all("finding.at_seq", Finding, seq=last)  # one journal row may raise more findings than a page holds
        findings += [*[finding for finding in page if finding.seq != last], *same]
        after = last
    return findings


def end_approvals(work: Work, facts: Facts) -> None:
    """End the approval if a blocking finding is open (D2, T `void`). Do nothing while an unconfirmed push may be on the
    remote (Q4, Q6).
    """
    if facts.task.status != "approved" or sent_for(work.tx, facts.task.id) is not None:
        return
    holding = [finding.id for finding in open_blocking(work.tx, facts.task.id, work.at)]
    if not holding:
        return
    for row in work.tx.all("attempt.active_approvals", ApprovalView, task=facts.task.id):
        event = e.ApprovalVoided(
            approval=row.seq, reasons=(f"blocking findings are open: {', '.join(holding[:5])} (D2)",)
        )
        work.gate.record(facts.task.id, event)


def is_note(finding: Finding) -> bool:
    """Return True for a note that nobody has acted on. (L16)"""
    return not finding.blocking and finding.state in ("open", "deferred", "skipped")


def _paths_in(patch: str) -> list[str]:
    """Return every path that a patch may touch. Each header that git reads counts, with and without its first
    folder.
    """
    paths: dict[str, None] = {}
    for line in patch.splitlines():
        header = next((header for header in HEADERS if line.startswith(header)), "")
        named = line[len(header) :].split("\t")[0].strip() if header else ""
        for name in (named, *named.split(" ")) if header == DIFF else (named,):
            path = _unquoted(name)
            paths |= dict.fromkeys(each for each in (path, path.partition("/")[2]) if each)
    return list(paths)


def _unquoted(name: str) -> str:
    """Decode a path that git quotes because of unusual characters."""
    if not (len(name) > 1 and name[0] == name[-1] == '"'):
        return name.strip('"')
    try:
        return name[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape")
    except UnicodeDecodeError:
        return name


def _clean(finding: ReportedFinding) -> ReportedFinding:
    path, wrong = path_of(finding.path) if finding.path else ("", "")
    if wrong:
        raise BadInput(f"{named(finding.path)}: {wrong}", next_step=fe("finding", "add", "src/file.py:12", blank("…")))
    return msgspec.structs.replace(
        finding,
        title=clean_title(finding.title),
        path=path,
        problem=clean_text(finding.problem, "the problem"),
        fix=clean_text(finding.fix, "the fix"),
        why=clean_text(finding.why, "the why"),
        quote=clean_text(finding.quote, "the quote"),
        fix_patch=clean_text(finding.fix_patch, "the patch"),
    )


# ---- Findings as interfaces show them ----


def view_of(finding: Finding, now: str, names: dict[str, str], iteration: int = 0) -> FindingView:
    """Return a finding for display. The rounds of an open one run until now, those of a settled one until its last
    report.
    """
    last = max(iteration, finding.flagged) if finding.state in UNRESOLVED else finding.flagged
    return FindingView(
        id=finding.id,
        root=finding.root,
        task=finding.task,
        kind=finding.kind,
        severity=finding.severity,
        blocking=finding.blocking,
        state=finding.state,
        title=finding.title,
        location=Location(finding.path, finding.line),
        problem=finding.problem,
        fix=finding.fix,
        why=finding.why,
        quote=finding.quote,
        fix_patch=finding.fix_patch,
        rule=finding.rule,
        source=finding.source,
        check=finding.by_check,
        by=names.get(finding.session, finding.session),
        raised=finding.raised,
        flagged=finding.flagged,
        flags=finding.flags,
        rounds=last - finding.raised + 1,
        note=finding.note,
        anchored=finding.anchored,
        waiting=finding.waiting,
        must_fix=finding.must_fix,
        left_diff=finding.left_diff,
        answer=finding.answer,
        ruling=finding.ruling,
        false_fixes=finding.false_fixes,
        waived_until=finding.waived_until,
        expired=finding.state == "waived" and not finding.is_waived(now),
        tracked=finding.tracked,
        alike=finding.alike,
        open=finding.is_open(now),
        holds=finding.holds(now),
        state_in_words=state_in_words(finding, now),
    )
