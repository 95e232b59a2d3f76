"""The Application: what every face receives. One attribute per noun, one method per verb (G3).

Nouns are made when first asked for: an agent calls `fe` hundreds of times, and each call needs one or two of them.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from foureyes.app.call.context import Context

if TYPE_CHECKING:
    from foureyes.app.exchange.findings import Exchange
    from foureyes.app.exchange.handoffs import Handoffs
    from foureyes.app.findings.answers import Answers
    from foureyes.app.findings.findings import Findings
    from foureyes.app.findings.rulings import Rulings
    from foureyes.app.gate.attempts import Attempts
    from foureyes.app.gate.checks import Checks
    from foureyes.app.gate.merging import Merges
    from foureyes.app.pages.completion import Validation
    from foureyes.app.pages.doctor import Doctor
    from foureyes.app.pages.lists import Lists
    from foureyes.app.pages.review_queue import Queue
    from foureyes.app.pages.stats import Stats
    from foureyes.app.pages.status import Status
    from foureyes.app.project.audit import Audit
    from foureyes.app.project.keys import Keys
    from foureyes.app.project.policy import Policy
    from foureyes.app.project.projects import Projects
    from foureyes.app.project.sessions import Sessions
    from foureyes.app.review.closing import Closing
    from foureyes.app.review.decisions import Decisions
    from foureyes.app.review.feedback import Feedback
    from foureyes.app.review.lead import Loops
    from foureyes.app.review.prompts import Prompts
    from foureyes.app.review.reviews import Reviews
    from foureyes.app.tasks.notes import Notes
    from foureyes.app.tasks.plans import Plans
    from foureyes.app.tasks.stops import Stops
    from foureyes.app.tasks.tasks import Tasks
    from foureyes.app.work.checkpoints import Checkpoints
    from foureyes.app.work.claims import Claims
    from foureyes.app.work.worktrees import Worktrees


class Application:
    """Everything you can do with a project."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @cached_property
    def tasks(self) -> Tasks:
        from foureyes.app.tasks.tasks import Tasks

        return Tasks(self.context)

    @cached_property
    def claims(self) -> Claims:
        from foureyes.app.work.claims import Claims

        return Claims(self.context)

    @cached_property
    def notes(self) -> Notes:
        from foureyes.app.tasks.notes import Notes

        return Notes(self.context)

    @cached_property
    def stops(self) -> Stops:
        from foureyes.app.tasks.stops import Stops

        return Stops(self.context)

    @cached_property
    def attempts(self) -> Attempts:
        from foureyes.app.gate.attempts import Attempts

        return Attempts(self.context)

    @cached_property
    def decisions(self) -> Decisions:
        from foureyes.app.review.decisions import Decisions

        return Decisions(self.context)

    @cached_property
    def closing(self) -> Closing:
        from foureyes.app.review.closing import Closing

        return Closing(self.context)

    @cached_property
    def lists(self) -> Lists:
        from foureyes.app.pages.lists import Lists

        return Lists(self.context)

    @cached_property
    def merges(self) -> Merges:
        from foureyes.app.gate.merging import Merges

        return Merges(self.context)

    @cached_property
    def status(self) -> Status:
        from foureyes.app.pages.status import Status

        return Status(self.context)

    @cached_property
    def doctor(self) -> Doctor:
        from foureyes.app.pages.doctor import Doctor

        return Doctor(self.context)

    @cached_property
    def sessions(self) -> Sessions:
        from foureyes.app.project.sessions import Sessions

        return Sessions(self.context)

    @cached_property
    def keys(self) -> Keys:
        from foureyes.app.project.keys import Keys

        return Keys(self.context)

    @cached_property
    def policy(self) -> Policy:
        from foureyes.app.project.policy import Policy

        return Policy(self.context)

    @cached_property
    def audit(self) -> Audit:
        from foureyes.app.project.audit import Audit

        return Audit(self.context)

    @cached_property
    def projects(self) -> Projects:
        from foureyes.app.project.projects import Projects

        return Projects(self.context)

    @cached_property
    def checkpoints(self) -> Checkpoints:
        from foureyes.app.work.checkpoints import Checkpoints

        return Checkpoints(self.context)

    @cached_property
    def checks(self) -> Checks:
        from foureyes.app.gate.checks import Checks

        return Checks(self.context)

    @cached_property
    def feedback(self) -> Feedback:
        from foureyes.app.review.feedback import Feedback

        return Feedback(self.context)

    @cached_property
    def plans(self) -> Plans:
        from foureyes.app.tasks.plans import Plans

        return Plans(self.context)

    @cached_property
    def queue(self) -> Queue:
        from foureyes.app.pages.review_queue import Queue

        return Queue(self.context)

    @cached_property
    def worktrees(self) -> Worktrees:
        from foureyes.app.work.worktrees import Worktrees

        return Worktrees(self.context)

    @cached_property
    def answers(self) -> Answers:
        from foureyes.app.findings.answers import Answers

        return Answers(self.context)

    @cached_property
    def exchange(self) -> Exchange:
        from foureyes.app.exchange.findings import Exchange

        return Exchange(self.context)

    @cached_property
    def findings(self) -> Findings:
        from foureyes.app.findings.findings import Findings

        return Findings(self.context)

    @cached_property
    def handoffs(self) -> Handoffs:
        from foureyes.app.exchange.handoffs import Handoffs

        return Handoffs(self.context)

    @cached_property
    def loops(self) -> Loops:
        from foureyes.app.review.lead import Loops

        return Loops(self.context)

    @cached_property
    def prompts(self) -> Prompts:
        from foureyes.app.review.prompts import Prompts

        return Prompts(self.context)

    @cached_property
    def reviews(self) -> Reviews:
        from foureyes.app.review.reviews import Reviews

        return Reviews(self.context)

    @cached_property
    def rulings(self) -> Rulings:
        from foureyes.app.findings.rulings import Rulings

        return Rulings(self.context)

    @cached_property
    def stats(self) -> Stats:
        from foureyes.app.pages.stats import Stats

        return Stats(self.context)

    @cached_property
    def validation(self) -> Validation:
        from foureyes.app.pages.completion import Validation

        return Validation(self.context)

    def close(self) -> None:
        """Let go of the store, and of what git was asked with."""
        self.context.close()
