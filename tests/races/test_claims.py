"""T1: one winner for every claim, however many reach for it."""

from __future__ import annotations

from collections import Counter

from foureyes.errors import LostClaim, NotFound

from tests.races.crowd import founded, opened, patiently, sound, worker
from tests.stage.fork import Gate, swarm
from tests.stage.night import plays
from tests.stage.places import Desk, Place

CLAIMERS = plays("processes that claim")
TASKS = plays("tasks that they claim")
WANTED = 8


def planned(place: Place, count: int) -> tuple[Desk, list[str]]:
    desk = founded(place)
    made = [desk.create(title=f"task {number}", priority=number % 5) for number in range(count)]
    desk.close()
    return desk, made


def test_many_claimers_take_more_tasks_than_they_are_each_exactly_once_T1(place: Place) -> None:
    desk, made = planned(place, TASKS)

    def claim(number: int, gate: Gate) -> list[str]:
        taken = []
        with opened(place, desk.script) as app:
            gate.wait()
            while True:
                try:
                    taken.append(patiently(lambda: app.claims.next(worker(number))).task)
                except NotFound:
                    return taken

    everything = swarm(CLAIMERS, claim)
    assert sorted(task for taken in everything for task in taken) == sorted(made)
    started = [(row.task, row.session) for row in sound(place) if row.kind == "TaskStarted"]
    assert sorted(started) == sorted(
        (task, f"ses-worker{number}") for number, taken in enumerate(everything) for task in taken
    )


def test_of_many_who_start_the_same_task_one_wins_and_the_others_are_told_who_T1(place: Place) -> None:
    desk, made = planned(place, WANTED)

    def start(number: int, gate: Gate) -> list[str]:
        """For each task: empty if it was won, else what was said."""
        said = []
        with opened(place, desk.script) as app:
            gate.wait()
            for task in made[number % WANTED :] + made[: number % WANTED]:
                try:
                    assert patiently(lambda task=task: app.claims.start(worker(number), task)).changed  # type: ignore[misc]
                    said.append((task, ""))
                except LostClaim as lost:
                    said.append((task, f"{lost.exit_code} {lost.message}"))
        return [message for _, message in sorted(said)]

    everything = swarm(CLAIMERS, start)
    rows = sound(place)
    names = session_names(place)
    for column, task in enumerate(sorted(made)):
        (winner,) = [number for number, said in enumerate(everything) if not said[column]]
        (row,) = [row for row in rows if row.kind == "TaskStarted" and row.task == task]
        assert row.session == f"ses-worker{winner}"
        told = Counter(said[column] for said in everything if said[column])
        assert list(told) == [f"4 {task} was started by {names[row.session]} ({row.session}) at {row.at}."]
        assert told.total() == CLAIMERS - 1


def session_names(place: Place) -> dict[str, str]:
    with opened(place, Desk(place).script) as app:
        return {row.id: row.name for row in app.sessions.list(limit=1000)}
