"""A look: what counts as seen, and what is on record about it."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.nouns.decision import ALL, Viewing, counted

HUNKS = [f"{number:016x}" for number in range(6)]
some = st.lists(st.sampled_from([*HUNKS, "f" * 16, ""]), max_size=10)


@given(some, some, some)
def test_only_hunks_of_the_change_count_and_each_once_H4(hunks: list[str], shown: list[str], marked: list[str]) -> None:
    look = counted(hunks, shown, marked)
    every = set(hunks)
    assert look.hunks == len(every)
    assert look.shown == len(every & set(shown))
    assert look.marked == len(every & set(marked) - set(shown)), "what was on screen is not marked as well"
    assert look.unseen == len(every - set(shown) - set(marked))


def test_ids_are_kept_one_after_the_other_and_all_of_them_as_one_word_H4() -> None:
    look = counted(HUNKS[:3], [HUNKS[2], HUNKS[0]], [HUNKS[1]])
    assert (look.shown_ids, look.marked_ids) == (HUNKS[0] + HUNKS[2], HUNKS[1])
    assert counted(HUNKS, HUNKS, ()).shown_ids == ALL
    partly = counted(HUNKS[:3], [HUNKS[0]], (), [HUNKS[0], HUNKS[1]])
    assert (partly.spaceless, partly.spaceless_ids, partly.unseen) == (1, HUNKS[1], 2)
    assert counted((), HUNKS, HUNKS).shown_ids == ""


@pytest.mark.parametrize(
    ("look", "words"),
    [
        (Viewing(), ""),
        (Viewing(face="cli"), "not measured"),
        (Viewing(face="tui", hunks=2), "0/2 hunks shown"),
        (Viewing(face="tui", hunks=1, shown=1), "1/1 hunk shown"),
        (Viewing(face="tui", hunks=6, shown=3, marked=2, pager=True), "3/6 hunks shown, 2 marked, in a pager"),
        (Viewing(face="tui", hunks=3, shown=1, spaceless=2), "1/3 hunks shown, 2 with whitespace hidden"),
    ],
)
def test_a_look_is_said_in_a_few_words_and_what_was_not_measured_is_neither_none_nor_all_H4(
    look: Viewing, words: str
) -> None:
    assert look.words == words


def test_a_look_of_which_nothing_is_known_takes_no_room_in_the_journal_H5() -> None:
    assert msgspec.json.encode(Viewing()) == b"{}"
    assert msgspec.json.decode(b"{}", type=Viewing) == Viewing()
