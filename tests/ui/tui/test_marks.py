"""Marks and colours: every state can be told apart without colours and without Unicode; hidden characters are seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from foureyes.config.own_settings import THEMES
from foureyes.core.nouns.finding import ReportedFinding
from foureyes.ui.tui.marks import (
    FINE,
    PALETTES,
    PLAIN,
    Marks,
    encoding_of,
    in_ascii,
    marks_for,
    theme_for,
    visible,
)

from tests.ui.tui.screens.test_diff import open_diff, read_slowly
from tests.ui.tui.stage import BOB, CODE, LARGE, SMALL, Player, Seat, play


@pytest.mark.parametrize("marks", [FINE, PLAIN], ids=["fine", "plain"])
def test_states_have_marks_of_their_own(marks: Marks) -> None:
    words = {word: mark for word, mark in marks.checks.items() if word != "timed_out"}
    assert len(set(words.values())) == len(words)
    assert len(set(marks.severities.values())) == 4
    assert len(set(marks.risks.values())) == 3
    assert marks.seen != marks.unseen


def test_plain_marks_are_ascii() -> None:
    assert all(mark.isascii() for group in (PLAIN.checks, PLAIN.severities, PLAIN.risks) for mark in group.values())


def test_what_is_drawn_has_a_sign_in_ascii() -> None:
    signs = "".join(mark for group in (FINE.checks, FINE.severities, FINE.risks) for mark in group.values())
    signs += "".join(
        value for value in (getattr(FINE, name) for name in FINE.__struct_fields__) if isinstance(value, str)
    )
    assert in_ascii(Text(signs + "│▐▌…→")).plain.isascii()


def test_every_theme_knows_every_role() -> None:
    roles = set(PALETTES["default"])
    assert all(set(PALETTES[theme]) == roles for theme in THEMES)


def test_mono_has_no_colour() -> None:
    assert all(style.color is None and style.bgcolor is None for style in PALETTES["mono"].values())


def test_no_color_wins_over_what_was_asked_for() -> None:
    assert theme_for({"NO_COLOR": "1"}, "high-contrast") == "mono"
    assert theme_for({}, "light") == "light"
    assert theme_for({}, "nonsense") == "default"


def test_ascii_is_chosen_by_the_variable_and_by_the_locale() -> None:
    assert marks_for({"FOUREYES_ASCII": "1"}, "utf-8") is PLAIN
    assert marks_for({}, encoding_of({"LANG": "C"})) is PLAIN
    assert marks_for({}, encoding_of({"LANG": "de_DE.UTF-8"})) is FINE
    assert marks_for({}, encoding_of({"LC_ALL": "en_GB.ISO-8859-1", "LANG": "C.UTF-8"})) is PLAIN


def test_lang_c_means_ascii_though_python_says_otherwise_in_its_own_variable() -> None:
    assert encoding_of({"LANG": "C", "LC_CTYPE": "C.UTF-8"}) == "ascii"
    assert encoding_of({"LANG": "POSIX", "LC_CTYPE": "C.utf8"}) == "ascii"
    assert encoding_of({"LANG": "C", "LC_CTYPE": "de_DE.UTF-8"}) == "utf-8"
    assert encoding_of({"LANG": "C", "LC_CTYPE": "C.UTF-8", "LC_ALL": "C.UTF-8"}) == "utf-8"
    assert encoding_of({"LANG": "C.UTF-8", "LC_CTYPE": "C.UTF-8"}) == "utf-8"


def test_without_colours_the_page_has_those_of_the_terminal(seat: Seat) -> None:
    seat.deliver()

    async def story(at: Player) -> None:
        for keys in ((), ("r",), ("d",), ("r",)):
            await at.hit(*keys)
            styles = [part.style for strip in at.app.screen._compositor.render_strips() for part in strip if part.style]
            colours = {colour for style in styles for colour in (style.color, style.bgcolor) if colour is not None}
            assert all(colour.is_default for colour in colours), (keys, colours)

    play(seat.sit(NO_COLOR="1"), story, LARGE)


def test_escape_and_direction_are_shown_as_text() -> None:
    shown = visible("a\x1b[31mred\u202eevil\u200b")
    assert shown == "a␛[31mred⟨U+202E⟩evil⟨U+200B⟩"


@given(st.text())
def test_nothing_untrusted_reaches_the_terminal_as_control(text: str) -> None:
    shown = visible(text)
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in shown)
    shown.encode("utf-8")


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
def test_every_page_is_drawn_in_ascii_where_that_is_asked_for(seat: Seat, size: tuple[int, int]) -> None:
    task = seat.deliver("Add login", {"src/add_login.py": CODE, "poetry.lock": "a = 1\n"})
    seat.deliver("Add logout")
    seat.app.findings.add(
        BOB, task, ReportedFinding(title="Why one?", severity="HIGH", path="src/add_login.py", line=2)
    )
    seat.app.stops.hold(BOB, seat.create("Pay by card"), "ask legal first")
    keys = """
        n tab tab tab escape ! 1 escape escape ? escape r a down escape w escape f escape / x escape
        home enter f escape c escape i escape h escape w escape d t t s c tab escape r tab ctrl+o escape escape x escape
        escape a escape
    """

    async def story(at: Player) -> None:
        for key in keys.split():
            screen = await at.press(key)
            strange = sorted({character for character in screen if not character.isascii()})
            assert strange == [], f"{type(at.app.screen).__name__} after {key}: {strange}\n{screen}"

    play(seat.sit(FOUREYES_ASCII="1"), story, size)


def test_in_ascii_a_line_that_became_longer_than_the_screen_is_cut_with_a_mark(seat: Seat) -> None:
    task = seat.deliver("Add login", {"src/a.py": "s = '" + "\f" * 40 + "' ; evil()\n"})

    async def story(at: Player) -> None:
        page = await open_diff(at, task)
        row = next(line for line in at.screen.splitlines() if "s = '" in line)
        assert "^L^L" in row
        assert row.rstrip().endswith("~")
        await read_slowly(at, "down", "up")
        assert page.looking.unseen == 1

    play(seat.sit(FOUREYES_ASCII="1"), story, SMALL)
