"""A key that waits for somebody's signature is named again wherever it is missed (I9)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.app.results.settings import KeyOutcome
from foureyes.app.results.status import Check
from foureyes.ui.steps import steps_text

from tests.stage.people import ALICE, BOB, CLAUDE
from tests.stage.ports import WRITTEN, DeskKeys
from tests.stage.world import DeskWorld


@pytest.fixture
def made(desk: DeskWorld) -> KeyOutcome:
    """A project in which Alice has a key; Bob, at his machine, has one that nobody added yet."""
    desk.app.keys.new(ALICE)
    _use(desk, DeskKeys())
    return desk.app.keys.new(BOB)


def _use(desk: DeskWorld, keys: DeskKeys) -> None:
    desk.keys = keys
    desk.app.context.keys = keys


def _line(key: KeyOutcome) -> str:
    return f"an owner of a project key runs: fe key add '{key.public}' --person {BOB.person}"


def _lies(desk: DeskWorld, key: KeyOutcome) -> str:
    """Whose it is, the file and its time tell a person: agents can write there (I9)."""
    return f"{key.fingerprint} in {desk.keys.private_files()[key.fingerprint]}, last changed {WRITTEN}"


def test_wherever_it_is_offered_the_file_is_named_and_since_when_it_is_there_I9(
    desk: DeskWorld, made: KeyOutcome
) -> None:
    """What an agent put into the folder was offered like the one that Bob made."""
    planted = desk.keys.make()
    other = replace(made, fingerprint=desk.keys.fingerprint(planted), public=planted)
    told = [str(each.message) for each in desk.app.keys.waiting(BOB)] + [_keys(desk).message]
    with desk.refused("I9") as caught:
        desk.app.stops.hold(BOB, None, "a reason")
    for key in (made, other):
        reported_tasks = [text for text in (*told, caught[0].reasons[0].message) if key.fingerprint in text]
        assert [_lies(desk, key) in text for text in reported_tasks] == [True] * 3
    assert "if you made it then, an owner of a project key runs: " in steps_text(caught[0].next_step)


def test_a_decision_that_needs_it_names_the_line_that_lets_it_count_I9(desk: DeskWorld, made: KeyOutcome) -> None:
    """`fe key add --new` was proposed, which makes a second one."""
    with desk.unchanged(), desk.refused("I9") as caught:
        desk.app.stops.hold(BOB, None, "a reason")
    (reason,) = caught[0].reasons
    assert f"the key on this machine does not count yet ({_lies(desk, made)})" in reason.message
    assert _line(made) in steps_text(reason.next)
    assert _line(made) in steps_text(caught[0].next_step)


def test_who_is_told_before_they_approve_is_told_the_same_I9(desk: DeskWorld) -> None:
    desk.app.keys.new(ALICE)
    desk.app.policy.set(ALICE, "review.human_proof", "key")
    task = desk.submitted_task(CLAUDE)
    _use(desk, DeskKeys())
    made = desk.app.keys.new(BOB)
    previews = [desk.app.queue.view(BOB).rows[0].you, desk.show(task, BOB).you]
    assert [_line(made) in steps_text(you.reasons[-1].next) for you in previews if you] == [True] * 2


def test_the_list_and_the_doctor_have_it_until_it_is_added_I9(desk: DeskWorld, made: KeyOutcome) -> None:
    (waiting,) = desk.app.keys.waiting(BOB)
    assert (waiting.fingerprint, waiting.registered, _line(made) in steps_text(waiting.next)) == (
        made.fingerprint, False, True,
    )  # fmt: skip
    told = _keys(desk)
    assert (told.result, made.fingerprint in told.message, _line(made) in steps_text(told.next)) == ("warn", True, True)
    assert desk.app.keys.waiting(CLAUDE) == (), "an agent has no key"


def test_one_that_counts_or_was_retired_waits_for_nobody_I9(desk: DeskWorld) -> None:
    desk.app.keys.new(ALICE)
    alices = desk.keys
    _use(desk, DeskKeys())
    made = desk.app.keys.new(BOB)
    bobs = desk.keys
    _use(desk, alices)
    assert desk.app.keys.waiting(ALICE) == ()
    desk.app.keys.add(ALICE, made.public, BOB.person)
    _use(desk, bobs)
    assert (desk.app.keys.waiting(BOB), _keys(desk).result) == ((), "ok")
    _use(desk, alices)
    desk.app.keys.retire(ALICE, made.fingerprint, "lost")
    _use(desk, bobs)
    assert desk.app.keys.waiting(BOB) == ()
    with desk.refused("I9") as caught:
        desk.app.stops.hold(BOB, None, "a reason")
    assert steps_text(caught[0].next_step) == "fe key add --new"


def _keys(desk: DeskWorld) -> Check:
    (check,) = [check for check in desk.app.doctor.examine(BOB) if check.check == "keys"]
    return check
