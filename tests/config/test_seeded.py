"""The built-in set of changes: each has one planted defect that can be found by its place, or none (V4)."""

from __future__ import annotations

from foureyes.config.seeded import MADE_WITH, seeded
from foureyes.core.words.digest import sha256

SAYS = {1: "fee2ecf99f7f4d8c"}
"""What each set says; another one has another number."""


def test_every_defect_lies_in_a_line_that_the_change_brings_V4() -> None:
    for each in seeded():
        for part in each.planted:
            assert each.head.count(part) == 1, (each.name, part)
            assert part not in each.base, each.name
        assert bool(each.planted) == bool(each.defect) == bool(each.words) == (each.case.kind == "seeded"), each.name
        assert each.base != each.head, each.name


def test_the_set_has_several_languages_and_changes_without_a_defect_V4() -> None:
    planted = [each for each in seeded() if each.planted]
    assert {each.language for each in planted} >= {
        "Python", "TypeScript", "JavaScript", "Go", "Rust", "Java", "SQL", "Shell",
    }  # fmt: skip
    assert len(seeded()) - len(planted) >= 4
    assert len({each.path for each in seeded()}) == len(seeded()), "each is a change of its own file"
    assert len({each.title for each in seeded()}) == len(seeded())


def test_nothing_that_a_reviewer_reads_names_the_defect_V4() -> None:
    for each in seeded():
        said = f"{each.title} {each.acceptance} {each.head}".lower()
        assert not each.defect or each.defect.lower() not in said, each.name


def test_another_set_has_another_number_V4() -> None:
    text = "\n".join(repr(each) for each in seeded())
    assert SAYS[MADE_WITH] == sha256(text.encode()).hexdigest()[:16], "a case changed: MADE_WITH goes up"
