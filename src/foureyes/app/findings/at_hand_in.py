"""What a submission asks of answers: none missing, no foreign commits, places carried along (L6)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from foureyes.app.call.context import Context
from foureyes.app.call.refusals import refuse_task
from foureyes.app.call.work import Work
from foureyes.app.findings.lookup import findings_of
from foureyes.app.ports import Tx
from foureyes.app.tasks.escalation import ask_lead
from foureyes.core import events as e
from foureyes.core.events.decision import AttemptSubmitted
from foureyes.core.events.loop import Placed
from foureyes.core.loop.answering import unanswered
from foureyes.core.loop.engine import wants_lead
from foureyes.core.loop.fingerprint import find_quote, line_at, normal
from foureyes.core.loop.moved_lines import moved
from foureyes.core.nouns.attempt import Attempt, Change, ChangedFile
from foureyes.core.nouns.finding import Answer, Finding
from foureyes.core.nouns.finding_state import UNRESOLVED
from foureyes.core.words.ids import SessionId, TaskId
from foureyes.errors import Reason
from foureyes.steps import blank, fe


def refuse_unanswered(tx: Tx, task: TaskId, now: str, settled: Collection[str] = ()) -> None:
    """L6: a submission leaves no blocking finding without an answer; `settled`: those that follow their root (A6)."""
    reasons = unanswered([each.at_time(now) for each in findings_of(tx, task) if each.root not in settled])
    if reasons:
        refuse_task(task, "was not submitted", *reasons)


def refuse_foreign_commits(answers: Sequence[AnswerRow], task: TaskId, change: Change) -> None:
    """L6: a commit that an answer names lies in what is submitted."""
    mine = [commit.sha for commit in change.commits]
    reasons = []
    for row in answers:
        if row.commit and not any(sha.startswith(row.commit) for sha in mine):
            why = f"{row.id} names commit {row.commit[:12]}, which is not in {change.base[:7]}..{change.head[:7]}"
            reasons.append(Reason("L6", why, fe("finding", "answer", row.id, "--fixed", "--commit", blank("SHA"))))
    if reasons:
        refuse_task(task, "was not submitted", *reasons)


def answers_in(tx: Tx, task: TaskId, iteration: int) -> list[AnswerRow]:
    """The answers that a submission brings along."""
    return tx.all("finding.answers_in", AnswerRow, task=task, iteration=iteration)


class AnswerRow(msgspec.Struct, frozen=True):
    """An answer that a submission carries."""

    id: str
    word: str
    blocking: bool
    commit: str = ""


def places_of(context: Context, findings: Sequence[Finding], change: Change, last: Attempt) -> tuple[Placed, ...]:
    """Where the code of every finding is in a new attempt: renames followed, lines where they moved to, else found
    again by their quote.
    """
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
    """Where a finding's line is now; 0 where it is gone. Where the same code stands elsewhere, and did so before, that
    is another place (L2).
    """
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
    """What a submission does about findings: skipped are those without an answer, each is where its code is now (L6, L4,
    L14).
    """
    notes, gate = [finding for finding in findings_of(work.tx, task) if not finding.blocking], work.gate
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
    """L14: too many rejections of blocking findings are for the lead to look at."""
    given = [row.word for row in answers_in(work.tx, task, n) if row.blocking]
    limits = context.gate_policy(work.tx).limits
    if wants_lead(given, limits):
        rejected = sum(word == "REJECTED" for word in given)
        why = f"{rejected} of {len(given)} blocking findings of attempt {n} are rejected (L14)"
        ask_lead(context, work, task, why)
