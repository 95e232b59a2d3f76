"""Inheritance (A6): work that was submitted before brings its authors and its open blocking findings along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from foureyes.app.context import Context, Work
from foureyes.app.facts import EventRow, authors_of, event_of
from foureyes.app.findings.records import Names, findings_of_task
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
    """A piece that an attempt of another task has, too."""

    piece: str
    task: str
    attempt: int


def shared_with(tx: Tx, pieces: tuple[str, ...], task: TaskId) -> dict[str, Shared]:
    """The other tasks that had some of this before, each with one piece that shows it."""
    if not pieces:
        return {}
    shared: dict[str, Shared] = {}
    for row in tx.all("finding.shared_pieces", Shared, pieces=list(pieces), task=task):
        shared.setdefault(row.task, row)
    return shared


def with_shared_authors(tx: Tx, event: AttemptSubmitted, task: TaskId) -> AttemptSubmitted:
    """A6: add the authors of every attempt, of any task, that shares a commit's diff or a changed blob."""
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
    """Findings whose code is in an attempt, each where it is there; the other tasks that had some at the same paths."""

    places: dict[str, Placed] = {}
    tasks: tuple[str, ...] = ()


def found_again(context: Context, event: AttemptSubmitted, task: TaskId) -> FoundAgain:
    """A6, L4: blocking findings of other tasks, and obsolete ones of this, whose code is in the attempt."""
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
    """Where its quote still is. A changed file that cannot be read as text may have it (G1)."""
    if path in texts:
        line = find_quote(finding.quote, texts[path], finding.line)
        return Placed(finding.root, path, line) if line else None
    is_deleted = any(mark.kind == "deleted" and mark.path == path for mark in event.marks)
    return None if is_deleted else Placed(finding.root, path, finding.line)


def is_gone(finding: Finding) -> bool:
    """L4: a blocking finding that somebody ruled obsolete because its file had left the change."""
    return finding.state == "obsolete" and finding.blocking and not finding.by_check


def _place(finding: Finding, paths: Sequence[str], texts: Mapping[str, str], *, own: bool) -> Placed | None:
    """By its quote, under its own name or another one; without a quote, and for another task's, its file will do."""
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
    """A6: the open blocking findings of such attempts whose code is here are open here, too, each once."""
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
            why = f"{finding.why}\n\nIt came along from {finding.id} of {finding.task} (A6).".strip()
            copies.append(msgspec.structs.replace(copy, copy_of=original, why=why))
    if copies:
        raised = e.FindingsRaised(iteration=event.n, kind="TL", source="inherited", findings=tuple(copies))
        work.gate.record(task, raised)


def settled_copies(context: Context, task: TaskId, findings: Sequence[Finding], change: Change) -> tuple[str, ...]:
    """A6: the findings that came along from another task, are settled there, and whose code is in no changed file any
    more: they follow their root.
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
    """The roots of findings that are copies, each with the root that it is a copy of: what was found once comes along
    once, and never back to where it was found.
    """
    roots: dict[str, str] = {}
    for row in tx.all("journal.raised", EventRow, ids=sorted(tasks)):
        event = event_of(row)
        if isinstance(event, e.FindingsRaised) and event.source == "inherited":
            roots |= {raised.root: raised.copy_of for raised in event.findings}
    return roots


def come_back(context: Context, work: Work, task: TaskId, event: AttemptSubmitted, found: FoundAgain) -> None:
    """L4: what was ruled obsolete is open again, under another id, once its code is part of the change again."""
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
