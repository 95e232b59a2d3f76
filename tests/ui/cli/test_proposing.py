"""`fe check detect|try`: which checks a project could have, as lines for its foureyes.toml (D5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage.commands import Cast
from tests.ui.cli.counter import Counter, counter


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Counter:
    return counter(template, tmp_path, cast)


def test_what_is_found_is_shown_with_the_lines_to_add_and_tried_on_what_is_checked_in(shop: Counter) -> None:
    (shop.repo / "Makefile").write_text("test:\n\techo red; false\n")
    shop.git("add", "Makefile")
    shop.git("commit", "-q", "-m", "make")
    said = shop.text(shop.cast.alice, "check", "detect")
    assert "tests    make test   from Makefile" in said
    assert '[[checks]]\nname = "tests"\nrun = "make test"\n' in said
    assert "fe config accept" in said.splitlines()[-1]
    tried = shop.text(shop.cast.alice, "check", "detect", "--try")
    assert (
        "tried: failed: exit code 2. It is red on the target, so until it passes there, a person accepts each change"
        in tried
    )
    assert "required = false" not in tried, "tests that are red for some reason are not switched off"


def test_a_red_linter_without_a_report_is_proposed_as_not_required(shop: Counter) -> None:
    (shop.repo / "go.mod").write_text("module example.com/shop\n")
    (shop.repo / "foureyes.toml").write_text('[[checks]]\nname = "tests"\nrun = "true"\n')
    (shop.repo / "bad.go").write_text("package\n")
    shop.git("add", ".")
    shop.git("commit", "-q", "-m", "go")
    tried = shop.text(shop.cast.alice, "check", "detect", "--try")
    assert "vet      go vet ./..." in tried
    assert "Not required, because it is red on the target itself" in tried


def test_what_foureyes_toml_has_is_not_proposed_again_D5(shop: Counter) -> None:
    (shop.repo / "Makefile").write_text("test:\n\ttrue\nlint:\n\ttrue\n")
    (shop.repo / "foureyes.toml").write_text('[[checks]]\nname = "tests"\nrun = "make mine"\n')
    said = shop.text(shop.cast.alice, "check", "detect")
    assert 'name = "tests"' not in said
    assert "foureyes.toml already has tests. To run them: fe check run --target" in said
