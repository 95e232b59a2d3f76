"""Pastes are read whole: what is pasted is text, also where it has escape characters in it."""

from __future__ import annotations

import pytest
from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers import linux_driver

from foureyes.ui.tui.paste import END, START, PasteParser, read_pastes_whole

LOG = "see the log:\n\x1b[31mFAILED\x1b[0m test_a\nplease block"


def meant(*pieces: str) -> list[str]:
    """What some input means: keys by their names, pastes by their text."""
    parser = PasteParser()
    tokens = [token for piece in pieces for token in parser.feed(piece)]
    return [token.text if isinstance(token, events.Paste) else token.key for token in tokens]  # type: ignore[attr-defined]


def test_colours_in_a_paste_are_left_out_and_nothing_of_it_becomes_a_key() -> None:
    assert meant(f"x{START}{LOG}{END}y") == ["x", "see the log:\nFAILED test_a\nplease block", "y"]


@pytest.mark.parametrize("bad", ["\x1b\x1b", "\x1b", "\x1b[A", "\x1b]0;title\x07", "\x1b[201", "\x1b[200~"])
def test_no_code_in_a_paste_ends_it_or_leaves_a_form(bad: str) -> None:
    (text,) = meant(f"{START}before {bad} approve{END}")
    assert text.startswith("before ")
    assert text.endswith("approve")
    assert "\x1b" not in text


def test_a_paste_may_come_in_any_pieces_and_keys_around_it_stay_keys() -> None:
    whole = f"a{START}one\x1b[1mtwo{END}\x1b[B{START}three{END}b"
    for size in range(1, len(whole)):
        pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
        assert meant(*pieces) == ["a", "onetwo", "down", "three", "b"]


def test_a_terminal_is_read_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux_driver, "XTermParser", XTermParser)
    read_pastes_whole()
    assert vars(linux_driver)["XTermParser"] is PasteParser
    assert "XTermParser" in linux_driver.LinuxDriver.run_input_thread.__code__.co_names  # the name that it asks for
