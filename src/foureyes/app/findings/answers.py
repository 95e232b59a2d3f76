"""Answers: one per finding and submission, all recorded together or not at all. (L6, L7)"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.context import Context, IdRow, Work, permit, refuse_other_task, refuse_task, refuse_verb
from foureyes.app.facts import facts_of
from foureyes.app.findings.raising import findings_of_task
from foureyes.app.outcome import outcome
from foureyes.app.ports import Tx
from foureyes.app.results.task_list import Outcome
from foureyes.app.tasks.escalation import ask_lead
from foureyes.app.tasks.tasks import free_id
from foureyes.app.work.claims import is_successor, take_over
from foureyes.core import events as e
from foureyes.core.events.decision import AttemptSubmitted
from foureyes.core.events.loop import Placed
from foureyes.core.loop.answers import unanswered, why_not_answers
from foureyes.core.loop.fingerprint import find_quote, line_at, moved, normal
from foureyes.core.loop.rounds import wants_lead
from foureyes.core.nouns.attempt import Attempt, Change, ChangedFile
from foureyes.core.nouns.finding import Answer, Finding, answer_step
from foureyes.core.nouns.finding_state import UNRESOLVED
from foureyes.core.nouns.session import Actor, is_one_origin
from foureyes.core.nouns.task import Task, clean_title
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import is_under
from foureyes.core.words.ids import SessionId, TaskId
from foureyes.core.words.text import clean_text
from foureyes.core.words.untrusted_text import named
from foureyes.errors import BadInput, Reason
from foureyes.steps import NO_STEP, Steps, blank, fe, phrase, prose, shell

if TYPE_CHECKING:
    from foureyes.core.documents.shapes import DeveloperHandoff


# ---- Answers (L6, L7) ----

ANSWERS_IN = ("in_progress", "reviewing")
COMMIT_LENGTHS = range(7, 41)


class Answers:
    """Verbs to answer findings."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def respond_document(self, actor: Actor, task: str, document: bytes) -> Outcome:
        """Record the answers in a handoff_developer document, all or none. Its counts must agree with the store. (G6,
        L6)
        """
        from foureyes.core.documents.findings import answers_of, summary_problems
        from foureyes.core.documents.json_reader import read
        from foureyes.core.documents.shapes import DeveloperHandoff

        permit(actor, "finding answer")
        handoff = read(document, DeveloperHandoff, rule="L6")
        answers, problems = answers_of(handoff)
        problems += summary_problems(handoff)
        if problems:
            step = prose("fix these and send it again")
            raise BadInput(
                "the handoff_developer was refused, and no finding was answered.",
                reasons=tuple(problems),
                next_step=step,
            )
        return self.respond(actor, task, answers, document=handoff)

    def respond(
        self, actor: Actor, task: str, answers: Sequence[Answer], *, document: DeveloperHandoff | None = None
    ) -> Outcome:
        """Answer findings. (G6, L6)

        If `task` is empty, it is the task that the findings belong to. `document` is where the answers come from, if
        anywhere.
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
            owner = row.implementer or work.actor.session
            kept = [self._with_debt(work, row.id, known[answer.finding], answer) for answer in answers]
            notes = [_debt_note(given, answer) for given, answer in zip(answers, kept, strict=True) if given.debt]
            answers = kept
            work.record(row.id, e.FindingsAnswered(iteration=iteration, implementer=owner, answers=tuple(answers)))
            left = [finding for finding in findings_of_task(work.tx, row.id) if finding.at_time(work.at).needs_answer]
            now = self._context.get(work.tx, row.id)
        summary = ", ".join(f"{answer.finding} {answer.action}" for answer in answers[:5]) + (
            f" and {len(answers) - 5} more" if len(answers) > 5 else ""
        )
        message = f"{summary}. {len(left)} blocking left to answer"
        return outcome(now, message, _next(now, left), notes=tuple(filter(None, notes)))

    def _refuse_stranger(self, work: Work, facts: Facts) -> None:
        """Refuse callers who may not submit for the task, and tasks that are not in progress or review. (L6)"""
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
                Reason("L6", f"{task.id} is claimed by {who}, and only its implementer can answer", fe("show", task.id))
            )
        if reasons:
            refuse_verb("nothing was answered.", *reasons, task=task.id)

    def _commits(self, facts: Facts, answers: Sequence[Answer]) -> list[Reason]:
        """Return reasons against the commits that answers name. Each must exist and be newer than the reviewed attempt.
        (L6)
        """
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
                    f"{answer.finding}: commit {answer.commit[:12]} was already part of attempt {attempt.n}, so "
                    "it is not a fix"
                )
                reasons.append(Reason("L6", why, prose("name the commit that fixes it, or leave it out")))
        return reasons

    def _with_debt(self, work: Work, task: TaskId, finding: Finding, answer: Answer) -> Answer:
        """Return the answer with the follow-up task of a deferred finding, creating one if the answer asks for it. An
        id of another tracker moves into the answer's text. (L6)
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
    return "" if kept.debt else f"{given.debt} is not a task here, so it is kept only in the text of the answer"


def plan_debt(context: Context, work: Work, task: str, finding: Finding, why: str = "") -> TaskId:
    """Create a follow-up task for a finding, with its place and the reason."""
    new = free_id(context, work.tx)
    parts = [
        f"{finding.id} of {task}, {finding.severity}" + (f", {named(finding.where)}" if finding.where else ""),
        finding.problem,
        finding.fix,
        why,
    ]
    description = "\n\n".join(part for part in parts if part.strip())
    planner = work if work.actor.task is None else work.gate  # a token only allows its own task (I2)
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
    """Return a task's findings by all ids that they ever had."""
    by_root = {finding.root: finding.at_time(now) for finding in findings_of_task(tx, task)}
    return {row.id: by_root[row.root] for row in tx.all("finding.ids_of", RootedId, task=task)}


class RootedId(msgspec.Struct, frozen=True):
    """An id of a finding, and its root."""

    id: str
    root: str


def _task_of(tx: Tx, answers: Sequence[Answer]) -> TaskId:
    """Return the one task that these answers are about."""
    from foureyes.app.findings.raising import one_task

    if not answers:
        raise BadInput(
            "no answer was given.",
            next_step=fe("finding", "answer", blank("ID"), "--fixed", "-m", phrase("what you changed")),
        )
    return one_task(tx, [answer.finding for answer in answers])


def _miscounted(
    answers: Sequence[Answer], known: dict[str, Finding], document: DeveloperHandoff | None
) -> list[Reason]:
    """Return reasons if a document's counts differ from the store's. (G6)"""
    if document is None:
        return []
    from foureyes.core.documents.findings import blocking_problems

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
    step = prose("leave the summary out. It is computed")
    return [
        msgspec.structs.replace(problem, next=step) for problem in blocking_problems(document, answers, wanted.values())
    ]


# ---- At a submission (L6) ----


def refuse_unanswered(tx: Tx, task: TaskId, now: str, settled: Collection[str] = ()) -> None:
    """Refuse a submission that leaves a blocking finding unanswered. `settled` ones need no answer, because they follow
    their root. (A6, L6)
    """
    reasons = unanswered([each.at_time(now) for each in findings_of_task(tx, task) if each.root not in settled])
    if reasons:
        refuse_task(task, "was not submitted", *reasons)


def refuse_foreign_commits(answers: Sequence[AnswerRow], task: TaskId, change: Change) -> None:
    """Refuse an answer that names a commit outside the submission. (L6)"""
    mine = [commit.sha for commit in change.commits]
    reasons = []
    for row in answers:
        if row.commit and not any(sha.startswith(row.commit) for sha in mine):
            why = f"{row.id} names commit {row.commit[:12]}, which is not in {change.base[:7]}..{change.head[:7]}"
            reasons.append(Reason("L6", why, fe("finding", "answer", row.id, "--fixed", "--commit", blank("SHA"))))
    if reasons:
        refuse_task(task, "was not submitted", *reasons)


def answers_in(tx: Tx, task: TaskId, iteration: int) -> list[AnswerRow]:
    """Return the answers that belong to a submission."""
    return tx.all("finding.answers_in", AnswerRow, task=task, iteration=iteration)


class AnswerRow(msgspec.Struct, frozen=True):
    """A stored answer."""

    id: str
    word: str
    blocking: bool
    commit: str = ""


def places_of(context: Context, findings: Sequence[Finding], change: Change, last: Attempt) -> tuple[Placed, ...]:
    """Return the new place of each finding that moved. It follows renames and moved lines, or else the quote."""
    located = [finding for finding in findings if finding.path and finding.state != "obsolete"]
    if not located:
        return ()
    now_called = {old: new for new, old in context.repo.renames(last.head, change.head).items()}
    paths = {finding.root: now_called.get(finding.path, finding.path) for finding in located}
    texts = context.repo.texts(change.head, sorted(set(paths.values())))
    old = context.repo.texts(last.head, sorted({finding.path for finding in located if paths[finding.root] in texts}))
    lines = {each: moved(old[each], texts[now_called.get(each, each)]) for each in old}
    changed, before = _paths(change.files), _paths(last.files)
    places = []
    for finding in located:
        path = paths[finding.root]
        line = _line(finding, old.get(finding.path), texts[path], lines.get(finding.path, {})) if path in texts else 0
        place = Placed(
            finding.root,
            path,
            line or finding.line,
            left=(finding.left_diff or finding.path in before) and path not in changed,
        )
        if (place.path, place.line, place.left) != (finding.path, finding.line, finding.left_diff):
            places.append(place)
    return tuple(places)


def _line(finding: Finding, old: str | None, new: str, lines: Mapping[int, int]) -> int:
    """Return the finding's current line, 0 if it is gone. A copy that existed before is another place. (L2)"""
    code = normal(line_at(old, finding.line)) if old is not None and finding.line else ""
    if code and (not finding.quote or normal(finding.quote).startswith(code) or normal(finding.quote) in code):
        if finding.line in lines or not finding.quote:
            return lines.get(finding.line, 0)
        now = find_quote(finding.quote, new, finding.line)
        return 0 if now in set(lines.values()) else now
    return find_quote(finding.quote, new, finding.line) if finding.quote else 0


def _paths(files: Iterable[ChangedFile]) -> set[str]:
    return {path for file in files for path in (file.path, file.old_path) if path}


def carry(
    context: Context,
    work: Work,
    task: TaskId,
    event: AttemptSubmitted,
    places: tuple[Placed, ...],
    implementer: SessionId,
) -> None:
    """Update findings after a submission: move them, clear notes whose file left the change, and skip unanswered notes.
    (L4, L6, L14)
    """
    notes, gate = [finding for finding in findings_of_task(work.tx, task) if not finding.blocking], work.gate
    if places:
        gate.record(task, e.FindingsPlaced(iteration=event.n, places=places))
    gone = {place.root for place in places if place.left}
    left = tuple(note.root for note in notes if note.root in gone and note.state in UNRESOLVED)
    if left:
        gate.record(task, e.FindingsCleared(iteration=event.n, roots=left, why="left"))
    skipped = [note for note in notes if _is_unanswered(note) and note.root not in left]
    if skipped and event.n > 1:
        silent = tuple(Answer(finding=note.id, action="SKIPPED") for note in skipped)
        gate.record(
            task, e.FindingsAnswered(iteration=event.n, implementer=implementer, answers=silent, automatic=True)
        )
    _ask_lead(context, work, task, event.n)


def _is_unanswered(note: Finding) -> bool:
    return note.state == "open" and note.is_loop_item and not note.by_check


def _ask_lead(context: Context, work: Work, task: TaskId, n: int) -> None:
    """Ask the lead to decide, if too many blocking findings were rejected. (L14)"""
    given = [row.word for row in answers_in(work.tx, task, n) if row.blocking]
    limits = context.gate_policy(work.tx).limits
    if wants_lead(given, limits):
        rejected = sum(word == "REJECTED" for word in given)
        why = f"{rejected} of {len(given)} blocking findings of attempt {n} were rejected (L14)"
        ask_lead(context, work, task, why)
