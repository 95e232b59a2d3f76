"""The paths of a tree, found by what others call them."""

from __future__ import annotations

import pytest

from foureyes.core.words.paths import Tails, parts_of

TREE = Tails(["main.go", "src/pkg dir/bäd.py", "go/cmd/run.go", "lib/a/x_test.go", "lib/b/x_test.go", "src/main.py"])


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/home/ci/shop/src/pkg dir/bäd.py", "src/pkg dir/bäd.py"),
        ("/home/ci/shop/go/cmd/../cmd/run.go", "go/cmd/run.go"),
        ("/builds/main.go", "main.go"),
        ("/usr/lib/other.py", ""),
        ("", ""),
    ],
)
def test_another_clones_path_is_its_longest_end_that_the_tree_has(path: str, found: str) -> None:
    assert TREE.longest(path) == found


@pytest.mark.parametrize(
    ("path", "near", "found"),
    [
        ("run.go", [], "go/cmd/run.go"),
        ("cmd/run.go", [], "go/cmd/run.go"),
        ("md/run.go", [], ""),
        ("x_test.go", [], ""),
        ("x_test.go", ["example", "org", "lib", "b"], "lib/b/x_test.go"),
        ("x_test.go", ["example", "org"], ""),
        ("", [], ""),
    ],
)
def test_a_path_from_some_directory_is_the_only_one_that_ends_so(path: str, near: list[str], found: str) -> None:
    assert TREE.ending(path, near) == found


def test_a_path_leads_down_only() -> None:
    assert parts_of("./a/../../b//c") == ["b", "c"]
    assert "main.go" in TREE
