"""Ids: a prefix and a short random part that grows when the short ones get crowded (T)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.words.ids import (
    ALPHABET,
    CROWDING,
    NO_ROW,
    PREFIX,
    SHORTEST,
    TASK_INPUT,
    anchored_row,
    length_for,
    seen_name,
    session_id,
    task_id,
)

from tests.core.samples import quick


def test_the_alphabet_has_no_letter_that_looks_like_a_digit_T() -> None:
    assert len(ALPHABET) == len(set(ALPHABET)) == 32
    assert not set("ilou") & set(ALPHABET)
    assert ALPHABET.islower()


@pytest.mark.parametrize(
    ("tasks", "tries", "length"),
    [(0, 0, 3), (1638, 0, 3), (1639, 0, 4), (52_428, 0, 4), (52_429, 0, 5), (0, 1, 3), (0, 2, 4)],
)
def test_ids_grow_when_they_get_crowded_or_collide_T(tasks: int, tries: int, length: int) -> None:
    assert length_for(tasks, tries) == length


@quick
@given(st.integers(0, 10**9), st.integers(0, 19))
def test_there_is_always_room_for_twenty_times_the_tasks_T(tasks: int, tries: int) -> None:
    length = length_for(tasks, tries)
    assert length >= SHORTEST
    assert len(ALPHABET) ** length >= CROWDING * tasks
    assert length_for(tasks, tries + 1) >= length
    assert length_for(tasks + 1, tries) >= length


@quick
@given(st.integers(0, 2**128), st.integers(1, 12))
def test_an_id_is_its_prefix_and_that_many_characters_and_is_accepted_as_input_T(number: int, length: int) -> None:
    made = task_id("fe", number, length)
    assert re.fullmatch(f"fe-[{ALPHABET}]{{{length}}}", made)
    assert TASK_INPUT.match(made)


@quick
@given(st.integers(0, 32**3 - 1), st.integers(0, 32**3 - 1))
def test_different_numbers_are_different_ids_T(one: int, other: int) -> None:
    assert (task_id("fe", one, 3) == task_id("fe", other, 3)) == (one == other)


@quick
@given(st.binary(min_size=8, max_size=32))
def test_the_same_evidence_gives_the_same_session_id_I3(digest: bytes) -> None:
    assert session_id(digest) == session_id(digest)
    assert re.fullmatch(f"ses-[{ALPHABET}]{{8}}", session_id(digest))


@pytest.mark.parametrize("prefix", ["fe", "a", "a1234567890"[:10]])
def test_a_prefix_is_small_letters_and_digits_T(prefix: str) -> None:
    assert PREFIX.match(prefix)


@pytest.mark.parametrize("prefix", ["", "1a", "Fe", "a-b", "a" * 11, "fe\n", "fé", "a b"])
def test_other_prefixes_are_refused_T(prefix: str) -> None:
    assert not PREFIX.match(prefix)


@pytest.mark.parametrize("text", ["", "fe abc", "fe-abc\n", "%", "fe_abc", "../x", "x" * 41, "fé-1"])
def test_what_cannot_be_a_task_id_is_not_looked_up_T(text: str) -> None:
    assert not TASK_INPUT.match(text)


def test_eight_digits_of_a_diff_id_are_enough_D7() -> None:
    assert seen_name(2, "sha256:0123456789abcdef") == "2.01234567"
    assert seen_name(12, "0123456789abcdef") == "12.01234567"


@pytest.mark.parametrize(
    ("anchor", "row"),
    [
        ("7:ab", 7),
        ("007:ab", 7),
        ("7", 7),
        ("nothing", NO_ROW),
        ("", NO_ROW),
        ("-1:ab", NO_ROW),
        ("٣:ab", NO_ROW),
        (f"{2**31}:ab", NO_ROW),
        ("99999999999999999:ab", NO_ROW),
        ("9" * 5000 + ":ab", NO_ROW),
    ],
)
def test_the_row_of_an_anchor_is_one_that_a_journal_can_have_or_beyond_all_of_them_J3_G1(anchor: str, row: int) -> None:
    assert anchored_row(anchor) == row
