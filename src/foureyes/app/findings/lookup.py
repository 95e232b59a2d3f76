"""Finding findings: those of a task, and the one that an id means."""

from __future__ import annotations

from collections.abc import Sequence

from foureyes.app.ports import Tx
from foureyes.app.views.finding import NoteRow
from foureyes.core.nouns.finding import Finding
from foureyes.core.words.ids import TaskId
from foureyes.errors import BadInput, NotFound
from foureyes.steps import blank, fe, prose


def findings_of(tx: Tx, task: str) -> list[Finding]:
    """Every finding of a task, oldest first."""
    return tx.all("finding.of_task", Finding, task=task)


def open_blocking(tx: Tx, task: str, now: str) -> list[Finding]:
    """D2: the blocking findings of a task that hold now; what a check raised, the check itself says (D5)."""
    return [finding for finding in findings_of(tx, task) if finding.holds(now) and not finding.by_check]


def waivers_in_words(tx: Tx, tasks: Sequence[str]) -> tuple[str, ...]:
    """E3: a waiver stays on every report."""
    rows = tx.all("finding.waivers", NoteRow, ids=list(tasks))
    return tuple(f"{row.task}: {row.id} is waived until {row.until[:10]} (E3)" for row in rows)


def finding_named(tx: Tx, name: str) -> Finding:
    """The finding that an id means, of whatever iteration."""
    from foureyes.core.words.text import visible

    finding = tx.one("finding.one", Finding, id=name.strip())
    if finding is None:
        raise NotFound(f"no finding {visible(name)[:100]}.", next_step=fe("finding", "list", blank("TASK")))
    return finding


def one_task(tx: Tx, names: Sequence[str]) -> TaskId:
    """Rulings and answers of one call are about one task."""
    tasks = {finding_named(tx, name).task for name in names}
    if len(tasks) > 1:
        raise BadInput(
            f"these findings are of {len(tasks)} tasks: {', '.join(sorted(tasks))}.",
            next_step=prose("one call per task"),
        )
    return TaskId(tasks.pop())
