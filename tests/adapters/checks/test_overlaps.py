"""Where a tree and its environment have something at one place (D5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.adapters.checks.checkout import OwnParts, overlaps, refuse_own_parts
from foureyes.core.nouns.check_config import CheckoutRule

from tests.adapters.checks.trees import Tree


def laid(folder: Path, *files: str) -> Path:
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    return folder


def test_D5_files_links_and_directories_of_both_overlap_and_directories_alone_do_not(tmp_path: Path) -> None:
    tree = laid(tmp_path / "tree", "src/app.py", "src/gen/x", "lib/a", "tool", "a/node_modules/own/x")
    made = laid(tmp_path / "made", "src/app.egg-info/x", "src/gen/x", "tool/in", "a/node_modules/p/x")
    (made / "lib").symlink_to(tmp_path)
    assert list(overlaps(str(tree), str(made))) == ["lib", "src/gen/x", "tool"]
    assert next(overlaps(str(tree), str(made), frozenset({"node_modules"}))) == "a/node_modules"


def test_D5_what_the_target_has_and_what_is_an_input_may_lie_there(tmp_path: Path) -> None:
    files = {"lock": "1\n", "tool": "1\n"}
    tree, made = laid(tmp_path / "tree", *files), laid(tmp_path / "made", *files)
    rule = CheckoutRule(prepare="x", inputs=("lock",))
    refuse_own_parts(str(tree), str(made), rule, Tree(files))
    refuse_own_parts(str(tree), str(made), rule, Tree(files, target={**files, "lock": "0\n"}))
    with pytest.raises(OwnParts, match=r"^it changes tool, which checkout\.prepare creates"):
        refuse_own_parts(str(tree), str(made), rule, Tree(files, target={"lock": "1\n"}))


def test_D5_what_only_the_base_has_there_holds_for_that_base_alone(tmp_path: Path) -> None:
    files = {"lock": "1\n", "tool": "1\n"}
    tree, made = laid(tmp_path / "tree", *files), laid(tmp_path / "made", *files)
    rule = CheckoutRule(prepare="x", inputs=("lock",))
    assert refuse_own_parts(str(tree), str(made), rule, Tree(files, base=files)) == "", "it is on record"
    assert refuse_own_parts(str(tree), str(made), rule, Tree(files, target={}, base=files)) == "base"


def test_D5_what_was_there_before_the_change_and_is_not_on_record_is_not_called_the_changes_own(tmp_path: Path) -> None:
    files = {"tool": "1\n"}
    tree, made = laid(tmp_path / "tree", *files), laid(tmp_path / "made", *files)
    by_hand = Tree(files, target={}, base=files)
    by_hand.agreed_for_start = dict  # type: ignore[method-assign]  # something was merged, and lacks it
    said = "^tool is committed but also created by checkout.prepare, already before the change, and the last recorded merge "
    with pytest.raises(OwnParts, match=said):
        refuse_own_parts(str(tree), str(made), CheckoutRule(prepare="x"), by_hand)
