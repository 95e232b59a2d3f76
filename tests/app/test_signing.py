"""With which key a person signs, where others wrote files into their key folder (I9)."""

from __future__ import annotations

import pytest

from foureyes.errors import EnvironmentProblem, FoureyesError, Reason, Refused
from foureyes.steps import prose

from tests.stage.people import ALICE, BOB, CLAUDE
from tests.stage.ports import DeskKeys
from tests.stage.world import DeskWorld


class PlantedKeys(DeskKeys):
    """A key ring in which some files are planted: whether each looks like a private key, and what it answers."""

    def __init__(self, own: DeskKeys) -> None:
        super().__init__()
        self.private = dict(own.private)
        self.shut: dict[str, FoureyesError] = {}
        self.bare: set[str] = set()
        self.asked: list[str] = []

    def private_files(self) -> dict[str, str]:
        return {name: path for name, path in super().private_files().items() if name not in self.bare}

    def sign(self, fingerprint: str, statement: bytes) -> str:
        self.asked.append(fingerprint)
        if fingerprint in self.shut:
            raise self.shut[fingerprint]
        return super().sign(fingerprint, statement)


def shut(path: str) -> Refused:
    return Refused("Nothing was signed.", reasons=(Reason("I9", f"nothing opens {path}", prose(f"move {path} away")),))


@pytest.fixture
def planted(desk: DeskWorld) -> PlantedKeys:
    """Alice has a key, and in her folder lies a file of the name of Bob's, which is newer."""
    desk.app.keys.new(ALICE)
    bobs = DeskKeys()
    desk.app.keys.add(ALICE, bobs.make(), BOB.person)
    desk.app.policy.set(ALICE, "review.human_proof", "key")
    ring = PlantedKeys(desk.keys)
    ring.private |= bobs.private
    ring.shut = dict.fromkeys(bobs.private, shut("bobs.pem"))
    desk.keys = desk.app.context.keys = ring
    return ring


def keys_of(desk: DeskWorld, person: str) -> list[str]:
    return [row.fingerprint for row in desk.app.keys.list() if row.person == person]


def may_approve(desk: DeskWorld, task: str) -> bool:
    preview = desk.show(task, ALICE).you
    return preview is not None and preview.may_approve


def test_ones_own_key_signs_whatever_lies_beside_it_I9(desk: DeskWorld, planted: PlantedKeys) -> None:
    desk.app.stops.hold(ALICE, None, "stop")
    assert planted.asked == keys_of(desk, ALICE.person)


def test_where_one_key_does_not_sign_the_next_one_does_I9(desk: DeskWorld, planted: PlantedKeys) -> None:
    newer = desk.app.keys.new(ALICE).fingerprint
    planted.asked.clear()
    planted.shut[newer] = EnvironmentProblem("alices.pem cannot be read")
    desk.app.stops.hold(ALICE, None, "stop")
    assert planted.asked == [newer, keys_of(desk, ALICE.person)[0]]
    assert desk.app.audit.verify().findings == ()


def test_where_none_signs_each_file_is_named_with_what_to_do_I9(desk: DeskWorld, planted: PlantedKeys) -> None:
    (own,) = keys_of(desk, ALICE.person)
    planted.shut[own] = shut("alices.pem")
    with desk.unchanged(), pytest.raises(Refused) as refusal:
        desk.app.stops.hold(ALICE, None, "stop")
    assert [reason.message for reason in refusal.value.reasons] == [
        "nothing opens alices.pem",
        "nothing opens bobs.pem",
    ]
    assert (all(reason.next for reason in refusal.value.reasons), bool(refusal.value.way_on)) == (True, True)


def test_a_file_that_is_no_private_key_is_passed_over_and_pages_say_what_the_decision_says_I9(
    desk: DeskWorld, planted: PlantedKeys
) -> None:
    task = desk.submitted_task(CLAUDE)
    planted.bare = set(keys_of(desk, BOB.person))
    assert may_approve(desk, task)
    planted.bare |= set(keys_of(desk, ALICE.person))
    planted.shut |= dict.fromkeys(planted.bare, shut("a.pem"))
    assert not may_approve(desk, task)
    with desk.refused("I9"):
        desk.approve(ALICE, task)
