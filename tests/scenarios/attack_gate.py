"""The gate as its attackers find it: a project with one honest check, and what an agent does to get past that.

The honest check is a program outside of the repository: every line of a `tests/*.t` file is a test, a name and a
command.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.stage.checkout import AT_ONCE, copied
from tests.stage.commands import Cast, SubmissionTime
from tests.stage.processes import Caller
from tests.stage.recalled import recalled
from tests.stage.shop import Shop

RUNNER = """\
{ echo '<testsuite>'
  cat tests/*.t | while read -r name command; do
    if sh -c "$command" >/dev/null 2>&1 </dev/null; then echo "<testcase classname='shop' name='$name'/>"
    else echo "<testcase classname='shop' name='$name'><failure/></testcase>"; fi
  done
  echo '</testsuite>'; } > "$FOUREYES_REPORT"
! grep -q failure "$FOUREYES_REPORT"
"""
TESTS = "prices grep -q net src/prices.py\nstock test -e src/prices.py\n"
FILES = {"tests/shop.t": TESTS, "src/prices.py": "# the net price\n"}
CODE = {"src/code.py": "code = 1\n"}
GREEN = "<testsuite><testcase classname='shop' name='prices'/><testcase classname='shop' name='stock'/></testsuite>"
"""A report that says what the target's tests would say if all was well."""


class Link(NamedTuple):
    """A symbolic link in a commit."""

    to: str


class Program(NamedTuple):
    """An executable file in a commit."""

    text: str


Content = str | Link | Program | None
"""What becomes of a path; None: it is deleted."""


def piece_of(content: Content) -> tuple[str, bytes] | None:
    """It as git has it: mode and content."""
    if content is None:
        return None
    mode = "120000" if isinstance(content, Link) else "100755" if isinstance(content, Program) else "100644"
    return mode, (content if isinstance(content, str) else content[0]).encode()


class Gate(Shop):
    """A project with a check, whose policy a person has accepted."""

    def change(self, branch: str, files: Mapping[str, Content], *, message: str = "work", onto: str = "") -> str:
        """One commit on a branch that is checked out nowhere, with links, programs and deletions; its id."""
        return self.bring(branch, {path: piece_of(content) for path, content in files.items()}, message, onto)

    @recalled
    def attempt(
        self, files: Mapping[str, Content], *options: str, by: Caller | None = None, planner: Caller | None = None
    ) -> SubmissionTime:
        """What an agent (codex) submits for a task that somebody (a person) planned with these options."""
        task = self.create(planner or self.cast.alice, *options)
        return self.work_on(task, files, by=by)

    @recalled
    def work_on(self, task: str, files: Mapping[str, Content], *, by: Caller | None = None) -> SubmissionTime:
        """What an agent (codex) submits for a task."""
        who = by or self.cast.codex
        self.done(who, "start", task)
        self.change(f"fe/{task}", files)
        return self.submit(who, task)

    def trusted(self, files: Mapping[str, Content]) -> SubmissionTime:
        """An attempt that the gate would approve by itself, because a person said so, if nothing is against it."""
        return self.attempt(files, "-l", "review:auto")

    @recalled
    def approved(self, files: Mapping[str, Content] | None = None, *options: str) -> SubmissionTime:
        """An attempt that a person has approved, its checks being green."""
        work = self.attempt(files or CODE, *options)
        self.checked(self.cast.job, work.task)
        self.approve(self.cast.alice, work)
        return work

    def settled(self, work: SubmissionTime, rc: int = 0, by: Caller | None = None) -> Any:
        """What the gate makes of an attempt once a service has run its checks: the report."""
        return self.checked(by or self.cast.job, work.task, rc=rc)

    def why_not(self, work: SubmissionTime, rc: int = 0) -> list[str]:
        """A service runs the checks, and the task still waits in review: `rule message` of each reason."""
        report = self.settled(work, rc)
        assert self.status(work.task) == "reviewing", report
        return [f"{reason['rule']} {reason['message']}" for reason in report["reasons"]]

    def row(self, work: SubmissionTime) -> Any:
        """The line of a task in the review queue."""
        (row,) = [row for row in self.lines(self.cast.alice, "queue") if row["task"] == work.task]
        return row

    def check_of(self, work: SubmissionTime, name: str = "tests") -> Any:
        """Where a check stands, as `fe check show` says."""
        report = self.done(self.cast.alice, "check", "show", work.task)
        (row,) = [row for row in report["checks"] if row["check"] == name]
        return row

    def results(self, work: SubmissionTime) -> list[Any]:
        """What the journal holds about the runs of a task's checks, oldest first."""
        return [json.loads(row["payload"]) for row in self.journal(work.task) if row["kind"] == "CheckFinished"]


def gate_template(folder: Path, template: Path, cast: Cast) -> Path:
    """A repository with the honest check in force. Copy it, never use it."""
    (folder / "runner").write_text(RUNNER)
    gate = Gate(copied(template, folder / "shop"), cast)
    gate.configure(f'{AT_ONCE}\n[[checks]]\nname = "tests"\nrun = "sh {folder}/runner"\nreport = "junit"\n', FILES)
    return gate.repo


def gate_at(place: Path, made: Path, cast: Cast) -> Gate:
    """A fresh copy of it."""
    return Gate(copied(made, place), cast)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, template: Path, cast: Cast) -> Path:
    """A repository with the honest check in force, made once per file."""
    return gate_template(tmp_path_factory.mktemp("guarded"), template, cast)


@pytest.fixture
def gate(tmp_path: Path, guarded: Path, cast: Cast) -> Gate:
    """A project with the honest check in force."""
    return gate_at(tmp_path / "shop", guarded, cast)
