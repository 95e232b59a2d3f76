"""The sieve: whatever agents and files say, nothing but text reaches the terminal, on any page."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from rich.text import Text
from textual.color import Color
from textual.widgets import Static

from foureyes.ui.tui.app import FoureyesApp
from foureyes.ui.tui.control_chars import Sieve, harmless, signs, typed
from foureyes.ui.tui.screens.ask_text import ask_text
from foureyes.ui.tui.screens.sheet import Sheet, SheetField
from foureyes.ui.tui.widgets.options import OptionLines
from foureyes.ui.tui.widgets.rows import plain
from foureyes.ui.tui.widgets.text_part import TextLine, TextPart

from tests.ui.tui.stage import Player, Seat, play

HOSTILE = "\x1b[5;29H   1 + greet('hello')   \x1b]52;c;aGk=\x07\x9b2J\x7f\r\x08"
CONTROL = frozenset(map(chr, (*range(32), *range(127, 160))))


def control_on(app: FoureyesApp) -> set[str]:
    """The control characters that the screen would send to a terminal."""
    strips = app.screen._compositor.render_strips()
    return {character for strip in strips for segment in strip for character in segment.text if character in CONTROL}


@pytest.fixture(params=["with the sieve", "without it"])
def app(seat: Seat, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> FoureyesApp:
    """The app; without the last filter nothing may be left for it either."""
    app = seat.sit()
    if request.param == "without it":
        monkeypatch.setattr(app, "get_line_filters", list)
    return app


def test_words_that_a_page_forgot_to_make_visible_are_caught(seat: Seat, app: FoureyesApp) -> None:
    seat.deliver("Add login")

    async def story(at: Player) -> None:
        await at.hit("r")
        page = at.app.pages[-1]
        page.note(HOSTILE)
        page.top.show(f"top {HOSTILE}")
        page.rows.show([plain(f"row {HOSTILE}", "1")])
        await at.settle()
        assert not control_on(at.app)
        assert "top ␛[5;29H" in at.screen
        assert "row ␛[5;29H" in at.screen
        ask_text(page, HOSTILE, lambda _: None, lines=[HOSTILE])
        await at.settle()
        assert not control_on(at.app)
        fields = [SheetField("a", "A", HOSTILE), SheetField("b", "B", HOSTILE, (HOSTILE, "no"))]
        at.app.push_screen(Sheet(HOSTILE, [HOSTILE], fields, lambda _: None))
        await at.settle()
        assert not control_on(at.app)
        await at.hit("escape", "escape", "r")
        at.app.screen.query_one("#issues", OptionLines).put([HOSTILE], set())
        at.app.screen.query_one(TextPart).insert(f"typed {HOSTILE}\n\tb")
        await at.settle()
        assert not control_on(at.app)
        assert "typed ␛[5;29H" in at.screen

    play(app, story)


def test_what_goes_around_every_other_step_is_held_back_by_the_sieve(seat: Seat) -> None:
    async def story(at: Player) -> None:
        assert not control_on(at.app)
        await at.app.screen.mount(Static(f"raw {HOSTILE}", markup=False))
        await at.settle()
        assert "raw [5;29H" in at.screen
        assert not control_on(at.app)

    play(seat.sit(), story)


def test_fields_hold_signs_and_keep_lines_and_tabs(seat: Seat) -> None:
    async def story(at: Player) -> None:
        await at.hit("n")
        text, line = at.app.screen.query(TextPart).first(), at.app.screen.query(TextLine).first()
        text.load_text("a\n\t\x1b[5")
        line.value = "a\n\t\x1b[5"
        assert (text.text, line.value) == ("a\n\t␛[5", "a␊␉␛[5")
        text.insert("\x9b")
        line.insert_text_at_cursor("\x9b")
        assert (text.text, line.value) == ("�a\n\t␛[5", "a␊␉␛[5�")

    play(seat.sit(), story)


def test_each_sign_stands_where_its_character_stood() -> None:
    text = "".join(map(chr, range(0x300)))
    for shown in (signs(text), typed(text), harmless(Text("\x1b" + "x" * 9)).plain):
        assert len(shown) in (len(text), 10)
    assert not CONTROL.intersection(signs(text))
    assert CONTROL.intersection(typed(text)) == set("\t\n\r")
    assert harmless(Text("a\nb\tc\x1b")).plain == "a\nb␉c␛"


def test_the_sieve_takes_out_what_has_no_width_and_leaves_the_rest() -> None:
    fine, odd = [Segment("fine ✓")], [Segment("a\x1b[2J"), Segment("\x9b", None, []), Segment("b")]
    assert Sieve().apply(fine, Color(0, 0, 0)) is fine
    assert [segment.text for segment in Sieve().apply(odd, Color(0, 0, 0))] == ["a[2J", "", "b"]
