"""Every word that the code has a noun for is in the glossary, in a line, in order."""

from __future__ import annotations

import re

from foureyes.core.loop.engine import TIERS
from foureyes.core.nouns.finding import ANSWERS, RULINGS, SEVERITIES
from foureyes.core.nouns.session import GRADES, ROLES
from foureyes.core.rules.policy import MODES, POLICIES
from foureyes.core.words.lifecycle import STATUSES

from tests.architecture.house import PACKAGE, ROOT, name_of

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


DROPPED = {
    "ledger": "journal (everything), history (of a task), moves (of a finding), report (of a sprint)",
    "CheckStanding": "BriefedCheck; Standing is of sessions",
    "CycleStanding": "LastLetGo; Standing is of sessions",
}
"""Words that the house had for what has another one, and what is said instead."""


def test_a_word_that_was_dropped_does_not_come_back() -> None:
    files = [
        path
        for folder, kinds in (("src", ("py", "md", "sql")), ("docs", ("md",)), ("bench", ("py",)), ("tests", ("py",)))
        for kind in kinds
        for path in sorted((ROOT / folder).rglob(f"*.{kind}"))
        if path.name != "test_glossary.py" and "decisions" not in path.parts
    ]
    assert len(files) > 1000
    back = [
        f"{name_of(path)} has {word!r}: say {instead}"
        for path in files
        for text in [path.read_text(encoding="utf-8").lower()]
        for word, instead in DROPPED.items()
        if word.lower() in text
    ]
    assert not back, "\n".join(back)
