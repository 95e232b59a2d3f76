"""Attempts: submit, look at what was submitted, clear who was named wrongly (A1, I8)."""

from __future__ import annotations

from collections.abc import Sequence

from foureyes.app.call.caller import permit
from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of
from foureyes.app.call.outcome import outcome
from foureyes.app.call.refusals import needed, refuse_task
from foureyes.app.gate.changes import attempts_of_task, change_of, named_attempt
from foureyes.app.gate.hand_in import Wish, hand_in
from foureyes.app.views.attempt import SubmitOutcome
from foureyes.app.views.diff import DiffView
from foureyes.app.views.outcome import Outcome
from foureyes.app.work.other_machines import bring
from foureyes.core import events as e
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import makers_of
from foureyes.core.words.ids import SessionId
from foureyes.core.words.lifecycle import IMPLEMENTATION
from foureyes.errors import NotFound, Reason
from foureyes.steps import fe


class Attempts:
    """Submit, and look at what was submitted."""

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
        apart: bool = False,
    ) -> SubmitOutcome:
        """Submit: what is committed is frozen, from whatever branch it is on (K4), and the mode decides (M). `commit`
        commits everything first; what looks like a secret or is very large only if `include` names it. `apart`: the
        caller stands nowhere (a server), so the branch is the task's, and what is committed there runs no program.
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
            apart=apart,
        )
        return hand_in(self._context, actor, wish)

    def clear_author(self, actor: Actor, task: str, session: str, reason: str) -> Outcome:
        """I8: a person says that a trailer names somebody wrongly; on record, and only what trailers say is cleared."""
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
                kind="attribution_cleared", rule="I8", reason=reason, detail=f"{name} is no author by trailer"
            )
            work.record(task_id, event)
            now = self._context.get(work.tx, task_id)
            return outcome(
                now,
                f"{facts.party_name(name)} no longer counts as an author of {task_id}",
                notes=("audited: fe audit exceptions",),
            )

    def diff(self, task: str, *, attempt: int | None = None, since: int | None = None) -> str:
        """The change of an attempt, the latest if none is named, or what changed since attempt N, for reading."""
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
        """The change of an attempt, the latest if none is named, as files, hunks and numbered lines.

        `since`: compared with the head of that attempt, and not with the attempt's base. `context`: so many lines
        around each place, at least three. `space`: False leaves out what changed in white space only.
        """
        return change_of(self._context, task, attempt, since, context, space=space)


def only_by_trailer(facts: Facts, text: str) -> SessionId:
    """The author that is meant by id or name; one that did more than be named in a trailer stays an author (I8)."""
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
            f"{facts.party_name(session)} held the claim or a token for it: history is never cleared",
            fe("show", task),
        )
        refuse_task(task, "was not changed", reason)
    return session
