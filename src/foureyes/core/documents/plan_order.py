"""The order of a plan's tasks, and what they call each other."""

from __future__ import annotations

from foureyes.core.documents.plan_file import PlanSection
from foureyes.core.documents.plan_lines import plain
from foureyes.errors import BadInput
from foureyes.steps import prose


class PlanNames:
    """Which task of a plan a name means; tasks go by the line of their heading."""

    def __init__(self, planned: list[PlanSection]) -> None:
        self._lines: dict[str, set[int]] = {}
        for task in planned:
            for name in task.names:
                self._lines.setdefault(name, set()).add(task.line)

    def line_of(self, text: str, task: PlanSection, name: str) -> int | None:
        """The task that is meant; None if the plan has none of that name."""
        word = plain(text).lower()
        lines = self._lines.get(text.lower()) or self._lines.get(word) or self._lines.get(word.removeprefix("#"), set())
        if len(lines) > 1:
            raise BadInput(
                f"{name}:{task.line} depends on {text!r}, and several tasks are called so.",
                next_step=prose("give each a number: ## Task 2: …"),
            )
        return next(iter(lines), None)


def in_order(planned: list[PlanSection], name: str) -> list[PlanSection]:
    """Tasks after those they depend on; otherwise as the plan has them. A circle is an error."""
    names = PlanNames(planned)
    needs = {task.line: {names.line_of(other, task, name) for other in task.depends_on} - {None} for task in planned}
    done: list[PlanSection] = []
    ready: set[int | None] = set()
    left = list(planned)
    while left:
        free = next((task for task in left if needs[task.line] <= ready), None)
        if free is None:
            titles = ", ".join(task.title for task in left[:4])
            raise BadInput(
                f"{name}:{left[0].line} tasks wait for each other in a circle: {titles}.",
                next_step=prose("take one dependency out"),
            )
        done.append(free)
        ready.add(free.line)
        left.remove(free)
    return done
