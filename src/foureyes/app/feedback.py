"""Feedback: redo and reject (F1), the mirror file (F2), and a branch that begins again."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foureyes.app.context import Context, Work, permit
from foureyes.app.ledger import facts_of
from foureyes.app.merge_items import refuse_landed
from foureyes.app.ports import Tx
from foureyes.app.proof import Proof, check, known_by_key, named_task, prove
from foureyes.app.stops import needed, refuse_from
from foureyes.app.tasks import Tasks, outcome
from foureyes.app.views import ApprovalView, FeedbackView, Outcome
from foureyes.core import events as e
from foureyes.core.attempt import DETACHED
from foureyes.core.facts import Facts
from foureyes.core.feedback import QUICK_ISSUES, PriorityChange, RedoOption
from foureyes.core.feedback import Feedback as Entry
from foureyes.core.feedback import mirror as mirrored
from foureyes.core.four_eyes import Said, may_approve, may_decide
from foureyes.core.ids import Sha, TaskId
from foureyes.core.session import Actor
from foureyes.core.task import clean_text, is_blank, visible
from foureyes.errors import BadInput, FoureyesError, NotFound, Reason, Refused


class Feedback:
    """What sends work back."""

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
    ) -> Outcome:
        """F1: back to open with feedback, by a person, or a session that could approve."""
        permit(actor, "redo")
        issues, text = self._said(actor, task, text, issues)
        facts = self._facts(task)
        reset_to = self._reset_to(facts, option, checkpoint)
        event = e.RedoRequested(
            iteration=facts.task.iteration,
            feedback=text,
            quick_issues=issues,
            option=option,
            reset_to=reset_to,
            priority=priority,
        )
        words = "; ".join([*issues, *([text] if text else [])])
        proof = prove(self._context, actor, "redo", task=facts.task.id, diff_id=_seen_by(actor, facts), reason=words)
        with self._context.writing(known_by_key(actor, proof), "redo") as work:
            now = self._judge(work, task, "redo", words, proof)
            if now.task.iteration != event.iteration:
                self._context.check_version(work.tx, now.task, facts.task.version)
            work.record(now.task.id, event)
            end_round(self._context, work, now.task.id)
            revert = self._revert(work, now, words)
            done = self._context.get(work.tx, now.task.id)
        notes = (
            [f"planned {revert}: the work is on the target branch already and has to be reverted there (K4)"]
            if revert
            else []
        )
        notes += [note for note in (begin_again(self._context, done.id), mirror(self._context, done.id)) if note]
        step = "fe queue" if actor.kind == "human" else "fe reviewable"
        return outcome(done, f"{done.id} is open again with your feedback", step, notes=tuple(notes))

    def _said(self, actor: Actor, task: str, text: str, issues: Sequence[str]) -> tuple[tuple[str, ...], str]:
        """F1: at least one quick issue or some text; a number or the beginning of a quick issue's name is enough."""
        text = clean_text(text, "the feedback").strip()
        with self._context.store.read() as tx:
            known = self._context.policy(tx, actor).quick_issues or QUICK_ISSUES
        chosen = tuple(dict.fromkeys(_quick_issue(issue, known) for issue in issues))
        if not chosen and is_blank(text):
            step = (
                f'fe redo {task} -m "what is wrong", or --issue: '
                f"{', '.join(f'{n} {name}' for n, name in enumerate(known, 1))}"
            )
            reason = Reason("F1", "redo without a word of feedback tells nobody what to do next", step)
            raise Refused("redo needs a quick issue or some text.", reasons=(reason,), next_step=step)
        return chosen, text

    def _facts(self, task: str) -> Facts:
        with self._context.store.read() as tx:
            return facts_of(self._context, tx, self._context.find_id(tx, task))

    def _reset_to(self, facts: Facts, option: RedoOption, name: str) -> Sha | None:
        """Where the branch begins again: where the task began, or at a checkpoint of its own history, as git says."""
        attempt, task = facts.attempt, facts.task.id
        if (option == "checkpoint") != bool(name):
            raise BadInput("--checkpoint takes the name of one.", next_step="fe checkpoint list")
        if option == "keep" or attempt is None:
            return None
        if attempt.landed or attempt.ref == DETACHED:
            where = "on the target branch already" if attempt.landed else "on no branch"
            reason = Reason(
                "F1",
                f"the work of {task} is {where}, so there is no branch to begin again",
                f'fe redo {task} --keep -m "…"',
            )
            raise Refused(f"{task} was not changed.", reasons=(reason,), next_step=reason.next, task=task)
        if option == "fresh":
            return attempt.base
        found = [one for one in self._context.workshop.checkpoints() if one.name == name and one.task in (task, "")]
        if not found:
            raise NotFound(f"{task} has no checkpoint {visible(name)}.", next_step="fe checkpoint list", task=task)
        sha, repo = found[0].sha, self._context.repo
        if not (repo.is_ancestor(sha, attempt.head) and repo.is_ancestor(attempt.base, sha)):
            said = f"checkpoint {name} ({sha[:7]}) is not between base and head of attempt {attempt.n}"
            reason = Reason("F1", said, "fe checkpoint list")
            raise Refused(f"{task} was not changed.", reasons=(reason,), next_step=reason.next, task=task)
        return sha

    def _revert(self, work: Work, facts: Facts, words: str) -> str:
        """K4: work that landed before its review is taken back by a task of its own."""
        attempt, task = facts.attempt, facts.task
        if attempt is None or not attempt.landed:
            return ""
        new = Tasks(self._context).free_id(work.tx)
        said = (
            f"Revert {attempt.base[:12]}..{attempt.head[:12]} on the target branch: it landed before its "
            f"review.\n\nFeedback: {words}"
        )
        title = f"Revert {task.id}: {task.title}"[:400]
        work.record(new, e.TaskCreated(title=title, description=said, type="chore", priority=task.priority))
        return new

    def reject(self, actor: Actor, task: str, reason: str) -> Outcome:
        """Blocked, with a reason (lesson 13): by a person, or a session that could approve."""
        reason = needed(reason, "reject", task)
        permit(actor, "reject")
        self._heal(task)
        facts = self._facts(task) if actor.kind == "human" else None
        diff_id = _seen_by(actor, facts) if facts else ""
        proof = prove(
            self._context, actor, "reject", task=named_task(self._context, task), diff_id=diff_id, reason=reason
        )
        with self._context.writing(known_by_key(actor, proof), "reject") as work:
            now = self._judge(work, task, "reject", reason, proof)
            work.record(now.task.id, e.TaskRejected(iteration=now.task.iteration, reason=reason))
            end_round(self._context, work, now.task.id)
            done = self._context.get(work.tx, now.task.id)
        note = mirror(self._context, done.id)
        return outcome(done, f"rejected {done.id}: {reason}", notes=(note,) if note else ())

    def _heal(self, task: str) -> None:
        """F2: the repeat of a reject that was cut off before its file was written writes the file."""
        with self._context.store.read() as tx:
            found = self._context.find(tx, task)
        if found.rejected_by is not None:
            mirror(self._context, found.id)

    def _judge(self, work: Work, task: str, action: str, reason: str, proof: Proof | None) -> Facts:
        """T: redo and reject are a person's, or a session's that P would let approve; signed where that is wanted
        (I9).
        """
        found = self._context.find(work.tx, task)
        refuse_from(found, action)
        refuse_landed(self._context, work.tx, found)
        me = self._context.party(work.tx, work.actor)
        facts = facts_of(self._context, work.tx, found.id, me)
        if work.actor.kind != "human" or may_decide(me) is not None:
            alone = msgspec.structs.replace(facts, recorded=())  # finishing what another recorded is no right to judge
            decision = may_approve(alone, me, self._context.policy(work.tx, work.actor), Said(reason))
            if not decision.allowed:
                raise Refused(
                    f"{found.id} was not changed.", reasons=decision.reasons, next_step=decision.next, task=found.id
                )
        diff_id = facts.attempt.diff_id if facts.attempt else ""
        check(self._context, work, proof, action, task=found.id, diff_id=diff_id, reason=reason, version=found.version)
        return facts


def end_round(context: Context, work: Work, task: TaskId) -> None:
    """E1: a round is over; what that means for the tier is the engine's to say."""
    from foureyes.app.standing import escalate  # most commands that load this file end none

    escalate(context, work, task)


def _seen_by(actor: Actor, facts: Facts) -> str:
    """The diff that a person decides about, for the signature alone."""
    return facts.attempt.diff_id if actor.kind == "human" and facts.attempt else ""


def _quick_issue(text: str, known: Sequence[str]) -> str:
    """A quick issue by number, or by the beginning of its name."""
    wanted = text.strip().lower()
    numbered = {str(number): issue for number, issue in enumerate(known, 1)}
    if wanted in numbered:
        return numbered[wanted]
    found = [issue for issue in known if wanted and issue.lower().startswith(wanted)]
    if len(found) == 1 or wanted in (issue.lower() for issue in found):
        return next(issue for issue in found if len(found) == 1 or issue.lower() == wanted)
    choices = ", ".join(f"{number} {issue}" for number, issue in enumerate(known, 1))
    raise BadInput(f"--issue {visible(text)!r}: there are {choices}.", next_step="fe redo TASK --issue 1")


def begin_again(context: Context, task: TaskId) -> str:
    """F1 fresh and checkpoint: bring the branch back to where the latest redo wants it; done again it does nothing.

    Only from the head that was judged: who has gone on since is left alone. The old head is kept (A1).
    """
    try:
        return _begin_again(context, task)
    except FoureyesError as problem:
        return f"the branch was not looked at: {problem.message}"


def _begin_again(context: Context, task: TaskId) -> str:
    with context.store.read() as tx:
        facts, rows = facts_of(context, tx, task), tx.all("attempt.feedback", FeedbackView, task=task)
        target = f"refs/heads/{context.project(tx).target}"
    attempt = facts.attempt
    wanted = rows[-1] if rows and rows[-1].decision == "redo" else None
    if (
        wanted is None
        or wanted.reset_to is None
        or attempt is None
        or wanted.iteration != attempt.n
        or attempt.ref in (target, DETACHED)
    ):
        return ""
    context.workshop.keep(attempt_ref(task, attempt.n), attempt.head)
    why = context.workshop.reset(attempt.ref, old=attempt.head, new=Sha(wanted.reset_to))
    name = attempt.ref.removeprefix("refs/heads/")
    return f"branch {name} was not set back to {wanted.reset_to[:7]}: {why}" if why else ""


def attempt_ref(task: str, n: int) -> str:
    """Where the head of an attempt is kept for ever."""
    return f"refs/foureyes/attempts/{task}/{n}"


def history_of(tx: Tx, task: TaskId) -> list[Entry]:
    """F2: every decision about a task, oldest first."""
    rows = tx.all("attempt.feedback", FeedbackView, task=task)
    approvals = [row for row in tx.all("attempt.approvals", ApprovalView, task=task) if not row.recorded]
    found: list[tuple[int, Entry]] = [(row.seq, entry_of(row)) for row in rows]
    found += [(row.seq, Entry(iteration=row.attempt, at=row.at, decision="approved")) for row in approvals]
    return [entry for _, entry in sorted(found, key=lambda pair: pair[0])]


def entry_of(row: FeedbackView) -> Entry:
    """A stored decision as the rules know it."""
    return Entry(
        iteration=row.iteration,
        at=row.at,
        decision="redo" if row.decision == "redo" else "rejected",
        text=row.text,
        quick_issues=row.quick_issues,
        option=row.option,
        priority=row.priority,
        source=row.source,
        reset_to=row.reset_to,
    )


def mirror(context: Context, task: TaskId) -> str:
    """F2: write the mirror file of a task from the store; what there is to say about it. The store is the truth."""
    if not context.folder:
        return ""
    try:
        with context.store.read() as tx:
            history = history_of(tx, task)
    except FoureyesError as problem:
        return f".foureyes/feedback/{task}.json was not written: {problem.message}"  # what was decided stands
    return context.outside.write_feedback(task, mirrored(task, history)) if history else ""
