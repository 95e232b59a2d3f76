"""The project at a glance, and its health."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.steps import NO_STEP, Steps, fe, phrase

if TYPE_CHECKING:
    from foureyes.app.views.sprint import SprintGlance


class OpenPoint(msgspec.Struct, frozen=True, kw_only=True):
    """R2: something that reviewers ask who made the work, and that is not answered."""

    cycle: str
    id: str
    task: str
    text: str
    reviewer: str = ""

    @property
    def step(self) -> Steps:
        """What answers it."""
        return fe("review", "clarify", self.cycle, self.id, "-m", phrase("the answer"))


class StatusView(msgspec.Struct, frozen=True, kw_only=True):
    """The project at a glance. `lacking`: what the caller can do for the first task in review that they could approve,
    were nothing missing. `barred`: how many in review a person cannot approve, whatever comes (P); `unchecked`: how many wait for
    required checks (D5). `unaccepted` is the
    one of the notes that says so of the configuration (P12), `stopped` the one that says that nothing is merged (Q6).
    """

    project: str
    target: str
    policy: str
    policy_source: str
    counts: dict[str, int]
    reviewable: int
    reviewable_more: bool = False
    lacking: Steps = NO_STEP
    barred: int = 0
    unchecked: int = 0
    hold: str | None = None
    notes: tuple[Steps, ...] = ()
    unaccepted: Steps | None = None
    stopped: Steps | None = None
    sprint: SprintGlance | None = None
    """X2: the sprint that goes on, if any."""
    next: Steps = NO_STEP


def named() -> dict[str, type]:
    """What the fields are made of, for who decodes these values: where no sprint goes on, nothing of it is loaded."""
    from foureyes.app.views.sprint import SprintGlance

    return {"SprintGlance": SprintGlance}


class Check(msgspec.Struct, frozen=True):
    """One line of `fe doctor`."""

    check: str
    result: str
    message: str
    next: Steps = NO_STEP
