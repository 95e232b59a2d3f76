"""No two modules of a folder have names that only an ending tells apart: who looks for one opens the other."""

from __future__ import annotations

from collections import defaultdict

import pytest

from tests.architecture.house import PACKAGE, modules

ENDINGS = ("ings", "ing", "ed", "es", "s", "e")
SHORTEST = 3

TWINS = {
    ("app", "call", "calling"): "a room, what every call of a verb has; and the calls by name that faces make (G3)",
    ("app/pages", "listed", "lists"): "a task as a row of a list; and the pages of them",
    ("config", "setting", "settings"): "what one key is; and all of them",
    ("ui/cli", "running", "runs"): "`fe run` and `watch`; and what is said to runs",
    ("ui/tui", "guard", "guarded"): "against a second press; and against what breaks in a handler",
    ("ui/tui/screens", "find", "finding"): "a search; and the page of a finding, which is a noun",
}
"""Folder and names: why both are so called."""


def stem(name: str) -> str:
    """A name without its ending, and without a letter that is doubled before it."""
    ending = next((each for each in ENDINGS if name.endswith(each) and len(name) - len(each) >= SHORTEST), "")
    short = name.removesuffix(ending)
    return short[:-1] if len(short) > SHORTEST and short[-1] == short[-2] else short


def twins() -> set[tuple[str, ...]]:
    """Folder and names of what has one stem there; a room counts with the modules beside it."""
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path in modules():
        here = path.parent if path.name == "__init__.py" else path
        if here != PACKAGE:
            names[here.parent.relative_to(PACKAGE).as_posix(), stem(here.stem)].add(here.stem)
    return {(folder, *sorted(same)) for (folder, _), same in names.items() if len(same) > 1}


def test_no_two_modules_of_a_folder_differ_by_an_ending() -> None:
    assert not twins() - TWINS.keys(), "name one of them after what it alone holds"


def test_every_pair_that_is_excused_is_there() -> None:
    assert not TWINS.keys() - twins()


@pytest.mark.parametrize(
    ("one", "other"), [("stand", "standing"), ("looking", "looks"), ("comments", "commenting"), ("run", "running")]
)
def test_an_ending_makes_no_other_name(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("looks", "look_reviews"), ("stand", "grounds"), ("checks", "chosen")])
def test_another_word_does(one: str, other: str) -> None:
    assert stem(one) != stem(other)
