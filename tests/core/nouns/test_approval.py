"""On whose word an approval rests (I9, M4): what the journal says is read for ever."""

from __future__ import annotations

import pytest

from foureyes.core.nouns.decision import Basis, basis_of, grade_of

OLD_WORDS: dict[str, Basis] = {
    "origin": "agent",
    "human (observed)": "person",
    "human (key SHA256:abc)": "person",
    "rule": "rule",
    "": "agent",
}


@pytest.mark.parametrize(("grade", "basis"), OLD_WORDS.items(), ids=[f"[{grade}]" for grade in OLD_WORDS])
def test_the_journal_says_for_ever_whose_word_an_approval_is_P12(grade: str, basis: Basis) -> None:
    assert basis_of(grade) == basis


@pytest.mark.parametrize("basis", ["person", "agent", "rule"])
@pytest.mark.parametrize("key", ["", "SHA256:abc"])
def test_what_is_written_about_an_approval_is_read_back_as_it_was_meant(basis: Basis, key: str) -> None:
    assert basis_of(grade_of(basis, key)) == basis


@pytest.mark.parametrize("grade", ["humanoid", "Human (observed)", "a human", "rules"])
def test_unknown_words_are_no_persons_P12(grade: str) -> None:
    assert basis_of(grade) == "agent"
