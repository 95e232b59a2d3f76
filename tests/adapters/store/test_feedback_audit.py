"""Feedback files, held against the store (F2, J2): each difference is named, and whether it was altered or is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foureyes.adapters.store.feedback_files import FeedbackFiles

from tests.stage.odd import ODD, put_odd


def document(task: str, *decisions: str) -> bytes:
    return json.dumps({"taskId": task, "history": [{"decision": each} for each in decisions]}).encode()


EXPECTED = {"fe-1": document("fe-1", "redo", "approved"), "fe-2": document("fe-2", "rejected")}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "feedback").mkdir()
    for task, content in EXPECTED.items():
        (tmp_path / "feedback" / f"{task}.json").write_bytes(content)
    return tmp_path


def said(place: Path, *, shared: bool = False, after: dict[str, bytes] | None = None) -> list[tuple[str, str]]:
    found = FeedbackFiles(str(place), shared=shared).differences(EXPECTED, after or EXPECTED)
    return [(each.area, each.message) for each in found]


def test_files_that_are_as_they_should_be_are_no_difference_F2(place: Path) -> None:
    (place / "feedback" / "notes.txt").write_text("mine")
    (place / "feedback" / "fe-1.json.bad-1").write_text("set aside")
    assert said(place) == []
    newer = EXPECTED | {"fe-2": document("fe-2", "rejected", "approved")}
    assert said(place, after=newer) == [], "decided while it was looked at"


def test_an_edited_file_and_one_that_nobody_wrote_are_altered_F2(place: Path) -> None:
    (place / "feedback" / "fe-1.json").write_bytes(document("fe-1", "approved", "approved"))
    (place / "feedback" / "fe-9.json").write_bytes(document("fe-9", "approved"))
    assert said(place) == [
        ("integrity", "feedback/fe-1.json was changed"),
        ("integrity", "feedback/fe-9.json contains decisions that are not in the journal"),
    ]
    assert said(place, shared=True) == said(place)


def test_a_missing_file_and_one_that_is_behind_are_incomplete_but_not_on_a_shared_store_F2(place: Path) -> None:
    (place / "feedback" / "fe-1.json").write_bytes(document("fe-1", "redo"))
    (place / "feedback" / "fe-2.json").unlink()
    assert said(place) == [
        ("completeness", "feedback/fe-2.json is missing"),
        ("completeness", "feedback/fe-1.json lacks the last 1 of 2 decisions"),
    ]
    assert said(place, shared=True) == [], "other machines decide, too"
    (place / "feedback.owed").mkdir()
    (place / "feedback.owed" / "fe-2").touch()
    assert [message for _, message in said(place)] == ["feedback/fe-1.json lacks the last 1 of 2 decisions"]


def test_a_folder_that_is_gone_lacks_every_file_F2(tmp_path: Path) -> None:
    assert [area for area, _ in said(tmp_path)] == ["completeness"] * 2


@pytest.mark.parametrize("kind", [*ODD, "garbage", "a huge file"])
def test_what_is_no_file_is_named_and_not_waited_for_F2(place: Path, kind: str) -> None:
    (place / "feedback" / "fe-1.json").unlink()
    put_odd(place / "feedback" / "fe-1.json", kind)
    ((area, message),) = said(place)
    assert (area, message.startswith("feedback/fe-1.json ")) == ("integrity", True)
