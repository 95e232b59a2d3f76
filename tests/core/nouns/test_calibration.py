"""A calibration: its shares (V4, G1)."""

from __future__ import annotations

from msgspec.structs import replace

from foureyes.core.nouns.calibration import Calibration

NONE = Calibration(
    profile="codex", program="codex", fingerprint="f", made_with=1, defects=0, found=0, quiet_cases=0, made_up=0,
    unanswered=0,
)  # fmt: skip


def test_of_nothing_nothing_was_found_G1() -> None:
    assert (NONE.recall, NONE.precision) == (0.0, None)


def test_recall_is_of_the_defects_and_precision_of_what_was_said_V4() -> None:
    row = replace(NONE, defects=4, found=3, made_up=1, unanswered=1)
    assert (row.recall, row.precision) == (0.75, 0.75)
    assert replace(row, found=0).precision == 0.0


def test_the_projects_own_findings_are_in_no_share_V4() -> None:
    row = replace(NONE, defects=70, found=60, past=60, past_found=60)
    assert (row.recall, row.precision) == (0.0, None)
