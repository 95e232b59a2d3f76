"""Laundering (A6): work that was seen before brings its authors and its open blocking findings along, whatever task it
comes under.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from foureyes.app.call.authors import authors_of
from foureyes.app.call.context import Context
from foureyes.app.call.controls import EventRow, event_of
from foureyes.app.call.work import Work
from foureyes.app.findings.lookup import findings_of
from foureyes.app.findings.quoted import candidates, places_back, places_by_quote, taken_out
from foureyes.app.findings.raising import Names
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


def laundered(tx: Tx, event: AttemptSubmitted, task: TaskId) -> AttemptSubmitted:
    """A6: the authors of every attempt, of any task, that shares a commit's diff or a changed blob."""
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


class InheritedFindings(msgspec.Struct, frozen=True):
    """Where findings are again, by root, and the tasks that some of them are of. `back`: those that were settled there,
    because their code was taken out.
    """

    places: dict[str, Placed] = {}
    tasks: tuple[str, ...] = ()
    back: frozenset[str] = frozenset()


def found_again(context: Context, event: AttemptSubmitted, task: TaskId) -> InheritedFindings:
    """A6, L4: blocking findings of other tasks, and obsolete ones of this: where their code is in the attempt."""
    paths = sorted({path for file in event.files for path in (file.path, file.old_path) if path})
    with context.store.read() as tx:
        others = sorted(shared_with(tx, event.pieces, task))
        quoted = candidates(tx, event, task, paths) if paths else []
        settled = taken_out(tx, task, paths, others) if paths else []
        rows = [
            finding
            for other in others
            for finding in findings_of(tx, other)
            if finding.blocking and not finding.by_check
        ]
        rows += [finding for finding in findings_of(tx, task) if is_gone(finding)]
    paths = [file.path for file in event.files]
    texts = context.repo.texts(event.head, sorted(paths)) if rows else {}
    places = [
        _place(finding, sorted(paths, key=lambda path: path != finding.path), texts, own=finding.task == task)
        for finding in rows
    ]
    back = places_back(context, event, settled, others)
    by_quote = places_by_quote(context, event, quoted) | back
    tasks = {row.task for row in (*quoted, *settled) if row.root in by_quote}
    known = {place.root: place for place in places if place is not None}
    return InheritedFindings(by_quote | known, tuple(sorted(tasks)), frozenset(back))


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


def inherit(context: Context, work: Work, task: TaskId, event: AttemptSubmitted, found: InheritedFindings) -> None:
    """A6: the open blocking findings of such an attempt whose code is here are open here, too, and those that were
    settled because it was taken out; each once.
    """
    places, shared = found.places, sorted({*shared_with(work.tx, event.pieces, task), *found.tasks})
    if not shared:
        return
    origins = originals(work.tx, [task, *shared])
    have = {origins.get(finding.root, finding.root) for finding in findings_of(work.tx, task)}
    names = Names(work.tx, stem("TL", context.get(work.tx, task).group, task, event.n))
    copies: list[Raised] = []
    for finding in [finding for other in shared for finding in findings_of(work.tx, other)]:
        original = origins.get(finding.root, finding.root)
        blocks = finding.holds(work.at) or finding.root in found.back
        if blocks and finding.root in places and original not in have:
            have.add(original)
            copy = _copy(finding, places[finding.root], names.next())
            why = _came_along(
                finding, "It was taken out there, and is back" if finding.root in found.back else "It came along"
            )
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
    return copies_of(tx.all("journal.raised", EventRow, ids=sorted(tasks)))


def copies_of(rows: Iterable[EventRow]) -> dict[str, str]:
    """The copies that journal rows tell of; those from before there was a field for it say so in `rule`."""
    roots: dict[str, str] = {}
    for row in rows:
        event = event_of(row)
        if isinstance(event, e.FindingsRaised) and event.source == "inherited":
            roots |= {raised.root: raised.copy_of or raised.rule for raised in event.findings}
    return roots


def _came_along(finding: Finding, how: str) -> str:
    return f"{finding.why}\n\n{how} from {finding.id} of {finding.task} (A6).".strip()


def come_back(context: Context, work: Work, task: TaskId, event: AttemptSubmitted, found: InheritedFindings) -> None:
    """L4: what was ruled obsolete is open again, under another id, once its code is part of the change again."""
    names = Names(work.tx, stem("TL", context.get(work.tx, task).group, task, event.n))
    gone = [finding for finding in findings_of(work.tx, task) if is_gone(finding) and finding.root in found.places]
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
