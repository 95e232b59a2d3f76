"""The registry of keys: no clash, nothing dead, nothing that the catalogue does not know."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections import Counter

import pytest

from foureyes.app.catalog import verbs
from foureyes.ui.tui import screens
from foureyes.ui.tui.keys import CONTEXTS, KEYS, NEIGHBOURS, KeyContext, action_of, bound, elsewhere, normal, shown
from foureyes.ui.tui.screens.page import Page

from tests.ui.tui.stage import Player, Seat, play


def pages() -> list[type[Page]]:
    """Every page that is opened; what only others are made of has no keys of its own."""
    classes = []
    for module in pkgutil.iter_modules(screens.__path__):
        members = vars(importlib.import_module(f"{screens.__name__}.{module.name}")).values()
        classes += [each for each in members if inspect.isclass(each) and issubclass(each, Page) and each is not Page]
    return [each for each in dict.fromkeys(classes) if not each.__subclasses__()]


@pytest.mark.parametrize("context", CONTEXTS)
def test_no_key_means_two_things_in_one_context(context: KeyContext) -> None:
    counted = Counter(key for key, _ in bound(context))
    twice = {key for key, times in counted.items() if times > 1}
    assert twice == set()


@pytest.mark.parametrize(("one", "other"), NEIGHBOURS)
def test_a_decision_key_means_nothing_else_in_a_neighbouring_context(one: KeyContext, other: KeyContext) -> None:
    """Pressed a moment too long it must not decide something else. R opens the review on the board, which decides
    nothing; A opens the list of several in the summary, and the list is a question.
    """
    decisions = {key: row for key, row in bound(one) if row.decision and not key.isdigit()}
    decisions_there = {key: row for key, row in bound(other) if row.decision and not key.isdigit()}
    clashes = {
        (key, row.action, decisions_there[key].action)
        for key, row in decisions.items()
        if key in decisions_there and decisions_there[key].action != row.action
    }
    assert clashes <= {("a", "batch", "approve"), ("enter", "approve_ticked", "open")}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.__name__)
def test_every_key_of_a_page_does_something(page: type[Page]) -> None:
    missing = [row.action for row in KEYS[page.context] if not callable(getattr(page, f"do_{row.action}", None))]
    assert missing == []


def test_every_verb_of_a_key_is_in_the_catalogue() -> None:
    known = {f"{verb.noun}.{verb.name}" for verb in verbs()}
    named = {row.verb for context in CONTEXTS for row in KEYS[context] if row.verb}
    assert named <= known


def test_every_decision_names_its_verb_and_what_types_the_same() -> None:
    nameless = [
        (context, row.action)
        for context in CONTEXTS
        for row in KEYS[context]
        if row.decision and row.action != "choose" and not (row.verb and row.command.startswith("fe "))
    ]
    assert nameless == []


def test_every_context_has_a_way_out_and_help() -> None:
    for context in CONTEXTS:
        actions = {row.action for row in KEYS[context]}
        assert "leave" in actions
        assert "back" in actions
        assert "help" in actions or context in ("form", "page")


@pytest.mark.parametrize(
    ("key", "character", "name"),
    [
        ("a", "a", "a"), ("A", "A", "a"), ("upper_a", "A", "a"), ("S", "S", "shift+s"), ("s", "s", "s"),
        ("question_mark", "?", "?"), ("left_square_bracket", "[", "["), ("space", " ", "space"),
        ("enter", "\r", "enter"), ("ctrl+s", "\x13", "ctrl+s"), ("f5", None, "f5"), ("1", "1", "1"),
    ],
)  # fmt: skip
def test_letters_mean_the_same_in_both_cases_but_shift_s(key: str, character: str | None, name: str) -> None:
    assert normal(key, character) == name


def test_shift_s_is_an_s_where_nobody_tells_them_apart() -> None:
    split = action_of("diff", "shift+s")
    assert split is not None
    assert split.action == "split"


def test_a_decision_letter_in_the_wrong_place_says_where_it_works() -> None:
    assert elsewhere("board", "s") == "Sprint planning is Shift+S"
    assert "fe demo" in elsewhere("board", "d")
    assert "task" in elsewhere("board", "a")
    assert "diff" in elsewhere("summary", "x")
    assert elsewhere("board", "y") == ""


def test_keys_are_shown_as_people_read_them() -> None:
    assert [shown(key) for key in ("a", "enter", "shift+s", "?", "pagedown")] == ["A", "Enter", "Shift+S", "?", "PgDn"]


def test_the_palette_is_left_with_the_app_and_words_are_kept(seat: Seat) -> None:
    async def story(at: Player) -> None:
        await at.hit("ctrl+p", "q")
        assert not at.app._exit
        await at.hit("ctrl+q")
        assert at.app._exit

    play(seat.sit(), story)
