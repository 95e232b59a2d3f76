"""Journal events of review cycles: opened, asked, answered or not, clarified, decided. (V)"""

from __future__ import annotations

from foureyes.core.events.event import Event
from foureyes.core.nouns.cycle import CycleId, CycleRule, CycleTarget, NotGivenWhy, Point, ReviewerKind, Trigger
from foureyes.core.nouns.run import RunId
from foureyes.core.words.ids import DiffId, Sha


class CycleOpened(Event, frozen=True, kw_only=True):
    """Reviewers are asked about targets. (V1)

    The row's task is the only target, none if there are several. `wide`: it covers everything that is running (V9).
    `seats` is the number of reviewers per target.
    """

    cycle: CycleId
    trigger: Trigger
    targets: tuple[CycleTarget, ...]
    quorum: int
    seats: int = 1
    reason: str = ""
    follows: str = ""
    wide: bool = False


class EarlyReviewTaken(Event, frozen=True, kw_only=True):
    """The worktree of the row's task was frozen as a commit on `base`, for an early review. It cannot be approved.
    (V1)
    """

    n: int
    commit: Sha
    base: Sha
    diff_id: DiffId
    files: tuple[str, ...] = ()
    run: RunId | None = None


class ReviewAsked(Event, frozen=True, kw_only=True):
    """A reviewer is asked to review the row's task, a target of the cycle, by a deadline. (V4)"""

    cycle: CycleId
    reviewer: str
    kind: ReviewerKind
    until: str = ""


class ReviewNotGiven(Event, frozen=True, kw_only=True):
    """A reviewer gave no review of the row's task. (V3, V4)"""

    cycle: CycleId
    reviewer: str
    why: NotGivenWhy
    text: str = ""


class ClarificationAsked(Event, frozen=True, kw_only=True):
    """Agents are asked to clarify concerns on which reviewers disagree with the work. `requested` are their sessions and
    profiles. (R2)
    """

    cycle: CycleId
    points: tuple[Point, ...]
    requested: tuple[str, ...] = ()
    until: str = ""


class ClarificationAnswered(Event, frozen=True, kw_only=True):
    """An agent answered a concern. (R2)"""

    cycle: CycleId
    point: str
    text: str


class CycleDecided(Event, frozen=True, kw_only=True):
    """A rule decided a cycle, with the counts and reasons it rests on. (V8)"""

    cycle: CycleId
    rule: CycleRule
    requested: int
    answered: int
    counting: int
    reasons: tuple[str, ...] = ()


class CycleEnded(Event, frozen=True, kw_only=True):
    """A cycle ended without a rule: it was clarified and runs again, or a person ended it. If its targets moved on, the
    rows that moved them record that.
    """

    cycle: CycleId
    why: str
