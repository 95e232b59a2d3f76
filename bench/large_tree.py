"""The gate in a repository of 20,000 files: a change of 20 files, and one of 2,000, submitted and merged.

Both changes begin where main was before something else was merged, so each is a merge and no fast-forward. The verbs
and plain git take turns, each in its own copy of the repository; of every step the least of all rounds counts, because
whatever else the machine does only adds to it. What counts is the time of the processor, of git too.

`BEFORE` is what the same measurement gave with the gate as it was when git's own word for an object still counted, each
over plain git on the same machine in the same run (commit ad91eaa with this file put beside it).
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path

from bench import plain_git
from bench.figures import Figure, at_most, progress, show
from bench.places import ADA, TARGET, desk
from bench.timing import watching_git, worked
from bench.workplace import WORKER, Work, Workplace, begin, write

FOLDERS, IN_EACH, LINES = 200, 100, 40
SIZES = (20, 2_000)
HISTORY = 10
ROUNDS = 5
PROGRAMS = 30
SLOWER = 1.5
BEFORE = {("submit", 20): 1.24, ("submit", 2_000): 3.06, ("merge", 20): 1.68, ("merge", 2_000): 1.30}
"""The verb over plain git, before."""


class LargeTree:
    """One repository, and what was measured in it."""

    def __init__(self, folder: Path, folders: int = FOLDERS, in_each: int = IN_EACH) -> None:
        self.folders, self.in_each = folders, in_each
        self.at = Workplace(folder, HISTORY, self._fill)
        self.least: dict[tuple[str, int], float] = {}
        self.programs: dict[int, int] = defaultdict(int)
        self.rounds = 0

    def _fill(self, root: Path) -> None:
        for number in range(self.folders * self.in_each):
            write(root, self._name(number), [f"line {line} of {number}" for line in range(LINES)])

    def _name(self, number: int) -> str:
        place, file = number % self.folders, number // self.folders
        return f"tree/part{place // 10}/room{place % 10}/file{file}.py"

    def round(self, sizes: tuple[int, ...]) -> None:
        """Every change once by the verbs and once by plain git."""
        self.rounds += 1
        ours = [begin(self.at, f"change {size}") for size in (1, *sizes)]
        for work, size in zip(ours, (1, *sizes), strict=True):
            self._change(work, size)
            self._by_verb(work, size)
        plain = [self._begin_plain(size) for size in (1, *sizes)]
        for work, size in zip(plain, (1, *sizes), strict=True):
            self._change(work, size)
            self._by_git(work, size)

    def _by_git(self, work: Work, size: int) -> None:
        self._note("submit, git", size, worked(lambda: plain_git.submit_work(self.at, work.place, self.rounds)))
        self._note("merge, git", size, worked(lambda: plain_git.merge(self.at, work.place, work.task)))

    def _note(self, step: str, size: int, taken: float) -> None:
        self.least[step, size] = min(taken, self.least.get((step, size), taken))

    def _begin_plain(self, size: int) -> Work:
        name = f"plain-{self.rounds}-{size}"
        place = self.at.plain.parent / name
        self.at.git("worktree", "add", "-q", "-b", name, str(place), TARGET, at=self.at.plain)
        return Work(name, place)

    def _change(self, work: Work, size: int) -> None:
        """A line in each of so many files, every size in files of its own, spread over all folders."""
        first = {1: 0, **{size: (at + 1) * self.folders for at, size in enumerate(SIZES)}}.get(size, self.folders)
        for number in range(first, first + size):
            lines = [f"line {line} of {number}" for line in range(LINES)]
            lines[LINES // 2] = f"round {self.rounds}, {size} files"
            write(work.place, self._name(number), lines)
        self.at.git("commit", "-q", "-a", "-m", f"change {size} files", at=work.place)

    def _by_verb(self, work: Work, size: int) -> None:
        self._note("submit", size, worked(lambda: self._submit(work)))
        app = self.at.open()
        app.decisions.approve(ADA, work.task)
        app.close()
        with watching_git() as started:
            self._note("merge", size, worked(self._merge))
        self.programs[size] = max(self.programs[size], started.programs)
        app = self.at.open()
        status = app.lists.show(ADA, work.task).task.status
        app.close()
        if status != "closed":
            raise SystemExit(f"{work.task} was not merged: it is {status}")

    def _submit(self, work: Work) -> None:
        app = self.at.open(work.place)
        app.attempts.submit(WORKER, work.task)
        app.close()

    def _merge(self) -> None:
        app = self.at.open()
        app.merges.process(ADA)
        app.close()

    def figures(self, sizes: tuple[int, ...]) -> list[Figure]:
        """Each step over what it was before, both over plain git."""
        files = f"{self.folders * self.in_each:,} files"
        found = []
        for step in ("submit", "merge"):
            for size in sizes:
                ours, git = self.least[step, size], self.least[f"{step}, git", size]
                now, before = ours / git, BEFORE.get((step, size), 1.0)
                found.append(
                    at_most(
                        f"{step}, {size:,} of {files} changed: over before",
                        now / before,
                        SLOWER,
                        f"{ours:.0f} ms, {now:.2f} × plain git's {git:.0f} ms; before {before:.2f} ×",
                    )
                )
        most = max(self.programs[size] for size in sizes)
        return [*found, Figure(f"merge in {files}: programs", str(most), f"≤ {PROGRAMS}", most <= PROGRAMS)]


def measured(rounds: int) -> list[Figure]:
    """All of it, in a repository that is gone afterwards."""
    with desk() as folder:
        progress(f"making a repository of {FOLDERS * IN_EACH:,} files")
        tree = LargeTree(folder)
        for number in range(rounds):
            progress(f"20,000 files, round {number + 1} of {rounds}")
            tree.round(SIZES)
        return tree.figures(SIZES)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 when something is more than half as slow again as it was."""
    parser = argparse.ArgumentParser(prog="python -m bench.large_tree", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args(arguments or [])
    return show(
        f"The gate in a large tree (SQLite), least of {options.rounds} rounds in turns",
        "gate",
        measured(options.rounds),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
