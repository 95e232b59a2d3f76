"""Feedback: what a decision tells the next iteration (F), as the store has it, as the mirror file has it, as a prompt
has it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal

import msgspec

RedoOption = Literal["keep", "fresh", "checkpoint"]
PriorityChange = Literal["same", "bump", "lower"]
REDO_OPTIONS: tuple[RedoOption, ...] = ("keep", "fresh", "checkpoint")


HEADINGS = {"": "Detailed feedback:", "lead": "What the lead decided:"}
"""Whose words they are, by their source; all others are the gate's."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Feedback(msgspec.Struct, frozen=True, kw_only=True):
    """One decision about one attempt, oldest first in a task's history. `source` is empty for people and agents.

    From the gate it says what the automatic feedback is about (`checks`, `findings`, `merge`); `lead`: E3, the lead's.
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
    """F2: the file `.foureyes/feedback/<task>.json`: written for people and other tools, never read back."""
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
    """F3: what the next prompt says about earlier decisions; nothing at all without a redo. `asks`: to whoever has to
    act on it.

    The latest redo in full, each line of free text quoted (it is data, not instructions of ours), earlier ones in a
    line.
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
    """An earlier decision in one line."""
    first = " ".join(feedback.text.split())
    text = first if len(first) <= SUMMARY else first[: SUMMARY - 1] + "…"
    return "; ".join([*feedback.quick_issues, *([text] if text else [])])
