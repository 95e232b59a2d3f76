"""Feedback: redo and reject (F1), the mirror file (F2), and resetting a branch."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from foureyes.app.case import Case, case_of
from foureyes.app.context import Context, Work, needed, permit, refuse_from, refuse_task, refuse_unless, refuse_verb
from foureyes.app.facts import parties_of
from foureyes.app.findings.raising import open_blocking
from foureyes.app.findings.rulings import in_words
from foureyes.app.gate.merge_queue import refuse_landed, there_if_approved
from foureyes.app.outcome import outcome
from foureyes.app.ports import Tx
from foureyes.app.results.review import NOT_VIEWED, ApprovalView, FeedbackView, ViewReport
from foureyes.app.results.task_list import Outcome
from foureyes.app.review.decisions import still, viewing_of
from foureyes.app.tasks.tasks import free_id
from foureyes.app.work.branches import begin_again, why_not_reset
from foureyes.core import events as e
from foureyes.core.events.decision import RedoRequested, TaskRejected
from foureyes.core.nouns.decision import PriorityChange, RedoOption
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.four_eyes import BREAKABLE, Declaration, may_approve, may_decide
from foureyes.core.rules.gate import has_moved, was_not_seen
from foureyes.core.words.ids import SessionId, Sha, TaskId
from foureyes.core.words.lifecycle import is_allowed
from foureyes.core.words.refs import attempt_ref
from foureyes.core.words.text import clean_text, is_blank, visible
from foureyes.core.words.vocabulary import QUICK_ISSUES
from foureyes.errors import BadInput, Conflict, NotFound, Reason
from foureyes.steps import blank, by, fe, phrase


def _kept(facts: Facts, event: RedoRequested) -> str:
    """Return a sentence that says where to find the work that the branch no longer has. (F1)"""
    attempt = facts.attempt
    if event.reset_to is None or attempt is None:
        return ""
    return f"attempt {attempt.n} stays as it was, at {attempt.head[:7]}: {attempt_ref(facts.task.id, attempt.n)}"


class SendingBack:
    """Ways to send work back."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def redo(
        self,
        actor: Actor,
        task: str,
        text: str = "",
        *,
        issues: Sequence[str] = (),
        option: RedoOption = "keep",
        checkpoint: str = "",
        priority: PriorityChange = "same",
        seen: str = "",
        viewed: ViewReport = NOT_VIEWED,
    ) -> Outcome:
        """Open the task again with feedback, by a person or a session that could approve. (F1)

        Without any text, the open blocking findings are the feedback. `seen` names the reviewed diff (D7), and `viewed`
        is how it was viewed (H4, H5).
        """
        permit(actor, "redo")
        text = clean_text(text, "the feedback").strip()
        there = there_if_approved(self._context, task)
        if (repeated := self._repeated(actor, task, text, issues)) is not None:
            return repeated
        before, text = self._before(actor, task, "redo", text, issues, seen)
        issues = _quick_issues(before, task, text, issues)
        event = RedoRequested(
            iteration=before.task.iteration,
            feedback=text,
            quick_issues=issues,
            option=option,
            reset_to=self._reset_to(before.facts, option, checkpoint),
            priority=priority,
            viewed=viewing_of(self._context, before, viewed),
        )
        words = "; ".join([*issues, *([text] if text else [])])
        with self._context.deciding(
            actor, "redo", task=task, diff_id=before.diff_id, reason=words, policy=before.policy
        ) as work:
            case = judge(self._context, work.tx, work.actor, task, "redo", words, seen, there=there)
            if case.task.iteration != event.iteration:
                self._context.check_version(work.tx, case.task, before.task.version)
            over = _approvals_over(work.tx, case)
            work.record(case.task.id, event)
            end_round(self._context, work, case.task.id)
            revert = self._revert(work, case.facts, words)
            done = self._context.get(work.tx, case.task.id)
        left = begin_again(self._context, done.id) or _kept(before.facts, event)
        notes = [note for note in (*over, revert, left, *work.notes) if note]
        step = fe("queue") if actor.kind == "human" else fe("list", "--reviewable")
        return outcome(done, f"{done.id} is open again with your feedback", step, notes=tuple(notes))

    def _repeated(self, actor: Actor, task: str, text: str, issues: Sequence[str]) -> Outcome | None:
        """Return the result if the same feedback was given already, for example because the answer was lost. Otherwise
        None.
        """
        with self._context.store.read() as tx:
            row = self._context.find(tx, task)
            last = tx.all("attempt.feedback", FeedbackView, task=row.id)[-1:] if row.status == "open" else []
            known = self._context.policy(tx, actor).quick_issues or QUICK_ISSUES
        same = [
            before
            for before in last
            if (before.decision, before.session, before.text) == ("redo", actor.session, text)
            and before.quick_issues == [_quick_issue(issue, known) for issue in dict.fromkeys(issues)]
        ]
        done = f"{row.id} was already sent back with this feedback, so there is nothing to do"
        return outcome(row, done, changed=False) if same else None

    def _before(
        self, actor: Actor, task: str, action: str, text: str = "", issues: Sequence[str] = (), seen: str = ""
    ) -> tuple[Case, str]:
        """Return the case, after checking that the caller may decide, and the text. By default the text lists the open
        blocking findings.
        """
        with self._context.store.read() as tx:
            case = judge(self._context, tx, actor, task, action, text or "a reason", seen)
            findings = open_blocking(tx, case.task.id, self._context.now())
        words = in_words(findings) if findings and is_blank(text) and not issues else text
        return case, words

    def _reset_to(self, facts: Facts, option: RedoOption, name: str) -> Sha | None:
        """Return where the branch starts over: where the task began, or at a checkpoint in its own history."""
        attempt, task = facts.attempt, facts.task.id
        if (option == "checkpoint") != bool(name):
            raise BadInput("--checkpoint takes the name of a checkpoint.", next_step=fe("checkpoint", "list"))
        if option == "keep" or attempt is None:
            return None
        with self._context.store.read() as tx:
            why = why_not_reset(tx, task, attempt)
        if why:
            refuse_task(task, "was not changed", Reason("F1", why, fe("redo", task, "--keep", "-m", phrase("…"))))
        if option == "fresh":
            return attempt.base
        checkpoints = [
            checkpoint
            for checkpoint in self._context.workshop.checkpoints()
            if checkpoint.name == name and checkpoint.task in (task, "")
        ]
        if not checkpoints:
            raise NotFound(f"{task} has no checkpoint {visible(name)}.", next_step=fe("checkpoint", "list"), task=task)
        sha, repo = checkpoints[0].sha, self._context.repo
        if not (repo.is_ancestor(sha, attempt.head) and repo.is_ancestor(attempt.base, sha)):
            why = f"checkpoint {name} ({sha[:7]}) is not part of attempt {attempt.n}"
            reason = Reason("F1", why, fe("checkpoint", "list"))
            refuse_task(task, "was not changed", reason)
        return sha

    def _revert(self, work: Work, facts: Facts, words: str) -> str:
        """Create a task that reverts work that landed before its review. Return a message about it. (K4)"""
        attempt, task = facts.attempt, facts.task
        if attempt is None or not attempt.landed:
            return ""
        new = free_id(self._context, work.tx)
        description = (
            f"Revert {attempt.base[:12]}..{attempt.head[:12]} on the target branch, which it reached before its "
            f"review.\n\nFeedback: {words}"
        )
        title = f"Revert {task.id}: {task.title}"[:400]
        work.record(new, e.TaskCreated(title=title, description=description, type="chore", priority=task.priority))
        return f"planned {new}, because the work is already on the target branch and must be reverted there (K4)"

    def reject(
        self, actor: Actor, task: str, reason: str, *, seen: str = "", viewed: ViewReport = NOT_VIEWED
    ) -> Outcome:
        """Block the task with a reason, by a person or a session that could approve. `seen` names the reviewed diff
        (D7).
        """
        permit(actor, "reject")
        before, _ = self._before(actor, task, "reject", seen=seen)
        reason = needed(reason, "reject", task)
        viewing = viewing_of(self._context, before, viewed)
        with self._context.deciding(
            actor, "reject", task=task, diff_id=before.diff_id, reason=reason, policy=before.policy
        ) as work:
            case = judge(self._context, work.tx, work.actor, task, "reject", reason, seen)
            event = TaskRejected(iteration=case.task.iteration, reason=reason, viewed=still(viewing, before, case))
            work.record(case.task.id, event)
            end_round(self._context, work, case.task.id)
            done = self._context.get(work.tx, case.task.id)
        return outcome(done, f"rejected {done.id}: {reason}", notes=work.notes)


def judge(
    context: Context,
    tx: Tx,
    actor: Actor,
    task: str,
    action: str,
    reason: str,
    seen: str = "",
    *,
    there: Sha | None = None,
) -> Case:
    """Return the case for a redo or reject. Only a person may, or a session that P would let approve, about the diff
    they saw (D7). (T)

    `there`: the remote's target (Q4).
    """
    row = context.find(tx, task)
    if seen and not is_allowed(action, row.status):  # it was in review when the caller saw it
        raise Conflict(f"{row.id} is {row.status} now", next_step=fe("show", row.id), task=row.id)
    refuse_from(row, action)
    refuse_landed(context, tx, row, there)
    case = case_of(context, tx, actor, row.id)
    if case.me.kind != "human" or may_decide(case.me) is not None:
        decision = may_approve(case.alone, case.me, case.policy, Declaration(reason))
        other = by("other", fe(action, row.id, "-m", phrase("why")))
        refuse_unless(replace(decision, next=other) if decision.rule in BREAKABLE else decision, row)
    unseen = was_not_seen(case.facts, case.me, seen) if seen else None
    if has_moved(case.facts, seen) and case.attempt is not None:
        words = f"iteration {case.attempt.n} was submitted in the meantime"
        raise Conflict(words, next_step=fe("show", row.id, "--diff"), task=row.id)
    if unseen is not None:
        refuse_task(row.id, "was not changed", unseen)
    return case


def _approvals_over(tx: Tx, case: Case) -> list[str]:
    """Return messages about the approvals that a redo ends."""
    rows = [row for row in tx.all("attempt.active_approvals", ApprovalView, task=case.task.id) if not row.recorded]
    known = parties_of(tx, {SessionId(row.session) for row in rows if row.basis != "rule"})
    who = [known[SessionId(row.session)].name if row.session in known else "the rule" for row in rows]
    return [f"the approval by {name} ({row.rule}) is over" for name, row in zip(who, rows, strict=True)]


def end_round(context: Context, work: Work, task: TaskId) -> None:
    """End a round. The escalation engine decides what that means for the tier. (E1)"""
    from foureyes.app.tasks.escalation import escalate  # most commands that load this file end none

    escalate(context, work, task)


def _quick_issues(case: Case, task: str, text: str, issues: Sequence[str]) -> tuple[str, ...]:
    """Return the quick issues by number or beginning of their name. Refuse if there is neither one nor text. (F1)"""
    known = case.policy.quick_issues or QUICK_ISSUES
    chosen = tuple(dict.fromkeys(_quick_issue(issue, known) for issue in issues))
    if not chosen and is_blank(text):
        step = fe(
            "redo",
            task,
            "-m",
            phrase("what is wrong"),
            after=f", or --issue: {', '.join((f'{n} {name}' for n, name in enumerate(known, 1)))}",
        )
        reason = Reason("F1", "redo needs feedback that says what to change", step)
        refuse_verb("redo needs a quick issue or some text.", reason)
    return chosen


def _quick_issue(text: str, known: Sequence[str]) -> str:
    """Return the quick issue with this number or beginning of its name."""
    wanted = text.strip().lower()
    numbered = {str(number): issue for number, issue in enumerate(known, 1)}
    if wanted in numbered:
        return numbered[wanted]
    alike = [issue for issue in known if wanted and issue.lower().startswith(wanted)]
    if len(alike) == 1 or wanted in (issue.lower() for issue in alike):
        return next(issue for issue in alike if len(alike) == 1 or issue.lower() == wanted)
    choices = ", ".join(f"{number} {issue}" for number, issue in enumerate(known, 1))
    raise BadInput(
        f"--issue {visible(text)!r} is not a quick issue. Quick issues: {choices}.",
        next_step=fe("redo", blank("TASK"), "--issue", "1"),
    )
