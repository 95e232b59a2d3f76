"""The vocabulary of the journal about sprints (X): planned, started, paused, resumed, ended, undone."""

from __future__ import annotations

import msgspec

from foureyes.core.events.event import Event
from foureyes.core.nouns.sprint import EndKind, PauseKind, SprintId, SprintTarget
from foureyes.core.words.ids import TaskId


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """A task of a sprint, with how long it was thought to take, and where that came from."""

    task: TaskId
    minutes: int
    source: str = ""


class SprintPlanned(Event, frozen=True, kw_only=True):
    """X1: a set of tasks, a target, and options. Nothing begins by it."""

    sprint: SprintId
    target: SprintTarget
    tasks: tuple[Chosen, ...]
    pause_on_error: bool = False
    checkpoint: bool = True


class SprintStarted(Event, frozen=True, kw_only=True):
    """X2: from here on new tasks begin only out of sprints that run. `ends_at` is an instant; `checkpoint` the name of
    the one that was made before.
    """

    sprint: SprintId
    ends_at: str = ""
    checkpoint: str = ""


class SprintPaused(Event, frozen=True, kw_only=True):
    """X3: none of its tasks begins; it says why."""

    sprint: SprintId
    kind: PauseKind
    why: str


class SprintResumed(Event, frozen=True, kw_only=True):
    """X3: it goes on: a person said so, or what stopped it is gone. Errors count from here."""

    sprint: SprintId
    why: str = ""


class SprintEnded(Event, frozen=True, kw_only=True):
    """X2: none of its tasks begins any more; what runs finishes, and its work goes to ordinary review."""

    sprint: SprintId
    kind: EndKind
    why: str = ""


class SprintUndone(Event, frozen=True, kw_only=True):
    """X5: tasks that take back what it merged, each beside the task whose work it takes back."""

    sprint: SprintId
    reverts: tuple[tuple[TaskId, TaskId], ...]
