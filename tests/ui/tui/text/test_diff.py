"""What the diff says: numbers, signs, marks, what cannot be seen, what is cut."""

from __future__ import annotations

import pytest
from rich.text import Text

from foureyes.app.results.diff import DiffView
from foureyes.app.results.finding import FindingView, MoveView
from foureyes.core.documents.unified_diff import DiffLine, FileDiff, Hunk
from foureyes.core.nouns.finding import Location
from foureyes.core.words.text import widest
from foureyes.ui.tui.comments import Comment
from foureyes.ui.tui.marks import FINE, PALETTES, PLAIN, Marks, in_ascii
from foureyes.ui.tui.text.diff import Painter, code, comment_rows, counts, file_line, finding_mark, finding_rows, tail
from foureyes.ui.tui.text.diff_rows import Anchor, DiffRows, Noted, NumberedChange
from foureyes.ui.tui.view_record import LookSoFar

LINES = (
    DiffLine("context", 38, 38, "def issue(user):"),
    DiffLine("removed", 39, None, "    key = 'dev'"),
    DiffLine("added", None, 39, "    key = settings.signing_key"),
    DiffLine("note", None, None, "No newline at end of file"),
)
HUNK = Hunk("h1", "class Token", 38, 2, 38, 2, LINES)
FILE = FileDiff(path="src/auth/login.py", added=1, removed=1, hunks=(HUNK,))
FINDING = FindingView(
    id="TL-fe-1-1-001", root="TL-fe-1-1-001", task="fe-1", kind="TL", severity="HIGH", blocking=True, state="claimed",
    title="Token never expires", location=Location("src/auth/login.py", 39), why="a leaked token is valid for ever",
    fix='add "exp"', by="codex", raised=1, holds=True, state_in_words="claimed fixed", names={"s1": "claude#1"},
    moves=[MoveView(seq=2, root="r", iteration=2, kind="answered", word="FIXED", was="open", now="claimed",
                    words="exp from settings", commit="9b20e1ffff", session="s1")],
)  # fmt: skip


def painter(marks: Marks = FINE, *, split: bool = False, comments: tuple[Comment, ...] = ()) -> Painter:
    change = NumberedChange(DiffView(task="fe-1", attempt=1, diff_id="d", base="b", head="h", files=(FILE,)))
    noted = [Noted("finding", 0, 1 + len(finding_rows(FINDING)), Anchor(0, 0, 2))]
    noted += [Noted("comment", n, len(comment_rows(each)), Anchor(0, 0, 0)) for n, each in enumerate(comments)]
    rows = DiffRows(change, noted, split=split)
    return Painter(
        rows=rows,
        marks=marks,
        palette=PALETTES["mono"],
        looking=LookSoFar("fe-1"),
        findings=[FINDING],
        comments=comments,
    )


def painted(it: Painter, width: int = 60) -> list[str]:
    return [it.row(number, width).plain.rstrip() for number in range(len(it.rows))]


def test_signs_and_numbers_are_there_in_every_theme() -> None:
    rows = painted(painter())
    assert rows[0].startswith(" M src/auth/login.py  +1 −1 ─")
    assert rows[0].endswith("○ 1 unseen")
    assert rows[1].startswith(" ○ @@ 38–39  class Token")
    assert rows[1].endswith("hunk 1/1")
    assert rows[2:5] == [
        "   38   def issue(user):",
        "   39 -     key = 'dev'",
        "   39 +     key = settings.signing_key",
    ]
    assert rows[-1].strip() == "No newline at end of file"


def test_a_finding_stands_at_its_line_with_its_answer() -> None:
    rows = painted(painter(), 90)
    at = rows.index("   39 +     key = settings.signing_key")
    assert rows[at + 1].startswith("      ▲? TL-fe-1-1-001 HIGH  Token never expires")
    assert rows[at + 1].endswith("codex, iteration 1")
    assert rows[at + 2] == "        why  a leaked token is valid for ever"
    assert rows[at + 3] == '        fix  add "exp"'
    assert rows[at + 4] == '        claude#1: FIXED in 9b20e1f "exp from settings"'


def test_a_comment_says_that_it_is_a_draft_and_one_that_lost_its_line_where_it_was() -> None:
    note = Comment(path="a.py", line=3, text="should this\nbe hours?")
    lost = Comment(path="a.py", line=9, text="gone", weight="HIGH", lost=True)
    rows = painted(painter(comments=(note, lost)), 80)
    assert rows[3].startswith("      ┃ you: should this")
    assert rows[3].endswith("comment, draft, not sent")
    assert rows[4] == "      ┃      be hours?"
    assert rows[5].startswith("      ┃ you: gone (was a.py:9)")
    assert rows[5].endswith("HIGH, draft, not sent")


def test_the_place_of_a_comment_whose_file_is_gone_is_text_whatever_the_file_was_called() -> None:
    lost = Comment(path="\x1b[5;29Hgreet()", line=0, text="gone", lost=True, kept=True, shown=False)
    rows = painted(painter(comments=(lost,)), 80)
    assert rows[3].startswith("      ┃ kept: gone (was ␛[5;29Hgreet())")
    assert rows[3].endswith("comment, kept, unread")


def test_only_a_comment_that_is_there_to_its_end_is_whole() -> None:
    short, long = Comment(path="a.py", line=3, text="one\ntwo"), Comment(path="a.py", line=3, text="x" * 100)
    it = painter(comments=(short, long))
    assert it.whole_comments(range(len(it.rows)), 80) == [0]
    assert it.whole_comments(range(4), 80) == []
    assert it.whole_comments(range(len(it.rows)), 160) == [0, 1]


def test_side_by_side_each_side_has_its_numbers() -> None:
    rows = painted(painter(split=True), 81)
    assert rows[3] == "   39 -     key = 'dev'".ljust(40) + "│   39 +     key = settings.signing_key"


def test_what_does_not_fit_ends_with_a_mark_and_can_be_scrolled_to() -> None:
    it = painter()
    assert it.row(4, 30).plain == "   39 +     key = settings.si…"
    it.shift = 10
    assert it.row(4, 30).plain == "   39 + settings.signing_key"


WIDE = {
    "modifiers": "s = '" + "\U0001f3fb" * 34 + "' ; evil()",
    "hearts": "s = '" + "❤\ufe0f" * 30 + "' ; evil()",
    "families": "s = '" + "👨\u200d👩\u200d👧" * 12 + "' ; evil()",
    "flags": "s = '" + "🇩🇪" * 18 + "' ; evil()",
    "form feeds": "s = '" + "\f" * 60 + "' ; evil()",
    "ideographs": "s = '" + "日" * 35 + "' ; evil()",
}


@pytest.mark.parametrize("marks", [FINE, PLAIN], ids=["fine", "plain"])
@pytest.mark.parametrize("text", WIDE.values(), ids=WIDE.keys())
def test_a_line_whose_end_may_be_off_the_screen_is_cut_and_each_part_of_it_can_be_scrolled_to_H4(
    text: str, marks: Marks
) -> None:
    line = DiffLine("added", None, 1, text)
    file = FileDiff(path="a.py", added=1, hunks=(Hunk("h1", "", 0, 0, 1, 1, (line,)),))
    change = NumberedChange(DiffView(task="fe-1", attempt=1, diff_id="d", base="b", head="h", files=(file,)))
    it = Painter(rows=DiffRows(change), marks=marks, palette=PALETTES["mono"], looking=LookSoFar("fe-1"))
    narrow = 70 if "\f" in text else 80
    assert it.is_cut(2, narrow) or (marks is FINE and "\f" in text)
    read = ""
    for _ in range(60):
        drawn = in_ascii(it.row(2, narrow)) if marks is PLAIN else it.row(2, narrow)
        assert widest(drawn.plain) <= narrow
        assert drawn.plain.endswith(marks.ellipsis) == it.is_cut(2, narrow)
        read += drawn.plain[8:].removesuffix(marks.ellipsis)
        if not it.is_cut(2, narrow):
            break
        it.shift = it.next_part([2], narrow)
    assert read == code(line, marks)
    assert read.endswith("; evil()")


def test_the_kind_of_a_file_is_on_screen_with_the_file_and_with_each_hunk() -> None:
    file = FileDiff(path="conf", status="A", added=1, kind="new link", hunks=FILE.hunks)
    change = NumberedChange(DiffView(task="fe-1", attempt=1, diff_id="d", base="b", head="h", files=(file,)))
    it = Painter(rows=DiffRows(change), marks=FINE, palette=PALETTES["mono"], looking=LookSoFar("fe-1"))
    assert it.row(0, 60).plain.startswith(" A conf  +1  new link ─")
    assert it.row(1, 60).plain.startswith(" ○ @@ 38–39  new link  class Token")


def test_a_hunk_that_was_seen_has_another_mark() -> None:
    it = painter()
    it.looking.shown.add("h1")
    rows = painted(it)
    assert rows[0].endswith("● all seen")
    assert rows[1].startswith(" ● @@")


@pytest.mark.parametrize(
    ("text", "fine", "plain"),
    [
        ("a  ", "a··", "a__"),
        ("\tx", "→   x", ">   x"),
        ("ab\tc", "ab→ c", "ab> c"),
        ("a\x1b[2J", "a␛[2J", "a^[[2J"),
        ("a\u202eb", "a⟨U+202E⟩b", "a<U+202E>b"),
        ("a\r", "a␍", "a^M"),
    ],
)
def test_what_cannot_be_seen_is_shown_in_a_changed_line(text: str, fine: str, plain: str) -> None:
    assert code(DiffLine("added", None, 1, text), FINE) == fine
    assert code(DiffLine("added", None, 1, text), PLAIN) == plain


def test_tabs_of_code_that_did_not_change_are_only_wide() -> None:
    assert code(DiffLine("context", 1, 1, "\tx "), FINE) == "    x "


def test_sizes_of_a_binary_file_and_lines_of_others() -> None:
    assert counts(FileDiff(path="a", binary=True, old_size=None, new_size=1200), FINE) == (
        " binary, nothing → 1,200 bytes"
    )
    assert counts(FileDiff(path="a", added=1200), PLAIN) == " +1,200"
    assert counts(FileDiff(path="a", removed=2, added=6000), FINE) == " +6,000 −2 shown hunk by hunk"


def test_the_list_of_files_shows_the_end_of_a_long_path() -> None:
    line = file_line(FILE, LookSoFar("fe-1"), [FINDING, FINDING], FINE, PALETTES["mono"], 18)
    assert isinstance(line, Text)
    assert line.plain == " ○ …th/login.py 2▲"
    assert tail("src/a.py", 20, "…") == "src/a.py"


@pytest.mark.parametrize(
    ("state", "mark"),
    [("open", "▲"), ("claimed", "▲?"), ("disputed", "▲!"), ("resolved", "▲✓"), ("waived", "▲w"), ("obsolete", "▲✓")],
)
def test_the_state_of_a_finding_is_in_its_mark(state: str, mark: str) -> None:
    import msgspec

    assert finding_mark(msgspec.structs.replace(FINDING, state=state), FINE) == mark
