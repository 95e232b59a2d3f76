"""Whose reviews do not count, by what was found in a calibration (V4, G1)."""

from __future__ import annotations

from hashlib import sha256

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.calibration import Calibration
from foureyes.core.rules.calibrated import fingerprint_of, percent, why_uncounted
from foureyes.core.rules.policy import Profile

CODEX = Profile("codex", model="o9", vendor="openai")
KNOWN = Calibration(
    profile="codex", program="codex", fingerprint=fingerprint_of(CODEX), made_with=1, defects=10, found=8,
    quiet_cases=2, made_up=0, unanswered=0,
)  # fmt: skip


def test_who_found_enough_counts_and_exactly_enough_is_enough_V4() -> None:
    assert why_uncounted("codex", CODEX, KNOWN, 0.8) == ""
    assert why_uncounted("codex", CODEX, KNOWN, 0.81) == (
        "codex found 8 of 10 seeded defects (80 %), and review.peers.min_recall is 81 %"
    )


def test_where_nothing_is_asked_for_everybody_counts_V4() -> None:
    assert why_uncounted("codex", None, None, 0.0) == ""


def test_never_calibrated_is_not_calibrated_G1() -> None:
    assert "never calibrated" in why_uncounted("codex", CODEX, None, 0.1)
    assert "never calibrated" in why_uncounted("codex", None, KNOWN, 0.1)


def test_a_calibration_without_a_defect_shows_nothing_G1() -> None:
    assert why_uncounted("codex", CODEX, replace(KNOWN, defects=0, found=0), 0.1)


@pytest.mark.parametrize(
    "change", [{"model": "o10"}, {"program": "other"}, {"args": ("-x",)}, {"review_args": ("-y",)}]
)
def test_another_program_model_or_argument_is_another_reviewer_G1(change: dict[str, object]) -> None:
    assert "another program" in why_uncounted("codex", replace(CODEX, **change), KNOWN, 0.5)


@pytest.mark.parametrize("change", [{"slots": 9}, {"deadline_minutes": 5}, {"vendor": "x"}])
def test_what_changes_nothing_about_its_reviews_keeps_the_calibration(change: dict[str, object]) -> None:
    assert why_uncounted("codex", replace(CODEX, **change), KNOWN, 0.5) == ""


def test_an_update_that_adds_a_field_to_profiles_keeps_every_calibration_V4() -> None:
    assert fingerprint_of(CODEX) == sha256(b'{"model":"o9","program":"codex"}').hexdigest()[:16] == "3e8c4a34a796db24"


def test_a_share_is_never_shown_as_more_than_it_is() -> None:
    assert (percent(0.7999), percent(1.0), percent(2 / 3)) == ("79.9 %", "100 %", "66.6 %")


def test_precision_is_none_where_nothing_was_said() -> None:
    assert (replace(KNOWN, found=0).precision, replace(KNOWN, made_up=8).precision) == (None, 0.5)
