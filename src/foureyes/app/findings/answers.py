"""Answers (L6, L7): one per finding and submission, all of a set or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.caller import permit, refuse_other_task
from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of
from foureyes.app.call.outcome import outcome
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.call.rows import IdRow
from foureyes.app.call.work import Work
from foureyes.app.findings.lookup import findings_of
from foureyes.app.ports import Tx
from foureyes.app.tasks.ids import free_id
from foureyes.app.views.outcome import Outcome
from foureyes.app.work.releasing import is_successor, take_over
from foureyes.core import events as e
from foureyes.core.loop.answering import why_not_answers
from foureyes.core.nouns.finding import Answer, Finding, answer_step
from foureyes.core.nouns.session import Actor, is_one_origin
from foureyes.core.nouns.task import Task, clean_title
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import is_under
from foureyes.core.words.fence import named
from foureyes.core.words.ids import TaskId
from foureyes.core.words.text import clean_text
from foureyes.errors import BadInput, Reason
from foureyes.steps import NO_STEP, Steps, blank, fe, phrase, prose, shell

if TYPE_CHECKING:
    from foureyes.core.documents.shapes import DeveloperHandoff

ANSWERS_IN = ("in_progress", "reviewing")
COMMIT_LENGTHS = range(7, 41)


class Answers:
    """Respond to findings."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def respond_document(self, actor: Actor, task: str, document: bytes) -> Outcome:
        """L6: the answers of a handoff_developer document, all of them or none; what it counts must be what is there
        (G6).
        """
        from foureyes.core.documents.counts import summary_problems
        from foureyes.core.documents.findings import answers_of
        from foureyes.core.documents.reader import read
        from foureyes.core.documents.shapes import DeveloperHandoff

        permit(actor, "finding answer")
        handoff = read(document, DeveloperHandoff, rule="L6")
        answers, problems = answers_of(handoff)
        problems += summary_problems(handoff)
        if problems:
            step = prose("fix these and send it again")
            raise BadInput(
                "the handoff_developer was refused, and nothing was answered.", reasons=tuple(problems), next_step=step
            )
        return self.respond(actor, task, answers, document=handoff)

    def respond(
        self, actor: Actor, task: str, answers: Sequence[Answer], *, document: DeveloperHandoff | None = None
    ) -> Outcome:
        """L6: answer findings of a task; without one, of the task that they are of. `document` is where they come from
        (G6).
        """
        permit(actor, "finding answer")
        answers = [_clean(answer) for answer in answers]
        with self._context.store.read() as tx:
            facts = facts_of(self._context, tx, self._context.find_id(tx, task) if task else _task_of(tx, answers))
        wrong = self._commits(facts, answers)
        with self._context.writing(actor, "finding answer") as work:
            row = self._context.find(work.tx, facts.task.id)
            refuse_other_task(actor, row.id)
            if take_over(self._context, work, row):
                row = self._context.get(work.tx, row.id)
            facts = facts_of(self._context, work.tx, row.id)
            self._refuse_stranger(work, facts)
            iteration = row.iteration + (row.status == "in_progress")
            known = known_ids(work.tx, row.id, work.at)
            reasons = [*why_not_answers(answers, known, iteration), *wrong, *_miscounted(answers, known, document)]
            reasons += (
                [Reason("L6", "no answer was given", fe("finding", "list", row.id, "--open"))] if not answers else []
            )
            if reasons:
                refuse_verb("nothing was answered.", *reasons, task=row.id)
            owner = row.implementer or actor.session
            kept = [self._with_debt(work, row.id, known[answer.finding], answer) for answer in answers]
            notes = [_debt_note(given, answer) for given, answer in zip(answers, kept, strict=True) if given.debt]
            answers = kept
            work.record(row.id, e.FindingsAnswered(iteration=iteration, implementer=owner, answers=tuple(answers)))
            left = [finding for finding in findings_of(work.tx, row.id) if finding.at_time(work.at).needs_answer]
            now = self._context.get(work.tx, row.id)
        summary = ", ".join(f"{answer.finding} {answer.action}" for answer in answers[:5]) + (
            f" and {len(answers) - 5} more" if len(answers) > 5 else ""
        )
        message = f"{summary}; {len(left)} blocking left to answer"
        return outcome(now, message, _next(now, left), notes=tuple(filter(None, notes)))

    def _refuse_stranger(self, work: Work, facts: Facts) -> None:
        """L6: the implementer answers, or somebody who may submit for it; while it is at work or in review."""
        task, me = facts.task, self._context.party(work.tx, work.actor)
        reasons: list[Reason] = []
        if task.status not in ANSWERS_IN:
            reasons.append(
                Reason(
                    "L6",
                    f"{task.id} is {task.status}. Start it before you answer its findings.",
                    fe("show", task.id),
                )
            )
        owner = facts.party(task.implementer) if task.implementer else None
        mine = owner is not None and (
            is_one_origin(me, owner)
            or is_under(facts, owner, me)
            or is_successor(self._context, work.tx, work.actor, task)
        )
        if owner is not None and not (
            mine or work.actor.kind in ("human", "service") or work.actor.role == "implement"
        ):
            who = facts.party_name(owner.session)
            reasons.append(
                Reason("L6", f"{task.id} is claimed by {who}; only its implementer can answer", fe("show", task.id))
            )
        if reasons:
            refuse_verb("nothing was answered.", *reasons, task=task.id)

    def _commits(self, facts: Facts, answers: Sequence[Answer]) -> list[Reason]:
        """L6: a commit that is named must exist, and must not be part of the attempt that was reviewed."""
        reasons: list[Reason] = []
        attempt = facts.attempt
        for answer in answers:
            if not answer.commit:
                continue
            sha = self._context.repo.commit_of(answer.commit) if len(answer.commit) in COMMIT_LENGTHS else None
            if sha is None:
                reasons.append(
                    Reason(
                        "L6",
                        f"{answer.finding}: there is no commit {answer.commit[:40]}",
                        shell("git", "log", "--oneline"),
                    )
                )
            elif attempt is not None and self._context.repo.is_ancestor(sha, attempt.head):
                why = (
                    f"{answer.finding}: commit {answer.commit[:12]} was part of attempt {attempt.n} already, so "
                    "it fixed nothing since"
                )
                reasons.append(Reason("L6", why, prose("name the commit that fixes it, or none")))
        return reasons

    def _with_debt(self, work: Work, task: TaskId, finding: Finding, answer: Answer) -> Answer:
        """L6: a deferred finding becomes a tech-debt task, or names one that is there; the id of another tracker is kept
        in the words of the answer.
        """
        if answer.action != "DEFERRED" or not answer.debt:
            return msgspec.structs.replace(answer, debt="")
        if answer.debt != "new" and work.tx.one("task.exists", IdRow, id=answer.debt.lower()) is not None:
            return msgspec.structs.replace(answer, debt=answer.debt.lower())
        if answer.debt != "new":
            words = answer.text if answer.debt in answer.text else f"{answer.text}\ntech debt: {answer.debt}"
            return msgspec.structs.replace(answer, text=words.strip(), debt="")
        return msgspec.structs.replace(answer, debt=plan_debt(self._context, work, task, finding, answer.text))


def _next(task: Task, left: Sequence[Finding]) -> Steps:
    if left:
        return answer_step(left[0].id, must_fix=left[0].must_fix)
    return fe("submit", task.id) if task.status == "in_progress" else NO_STEP


def _debt_note(given: Answer, kept: Answer) -> str:
    if given.action != "DEFERRED":
        return ""
    if given.debt == "new":
        return f"planned {kept.debt} for {kept.finding}"
    return "" if kept.debt else f"{given.debt} is no task here: it is kept in the words of the answer"


def plan_debt(context: Context, work: Work, task: str, finding: Finding, why: str = "") -> TaskId:
    """A task for what was left: the finding, where it is, and why it was left."""
    new = free_id(context, work.tx)
    parts = [
        f"{finding.id} of {task}, {finding.severity}" + (f", {named(finding.where)}" if finding.where else ""),
        finding.problem,
        finding.fix,
        why,
    ]
    description = "\n\n".join(part for part in parts if part.strip())
    planner = work if work.actor.task is None else work.gate  # a token is good for one task (I2)
    planner.record(
        new,
        e.TaskCreated(
            title=clean_title(finding.title[:400]), description=description, type="chore", labels=("tech-debt",)
        ),
    )
    return new


def _clean(answer: Answer) -> Answer:
    return msgspec.structs.replace(
        answer,
        finding=answer.finding.strip(),
        text=clean_text(answer.text, "the answer").strip(),
        commit=answer.commit.strip().lower(),
        debt=clean_text(answer.debt, "the tech debt id").strip(),
    )


def known_ids(tx: Tx, task: str, now: str) -> dict[str, Finding]:
    """Every id that names a finding of a task, to the finding as it stands now."""
    by_root = {finding.root: finding.at_time(now) for finding in findings_of(tx, task)}
    return {row.id: by_root[row.root] for row in tx.all("finding.ids_of", RootedId, task=task)}


class RootedId(msgspec.Struct, frozen=True):
    """An id and the root that it names."""

    id: str
    root: str


def _task_of(tx: Tx, answers: Sequence[Answer]) -> TaskId:
    """The one task that all of these are about."""
    from foureyes.app.findings.lookup import one_task

    if not answers:
        raise BadInput(
            "no answer was given.",
            next_step=fe("finding", "answer", blank("ID"), "--fixed", "-m", phrase("what you changed")),
        )
    return one_task(tx, [answer.finding for answer in answers])


def _miscounted(
    answers: Sequence[Answer], known: dict[str, Finding], document: DeveloperHandoff | None
) -> list[Reason]:
    """G6: what a document counts must be what the store counts."""
    if document is None:
        return []
    from foureyes.core.documents.counts import blocking_problems

    wanted = {
        finding.root: finding.id
        for finding in known.values()
        if finding.needs_answer or (finding.blocking and finding.state in ("claimed", "disputed"))
    }
    wanted |= {
        known[answer.finding].root: answer.finding
        for answer in answers
        if answer.finding in known and known[answer.finding].root in wanted
    }
    step = prose("leave the summary out: it is computed")
    return [
        msgspec.structs.replace(problem, next=step) for problem in blocking_problems(document, answers, wanted.values())
    ]
