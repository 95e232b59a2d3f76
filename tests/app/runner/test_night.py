"""A night with reviewers (X, V, R1, R2, E1, J4): twelve tasks from ten to midnight until eight, a clock that the test
moves; what happened is what the report, the queue and attention say in the morning.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from foureyes.app.agent_ports import Launch
from foureyes.app.results.sprint import SprintAsk, SprintReport
from foureyes.core.runner.steps import Wait

from tests.stage.documents import rulings_of
from tests.stage.gated import AUTO, LINT
from tests.stage.peers import TWO, Peers, issue, review
from tests.stage.people import ALICE, BOB
from tests.stage.playing import Play

SETTINGS = f'{LINT}\n{TWO}[tiers]\nsenior = "claude"\n[loop]\nno_progress_limit = 1\n[agents.claude]\nslots = 3\n'
EVENING = datetime(2026, 11, 17, 23, 50, tzinfo=UTC)
MORNING = datetime(2026, 11, 18, 8, 0, tzinfo=UTC)


class Night(Peers):
    """Every agent does and says what its task is called."""

    def __init__(self) -> None:
        super().__init__()
        self.configured(SETTINGS)
        self.clock.time = EVENING
        self.titles: dict[str, str] = {}
        self.slow = True
        for title in ("by rule 1", "by rule 2", "by rule 3", "by rule 4", "by rule 5"):
            self.add(title, labels=AUTO, priority=1)
        for title in (
            "blocked by a reviewer",
            "unclear",
            "never right",
            "to look at 1",
            "to look at 2",
            "to look at 3",
        ):
            self.add(title)
        self.add("sensitive", labels=["security"])

    def add(self, title: str, **fields: object) -> None:
        made = self.create(ALICE if fields.get("labels") == AUTO else BOB, title=title, **fields)
        self.titles[made] = title

    def named(self, title: str) -> str:
        return next(task for task, each in self.titles.items() if each == title)

    def _next(self, launch: Launch) -> Play:
        title = self.titles[launch.task]
        if launch.purpose == "clarify":
            answers = [{"point": 1, "answer": "it is meant so"}, {"point": 2, "answer": "it is meant so"}]
            self.says(launch.profile_name, json.dumps({"type": "clarification", "answers": answers}))
        elif launch.purpose == "review":
            self.says(launch.profile_name, self.verdict(title, launch))
        elif title == "never right" and self.app.findings.listed(launch.task):
            return Play(during=self.mends)
        else:
            return Play(lasts=60 if self.slow and title.startswith("by rule") else 2)
        return super()._next(launch)

    def verdict(self, title: str, launch: Launch) -> str:
        """What a reviewer says: nothing is wrong but with three of them."""
        first = launch.profile_name == "codex"
        if title == "blocked by a reviewer" and first:
            return review("blocker", summary="it deletes the orders")
        if title == "unclear" and not any(each.trigger == "CLARIFIED" for each in self.app.cycles.listed()):
            return review("concerns", issues=[issue("MEDIUM", title=f"{launch.profile_name} wonders")])
        if title == "never right" and first:
            claimed = [one.id for one in self.app.findings.listed(launch.task) if one.state == "claimed"]
            rulings = rulings_of([(name, "NOT_FIXED") for name in claimed])
            return review("concerns", issues=[] if claimed else [issue("HIGH", title="Wrong")], rulings=rulings)
        return review()


pytestmark = pytest.mark.on("sqlite")


@pytest.fixture
def night() -> Iterator[Night]:
    night = Night()
    yield night
    night.sound()
    night.check_nothing_left()
    night.app.close()


def slept(night: Night) -> SprintReport:
    """Planned at ten to midnight, killed once, over at eight; what is reported then."""
    plan = night.app.sprints.plan(ALICE, SprintAsk(until="08:00"))
    assert (len(plan.tasks), plan.seconds_left, plan.need_person) == (12, 8 * 3600 + 600, 1)
    night.app.sprints.start(ALICE, plan.id)
    first = night.runner(agents=3, sprints=True)
    night.ticks(first, 12)
    assert night.app.sprints.status(ALICE).running == 3
    night.slow = False
    night.outside.gone.add(night.outside.own)  # kill -9: nothing is written, nobody says goodbye
    second = night.runner(agents=3, sprints=True)
    while not (isinstance(last := second.tick(), Wait) and last.idle):
        night.clock.advance(seconds=10 if last is not None else 0)
    assert night.clock.time < MORNING
    assert night.app.sprints.status(ALICE).state == "running", "a blocker stops its task, and nothing else"
    night.clock.time = MORNING
    assert night.settle(second).startswith(f"{plan.id} is over (its time is over)")
    return night.app.sprints.report(ALICE)


def test_the_morning_after_twelve_tasks_two_reviewers_a_blocker_a_question_and_a_crash_X2_R1_R2_E1_J4(
    night: Night,
) -> None:
    report = slept(night)
    placed = [*report.merged, *report.approved, *report.waiting, *report.failed, *report.unfinished, *report.untouched]
    assert sorted(row.task for row in placed) == sorted(night.titles), "every task is in one place"
    assert sorted(row.title for row in report.merged) == [f"by rule {n}" for n in (1, 2, 3, 4, 5)]
    assert report.waiting[0].title == "sensitive", "the riskiest first"
    assert {row.title for row in report.waiting} == {"sensitive", "unclear", *[f"to look at {n}" for n in (1, 2, 3)]}
    why = {row.title: row.why for row in report.failed}
    assert sorted(why) == ["blocked by a reviewer", "never right"]
    assert "reported a blocker" in why["blocked by a reviewer"]
    assert "stuck until the lead decides" in why["never right"]
    assert report.sentence == "10/12 tasks, 2 failed, ended 08:00"
    lost = [run for task in night.titles for run in night.runs_of(task) if run.ending == "lost"]
    assert len(lost) == 3, "what the first runner had at work was taken up by the second"
    check_reviews(night)
    check_faces(night, report)


def check_reviews(night: Night) -> None:
    """What reviewers said is what became of each task."""
    rules: dict[str, list[str]] = {}
    for cycle in reversed(night.app.cycles.listed(limit=200)):
        rules.setdefault(night.titles[cycle.targets[0].task], []).append(cycle.rule)
    assert rules["blocked by a reviewer"] == ["R1"]
    assert rules["unclear"] == ["R2", "R4"], "clarified, and asked again"
    assert set(rules["never right"]) == {"R3"}
    assert rules["by rule 1"][-1] == "R4"
    unclear = night.app.cycles.listed(task=night.named("unclear"))[-1]
    assert {point.answer for point in unclear.points} == {"it is meant so"}
    assert night.app.runs.blocked_work().pauses == []


def check_faces(night: Night, report: SprintReport) -> None:
    """The queue has what waits for a person, in the report's order; what only a person moves stands in attention."""
    held, loop = night.named("blocked by a reviewer"), night.named("never right")
    queue = [row.task for row in night.app.queue.view(ALICE).rows if row.task != held]
    assert queue == [row.task for row in report.waiting]
    rows = {row.task: row for row in night.app.attention.view(ALICE).rows}
    assert "it deletes the orders" in f"{rows[held].text} {' '.join(rows[held].details)}"
    assert rows[loop].kind == "loop"
    assert night.app.sprints.status(ALICE).ended == "SPRINT s-01 ended 08:00 │ 10/12 │ 2 failed │ 5 wait for you [R]"
    assert any(line.startswith(f"! {held} is held by a reviewer") for _, line in night.said), "told at once"
