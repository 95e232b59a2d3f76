"""Tokens, recorded approvals and keys at once: one claim, one finish, one first key, and nothing by a session that has
ended.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.app.application import Application
from foureyes.app.results.session import Spawned
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.four_eyes import Declaration
from foureyes.core.words.ids import token_hash
from foureyes.errors import Conflict, FoureyesError, LostClaim, Refused

from tests.races.crowd import founded, opened, sound, wait_before_writing, worker
from tests.stage.fork import Gate, swarm
from tests.stage.night import plays
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, agent
from tests.stage.places import Desk, Place
from tests.stage.ring import FileRing

ROUNDS = plays("rounds of a race of two")


def told(problem: FoureyesError) -> str:
    """The exit code, and everything that was said."""
    return " ".join(
        [str(problem.exit_code), problem.message, *[f"{reason.rule} {reason.message}" for reason in problem.reasons]]
    )


def shown(app: Application, made: Spawned, spawner: Actor = CLAUDE) -> Actor:
    """The child of an agent, in a process of its own."""
    process = agent("child").processes
    seen = replace(agent("child"), ancestors=(*process, *spawner.processes), token=token_hash(made.token))
    return app.sessions.recognise(lambda _: seen)


# Keys


@pytest.mark.parametrize("people", [(ALICE, BOB), (ALICE, ALICE)], ids=["two people", "one person in two terminals"])
def test_of_two_first_keys_at_once_one_counts_and_the_other_is_refused_and_forgotten_I9(
    place: Place, people: tuple[Actor, Actor]
) -> None:
    desk = founded(place)
    rings = [FileRing(place.root / f"keys of {number}", f"person {number}") for number in range(2)]

    def new(number: int, gate: Gate) -> str:
        with opened(place, desk.script, keys=rings[number]) as app:
            wait_before_writing(app, gate)
            try:
                return "counts" if app.keys.new(people[number]).registered else "waits"
            except Refused as problem:
                return told(problem)

    said = swarm(2, new)
    assert said.count("counts") == 1, said
    winner = said.index("counts")
    assert "I9 key add needs a person's key" in said[1 - winner], said
    assert [len(ring.held()) for ring in rings] == [int(number == winner) for number in range(2)], (
        "what does not count does not lie around"
    )
    rows = sound(place)
    assert [row.session for row in rows if row.kind == "KeyAdded"] == [people[winner].session]
    assert [row.kind for row in rows].count("DecisionSigned") == 0


def test_of_two_decisions_with_one_key_while_it_is_retired_none_counts_after_it_I9(place: Place) -> None:
    """Who signed with a key that was retired meanwhile is refused."""
    desk = founded(place)
    desk.app.keys.new(ALICE)
    (key,) = desk.ring.held()
    desk.close()

    def act(number: int, gate: Gate) -> str:
        with opened(place, desk.script, keys=desk.ring) as app:
            wait_before_writing(app, gate)
            try:
                if number == 0:
                    app.keys.retire(ALICE, key, "lost")
                else:
                    app.policy.set(ALICE, "minor.max_lines", str(number))
                return "yes"
            except FoureyesError as problem:
                return told(problem)

    said = swarm(3, act)
    assert said[0] == "yes", said
    kinds = [row.kind for row in sound(place)]
    after = kinds[kinds.index("KeyRetired") :]
    assert "DecisionSigned" not in after
    assert "SettingChanged" not in after, "signed with a key that no longer counted"
    assert all("I9" in words for words in said if words != "yes"), said


# Approvals that are recorded apart


def recorded(desk: Desk) -> tuple[str, str]:
    """A task with a recorded approval, and its diff."""
    task = desk.submitted_task()
    seen = desk.seen(task)
    desk.app.decisions.approve(CODEX, task, seen=seen, declaration=Declaration("I looked", record_only=True))
    desk.close()
    return task, seen


def test_of_two_who_finish_one_recorded_approval_at_once_one_does_P11(place: Place) -> None:
    desk = founded(place)
    desk.app.policy.set(ALICE, "review.policy", "delegated")
    for _ in range(ROUNDS):
        task, seen = recorded(desk)

        def finish(number: int, gate: Gate, task: str = task, seen: str = seen) -> str:
            with opened(place, desk.script) as app:
                wait_before_writing(app, gate)
                try:
                    done = app.decisions.approve((CODEX, CLAUDE)[number], task, seen=seen, reason="codex looked at it")
                    return done.rule if done.changed else "again"
                except FoureyesError as problem:
                    return told(problem)

        said = swarm(2, finish)
        assert said.count("P11") == 1, said
        other = next(words for words in said if words != "P11")
        assert other == "again" or f"D1 {task} is approved" in other, said
        rows = [row for row in sound(place) if row.task == task]
        assert [row.kind for row in rows].count("ApprovalFinished") == 1
        assert [row.kind for row in rows].count("Approved") == 0
        with opened(place, desk.script) as app:
            found = app.lists.show(BOB, task)
        assert [(row.session, row.state, row.recorded) for row in found.approvals] == [(CODEX.session, "active", False)]


def test_finishing_and_taking_back_at_once_leave_no_approval_that_was_taken_back_P11(place: Place) -> None:
    desk = founded(place)
    desk.app.policy.set(ALICE, "review.policy", "delegated")
    for _ in range(ROUNDS):
        task, seen = recorded(desk)

        def act(number: int, gate: Gate, task: str = task, seen: str = seen) -> str:
            with opened(place, desk.script) as app:
                wait_before_writing(app, gate)
                try:
                    if number:
                        app.decisions.withdraw(CODEX, task)
                    else:
                        app.decisions.approve(CLAUDE, task, seen=seen, reason="codex looked at it")
                    return "yes"
                except FoureyesError as problem:
                    return told(problem)

        said = swarm(2, act)
        assert said[1] == "yes", said
        with opened(place, desk.script) as app:
            found = app.lists.show(BOB, task)
        assert (found.task.status, [row.state for row in found.approvals]) == ("reviewing", ["withdrawn"])
        sound(place)


def test_of_two_records_by_one_session_at_once_one_is_written_P11(place: Place) -> None:
    desk = founded(place)
    desk.app.policy.set(ALICE, "review.policy", "delegated")
    task = desk.submitted_task()
    seen = desk.seen(task)
    desk.close()

    def record(number: int, gate: Gate) -> bool:
        with opened(place, desk.script) as app:
            wait_before_writing(app, gate)
            return app.decisions.approve(CODEX, task, seen=seen, declaration=Declaration(record_only=True)).changed

    assert sorted(swarm(3, record)) == [False, False, True]
    assert [row.kind for row in sound(place)].count("ApprovalRecorded") == 1


# Tokens


def test_of_many_who_start_a_task_or_spawn_somebody_for_it_at_once_one_has_the_claim_T1_I2(place: Place) -> None:
    desk = founded(place)
    for _ in range(ROUNDS):
        task = desk.create()
        desk.close()

        def claim(number: int, gate: Gate, task: str = task) -> str:
            """Whose claim it is now, or what was said."""
            with opened(place, desk.script) as app:
                wait_before_writing(app, gate)
                try:
                    if number % 2:
                        return app.sessions.spawn(worker(number), task, "implement").session
                    assert app.claims.start(worker(number), task).changed
                    return str(worker(number).session)
                except LostClaim as lost:
                    return told(lost)

        said = swarm(8, claim)
        (winner,) = [words for words in said if words.startswith("ses-")]
        assert all(words.startswith(f"4 {task} was started by ") for words in said if words != winner), said
        rows = [row for row in sound(place) if row.task == task]
        assert [row.kind for row in rows].count("TaskStarted") == 1
        assert [row.kind for row in rows].count("TokenIssued") == int(not winner.startswith("ses-worker")), (
            "who lost gave out no token"
        )
        with opened(place, desk.script) as app:
            assert app.lists.show(BOB, task).task.implementer == winner


def test_tokens_that_one_gives_out_at_once_are_of_one_line_and_have_names_of_their_own_I2(place: Place) -> None:
    desk = founded(place)
    task = desk.started()
    desk.close()

    def spawn(number: int, gate: Gate) -> Spawned:
        with opened(place, desk.script) as app:
            wait_before_writing(app, gate)
            return app.sessions.spawn(CLAUDE, task, "implement")

    made = swarm(6, spawn)
    assert (
        len({each.token for each in made})
        == len({each.session for each in made})
        == len({each.name for each in made})
        == 6
    )
    with opened(place, desk.script) as app:
        assert {shown(app, each).parent for each in made} == {CLAUDE.session}
    sound(place)


@pytest.mark.parametrize("by", [ALICE, CLAUDE], ids=["a person", "its spawner"])
def test_a_session_that_ends_while_it_hands_in_has_handed_in_before_or_not_at_all_I2(place: Place, by: Actor) -> None:
    desk = founded(place)
    for _ in range(ROUNDS):
        task = desk.create()
        made = desk.app.sessions.spawn(CLAUDE, task, "implement")
        child = shown(desk.app, made)
        desk.app.notes.log(child, task, "begun")
        desk.script.commit(f"fe/{task}", sessions=[child.session])
        desk.close()

        def act(number: int, gate: Gate, task: str = task, child: Actor = child) -> str:
            with opened(place, desk.script) as app:
                wait_before_writing(app, gate)
                try:
                    if number:
                        return " ".join(app.sessions.end(by, child.session).released)
                    return app.attempts.submit(child, task).status
                except (Refused, Conflict) as problem:
                    return told(problem)

        submitted, released = swarm(2, act)
        rows = [row for row in sound(place) if row.session == child.session or child.session in row.payload]
        ended = next(row.seq for row in rows if row.kind == "SessionEnded")
        assert all(row.seq <= ended for row in rows if row.session == child.session), (
            "nothing is written by a session that has ended"
        )
        with opened(place, desk.script) as app:
            found = app.lists.show(BOB, task)
            assert (found.task.status, len(found.attempts), released) == (
                ("reviewing", 1, "") if submitted == "reviewing" else ("open", 0, task)
            )
            with pytest.raises(Refused, match="token"):
                app.notes.log(child, task, "still here")
        assert submitted == "reviewing" or submitted.startswith("1 the token was refused. I2"), submitted


def test_an_agent_that_ends_itself_while_it_hands_in_leaves_one_of_both_T1(place: Place) -> None:
    """It may write again afterwards: what ended is its claim."""
    desk = founded(place)
    for _ in range(ROUNDS):
        task = desk.started(CLAUDE)
        desk.script.commit(f"fe/{task}", sessions=[CLAUDE.session])
        desk.close()

        def act(number: int, gate: Gate, task: str = task) -> str:
            with opened(place, desk.script) as app:
                wait_before_writing(app, gate)
                try:
                    return (
                        " ".join(app.sessions.end(CLAUDE).released)
                        if number
                        else app.attempts.submit(CLAUDE, task).status
                    )
                except Conflict as problem:
                    return told(problem)

        submitted, released = swarm(2, act)
        sound(place)
        with opened(place, desk.script) as app:
            status = app.lists.show(BOB, task).task.status
        assert (status, released) == (("reviewing", "") if submitted == "reviewing" else ("open", task)), submitted
        assert submitted == "reviewing" or submitted.startswith("4 "), submitted


def test_an_ended_session_gives_out_nothing_any_more_though_it_was_asked_before_I2_I4(place: Place) -> None:
    """Its end takes all below it along: nobody slips in between."""
    desk = founded(place)
    for _ in range(ROUNDS):
        task = desk.create()
        child = shown(desk.app, desk.app.sessions.spawn(CLAUDE, task, "implement"))
        desk.app.notes.log(child, task, "begun")
        desk.close()

        def act(number: int, gate: Gate, task: str = task, child: Actor = child) -> str:
            with opened(place, desk.script) as app:
                wait_before_writing(app, gate)
                try:
                    return (
                        app.sessions.spawn(child, task, "implement").session
                        if number
                        else str(app.sessions.end(ALICE, child.session).ended)
                    )
                except Refused:
                    return ""

        ended, spawned = swarm(2, act)
        sound(place)
        assert not spawned or spawned in ended, "a child of an ended session whose token is good"
        with opened(place, desk.script) as app:
            below = [row for row in app.sessions.list(1000) if child.session in (row.id, row.parent)]
        assert all(row.ended for row in below)
