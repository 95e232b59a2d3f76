"""V5: the verdicts that a review can have, in one place."""

from __future__ import annotations

from typing import get_args

from foureyes.core.words.vocabulary import VERDICTS, Verdict


def test_the_list_of_verdicts_is_the_type_V5() -> None:
    assert get_args(Verdict) == VERDICTS
