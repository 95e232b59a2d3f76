"""A project with a quality pipeline: four checks of a line of shell each, and work that makes them green or red."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Unpack

from tests.stage.checkout import AT_ONCE
from tests.stage.commands import Stage, SubmissionTime
from tests.stage.processes import Caller, Options
from tests.stage.recalled import recalled

TESTS = """
[[checks]]
name = "tests"
run = "sh tests/run.sh"
report = "junit"
"""
PIPELINE = f"""{TESTS}
[[checks]]
name = "typecheck"
run = "! grep -rn UNTYPED src"

[[checks]]
name = "lint"
run = "! grep -rn MESSY src"

[[checks]]
name = "knip"
run = "! grep -rn UNUSED src"
"""
RUNNER = """\
# Runs every tests/test_*.sh and writes what came of each to the report.
{
  echo '<testsuite name="shop">'
  for file in tests/test_*.sh; do
    name=$(basename "$file" .sh)
    if sh "$file"; then echo "<testcase classname='shop' name='$name'/>"
    else echo "<testcase classname='shop' name='$name'><failure message='not so'/></testcase>"; fi
  done
  echo '</testsuite>'
} > "$FOUREYES_REPORT"
! grep '<failure' "$FOUREYES_REPORT"
"""
FILES = {
    "tests/run.sh": RUNNER,
    "tests/test_prices.sh": "grep -q 'net price' src/prices.py\n",
    "src/prices.py": "# the net price\n",
}
MARKS = {"passed": "✓", "failed": "✗", "crashed": "!", "timed_out": "!", "unsound": "!", "not_run": "·"}


class Shop(Stage):
    """A stage whose project has checks, and the moves of a review."""

    @recalled
    def configure(self, settings: str, files: Mapping[str, str] | None = None) -> None:
        """A person adds to foureyes.toml on main, with files, and accepts it."""
        for name, text in {
            "foureyes.toml": (self.repo / "foureyes.toml").read_text() + settings,
            **(files or {}),
        }.items():
            (self.repo / name).parent.mkdir(parents=True, exist_ok=True)
            (self.repo / name).write_text(text)
        self.git("add", ".")
        self.git("commit", "-q", "-m", "a quality pipeline")
        self.accept_policy(self.cast.alice)

    @recalled
    def deliver(
        self, who: Caller, task: str, files: Mapping[str, str], *options: str, message: str = "work"
    ) -> SubmissionTime:
        """Start a task, commit these files on its branch, submit."""
        self.done(who, "start", task)
        self.commit(f"fe/{task}", files, message=message)
        found = self.done(who, "submit", task, "--branch", f"fe/{task}", *options)
        return SubmissionTime(task, found["diff_id"], f"fe/{task}", found["head"], found["attempt"])

    def checked(self, who: Caller, task: str, rc: int = 0, **options: Unpack[Options]) -> Any:
        """Run the checks of a task; its report."""
        result = self.run(who, "check", "run", task, "--json", **options)
        assert result.rc == rc, f"{who.name}: fe check run {task} -> {result.rc}, not {rc}: {result.out}{result.err}"
        return result.json

    def queue(self, who: Caller | None = None) -> dict[str, Any]:
        """The review queue by title, in its order."""
        return {row["title"]: row for row in self.lines(who or self.cast.alice, "queue")}

    def pending(self) -> list[str]:
        """The ids of what waits in review."""
        return [row["task"] for row in self.queue().values()]

    def merge(self, who: Caller | None = None, **options: Unpack[Options]) -> dict[str, str]:
        """Work the merge queue off: what became of each task."""
        return {row["task"]: row["outcome"] for row in self.lines(who or self.cast.alice, "merge", **options)}

    def context(self, task: str) -> str:
        """The prompt text of a task."""
        result = self.run(self.cast.claude, "context", task)
        assert result.rc == 0, result
        return result.out

    def journal(self, task: str) -> list[Any]:
        """What the journal says about a task, oldest first."""
        rows: list[Any] = self.lines(self.cast.alice, "audit", "log", "--task", task, "--limit", "1000")
        return sorted(rows, key=lambda row: int(row["seq"]))

    def kinds(self, task: str) -> list[str]:
        """The kinds of a task's journal rows, oldest first."""
        return [row["kind"] for row in self.journal(task)]

    # Git

    def tip(self, ref: str = "main") -> str:
        """Where a ref stands."""
        return self.git("rev-parse", ref)

    def on_main(self, path: str) -> str:
        """A file as main has it; empty where it has none."""
        return self.git("show", f"main:{path}") if self.git("ls-tree", "main", path) else ""

    def trailers(self, commit: str) -> dict[str, str]:
        """The trailers of a commit."""
        text = self.git("log", "-1", "--format=%(trailers:only,unfold)", commit)
        return dict(line.split(": ", 1) for line in text.splitlines())


def with_pipeline(stage: Stage, settings: str = AT_ONCE + PIPELINE) -> Shop:
    """The stage as a shop with its four checks."""
    shop = Shop(stage.repo, stage.cast)
    shop.configure(settings, FILES)
    return shop


def commit_in(stage: Stage, place: Path, files: Mapping[str, str], message: str = "work") -> str:
    """Commit files in a worktree, as somebody who works there does; the commit."""
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    stage.git("add", ".", cwd=place)
    stage.git("commit", "-q", "-m", message, cwd=place)
    return stage.git("rev-parse", "HEAD", cwd=place)
