"""A shop with a small pipeline behind the command line, and its answers with everything named that differs from run to
run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Unpack

from tests.stage.checkout import AT_ONCE, copied
from tests.stage.commands import Cast
from tests.stage.processes import Caller, Options
from tests.stage.shop import Shop

LINT = '\n[[checks]]\nname = "lint"\nrun = "if grep -rn MESSY src; then exit 1; fi; echo clean"\n'
KNIP = '\n[[checks]]\nname = "knip"\nrun = "! grep -rn UNUSED src"\nrequired = false\n'
GREEN, RED = {"src/a.py": "a = 1\n"}, {"src/a.py": "MESSY\n"}
NAMED = (
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "TIME"),
    (r"\btree [0-9a-f]{7}\b", "tree TREE"),
    (r"\bsha256:[0-9a-f]{8}\b", "sha256:DIFF"),
    (r"\bat [0-9a-f]{7}\b", "at SHA"),
    (r"\d+\.\d s\b", "SECONDS"),
    (r"\b\d+s\b", "AGE"),
    (r"\d\d:\d\d:\d\d", "CLOCK"),
)


class Counter(Shop):
    """What commands print, word for word."""

    def text(self, who: Caller, *args: str, rc: int = 0, **options: Unpack[Options]) -> str:
        """Results from stdout where it worked, errors from stderr where it did not; progress is left out."""
        result = self.run(who, *args, **options)
        assert result.rc == rc, result
        return self.named(result.err if rc in (1, 2, 3, 4) else result.out)

    def named(self, text: str) -> str:
        """Ids in the order in which they were planned, hashes and times by name."""
        for number, task in enumerate(self.tasks(), 1):
            text = text.replace(task, f"T{number}")
        for pattern, name in NAMED:
            text = re.sub(pattern, name, text)
        return text

    def work(self, files: Mapping[str, str] = GREEN, *labels: str, title: str = "Add login") -> str:
        """A task that a person planned and an agent has submitted."""
        words = [word for label in labels for word in ("-l", label)]
        return self.deliver(self.cast.claude, self.create(self.cast.alice, *words, title=title), files).task

    def work_by_a_person(self, files: Mapping[str, str]) -> str:
        """A task whose work an agent made and a person submitted: it stays in review if its checks are red."""
        task = self.create(self.cast.alice, title="Add login")
        self.done(self.cast.claude, "start", task)
        self.commit(f"fe/{task}", files)
        return self.submit(self.cast.alice, task).task

    def good(self, *labels: str, title: str = "Add login", path: str = "src/a.py") -> str:
        """The same, and a service has run its checks."""
        task = self.work({path: f"# {title}\n"}, *labels, title=title)
        self.checked(self.cast.job, task)
        return task

    def approved(self, *, path: str = "src/a.py", title: str = "Add login", text: str = "") -> str:
        """The same, and an agent has approved it."""
        task = self.work({path: text or f"# {title}\n"}, title=title)
        diff = self.show(task)["attempts"][-1]["diff_id"]
        self.done(self.cast.codex, "approve", task, "--seen", diff, "-m", "read it")
        return task


def counter(template: Path, place: Path, cast: Cast, settings: str = LINT + KNIP) -> Counter:
    """A fresh project with this pipeline."""
    shop = Counter(copied(template, place / "shop"), cast)
    shop.configure(AT_ONCE + settings)
    return shop


def keys(row: Mapping[str, Any], names: str) -> set[str]:
    """The names that a JSON object lacks."""
    return set(names.split()) - set(row)
