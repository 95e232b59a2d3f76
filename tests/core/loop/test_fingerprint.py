"""Is this finding one that we know (L2)? Moved, re-indented and rephrased it is; what is ambiguous is never merged."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.loop.fingerprint import FindingTraits, Match, find_quote, line_at, match, normal, symbol_at, words
from foureyes.core.nouns.finding import Finding
from foureyes.core.words.ids import SessionId

from tests.core.samples import quick

CODE = "class Shop:\n    def total(self):\n        return self.limit * 2\n\n    def other(self):\n        pass\n"
MANY = 20_000
pieces = st.text(alphabet="abxy=()._", min_size=1, max_size=6)
lines = st.lists(pieces, min_size=1, max_size=8)
spaces = st.sampled_from(["", " ", "    ", "\t"])


def finding(
    root: str = "TL-t-1-001",
    *,
    path: str = "a.py",
    quote: str = "",
    symbol: str = "",
    rule: str = "",
    title: str = "leaks",
) -> Finding:
    return Finding(
        root=root,
        id=root,
        task="t",
        kind="TL",
        severity="HIGH",
        title=title,
        path=path,
        quote=quote,
        symbol=symbol,
        rule=rule,
        session=SessionId("ses-r"),
        raised=1,
        flagged=1,
    )


OLD = finding(quote="return self.limit * 2", symbol="total", rule="R1", title="Limit is hard-coded!")


@pytest.mark.parametrize(
    "new",
    [
        FindingTraits(path="a.py", quote="return   self.limit*2", title="words that nobody used"),
        FindingTraits(path="a.py", quote="return\n    self.limit * 2", rule="R1", title="other"),
        FindingTraits(path="a.py", quote="return self.limit * 3", rule="R1", symbol="total", title="rephrased"),
        FindingTraits(path="a.py", symbol="total", title="limit is HARD coded"),
        FindingTraits(path="a.py", symbol="elsewhere", title="limit is hard-coded"),
    ],
)
def test_the_same_place_under_other_words_is_the_same_finding_L2(new: FindingTraits) -> None:
    assert match(new, [OLD], {}) == Match("TL-t-1-001")


@pytest.mark.parametrize(
    "new",
    [
        FindingTraits(path="b.py", quote="return self.limit * 2", title="Limit is hard-coded!"),
        FindingTraits(path="a.py", quote="return self.limit * 2", rule="R2", title="Limit is hard-coded!"),
        FindingTraits(path="a.py", quote="pass", symbol="other", title="does nothing"),
        FindingTraits(path="a.py", quote="return self.limit * 3", symbol="total", title="rephrased"),
        FindingTraits(path="", quote="return self.limit * 2", title="Limit is hard-coded!"),
        FindingTraits(path="a.py"),
        FindingTraits(),
    ],
)
def test_another_place_or_rule_is_another_finding_and_nothing_matches_nothing_L2(new: FindingTraits) -> None:
    assert match(new, [OLD], {}) == Match()
    assert match(FindingTraits(), [finding(path="", title="leaks")], {}) == Match()


def test_a_finding_follows_its_file_through_a_rename_L2() -> None:
    new = FindingTraits(path="b.py", quote="return self.limit * 2", title="x")
    assert match(new, [OLD], {"b.py": "a.py"}) == Match("TL-t-1-001")
    assert match(new, [OLD], {"c.py": "a.py"}) == Match()


def test_what_fits_two_equally_is_shown_with_both_and_merged_with_neither_L2() -> None:
    two = [finding("TL-t-1-001", quote="pass", title="one"), finding("TL-t-1-002", quote="pass", title="two")]
    assert match(FindingTraits(path="a.py", quote="pass", title="three"), two, {}) == Match(
        None, ("TL-t-1-001", "TL-t-1-002")
    )
    assert match(FindingTraits(path="a.py", quote="pass", title="two"), two, {}) == Match("TL-t-1-002")


def test_without_a_place_only_the_same_words_match_and_only_what_has_no_place_either_L2() -> None:
    known = [finding("TL-t-1-001", path="", title="No tests"), finding("TL-t-1-002", path="a.py", title="No docs")]
    assert match(FindingTraits(title="no tests."), known, {}) == Match("TL-t-1-001")
    assert match(FindingTraits(title="no docs"), known, {}) == Match()


@quick
@given(st.lists(st.tuples(pieces, pieces, pieces), min_size=1, max_size=6), pieces, pieces, pieces)
def test_a_match_is_never_a_guess_L2(known: list[tuple[str, str, str]], quote: str, symbol: str, title: str) -> None:
    """It is one root, or it is every root that it could be, or nothing; and only of the same file."""
    there = [finding(f"TL-t-1-{n:03}", quote=q, symbol=s, title=t) for n, (q, s, t) in enumerate(known)]
    aside = [finding("TL-t-1-999", path="z.py", quote=quote, symbol=symbol, title=title)]
    found = match(FindingTraits(path="a.py", quote=quote, symbol=symbol, title=title), [*there, *aside], {})
    assert found.root is None or not found.alike
    assert len(found.alike) != 1
    assert "TL-t-1-999" not in (found.root, *found.alike)
    exact = [one for one in there if normal(one.quote) == normal(quote)]
    if len(exact) == 1:
        assert found.root == exact[0].root
    if len(exact) > 1:
        assert {found.root} - {None} | set(found.alike) <= {one.root for one in exact}


@quick
@given(lines, lines, lines, spaces, spaces)
def test_a_quote_is_found_wherever_it_moved_to_and_however_it_is_indented_L2_V7(
    before: list[str], quoted: list[str], after: list[str], indent: str, inner: str
) -> None:
    text = "\n".join([*before, *[indent + inner.join(line) for line in quoted], *after])
    found = find_quote("\n".join(quoted), text, near=len(before) + 1)
    assert found
    assert normal("".join(quoted)) in normal("".join(text.splitlines()[found - 1 :]))
    assert found == len(before) + 1, "it is where it is said to be, however often the same code is elsewhere"


def test_of_several_places_the_nearest_one_is_meant_and_without_a_hint_the_first_L2() -> None:
    text = "x\npass\ny\npass\nz\npass\n"
    assert [find_quote("pass", text, near) for near in (0, 1, 3, 4, 5, 6, 99)] == [2, 2, 2, 4, 4, 6, 6]
    assert (
        find_quote("pass", "", 3) == find_quote("", text) == find_quote("   \n", text) == find_quote("gone", text) == 0
    )


@pytest.mark.parametrize(
    ("line", "symbol"),
    [(1, "Shop"), (2, "total"), (3, "total"), (4, "total"), (5, "other"), (6, "other"), (99, "other"), (0, "")],
)
def test_the_symbol_is_the_innermost_function_or_class_around_a_line_L2(line: int, symbol: str) -> None:
    assert symbol_at(CODE, line) == symbol


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("func (s *Shop) Total() int {\n\treturn 1\n}", "Total"),
        ("export default async function total() {\n  return 1\n}", "total"),
        ("pub(crate) fn total() -> u8 {\n    1\n}", "total"),
        ("public static class Shop {\n  int a;\n}", "Shop"),
        ("x = 1\ny = 2\n", ""),
    ],
)
def test_symbols_of_several_languages_are_known_L2(text: str, name: str) -> None:
    assert symbol_at(text, 2) == name


@quick
@given(st.text(max_size=200), st.integers(-3, 50))
def test_no_text_and_no_line_number_upsets_it_G1(text: str, line: int) -> None:
    assert isinstance(symbol_at(text, max(line, 0)), str)
    assert line_at(text, line) in ("", *text.splitlines())
    assert 0 <= find_quote(text[:10], text, max(line, 0)) <= max(1, len(text.splitlines()))
    assert words(words(text)) == words(text)
    assert normal(normal(text)) == normal(text)


def test_twenty_thousand_lines_and_findings_cost_little_and_not_the_square_L2() -> None:
    """A hundred lines with what costs them, and two hundred times as many: about two hundred times as much, not forty
    thousand.
    """

    def cost(count: int) -> float:
        text = "def f():\n" + "    return limit * 2\n" * count
        known = [finding(f"TL-t-1-{n:05}", quote=f"line {n}", title=f"title {n}") for n in range(count)]
        began = time.process_time()
        assert find_quote("return limit * 2", text, near=count) > 1
        assert find_quote("return limit * 3", text) == 0
        assert find_quote("limit * 2 return" * 50, text) > 0
        assert symbol_at(text, count) == "f"
        assert (
            match(FindingTraits(path="a.py", quote=f"line {count - 1}", title="x"), known, {}).root
            == f"TL-t-1-{count - 1:05}"
        )
        return time.process_time() - began

    cost(100)
    assert cost(MANY) < 3
