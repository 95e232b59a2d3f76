"""Links of a tree as a function: under which other names a change is reached (A4)."""

from __future__ import annotations

import pytest

from foureyes.core.words.paths import MOST_FOLLOWED, other_names


@pytest.mark.parametrize(
    ("links", "changed", "names"),
    [
        ({"A": "x"}, "x", ["A"]),
        ({"A": "x"}, "y", []),
        ({"A": "d"}, "d/e/f", ["A/e/f"]),
        ({"A": "d/e"}, "d", ["A"]),  # something else in the place of a folder
        ({"a/b/A": "../../x"}, "x", ["a/b/A"]),
        ({"a/A": "../../x"}, "x", ["a/A"]),
        ({"A": "/home/me/repo/x"}, "x", ["A"]),
        ({"A": "../repo/Docs/x"}, "docs/x", ["A"]),  # out of the tree, and perhaps back into it
        ({"A": "../repo/docs"}, "docs/x", ["A/x"]),
        ({"A": "../repo/d/x", "d": "docs"}, "docs/x", ["A", "d/x"]),
        ({"A": "b/x", "b": "/home/me/repo/docs"}, "docs/x", ["A", "b/x"]),
        ({"A": "../repo/d/../x"}, "x", ["A"]),
        ({"A": "../../../y"}, "x", []),
        ({"A": "../shared"}, "x", []),  # a folder that several checkouts share
        ({"A": "./d/../x"}, "x", ["A"]),
        ({"A": "b/x", "b": "c", "c": "d"}, "d/x", ["A", "b/x", "c/x"]),
        ({"A": "b/x", "b": "c", "c": "d"}, "c", ["A", "b"]),  # a link on the way
        ({"A": "b/../x", "b": "d/e"}, "d/x", ["A"]),
        ({"A": "B", "B": "A"}, "x", []),
        ({"A": "A/x"}, "x", []),
        ({"A": "."}, "x/y", ["A/x/y"]),
        ({"A": "Docs/X"}, "docs/x", ["A"]),
        ({"A": ""}, "x", ["A/x"]),
    ],
)
def test_a_change_is_reached_by_links_of_the_tree_A4(links: dict[str, str], changed: str, names: list[str]) -> None:
    assert sorted(other_names(links, [changed])) == sorted(names)


def test_a_way_back_goes_by_where_the_links_before_it_led_A4() -> None:
    """As a system goes it, and not by the words: `sub/..` is the folder that `sub` leads into."""
    for text in ("../shop/sub/../x", "/shop/sub/../x", "sub/../x"):
        assert other_names({"A": text, "sub": "docs/deep"}, ["docs/x"]) == ["A"], text


def test_as_many_links_as_a_system_follows_and_no_more_A4() -> None:
    chain = {f"l{number}": f"l{number + 1}" for number in range(MOST_FOLLOWED)} | {f"l{MOST_FOLLOWED}": "x"}
    assert "l0" in other_names(chain, ["x"])
    assert "l-1" not in other_names({"l-1": "l0"} | chain, ["x"])
