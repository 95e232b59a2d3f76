"""Random cycles (V8, V9): whatever happens in whatever order, nothing is approved without its quorum, no pause is
lifted but by its rule or a person, and every cycle ends.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from foureyes.app.views.cycle import CycleView
from foureyes.core.nouns.session import Actor
from foureyes.errors import FoureyesError

from tests.stage.gated import AUTO, LINT, configure
from tests.stage.looped import issue, review
from tests.stage.night import plays
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, agent
from tests.stage.world import DeskWorld

QWEN = agent("qwen")
REVIEWERS = (CODEX, GEMINI, QWEN, CLAUDE, BOB)
STEPS = 30
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

    def go(self) -> None:
        moves: list[Callable[[], object]] = [
            self.hand_in, self.give, self.give, self.give, self.give, self.check, self.clarify, self.clarify,
            self.wait, self.resume, self.redo, self.look_now, self.not_given,
        ]  # fmt: skip
        self.hand_in()
        for _ in range(STEPS):
            self.by_person = False
            with suppress(FoureyesError):
                self.lot.choice(moves)()
            self.hold()

    def task(self) -> str:
        return self.lot.choice(self.tasks)

    def hand_in(self) -> None:
        if len(self.tasks) < 3:
            self.tasks.append(self.desk.handed_in(labels=AUTO if self.lot.random() < 0.7 else []))

    def give(self) -> None:
        task, who = self.task(), self.lot.choice(REVIEWERS)
        verdict = self.lot.choice(("approved", "approved", "approved", "concerns", "concerns", "blocker"))
        more: dict[str, Any] = {} if self.lot.random() < 0.8 else {"files_reviewed": []}
        issues = [issue("a thing", self.lot.choice(("LOW", "HIGH")))] if verdict == "concerns" else []
        review(self.desk, task, issues, by=who, verdict=verdict, summary="looked", **more)

    def check(self) -> None:
        self.desk.app.checks.run(CI, self.task())

    def clarify(self) -> None:
        for view in self.desk.app.cycles.listed(live=True):
            for point in view.points:
                if not point.answer:
                    self.desk.app.cycles.clarify(CLAUDE, view.id, point.id, "it is there")
                    return

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
        asked = [(view, row) for view in self.live() for row in view.asked if row.state == "asked"]
        if asked:
            view, row = self.lot.choice(asked)
            self.desk.app.cycles.not_given(ALICE, view.id, row.reviewer, why="quota")

    def live(self) -> list[CycleView]:
        return self.desk.app.cycles.listed(live=True)

    def hold(self) -> None:
        """V8, V9: what is approved by rule has its quorum; a pause by rule went by a rule or a person."""
        for task in self.tasks:
            shown = self.desk.show(task)
            if shown.task.status in ("approved", "closed"):
                counting = {row.session for row in shown.reviews if row.effective == "approved" and not row.missing}
                assert len(counting) >= QUORUM, task
        now = {(row.task, row.cycle) for row in self.desk.app.runs.standstill().pauses if row.made_by == "rule"}
        gone = self.paused - now
        if gone and not self.by_person:
            decided = {view.rule for view in self.desk.app.cycles.listed(limit=5)}
            assert decided & {"R3", "R4"}, gone
        self.paused = now

    def end(self) -> None:
        """Every cycle ends: time and a word of a person are enough."""
        for _ in range(8):
            self.desk.clock.wait(61 * 60)
            self.desk.app.cycles.decide(CI)
        for view in self.live():
            self.desk.app.cycles.decide(ALICE, view.id, now=True)
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
