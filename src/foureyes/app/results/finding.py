"""Results about findings, their history and answers, and of a task's loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.core.nouns.finding import Location
from foureyes.steps import NO_STEP, Steps

if TYPE_CHECKING:
    from foureyes.core.loop.rounds import LoopState
    from foureyes.core.nouns.task import Task


# ---- A finding with its history and answers ----


class MoveView(msgspec.Struct, frozen=True, kw_only=True):
    """An event of a finding: raised, answered, ruled and so on."""

    seq: int
    root: str
    iteration: int
    kind: str
    word: str
    was: str
    now: str
    words: str = ""
    ground: str = ""
    commit: str = ""
    debt: str = ""
    blocking: bool = False
    undone: bool = False
    session: str = ""
    at: str = ""


class AnswerView(msgspec.Struct, frozen=True):
    """The latest answer to a finding."""

    root: str
    word: str
    words: str = ""
    ground: str = ""
    commit: str = ""
    debt: str = ""


class FindingView(msgspec.Struct, frozen=True, kw_only=True):
    """A finding as interfaces show it. `open`: unsettled, or its waiver expired. `holds`: it blocks an approval
    (D2).
    """

    id: str
    root: str
    task: str
    kind: str
    severity: str
    blocking: bool
    state: str
    title: str
    location: Location
    problem: str = ""
    fix: str = ""
    why: str = ""
    quote: str = ""
    fix_patch: str = ""
    rule: str = ""
    source: str = ""
    check: str = ""
    by: str = ""
    raised: int = 0
    flagged: int = 0
    flags: int = 1
    rounds: int = 1
    note: bool = False
    anchored: bool = True
    waiting: bool = False
    must_fix: bool = False
    left_diff: bool = False
    answer: str = ""
    ruling: str = ""
    false_fixes: int = 0
    waived_until: str = ""
    expired: bool = False
    tracked: str = ""
    alike: list[str] = []
    moves: list[MoveView] = []
    names: dict[str, str] = {}
    open: bool = False
    holds: bool = False
    state_in_words: str = ""

    @property
    def place(self) -> str:
        """`path:line`, as far as known."""
        return f"{self.location.path}:{self.location.line}" if self.location.line else self.location.path

    @property
    def latest_answer(self) -> MoveView | None:
        """The answer in force, if any."""
        return next((move for move in reversed(self.moves) if move.kind == "answered" and not move.undone), None)


class FindingDetail(FindingView, frozen=True, kw_only=True):
    """A finding with the caller's next step and its task's acceptance criteria."""

    acceptance: str = ""
    next: Steps = NO_STEP


ALERT_AFTER = 3
"""Number of attempts with the same note from which it counts as tech debt. (L16)"""


class NoteRow(msgspec.Struct, frozen=True):
    """A note in the completion report."""

    task: str
    n: int = 0
    id: str = ""
    until: str = ""


# ---- The loop of a task, as `fe show --rounds` shows it ----


class LoopView(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a task's loop and the next step. `profile` is the one for the next attempt, "" if someone has to
    decide first. (E4)
    """

    task: Task
    state: LoopState
    profile: str = ""
    next: Steps = NO_STEP


def named() -> dict[str, type]:
    """Return the field types for decoders. They are imported only here."""
    from foureyes.core.loop.rounds import LoopState
    from foureyes.core.nouns.task import Task

    return {kind.__name__: kind for kind in (LoopState, Task)}
