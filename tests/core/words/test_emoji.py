"""Which characters are emoji: a table of Unicode's, read when it is first asked."""

from __future__ import annotations

import pytest

from foureyes.core.words.text import is_emoji


@pytest.mark.parametrize("character", "©☂❤🎉👍🏴🦿🫠")
def test_emoji_of_every_corner_are_known(character: str) -> None:
    assert is_emoji(ord(character))


@pytest.mark.parametrize("character", "a1#■─→日\u200d\ufe0f\U0001f000")
def test_other_signs_are_none(character: str) -> None:
    assert not is_emoji(ord(character))
