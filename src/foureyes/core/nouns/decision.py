"""Decisions: feedback for the next iteration (F), the record of hunks shown (H4, H5), and the basis of an approval (I9,
M4).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal

import msgspec

# ---- Feedback ----

RedoOption = Literal["keep", "fresh", "checkpoint"]
PriorityChange = Literal["same", "bump", "lower"]


HEADINGS = {"": "Detailed feedback:", "lead": "What the lead decided:"}
"""Headings by the feedback's source. Other sources are the gate's own."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Feedback(msgspec.Struct, frozen=True, kw_only=True):
    """One decision about one attempt. A task's history lists the oldest first.

    `source` is empty for people and agents, and `lead` for the lead's decision (E3). The gate's own feedback names its
    subject: `checks`, `findings` or `merge`.
    """

    iteration: int
    at: str
    decision: Literal["approved", "redo", "rejected"]
    text: str = ""
    quick_issues: list[str] = []
    option: RedoOption = "keep"
    priority: PriorityChange = "same"
    source: str = ""
    reset_to: str | None = None


def mirror(task: str, history: list[Feedback]) -> bytes:
    """Return the content of `.foureyes/feedback/<task>.json`. It is written for people and other tools and never read
    back. (F2)
    """
    document = {"taskId": task, "history": [_entry(feedback) for feedback in history]}
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def _entry(feedback: Feedback) -> dict[str, object]:
    entry: dict[str, object] = {
        "iteration": feedback.iteration,
        "timestamp": (datetime.fromisoformat(feedback.at) - EPOCH) // timedelta(milliseconds=1),
        "decision": feedback.decision,
    }
    if feedback.decision == "redo":
        entry |= {
            "quickIssues": feedback.quick_issues, "customFeedback": feedback.text,
            "redoOption": feedback.option, "priorityChange": feedback.priority,
        }  # fmt: skip
    elif feedback.decision == "rejected":
        entry["rejectReason"] = feedback.text
    return entry


def section(history: list[Feedback], *, asks: bool = True) -> str:
    """Return the next prompt's section about earlier decisions, or "" if there was no redo. (F3)

    The latest redo is shown in full, its text quoted as data. Earlier ones get one line each. `asks` adds the request
    to act on it.
    """
    redos = [feedback for feedback in history if feedback.decision == "redo"]
    if not redos:
        return ""
    latest = redos[-1]
    lines = [f"## Previous Review Feedback (Iteration {latest.iteration})", ""]
    if latest.quick_issues:
        lines += ["The reviewer identified these issues:", *[f"- {issue}" for issue in latest.quick_issues], ""]
    if latest.text.strip():
        heading = HEADINGS.get(latest.source, "What the gate found:")
        lines += [heading, *[f"> {line}".rstrip() for line in latest.text.strip().splitlines()], ""]
    if latest.option != "keep":
        where = "from where the task began" if latest.option == "fresh" else "from a checkpoint"
        commit = f" (commit {latest.reset_to[:12]})" if latest.reset_to else ""
        lines += [f"Begin again {where}{commit}, not on top of the earlier attempt.", ""]
    if redos[:-1]:
        lines += ["Earlier feedback:", *[f"- Iteration {old.iteration}: {summary(old)}" for old in redos[:-1]], ""]
    lines += ["Please address these concerns in this iteration."] if asks else []
    return "\n".join(lines) + "\n"


SUMMARY = 120


def summary(feedback: Feedback) -> str:
    """Return an earlier decision in one line."""
    first = " ".join(feedback.text.split())
    text = first if len(first) <= SUMMARY else first[: SUMMARY - 1] + "…"
    return "; ".join([*feedback.quick_issues, *([text] if text else [])])


# ---- A look at a change before a decision ----


class Viewing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How much of a change the reviewer viewed, as recorded in the journal.

    Ids are concatenated, and `ALL` stands for all of them.

    - hunks: their total, None if the interface does not measure
    - shown: hunks that were on screen long enough
    - marked: hunks that were only ticked by hand
    - spaceless: hunks shown only with white-space changes hidden, which is not complete (D8)
    """

    face: str = ""
    hunks: int | None = None
    shown: int = 0
    marked: int = 0
    shown_ids: str = ""
    marked_ids: str = ""
    spaceless: int = 0
    spaceless_ids: str = ""
    pager: bool = False
    confirmed: bool = False
    seconds: int = 0

    @property
    def unseen(self) -> int | None:
        """Number of hunks neither fully shown nor marked. None if unknown."""
        return None if self.hunks is None else self.hunks - self.shown - self.marked

    @property
    def words(self) -> str:
        """The record in words, "" if nothing was recorded."""
        if self.hunks is None:
            return "not measured" if self.face else ""
        marked = f", {self.marked} marked" if self.marked else ""
        marked += f", {self.spaceless} with whitespace hidden" if self.spaceless else ""
        pager = ", in a pager" if self.pager else ""
        return f"{self.shown}/{self.hunks} {'hunk' if self.hunks == 1 else 'hunks'} shown{marked}{pager}"


ALL = "all"
NOTHING_KNOWN = Viewing()
LONGEST = 24 * 60 * 60
"""Longest plausible viewing time, in seconds."""


def counted(
    hunks: Sequence[str], shown: Sequence[str], marked: Sequence[str], spaceless: Sequence[str] = ()
) -> Viewing:
    """Count these hunks. Unknown and repeated ids are ignored."""
    wanted = dict.fromkeys(hunks)
    on_screen, by_hand, in_part = set(shown), set(marked), set(spaceless)
    seen = [name for name in wanted if name in on_screen]
    partly = [name for name in wanted if name in in_part - on_screen]
    ticked = [name for name in wanted if name in by_hand - on_screen]
    return Viewing(
        hunks=len(wanted),
        shown=len(seen),
        marked=len(ticked),
        shown_ids=_packed(seen, wanted),
        marked_ids=_packed(ticked, wanted),
        spaceless=len(partly),
        spaceless_ids=_packed(partly, wanted),
    )


def _packed(some: Sequence[str], every: dict[str, None]) -> str:
    return ALL if some and len(some) == len(every) else "".join(some)


# ---- Approvals ----

Basis = Literal["person", "agent", "rule"]
"""The basis of an approval: a person, an agent, or a rule (M4)."""


def grade_of(basis: Basis, key: str = "") -> str:
    """Return the journal's text for an approval. `key` is the person's signing key."""
    if basis == "person":
        return f"human (key {key})" if key else "human (observed)"
    return "rule" if basis == "rule" else "origin"


def basis_of(grade: str) -> Basis:
    """Return the basis of an approval from the journal's text. All readers must use this. Unknown text counts as an
    agent's approval, the weakest basis.
    """
    if grade == "rule":
        return "rule"
    return "person" if grade == "human" or grade.startswith("human (") else "agent"


def is_signed(grade: str) -> bool:
    """Return True if a person's key signed the approval. (I9)"""
    return grade.startswith("human (key ")
