"""Sprints (X): plan, start, look, stop; and what a runner does with them. Counts come from the journal (G6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.caller import permit
from foureyes.app.call.leasing import check_runner
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.call.rows import Count
from foureyes.app.sprint import looking, planning, reporting, starting, undoing
from foureyes.app.sprint.starting import refuse_unnamed
from foureyes.app.tasks.sprinting import find, the_one_going_on
from foureyes.app.views.sprint import SPRINT_AGENTS, SprintBegun
from foureyes.core import events as e
from foureyes.core.nouns.sprint import sprint_name
from foureyes.core.words.text import clean_text, one_line
from foureyes.errors import Reason
from foureyes.steps import fe

if TYPE_CHECKING:
    from collections.abc import Callable

    from foureyes.app.call.context import Context
    from foureyes.app.call.work import Work
    from foureyes.app.views.sprint import SprintAsk, SprintPlanView, SprintReport, SprintUndo, SprintView
    from foureyes.core.events import Event
    from foureyes.core.nouns.session import Actor
    from foureyes.core.nouns.sprint import EndKind, PauseKind, Sprint

WHY_LENGTH = 500


class Sprints:
    """A chosen set of tasks with an end."""

    def __init__(self, context: Context) -> None:
        self._context = context

    # Planning

    def preview(self, actor: Actor, ask: SprintAsk) -> SprintPlanView:
        """X1: what a sprint would be; nothing is stored."""
        options = planning.options_of(self._context, ask)
        with self._context.store.read() as tx:
            planned = planning.plan(self._context, tx, actor, options)
        return planning.with_warnings(self._context, planned.view)

    def plan(self, actor: Actor, ask: SprintAsk) -> SprintPlanView:
        """X1: store a plan; nothing begins by it."""
        permit(actor, "sprint plan")
        options = planning.options_of(self._context, ask)
        with self._context.writing(actor, "sprint plan") as work:
            planned = planning.plan(self._context, work.tx, actor, options)
            planning.refuse_nothing(planned.view)
            name = sprint_name(self._last(work) + 1)
            event = e.SprintPlanned(
                sprint=name,
                target=options.target,
                tasks=planned.chosen,
                pause_on_error=planned.view.pause_on_error,
                checkpoint=planned.view.checkpoint,
            )
            work.record("", event)
        view = msgspec.structs.replace(planned.view, id=name, next=fe("sprint", "start", name))
        return planning.with_warnings(self._context, view)

    @staticmethod
    def _last(work: Work) -> int:
        row = work.tx.one("sprint.last", Count)
        return row.n if row is not None else 0

    # From its start to its end

    def start(self, actor: Actor, sprint: str, *, agents: int = SPRINT_AGENTS) -> SprintBegun:
        """X2, X5: a plan begins, a paused sprint goes on, one that lost its runner gets another. Where no runner is at
        work, one is started; where that may not be, nothing begins.
        """
        permit(actor, "sprint start")
        return starting.start(self._context, actor, sprint, agents)

    def stop(self, actor: Actor, sprint: str = "", *, reason: str = "") -> SprintBegun:
        """X2: none of its tasks begins any more; what runs finishes. A plan that is named is taken back."""
        reason = clean_text(reason, "the reason").strip()
        with self._context.writing(actor, "sprint stop") as work:
            refuse_unnamed(self._context, work)
            row = the_one_going_on(work.tx, sprint, "stop")
            if row.state == "ended":
                return SprintBegun(id=row.id, message=f"{row.id} is over already: {row.why}", changed=False)
            kind: EndKind = "withdrawn" if row.state == "planned" else "stopped"
            why = reason or f"{actor.name} {'took it back' if kind == 'withdrawn' else 'stopped it'}"
            work.record("", e.SprintEnded(sprint=row.id, kind=kind, why=why))
        if kind == "withdrawn":
            return SprintBegun(id=row.id, message=f"{row.id} was a plan, and is none any more")
        message = f"{row.id} is over. None of its tasks starts any more, and current runs finish."
        return SprintBegun(id=row.id, message=message, next=fe("sprint", "report", row.id))

    def pause(self, actor: Actor, sprint: str = "", *, reason: str = "") -> SprintBegun:
        """X3: none of its tasks begins until a person lets it go on; what runs finishes."""
        reason = clean_text(reason, "the reason").strip()
        with self._context.writing(actor, "sprint pause") as work:
            refuse_unnamed(self._context, work)
            row = the_one_going_on(work.tx, sprint, "pause")
            if row.state == "paused":
                return SprintBegun(id=row.id, message=f"{row.id} is paused already: {row.why}", changed=False)
            if row.state != "running":
                why = Reason(
                    "X3",
                    f"{row.id} is {row.state}: only a running sprint can be paused",
                    fe("sprint", "status", row.id),
                )
                refuse_verb(f"{row.id} was not paused.", why)
            work.record("", e.SprintPaused(sprint=row.id, kind="person", why=reason or f"{actor.name} paused it"))
        return SprintBegun(
            id=row.id,
            message=f"{row.id} is paused. None of its tasks starts, and current runs finish.",
            next=fe("sprint", "start", row.id, after="   goes on"),
        )

    # What a runner does with it

    def halt(self, runner: Actor, sprint: str, *, kind: PauseKind, why: str) -> bool:
        """X3: a rule pauses it; False where it does not run any more."""
        return self._move(
            runner, sprint, "running", lambda row: e.SprintPaused(sprint=row.id, kind=kind, why=_cut(why))
        )

    def go_on(self, runner: Actor, sprint: str, *, why: str) -> bool:
        """X3: what stopped it is gone."""
        return self._move(runner, sprint, "paused", lambda row: e.SprintResumed(sprint=row.id, why=_cut(why)))

    def finish(self, runner: Actor, sprint: str, *, kind: EndKind, why: str) -> bool:
        """X2: it is over."""
        return self._move(runner, sprint, "", lambda row: e.SprintEnded(sprint=row.id, kind=kind, why=_cut(why)))

    def _move(self, runner: Actor, sprint: str, state: str, event: Callable[[Sprint], Event]) -> bool:
        with self._context.writing(runner, "run") as work:
            check_runner(work.tx, runner)
            row = find(work.tx, sprint)
            if not row.is_active or (state and row.state != state):
                return False
            work.record("", event(row))
            return True

    # Looking

    def status(self, actor: Actor, sprint: str = "") -> SprintView:
        """X2, X5: how far a sprint is; without a name the one that runs, else the newest."""
        return looking.view(self._context, actor, sprint)

    def listed(self, *, limit: int = 20) -> list[SprintView]:
        """The newest first."""
        return looking.listed(self._context, limit)

    def report(self, actor: Actor, sprint: str = "") -> SprintReport:
        """What a person reads in the morning."""
        return reporting.report(self._context, actor, sprint)

    def undo(self, actor: Actor, sprint: str) -> SprintUndo:
        """X5: plan a task for each that it merged, which takes its work back. They are reviewed like any other."""
        permit(actor, "sprint undo")
        return undoing.undo(self._context, actor, sprint)


def _cut(why: str) -> str:
    return one_line(why, WHY_LENGTH)
