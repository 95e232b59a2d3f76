"""Places of a report: of any checkout of the repository, of another clone, or from some directory (L3)."""

from __future__ import annotations

import pytest

from foureyes.adapters.exchange.sarif import ReportPaths

PATHS = ("src/pkg dir/bäd.py", "go/main.go", "src/a.py", "lib/a.py", "main.py")
ROOTS = ("/repo", "/repo/.foureyes/worktrees/t-1")


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("/repo/src/a.py", "src/a.py"),
        ("/repo/.foureyes/worktrees/t-1/src/pkg dir/bäd.py", "src/pkg dir/bäd.py"),
        ("/repo/.foureyes/worktrees/gone/src/a.py", "src/a.py"),
        ("/home/ci/build/shop/src/pkg dir/bäd.py", "src/pkg dir/bäd.py"),
        ("/repo/.foureyes/worktrees/gone/main.py", "main.py"),
        ("/home/ci/main.py", ""),
        ("/usr/lib/python3/site-packages/x/main.py", ""),
        ("/home/ci/shop/node_modules/x/src/a.py", ""),
        ("/usr/lib/python3/json.py", ""),
        ("/repo/dist/src/a.py", "dist/src/a.py"),
        ("src/a.py", "src/a.py"),
        ("main.go", "go/main.go"),
        ("a.py", "a.py"),
        ("gone.py", "gone.py"),
        ("../x.py", ""),
        ("", ""),
    ],
)
def test_a_place_is_a_path_of_the_tree_by_its_prefix_then_by_its_longest_end_L3(place: str, path: str) -> None:
    assert ReportPaths(ROOTS, lambda: PATHS).path_of(place) == path


def test_without_a_tree_only_prefixes_say_where_it_is_and_a_run_may_name_its_own_L3() -> None:
    assert ReportPaths(ROOTS).path_of("/home/ci/src/a.py") == ""
    assert ReportPaths(ROOTS).path_of("/home/ci/src/a.py", ["/home/ci/"]) == "src/a.py"
