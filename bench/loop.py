"""The findings loop at size: 10,000 findings in a project, 1,000 of them on one task over 20 iterations.

Two stores take turns: one has a task with 10 findings over 2 iterations and little else, the other the same small task
among 10,000 findings, and a large one. What a small task costs must not hang on what else there is (first rows); what
the large one costs, per finding or per move, must not be more than in the small one (the rest). The matching reads no
git: its texts are given, as they are in a review once git has answered.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence

from foureyes.app.application import Application
from foureyes.app.facts import facts_of
from foureyes.app.findings.raising import Anchored, raising
from foureyes.app.ports import WriteTx
from foureyes.app.tasks.escalation import loop_state_of
from foureyes.core import events as e
from foureyes.core.events.decision import AttemptSubmitted, RedoRequested
from foureyes.core.nouns.attempt import Author, ChangedFile, Commit
from foureyes.core.nouns.finding import Answer, Raised, ReportedFinding
from foureyes.core.words.ids import DiffId, TaskId

from bench.figures import Figure, at_most, note, progress, show
from bench.places import SqlitePlace, agent, desk
from tests.stage.scripted_git import sha

MAKER, REVIEWER = agent("maker"), agent("reviewer")
SMALL_TASK, LARGE_TASK = TaskId("fe-small"), TaskId("fe-large")
FEW, FEW_ITERATIONS = 10, 2
MANY, ITERATIONS = 1_000, 20
OTHERS, OF_OTHERS = 90, 100
REPEATS = 15
BUDGET = 2.0
NEW = 50


class Writer:
    """Writes loops straight into the journal."""

    def __init__(self, app: Application) -> None:
        self.app = app
        self.second = 0

    def tell(self, tx: WriteTx, session: str, task: str, *events: e.Event) -> None:
        self.second += 1
        minutes, second = divmod(self.second, 60)
        at = f"2026-03-{1 + minutes // 1_440:02d}T{minutes // 60 % 24:02d}:{minutes % 60:02d}:{second:02d}.000Z"
        tx.append(session, at, [(task, event) for event in events])

    def loop(self, task: TaskId, findings: int, iterations: int) -> None:
        """A task whose every iteration is claimed to fix all, and fixes one; the last is in review."""
        with self.app.context.store.write() as tx:
            self.tell(tx, MAKER.session, task, e.TaskCreated(title=f"work on {task}"))
            for n in range(1, iterations + 1):
                self.tell(tx, MAKER.session, task, e.TaskStarted(target_head=sha("main")))
                if n > 1:
                    answers = tuple(
                        Answer(finding=name(task, k), action="FIXED", text="done") for k in range(n - 2, findings)
                    )
                    self.tell(
                        tx,
                        MAKER.session,
                        task,
                        e.FindingsAnswered(iteration=n, implementer=MAKER.session, answers=answers),
                    )
                self.tell(tx, MAKER.session, task, attempt(task, n))
                if n == 1:
                    raised = tuple(finding(task, k) for k in range(findings))
                    self.tell(
                        tx,
                        REVIEWER.session,
                        task,
                        e.FindingsRaised(iteration=1, kind="TL", source="review", findings=raised),
                    )
                else:
                    self.rule(tx, task, n, findings)
                if n < iterations:
                    self.tell(tx, REVIEWER.session, task, RedoRequested(iteration=n, feedback="go on"))

    def rule(self, tx: WriteTx, task: TaskId, n: int, findings: int) -> None:
        for k in range(n - 2, findings):
            ruling = e.FindingRuled(root=name(task, k), iteration=n, ruling="VERIFIED" if k == n - 2 else "NOT_FIXED")
            self.tell(tx, REVIEWER.session, task, ruling)


def name(task: str, k: int) -> str:
    return f"TL-{task}-1-{k + 1:03}"


def finding(task: str, k: int) -> Raised:
    return Raised(
        id=name(task, k),
        root=name(task, k),
        severity="HIGH",
        title=f"problem number {k}",
        path=f"src/file{k % 40}.py",
        line=k + 1,
        problem="it is wrong",
        fix="make it right",
        quote=f"value_{k} = compute({k})",
        symbol=f"function_{k % 7}",
    )


def attempt(task: str, n: int) -> AttemptSubmitted:
    head = sha(f"{task} {n}")
    return AttemptSubmitted(
        n=n,
        implementer=MAKER.session,
        base=sha("main"),
        head=head,
        tree=sha(f"tree {task} {n}"),
        ref=f"refs/heads/fe/{task}",
        diff_id=DiffId(f"sha256:{sha(f'diff {task} {n}')}"),
        files=tuple(ChangedFile(f"src/file{k}.py", 10, 2) for k in range(40)),
        commits=(Commit(head, "work", "maker"),),
        added=400,
        removed=80,
        authors=(Author(MAKER.session, "claim"),),
    )


def fill(app: Application, others: int) -> None:
    writer = Writer(app)
    writer.loop(SMALL_TASK, FEW, FEW_ITERATIONS)
    for number in range(others):
        writer.loop(TaskId(f"fe-o{number}"), OF_OTHERS, 1)
    if others:
        writer.loop(LARGE_TASK, MANY, ITERATIONS)


def listed(task: TaskId) -> Callable[[Application], object]:
    return lambda app: app.findings.listed(task)


def progressed(task: TaskId) -> Callable[[Application], object]:
    def run(app: Application) -> object:
        with app.context.store.read() as tx:
            return loop_state_of(app.context, tx, app.context.get(tx, task))

    return run


def judged(task: TaskId) -> Callable[[Application], object]:
    def run(app: Application) -> object:
        with app.context.store.read() as tx:
            return facts_of(app.context, tx, task)

    return run


def matched(task: TaskId, known: int) -> Callable[[Application], object]:
    """A review of 50 findings, half of them known, moved and rephrased."""

    def run(app: Application) -> object:
        with app.context.store.read() as tx:
            facts = facts_of(app.context, tx, task)
            found = [_again(task, k % known) if k % 2 else _new(k) for k in range(NEW)]
            return raising(tx, facts, found, kind="TL", source="review")

    return run


def _again(task: TaskId, k: int) -> Anchored:
    old = finding(task, k)
    said = ReportedFinding(
        severity="HIGH",
        title=f"said otherwise {k}",
        path=old.path,
        line=old.line + 7,
        quote=f"  {old.quote}  ",
        fix="do it",
    )
    return Anchored(said, old.symbol)


def _new(k: int) -> Anchored:
    return Anchored(
        ReportedFinding(
            severity="CRITICAL", title=f"another {k}", path=f"src/file{k % 40}.py", line=k, quote=f"other_{k}()"
        ),
        "elsewhere",
    )


def milliseconds(runs: Sequence[Callable[[], object]]) -> list[float]:
    """The median of each, taking turns."""
    taken: list[list[float]] = [[] for _ in runs]
    for _ in range(REPEATS):
        for times, run in zip(taken, runs, strict=True):
            start = time.perf_counter()
            run()
            times.append((time.perf_counter() - start) * 1000)
    return [statistics.median(times) for times in taken]


def measure(little: Application, much: Application) -> list[Figure]:
    figures: list[Figure] = []
    small = {
        "list": listed(SMALL_TASK),
        "progress": progressed(SMALL_TASK),
        "gate": judged(SMALL_TASK),
        "match": matched(SMALL_TASK, FEW),
    }
    for what, run in small.items():
        alone, among = milliseconds([lambda run=run: run(little), lambda run=run: run(much)])  # type: ignore[misc]
        detail = f"{among:.2f} ms among 10,000 findings, {alone:.2f} ms alone"
        figures.append(at_most(f"{what}: a task of 10 findings", among / alone, BUDGET, detail))
    large = {
        "list": (listed(SMALL_TASK), listed(LARGE_TASK), FEW, MANY, "finding"),
        "progress": (progressed(SMALL_TASK), progressed(LARGE_TASK), FEW * 3, MANY * (2 * ITERATIONS - 1), "move"),
        "match": (matched(SMALL_TASK, FEW), matched(LARGE_TASK, MANY), FEW, MANY, "known finding"),
    }
    for what, (one, other, few, many, unit) in large.items():
        little_ms, much_ms = milliseconds([lambda one=one: one(little), lambda other=other: other(much)])  # type: ignore[misc]
        detail = f"{much_ms:.1f} ms for {many:,}, {little_ms:.2f} ms for {few}"
        figures.append(
            at_most(f"{what}: per {unit}, {many:,} over {few}", (much_ms / many) / (little_ms / few), 1.0, detail)
        )
    (everything,) = milliseconds([lambda: much.findings.listed()])
    figures.append(note("list of the whole project", f"{everything:.0f} ms", "10,000 findings, every field"))
    return figures


def main(argv: Sequence[str] = ()) -> int:
    argparse.ArgumentParser(description=__doc__).parse_args(list(argv))
    with desk() as folder:
        places = [SqlitePlace(folder / "little"), SqlitePlace(folder / "much")]
        apps = [place.open() for place in places]
        progress("making a store of 10 findings, and one of 10,000")
        fill(apps[0], 0)
        fill(apps[1], OTHERS)
        try:
            return show("Findings loop (SQLite)", "loop", measure(*apps))
        finally:
            for app in apps:
                app.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
