"""P8: wherever a crash cut the mirror file, the next write fixes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage.people import CLAUDE
from tests.stage.places import Desk, Place

SHORT, LONG = "wrong repository", "very " * 18_000


@pytest.mark.parametrize("reason", [SHORT, LONG], ids=["a short line", "a line of 90,000 characters"])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.9, 1.0])
def test_a_line_cut_anywhere_is_completed_by_the_next_write_P8(tmp_path: Path, reason: str, share: float) -> None:
    desk = Desk(Place(tmp_path / "project"))
    desk.found()
    first, second = desk.submitted_task(CLAUDE, creator=CLAUDE), desk.submitted_task(CLAUDE, creator=CLAUDE)
    desk.app.closing.close(CLAUDE, first, exception="the line before")
    path = desk.place.folder / "security_events.jsonl"
    start = len(path.read_bytes())
    desk.app.closing.close(CLAUDE, second, exception=reason)
    whole = path.read_bytes()
    path.write_bytes(whole[: start + int((len(whole) - start - 1) * share)])
    desk.create()
    assert path.read_bytes().splitlines() == whole.splitlines()
    desk.close()
    assert desk.place.findings() == []
