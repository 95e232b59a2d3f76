"""Every word that the code has a noun for is in the glossary, in a line, in order."""

from __future__ import annotations

import re

from foureyes.core.loop.engine import TIERS
from foureyes.core.nouns.finding import ANSWERS, RULINGS, SEVERITIES
from foureyes.core.nouns.session import GRADES, ROLES
from foureyes.core.rules.policy import MODES, POLICIES
from foureyes.core.words.lifecycle import STATUSES

from tests.architecture.house import PACKAGE, ROOT

ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def words() -> dict[str, str]:
    """The glossary: meaning by word."""
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = ROW.findall(text)
    assert rows[0] == ("word", "meaning")
    return dict(rows[1:])


def test_the_words_stand_in_order_each_once() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    names = [name for name, _ in ROW.findall(text)][1:]
    assert len(names) > 80
    assert names == sorted(set(names), key=lambda name: name.replace("-", " "))


def test_every_noun_of_the_core_is_a_word() -> None:
    nouns = {path.stem.replace("_", " ") for path in (PACKAGE / "core" / "nouns").glob("[!_]*.py")}
    assert len(nouns) > 5
    assert nouns - set(words()) == set()


def test_every_value_that_people_meet_is_explained() -> None:
    text = " ".join([*words(), *words().values()])
    values = [*STATUSES, *MODES, *POLICIES, *TIERS, *GRADES, *ROLES, *SEVERITIES, *ANSWERS, *RULINGS]
    assert [value for value in values if value not in text] == []
