"""A banner: why what is on screen is not what can be decided about any more, in one line above it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

import msgspec

from foureyes.core.nouns.attempt import same_change
from foureyes.ui.tui.text.lines import age

if TYPE_CHECKING:
    from foureyes.app.results.task import TaskDetail

BannerKind = Literal["moved", "decided", "stale"]


class Banner(msgspec.Struct, frozen=True):
    """What became of a change. `moved`: another one was submitted; `decided`: nothing waits any more; `stale`: the
    branch has something that was not submitted, which is sent back all the same (D4). `keys`: what can be pressed on
    the page of the change.
    """

    kind: BannerKind
    words: str
    keys: str = ""

    @property
    def line(self) -> str:
        return f"{self.words}  {self.keys}" if self.keys else self.words


STALE = Banner(
    "stale",
    "STALE    the branch has commits that were not submitted (D4).",
    "F5 look again · R ask to submit again",
)


LEADS_TO = {"approved": ("approved", "closed"), "redo": ("open", "in_progress"), "rejected": ("blocked",)}
"""The statuses in which a decision is still what the task waits no longer for."""


def banner_of(detail: TaskDetail, attempt: int) -> Banner | None:
    """What became of a change while it was looked at; None while it is still the one that waits."""
    task, latest = detail.task, detail.attempts[-1] if detail.attempts else None
    if latest is not None and latest.n != attempt:
        if task.status == "reviewing" and attempt in same_change(detail.attempts):
            return None
        words = f"iteration {latest.n} was submitted {_ago(latest.submitted_at)} ago. You see iteration {attempt}."
        return Banner("moved", f"MOVED    {words}", f"F5 compare {attempt}→{latest.n}")
    if task.status != "reviewing":
        return Banner("decided", f"DECIDED  {_decided(detail)}", "N next task")
    return stale_of(detail)


def stale_of(detail: TaskDetail) -> Banner | None:
    """What is said of a branch that went on after it was submitted."""
    return STALE if detail.you is not None and detail.you.stale else None


def rebased(detail: TaskDetail, attempt: int) -> str:
    """The same change was submitted again on a newer base: what was seen still holds (A3)."""
    latest = detail.attempts[-1] if detail.attempts else None
    moved = latest is not None and latest.n != attempt and attempt in same_change(detail.attempts)
    return "REBASED  same change on a newer target (A3): what you saw still holds. No key is off." if moved else ""


def _decided(detail: TaskDetail) -> str:
    """Who ended the wait, and when."""
    rows = [(row.seq, "approved", row.session, row.at) for row in detail.approvals]
    rows += [(row.seq, row.decision, row.session, row.at) for row in detail.feedback]
    if not rows:
        return f"{detail.task.id} is {detail.task.status}."
    _, what, session, at = max(rows)
    if detail.task.status not in LEADS_TO[what]:  # it went on since then
        return f"{detail.task.id} is {detail.task.status.replace('_', ' ')} now."
    return f"{what} {_ago(at)} ago by {detail.name(session)}."


def _ago(moment: str) -> str:
    """How long ago something was recorded."""
    return age(max(0, round((datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds())))
