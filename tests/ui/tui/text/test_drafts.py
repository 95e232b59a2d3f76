"""What the page of drafts says: every word that somebody wrote, and none that does something."""

from __future__ import annotations

from foureyes.app.results.draft import CommentDraft, Draft, HalfDraft, RedoDraft
from foureyes.ui.tui.text.drafts import draft_lines, kinds_of

EVERYTHING = Draft(
    task="fe-1",
    redo=RedoDraft(quick_issues=("Tests incomplete",), text="first\nsecond"),
    reject="no",
    comments=(CommentDraft(path="a.py", line=3, quote="  x = 1", text="why?", severity="HIGH", fix="x = 2"),),
    half=(HalfDraft(path="b.py", line=4, text="hal"),),
)


def test_every_word_of_a_draft_is_shown() -> None:
    assert [*draft_lines(EVERYTHING)] == [
        "REDO  Tests incomplete", "  first", "  second", "REJECT", "  no", "COMMENT  a.py:3  HIGH", "  > x = 1",
        "  why?", "  fix: x = 2", "HALF WRITTEN  b.py:4  note", "  hal",
    ]  # fmt: skip
    assert kinds_of(EVERYTHING) == ["redo", "reject", "1 comment", "1 half written"]
    assert [*draft_lines(Draft(task="fe-1"))] == kinds_of(Draft(task="fe-1")) == []
