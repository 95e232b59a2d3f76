"""Results about the project, and progress messages of long verbs."""

from __future__ import annotations

import msgspec

from foureyes.steps import NO_STEP, Steps

# ---- The project ----


class CounterRow(msgspec.Struct, frozen=True):
    """A stored counter."""

    name: str = ""
    n: int = 0


class ProjectView(msgspec.Struct, frozen=True, kw_only=True):
    """The project row.

    - adopted: the target commit up to which every anchor counts as held (J3)
    - tip: the target at `fe init`, or when a person last accepted it (Q5)
    - accepted_at: the commit of the remote's target with the configuration in force (Q6)
    """

    id: str
    name: str
    prefix: str
    target: str
    hold: str | None = None
    accepted_digest: str | None = None
    accepted_text: str | None = None
    created_at: str = ""
    place: str | None = None
    adopted: str | None = None
    tip: str | None = None
    accepted_at: str | None = None


# ---- Progress messages ----


class News(msgspec.Struct, frozen=True):
    """A progress message. `printed`: it is output of a check."""

    text: str
    next: Steps = NO_STEP
    printed: bool = False
