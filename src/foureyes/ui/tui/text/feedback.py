"""What the forms of redo and reject say, and what the agent will be told."""

from __future__ import annotations

from collections.abc import Sequence

from foureyes.app.results.draft import RedoDraft
from foureyes.app.results.task import TaskDetail
from foureyes.app.results.work import CheckpointView
from foureyes.core.nouns.decision import Feedback, section
from foureyes.core.nouns.task import HIGHEST, LOWEST
from foureyes.core.words.untrusted_text import named
from foureyes.ui.tui.comments import Comment
from foureyes.ui.tui.marks import visible

KEEP = "Keep current changes (iterate on top)"
FRESH = "Reset to before this task (fresh start; this attempt stays reachable)"


def options_of(checkpoints: Sequence[CheckpointView]) -> list[str]:
    """Where the next iteration can begin."""
    resets = [
        f"Reset to checkpoint {visible(checkpoint.name)} ({checkpoint.sha[:7]} {visible(checkpoint.subject)})"
        for checkpoint in checkpoints
    ]
    return [KEEP, FRESH, *resets]


def priorities_of(priority: int) -> list[str]:
    """The priority afterwards; at the ends there is nothing further."""
    bump = f"Bump to P{priority - 1}" if priority > HIGHEST else f"Bump (P{priority} is the highest)"
    lower = f"Lower to P{priority + 1}" if priority < LOWEST else f"Lower (P{priority} is the lowest)"
    return [f"Same (P{priority})", bump, lower]


def told(detail: TaskDetail, draft: RedoDraft, comments: Sequence[Comment]) -> list[str]:
    """Exactly what the next prompt says about this decision (F3), with the comments that become findings."""
    entry = Feedback(
        iteration=detail.task.iteration,
        at="",
        decision="redo",
        text=draft.text.strip(),
        quick_issues=list(draft.quick_issues),
        option=draft.option,
        priority=draft.priority,
    )
    lines = section([*(row.entry for row in detail.feedback), entry]).split("\n")
    if comments:
        lines += ["## Findings from your comments, each to be answered before the next submission"]
        for comment in comments:
            first, *rest = comment.text.strip().split("\n")
            weight = "a note" if comment.weight == "note" else comment.weight
            lines += [f"- {comment.place} ({weight}): {first}", *[f"  {line}" for line in rest]]
            lines += [f"  fix: {comment.fix}"] if comment.fix.strip() else []
    return lines


def comment_line(comment: Comment) -> str:
    """A comment of the diff, in one line of the form."""
    words = " ".join(visible(line) for line in comment.text.split("\n"))
    lost = " (its line is gone)" if comment.lost else ""
    return f'+ {visible(comment.place)}  "{words}"  {comment.weight}{lost}'


def kept_words(detail: TaskDetail) -> str:
    """What a rejection keeps, and who waits."""
    attempts = len(detail.attempts)
    branch = detail.attempts[-1].ref.removeprefix("refs/heads/") if detail.attempts else ""
    kept = [f"branch {named(branch)}"] if branch else []
    kept += [f"{attempts} attempt{'' if attempts == 1 else 's'}", "findings"]
    waiting = ", ".join(link.id for link in detail.dependents)
    return f"Kept: {', '.join(kept)}." + (f"   Waiting on it: {waiting}" if waiting else "")
