"""The Application: the object behind every interface, with one attribute per noun and one method per verb. (G3)

The catalog maps nouns to classes. A noun is created on first use, because agents call `fe` hundreds of times and each
call needs one or two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.catalog import NOUNS, class_of
from foureyes.app.context import Context

if TYPE_CHECKING:
    from foureyes.app.exchange.findings import Exchange
    from foureyes.app.exchange.handoffs import Handoffs
    from foureyes.app.findings.answers import Answers
    from foureyes.app.findings.findings import Findings
    from foureyes.app.findings.rulings import Rulings
    from foureyes.app.gate.attempts import Attempts
    from foureyes.app.gate.checks import Checkouts, CheckRuns, Checks
    from foureyes.app.gate.merger import Merges
    from foureyes.app.pages.attention import Attention
    from foureyes.app.pages.board import Board
    from foureyes.app.pages.completion import Validation
    from foureyes.app.pages.doctor import Doctor
    from foureyes.app.pages.events import Events
    from foureyes.app.pages.lists import Lists
    from foureyes.app.pages.review_queue import Queue
    from foureyes.app.pages.stats import StatsPage
    from foureyes.app.pages.status import Status
    from foureyes.app.project.audit import Audit
    from foureyes.app.project.keys import Keys
    from foureyes.app.project.project_settings import Policy
    from foureyes.app.project.projects import Projects
    from foureyes.app.project.sessions import Sessions
    from foureyes.app.review.closing import Closing
    from foureyes.app.review.cycle_verbs import Cycles
    from foureyes.app.review.decisions import Decisions
    from foureyes.app.review.drafts import Drafts
    from foureyes.app.review.feedback import SendingBack
    from foureyes.app.review.lead import Loops
    from foureyes.app.review.prompts import Prompts
    from foureyes.app.review.reviews import Reviews
    from foureyes.app.review.stops import Stops
    from foureyes.app.runner.planner import Planning
    from foureyes.app.runner.profiles import Agents
    from foureyes.app.runner.runs import Runs
    from foureyes.app.sprint.sprints import Sprints
    from foureyes.app.tasks.notes import Notes
    from foureyes.app.tasks.plans import Plans
    from foureyes.app.tasks.tasks import Tasks
    from foureyes.app.work.checkpoints import Checkpoints
    from foureyes.app.work.claims import Claims
    from foureyes.app.work.worktrees import Worktrees


class Application:
    """All use cases of a project."""

    projects: Projects
    sessions: Sessions
    keys: Keys
    policy: Policy
    audit: Audit
    tasks: Tasks
    plans: Plans
    notes: Notes
    stops: Stops
    claims: Claims
    worktrees: Worktrees
    checkouts: Checkouts
    checkpoints: Checkpoints
    attempts: Attempts
    checks: Checks
    check_runs: CheckRuns
    merges: Merges
    findings: Findings
    answers: Answers
    rulings: Rulings
    reviews: Reviews
    decisions: Decisions
    closing: Closing
    feedback: SendingBack
    drafts: Drafts
    loops: Loops
    prompts: Prompts
    runs: Runs
    agents: Agents
    planning: Planning
    sprints: Sprints
    cycles: Cycles
    exchange: Exchange
    handoffs: Handoffs
    lists: Lists
    queue: Queue
    board: Board
    attention: Attention
    events: Events
    status: Status
    doctor: Doctor
    stats: StatsPage
    validation: Validation

    def __init__(self, context: Context) -> None:
        self.context = context

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """Create a noun on first use."""
            if name not in NOUNS:
                raise AttributeError(f"{type(self).__name__} has no noun {name!r}")
            noun = class_of(name)(self.context)
            setattr(self, name, noun)
            return noun

    def close(self) -> None:
        """Close the store and the git ports."""
        self.context.close()
