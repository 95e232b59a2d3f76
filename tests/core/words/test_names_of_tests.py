"""Names of tests: told apart by where they lie, in any order, and known again however they were written (D5)."""

from __future__ import annotations

from itertools import permutations

import pytest

from foureyes.core.words.names_of_tests import NamedTest, distinct_names, pairs

RED, GREEN = 0, 1


def test_a_name_that_is_alone_stays_as_it_is() -> None:
    assert distinct_names([NamedTest("a::x", ("f.py", "suite")), NamedTest("a::y", ("f.py", "suite"))]) == [
        "a::x",
        "a::y",
    ]
    assert distinct_names([]) == []


def test_equal_names_are_told_apart_by_the_first_kind_of_place_that_differs() -> None:
    alike = [NamedTest("x", ("", "render", "all / render")), NamedTest("x", ("", "render", "more / render"))]
    assert distinct_names(alike) == ["x [in all / render]", "x [in more / render]"]
    named = [NamedTest("x", ("a.js", "render")), NamedTest("x", ("b.js", "render"))]
    assert distinct_names(named) == ["x [in a.js]", "x [in b.js]"]
    assert distinct_names([NamedTest("x", ("a[1].js",)), NamedTest("x", ("b",))]) == ["x [in a[1).js]", "x [in b]"]


def test_the_order_of_a_report_says_nothing_about_names() -> None:
    tests = [NamedTest("x", ("a.js",), RED), NamedTest("x", ("b.js",), GREEN), NamedTest("y", ("b.js",), GREEN)]
    wanted = {"x [in a.js]": RED, "x [in b.js]": GREEN, "y": GREEN}
    for order in permutations(tests):
        assert dict(zip(distinct_names(order), (test.rank for test in order), strict=True)) == wanted


def test_what_nothing_tells_apart_is_numbered_and_those_that_fail_come_first() -> None:
    for order in permutations([NamedTest("x", rank=GREEN), NamedTest("x", rank=RED), NamedTest("x", rank=GREEN)]):
        names = dict(zip(distinct_names(order), (test.rank for test in order), strict=True))
        assert names == {"x": RED, "x#2": GREEN, "x#3": GREEN}
    assert distinct_names([NamedTest("x"), NamedTest("x"), NamedTest("x#2")]) == ["x", "x#3", "x#2"], (
        "a number that is nobody's"
    )


@pytest.mark.parametrize(
    ("before", "now", "gone"),
    [
        (["a", "b"], ["a", "b", "c"], []),
        (["a", "b"], ["b"], ["a"]),
        (["x"], ["x [in a.js]", "x [in b.js]"], []),
        (["x", "x#2"], ["x [in a.js]", "x [in b.js]"], []),
        (["x [in a.js]", "x [in b.js]"], ["x"], ["x [in b.js]"]),
        (["x [in a.js]", "x [in b.js]"], ["x [in a.js]", "x [in c.js]"], ["x [in b.js]"]),
        (["x", "x#2", "x#3"], ["x", "x#2"], ["x#3"]),
        (["issue#12"], ["issue#13"], ["issue#12"]),
        (["/tmp/foureyes-check-ab1/work/js/ok::rule"], ["js/ok::rule"], []),
        (["file:///tmp/foureyes-check-ab1/work/js/ok::rule"], ["js/ko::rule"],
         ["file:///tmp/foureyes-check-ab1/work/js/ok::rule"]),
    ],
)  # fmt: skip
def test_what_an_older_report_called_otherwise_is_known_again_and_nothing_is_two(
    before: list[str], now: list[str], gone: list[str]
) -> None:
    found = pairs(before, now)
    assert sorted(set(before) - found.keys()) == gone
    assert len(set(found.values())) == len(found)
    assert set(found.values()) <= set(now)
