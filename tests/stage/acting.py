"""What people and agents do, in a word each: planning, submitting and approving, over any Application."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from foureyes.app.application import Application
from foureyes.app.results.attempt import SubmitOutcome
from foureyes.app.results.review import ApprovalOutcome
from foureyes.app.results.task import TaskDetail
from foureyes.app.results.task_list import Outcome
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.task import Task

from tests.stage.people import ALICE, BOB, CLAUDE


class Acting:
    """Everybody who acts over one Application; whoever inherits says which."""

    @property
    def app(self) -> Application:
        raise NotImplementedError

    def create(self, actor: Actor = ALICE, title: str = "a task", **fields: Any) -> str:
        return self.app.tasks.create(actor, title, **fields).task

    def start(self, actor: Actor, task: str) -> Outcome:
        return self.app.claims.start(actor, task)

    def started(self, actor: Actor = CLAUDE, **fields: Any) -> str:
        """A task that somebody works on."""
        task = self.create(**fields)
        self.start(actor, task)
        return task

    def submit(self, actor: Actor, task: str, **options: Any) -> SubmitOutcome:
        return self.app.attempts.submit(actor, task, **options)

    def submit_work(
        self, actor: Actor, creator: Actor, change: Callable[[str], object], via: Actor | None = None, **fields: Any
    ) -> str:
        """A task in review: planned, started, changed, submitted (by `via` for the implementer)."""
        task = self.create(creator, **fields)
        self.start(actor, task)
        change(task)
        self.submit(via or actor, task)
        return task

    def approve(self, actor: Actor, task: str, *, reason: str = "", seen: str | None = None) -> ApprovalOutcome:
        """Approve what is submitted now."""
        shown = self.seen(task) if seen is None else seen
        return self.app.decisions.approve(actor, task, seen=shown, reason=reason)

    def seen(self, task: str) -> str:
        """What the change that is submitted now is called (D7); empty where nothing is."""
        attempts = self.show(task).attempts
        return attempts[-1].seen if attempts else ""

    def show(self, task: str, actor: Actor = BOB) -> TaskDetail:
        return self.app.lists.show(actor, task)

    def task(self, task: str) -> Task:
        return self.show(task).task

    def status(self, task: str) -> str:
        return self.task(task).status
