"""The Application: what every face receives. One attribute per noun, one method per verb (G3).

Nouns are made when first asked for: an agent calls `fe` hundreds of times, and each call needs one or two of them.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from foureyes.app.context import Context

if TYPE_CHECKING:
    from foureyes.app.answers import Answers
    from foureyes.app.attempts import Attempts
    from foureyes.app.audit import Audit
    from foureyes.app.checkpoints import Checkpoints
    from foureyes.app.checks import Checks
    from foureyes.app.claims import Claims
    from foureyes.app.closing import Closing
    from foureyes.app.decisions import Decisions
    from foureyes.app.exchange import Exchange
    from foureyes.app.feedback import Feedback
    from foureyes.app.findings import Findings
    from foureyes.app.handoffs import Handoffs
    from foureyes.app.keys import Keys
    from foureyes.app.lists import Lists
    from foureyes.app.loops import Loops
    from foureyes.app.merges import Merges
    from foureyes.app.notes import Notes
    from foureyes.app.plans import Plans
    from foureyes.app.policy import Policy
    from foureyes.app.projects import Projects
    from foureyes.app.prompts import Prompts
    from foureyes.app.queue import Queue
    from foureyes.app.reviews import Reviews
    from foureyes.app.rulings import Rulings
    from foureyes.app.sessions import Sessions
    from foureyes.app.stats import Stats
    from foureyes.app.stops import Stops
    from foureyes.app.tasks import Tasks
    from foureyes.app.validation import Validation
    from foureyes.app.worktrees import Worktrees


class Application:
    """Everything you can do with a project."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @cached_property
    def tasks(self) -> Tasks:
        from foureyes.app.tasks import Tasks

        return Tasks(self.context)

    @cached_property
    def claims(self) -> Claims:
        from foureyes.app.claims import Claims

        return Claims(self.context)

    @cached_property
    def notes(self) -> Notes:
        from foureyes.app.notes import Notes

        return Notes(self.context)

    @cached_property
    def stops(self) -> Stops:
        from foureyes.app.stops import Stops

        return Stops(self.context)

    @cached_property
    def attempts(self) -> Attempts:
        from foureyes.app.attempts import Attempts

        return Attempts(self.context)

    @cached_property
    def decisions(self) -> Decisions:
        from foureyes.app.decisions import Decisions

        return Decisions(self.context)

    @cached_property
    def closing(self) -> Closing:
        from foureyes.app.closing import Closing

        return Closing(self.context)

    @cached_property
    def lists(self) -> Lists:
        from foureyes.app.lists import Lists

        return Lists(self.context)

    @cached_property
    def merges(self) -> Merges:
        from foureyes.app.merges import Merges

        return Merges(self.context)

    @cached_property
    def sessions(self) -> Sessions:
        from foureyes.app.sessions import Sessions

        return Sessions(self.context)

    @cached_property
    def keys(self) -> Keys:
        from foureyes.app.keys import Keys

        return Keys(self.context)

    @cached_property
    def policy(self) -> Policy:
        from foureyes.app.policy import Policy

        return Policy(self.context)

    @cached_property
    def audit(self) -> Audit:
        from foureyes.app.audit import Audit

        return Audit(self.context)

    @cached_property
    def projects(self) -> Projects:
        from foureyes.app.projects import Projects

        return Projects(self.context)

    @cached_property
    def checkpoints(self) -> Checkpoints:
        from foureyes.app.checkpoints import Checkpoints

        return Checkpoints(self.context)

    @cached_property
    def checks(self) -> Checks:
        from foureyes.app.checks import Checks

        return Checks(self.context)

    @cached_property
    def feedback(self) -> Feedback:
        from foureyes.app.feedback import Feedback

        return Feedback(self.context)

    @cached_property
    def plans(self) -> Plans:
        from foureyes.app.plans import Plans

        return Plans(self.context)

    @cached_property
    def queue(self) -> Queue:
        from foureyes.app.queue import Queue

        return Queue(self.context)

    @cached_property
    def worktrees(self) -> Worktrees:
        from foureyes.app.worktrees import Worktrees

        return Worktrees(self.context)

    @cached_property
    def answers(self) -> Answers:
        from foureyes.app.answers import Answers

        return Answers(self.context)

    @cached_property
    def exchange(self) -> Exchange:
        from foureyes.app.exchange import Exchange

        return Exchange(self.context)

    @cached_property
    def findings(self) -> Findings:
        from foureyes.app.findings import Findings

        return Findings(self.context)

    @cached_property
    def handoffs(self) -> Handoffs:
        from foureyes.app.handoffs import Handoffs

        return Handoffs(self.context)

    @cached_property
    def loops(self) -> Loops:
        from foureyes.app.loops import Loops

        return Loops(self.context)

    @cached_property
    def prompts(self) -> Prompts:
        from foureyes.app.prompts import Prompts

        return Prompts(self.context)

    @cached_property
    def reviews(self) -> Reviews:
        from foureyes.app.reviews import Reviews

        return Reviews(self.context)

    @cached_property
    def rulings(self) -> Rulings:
        from foureyes.app.rulings import Rulings

        return Rulings(self.context)

    @cached_property
    def stats(self) -> Stats:
        from foureyes.app.stats import Stats

        return Stats(self.context)

    @cached_property
    def validation(self) -> Validation:
        from foureyes.app.validation import Validation

        return Validation(self.context)

    def close(self) -> None:
        """Let go of the store, and of what git was asked with."""
        self.context.close()
