"""What the page of attention says: a line for each row, why, and the choices by number, in every width and set of
marks.
"""

from __future__ import annotations

import pytest

from foureyes.app.results.status import WORDS, AttentionKind, AttentionRow, AttentionView, Choice
from foureyes.steps import by_person, fe
from foureyes.ui.tui.marks import FINE, PALETTES, PLAIN
from foureyes.ui.tui.text.attention import choice_lines, list_height, row_line, title, why_lines

MONO = PALETTES["mono"]
HELD = AttentionRow(
    id="hold fe-1",
    kind="hold",
    task="fe-1",
    text="ask legal first",
    since="2026-01-01T00:00:00Z",
    age_seconds=360,
    details=("Pay by card (open)",),
    next=by_person(fe("resume", "fe-1")),
)
LONG = AttentionRow(id="config", kind="config", text="a configuration " * 8, details=("review.policy: a → b",))
TABLE = AttentionRow(id="loop fe-2", kind="loop", task="fe-2", text="waits", details=("it  found", " 1      2"))


def test_a_row_is_as_wide_as_the_page_with_its_age_on_the_right() -> None:
    for width in (40, 80, 120):
        line = row_line(HELD, MONO, FINE, width).plain
        assert len(line) == width
        assert line.startswith("   HELD       fe-1 · ask leg")
        assert line.endswith(" 6 min ago ")
    assert "fe-1 - ask legal" in row_line(HELD, MONO, PLAIN, 80).plain


@pytest.mark.parametrize("kind", WORDS)
def test_every_kind_is_told_by_its_word_in_one_column(kind: AttentionKind) -> None:
    line = row_line(AttentionRow(id="x", kind=kind, text="what"), MONO, PLAIN, 80).plain
    assert line[:14].strip() == WORDS[kind]
    assert line[14:].strip() == "what"


def test_what_was_cut_is_read_in_full_below_and_nothing_is_said_twice() -> None:
    assert why_lines(HELD, 80) == [" Pay by card (open)"]
    lines = why_lines(LONG, 80)
    assert " ".join(line.strip() for line in lines[:-1]) == LONG.text.strip()
    assert max(len(line) for line in lines) <= 80
    assert why_lines(TABLE, 80) == [" it  found", "  1      2"], "columns stay columns"


def test_words_of_others_cannot_steer_the_terminal() -> None:
    bad = AttentionRow(id="x", kind="hold", text="a\x1b[2Jb", details=("c\x1b[2Jd",))
    assert "\x1b" not in row_line(bad, MONO, FINE, 80).plain + "".join(why_lines(bad, 80))


def test_choices_have_numbers_and_say_what_they_ask_for() -> None:
    choices = (
        Choice(text="try again", noun="merges", verb="retry"),
        Choice(text="resume", noun="stops", verb="resume", asks="reason"),
        Choice(text="split into tasks", noun="loops", verb="lead", asks="reason", lists="into"),
        Choice(text="plan a task", noun="tasks", verb="create", asks="title"),
    )
    row = AttentionRow(id="x", kind="loop", text="waits", choices=choices)
    assert [" ".join(line.split()) for line in choice_lines(row, 80)] == [
        "1 try again",
        "2 resume asks for a note",
        "3 split into tasks asks for titles and a reason",
        "4 plan a task asks for a title",
    ]
    assert max(len(line) for line in choice_lines(row, 80)) <= 80
    assert choice_lines(HELD, 80) == ["   a person runs: fe resume fe-1"]


def test_the_list_leaves_room_for_why() -> None:
    rows = tuple(AttentionRow(id=str(number), kind="hold", text="x") for number in range(30))
    assert [list_height(AttentionView(rows=rows[:n]), 24) for n in (1, 5, 30)] == [1, 5, 9]
    assert list_height(AttentionView(rows=rows), 40) == 17
    assert (title(AttentionView(rows=rows)), title(AttentionView(rows=rows, more=True))) == (
        " ATTENTION (30)",
        " ATTENTION (30+)",
    )
