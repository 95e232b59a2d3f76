"""Every next step that an answer or a refusal proposes can be taken, by whom it names (G2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pytest

from foureyes.core.nouns.finding import ReportedFinding
from foureyes.core.nouns.session import Actor
from foureyes.errors import FoureyesError

from tests.stage.looped import again, issue, play, respond, review, rule
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX
from tests.stage.walked import Walk
from tests.stage.world import DeskWorld, World

pytestmark = pytest.mark.on("sqlite")
EVERYBODY = (ALICE, BOB, CLAUDE, CODEX, CI)


def tried(*calls: Callable[[], object]) -> None:
    """Each is called, whatever it says: what matters is what it proposes."""
    for call in calls:
        try:
            call()
        except FoureyesError:
            continue


def look_around(desk: World, *tasks: str, people: Sequence[Actor] = EVERYBODY) -> None:
    """Everybody looks at everything."""
    app = desk.app
    for who in people:
        tried(
            partial(app.status.show, who),
            partial(app.queue.view, who),
            partial(app.attention.view, who),
            partial(app.validation.validate, who),
        )
        for task in tasks:
            tried(partial(app.lists.show, who, task), partial(app.loops.show, task))
            for finding in app.findings.listed(task):
                tried(partial(app.findings.show, who, finding.id))


def everybody(call: Callable[[Actor], object], people: Sequence[Actor] = EVERYBODY) -> None:
    """Everybody tries it."""
    for who in people:
        tried(partial(call, who))


def everything(desk: World, task: str, people: Sequence[Actor] = EVERYBODY) -> None:
    """Everybody tries every decision about a task."""
    app, seen = desk.app, desk.seen(task)
    everybody(lambda who: app.decisions.approve(who, task), people)
    everybody(lambda who: app.decisions.approve(who, task, seen=seen), people)
    everybody(lambda who: app.feedback.redo(who, task), people)
    everybody(lambda who: app.feedback.reject(who, task, ""), people)
    everybody(lambda who: app.claims.start(who, task), people)
    everybody(lambda who: app.claims.unstart(who, task), people)
    everybody(lambda who: app.attempts.submit(who, task), people)
    everybody(lambda who: app.closing.close(who, task), people)
    everybody(lambda who: app.loops.lead(who, task, "ask", "please"), people)
    everybody(lambda who: app.stops.unblock(who, task), people)


def a_day(desk: DeskWorld) -> None:
    task = desk.create()
    look_around(desk, task)
    everybody(lambda who: desk.app.decisions.approve(who, task))
    everybody(lambda who: desk.app.attempts.submit(who, task))
    desk.start(CLAUDE, task)
    look_around(desk, task)
    tried(lambda: desk.start(CODEX, task), lambda: desk.app.claims.unstart(CODEX, task))
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    look_around(desk, task)
    desk.approve(BOB, task)
    look_around(desk, task)


def findings_loop(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    names = review(desk, task, [issue("one"), issue("two", "CRITICAL"), issue("three", "LOW")]).raised
    look_around(desk, task)
    desk.start(CLAUDE, task)
    look_around(desk, task)
    tried(lambda: desk.submit(CLAUDE, task), lambda: respond(desk, task, {names[0]: "DEFERRED"}))
    again(desk, task)
    look_around(desk, task)
    everybody(lambda who: desk.app.rulings.rule(who, []))
    for word in ("VERIFIED", "OVERRULED", "OBSOLETE"):
        everybody(lambda who: rule(desk, {names[0]: word}, by=who, reason=""))  # noqa: B023 - called at once
    everybody(lambda who: desk.app.findings.waive(who, names[1], ""))
    everybody(lambda who: desk.app.rulings.withdraw(who, names[1], ""))
    desk.app.findings.waive(BOB, names[1], "later")
    look_around(desk, task)


def a_person_points(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    path = desk.show(task).attempts[-1].files[0].path
    everybody(
        lambda who: desk.app.findings.add(
            who, task, ReportedFinding(severity="HIGH", title=f"a {who.session}", path=path)
        )
    )
    look_around(desk, task)
    everybody(lambda who: desk.app.feedback.redo(who, task))


def a_stuck_loop(desk: DeskWorld) -> None:
    task = play(desk, [0, 0, 0, 0], found=1)
    look_around(desk, task)
    everything(desk, task)
    tried(lambda: desk.app.loops.lead(BOB, task, "ask", "what now"))
    look_around(desk, task)
    everything(desk, task)


def stops(desk: DeskWorld) -> None:
    for status in ("open", "in_progress", "reviewing"):
        task = (
            desk.create() if status == "open" else desk.started() if status == "in_progress" else desk.submitted_task()
        )
        desk.app.stops.hold(BOB, task, "wait")
        look_around(desk, task)
        everything(desk, task)
    rejected = desk.submitted_task()
    desk.app.feedback.reject(BOB, rejected, "never")
    look_around(desk, rejected)
    everything(desk, rejected)
    blocked = desk.create()
    desk.app.stops.block(CLAUDE, blocked, "no key")
    look_around(desk, blocked)
    everything(desk, blocked)
    late = desk.create()
    desk.app.stops.defer(ALICE, late)
    look_around(desk, late)
    everything(desk, late)
    desk.app.stops.hold(BOB, None, "freeze")
    look_around(desk, late, blocked)


def one_after_the_other(desk: DeskWorld) -> None:
    first, second = desk.create(), desk.create()
    desk.app.tasks.add_dependency(ALICE, second, [first])
    look_around(desk, second)
    everything(desk, second)


def closed(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    desk.approve(BOB, task)
    everything(desk, task)
    desk.app.stops.hold(ALICE, task, "no")
    look_around(desk, task)
    gone = desk.create()
    desk.app.closing.cancel(ALICE, gone)
    look_around(desk, gone)
    everything(desk, gone)


STORIES = (a_day, findings_loop, a_person_points, a_stuck_loop, stops, one_after_the_other, closed)


@pytest.mark.parametrize("story", STORIES)
def test_every_next_step_can_be_taken_by_whom_it_names_G2(desk: DeskWorld, story: Callable[[DeskWorld], None]) -> None:
    walk = Walk()
    story(walk.watch(desk))
    assert walk.walked
    assert not walk.refusals, "\n".join(dict.fromkeys(map(str, walk.refusals)))
