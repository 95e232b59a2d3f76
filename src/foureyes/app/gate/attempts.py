"""Attempts: submit, show, and clear authors that a trailer names wrongly. (A1, I8)"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from foureyes.app.context import Context, needed, not_submitted, permit, refuse_task
from foureyes.app.facts import facts_of
from foureyes.app.gate.submission import Wish, submit_work
from foureyes.app.outcome import outcome
from foureyes.app.ports import Tx
from foureyes.app.results.attempt import SubmitOutcome
from foureyes.app.results.diff import DiffView, FileDiff
from foureyes.app.results.task_list import Outcome
from foureyes.app.work.remote_attempts import bring
from foureyes.core import events as e
from foureyes.core.documents.unified_diff import CONTEXT, MOST_CONTEXT, widened, without_space
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import makers_of
from foureyes.core.rules.policy import FOLDED_PATHS
from foureyes.core.words.ids import SessionId, Sha, TaskId
from foureyes.core.words.lifecycle import IMPLEMENTATION
from foureyes.core.words.paths import matching
from foureyes.errors import NotFound, Reason
from foureyes.steps import fe

# ---- Attempts ----


class Attempts:
    """Verbs to submit work and to read it."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def submit(
        self,
        actor: Actor,
        task: str,
        *,
        message: str = "",
        commit: str | None = None,
        include: Sequence[str] = (),
        no_code: bool = False,
        branch: str | None = None,
        signal: str = "DONE",
        if_version: int | None = None,
        elsewhere: bool = False,
    ) -> SubmitOutcome:
        """Submit the committed work of a branch as a new attempt. The rules then decide on its review (M). (K4)

        `commit` is a message: first commit everything, except likely secrets and very large files that `include` does
        not name. `elsewhere`: the caller has no current directory (a server). The task's branch is then used, and
        committing runs no program.
        """
        permit(actor, "submit")
        wish = Wish(
            task=task,
            message=message,
            commit=commit,
            include=tuple(include),
            no_code=no_code,
            branch=branch,
            signal=signal,
            if_version=if_version,
            elsewhere=elsewhere,
        )
        return submit_work(self._context, actor, wish)

    def correct_author(self, actor: Actor, task: str, session: str, reason: str) -> Outcome:
        """Record a person's statement that a trailer names the wrong author. Only authors known from nothing but trailers
        can be cleared. (I8)
        """
        permit(actor, "audit correct-author")
        reason = needed(reason, "audit correct-author", f"{task} {session}")
        with self._context.store.read() as tx:
            task_id = self._context.find_id(tx, task)
            name = only_by_trailer(facts_of(self._context, tx, task_id), session)
        signed = f"{name}: {reason}"
        with self._context.deciding(actor, "audit correct-author", task=task_id, reason=signed) as work:
            facts = facts_of(self._context, work.tx, task_id)
            if name not in makers_of(facts):
                return outcome(
                    facts.task, f"{facts.party_name(name)} is not counted as an author of {task_id}", changed=False
                )
            work.record(task_id, e.AttributionCleared(session=name, attempt=facts.task.iteration, reason=reason))
            event = SecurityRecorded(
                kind="attribution_cleared", rule="I8", reason=reason, detail=f"the trailer names {name} wrongly"
            )
            work.record(task_id, event)
            now = self._context.get(work.tx, task_id)
            return outcome(
                now,
                f"{facts.party_name(name)} no longer counts as an author of {task_id}",
                notes=("audited: fe audit log --exceptions",),
            )

    def diff(self, task: str, *, attempt: int | None = None, since: int | None = None) -> str:
        """Return the diff of an attempt as text, by default of the latest. `since`: only what changed since that
        attempt.
        """
        with self._context.store.read() as tx:
            name = self._context.find_id(tx, task)
            rows = attempts_of_task(tx, name)
            now = named_attempt(rows, name, attempt)
        bring(self._context, name)
        base = now.base if since is None else named_attempt(rows, name, since).head
        return self._context.repo.diff_text(base, now.head)

    def changes(
        self, task: str, *, attempt: int | None = None, since: int | None = None, context: int = 3, space: bool = True
    ) -> DiffView:
        """Return the diff of an attempt, by default the latest, as files, hunks and numbered lines.

        `since`: compare with the head of that attempt. `context`: lines around each place, at least three.
        `space=False` leaves out white-space changes.
        """
        return change_of(self._context, task, attempt, since, context, space=space)


def only_by_trailer(facts: Facts, text: str) -> SessionId:
    """Return the author with this id or name. Refuse one that is known from more than a trailer. (I8)"""
    task = facts.task.id
    authors = {author.session for author in facts.authors or ()}
    named = {name for name in authors if name == text} or {name for name in authors if facts.party(name).name == text}
    if len(named) != 1:
        raise NotFound(f"{task} has no author {text}.", next_step=fe("show", task), task=task)
    (session,) = named
    acts = [
        entry.action for entry in facts.history or () if entry.session == session and entry.action in IMPLEMENTATION
    ]
    held = any(author.session == session and author.source != "trailer" for author in facts.authors or ())
    if held or set(acts) - {"committed"} or facts.task.implementer == session:
        reason = Reason(
            "I8",
            f"{facts.party_name(session)} worked on it with a claim or token, and only a trailer can be corrected",
            fe("show", task),
        )
        refuse_task(task, "was not changed", reason)
    return session


# ---- Changes as structure ----


class Frozen(msgspec.Struct, frozen=True):
    """An attempt's commits and diff id."""

    n: int
    base: Sha
    head: Sha
    diff_id: str


def change_of(
    context: Context, task: str, attempt: int | None, since: int | None, around: int = CONTEXT, *, space: bool = True
) -> DiffView:
    """Return the diff of an attempt, from its base or from the head of attempt `since`."""
    with context.store.read() as tx:
        name = context.find_id(tx, task)
        rows = attempts_of_task(tx, name)
        now = named_attempt(rows, name, attempt)
        then = named_attempt(rows, name, since) if since is not None else None
        exclude = context.gate_policy(tx).coverage_exclude
    bring(context, name)
    base = then.head if then else now.base
    wanted = min(max(around, CONTEXT), MOST_CONTEXT)
    whole = _carried(context, then, now, CONTEXT) if then else None
    is_carried = whole is not None
    if whole is None:
        whole = context.repo.file_diffs(base, now.head)
    files = whole
    if wanted > CONTEXT:
        wider = _carried(context, then, now, wanted) if then and is_carried else None
        files = widened(whole, context.repo.file_diffs(base, now.head, wanted) if wider is None else wider)
    files = files if space else without_space(files)
    hidden = None if space else _hunks(whole) - _hunks(files)
    own = _own(context, then, now) if then else None
    if then and own and then.base != now.base and not is_carried:
        files = _without_target(files, own, context.repo.file_diffs(then.base, now.base))
    files = marked(files, exclude)
    return DiffView(
        task=name,
        attempt=now.n,
        diff_id=now.diff_id,
        since=since,
        base=base,
        head=now.head,
        files=files,
        unchanged=_unchanged(own) if own else (),
        context=wanted,
        hidden=hidden,
    )


def _carried(context: Context, then: Frozen, now: Frozen, around: int) -> tuple[FileDiff, ...] | None:
    """Return the change between two attempts, with the earlier one rebased onto the later base. None if the base is the
    same, or if git cannot do it cleanly.
    """
    if then.base == now.base:
        return None
    return context.repo.diffs_since(then.base, then.head, now.base, now.head, around)


OwnAndOthers = tuple[tuple[FileDiff, ...], tuple[FileDiff, ...]]
"""The full changes of two attempts, each from its own base."""


def _own(context: Context, then: Frozen, now: Frozen) -> OwnAndOthers:
    return context.repo.file_diffs(then.base, then.head), context.repo.file_diffs(now.base, now.head)


def _without_target(
    files: tuple[FileDiff, ...], own: OwnAndOthers, brought: tuple[FileDiff, ...]
) -> tuple[FileDiff, ...]:
    """Return the files without changes that came only from the target: files that neither attempt touches, and hunks
    equal to the target's. A mixed hunk stays.
    """
    touched = {path for files in own for file in files for path in _paths(file)}
    hunks = {file.path: Counter(hunk.id for hunk in file.hunks) for file in brought}
    parts = [_without(file, hunks.get(file.path, Counter())) for file in files if _paths(file) & touched]
    return tuple(part for part in parts if part is not None)


def _paths(file: FileDiff) -> set[str]:
    return {file.path, file.old_path or file.path}


def _without(file: FileDiff, brought: Counter[str]) -> FileDiff | None:
    """Return a file without the given hunks, each removed as often as counted. None if nothing is left."""
    left, hunks = Counter(brought), []
    for hunk in file.hunks:
        if left[hunk.id] > 0:
            left[hunk.id] -= 1
        else:
            hunks.append(hunk)
    if len(hunks) == len(file.hunks):
        return file
    kinds = Counter(line.kind for hunk in hunks for line in hunk.lines)
    left_over = replace(file, hunks=tuple(hunks), added=kinds["added"], removed=kinds["removed"])
    return left_over if hunks else None


def _hunks(files: tuple[FileDiff, ...]) -> int:
    return sum(len(file.hunks) for file in files)


def attempts_of_task(tx: Tx, task: TaskId) -> list[Frozen]:
    """Return every attempt in order. Raises `NotFound` if there is none."""
    rows = tx.all("attempt.of_task", Frozen, task=task)
    if not rows:
        raise not_submitted(task)
    return rows


def named_attempt(rows: list[Frozen], task: TaskId, n: int | None) -> Frozen:
    """Return the attempt with this number, or the latest."""
    for row in rows:
        if row.n == n:
            return row
    if n is not None:
        raise NotFound(f"{task} has no attempt {n}; it has {len(rows)}.", next_step=fe("show", task), task=task)
    return rows[-1]


def marked(files: tuple[FileDiff, ...], exclude: tuple[str, ...]) -> tuple[FileDiff, ...]:
    """Return the files, with generated ones folded and last, and those excluded from coverage not counted.

    An excluded file that was moved from elsewhere still counts, because its removal there must be seen.
    """
    excluded = {file.path for file in files if _stays_among(file, exclude)}
    names = excluded | {file.path for file in files if _stays_among(file, FOLDED_PATHS)}
    written = tuple(
        replace(file, folded=True, counts=file.path not in excluded) for file in files if file.path in names
    )
    return tuple(file for file in files if file.path not in names) + written


def _stays_among(file: FileDiff, globs: tuple[str, ...]) -> bool:
    paths = {file.path, file.old_path or file.path}
    return len(matching(paths, globs)) == len(paths)


def hunks_to_see(context: Context, base: Sha, head: Sha, exclude: tuple[str, ...]) -> list[str]:
    """Return the ids of all hunks that an approver should see. Files excluded from coverage are left out. (H4)"""
    return [
        hunk.id for file in marked(context.repo.file_diffs(base, head), exclude) if file.counts for hunk in file.hunks
    ]


def _unchanged(own: OwnAndOthers) -> tuple[str, ...]:
    """Return the paths with the same change in both attempts, even if its lines moved."""
    before, after = map(_by_path, own)
    return tuple(path for path, change in after.items() if before.get(path) == change)


def _by_path(files: tuple[FileDiff, ...]) -> dict[str, tuple[object, ...]]:
    return {
        file.path: (file.status, file.old_path, file.mode_change, *(hunk.id for hunk in file.hunks)) for file in files
    }
