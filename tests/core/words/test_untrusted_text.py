"""Names that others chose, as a part of our own sentences: none of them ends the sentence or begins another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.words.untrusted_text import named, some

from tests.core.samples import quick


@pytest.mark.parametrize("name", ["src/a.py", ".github/x.yml", "größe/日本.py", "a+b@c=d~e", "[id].tsx"])
def test_an_ordinary_name_stands_for_itself(name: str) -> None:
    assert named(name) == name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a b.py", '"a b.py"'),
        ("a\n   2 fe-x  P0  fine", '"a\\u000a   2 fe-x  P0  fine"'),
        ("a\u200b.py", '"a\\u200b.py"'),
        ("a\u202e.py", '"a\\u202e.py"'),
        ("a\u2028b", '"a\\u2028b"'),
        ("x; held", '"x; held"'),
        ('say "hi"', '"say \\"hi\\""'),
        ("", '""'),
        ("\U000e0041", '"\\udb40\\udc41"'),
    ],
)
def test_any_other_is_quoted_with_what_nobody_sees_as_its_code_H1(name: str, shown: str) -> None:
    assert named(name) == shown


def test_some_names_are_some_and_how_many_more() -> None:
    assert some(["a", "b c", "d"], 2) == 'a, "b c" and 1 more'
    assert some(["a"], 2) == "a"


@quick
@given(st.text())
def test_no_name_has_more_than_one_line_or_a_blank_outside_of_its_quotes_H1_G2(name: str) -> None:
    shown = named(name)
    assert len(shown.splitlines()) == 1
    assert shown[0] == shown[-1] == '"' or not any(character.isspace() for character in shown)
