"""Words for tests of the gate: a pipeline that a person accepted, work that is submitted, checks that answer as
told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foureyes.app.results.attempt import CheckReport, CheckRow, MergeRow
from foureyes.core.nouns.check import Elsewhere, Ran, TestResult
from foureyes.core.nouns.session import Actor

from tests.stage.checkout import SETTINGS, signed
from tests.stage.loose import plain
from tests.stage.people import ALICE, BOB, CI, CLAUDE
from tests.stage.world import DeskWorld, GitWorld, World

LINT = '\n[[checks]]\nname = "lint"\nrun = "ruff check ."\n'
TESTS = '\n[[checks]]\nname = "tests"\nrun = "pytest -q"\nreport = "junit"\n'
KNIP = '\n[[checks]]\nname = "knip"\nrun = "knip"\nrequired = false\n'
AUTO = ["review:auto"]
ELSEWHERE = Elsewhere(file="src/a.py", checkout="/repo", by="/venv", advice="begin its run with PYTHONPATH=src")
"""What a run found that took its code from a checkout."""


def configure(world: World, text: str) -> None:
    """A person puts settings on the target and accepts them (P12)."""
    if isinstance(world, GitWorld):
        world.checkout.switch("main")
        world.checkout.commit("foureyes.toml", SETTINGS + text, message="settings")
    elif isinstance(world, DeskWorld):
        world.repo.files["foureyes.toml"] = SETTINGS + text
    world.app.policy.accept(ALICE)


def once_more(world: GitWorld, task: str, *, actor: Actor = CLAUDE) -> None:
    """The same tree is submitted again for a task that came back, with another commit message."""
    if world.status(task) != "open":
        world.app.feedback.redo(BOB, task, "say what it is for")
    world.start(actor, task)
    world.checkout.switch(f"fe/{task}")
    world.checkout.git("commit", "-q", "--amend", "-m", "what it is for")
    world.submit(actor, task)
    world.checkout.switch("main")


def deliver(
    world: GitWorld,
    files: Mapping[str, str] | None = None,
    *,
    actor: Actor = CLAUDE,
    via: Actor | None = None,
    task: str = "",
    signal: str = "DONE",
    **fields: Any,
) -> str:
    """Somebody makes a change on the task's branch and submits it (or `via` does); the checkout stands on main."""
    task = task or world.create(**fields)
    checkout = world.checkout
    checkout.switch("main")
    if world.status(task) == "open":
        world.start(actor, task)
    branch, changed = f"fe/{task}", plain(files or {f"{task}.py": f"work on {task}\n"})
    checkout.bring(branch, changed, signed(f"work on {task}", actor)[0])
    world.submit(via or actor, task, branch=branch, signal=signal)
    return task


def report_of(passing: Sequence[str], failing: Sequence[str] = (), skipped: Sequence[str] = ()) -> Ran:
    """What a runner of tests leaves behind."""
    states = [("passed", passing), ("failed", failing), ("skipped", skipped)]
    tests = tuple(TestResult(name, state) for state, names in states for name in names)  # type: ignore[arg-type]
    return Ran(exit_code=1 if failing else 0, tests=tests)


def answers(world: World, name: str, *runs: Ran) -> None:
    """The check answers one after the other, and then always as the last time."""
    left = list(runs)
    runner = world.outside.runner

    def one() -> None:
        if runner.ran[-1] == name:
            runner.answers[name] = left.pop(0) if len(left) > 1 else left[0]

    runner.during = one


def check(world: World, task: str, actor: Actor = CI, **options: Any) -> CheckReport:
    """Run the checks of a task; by a service unless somebody is named."""
    return world.app.checks.run(actor, task, **options)


def row_of(report: CheckReport, name: str) -> CheckRow:
    """One check of a report."""
    return next(row for row in report.checks if row.check == name)


def words(world: World, task: str) -> str:
    """What the latest feedback says."""
    return world.show(task).feedback[-1].text


def merge(world: World, actor: Actor = CI) -> dict[str, str]:
    """Work the merge queue off; what became of each task."""
    return {row.task: row.outcome for row in world.app.merges.process(actor)}


def merge_rows(world: World, actor: Actor = CI) -> dict[str, MergeRow]:
    """Work the merge queue off; everything it says about each task."""
    return {row.task: row for row in world.app.merges.process(actor)}


def approved(world: GitWorld, files: Mapping[str, str] | None = None, *, by: Actor = BOB, **fields: Any) -> str:
    """A task that somebody made and somebody else approved."""
    task = deliver(world, files, **fields)
    world.approve(by, task, reason="read it")
    return task
