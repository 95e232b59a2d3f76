"""Random cycles (V8, V9): whatever happens in whatever order, nothing is approved without its quorum, no pause is
lifted but by its rule or a person, and every cycle ends.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from foureyes.app.results.journal import JournalRow
from foureyes.app.results.review import CycleView
from foureyes.app.results.run import PauseView
from foureyes.core.nouns.session import Actor
from foureyes.errors import FoureyesError

from tests.stage.gated import AUTO, LINT, configure
from tests.stage.looped import again, issue, review
from tests.stage.night import plays
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, agent
from tests.stage.world import DeskWorld

QWEN = agent("qwen")
REVIEWERS = (CODEX, GEMINI, QWEN, CLAUDE, BOB)
BY_NAME = {"codex": CODEX, "gemini": GEMINI, "qwen": QWEN}
AUTHOR = CLAUDE.session
STEPS = 40
ROWS = 200
"""More than a step writes."""
DECISIONS = {
    "Approved",
    "ApprovalFinished",
    "RedoRequested",
    "TaskRejected",
    "TaskClosed",
    "TaskCancelled",
    "AttemptSentBack",
}
QUORUM = 2
PEERS = (
    f"\n[review]\nreviews = {QUORUM}\n[review.peers]\n"
    'reviewers = ["codex", "gemini", "qwen", "claude"]\n[agents]\nqwen = { program = "qwen" }\n'
)


class Play:
    """One play: what can happen, and what must hold after each step."""

    def __init__(self, desk: DeskWorld, seed: int) -> None:
        self.desk, self.lot = desk, random.Random(seed)
        self.tasks: list[str] = []
        self.paused: set[tuple[str, str]] = set()
        self.by_person = False
        self.seen = 0

    def go(self) -> None:
        rare = [
            self.submit_work,
            self.give,
            self.check,
            self.wait,
            self.resume,
            self.redo,
            self.look_now,
            self.not_given,
        ]
        often = [self.answer] * 4 + [self.clarify, self.agree_with_oneself, self.again]
        moves: list[Callable[[], object]] = [*rare, *often * 3]
        self.submit_work()
        self.submit_work()
        for _ in range(STEPS):
            self.by_person = False
            with suppress(FoureyesError):
                self.lot.choice(moves)()
            self.hold()

    def task(self) -> str:
        return self.lot.choice(self.tasks)

    def submit_work(self) -> None:
        if len(self.tasks) < 3:
            self.tasks.append(self.desk.submitted_task(labels=AUTO if self.lot.random() < 0.9 else []))
            self.desk.app.checks.run(CI, self.tasks[-1])

    def again(self) -> None:
        task = self.task()
        if self.desk.status(task) == "open":
            again(self.desk, task)
            self.desk.app.checks.run(CI, task)

    def answer(self) -> None:
        """Those who are asked say what they think, about as often this as that."""
        asked = [
            (row.task, BY_NAME[row.reviewer]) for view in self.live() for row in view.requested if row.state == "asked"
        ]
        if asked:
            self.say(*self.lot.choice(asked))

    def give(self) -> None:
        self.say(self.task(), self.lot.choice(REVIEWERS))

    def agree_with_oneself(self) -> None:
        review(self.desk, self.task(), by=CLAUDE, summary="it is mine, and fine")

    def say(self, task: str, who: Actor) -> None:
        verdict = self.lot.choice(("approved",) * 12 + ("concerns",) * 12 + ("blocker",))
        more: dict[str, Any] = {} if self.lot.random() < 0.95 else {"files_reviewed": []}
        severity = "HIGH" if self.lot.random() < 0.06 else "LOW"
        issues = [issue("a thing", severity)] if verdict == "concerns" else []
        review(self.desk, task, issues, by=who, verdict=verdict, summary="looked", **more)

    def check(self) -> None:
        self.desk.app.checks.run(CI, self.task())

    def clarify(self) -> None:
        for view in self.live():
            for point in view.points:
                if not point.answer and self.lot.random() < 0.8:
                    self.desk.app.cycles.clarify(CLAUDE, view.id, point.id, "it is there")

    def wait(self) -> None:
        self.desk.clock.wait(self.lot.choice((60, 31 * 60)))
        self.desk.app.cycles.decide(CI)

    def resume(self) -> None:
        self.by_person = True
        self.desk.app.stops.resume(ALICE, self.task(), "I looked")

    def redo(self) -> None:
        self.by_person = True
        self.desk.app.feedback.redo(BOB, self.task(), "say more")

    def look_now(self) -> None:
        self.desk.app.cycles.now(ALICE, self.task())

    def not_given(self) -> None:
        asked = [(view, row) for view in self.live() for row in view.requested if row.state == "asked"]
        if asked:
            view, row = self.lot.choice(asked)
            self.desk.app.cycles.not_given(ALICE, view.id, row.reviewer, why="quota")

    def live(self) -> list[CycleView]:
        return self.desk.app.cycles.listed(live=True)

    def hold(self) -> None:
        """V8, V9: what is approved by rule has its quorum; a pause by rule went by its rule, a decision or a person."""
        for task in self.tasks:
            if self.desk.status(task) in ("approved", "closed"):
                assert len(self.counting(task)) >= QUORUM, task
        rows = self.desk.app.audit.log(limit=ROWS)
        new = [row for row in rows if row.seq > self.seen]
        assert self.seen == 0 or new[:1] == [] or new[0].seq == self.seen + 1, "all rows of the step are looked at"
        with self.desk.store.read() as tx:
            now = {(row.task, row.cycle) for row in tx.all("run.pauses", PauseView) if row.made_by == "rule"}
        for task, cycle in self.paused - now:
            assert any(self.lifts(row, new, task, cycle) for row in new if row.kind == "RunsResumed"), (task, cycle)
        self.paused, self.seen = now, rows[-1].seq

    def counting(self, task: str) -> set[str]:
        """P, V6: who agreed, with the last word about what was submitted last, and did not make it."""
        shown = self.desk.show(task)
        about = [row for row in shown.reviews if row.diff_id == shown.attempts[-1].diff_id and not row.early_review]
        last = {row.session: row for row in sorted(about, key=lambda row: row.seq)}
        return {str(name) for name, row in last.items() if row.effective == "approved" and not row.missing} - {AUTHOR}

    def lifts(self, row: JournalRow, new: list[JournalRow], task: str, cycle: str) -> bool:
        """Whether this row may lift the pause of a cycle: a person's, a decision about its task, or R3 and R4 of one
        that follows it or is about a newer attempt.
        """
        said = json.loads(row.payload)
        if row.task != task:
            return False
        if said.get("by", "person") == "person":
            return self.by_person
        if said["cycle"] != cycle:
            return False
        before = [each for each in new if each.seq < row.seq]
        if not said.get("rule"):
            return any(each.task == task and each.kind in DECISIONS for each in before)
        decided = [json.loads(each.payload) for each in before if each.kind == "CycleDecided"][-1]
        return decided["rule"] in ("R3", "R4") and self.comes_after(decided["cycle"], cycle, task)

    def comes_after(self, later: str, cycle: str, task: str) -> bool:
        was, now = self.desk.app.cycles.show(cycle), self.desk.app.cycles.show(later)
        newest = {target.task: target.attempt for target in now.targets}
        if any(target.task == task and newest.get(task, 0) > target.attempt for target in was.targets):
            return True
        while now.follows:
            now = self.desk.app.cycles.show(now.follows)
            if now.id == cycle:
                return True
        return False

    def end(self) -> None:
        """Every cycle ends: time is enough."""
        for _ in range(8):
            self.desk.clock.wait(61 * 60)
            self.desk.app.cycles.decide(CI)
        assert self.live() == []


@pytest.mark.on("sqlite")
def test_nothing_is_approved_without_its_quorum_no_pause_goes_by_itself_and_every_cycle_ends_V8_V9(
    desk: DeskWorld,
) -> None:
    configure(desk, PEERS + LINT)
    for seed in range(plays("random cycles")):
        play = Play(desk, seed)
        play.go()
        play.end()


def test_who_plays_is_known() -> None:
    everybody: tuple[Actor, ...] = REVIEWERS
    assert len({each.session for each in everybody}) == len(everybody)
