"""Real projects through the gate: what `fe init --try` finds, a change that breaks them, and one that does not (D5)."""

from __future__ import annotations

import pytest

from tests.projects.ground import Build
from tests.projects.kinds import BUILT, OF_THE_PAGE, Kind
from tests.projects.page import recipes


@pytest.mark.parametrize("kind", BUILT, ids=lambda kind: kind.name)
def test_a_project_is_found_a_broken_change_is_caught_and_a_good_one_merged_D5(built: Build, kind: Kind) -> None:
    ground = built(kind)
    ground.init()
    text = ground.shop.on_main("foureyes.toml")
    for name in kind.checks:
        assert f'name = "{name}"' in text, text
    ground.proves()


@pytest.mark.parametrize("name", OF_THE_PAGE)
def test_a_recipe_of_the_page_about_checks_does_what_the_page_says_D5(built: Build, name: str) -> None:
    ground = built(OF_THE_PAGE[name])
    ground.types(recipes()[name])
    ground.proves()
