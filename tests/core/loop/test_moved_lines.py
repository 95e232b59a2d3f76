"""Where lines are after a change (L2, L4)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.loop.fingerprint import moved

from tests.core.samples import quick


def text(words: str) -> str:
    return "\n".join(words)


def test_lines_that_stay_are_found_whatever_is_put_before_or_taken_out() -> None:
    assert moved(text("abc"), text("xyabc")) == {1: 3, 2: 4, 3: 5}
    assert moved(text("abcde"), text("ace")) == {1: 1, 3: 2, 5: 3}
    assert moved(text("abc"), "") == {}
    assert moved("", text("abc")) == {}


def test_of_two_equal_lines_the_one_that_went_is_gone_and_the_other_stays() -> None:
    assert moved(text("aXbXc"), text("abXc")) == {1: 1, 3: 2, 4: 3, 5: 4}
    assert moved(text("aXbXc"), text("aXbc")) == {1: 1, 2: 2, 3: 3, 5: 4}
    assert moved(text("aXbXc"), text("nnaYbXcn")) == {1: 3, 3: 5, 4: 6, 5: 7}


@quick
@given(st.text("abcX", max_size=12), st.text("abcX", max_size=12))
def test_what_is_found_is_the_same_line_each_once_and_in_order(old: str, new: str) -> None:
    found = moved(text(old), text(new))
    before, after = text(old).splitlines(), text(new).splitlines()
    assert all(before[here - 1] == after[there - 1] for here, there in found.items())
    assert [found[here] for here in sorted(found)] == sorted(set(found.values()))
