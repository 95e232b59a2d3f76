"""Who was not calibrated, or missed too much: its review is kept with all it found, and its agreement does not count
(V4, V6, D6, R0).
"""

from __future__ import annotations

import pytest

from foureyes.config.policy import agent_profiles
from foureyes.core import events as e
from foureyes.core.rules.calibrated import fingerprint_of
from foureyes.core.words.ids import SessionId
from foureyes.ui.cli.reviews import review_lines
from foureyes.ui.cli.text.cycle import cycle_text

from tests.stage.gated import configure
from tests.stage.looped import issue, review
from tests.stage.people import ALICE, BOB, CODEX, GEMINI
from tests.stage.world import DeskWorld, World

WANTED = "[review]\nreviews = 1\n"
PEERS = f'{WANTED}[review.peers]\nreviewers = ["codex", "gemini"]\nmin_recall = 0.8\n'
NEVER = "codex was never calibrated, and review.peers.min_recall is 80 %"


def calibrated(world: World, profile: str, found: int, *, of: int = 10) -> None:
    """A person tried a profile out, and so much came of it."""
    context = world.app.context
    with context.writing(ALICE, "review calibrate") as work:
        known = agent_profiles(context.layers(work.tx, context.gate))[profile]
        event = e.ReviewerCalibrated(
            profile=profile, program=known.program, fingerprint=fingerprint_of(known), made_with=1, defects=of,
            found=found, quiet_cases=1, made_up=0, unanswered=0,
        )  # fmt: skip
        work.record("", event)


def asked(desk: DeskWorld, task: str) -> list[str]:
    (cycle,) = desk.app.cycles.listed(task=task)
    return [row.reviewer for row in cycle.asked]


def test_who_was_never_calibrated_is_not_asked_and_who_found_enough_is_V4(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    calibrated(desk, "gemini", 8)
    assert asked(desk, desk.handed_in()) == ["gemini"]


def test_the_last_calibration_counts_V4(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    calibrated(desk, "codex", 10)
    calibrated(desk, "codex", 3)
    assert asked(desk, desk.handed_in()) == []


def test_where_nobody_counts_whoever_opens_a_cycle_is_told_why_V4(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    calibrated(desk, "gemini", 3)
    task = desk.handed_in()
    assert asked(desk, task) == []
    notes = desk.app.cycles.request(BOB, task).notes
    assert any(NEVER in note for note in notes), notes
    assert any("gemini found 3 of 10 seeded defects (30 %)" in note for note in notes), notes


def test_its_review_is_kept_and_does_not_count_and_every_face_says_why_V4_V6_D6(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = desk.handed_in()
    done = review(desk, task, by=CODEX)
    assert (done.effective, done.counts) == ("approved", False)
    assert any(NEVER in note for note in done.notes), done.notes
    (kept,) = desk.show(task).reviews
    assert (kept.counts, kept.against) == (False, f"{NEVER} (V3, V4)")
    assert "does not count: codex was never calibrated" in "\n".join(review_lines(kept))
    with desk.refused("D6") as caught:
        desk.approve(GEMINI, task)
    (reason,) = [each for each in caught[0].reasons if each.rule == "D6"]
    assert NEVER in reason.message
    (cycle,) = desk.app.cycles.listed(task=task)
    assert f"does not count: {NEVER}" in cycle_text(cycle)


def test_an_agreement_that_does_not_count_is_R0_with_the_reason_R0_V8(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = desk.handed_in()
    review(desk, task, by=CODEX)
    (view,) = desk.app.cycles.listed(task=task)
    assert (view.rule, NEVER in view.reasons) == ("R0", True)


def test_what_it_finds_is_found_all_the_same_V4_L5(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = desk.handed_in()
    done = review(desk, task, [issue("it fails", "HIGH")], by=CODEX, verdict="concerns")
    assert (len(done.raised), done.counts) == (1, False)
    assert desk.show(task).findings[0].blocking


def test_with_a_calibration_the_same_review_counts_at_once_V4_V6(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = desk.handed_in()
    review(desk, task, by=CODEX)
    assert not desk.show(task).counting
    calibrated(desk, "codex", 9)
    assert desk.show(task).counting == [str(CODEX.session)]


def test_a_person_reviews_without_a_calibration_V4(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = desk.handed_in()
    assert review(desk, task, by=BOB).counts


@pytest.mark.on("sqlite")
def test_where_nothing_is_asked_for_nothing_is_read_V4(desk: DeskWorld) -> None:
    configure(desk, f'{WANTED}[review.peers]\nreviewers = ["codex"]\n')
    task = desk.handed_in()
    assert review(desk, task, by=CODEX).counts
    assert desk.show(task).counting == [SessionId(CODEX.session)]
