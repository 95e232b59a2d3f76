"""Comments on lines: as findings, as drafts, and found again in a change that moved."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from foureyes.app.results.diff import DiffView
from foureyes.core.documents.unified_diff import DiffLine, FileDiff, Hunk
from foureyes.ui.tui.comments import Comment, comment_of, reanchored


def view(*texts: str, start: int = 1, path: str = "a.py") -> DiffView:
    lines = tuple(DiffLine("added", None, start + number, text) for number, text in enumerate(texts))
    file = FileDiff(path=path, hunks=(Hunk("h", "", 0, 0, start, len(lines), lines),))
    return DiffView(task="fe-1", attempt=2, diff_id="d", base="b", head="h", files=(file,))


NOTE = Comment(path="a.py", line=3, last=5, quote="ttl = 0", text="should this be hours?", fix="multiply")


def test_a_comment_moves_with_the_line_that_it_quotes_to_the_nearest_one() -> None:
    moved = reanchored([NOTE], view("ttl = 0", "x", "y", "z", "ttl = 0", start=8))[0]
    assert (moved.line, moved.last, moved.lost) == (8, 10, False)
    assert reanchored([NOTE], view("ttl = 0", "ttl = 0", "ttl = 0"))[0].line == 3


def test_a_comment_that_lost_its_line_is_kept_and_says_so() -> None:
    for other in (view("ttl = 1"), view("ttl = 0", path="b.py")):
        lost = reanchored([NOTE], other)[0]
        assert lost.lost
        assert lost.text == NOTE.text
        found = lost.found
        assert (found.path, found.line, found.quote) == ("", 0, "")
        assert "It was about a.py:3-5: ttl = 0" in found.problem


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=12), st.integers(1, 12), st.sampled_from(["a", "b", "c"]))
def test_no_comment_is_ever_dropped_and_none_stands_at_another_line(texts: list[str], line: int, quote: str) -> None:
    comment = Comment(path="a.py", line=line, quote=quote, text="?")
    (after,) = reanchored([comment], view(*texts))
    assert after.lost == (quote not in texts)
    assert after.lost or texts[after.line - 1] == quote


def test_a_note_is_the_least_of_findings_and_others_weigh_what_they_say() -> None:
    assert NOTE.found.severity == "LOW"
    assert (NOTE.found.title, NOTE.found.fix, NOTE.found.quote) == ("should this be hours?", "multiply", "ttl = 0")
    assert "lines 3 to 5" in NOTE.found.problem
    assert not NOTE.blocks
    high = Comment(path="a.py", line=3, text="x" * 200, weight="HIGH")
    assert high.blocks
    assert high.found.severity == "HIGH"
    assert len(high.found.title) == 120
    assert high.found.problem == "x" * 200


def test_a_comment_is_kept_as_it_was() -> None:
    for weight in ("note", "MEDIUM", "HIGH", "CRITICAL"):
        comment = Comment(path="a.py", line=3, last=4, old=True, quote="q", text="t", weight=weight, fix="f")
        back = comment_of(comment.draft)
        assert (back.kept, back.shown) == (True, False)
        assert replace(back, kept=False, shown=True) == comment
