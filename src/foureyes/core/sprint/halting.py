"""When a sprint ends (X2), when it pauses and when it goes on by itself (X3). Each says why."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foureyes.core.nouns.run import COOLING, ErrorKind, RunEnding
from foureyes.core.nouns.sprint import EndKind, PauseKind, Sprint
from foureyes.core.sprint.progress import Progress

IN_A_ROW = 3
"""X3: so many errors one after the other."""


class SprintRunEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How a run of a sprint's task ended, since its errors count."""

    task: str
    ending: RunEnding
    error: ErrorKind = "none"
    signal: str = ""
    text: str = ""


class SprintNow(msgspec.Struct, frozen=True, kw_only=True):
    """A sprint that has begun and is not over, as a runner sees it."""

    sprint: Sprint
    progress: Progress = Progress()
    ends: tuple[SprintRunEnd, ...] = ()
    """The newest first."""
    cost_micros: int = 0
    """What its runs have cost since a person last let it go on."""

    @property
    def room(self) -> int | None:
        """X2: how many more of its tasks may begin; None: all of them."""
        if self.sprint.state != "running":
            return 0
        if self.sprint.kind != "tasks":
            return None
        return max(0, self.sprint.tasks - self.progress.done - self.progress.in_flight)


def is_error(end: SprintRunEnd) -> bool:
    """X3: a run that came to nothing; not one that somebody stopped, that lost its runner, or whose profile takes no
    work now.
    """
    if end.error in COOLING:
        return False
    return end.ending in ("failed", "timeout", "unstarted") or (end.ending == "finished" and end.signal == "FAILED")


def says_something(end: SprintRunEnd) -> bool:
    """Whether a run counts in a row of errors, as one or as what ends the row."""
    return is_error(end) or end.ending == "finished"


def why_end(live: SprintNow, now: str) -> tuple[EndKind, str] | None:
    """X2: that a sprint is over, and why."""
    sprint, progress = live.sprint, live.progress
    if sprint.ends_at and sprint.ends_at <= now:
        return "time", "its time is over"
    if sprint.kind == "tasks" and progress.of and progress.done >= progress.of:
        return "target", f"{progress.done} {'task is' if progress.done == 1 else 'tasks are'} done"
    if progress.merged == progress.counted:
        return "closed", "nothing is left of it" if not progress.counted else "all of it is through"
    return None


def is_exhausted(live: SprintNow) -> bool:
    """X1, X2: whether nothing of a sprint that no clock ends is ready, and nothing of it is at work."""
    return live.sprint.kind in ("idle", "tasks") and not live.progress.ready and not live.progress.running


def why_pause(live: SprintNow, *, held: str, disk: str, spend_micros: int) -> tuple[PauseKind, str] | None:
    """X3: that none of its tasks begins any more until something changes, and why."""
    if live.sprint.state != "running":
        return None
    if held:
        return "hold", f"the project is held: {held}"
    if disk:
        return "disk", disk
    if spend_micros and live.cost_micros >= spend_micros:
        costs = f"it has cost {_money(live.cost_micros)}, and may {_money(spend_micros)}"
        return "spend", f"{costs} (run.spend_per_sprint)"
    return _errors(live)


def _errors(live: SprintNow) -> tuple[PauseKind, str] | None:
    telling = [end for end in live.ends if says_something(end)]
    row = telling[:IN_A_ROW]
    if len(row) == IN_A_ROW and all(map(is_error, row)):
        return "errors", f"three errors in a row: {_named(row)}"
    first = next(filter(is_error, telling), None)
    if live.sprint.pause_on_error and first is not None:
        return "error", f"an error: {_named([first])}"
    return None


def why_go_on(live: SprintNow, *, held: str, disk: str) -> str:
    """X3: what stopped it and is gone; empty where a person has to say so."""
    if live.sprint.state != "paused":
        return ""
    gone = {"hold": not held and "the hold was lifted", "disk": not disk and "there is room on the disk again"}
    return gone.get(live.sprint.pause_kind) or ""


def _named(ends: Sequence[SprintRunEnd]) -> str:
    return "; ".join(f"{end.task} {end.text or end.ending}" for end in ends)


def _money(micros: int) -> str:
    return f"{micros / 1_000_000:.2f}"
