"""Review cycles: the decision of one among 1,000 open ones, over the same among 10; what it costs to look through all;
and to decide each of 1,000 that are due, over each of 10.

The stores take turns. Every cycle waits for two reviewers; what is decided has both answers, and the decision is taken
back again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from foureyes.adapters.clock import RandomIds, SystemClock
from foureyes.adapters.store.store_files import create_store
from foureyes.app.application import Application
from foureyes.app.context import Context, Work
from foureyes.app.cycles.decisions import decide_if_due
from foureyes.app.ports import WriteTx
from foureyes.core import events as e
from foureyes.core.nouns.cycle import CycleId, CycleTarget
from foureyes.core.words.ids import TaskId

from bench.figures import Figure, at_most, note, progress, show
from bench.loop import MAKER, REVIEWER, Writer, attempt, milliseconds
from bench.places import ADA, NOW, agent, desk
from tests.stage.playing import PlayedRepo, PlayedWorkshop
from tests.stage.ports import DeskOutside

OTHER = agent("other")
FEW, MANY = 10, 1_000
BUDGET = 2.0
UNTIL = "2099-01-01T00:00:00.000Z"


class Undone(Exception):
    """What was decided, to be decided again."""


class Asked:
    """A project with so many open cycles; the first one has its answers, or with `due` each."""

    def __init__(self, folder: Path, cycles: int, *, due: bool = False) -> None:
        progress(f"a store of {cycles:,} open cycles")
        folder.mkdir()
        repo = PlayedRepo()
        shop = PlayedWorkshop(repo)
        store = create_store(str(folder), "0123456789abcdef", NOW)
        context = Context(store, lambda: repo, SystemClock(), RandomIds(), {}, outside=DeskOutside(lambda: shop))
        self.cycles = cycles
        self.app = Application(context)
        self.app.projects.create(ADA, "bench", "fe", "main")
        writer = Writer(self.app)
        with store.write() as tx:
            for who in (MAKER, REVIEWER, OTHER):
                known = e.SessionStarted(
                    kind="agent", trust="observed", agent=who.agent, name=who.agent, evidence=who.evidence
                )
                writer.tell(tx, who.session, "", known)
            for n in range(1, cycles + 1):
                ask(writer, tx, n, answered=due or n == 1)

    def decide(self, cycles: int = 1) -> None:
        context = self.app.context
        try:
            with context.store.write() as tx:
                work = Work(tx, context.gate, context.now(), context.store.project)
                for n in range(1, cycles + 1):
                    assert decide_if_due(context, work, CycleId(f"c-{n}")).ruled is not None
                raise Undone
        except Undone:
            return

    def decide_all(self) -> None:
        self.decide(self.cycles)


def ask(writer: Writer, tx: WriteTx, n: int, *, answered: bool) -> None:
    task, cycle = TaskId(f"fe-{n}"), CycleId(f"c-{n}")
    submitted_task = attempt(task, 1)
    tell = writer.tell
    tell(
        tx, MAKER.session, task, e.TaskCreated(title=f"work on {task}"), e.TaskStarted(target_head=submitted_task.base)
    )
    target = CycleTarget(task=task, attempt=1, diff_id=submitted_task.diff_id, summary="it works")
    opened = e.CycleOpened(cycle=cycle, trigger="REQUEST_REVIEW", targets=(target,), quorum=1, seats=2)
    asked = [e.ReviewAsked(cycle=cycle, reviewer=name, kind="session", until=UNTIL) for name in sessions()]
    tell(tx, MAKER.session, task, submitted_task, opened, *asked)
    for session in sessions() if answered else ():
        files = tuple(file.path for file in submitted_task.files)
        review = e.ReviewSubmitted(
            attempt=1,
            diff_id=submitted_task.diff_id,
            verdict="approved",
            effective="approved",
            status="APPROVED",
            summary="fine",
            files=files,
            cycle=cycle,
            reviewer=session,
        )
        tell(tx, session, task, review)


def sessions() -> tuple[str, str]:
    return REVIEWER.session, OTHER.session


def measure(folder: Path) -> list[Figure]:
    small, large = Asked(folder / "small", FEW), Asked(folder / "large", MANY)
    few, many = milliseconds([small.decide, large.decide])
    detail = f"{many:.2f} ms among {MANY:,} open cycles, {few:.2f} ms among {FEW}"
    figures = [at_most("a cycle is decided (V8)", many / few, BUDGET, detail)]
    few, many = milliseconds([lambda: small.app.cycles.decide(ADA), lambda: large.app.cycles.decide(ADA)])
    detail = f"{many:.1f} ms, none of them due; {few:.2f} ms for {FEW}"
    figures.append(note(f"looking through {MANY:,} open cycles", f"{many:.0f} ms", detail))
    small, large = Asked(folder / "small due", FEW, due=True), Asked(folder / "large due", MANY, due=True)
    few, many = milliseconds([small.decide_all, large.decide_all])
    each = f"{many:.0f} ms for {MANY:,} that are due, {many / MANY:.2f} ms each; {few / FEW:.2f} ms each of {FEW}"
    return [*figures, at_most("each of many that are due is decided (V8)", (many / MANY) / (few / FEW), BUDGET, each)]


def main(argv: Sequence[str] = ()) -> int:
    argparse.ArgumentParser(description=__doc__).parse_args(list(argv))
    with desk() as folder:
        return show("Review cycles", "cycles", measure(folder))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
