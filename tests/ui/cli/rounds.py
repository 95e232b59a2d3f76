"""Rounds of the findings loop behind the command line: reviews, answers and submissions in a line each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.stage.checkout import AT_ONCE, copied
from tests.stage.commands import Cast
from tests.stage.documents import review_result, rulings_of
from tests.stage.processes import Caller
from tests.ui.cli.counter import Counter

LIMIT = {"src/limit.py": "def allow(n):\n    return n < 1000\n"}
HARD = {
    "severity": "HIGH", "title": "limit is hard-coded", "location": "src/limit.py:2",
    "problem": "1000 is written in the code", "fix": "read it from the settings",
}  # fmt: skip
NO_TEST = {"severity": "MEDIUM", "title": "no test for the limit", "fix": "add one"}


class Rounds(Counter):
    """A shop whose work is reviewed."""

    def file(self, name: str, content: object) -> str:
        """A document on disk beside the repository; its path."""
        path = self.repo.parent / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    def result(
        self, task: str, *issues: Mapping[str, Any], verdict: str = "", rulings: Sequence[tuple[str, str]] = ()
    ) -> dict[str, Any]:
        """A review_result about the attempt that is there."""
        attempt = self.show(task)["attempts"][-1]
        files = [file["path"] for file in attempt["files"]]
        return review_result(
            issues, verdict=verdict, rulings=rulings_of(rulings), diff_id=attempt["diff_id"], files_reviewed=files
        )

    def reviewed(self, task: str, *issues: Mapping[str, Any], by: Caller | None = None, **more: Any) -> Any:
        """Somebody reviews; what became of it."""
        return self.done(
            by or self.cast.codex,
            "review",
            "submit",
            task,
            self.file("review.json", self.result(task, *issues, **more)),
        )

    def found(self, *issues: Mapping[str, Any]) -> str:
        """A task that was submitted and reviewed with these issues."""
        task = self.work(LIMIT, title="Rate limit")
        self.reviewed(task, *(issues or (HARD, NO_TEST)))
        return task

    def ids(self, task: str, *options: str) -> list[str]:
        """The ids of a task's findings."""
        return [row["id"] for row in self.lines(self.cast.alice, "finding", "list", task, *options)]

    def again(self, task: str, content: str, *fixed: str) -> None:
        """The next attempt, which claims to have fixed these."""
        if self.status(task) == "open":
            self.done(self.cast.claude, "start", task)
        if fixed:
            self.done(self.cast.claude, "finding", "answer", *fixed, "--fixed", "-m", "reads the settings now")
        self.commit(f"fe/{task}", {"src/limit.py": content})
        self.submit(self.cast.claude, task)

    def stuck(self, task: str, rounds: int) -> None:
        """So many rounds in which nothing was fixed."""
        for _ in range(rounds):
            (name,) = self.ids(task, "--open", "--blocking")
            n = len(self.show(task)["attempts"])
            self.again(task, f"def allow(n):\n    return n < 1000\n# {n}\n", name)
            self.reviewed(task, verdict="concerns", rulings=[(name, "NOT_FIXED")])


def rounds(template: Path, place: Path, cast: Cast, settings: str = "") -> Rounds:
    """A fresh project without checks, unless they are given."""
    shop = Rounds(copied(template, place / "shop"), cast)
    shop.configure(AT_ONCE + settings)
    return shop
