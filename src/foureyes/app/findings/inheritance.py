"""Inheritance: work that is submitted again keeps its authors and its open blocking findings. (A6)"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from foureyes.app.context import Context, Work
from foureyes.app.facts import EventRow, authors_of, event_of
from foureyes.app.findings.raising import Names, findings_of_task
from foureyes.app.ports import Tx
from foureyes.core import events as e
from foureyes.core.events.decision import AttemptSubmitted
from foureyes.core.events.loop import Placed
from foureyes.core.loop.fingerprint import find_quote
from foureyes.core.nouns.attempt import Author, Change
from foureyes.core.nouns.finding import Finding, Raised, stem
from foureyes.core.nouns.finding_state import UNRESOLVED
from foureyes.core.words.ids import SessionId, TaskId


class Shared(msgspec.Struct, frozen=True):
    """A piece that an attempt of another task has too."""

    piece: str
    task: str
    attempt: int


def shared_with(tx: Tx, pieces: tuple[str, ...], task: TaskId) -> dict[str, Shared]:
    """Return other tasks that submitted one of these pieces, each with one such piece."""
    if not pieces:
        return {}
    shared: dict[str, Shared] = {}
    for row in tx.all("finding.shared_pieces", Shared, pieces=list(pieces), task=task):
        shared.setdefault(row.task, row)
    return shared


def with_shared_authors(tx: Tx, event: AttemptSubmitted, task: TaskId) -> AttemptSubmitted:
    """Add the authors of all attempts that share a commit's diff or a changed blob. (A6)"""
    shared = shared_with(tx, event.pieces, task)
    if not shared:
        return event
    known = {author.session for author in event.authors}
    more: dict[SessionId, Author] = {}
    for row in authors_of(tx, sorted(shared)):
        if row.session not in known:
            kind, _, name = shared[row.task].piece.partition(" ")
            more.setdefault(row.session, Author.by("shared", row.session, f"{kind} {name[:7]} with {row.task}"))
    return msgspec.structs.replace(event, authors=(*event.authors, *more.values())) if more else event


class FoundAgain(msgspec.Struct, frozen=True):
    """Findings whose code is in an attempt, with their new places. `tasks` had findings at the same paths."""

    places: dict[str, Placed] = {}
    tasks: tuple[str, ...] = ()


def found_again(context: Context, event: AttemptSubmitted, task: TaskId) -> FoundAgain:
    """Find blocking findings whose code is in the attempt: those of other tasks, and obsolete ones of this task. (A6,
    L4)
    """
    now_called = {name: file.path for file in event.files for name in (file.path, file.old_path) if name}
    with context.store.read() as tx:
        shared = [
            finding
            for other in sorted(shared_with(tx, event.pieces, task))
            for finding in findings_of_task(tx, other)
            if finding.blocking and not finding.by_check
        ]
        own = [finding for finding in findings_of_task(tx, task) if is_gone(finding)]
        same_path = tx.all("finding.at_paths", Finding, task=task, paths=sorted(now_called)) if now_called else []
    paths = sorted({file.path for file in event.files})
    texts = context.repo.texts(event.head, paths) if shared or own or same_path else {}
    places = [_same_path(finding, now_called[finding.path], event, texts) for finding in same_path]
    tasks = {finding.task for finding, place in zip(same_path, places, strict=True) if place is not None}
    places += [
        _place(finding, sorted(paths, key=lambda path: path != finding.path), texts, own=finding.task == task)
        for finding in (*shared, *own)
    ]
    return FoundAgain({place.root: place for place in places if place is not None}, tuple(sorted(tasks)))


def _same_path(finding: Finding, path: str, event: AttemptSubmitted, texts: Mapping[str, str]) -> Placed | None:
    """Return the place of the quote, or None. A file that is not readable as text may contain it, so it counts. (G1)"""
    if path in texts:
        line = find_quote(finding.quote, texts[path], finding.line)
        return Placed(finding.root, path, line) if line else None
    is_deleted = any(mark.kind == "deleted" and mark.path == path for mark in event.marks)
    return None if is_deleted else Placed(finding.root, path, finding.line)


def is_gone(finding: Finding) -> bool:
    """Return True for a blocking finding that was ruled obsolete because its file left the change. (L4)"""
    return finding.state == "obsolete" and finding.blocking and not finding.by_check


def _place(finding: Finding, paths: Sequence[str], texts: Mapping[str, str], *, own: bool) -> Placed | None:
    """Return the place of a finding by its quote, in its file or another one. Without a quote, another task's finding
    matches by its file.
    """
    lines = (
        ((path, find_quote(finding.quote, texts[path], finding.line)) for path in paths if path in texts)
        if finding.quote
        else ()
    )
    path, line = next((place for place in lines if place[1]), ("", 0))
    if line:
        return Placed(finding.root, path, line)
    if finding.path in paths and (not own or not finding.quote):
        return Placed(finding.root, finding.path, finding.line)
    return (
        Placed(finding.root, finding.path, finding.line) if not own and not (finding.path and finding.quote) else None
    )


def inherit(context: Context, work: Work, task: TaskId, event: AttemptSubmitted, found: FoundAgain) -> None:
    """Copy the open blocking findings whose code is in this attempt, each once. (A6)"""
    shared = sorted({*shared_with(work.tx, event.pieces, task), *found.tasks})
    if not shared:
        return
    origins = originals(work.tx, [task, *shared])
    have = {origins.get(finding.root, finding.root) for finding in findings_of_task(work.tx, task)}
    names = Names(work.tx, stem("TL", context.get(work.tx, task).group, task, event.n))
    copies: list[Raised] = []
    for finding in [finding for other in shared for finding in findings_of_task(work.tx, other)]:
        original = origins.get(finding.root, finding.root)
        if finding.holds(work.at) and finding.root in found.places and original not in have:
            have.add(original)
            copy = _copy(finding, found.places[finding.root], names.next())
            why = f"{finding.why}\n\nIt was copied from {finding.id} of {finding.task} (A6).".strip()
            copies.append(msgspec.structs.replace(copy, copy_of=original, why=why))
    if copies:
        raised = e.FindingsRaised(iteration=event.n, kind="TL", source="inherited", findings=tuple(copies))
        work.gate.record(task, raised)


def settled_copies(context: Context, task: TaskId, findings: Sequence[Finding], change: Change) -> tuple[str, ...]:
    """Return copied findings that are settled in their own task and whose code is in no changed file. They are settled
    here too. (A6)
    """
    copies = [each for each in findings if each.source == "inherited" and each.state in UNRESOLVED]
    if not copies:
        return ()
    with context.store.read() as tx:
        roots = originals(tx, [task])
        known = {each.root: tx.one("finding.one", Finding, id=roots.get(each.root, "")) for each in copies}
    settled = [each for each in copies if (root := known[each.root]) and root.state in ("resolved", "obsolete")]
    paths = sorted(file.path for file in change.files)
    texts = context.repo.texts(change.head, paths) if settled else {}
    return tuple(each.root for each in settled if not _is_here(each, paths, texts.values()))


def _is_here(finding: Finding, paths: Sequence[str], texts: Iterable[str]) -> bool:
    if not finding.quote:
        return not finding.path or finding.path in paths
    return any(find_quote(finding.quote, text, finding.line) for text in texts)


def originals(tx: Tx, tasks: Sequence[str]) -> dict[str, str]:
    """Return the original root of each copied finding. A finding is copied once, and never back to where it came
    from.
    """
    roots: dict[str, str] = {}
    for row in tx.all("journal.raised", EventRow, ids=sorted(tasks)):
        event = event_of(row)
        if isinstance(event, e.FindingsRaised) and event.source == "inherited":
            roots |= {raised.root: raised.copy_of for raised in event.findings}
    return roots


def come_back(context: Context, work: Work, task: TaskId, event: AttemptSubmitted, found: FoundAgain) -> None:
    """Reopen obsolete findings whose code is part of the change again, under a new id. (L4)"""
    names = Names(work.tx, stem("TL", context.get(work.tx, task).group, task, event.n))
    gone = [finding for finding in findings_of_task(work.tx, task) if is_gone(finding) and finding.root in found.places]
    raised_again = tuple(
        msgspec.structs.replace(_copy(finding, found.places[finding.root], names.next()), root=finding.root)
        for finding in gone
    )
    if raised_again:
        raised = e.FindingsRaised(iteration=event.n, kind="TL", source="came back", findings=raised_again)
        work.gate.record(task, raised)


def _copy(finding: Finding, place: Placed, name: str) -> Raised:
    return Raised(
        id=name,
        root=name,
        severity=finding.severity,
        title=finding.title,
        path=place.path,
        line=place.line,
        problem=finding.problem,
        fix=finding.fix,
        why=finding.why,
        quote=finding.quote,
        symbol=finding.symbol,
        rule=finding.rule,
        fix_patch=finding.fix_patch,
        tool=finding.tool,
        mark=finding.mark,
        anchored=finding.anchored,
    )
