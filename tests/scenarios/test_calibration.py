"""A calibration by real processes: a scripted reviewer below its reaper reads seeded changes in a project that is gone
afterwards, and what it found, missed and made up is told (V2, V3, V4).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foureyes.config.seeded import seeded

from tests.stage.commands import Stage
from tests.stage.shop import Shop
from tests.stage.theatre import processes_of

SETTINGS = """
[review.peers]
reviewers = ["reader"]
min_recall = 0.5

[agents.reader]
program = "scripted"
args = ["{play}"]
"""
FEW = ("python-pages", "clean-shell")


def plays(found: str, made_up: str) -> dict[str, Any]:
    """It finds what was planted in one change, makes something up in another, and agrees to all others."""
    by_name = {each.name: each for each in seeded()}
    steps = []
    for name in (found, made_up):
        case = by_name[name]
        line = case.case.places[0].first if case.planted else 1
        wrong = {"severity": "HIGH", "title": "Wrong", "file": case.path, "line": line, "problem": "p", "fix": "f"}
        steps.append(
            {"prompt": case.title, "steps": [{"review": {"verdict": "concerns", "issues": [wrong | {"why": "w"}]}}]}
        )
    return {"plays": [*steps, {"steps": [{"review": {"verdict": "approved"}}]}]}


@pytest.mark.parametrize("names", [FEW, ()])
def test_a_scripted_reviewer_is_tried_by_the_runs_that_review_anywhere_V2_V3_V4(
    stage: Stage, tmp_path: Path, names: tuple[str, ...]
) -> None:
    shop, script = Shop(stage.repo, stage.cast), tmp_path / "play.json"
    script.write_text(json.dumps(plays("python-pages", "clean-shell")))
    shop.configure(SETTINGS.replace("{play}", str(script)))
    before, refs = len(shop.lines(shop.cast.alice, "audit", "export")), shop.git("for-each-ref")
    chosen = [word for name in names for word in ("--case", name)]
    (row,) = shop.lines(shop.cast.alice, "review", "calibrate", *chosen)
    ends = {case["case"]: case["end"] for case in row["cases"]}
    assert {name: ends[name] for name in FEW} == dict(zip(FEW, ("found", "made_up"), strict=True))
    assert names or ends["go-counter"] == "missed"
    assert set(ends) == {each.name for each in seeded() if not names or each.name in names}
    assert (row["found"], row["made_up"], row["precision"], row["recorded"]) == (1, 1, 0.5, not names)
    assert row["input_tokens"] > 0, "what its program says that it used"
    assert shop.git("for-each-ref") == refs, "nothing of it is in the repository"
    rows = shop.lines(shop.cast.alice, "audit", "export")
    assert [each["kind"] for each in rows[before:]] == ([] if names else ["ReviewerCalibrated"])
    assert not list((shop.repo / ".foureyes").glob("checkouts/*"))
    assert processes_of(shop.repo) == []
    if not names:
        (known,) = shop.lines(shop.cast.alice, "review", "calibrate", "--show")
        assert (known["recall"], known["counts"]) == (0.1, False)
    assert shop.verify()
