"""A6: whether what was found in one change is in another one, by its quote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.loop.fingerprint import find_quote
from foureyes.core.loop.laundering import LEAST_ELSEWHERE, LEAST_THERE, Haystack, is_telling

from tests.core.samples import quick

code = st.text("ab=( )\n\tx1", max_size=80)


@pytest.mark.parametrize(
    ("quote", "there", "elsewhere"),
    [("}", False, False), ("  }  ", False, False), ("eval(x)", True, False), ("return amount < 1", True, True)],
)
def test_a_tiny_quote_tells_nothing_A6(quote: str, there: bool, elsewhere: bool) -> None:
    assert (is_telling(quote, same_path=True), is_telling(quote, same_path=False)) == (there, elsewhere)
    assert LEAST_THERE < LEAST_ELSEWHERE


@quick
@given(st.dictionaries(st.sampled_from("abc"), code, max_size=3), code)
def test_a_telling_quote_is_found_exactly_where_it_stands_A6(texts: dict[str, str], quote: str) -> None:
    hay = Haystack(texts)
    where = [path for path, text in texts.items() if find_quote(quote, text)]
    for path in texts:
        assert path in hay
        assert not quote.split() or hay.has(quote, path) == (path in where)
    if is_telling(quote, same_path=False):
        assert hay.with_quote(quote) == (where[0] if where else "")


@quick
@given(code, code, code)
def test_more_around_it_hides_nothing_A6(before: str, quote: str, after: str) -> None:
    hay = Haystack({"a": f"{before}{quote}{after}"})
    assert hay.has(quote, "a")
    assert not is_telling(quote, same_path=False) or hay.with_quote(quote) == "a"


def test_a_file_that_is_not_there_has_nothing_A6() -> None:
    assert not Haystack({}).has("return 1", "a")
