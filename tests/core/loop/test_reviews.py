"""Reviews: what was not read (V6), and when one is for the change (V5)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.loop.reviews import (
    FilesRead,
    Review,
    has_reviewed,
    seen_by,
    unconfirmed,
    uncovered,
    unread,
    why_not_counting,
)
from foureyes.core.nouns.attempt import ChangedFile
from foureyes.core.words.ids import SessionId

from tests.core.samples import quick

paths = st.sampled_from(["a.py", "src/b.py", "docs/c.md", "uv.lock", "x y.py"])


def review(**fields: Any) -> Review:
    usual: dict[str, Any] = {"verdict": "approved", "effective": "approved", "status": "APPROVED", "summary": "read it"}
    usual |= {"seq": 1, "diff_id": "sha256:0", "session": SessionId("ses-r")}
    return Review(task="t", attempt=1, **(usual | fields))


def changed(*names: str) -> list[ChangedFile]:
    return [ChangedFile(name, 1, 0) for name in names]


@pytest.mark.parametrize(
    ("read", "exclude", "missing"),
    [
        (["a.py", "src/b.py"], [], ()),
        (["./a.py", " src/b.py "], [], ()),
        (["a.py"], [], ("src/b.py",)),
        ([], [], ("a.py", "src/b.py")),
        (["a.py"], ["src/**"], ()),
        (["b.py", "A.py"], [], ("a.py", "src/b.py")),
        (["**", "."], [], ("a.py", "src/b.py")),
    ],
)
def test_every_changed_file_that_a_review_does_not_name_was_not_read_V6(
    read: list[str], exclude: list[str], missing: tuple[str, ...]
) -> None:
    assert unread(changed("a.py", "src/b.py"), read, exclude) == missing


def test_a_file_that_was_moved_among_those_that_need_no_reading_is_to_be_read_V6() -> None:
    files = [ChangedFile("docs.lock", 0, 0, "auth.py"), ChangedFile("new.lock", 0, 0, "old.lock")]
    assert unread(files, [], ["*.lock"]) == ("docs.lock",)


@quick
@given(st.sets(paths), st.sets(paths), st.booleans())
def test_what_was_read_and_what_is_missing_is_the_whole_change_V6(
    files: set[str], read: set[str], is_locked: bool
) -> None:
    exclude = ["*.lock"] if is_locked else []
    found = unread(changed(*sorted(files)), read, exclude)
    assert set(found) == {path for path in files - read if not (is_locked and path.endswith(".lock"))}


@pytest.mark.parametrize(
    ("fields", "agrees"),
    [({}, True), ({"missing": ["a.py"]}, False), ({"effective": "concerns"}, False), ({"effective": "blocker"}, False)],
)
def test_a_review_is_for_the_change_when_it_is_whole_and_effectively_approves_V5_V6(
    fields: dict[str, Any], agrees: bool
) -> None:
    assert review(**fields).agrees == agrees


DIFF = "sha256:0"


@pytest.mark.parametrize(
    ("fields", "others", "diff_id", "counting", "against"),
    [
        ({}, [], DIFF, ["ses-r"], ""),
        ({"effective": "concerns"}, [], DIFF, ["ses-r"], "its verdict is concerns"),
        ({"missing": ["a.py"]}, [], DIFF, ["ses-r"], "incomplete, 1 file not read (V6)"),
        ({"missing": ["a.py", "b.py"]}, [], DIFF, ["ses-r"], "incomplete, 2 files not read (V6)"),
        ({}, [], "sha256:1", ["ses-r"], "it is about an earlier attempt"),
        ({}, [review(seq=2)], DIFF, ["ses-r"], "the same session reviewed it again later"),
        ({}, [review(seq=2, session=SessionId("ses-s"))], DIFF, ["ses-r"], ""),
        ({}, [], DIFF, ["ses-s"], "its reviewer may not approve (P)"),
    ],
)
def test_a_review_that_does_not_count_says_why_D9(
    fields: dict[str, Any], others: list[Review], diff_id: str, counting: list[str], against: str
) -> None:
    one = review(**fields)
    assert why_not_counting(one, [one, *others], diff_id, counting) == against


@pytest.mark.parametrize(
    ("fields", "reviewed"),
    [
        ({}, True),
        ({"session": SessionId("ses-s")}, False),
        ({"diff_id": "sha256:1"}, False),
        ({"effective": "concerns"}, False),
        ({"missing": ["a.py"]}, False),
        ({"seq": 9}, False),
    ],
)
def test_an_approval_rests_on_its_givers_own_agreeing_review_of_this_change_before_it_D9(
    fields: dict[str, Any], reviewed: bool
) -> None:
    assert has_reviewed("ses-r", DIFF, 5, [review(**fields)]) is reviewed


def test_where_a_stream_need_not_tell_every_read_a_difference_is_told_and_counts_nothing_V6() -> None:
    changed = [ChangedFile("a.py", 3, 1), ChangedFile("b.py", 0, 9), ChangedFile("x.lock", 1, 1)]
    some, stated = FilesRead(("a.py",), complete=False), ["a.py", "b.py", "x.lock"]
    assert uncovered(changed, stated, some, ["*.lock"]) == ()
    assert unconfirmed(changed, stated, some, ["*.lock"]) == ("b.py",)
    assert unconfirmed(changed, ["a.py"], some, ["*.lock"]) == (), "what it does not say it read is no difference"
    assert unconfirmed(changed, stated, FilesRead(("a.py",)), []) == unconfirmed(changed, stated, None, []) == ()


def test_where_a_stream_tells_every_read_both_must_agree_V6() -> None:
    changed = [ChangedFile("a.py", 3, 1), ChangedFile("b.py", 0, 9), ChangedFile("x.lock", 1, 1)]
    assert uncovered(changed, ["a.py", "b.py"], None, ["*.lock"]) == ()
    assert uncovered(changed, ["a.py", "b.py"], FilesRead(("a.py",)), ["*.lock"]) == ("b.py",)
    assert uncovered(changed, ["b.py"], FilesRead(("a.py",)), ["*.lock"]) == ("a.py", "b.py")
    diff = ["/c/t/.foureyes-review/change.diff", "/c/t/z.py"]
    assert seen_by(diff, "/c/t", "change.diff", changed, whole=True)[1:] == ["a.py", "b.py", "x.lock", "z.py"]
    assert "a.py" not in seen_by(diff, "/c/t", "change.diff", changed, whole=False), "too long for one reading"
    assert "b.py" in seen_by(diff, "/c/t", "change.diff", changed, whole=False), "it is gone, and only there"
    assert seen_by(["change.diff"], "/c/t", "change.diff", changed, whole=True) == ["change.diff"]
