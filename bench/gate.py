"""What the gate costs: submitting and merging, without checks, over plain git doing the same; and that neither grows.

Everything is real: git, worktrees, the store with its journal on disk. Two repositories take turns, one with 10
attempts merged and 10 waiting, one with 1,000 of each. In each round and repository the same small change is submitted
and merged three times: by the whole commands `fe submit` and `fe merge`, by the verbs inside this process (the
Application is open, no Python starts), and by plain git in a copy of the repository. A fourth change has 20,000 lines,
and is only submitted.

What plain git does instead (`plain_git`) is the least that leaves the same behind in git: the same questions asked, the
commit kept by a ref, the same merge commit on main, the checkout brought along, worktree and branch gone. At last the
same in a repository of many files (`large_tree`), and what checks cost beside their own commands (`checks`).
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import defaultdict
from pathlib import Path

from foureyes.demo.stage import Player

from bench import checks, large_tree
from bench.figures import Figure, at_most, note, progress, show
from bench.install import installed
from bench.places import ADA, TARGET, desk
from bench.plain_git import merge, submit_work
from bench.timing import Started, timed, watching_git
from bench.workplace import (
    LINES,
    LONG_FILES,
    LONG_LINES,
    WORKER,
    Work,
    Workplace,
    begin,
    long_file,
    long_lines,
    write,
)

SMALL, LARGE = 10, 1_000
ROUNDS = 11
BUDGET = 2.0
PROGRAMS = {"submit": 12, "merge": 20}
"""That a verb may start, with the task's worktree; the tests of app/gate hold the same."""

Times = dict[str, list[float]]


class Bench:
    """One repository, and what was measured in it."""

    def __init__(self, folder: Path, attempts: int, fe: list[str]) -> None:
        progress(f"making a repository with {attempts:,} attempts merged and {attempts:,} waiting")
        self.at = Workplace(folder, attempts)
        self.times: Times = defaultdict(list)
        self.claude, self.ci = Player(folder, "claude"), Player(folder, "ci")
        self.fe = fe
        self.rounds = 0

    def close(self) -> None:
        self.claude.close()
        self.ci.close()

    def round(self) -> None:
        """Every way once; all that is not the measured step happens outside of the clock."""
        self.rounds += 1
        self.by_command()
        self.by_verb()
        self.by_git()
        self.large_change()
        self.queue()

    def command(self, who: Player, *arguments: str, at: Path | None = None) -> None:
        done = who.run([*self.fe, *arguments], at or self.at.repo)
        if done.rc:
            raise SystemExit(f"fe {' '.join(arguments)}: exit {done.rc}\n{done.text}")

    # The three ways

    def by_command(self) -> None:
        app = self.at.open()
        task = app.tasks.create(ADA, "by command").task
        app.close()
        self.command(self.claude, "start", task, "--worktree")
        work = self.change(Work(task, self.at.repo / ".foureyes" / "worktrees" / task))
        self.times["submit, command"].append(timed(lambda: self.command(self.claude, "submit", task, at=work.place)))
        self.approve(task)
        self.times["merge, command"].append(timed(lambda: self.command(self.ci, "merge")))
        self.must_be_merged(task)

    def by_verb(self) -> None:
        work = begin(self.at, "by verb")
        self.change(work)
        self.submit("submit", work)
        self.approve(work.task)
        app = self.at.open()
        with watching_git() as started:
            self.times["merge, verb"].append(timed(lambda: app.merges.process(ADA)))
        app.close()
        self.note_git("merge", started)
        self.must_be_merged(work.task)

    def by_git(self) -> None:
        place = self.at.plain.parent / f"plain-{self.rounds}"
        self.at.git("worktree", "add", "-q", "-b", f"work-{self.rounds}", str(place), TARGET, at=self.at.plain)
        self.change(Work("plain", place))
        self.times["submit, git"].append(timed(lambda: submit_work(self.at, place, self.rounds)))
        self.times["merge, git"].append(timed(lambda: merge(self.at, place, f"work-{self.rounds}")))

    def large_change(self) -> None:
        """20,000 lines of a diff: submitted, and read by plain git."""
        work = begin(self.at, "a large change")
        for number in range(LONG_FILES):
            write(work.place, long_file(number), long_lines(number, "changed "))
        self.at.git("commit", "-q", "-a", "-m", "change much", at=work.place)
        self.submit("large", work)
        self.times["large, git diff"].append(timed(lambda: self.at.git("diff", f"{TARGET}...HEAD", at=work.place)))
        self.times["large, git"].append(timed(lambda: submit_work(self.at, work.place, 0)))
        self.at.git("worktree", "remove", "--force", str(work.place))
        app = self.at.open()
        app.feedback.reject(ADA, work.task, "only to be measured")
        app.close()

    def queue(self) -> None:
        app = self.at.open()
        rows = app.queue.view(ADA).count
        if rows != self.at.attempts:
            raise SystemExit(f"{rows} tasks wait in review, not {self.at.attempts}")
        self.times["queue"].append(timed(lambda: app.queue.view(ADA)))
        app.close()

    # Their parts

    def change(self, work: Work) -> Work:
        """The small change: half of one file."""
        said = f"{work.task} {self.rounds}"
        write(
            work.place, "src/part1/file1.py", [f"{'line' if line % 2 else said} {line} of 1" for line in range(LINES)]
        )
        self.at.git("commit", "-q", "-a", "-m", "change a little", at=work.place)
        return work

    def submit(self, name: str, work: Work) -> None:
        app = self.at.open(work.place)
        with watching_git() as started:
            self.times[f"{name}, verb"].append(timed(lambda: app.attempts.submit(WORKER, work.task)))
        app.close()
        self.note_git(name, started)

    def note_git(self, name: str, started: Started) -> None:
        self.times[f"{name}, in git"].append(started.ms)
        self.times[f"{name}, calls"].append(started.programs)
        self.times[f"{name}, ours"].append(self.times[f"{name}, verb"][-1] - started.ms)

    def approve(self, task: str) -> None:
        app = self.at.open()
        app.decisions.approve(ADA, task)
        app.close()

    def must_be_merged(self, task: str) -> None:
        app = self.at.open()
        view = app.lists.show(ADA, task)
        app.close()
        if view.task.status != "closed":
            raise SystemExit(f"{task} was not merged: it is {view.task.status}")

    def median(self, name: str) -> float:
        """Without the first round, which warms the caches."""
        return statistics.median(self.times[name][1:])


# ------------------------------------------------------------------------------------------------------ figures


def cost(small: Bench, step: str) -> list[Figure]:
    """A command and its verb over plain git, in the small repository."""
    plain, verb, command = (small.median(f"{step}, {way}") for way in ("git", "verb", "command"))
    in_git, ours, calls = (small.median(f"{step}, {part}") for part in ("in git", "ours", "calls"))
    parts = f"{calls:.0f} programs of git {in_git:.0f} ms, the rest {ours:.0f} ms"
    return [
        note(
            f"`fe {step}`, the whole command over plain git",
            f"{command / plain:.2f}",
            f"{command:.0f} ms, plain git {plain:.0f} ms",
        ),
        note(f"{step}, the verb over plain git", f"{verb / plain:.2f}", f"{verb:.0f} ms: {parts}"),
        at_most(f"{step}, programs started", calls, PROGRAMS[step]),
    ]


def growth(small: Bench, large: Bench, step: str) -> list[Figure]:
    """The same step in the large repository over the small one; and without what git itself takes, which would
    hide it.
    """
    found = []
    for part, words in (("verb", ""), ("ours", ", outside of git"), ("command", ", the whole command")):
        low, high = small.median(f"{step}, {part}"), large.median(f"{step}, {part}")
        what = f"{step}{words}: {large.at.attempts:,} attempts over {small.at.attempts:,}"
        found.append(at_most(what, high / low, BUDGET, f"{low:.1f} → {high:.1f} ms"))
    low, high = small.median(f"{step}, git"), large.median(f"{step}, git")
    what = f"plain git instead of {step}: {large.at.attempts:,} attempts over {small.at.attempts:,}"
    return [*found, note(what, f"{high / low:.2f}", f"{low:.1f} → {high:.1f} ms")]


def large_diff(small: Bench) -> list[Figure]:
    verb, read, plain = small.median("large, verb"), small.median("large, git diff"), small.median("large, git")
    ours, little = small.median("large, ours"), small.median("submit, verb")
    lines = f"a diff of {LONG_FILES * LONG_LINES:,} lines"
    return [
        note(
            f"submit, {lines}: the verb over `git diff`",
            f"{verb / read:.2f}",
            f"{verb:.0f} ms, `git diff` {read:.0f} ms",
        ),
        note(
            f"submit, {lines}: the verb over plain git",
            f"{verb / plain:.2f}",
            f"plain git {plain:.0f} ms, without git {ours:.0f} ms",
        ),
        note(f"submit, {lines} over one of {LINES}: the verb", f"{verb / little:.2f}", f"{little:.0f} → {verb:.0f} ms"),
    ]


def queue_rows(small: Bench, large: Bench) -> Figure:
    low, high = small.median("queue") / small.at.attempts, large.median("queue") / large.at.attempts
    what = f"queue, time for each row: {large.at.attempts:,} waiting over {small.at.attempts:,}"
    return note(what, f"{high / low:.2f}", f"{low:.2f} → {high:.2f} ms; {large.median('queue'):.0f} ms for all of them")


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 when something takes more than twice as long with a hundred times the attempts, starts more
    programs than it may, or is in a large tree more than half as slow again as it was.
    """
    parser = argparse.ArgumentParser(prog="python -m bench.gate", description=__doc__)
    parser.add_argument(
        "--attempts", type=int, default=LARGE, help="how many are merged, and wait, in the large repository"
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args(arguments or [])
    fe = ["/usr/bin/env", "-u", "PYTHONPATH", str(installed() / "fe")]
    with desk() as folder:
        small, large = Bench(folder / "small", SMALL, fe), Bench(folder / "large", options.attempts, fe)
        try:
            for number in range(options.rounds + 1):
                progress(f"round {number} of {options.rounds}")
                small.round()
                large.round()
        finally:
            small.close()
            large.close()
    figures = [
        *cost(small, "submit"),
        *cost(small, "merge"),
        *growth(small, large, "submit"),
        *growth(small, large, "merge"),
    ]
    figures += [*large_diff(small), queue_rows(small, large), *large_tree.measured(large_tree.ROUNDS)]
    figures += checks.measured(checks.ROUNDS)
    return show(f"The gate without checks (SQLite), median of {options.rounds} rounds in turns", "gate", figures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
