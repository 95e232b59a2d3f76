"""Journal events about sprints: planned, started, paused, resumed, ended, undone. (X)"""

from __future__ import annotations

import msgspec

from foureyes.core.events.event import Event
from foureyes.core.nouns.sprint import EndKind, PauseKind, SprintId, SprintTarget
from foureyes.core.words.ids import TaskId


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """A task of a sprint, with its estimate and the estimate's source."""

    task: TaskId
    minutes: int
    source: str = ""


class SprintPlanned(Event, frozen=True, kw_only=True):
    """A sprint was planned: tasks, a target and options. It starts nothing. (X1)"""

    sprint: SprintId
    target: SprintTarget
    tasks: tuple[Chosen, ...]
    pause_on_error: bool = False
    checkpoint: bool = True


class SprintStarted(Event, frozen=True, kw_only=True):
    """A sprint started. From now on, new tasks begin only from running sprints.

    `ends_at` is an instant, and `checkpoint` the name of the one created before. (X2)
    """

    sprint: SprintId
    ends_at: str = ""
    checkpoint: str = ""


class SprintPaused(Event, frozen=True, kw_only=True):
    """A sprint was paused, with the reason. Until it resumes, none of its tasks begin. (X3)"""

    sprint: SprintId
    kind: PauseKind
    why: str


class SprintResumed(Event, frozen=True, kw_only=True):
    """A sprint was resumed by a person, or because the cause of its pause is gone. Errors count from here. (X3)"""

    sprint: SprintId
    why: str = ""


class SprintEnded(Event, frozen=True, kw_only=True):
    """A sprint ended, and no more of its tasks begin. Live runs finish, and their work is reviewed as usual. (X2)"""

    sprint: SprintId
    kind: EndKind
    why: str = ""


class SprintUndone(Event, frozen=True, kw_only=True):
    """Tasks were created that revert the sprint's merges, each paired with the task it reverts. (X5)"""

    sprint: SprintId
    reverts: tuple[tuple[TaskId, TaskId], ...]
