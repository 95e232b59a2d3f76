"""The vocabulary of the journal about review cycles: asked, answered or not, clarified, decided (V)."""

from __future__ import annotations

from foureyes.core.events.event import Event
from foureyes.core.nouns.cycle import CycleId, CycleRule, CycleTarget, NotGivenWhy, Point, ReviewerKind, Trigger
from foureyes.core.nouns.run import RunId
from foureyes.core.words.ids import DiffId, Sha


class CycleOpened(Event, frozen=True, kw_only=True):
    """V1: reviewers are asked about targets. The row's task is the only target, none where there are several. `wide`:
    it is about everything that runs (V9). `seats`: how many reviewers each target waits for.
    """

    cycle: CycleId
    trigger: Trigger
    targets: tuple[CycleTarget, ...]
    quorum: int
    seats: int = 1
    reason: str = ""
    follows: str = ""
    wide: bool = False


class LookTaken(Event, frozen=True, kw_only=True):
    """V1: the worktree of the row's task in the middle of work, as a commit of its own on `base`. It approves
    nothing.
    """

    n: int
    commit: Sha
    base: Sha
    diff_id: DiffId
    files: tuple[str, ...] = ()
    run: RunId | None = None


class ReviewAsked(Event, frozen=True, kw_only=True):
    """V4: somebody is asked for a review of the row's task, which is a target of the cycle; until then."""

    cycle: CycleId
    reviewer: str
    kind: ReviewerKind
    until: str = ""


class ReviewNotGiven(Event, frozen=True, kw_only=True):
    """V3, V4: somebody who was asked about the row's task gives no review."""

    cycle: CycleId
    reviewer: str
    why: NotGivenWhy
    text: str = ""


class ClarificationAsked(Event, frozen=True, kw_only=True):
    """R2: the points that reviewers differ from the work in; `asked` are the sessions and profiles that clarify."""

    cycle: CycleId
    points: tuple[Point, ...]
    asked: tuple[str, ...] = ()
    until: str = ""


class ClarificationAnswered(Event, frozen=True, kw_only=True):
    """R2: an answer, linked to the concern that it is about."""

    cycle: CycleId
    point: str
    text: str


class CycleDecided(Event, frozen=True, kw_only=True):
    """V8: the rule that a cycle came to, and what it rests on: how many were asked, answered, count; and why."""

    cycle: CycleId
    rule: CycleRule
    asked: int
    answered: int
    counting: int
    reasons: tuple[str, ...] = ()


class CycleEnded(Event, frozen=True, kw_only=True):
    """A cycle ends without a rule: it was clarified and runs again, or a person ended it. That its targets moved on
    is told by the rows that moved them.
    """

    cycle: CycleId
    why: str
