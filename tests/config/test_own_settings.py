"""The user's own settings: what is said there is taken, what is wrong is named, and nothing of it decides anything."""

from __future__ import annotations

import msgspec
import pytest

from foureyes.config.own_settings import MEANINGS, THEMES, Own, read_own
from foureyes.config.settings import SETTINGS


def test_what_is_said_is_taken() -> None:
    own, wrong = read_own('theme = "light"\npager = "less -S"\neditor = ""\n')
    assert own == Own(theme="light", pager="less -S", editor="")
    assert wrong == []
    assert read_own("") == (Own(), [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('theme = "pink"\npager = "less"', "theme: "),
        ('editor = 1\npager = "less"', "editor: "),
        ('colour = 1\npager = "less"', "there is no setting colour"),
        ('[review]\npolicy = "trusted"', "there is no setting review"),
        ("pager = ", "Invalid value"),
        ("pager = " + "[" * 5000, ""),
    ],
)
def test_what_is_wrong_is_named_and_the_rest_holds(text: str, said: str) -> None:
    own, wrong = read_own(text)
    assert len(wrong) == 1
    assert wrong[0].startswith(said)
    assert own.theme in THEMES
    assert own.pager in ("less", None)


def test_a_former_setting_of_ones_own_is_accepted() -> None:
    assert read_own("reduced_motion = true\n") == (Own(), [])


def test_every_setting_of_ones_own_has_a_meaning_and_none_is_the_projects_P12() -> None:
    assert list(MEANINGS) == [field.name for field in msgspec.structs.fields(Own)]
    assert not set(MEANINGS) & {setting.key for setting in SETTINGS}
