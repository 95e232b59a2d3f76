"""J4: many runners and one task, take-overs while somebody renews: one has it, and the fence says who."""

from __future__ import annotations

from collections import Counter

from foureyes.app.runner_registry import LEASE_SECONDS as SECONDS
from foureyes.errors import Conflict, LostClaim, Refused

from tests.races.crowd import founded, opened, patiently, sound
from tests.stage.fork import Gate, swarm
from tests.stage.people import ALICE
from tests.stage.places import Place
from tests.stage.ports import FixedClock

RUNNERS = 8


def test_of_many_runners_that_reserve_one_task_one_wins_J4(place: Place) -> None:
    desk = founded(place)
    tasks = [desk.create(title=f"task {number}") for number in range(3)]
    desk.close()

    def reserve(_: int, gate: Gate) -> list[str]:
        won = []
        with opened(place, desk.script) as app:
            runner = patiently(lambda: app.runs.begin(ALICE, agents=1)).actor
            gate.wait()
            for task in tasks:
                try:
                    patiently(
                        lambda task=task: app.runs.reserve(runner, task, profile="claude", purpose="implement")  # type: ignore[misc]
                    )
                    won.append(task)
                except (Refused, LostClaim):
                    continue
        return won

    won = Counter(task for each in swarm(RUNNERS, reserve) for task in each)
    assert won == Counter(tasks)
    assert sorted(row.task for row in sound(place) if row.kind == "RunReserved") == sorted(tasks)


def test_a_take_over_while_the_runner_renews_leaves_one_holder_J4(place: Place) -> None:
    """The lease is over for everybody but the store: either the renewal was first, or the take-over."""
    desk = founded(place)
    task = desk.create(title="one")
    runner = desk.app.runs.begin(ALICE, agents=1).actor
    run = desk.app.runs.reserve(runner, task, profile="claude", purpose="implement")
    desk.close()

    def meet(number: int, gate: Gate) -> str:
        late = FixedClock()
        late.advance(seconds=SECONDS + 1)
        with opened(place, desk.script, late) as app:
            if number == 0:
                gate.wait()
                return "lost" if patiently(lambda: app.runs.renew(runner, [run.id])) else "kept"
            # Who took it over and has ended is shown to be gone, and may be taken over at once: not what this is about.
            vars(app.context.outside)["is_gone"] = lambda process: False
            other = patiently(lambda: app.runs.begin(ALICE, agents=1)).actor
            gate.wait()
            try:
                return f"fence {patiently(lambda: app.runs.take_over(other, run.id)).fence}"
            except Conflict:
                return "refused"

    renewed, *others = swarm(RUNNERS, meet)
    taken = [each for each in others if each.startswith("fence")]
    assert (renewed, taken) in (("kept", []), ("lost", ["fence 2"])), (renewed, others)
    with opened(place, desk.script) as app:
        (row,) = app.runs.live()
        assert row.fence == 1 + len(taken)
        assert app.runs.holds(runner, run.id) == (not taken)
    sound(place)
